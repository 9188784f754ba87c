/* SPDX-License-Identifier: MIT */
/* Matrix products: cuBLAS, which lays matrices column by column, so C' = op(B)' op(A)'. One handle,
   a workspace of ours and no atomics: the same bits every time. */
#include "core/cuda/inside.h"

#include <cublas_v2.h>

enum { WORKSPACE = 32 << 20 };

static int fails(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS) return 0;
    ag__cuda_keep_text(cublasGetStatusString(status));
    return 1;
}

/* NULL: the device has failed. cublasSetStream forgets the workspace, so that comes after it. */
static cublasHandle_t handle(void)
{
    ag__cuda_device *d = ag__cuda_here();
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    cublasHandle_t h = (cublasHandle_t)d->blas;
    if (h) return h;
    void *workspace = ag__device_take(WORKSPACE);
    if (!workspace) {
        ag__cuda_keep(cudaErrorMemoryAllocation);
        return NULL;
    }
    if (fails(cublasCreate(&h)) || fails(cublasSetStream(h, d->compute)) ||
        fails(cublasSetWorkspace(h, workspace, WORKSPACE)) ||
        fails(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH)) ||
        fails(cublasSetAtomicsMode(h, CUBLAS_ATOMICS_NOT_ALLOWED))) {
        ag__device_give(workspace);
        return NULL;
    }
    d->blas = h;
    return h;
}

extern "C" void ag__device_gemm(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb,
                                int m, int n, int k, int add)
{
    const float one = 1, old = add ? 1.0f : 0.0f;
    if (m == 0 || n == 0) return;
    if (k == 0) {
        if (!add) ag__device_fill(c, 0, (size_t)m * (size_t)n * sizeof *c);
        return;
    }
    cublasHandle_t h = handle();
    if (h)
        fails(cublasSgemm(h, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, n, m,
                          k, &one, b, tb ? k : n, a, ta ? m : k, &old, c, n));
}
