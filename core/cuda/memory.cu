/* SPDX-License-Identifier: MIT */
/* Memory of the device, and copies that wait or stay on the device. */
#include "core/cuda/inside.h"
#include "core/cuda/launch.h"

#include <string.h>

char *ag__cuda_small(void) { return ag__cuda_here()->small; }

extern "C" void *ag__device_take(size_t bytes)
{
    void *p = NULL;
    if (ag__cuda_noting()) return NULL;
    if (cudaMalloc(&p, bytes ? bytes : 1) == cudaSuccess) return p;
    cudaGetLastError(); /* the caller says what there is no memory for */
    return NULL;
}

extern "C" void ag__device_give(void *p)
{
    if (!p) return;
    ag__cuda_keep(cudaStreamSynchronize(ag__cuda_here()->compute));
    ag__cuda_keep(cudaFree(p));
}

extern "C" size_t ag__device_free_bytes(void)
{
    size_t unused = 0, total = 0;
    return cudaMemGetInfo(&unused, &total) == cudaSuccess ? unused : 0;
}

static void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, int wait)
{
    cudaStream_t stream = (cudaStream_t)ag__cuda_stream();
    if (wait && ag__cuda_noting()) {
        ag__cuda_spoil(); /* what waits cannot be repeated */
        return;
    }
    if (bytes && !ag__cuda_keep(cudaMemcpyAsync(to, from, bytes, kind, stream)) && wait)
        ag__cuda_keep(cudaStreamSynchronize(stream));
}

extern "C" void ag__device_upload(void *to, const void *from, size_t bytes)
{
    copy(to, from, bytes, cudaMemcpyHostToDevice, 1);
}

extern "C" void ag__device_download(void *to, const void *from, size_t bytes)
{
    copy(to, from, bytes, cudaMemcpyDeviceToHost, 1);
}

extern "C" void ag__device_copy(void *to, const void *from, size_t bytes)
{
    copy(to, from, bytes, cudaMemcpyDeviceToDevice, 0);
}

extern "C" void ag__device_fill(void *to, int byte, size_t bytes)
{
    if (bytes) ag__cuda_keep(cudaMemsetAsync(to, byte, bytes, (cudaStream_t)ag__cuda_stream()));
}
