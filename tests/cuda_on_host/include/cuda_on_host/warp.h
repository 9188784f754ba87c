/* SPDX-License-Identifier: MIT */
/* Where threads meet: warp functions and barriers. Each hands the line that it was called from on,
   for messages and to see that all come from the same one. */
#ifndef CUDA_ON_HOST_WARP_H
#define CUDA_ON_HOST_WARP_H

#include "cuda_on_host/language.h"

#include <type_traits>

namespace cuda_on_host
{

enum meeting { SHFL, SHFL_XOR, SYNCWARP, SYNCTHREADS };

struct site {
    const char *file;
    int line;
};

/* Waits for the lanes of `mask` (SYNCTHREADS: for the block), each with its value, and returns the
   combined result for this lane. `with` is the argument of a shuffle. */
uint64_t meet(meeting kind, unsigned mask, uint64_t value, int with, int width, site at);

template <class T> T shuffle(meeting kind, unsigned mask, T v, int with, int width, site at)
{
    static_assert(sizeof(T) <= 8 && std::is_arithmetic<T>::value, "a shuffle moves one number");
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = meet(kind, mask, bits, with, width, at);
    memcpy(&v, &bits, sizeof v);
    return v;
}

} // namespace cuda_on_host

#define CUDA_ON_HOST_SITE cuda_on_host::site at = {__builtin_FILE(), __builtin_LINE()}

template <class T> T __shfl_sync(unsigned mask, T v, int lane, int width = 32, CUDA_ON_HOST_SITE)
{
    return cuda_on_host::shuffle(cuda_on_host::SHFL, mask, v, lane, width, at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32, CUDA_ON_HOST_SITE)
{
    return cuda_on_host::shuffle(cuda_on_host::SHFL_XOR, mask, v, with, width, at);
}
inline void __syncwarp(unsigned mask = ~0u, CUDA_ON_HOST_SITE)
{
    cuda_on_host::meet(cuda_on_host::SYNCWARP, mask, 0, 0, 32, at);
}
inline void __syncthreads(CUDA_ON_HOST_SITE)
{
    cuda_on_host::meet(cuda_on_host::SYNCTHREADS, 0, 0, 0, 32, at);
}

#endif
