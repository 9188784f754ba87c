/* SPDX-License-Identifier: MIT */
#include "core_product.h"

#include "core/gemm.h"

int64_t bench_core_scratch(int ta, int tb, int m, int n, int k)
{
    return ag__gemm_scratch(ta, tb, m, n, k);
}

void bench_core_product(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m,
                        int n, int k, ag_real *scratch)
{
    ag__gemm(c, a, b, ta, tb, m, n, k, 0, scratch);
}
