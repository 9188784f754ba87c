/* SPDX-License-Identifier: MIT */
/* cuBLAS, CUB and cuRAND, as far as Augur calls them. */
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "selftest.hpp"

#include <cublas_v2.h>
#include <curand_kernel.h>

#include <math.h>

namespace
{

#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

float element(size_t i) { return (float)((i * 37 + 11) % 101) / 16 - 3; }

std::vector<float> matrix(size_t n)
{
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++) x[i] = element(i);
    return x;
}

/* c [m,n] = 2 op(a) op(b) + beta c, column-major; memory between the columns of c is unchanged. */
void test_product(cublasHandle_t blas, bool ta, bool tb, float beta)
{
    const int m = 5, n = 4, k = 3, lda = 7, ldb = 6, ldc = 8;
    const std::vector<float> a = matrix(50), b = matrix(40), c = matrix(60);
    float *da = uploaded(a), *db = uploaded(b), *dc = uploaded(c);
    const float alpha = 2;
    BLAS(cublasSgemm(blas, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                     &alpha, da, lda, db, ldb, &beta, dc, ldc));
    const std::vector<float> y = fetched(dc, c.size());
    for (int at = 0; at < 60; at++) {
        const int i = at % ldc, j = at / ldc;
        float wanted = c[(size_t)at];
        if (i < m && j < n) {
            wanted *= beta;
            for (int l = 0; l < k; l++)
                wanted += alpha * a[(size_t)(ta ? l + i * lda : i + l * lda)] *
                          b[(size_t)(tb ? j + l * ldb : l + j * ldb)];
        }
        EXPECT(fabsf(y[(size_t)at] - wanted) <= 1e-4f);
    }
    DONE(cudaFree(da));
    DONE(cudaFree(db));
    DONE(cudaFree(dc));
}

void test_blas()
{
    const size_t bytes = 4 << 20;
    void *workspace;
    cublasHandle_t blas;
    DONE(cudaMalloc(&workspace, bytes));
    BLAS(cublasCreate(&blas));
    BLAS(cublasSetStream(blas, one));
    BLAS(cublasSetWorkspace(blas, workspace, bytes));
    BLAS(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH));
    BLAS(cublasSetAtomicsMode(blas, CUBLAS_ATOMICS_NOT_ALLOWED));
    for (int t = 0; t < 4; t++) {
        test_product(blas, t & 1, t & 2, 0);
        test_product(blas, t & 1, t & 2, 1);
    }
    const float one_of[] = {1 + 1.0f / 2048}, alpha = 1, beta = 0;
    float *d = uploaded(std::vector<float>(one_of, one_of + 1)), *y = zeros<float>(1);
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, d, 1, d, 1, &beta, y, 1));
    EXPECT(fetched(y, 1)[0] == one_of[0] * one_of[0]);
    BLAS(cublasSetMathMode(blas, CUBLAS_TF32_TENSOR_OP_MATH));
#ifdef AG_CUDA_ON_HOST /* a device may still compute one element in full */
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, d, 1, d, 1, &beta, y, 1));
    EXPECT(fetched(y, 1)[0] == (1 + 1.0f / 1024) * (1 + 1.0f / 1024));
#endif
    EXPECT(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 5, 1, 1, &alpha, d, 4, d, 1, &beta, y, 5) ==
           CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasDestroy(blas));
    DONE(cudaFree(workspace));
    DONE(cudaFree(d));
    DONE(cudaFree(y));
}

/* Runs a call of CUB twice: how much storage, and with it. */
template <class Call> void with_storage(Call call)
{
    size_t bytes = 0;
    void *storage = NULL;
    DONE(call((void *)NULL, bytes));
    DONE(cudaMalloc(&storage, bytes ? bytes : 1));
    DONE(call(storage, bytes));
    DONE(cudaStreamSynchronize(one));
    DONE(cudaFree(storage));
}

void test_sort()
{
    const int n = 1000;
    std::vector<int> keys(n), values(n);
    for (int i = 0; i < n; i++) {
        keys[(size_t)i] = i * 389 % 7 + (i % 2 ? 8 : 0); /* bit 3 is not looked at */
        values[(size_t)i] = i;
    }
    int *k = uploaded(keys), *v = uploaded(values), *k2 = zeros<int>(n), *v2 = zeros<int>(n);
    with_storage([=](void *storage, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, k, k2, v, v2, n, 0, 3, one);
    });
    const std::vector<int> sorted = fetched(k2, n), order = fetched(v2, n);
    for (size_t i = 0; i < (size_t)n; i++) {
        EXPECT(sorted[i] == keys[(size_t)order[i]]);
        if (i == 0) continue;
        const int before = sorted[i - 1] & 7, now = sorted[i] & 7;
        EXPECT(before < now || (before == now && order[i - 1] < order[i]));
    }
    const float numbers[] = {2, -1, 0.5f, -3};
    const int order_of[] = {3, 1, 2, 0};
    float *f = uploaded(std::vector<float>(numbers, numbers + 4)), *f2 = zeros<float>(4);
    with_storage([=](void *storage, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, f, f2, v, v2, 4, 0, 32, one);
    });
    for (size_t i = 0; i < 4; i++) EXPECT(fetched(v2, 4)[i] == order_of[i]);
    for (int *p : {k, v, k2, v2}) DONE(cudaFree(p));
    for (float *p : {f, f2}) DONE(cudaFree(p));
}

void test_scan()
{
    const int n = 3000;
    std::vector<int> x(n);
    for (int i = 0; i < n; i++) x[(size_t)i] = i % 5 - 1;
    int *d = uploaded(x), *y = zeros<int>(n);
    with_storage([=](void *storage, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(storage, bytes, d, y, n, one);
    });
    const std::vector<int> before = fetched(y, n);
    for (int i = 0, total = 0; i < n; total += x[(size_t)i++]) EXPECT(before[(size_t)i] == total);
    for (int *p : {d, y}) DONE(cudaFree(p));
}

__global__ void in_block(int *y, const int *x)
{
    typedef cub::BlockScan<int, 128> Scan;
    __shared__ typename Scan::TempStorage scan;
    int before, all;
    Scan(scan).ExclusiveSum(x[threadIdx.x], before, all);
    y[threadIdx.x] = before;
    y[128 + threadIdx.x] = all;
}

void test_blocks()
{
    std::vector<int> x(128);
    for (int i = 0; i < 128; i++) x[(size_t)i] = i % 7;
    int *d = uploaded(x), *dy = zeros<int>(256);
    DONE(start(one, 1, 128, in_block, dy, (const int *)d));
    const std::vector<int> y = fetched(dy, 256);
    int total = 0;
    for (size_t i = 0; i < 128; i++) {
        EXPECT(y[i] == total);
        total += x[i];
    }
    EXPECT(y[128] == total && y[255] == total);
    for (int *p : {d, dy}) DONE(cudaFree(p));
}

__global__ void philox(uint4 *y)
{
    y[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    y[1] = curand_Philox4x32_10(make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
                                make_uint2(0xa4093822u, 0x299f31d0u));
}

/* The known answers of the authors' Random123. */
void test_philox()
{
    uint4 *d = zeros<uint4>(2);
    DONE(start(one, 1, 1, philox, d));
    const std::vector<uint4> y = fetched(d, 2);
    EXPECT(y[0].x == 0x6627e8d5u && y[0].y == 0xe169c58du && y[0].z == 0xbc57ac4cu &&
           y[0].w == 0x9b00dbd8u);
    EXPECT(y[1].x == 0xd16cfe09u && y[1].y == 0x94fdccebu && y[1].z == 0x5001e420u &&
           y[1].w == 0x24126ea1u);
    DONE(cudaFree(d));
}

} // namespace

void right_libraries()
{
    test_blas();
    test_sort();
    test_scan();
    test_blocks();
    test_philox();
}
