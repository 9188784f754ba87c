/* SPDX-License-Identifier: MIT */
/* Mistakes with cuBLASLt, which the host execution has to find. */
#include "mistakes.hpp"
#include "product_lt.hpp"

namespace
{

/* A product with a chosen algorithm and a bias; then `spoil` makes the mistake. */
template <class Spoil> int product(Spoil spoil)
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 8, 8);
    p->name_bias(zeros<float>(8));
    if (p->choose() != CUBLAS_STATUS_SUCCESS) return 1;
    spoil(p);
    float *x = zeros<float>(80);
    return p->run(x, x, zeros<float>(64)) != CUBLAS_STATUS_SUCCESS;
}

int no_workspace()
{
    return product([](product_lt *p) { p->workspace = NULL; });
}
int small_workspace()
{
    return product([](product_lt *p) { p->bytes = 16; });
}
int no_bias()
{
    return product([](product_lt *p) { p->name_bias(NULL); });
}
int no_bias_gradient()
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 8, 8, CUBLASLT_EPILOGUE_BGRADB);
    p->choose();
    float *x = zeros<float>(64);
    return p->run(x, x, zeros<float>(64)) != CUBLAS_STATUS_SUCCESS;
}
int short_bias_gradient()
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 64, 8, CUBLASLT_EPILOGUE_BGRADB);
    p->name_bias(zeros<float>(8));
    p->choose();
    float *x = zeros<float>(512);
    p->run(x, x, zeros<float>(512));
    return cudaStreamSynchronize(one) != cudaSuccess;
}
int bias_not_aligned()
{
    return product([](product_lt *p) { p->name_bias(zeros<float>(12) + 1); });
}
int other_epilogue()
{
    return product([](product_lt *p) {
        const cublasLtEpilogue_t other = CUBLASLT_EPILOGUE_RELU_BIAS;
        cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &other,
                                       sizeof other);
    });
}
int other_shape()
{
    return product([](product_lt *p) {
        cublasLtMatrixLayoutCreate(&p->x, CUDA_R_32F, 8, 4, 8);
        cublasLtMatrixLayoutCreate(&p->y, CUDA_R_32F, 8, 4, 8);
    });
}
int no_algorithm()
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 8, 8);
    p->name_bias(zeros<float>(8));
    float *x = zeros<float>(64);
    return p->run(x, x, zeros<float>(64), false) != CUBLAS_STATUS_SUCCESS;
}
int not_aligned()
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 8, 8);
    p->name_bias(zeros<float>(8));
    float *x = zeros<float>(80);
    p->choose();
    return p->run(x + 1, x, zeros<float>(64)) != CUBLAS_STATUS_SUCCESS;
}
int all_schemes()
{
    product_lt *p = new product_lt(CUBLAS_COMPUTE_32F, 8, 8, 8);
    p->name_bias(zeros<float>(8));
    p->prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, (uint32_t)CUBLASLT_REDUCTION_SCHEME_MASK);
    return p->choose() != CUBLAS_STATUS_SUCCESS;
}

} // namespace

MISTAKES(mistakes_of_blas_lt,
         {
             {"cuBLASLt has no workspace", no_workspace, "no workspace, or less"},
             {"cuBLASLt has a small workspace", small_workspace, "no workspace, or less"},
             {"the epilogue BIAS has no bias", no_bias, "no pointer to one"},
             {"the epilogue BGRADB has no place", no_bias_gradient, "no pointer to one"},
             {"a bias gradient is too short", short_bias_gradient, "what a library wrote"},
             {"a bias is not aligned as promised", bias_not_aligned, "a bias that is not aligned"},
             {"the algorithm of another epilogue", other_epilogue, "the algorithm of another"},
             {"the algorithm of another shape", other_shape, "the algorithm of another product"},
             {"cuBLASLt has no algorithm", no_algorithm, "names no algorithm"},
             {"an operand is not aligned", not_aligned, "not aligned as its algorithm"},
             {"sums without a fixed order", all_schemes, "no fixed order"},
         });
