/* SPDX-License-Identifier: MIT */
/* cuBLASLt, as far as Augur calls it: a product with a bias, a ReLU, or the gradient of a bias. */
#include "product_lt.hpp"

#include <math.h>

namespace
{

std::vector<float> numbers(int n, int step, int modulus)
{
    std::vector<float> x((size_t)n);
    for (int i = 0; i < n; i++) x[(size_t)i] = (float)(i * step % modulus) / 16 - 3;
    return x;
}

/* d [m,n] = w' x + b for each column, with w [k,m] and x [k,n]; perhaps max(d, 0). With BGRADB
   d = w x' with w [m,k] and x [n,k], and b gets the sums of the rows of x; a GPU may have no
   algorithm for that. All sums are exact, in TF32, too. */
void test_epilogue(cublasComputeType_t compute, cublasLtEpilogue_t epilogue)
{
    const bool back = epilogue == CUBLASLT_EPILOGUE_BGRADB;
    const bool relu = epilogue & CUBLASLT_EPILOGUE_RELU, biased = epilogue & CUBLASLT_EPILOGUE_BIAS;
    enum { M = 8, N = 12, K = 20 };
    const std::vector<float> w = numbers(K * M, 37, 101), x = numbers(K * N, 53, 89),
                             b = numbers(N, 29, 31);
    product_lt p(compute, M, N, K, epilogue);
    float *dw = uploaded(w), *dx = uploaded(x), *db = uploaded(b), *dy = zeros<float>(M * N);
    if (biased || back) p.name_bias(db);
    const bool can = p.choose() == CUBLAS_STATUS_SUCCESS;
    EXPECT(can || back);
    for (int run = 0; can && run < 2; run++) EXPECT(p.run(dw, dx, dy) == CUBLAS_STATUS_SUCCESS);
    const std::vector<float> y = fetched(dy, M * N), sums = fetched(db, N);
    for (int j = 0; can && j < N; j++) {
        float sum = 0;
        for (int l = 0; l < K; l++) sum += x[(size_t)(j + l * N)];
        if (back) EXPECT(fabsf(sums[(size_t)j] - sum) <= 1e-4f);
        for (int i = 0; i < M; i++) {
            float wanted = biased ? b[(size_t)i] : 0;
            for (int l = 0; l < K; l++)
                wanted += w[(size_t)(back ? i + l * M : l + i * K)] *
                          x[(size_t)(back ? j + l * N : l + j * K)];
            if (relu && wanted < 0) wanted = 0;
            EXPECT(fabsf(y[(size_t)(i + j * M)] - wanted) <= 1e-4f);
        }
    }
    for (float *q : {dw, dx, db, dy}) DONE(cudaFree(q));
}

/* Sizes that do not fit have no algorithm. */
void test_sizes()
{
    product_lt p(CUBLAS_COMPUTE_32F, 8, 12, 4);
    float *b = zeros<float>(8);
    p.name_bias(b);
    cublasLtMatrixLayoutDestroy(p.x);
    EXPECT(cublasLtMatrixLayoutCreate(&p.x, CUDA_R_32F, 8, 12, 8) == CUBLAS_STATUS_SUCCESS);
    EXPECT(p.choose() != CUBLAS_STATUS_SUCCESS);
    DONE(cudaFree(b));
}

} // namespace

void right_blas_lt()
{
    test_epilogue(CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_BIAS);
    test_epilogue(CUBLAS_COMPUTE_32F_FAST_TF32, CUBLASLT_EPILOGUE_BIAS);
    test_epilogue(CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_RELU_BIAS);
    test_epilogue(CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_RELU);
    test_epilogue(CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_BGRADB);
    test_sizes();
}
