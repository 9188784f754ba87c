/* SPDX-License-Identifier: MIT */
/* Planted mistakes. Each runs in a process of its own, which has to end with a message that has
   `text` in it (one of them, where | separates some); where `text` is NULL, the mistake shows in a
   result. */
#ifndef SELFTEST_MISTAKES_HPP
#define SELFTEST_MISTAKES_HPP

#include "selftest.hpp"

#include "cuda_on_host.h"

#include <cublas_v2.h>
#include <unistd.h>

struct mistake {
    const char *what;
    void (*run)();
    const char *text;
};
extern const std::vector<mistake> mistakes_of_threads, mistakes_of_host, mistakes_of_memory,
    mistakes_of_blas_lt, mistakes_checked;

/* A kernel whose work is the mistake. */
template <class... Rest> void launch(dim3 blocks, dim3 threads, Rest... rest)
{
    DONE(start(one, blocks, threads, rest...));
}

/* A handle of cuBLAS, and a product of two numbers. */
enum { WORKSPACE = 1 << 20 };
inline cublasHandle_t blas_on(cudaStream_t stream, void *workspace = zeros<char>(WORKSPACE))
{
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetStream(blas, stream);
    cublasSetWorkspace(blas, workspace, WORKSPACE);
    return blas;
}
inline void blas_product(cublasHandle_t blas, float alpha = 1, const float *x = zeros<float>(1))
{
    const float beta = 0;
    EXPECT(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, x, 1, zeros<float>(1), 1,
                       &beta, zeros<float>(1), 1) == CUBLAS_STATUS_SUCCESS);
}

enum { WRONG = 90 };
inline void shows(bool wrong)
{
    if (wrong) _exit(WRONG);
}

#endif
