/* SPDX-License-Identifier: MIT */
/* Memory that a kernel, or host code, must not touch. */
#include "mistakes.hpp"

namespace
{

__global__ void set(float *x, int at) { x[at] = 1; }
__global__ void get(float *y, const float *x) { *y = *x; }

int one_beyond() { return start(one, 1, 1, set, zeros<float>(64), 64) != cudaSuccess; }
int one_before() { return start(one, 1, 1, set, zeros<float>(64), -1) != cudaSuccess; }
int odd_end()
{
    return start(one, 1, 1, set, (float *)zeros<char>(6), 1) != cudaSuccess; /* two bytes of it */
}
int far_beyond() { return start(one, 1, 1, set, zeros<float>(64), 1 << 22) != cudaSuccess; }
int freed()
{
    float *x = zeros<float>(1000);
    DONE(cudaFree(x));
    (void)zeros<float>(1000); /* which is not given the same place */
    return start(one, 1, 1, set, x, 5) != cudaSuccess;
}
int freed_read()
{
    float *x = zeros<float>(1000), *y = zeros<float>(1);
    DONE(cudaFree(x));
    return start(one, 1, 1, get, y, (const float *)x) != cudaSuccess;
}
int host_reads()
{
    volatile float *x = zeros<float>(4);
    return x[1] == 5;
}
int host_writes()
{
    volatile float *x = zeros<float>(4);
    x[1] = 5;
    return 0;
}
int host_reads_between()
{
    volatile float *x = zeros<float>(4);
    DONE(start(one, 1, 1, set, (float *)x, 1));
    DONE(cudaStreamSynchronize(one));
    return x[1] == 5;
}

} // namespace

MISTAKES(mistakes_of_memory,
         {
             {"one element beyond the end", one_beyond, "beyond the end of an allocation"},
             {"one element before the start", one_before, "before an allocation"},
             {"half an element beyond the end", odd_end, "beyond the end of an allocation"},
             {"far outside of allocations", far_beyond, "which is not allocated"},
             {"freed memory is written", freed, "which is not allocated"},
             {"freed memory is read", freed_read, "which is not allocated"},
             {"host code reads device memory", host_reads, "host code touches device memory"},
             {"host code writes device memory", host_writes, "host code touches device memory"},
             {"host code reads after a kernel", host_reads_between,
              "host code touches device memory"},
         });
