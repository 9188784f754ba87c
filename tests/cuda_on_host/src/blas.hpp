/* SPDX-License-Identifier: MIT */
/* One product, for cuBLAS and cuBLASLt. Matrices lie column by column. */
#ifndef CUDA_ON_HOST_BLAS_HPP
#define CUDA_ON_HOST_BLAS_HPP

namespace cuda_on_host
{

struct operand {
    const float *p;
    int ld;
    bool turned;
};

struct product {
    int m, n, k;
    float beta;
    operand a, b;
    float *c; /* without gaps */
    bool tf32;
};

/* Ends the process where a product has what no caller here wants. */
void check_plain(float alpha, int m, int64_t ldc);
bool valid(const product &p);
void multiply(const product &p); /* when its turn in the stream has come */

} // namespace cuda_on_host

#endif
