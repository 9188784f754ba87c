/* SPDX-License-Identifier: MIT */
/* Products of a few rows each with one and the same matrix: B [k,n] is packed once, in panels of
   columns. An element is one running sum in the order of k, so the bits of a row depend neither on
   the other rows nor on the number of threads. */
#ifndef AG_CORE_PANELS_H
#define AG_CORE_PANELS_H

#include "core/core.h"

/* Elements that the panels of B take. */
int64_t ag__panels_size(int n, int k);

/* Packs B, or its transpose b [n,k] with tb. */
void ag__panels_pack(ag_real *panels, const ag_real *b, int tb, int n, int k);

/* C [m,n] = A [m,k] B on all threads. */
void ag__panels_product(ag_real *c, const ag_real *a, const ag_real *panels, int m, int n, int k);

#endif
