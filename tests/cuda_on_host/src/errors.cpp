/* SPDX-License-Identifier: MIT */
/* The last error, the device itself, and errors that a test asks for. */
#include "inside.hpp"

#include <stdio.h>
#include <stdlib.h>

namespace cuda_on_host
{

static cudaError_t last = cudaSuccess, lost_by = cudaSuccess;

cudaError_t fail(cudaError_t error)
{
    if (error != cudaSuccess) last = error;
    return error;
}

bool lost() { return lost_by != cudaSuccess; }

/* The failure that a test asked for; CUDA_ON_HOST_FAIL=name:error or name:error:nth asks for
   programs. */
static struct {
    std::string name;
    int error, nth;
    bool read;
} wanted;

static void read_wanted()
{
    char name[100];
    int error, nth = 0;
    const char *text = getenv("CUDA_ON_HOST_FAIL");
    if (wanted.read || !text || !*text) return;
    if (sscanf(text, "%99[^:]:%d:%d", name, &error, &nth) < 2)
        misuse("CUDA_ON_HOST_FAIL is \"%s\", but must be name:error or name:error:nth", text);
    cuda_on_host_fail(name, error, nth);
}

static cudaError_t wanted_for(const char *name)
{
    read_wanted();
    wanted.read = true;
    if (wanted.name != name) return cudaSuccess;
    if (wanted.nth > 1) {
        wanted.nth--;
        return cudaSuccess;
    }
    if (wanted.nth == 1) wanted.name.clear(); /* once */
    return (cudaError_t)wanted.error;
}

cudaError_t refused(const char *call)
{
    if (lost()) return last = lost_by;
    return fail(wanted_for(call));
}

void kernel_fails(const char *name)
{
    const cudaError_t error = wanted_for(name);
    if (error != cudaSuccess) last = lost_by = error;
}

} // namespace cuda_on_host

using namespace cuda_on_host;

static const struct {
    cudaError_t error;
    const char *text;
} known[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
};

extern "C" {

void cuda_on_host_fail(const char *name, int error, int nth)
{
    wanted = {name ? name : "", error, nth, true};
    if (!name) last = lost_by = cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = lost_by; /* the loss of the device stays */
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &k : known)
        if (k.error == error) return k.text;
    return "unrecognized error code";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    BEGIN_CALL("cudaGetDeviceCount");
    *count = option().devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    BEGIN_CALL("cudaSetDevice");
    return device >= 0 && device < option().devices ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device)
{
    BEGIN_CALL("cudaGetDeviceProperties");
    if (device < 0 || device >= option().devices) return fail(cudaErrorInvalidDevice);
    *prop = {};
    prop->uuid.bytes[0] = (char)device;
    snprintf(prop->name, sizeof prop->name, "CUDA on the host");
    prop->major = 9;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    BEGIN_CALL("cudaDriverGetVersion");
    *version = CUDART_VERSION;
    return cudaSuccess;
}
}
