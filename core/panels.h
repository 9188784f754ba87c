/* SPDX-License-Identifier: MIT */
/* Products of one matrix B with many rows: op(B) [k,n] is packed once, in panels of columns. The
   bits of a row of the result depend only on that row of A and on B. */
#ifndef AG_CORE_PANELS_H
#define AG_CORE_PANELS_H

#include "core/types.h"

/* Elements that the panels of op(B) take. */
int64_t ag__panels_size(int n, int k);

/* Packs B [k,n], or the transpose of B [n,k] with tb, on all threads. */
void ag__panels_pack(ag_real *panels, const ag_real *b, int tb, int n, int k);

/* Computes C [m,n] = A [m,k] op(B) on all threads. */
void ag__panels_product(ag_real *c, const ag_real *a, const ag_real *panels, int m, int n, int k);

/* Computes rows lo..hi-1 of C [m,n] = A [m,k] op(B) + bias [n] on the calling thread, or C += with
   add. Without a bias, bias is NULL. */
void ag__panels_rows(ag_real *c, const ag_real *a, const ag_real *panels, const ag_real *bias,
                     int m, int n, int k, int add, int64_t lo, int64_t hi);

/* Rows to give to a thread at a time. */
int ag__panels_grain(int m, int n);

#endif
