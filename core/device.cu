/* SPDX-License-Identifier: MIT */
/* The CUDA device: the stream that every launch takes, and the first error. */
#include "core/internal.h"
#include "core/launch.h"

static cudaStream_t stream;
static const char *last_started;
static int first_error;
static const char *first_failed;

extern "C" void *ag__cuda_stream(void)
{
    if (!stream && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        stream = NULL;
    return stream;
}

extern "C" void ag__cuda_started(const char *kernel, int error)
{
    last_started = kernel;
    if (first_error || !error) return;
    first_error = error;
    first_failed = kernel;
}

/* Name of the kernel that was started last, or of the first one that could not be; NULL: none. */
extern "C" const char *ag__cuda_last_started(void)
{
    return first_failed ? first_failed : last_started;
}

/* Number of devices that can run a tape; 0 without a driver. */
extern "C" int ag__cuda_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}
