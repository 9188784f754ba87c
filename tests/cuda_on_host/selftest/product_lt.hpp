/* SPDX-License-Identifier: MIT */
/* A product of cuBLASLt with an epilogue, right unless a test changes a part: d = w' x + b, column
   by column, or with BGRADB d = w x' and the sums of the rows of x, where w is [m,k] and x is
   [n,k]. */
#ifndef SELFTEST_PRODUCT_LT_HPP
#define SELFTEST_PRODUCT_LT_HPP

#include "selftest.hpp"

#include <cublasLt.h>

struct product_lt {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t w, x, y;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result = {};
    void *workspace;
    size_t bytes = 4 << 20;

    product_lt(cublasComputeType_t compute, int m, int n, int k,
               cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS)
    {
        const cublasOperation_t turned = CUBLAS_OP_T;
        const bool back = epilogue == CUBLASLT_EPILOGUE_BGRADB;
        const int high_w = back ? m : k, high_x = back ? n : k;
        const uint32_t aligned = 16;
        workspace = zeros<char>(bytes);
        cublasLtCreate(&handle);
        cublasLtMatmulDescCreate(&desc, compute, CUDA_R_32F);
        cublasLtMatmulDescSetAttribute(
            desc, back ? CUBLASLT_MATMUL_DESC_TRANSB : CUBLASLT_MATMUL_DESC_TRANSA, &turned,
            sizeof turned);
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                       sizeof epilogue);
        cublasLtMatrixLayoutCreate(&w, CUDA_R_32F, (uint64_t)high_w, (uint64_t)(m + k - high_w),
                                   high_w);
        cublasLtMatrixLayoutCreate(&x, CUDA_R_32F, (uint64_t)high_x, (uint64_t)(n + k - high_x),
                                   high_x);
        cublasLtMatrixLayoutCreate(&y, CUDA_R_32F, (uint64_t)m, (uint64_t)n, m);
        cublasLtMatmulPreferenceCreate(&preference);
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (uint64_t)bytes);
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
               (uint32_t)CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, aligned);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, aligned);
    }
    ~product_lt()
    {
        cublasLtMatmulPreferenceDestroy(preference);
        cublasLtMatmulDescDestroy(desc);
        for (cublasLtMatrixLayout_t l : {w, x, y}) cublasLtMatrixLayoutDestroy(l);
        cublasLtDestroy(handle);
        DONE(cudaStreamSynchronize(one));
        if (workspace) DONE(cudaFree(workspace));
    }

    template <class T> void prefer(cublasLtMatmulPreferenceAttributes_t attribute, T value)
    {
        EXPECT(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value) ==
               CUBLAS_STATUS_SUCCESS);
    }
    void name_bias(const float *b)
    {
        EXPECT(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &b,
                                              sizeof b) == CUBLAS_STATUS_SUCCESS);
    }
    cublasStatus_t choose()
    {
        int found = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle, desc, w, x, y, y, preference, 1, &result, &found);
        return status == CUBLAS_STATUS_SUCCESS && !found ? CUBLAS_STATUS_NOT_SUPPORTED : status;
    }
    cublasStatus_t run(const float *dw, const float *dx, float *dy, bool with_algorithm = true)
    {
        const float once = 1, none = 0;
        return cublasLtMatmul(handle, desc, &once, dw, w, dx, x, &none, dy, y, dy, y,
                              with_algorithm ? &result.algo : NULL, workspace, bytes, one);
    }
};

#endif
