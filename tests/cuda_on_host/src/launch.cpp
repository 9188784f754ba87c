/* SPDX-License-Identifier: MIT */
/* Kernels and atomics: the functions that compiled .cu files call. */
#include "inside.hpp"

#include <map>

namespace cuda_on_host
{

static const char *next_name;
static std::map<const void *, int> shared_limit; /* of kernels that asked for more */

void name_next(const char *kernel) { next_name = kernel; }

static bool fits(const cudaLaunchConfig_t &c, const void *kernel)
{
    const auto more = shared_limit.find(kernel);
    const size_t most = more == shared_limit.end() ? (size_t)PLAIN_SHARED : (size_t)more->second;
    const dim3 g = c.gridDim, b = c.blockDim;
    if (!g.x || !g.y || !g.z || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) return false;
    if (!b.x || !b.y || !b.z || b.z > 64 || (uint64_t)b.x * b.y * b.z > MOST_THREADS) return false;
    return c.dynamicSmemBytes <= most && !c.numAttrs;
}

cudaError_t launch(const cudaLaunchConfig_t *config, const bound_kernel &bound)
{
    const char *name = next_name ? next_name : "without a name";
    next_name = nullptr;
    BEGIN_CALL("cudaLaunchKernelExC");
    if (!fits(*config, bound.function)) return fail(cudaErrorInvalidConfiguration);
    const kernel k = {name, config->gridDim, config->blockDim, config->dynamicSmemBytes, bound};
    return add_work(config->stream, {name, [k] {
                                         kernel_fails(k.name);
                                         if (lost()) return;
                                         run_kernel(k);
                                         check_fences(k.name);
                                     }});
}

/* ---- atomics: threads take turns, so plain accesses are atomic; the checker knows ---- */

unsigned add(unsigned *p, unsigned v)
{
    if (cuda_on_host_check_atomic)
        cuda_on_host_check_atomic(p, sizeof *p, __builtin_return_address(0));
    const unsigned old = *p;
    *p += v;
    return old;
}

} // namespace cuda_on_host

using namespace cuda_on_host;

extern "C" cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute,
                                            int value)
{
    BEGIN_CALL("cudaFuncSetAttribute");
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > MOST_SHARED)
        return fail(cudaErrorInvalidValue);
    shared_limit[kernel] = value;
    return cudaSuccess;
}

extern "C" int cuda_on_host_checked(void) { return cuda_on_host_check_map && option().check; }
