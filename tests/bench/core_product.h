/* SPDX-License-Identifier: MIT */
/* The product function of core, called as ops call it, which `bench --gemm` times below the public
   ops. After a change of core's product, only core_product.c must change. */
#ifndef BENCH_CORE_PRODUCT_H
#define BENCH_CORE_PRODUCT_H

#include "core/core.h"

#include <stdint.h>

/* Elements of scratch that bench_core_product needs. */
int64_t bench_core_scratch(int ta, int tb, int m, int n, int k);

/* c [m,n] = op(a) [m,k] op(b) [k,n] on all threads; ta, tb: a is stored [k,m], b [n,k]. */
void bench_core_product(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m,
                        int n, int k, ag_real *scratch);

/* Each thread computes one tile after another, with operands of its own that stay in the first
   cache: the speed of the micro-kernel when nothing else slows it. Returns the operations, and the
   size of a tile, rows x columns x terms. */
double bench_core_tiles(int size[3]);

#endif
