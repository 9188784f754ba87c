/* SPDX-License-Identifier: MIT */
/* cuBLASLt: one product with an epilogue. The contents of its descriptors are our own. */
#include "cublasLt.h"

#include "blas.hpp"
#include "inside.hpp"

#include <string.h>

struct cublasLtContext {
    int unused;
};

namespace
{

struct layout {
    uint64_t rows, cols;
    int64_t ld;
};
struct desc {
    int compute, ta, tb, epilogue;
    float *bias; /* read, or with BGRADB written */
};
struct preference {
    uint64_t bytes;
    uint32_t schemes, alignment[4]; /* of A, B, C, D */
};

/* The product that an algorithm is for, and the workspace that it needs. */
struct algorithm {
    uint64_t m, n, k;
    int compute, transposed, epilogue;
    uint32_t alignment[4];
    uint32_t bias_alignment; /* that of the pointer when it was asked for */
    uint64_t bytes;
};
enum { WANTED = 1 << 16 };

/* Descriptors have the toolkit's sizes, as callers see them; this is our struct inside. */
template <class To, class From> To *inside(From *p)
{
    static_assert(sizeof(To) <= sizeof(From), "it is kept in there");
    return (To *)(void *)p;
}

cublasStatus_t set(void *to, size_t size, const void *buf, size_t bytes)
{
    if (!buf || bytes != size) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, buf, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* The sizes fit together: 1. */
int algorithm_of(algorithm *a, const desc *d, const layout *la, const layout *lb, const layout *lc,
                 const layout *ld)
{
    const bool ta = d->ta == CUBLAS_OP_T, tb = d->tb == CUBLAS_OP_T;
    const uint64_t m = ta ? la->cols : la->rows, k = ta ? la->rows : la->cols;
    const uint64_t n = tb ? lb->rows : lb->cols, inner = tb ? lb->cols : lb->rows;
    memset(a, 0, sizeof *a);
    a->m = m;
    a->n = n;
    a->k = k;
    a->compute = d->compute;
    a->transposed = ta + 2 * tb;
    a->epilogue = d->epilogue;
    a->bias_alignment = (uintptr_t)d->bias % 16 ? 4 : 16; /* of NULL the largest */
    for (const layout *l : {la, lb, lc, ld})
        if (l->ld < (int64_t)l->rows) return 0;
    return k == inner && ld->rows == m && ld->cols == n && lc->rows == m && lc->cols == n;
}

int same(const algorithm &x, const algorithm &y)
{
    return x.m == y.m && x.n == y.n && x.k == y.k && x.compute == y.compute &&
           x.transposed == y.transposed && x.epilogue == y.epilogue;
}

int has_bias(const desc &d) { return d.epilogue & CUBLASLT_EPILOGUE_BIAS; }
int has_gradient(const desc &d) { return d.epilogue == CUBLASLT_EPILOGUE_BGRADB; }

/* The sums of op(B) over k, one for each column of D. The product has read B. */
void sum_b(float *to, const cuda_on_host::operand &b, int k, int n)
{
    cuda_on_host::wrote(to, (size_t)n * sizeof *to);
    for (int j = 0; j < n; j++) {
        to[j] = 0;
        for (int l = 0; l < k; l++)
            to[j] += b.p[b.turned ? j + (size_t)l * (size_t)b.ld : l + (size_t)j * (size_t)b.ld];
    }
}

/* max(D + the bias of its rows, 0), of which a NaN is 0. */
void epilogue(const desc &d, const cuda_on_host::product &p)
{
    if (has_bias(d))
        cuda_on_host::reads(d.bias, (size_t)p.m * sizeof *d.bias, "the bias of cuBLASLt");
    for (int i = 0; i < p.m * p.n; i++) {
        if (has_bias(d)) p.c[i] += d.bias[i % p.m];
        if (d.epilogue & CUBLASLT_EPILOGUE_RELU && !(p.c[i] > 0)) p.c[i] = 0;
    }
    if (has_gradient(d)) sum_b(d.bias, p.b, p.k, p.n);
}

void check_call(const algorithm *wanted, const cublasLtMatmulAlgo_t *given, const desc *d,
                const void *const p[4], const void *workspace, size_t bytes)
{
    if (!given)
        cuda_on_host::misuse("cublasLtMatmul names no algorithm, so it may take another one each "
                             "time; ask cublasLtMatmulAlgoGetHeuristic once");
    const algorithm *a = inside<const algorithm>(given);
    if (!same(*a, *wanted))
        cuda_on_host::misuse("cublasLtMatmul has the algorithm of another product");
    if (!workspace || bytes < a->bytes)
        cuda_on_host::misuse("cublasLtMatmul has no workspace, or less than its algorithm wants");
    if ((has_bias(*d) || has_gradient(*d)) && !d->bias)
        cuda_on_host::misuse("cublasLtMatmul has an epilogue with a bias, but no pointer to one");
    if ((uintptr_t)d->bias % a->bias_alignment)
        cuda_on_host::misuse(
            "cublasLtMatmul has a bias that is not aligned as the one was that its "
            "algorithm was asked for with");
    for (int i = 0; i < 4; i++)
        if ((uintptr_t)p[i] % a->alignment[i])
            cuda_on_host::misuse("cublasLtMatmul has an operand that is not aligned as its "
                                 "algorithm was promised");
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *h)
{
    *h = nullptr;
    if (cuda_on_host::refused("cublasLtCreate")) return CUBLAS_STATUS_NOT_INITIALIZED;
    *h = new cublasLtContext{};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, cublasComputeType_t compute,
                                        cudaDataType)
{
    *d = new cublasLtMatmulDescOpaque_t{};
    inside<desc>(*d)->compute = compute;
    inside<desc>(*d)->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d)
{
    delete d;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t opaque,
                                              cublasLtMatmulDescAttributes_t attr, const void *buf,
                                              size_t bytes)
{
    desc *d = inside<desc>(opaque);
    switch (attr) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return set(&d->ta, sizeof d->ta, buf, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return set(&d->tb, sizeof d->tb, buf, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(&d->epilogue, sizeof d->epilogue, buf, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(&d->bias, sizeof d->bias, buf, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *l, cudaDataType, uint64_t rows,
                                          uint64_t cols, int64_t ld)
{
    *l = new cublasLtMatrixLayoutOpaque_t{};
    *inside<layout>(*l) = {rows, cols, ld};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l)
{
    delete l;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p)
{
    *p = new cublasLtMatmulPreferenceOpaque_t{};
    *inside<preference>(*p) = {0, CUBLASLT_REDUCTION_SCHEME_MASK, {256, 256, 256, 256}};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p)
{
    delete p;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t opaque,
                                                    cublasLtMatmulPreferenceAttributes_t attr,
                                                    const void *buf, size_t bytes)
{
    preference *p = inside<preference>(opaque);
    switch (attr) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return set(&p->bytes, sizeof p->bytes, buf, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return set(&p->schemes, sizeof p->schemes, buf, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
        return set(&p->alignment[attr - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
                   sizeof p->alignment[0], buf, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

/* CUDA_ON_HOST_FAIL=cublasLtMatmulAlgoGetHeuristic:1 is a shape that has none, and "waves:1" one
   whose algorithm leaves most of the device idle. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t d,
                                              cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B,
                                              cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                              cublasLtMatmulPreference_t pref, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    const preference *p = inside<preference>(pref);
    *found = 0;
    if (cuda_on_host::refused("cublasLtMatmulAlgoGetHeuristic")) {
        cudaGetLastError(); /* the runtime has not failed */
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (p->schemes & ~(uint32_t)CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)
        cuda_on_host::misuse("cuBLASLt may take reduction schemes whose sums have no fixed order, "
                             "or lose bits; allow NONE and COMPUTE_TYPE");
    algorithm a;
    if (requested < 1 || !algorithm_of(&a, inside<desc>(d), inside<layout>(A), inside<layout>(B),
                                       inside<layout>(C), inside<layout>(D)))
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(a.alignment, p->alignment, sizeof a.alignment);
    a.bytes = WANTED;
    if (p->bytes < a.bytes) return CUBLAS_STATUS_NOT_SUPPORTED;
    results[0] = {};
    *inside<algorithm>(&results[0].algo) = a;
    results[0].workspaceSize = a.bytes;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    if (cuda_on_host::refused("waves")) {
        cudaGetLastError();
        results[0].wavesCount = 0.01f;
    }
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t opaque, const void *alpha,
                              const void *A, cublasLtMatrixLayout_t Adesc, const void *B,
                              cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C,
                              cublasLtMatrixLayout_t Cdesc, void *D, cublasLtMatrixLayout_t Ddesc,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    const desc d = *inside<desc>(opaque);
    const layout *la = inside<layout>(Adesc), *lb = inside<layout>(Bdesc),
                 *ld = inside<layout>(Ddesc);
    algorithm wanted;
    if (cuda_on_host::refused("cublasLtMatmul")) return CUBLAS_STATUS_EXECUTION_FAILED;
    if (!algorithm_of(&wanted, &d, la, lb, inside<layout>(Cdesc), ld) || C != D)
        return CUBLAS_STATUS_INVALID_VALUE;
    const void *const p[4] = {A, B, C, D};
    check_call(&wanted, algo, &d, p, workspace, bytes);
    cuda_on_host::check_plain(*(const float *)alpha, (int)wanted.m, ld->ld);
    const cuda_on_host::product all = {(int)wanted.m,
                                       (int)wanted.n,
                                       (int)wanted.k,
                                       *(const float *)beta, /* on the host, read in the call */
                                       {(const float *)A, (int)la->ld, d.ta == CUBLAS_OP_T},
                                       {(const float *)B, (int)lb->ld, d.tb == CUBLAS_OP_T},
                                       (float *)D,
                                       d.compute == CUBLAS_COMPUTE_32F_FAST_TF32};
    cuda_on_host::enqueue(stream, "cublasLtMatmul", [=] {
        cuda_on_host::scribble(workspace, bytes);
        cuda_on_host::multiply(all);
        epilogue(d, all);
    });
    return CUBLAS_STATUS_SUCCESS;
}
}
