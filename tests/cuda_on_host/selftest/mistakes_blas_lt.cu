/* SPDX-License-Identifier: MIT */
/* Mistakes with cuBLASLt, which the host execution has to find. */
#include "mistakes.hpp"

#include <cublasLt.h>

namespace
{

#define LT(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

/* A product with an epilogue, right unless a mistake changes a part: y = w' x + b, column by
   column, or with BGRADB y = w x' and the sums of the rows of x, to b. */
struct product_lt {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t w, x, y;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result = {};
    size_t bytes = 4 << 20;
    void *workspace = zeros<char>(bytes);
    const float *dx = zeros<float>(520);

    /* 8 rows, so many columns. */
    product_lt(cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS, int n = 8)
    {
        const bool back = epilogue == CUBLASLT_EPILOGUE_BGRADB;
        LT(cublasLtCreate(&handle));
        LT(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        describe(back ? CUBLASLT_MATMUL_DESC_TRANSB : CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
        describe(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        LT(cublasLtMatrixLayoutCreate(&w, CUDA_R_32F, 8, 8, 8));
        LT(cublasLtMatrixLayoutCreate(&x, CUDA_R_32F, back ? n : 8, back ? 8 : n, back ? n : 8));
        LT(cublasLtMatrixLayoutCreate(&y, CUDA_R_32F, 8, n, 8));
        LT(cublasLtMatmulPreferenceCreate(&preference));
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (uint64_t)bytes);
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
        for (int k = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
             k <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; k++)
            prefer((cublasLtMatmulPreferenceAttributes_t)k, (uint32_t)16);
        name_bias(zeros<float>(8));
    }

    template <class T> void describe(cublasLtMatmulDescAttributes_t attribute, T value)
    {
        LT(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value));
    }
    template <class T> void prefer(cublasLtMatmulPreferenceAttributes_t attribute, T value)
    {
        LT(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value));
    }
    void name_bias(const float *b) { describe(CUBLASLT_MATMUL_DESC_BIAS_POINTER, b); }
    void choose()
    {
        int found = 0;
        LT(cublasLtMatmulAlgoGetHeuristic(handle, desc, w, x, y, y, preference, 1, &result,
                                          &found));
        EXPECT(found == 1);
    }
    void run(bool with_algorithm = true)
    {
        const float once = 1, none = 0;
        float *to = zeros<float>(512);
        LT(cublasLtMatmul(handle, desc, &once, dx, w, dx, x, &none, to, y, to, y,
                          with_algorithm ? &result.algo : NULL, workspace, bytes, one));
        DONE(cudaStreamSynchronize(one));
    }
};

/* `spoil` makes the mistake, when the algorithm is chosen. */
template <class Spoil> void product(Spoil spoil)
{
    product_lt p;
    p.choose();
    spoil(p);
    p.run();
}

} // namespace

const std::vector<mistake> mistakes_of_blas_lt = {
    {"cuBLASLt has no workspace", [] { product([](product_lt &p) { p.workspace = NULL; }); },
     "no workspace, or less"},
    {"cuBLASLt has a small workspace", [] { product([](product_lt &p) { p.bytes = 16; }); },
     "no workspace, or less"},
    {"the epilogue BIAS has no bias", [] { product([](product_lt &p) { p.name_bias(NULL); }); },
     "no pointer to one"},
    {"the epilogue BGRADB has no place",
     [] {
         product_lt p(CUBLASLT_EPILOGUE_BGRADB);
         p.name_bias(NULL);
         p.choose();
         p.run();
     },
     "no pointer to one"},
    {"a bias gradient is too short",
     [] {
         product_lt p(CUBLASLT_EPILOGUE_BGRADB, 64);
         p.choose();
         p.run();
     },
     "what a library wrote"},
    {"a bias is not aligned as promised",
     [] { product([](product_lt &p) { p.name_bias(zeros<float>(12) + 1); }); },
     "a bias that is not aligned"},
    {"the algorithm of another epilogue",
     [] {
         product([](product_lt &p) {
             p.describe(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
         });
     },
     "the algorithm of another"},
    {"the algorithm of another shape",
     [] {
         product([](product_lt &p) {
             LT(cublasLtMatrixLayoutCreate(&p.x, CUDA_R_32F, 8, 4, 8));
             LT(cublasLtMatrixLayoutCreate(&p.y, CUDA_R_32F, 8, 4, 8));
         });
     },
     "the algorithm of another product"},
    {"cuBLASLt has no algorithm", [] { product_lt().run(false); }, "names no algorithm"},
    {"an operand is not aligned", [] { product([](product_lt &p) { p.dx++; }); },
     "not aligned as its algorithm"},
    {"sums without a fixed order",
     [] {
         product_lt p;
         p.prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_MASK);
         p.choose();
     },
     "no fixed order"},
    {"sizes that do not fit",
     [] {
         product_lt p;
         int found;
         LT(cublasLtMatrixLayoutCreate(&p.x, CUDA_R_32F, 12, 8, 12));
         shows(cublasLtMatmulAlgoGetHeuristic(p.handle, p.desc, p.w, p.x, p.y, p.y, p.preference, 1,
                                              &p.result, &found) != CUBLAS_STATUS_SUCCESS);
     },
     NULL},
};
