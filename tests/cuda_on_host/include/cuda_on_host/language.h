/* SPDX-License-Identifier: MIT */
/* nvcc's additions to C++: qualifiers, vectors, the place of a thread and a few functions. */
#ifndef CUDA_ON_HOST_LANGUAGE_H
#define CUDA_ON_HOST_LANGUAGE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <cmath>

#define CUDART_VERSION 13000

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
/* One block runs at a time, so shared variables are static; the section tells the runtime where all
   of them are. */
#define __shared__   static __attribute__((section("cuda_shared"), used))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

/* Of the thread that runs. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

using std::isfinite;
using std::isnan;
using std::max;
using std::min;

inline float __fmul_rn(float a, float b) { return a * b; }

#endif
