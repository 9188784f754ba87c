/* SPDX-License-Identifier: MIT */
/* Matrix products: cuBLAS, which lays matrices column by column, so C' = op(B)' op(A)'. One handle,
   a workspace of ours and no atomics: the same bits every time. The handle's mode is set for each
   product, since tapes of several threads may differ in it. */
#include "core/cuda/inside.h"

#include <cublas_v2.h>

static thread_local ag_precision wanted = AG_FP32;

extern "C" void ag__device_precision(ag_precision precision) { wanted = precision; }

ag_precision ag__cuda_precision(void) { return wanted; }

static cublasMath_t mode_of(ag_precision precision)
{
    return precision == AG_TF32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH;
}

enum { WORKSPACE = 32 << 20 };

static int fails(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS) return 0;
    if (status == CUBLAS_STATUS_ALLOC_FAILED)
        ag__cuda_no_memory("cuBLAS", 0);
    else
        ag__cuda_keep_text(cublasGetStatusString(status));
    return 1;
}

void *ag__cuda_workspace(size_t *bytes)
{
    ag__cuda_device *d = ag__cuda_here();
    *bytes = WORKSPACE;
    if (!d->workspace) d->workspace = ag__device_take(WORKSPACE);
    if (!d->workspace) ag__cuda_no_memory("the workspace of products", WORKSPACE);
    return d->workspace;
}

/* Under the device's lock. NULL: it has failed. cublasSetStream forgets the workspace, so that
   comes after it. Both handles have one workspace: what is captured runs in the same stream. */
static cublasHandle_t handle(int noting)
{
    ag__cuda_device *d = ag__cuda_here();
    cublasHandle_t h = (cublasHandle_t)d->blas[noting];
    size_t bytes;
    if (h) return h;
    void *workspace = ag__cuda_workspace(&bytes);
    if (!workspace || fails(cublasCreate(&h)) ||
        fails(cublasSetStream(h, noting ? d->noting : d->compute)) ||
        fails(cublasSetWorkspace(h, workspace, bytes)) ||
        fails(cublasSetAtomicsMode(h, CUBLAS_ATOMICS_NOT_ALLOWED)))
        return NULL;
    d->blas[noting] = h;
    return h;
}

/* Within a capture it could not be made. */
void ag__cuda_gemm_ready(void)
{
    ag__cuda_device *d = ag__cuda_here();
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    if (d->blas[0]) handle(1);
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
    const std::lock_guard<std::recursive_mutex> held(ag__cuda_here()->lock);
    cublasHandle_t h = handle(ag__cuda_noting());
    if (h && !fails(cublasSetMathMode(h, mode_of(wanted))))
        fails(cublasSgemm(h, tb ? CUBLAS_OP_T : CUBLAS_OP_N, ta ? CUBLAS_OP_T : CUBLAS_OP_N, n, m,
                          k, &one, b, tb ? k : n, a, ta ? m : k, &old, c, n));
}
