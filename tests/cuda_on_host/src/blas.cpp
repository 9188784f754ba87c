/* SPDX-License-Identifier: MIT */
/* cuBLAS. Matrices are column-major: element (i, j) of A is a[i + j lda]. */
#include "cublas_v2.h"

#include "blas.hpp"
#include "inside.hpp"

#include <vector>

struct cublasContext {
    cudaStream_t stream;
    void *workspace;
    size_t bytes;
    cublasMath_t math;
};

namespace cuda_on_host
{

namespace
{

/* Ten bits of mantissa, rounded to the nearest; a tie goes away from 0, as cvt.rna does. */
float as_tf32(float x)
{
    unsigned bits;
    if (!isfinite(x)) return x;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* op(X), rows by columns, as a plain matrix; its elements must have been written. */
std::vector<float> fetched(const operand &x, int rows, int columns, bool tf32, const char *name)
{
    const float *from = x.p;
    const int high = x.turned ? columns : rows, wide = x.turned ? rows : columns;
    std::vector<float> all((size_t)rows * (size_t)columns);
    for (int j = 0; j < wide; j++)
        reads(from + (size_t)j * (size_t)x.ld, (size_t)high * sizeof *from, name);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const size_t at =
                x.turned ? j + (size_t)i * (size_t)x.ld : i + (size_t)j * (size_t)x.ld;
            all[i + (size_t)j * (size_t)rows] = tf32 ? as_tf32(from[at]) : from[at];
        }
    return all;
}

void add_product(std::vector<float> &sum, const product &p)
{
    const std::vector<float> a = fetched(p.a, p.m, p.k, p.tf32, "operand A of cuBLAS");
    const std::vector<float> b = fetched(p.b, p.k, p.n, p.tf32, "operand B of cuBLAS");
    for (int j = 0; j < p.n; j++)
        for (int l = 0; l < p.k; l++) {
            const float v = b[l + (size_t)j * (size_t)p.k], *column = &a[(size_t)l * (size_t)p.m];
            float *to = &sum[(size_t)j * (size_t)p.m];
            for (int i = 0; i < p.m; i++) to[i] += column[i] * v;
        }
}

} // namespace

void multiply(const product &p)
{
    const size_t count = (size_t)p.m * (size_t)p.n, bytes = count * sizeof *p.c;
    std::vector<float> sum(count);
    if (p.k > 0) add_product(sum, p);
    if (p.beta != 0) reads(p.c, bytes, "operand C of cuBLAS");
    for (size_t i = 0; i < count; i++) p.c[i] = sum[i] + (p.beta == 0 ? 0 : p.beta * p.c[i]);
    wrote(p.c, bytes);
}

void check_plain(float alpha, int m, int64_t ldc)
{
    if (alpha != 1 || ldc != std::max(1, m))
        misuse(
            "a product has an alpha other than 1, or a result with gaps, which is not known here");
}

bool valid(const product &p)
{
    const int a = p.a.turned ? p.k : p.m, b = p.b.turned ? p.n : p.k;
    return p.m >= 0 && p.n >= 0 && p.k >= 0 && p.a.ld >= std::max(1, a) && p.b.ld >= std::max(1, b);
}

} // namespace cuda_on_host

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t *h)
{
    *h = nullptr;
    if (cuda_on_host::refused("cublasCreate")) return CUBLAS_STATUS_NOT_INITIALIZED;
    *h = new cublasContext{};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t stream)
{
    h->stream = stream;
    h->workspace = nullptr; /* cuBLAS goes back to its own, too */
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *workspace, size_t bytes)
{
    if ((uintptr_t)workspace % 256) return CUBLAS_STATUS_INVALID_VALUE;
    cuda_on_host::check_range(workspace, bytes, "the workspace of cuBLAS");
    h->workspace = workspace;
    h->bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode)
{
    h->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t mode)
{
    if (mode != CUBLAS_ATOMICS_NOT_ALLOWED)
        cuda_on_host::misuse("cuBLAS is allowed atomics, with which sums have no fixed order");
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED: return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE: return "an unsupported value or parameter was passed";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "the GPU program failed to execute";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality is not supported";
    }
    return "an unknown status";
}

cublasStatus_t cublasSgemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c, int ldc)
{
    const cuda_on_host::product p = {m,
                                     n,
                                     k,
                                     *beta, /* on the host, read in the call */
                                     {a, lda, ta == CUBLAS_OP_T},
                                     {b, ldb, tb == CUBLAS_OP_T},
                                     c,
                                     h->math == CUBLAS_TF32_TENSOR_OP_MATH};
    if (cuda_on_host::refused("cublasSgemm")) return CUBLAS_STATUS_EXECUTION_FAILED;
    if (!cuda_on_host::valid(p)) return CUBLAS_STATUS_INVALID_VALUE;
    cuda_on_host::check_plain(*alpha, m, ldc);
    if (!h->workspace)
        cuda_on_host::misuse("cublasSgemm has no workspace; call cublasSetWorkspace after "
                             "cublasSetStream, which forgets it");
    void *const workspace = h->workspace;
    const size_t bytes = h->bytes;
    cuda_on_host::enqueue(h->stream, "cublasSgemm", [=] {
        cuda_on_host::scribble(workspace, bytes);
        cuda_on_host::multiply(p);
    });
    return CUBLAS_STATUS_SUCCESS;
}
}
