/* SPDX-License-Identifier: MIT */
/* The CUDA of this machine: toolkit, driver, device, its memory. */
#include "core/cuda/inside.h"
#include "core/device.h"

#include <stdio.h>

/* A question without an answer is not a failure of the device. */
static int answered(cudaError_t error)
{
    if (error == cudaSuccess) return 1;
    cudaGetLastError();
    return 0;
}

extern "C" void ag_device_describe(ag_device_about *about)
{
    cudaDeviceProp of = {};
    int devices = 0;
    if (!about) return;
    *about = {};
    about->built = CUDART_VERSION;
#ifdef AG_CUDA_ON_HOST
    about->on_host = 1;
#endif
    if (!answered(cudaDriverGetVersion(&about->driver))) about->driver = 0;
    if (!answered(cudaGetDeviceCount(&devices)) || !devices) return;
    if (!answered(cudaGetDeviceProperties(&of, ag__cuda_here()->number % devices))) return;
    snprintf(about->name, sizeof about->name, "%s", of.name);
    about->major = of.major;
    about->minor = of.minor;
    if (!answered(cudaMemGetInfo(&about->unused, &about->bytes))) about->unused = about->bytes = 0;
}
