/* SPDX-License-Identifier: MIT */
/* Functions of the host execution, beyond CUDA, that tests call in C or C++. */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1: kernels are compiled with the checker. */
int cuda_on_host_checked(void);

/* The nth call from now on (1: the next) of the function of that name, such as "cudaMalloc",
   returns this error; nth = 0: every call. The name of a kernel, as it is launched, makes that
   kernel fail when it runs: the error then stays, as on a device. NULL: no call fails any more, and
   the device is well again. */
void cuda_on_host_fail(const char *name, int error, int nth);

/* Counts since the program began. */
typedef struct cuda_on_host_counts {
    long launches, threads, library_calls, waits;
} cuda_on_host_counts;
cuda_on_host_counts cuda_on_host_count(void);

#ifdef __cplusplus
}
#endif

#endif
