/* SPDX-License-Identifier: MIT */
/* cuBLASLt, as far as Augur calls it: a product with a bias, a ReLU, or the gradient of a bias. */
#include "product_lt.hpp"

#include <math.h>

namespace
{

/* d [m,n] = w' x + b for each column, with w [k,m] and x [k,n]; perhaps max(d, 0). */
void test_bias(cublasComputeType_t compute, float tolerance, cublasLtEpilogue_t epilogue)
{
    const bool relu = epilogue & CUBLASLT_EPILOGUE_RELU, biased = epilogue & CUBLASLT_EPILOGUE_BIAS;
    enum { M = 8, N = 12, K = 4 };
    std::vector<float> w(K * M), x(K * N), b(M);
    for (int i = 0; i < K * M; i++) w[(size_t)i] = (float)((i * 37 + 11) % 101) / 16 - 3;
    for (int i = 0; i < K * N; i++) x[(size_t)i] = (float)((i * 53 + 7) % 89) / 16 - 2;
    for (int i = 0; i < M; i++) b[(size_t)i] = biased ? (float)i + 0.5f : 0;
    product_lt p(compute, M, N, K, epilogue);
    float *dw = uploaded(w), *dx = uploaded(x), *db = uploaded(b), *dy = zeros<float>(M * N);
    if (biased) p.name_bias(db);
    EXPECT(p.choose() == CUBLAS_STATUS_SUCCESS);
    for (int run = 0; run < 2; run++) EXPECT(p.run(dw, dx, dy) == CUBLAS_STATUS_SUCCESS);
    const std::vector<float> y = fetched(dy, M * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            float wanted = b[(size_t)i];
            for (int l = 0; l < K; l++) wanted += w[(size_t)(l + i * K)] * x[(size_t)(l + j * K)];
            if (relu && wanted < 0) wanted = 0;
            EXPECT(fabsf(y[(size_t)(i + j * M)] - wanted) <= tolerance);
        }
    for (float *q : {dw, dx, db, dy}) DONE(cudaFree(q));
}

/* d [m,n] = w x' with w [m,k] and x [n,k], and the sums of the rows of x. A GPU may have no
   algorithm for it. */
void test_bias_gradient()
{
    enum { M = 8, N = 12, K = 20 };
    std::vector<float> w(M * K), x(N * K);
    for (int i = 0; i < M * K; i++) w[(size_t)i] = (float)((i * 37 + 11) % 101) / 16 - 3;
    for (int i = 0; i < N * K; i++) x[(size_t)i] = (float)((i * 53 + 7) % 89) / 16 - 2;
    product_lt p(CUBLAS_COMPUTE_32F, M, N, K, CUBLASLT_EPILOGUE_BGRADB);
    float *dw = uploaded(w), *dx = uploaded(x), *db = uploaded(std::vector<float>(N, 7)),
          *dy = zeros<float>(M * N);
    p.name_bias(db);
    const bool can = p.choose() == CUBLAS_STATUS_SUCCESS;
    for (int run = 0; can && run < 2; run++) EXPECT(p.run(dw, dx, dy) == CUBLAS_STATUS_SUCCESS);
    const std::vector<float> y = fetched(dy, M * N), b = fetched(db, N);
    for (int j = 0; can && j < N; j++) {
        float sum = 0;
        for (int l = 0; l < K; l++) sum += x[(size_t)(j + l * N)];
        EXPECT(fabsf(b[(size_t)j] - sum) <= 1e-4f);
        for (int i = 0; i < M; i++) {
            float wanted = 0;
            for (int l = 0; l < K; l++) wanted += w[(size_t)(i + l * M)] * x[(size_t)(j + l * N)];
            EXPECT(fabsf(y[(size_t)(i + j * M)] - wanted) <= 1e-3f);
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
    test_bias(CUBLAS_COMPUTE_32F, 1e-4f, CUBLASLT_EPILOGUE_BIAS);
    test_bias(CUBLAS_COMPUTE_32F_FAST_TF32, 5e-2f, CUBLASLT_EPILOGUE_BIAS);
    test_bias(CUBLAS_COMPUTE_32F, 1e-4f, CUBLASLT_EPILOGUE_RELU_BIAS);
    test_bias(CUBLAS_COMPUTE_32F, 1e-4f, CUBLASLT_EPILOGUE_RELU);
    test_bias_gradient();
    test_sizes();
}
