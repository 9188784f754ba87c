/* SPDX-License-Identifier: MIT */
/* Declarations that the files of core/cuda share. */
#ifndef AG_CORE_CUDA_INSIDE_H
#define AG_CORE_CUDA_INSIDE_H

#include "core/cuda/device.h"

#include <cuda_runtime.h>

#include <mutex>

/* One device. Several tapes may use it from several threads: `lock` guards what they share. */
struct ag__cuda_device {
    int number;
    cudaStream_t compute, copies;
    std::recursive_mutex lock;
    int tried;           /* 1: opening it was tried */
    ag_failure closed;   /* why it could not be opened */
    ag_failure failure;  /* the first one since the last ag__device_failed */
    int lost;            /* it cannot go on: the failure stays */
    int waits;           /* AUGUR_CUDA_WAIT=1 */
    const char *doing;   /* what was launched last */
    cudaStream_t noting; /* the stream of captures, of one thread at a time */
    std::mutex notes;    /* which that thread holds */
    void *blas[2];       /* of gemm.cu: the handle, and that of a capture */
    void *workspace;     /* of products (ag__cuda_workspace) */
    char *small;         /* of ag__cuda_small */
};

/* The device that work goes to; open. */
ag__cuda_device *ag__cuda_here(void);

/* Keeps an error of the runtime as the failure of what was launched last. Returns 1 if `error` is
   one. */
int ag__cuda_keep(cudaError_t error);
/* Keeps the failure that there is no memory for `what`; bytes 0: it is not known how many bytes it
   needs. */
void ag__cuda_no_memory(const char *what, size_t bytes);
int ag__cuda_noting(void);            /* 1: this thread captures what it launches (graph.cu) */
void ag__cuda_spoil(void);            /* makes its capture invalid */
void ag__cuda_gemm_ready(void);       /* makes the handle of captures, if the other exists */
int ag__cuda_done(cudaEvent_t event); /* 1: the device has passed it; does not wait */
void ag__cuda_keep_text(const char *meaning); /* the words of another library */

/* gemm.cu: the precision of the calling thread's products, and their workspace, which the first
   product allocates. Hold the lock for it; NULL: the device has failed. */
ag_precision ag__cuda_precision(void);
void *ag__cuda_workspace(size_t *bytes);

/* Memory on the device for the partial results of one call, SMALL bytes; NULL: none. Hold the lock
   until they are read. */
enum { AG__CUDA_SMALL = 8192 };
char *ag__cuda_small(void);

static inline size_t ag__cuda_padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

#endif
