/* SPDX-License-Identifier: MIT */
/* The CUDA device: opening it, its streams, the first failure. */
#include "core/cuda/inside.h"
#include "core/device.h"
#include "core/error.h"
#include "core/kernel.h"
#include "core/ranks.h"
#include "core/threads.h"

static ag__cuda_device only; /* of those that CUDA_VISIBLE_DEVICES leaves */

ag__cuda_device *ag__cuda_here(void) { return &only; }

extern "C" void *ag__cuda_stream(void) { return ag__cuda_noting() ? only.noting : only.compute; }

/* ---- opening ---- */

extern "C" void ag_ranks_take_device(int number) { only.number = number; }

static __global__ void probe_grid(int *to) { to[threadIdx.x] = (int)threadIdx.x; }

/* The streams, and one kernel to see that there is code for this device. */
static cudaError_t start(ag__cuda_device *d)
{
    cudaError_t e = cudaStreamCreateWithFlags(&d->compute, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&d->copies, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&d->noting, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaMalloc(&d->small, AG__CUDA_SMALL);
    if (e != cudaSuccess) return e;
    AG__START(probe, 1, 32, (int *)(void *)d->small);
    e = cudaGetLastError();
    return e != cudaSuccess ? e : cudaStreamSynchronize(d->compute);
}

static cudaError_t open_device(ag__cuda_device *d, cudaDeviceProp *about)
{
    int n = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e != cudaSuccess) return e;
    if (n == 0) return cudaErrorNoDevice;
    d->number %= n;
    e = cudaSetDevice(d->number);
    if (e == cudaSuccess) e = cudaGetDeviceProperties(about, d->number);
    return e != cudaSuccess ? e : start(d);
}

extern "C" ag_status ag_device_open(ag_failure *why)
{
    ag__cuda_device *d = &only;
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    if (!d->tried) {
        cudaDeviceProp about = {};
        d->tried = 1;
        d->waits = ag_switch("AUGUR_CUDA_WAIT", 0);
        d->doing = "the start";
        const cudaError_t e = open_device(d, &about);
        char reason[400];
        if (e == cudaErrorMemoryAllocation)
            ag_fail(&d->closed, AG_EDEVICE, "%s",
                    ag__device_full(reason, "its start", d->noting ? AG__CUDA_SMALL : 0,
                                    ag__device_free_bytes()));
        else if (e != cudaSuccess)
            ag_fail(&d->closed, AG_EDEVICE, "%s",
                    ag__device_reason(reason, (int)e, CUDART_VERSION, about.name, about.major,
                                      about.minor, cudaGetErrorString(e)));
    }
    if (d->closed.status != AG_OK) return ag_fail(why, AG_EDEVICE, "%s", d->closed.sentence);
    if (d->number) ag__cuda_keep(cudaSetDevice(d->number)); /* each thread begins with device 0 */
    if (d->lost) return ag_fail(why, AG_EDEVICE, "%s", d->failure.sentence);
    return AG_OK;
}

/* ---- failures ---- */

extern "C" void ag__cuda_started(const char *kernel, int error)
{
    only.doing = kernel;
    ag__cuda_keep((cudaError_t)error);
}

extern "C" void ag__cuda_share(const void *kernel, size_t bytes)
{
    if (bytes > 48 << 10)
        ag__cuda_keep(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

extern "C" void ag__device_doing(const char *name) { only.doing = name; }

static void keep(ag_status status, const char *sentence)
{
    const std::lock_guard<std::recursive_mutex> held(only.lock);
    if (only.failure.status == AG_OK) ag_fail(&only.failure, status, "%s", sentence);
}

void ag__cuda_no_memory(const char *what, size_t bytes)
{
    char text[400];
    if (ag__cuda_noting())
        ag__cuda_spoil();
    else
        keep(AG_EMEMORY, ag__device_full(text, what, bytes, ag__device_free_bytes()));
}

/* A device that cannot go on answers every later call with its error. */
int ag__cuda_keep(cudaError_t error)
{
    if (error == cudaSuccess) return 0;
    if (error == cudaErrorMemoryAllocation)
        ag__cuda_no_memory(only.doing, 0);
    else
        ag__cuda_keep_text(cudaGetErrorString(error));
    cudaGetLastError();
    if (ag__cuda_noting()) return 1;
    if (cudaStreamSynchronize(only.compute) != cudaSuccess) only.lost = 1;
    return 1;
}

/* That it is not yet there is no failure. */
int ag__cuda_done(cudaEvent_t event)
{
    const cudaError_t error = cudaEventQuery(event);
    if (error != cudaErrorNotReady) return !ag__cuda_keep(error);
    cudaGetLastError();
    return 0;
}

void ag__cuda_keep_text(const char *meaning)
{
    char text[400];
    if (ag__cuda_noting())
        ag__cuda_spoil();
    else
        keep(AG_EDEVICE, ag__device_sentence(text, only.doing, meaning, only.waits));
}

extern "C" ag_status ag__device_failed(ag_failure *why)
{
    ag__cuda_device *d = &only;
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    ag__cuda_keep(cudaGetLastError());
    if (d->failure.status == AG_OK) return AG_OK;
    const ag_status status = ag_fail(why, d->failure.status, "%s", d->failure.sentence);
    if (!d->lost) d->failure.status = AG_OK;
    return status;
}

extern "C" ag_status ag__device_wait(ag_failure *why)
{
    ag__cuda_keep(cudaStreamSynchronize(only.compute));
    return ag__device_failed(why);
}

extern "C" void ag__device_wait_if_asked(void)
{
    if (only.waits) ag__cuda_keep(cudaStreamSynchronize(only.compute));
}

/* ---- the first gradient ---- */

static __global__ void seed_grid(ag_real *dx, int add) { dx[0] = add ? dx[0] + 1 : 1; }
extern "C" void ag__device_seed(ag_real *dx, int add) { AG__START(seed, 1, 1, dx, add); }
