/* SPDX-License-Identifier: MIT */
/* The part of cuRAND that Augur uses: Philox, as a function of counter and key. */
#ifndef CUDA_ON_HOST_CURAND_KERNEL_H
#define CUDA_ON_HOST_CURAND_KERNEL_H

#include "cuda_runtime.h"

inline uint4 curand_Philox4x32_10(uint4 counter, uint2 key)
{
    const unsigned first = 0xD2511F53u, second = 0xCD9E8D57u;
    for (int round = 0; round < 10; round++) {
        const uint4 c = counter;
        counter.x = __umulhi(second, c.z) ^ c.y ^ key.x;
        counter.y = second * c.z;
        counter.z = __umulhi(first, c.x) ^ c.w ^ key.y;
        counter.w = first * c.x;
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

#endif
