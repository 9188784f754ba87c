/* SPDX-License-Identifier: MIT */
/* The CUDA device: the stream that every launch takes, and the first error. */
#include "core/internal.h"

#include <cuda_runtime.h>

static cudaStream_t stream;

extern "C" void *ag__cuda_stream(void)
{
    if (!stream && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        stream = NULL;
    return stream;
}

/* Number of devices that can run a tape; 0 without a driver. */
extern "C" int ag__cuda_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}
