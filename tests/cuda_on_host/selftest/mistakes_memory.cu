/* SPDX-License-Identifier: MIT */
/* Memory that a kernel, or host code, must not touch. */
#include "mistakes.hpp"

namespace
{

__global__ void set(float *x, int at) { x[at] = 1; }
__global__ void get(float *y, const float *x) { *y = *x; }

} // namespace

const std::vector<mistake> mistakes_of_memory = {
    {"one element beyond the end", [] { launch(1, 1, set, zeros<float>(64), 64); },
     "beyond the end of an allocation"},
    {"one element before the start", [] { launch(1, 1, set, zeros<float>(64), -1); },
     "before an allocation"},
    {"half an element beyond the end",
     [] {
         launch(1, 1, set, (float *)zeros<char>(6), 1); /* two bytes of it */
     },
     "beyond the end of an allocation"},
    {"far outside of allocations", [] { launch(1, 1, set, zeros<float>(64), 1 << 22); },
     "which is not allocated"},
    {"freed memory is written",
     [] {
         float *x = zeros<float>(1000);
         DONE(cudaFree(x));
         (void)zeros<float>(1000); /* which is not given the same place */
         launch(1, 1, set, x, 5);
     },
     "which is not allocated"},
    {"freed memory is read",
     [] {
         float *x = zeros<float>(1000), *y = zeros<float>(1);
         DONE(cudaFree(x));
         launch(1, 1, get, y, (const float *)x);
     },
     "which is not allocated"},
    {"host code reads device memory",
     [] {
         volatile float *x = zeros<float>(4);
         (void)x[1];
     },
     "host code touches device memory"},
    {"host code writes device memory",
     [] {
         volatile float *x = zeros<float>(4);
         x[1] = 5;
     },
     "host code touches device memory"},
    {"host code reads after a kernel",
     [] {
         volatile float *x = zeros<float>(4);
         DONE(start(one, 1, 1, set, (float *)x, 1));
         DONE(cudaStreamSynchronize(one));
         (void)x[1];
     },
     "host code touches device memory"},
};
