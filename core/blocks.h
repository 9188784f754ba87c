/* SPDX-License-Identifier: MIT */
/* Blocks of a matrix product, computed on the calling thread in its room (core/room.h). An element
   is the sum of partial sums of ag__depth(k) terms each, added in the order of k, so its bits
   depend only on its row of op(A), its column of op(B) and k, not on m, on where it is in C or on
   the block that computes it. */
#ifndef AG_CORE_BLOCKS_H
#define AG_CORE_BLOCKS_H

#include "core/tile.h"

/* C [m,n] = op(A) [m,k] op(B) [k,n] + bias [n], or C += ... with add. Stored rows are c_row, a_row
   and b_row elements apart. Without a bias, bias is NULL. */
typedef struct ag_product {
    ag_real *c;
    const ag_real *a, *b, *bias;
    int64_t c_row, a_row, b_row;
    int ta, tb, m, n, k, add;
} ag_product;

static inline int ag__least(int64_t a, int64_t b) { return (int)(a < b ? a : b); }
static inline int ag__up(int64_t a, int64_t b) { return (int)((a + b - 1) / b); }

/* The most terms of a partial sum. */
enum { AG_MOST_DEPTH = 256 };
int ag__depth(int k);

/* The number of panels of op(B); each has columns * k elements. */
static inline int ag__panels_of(int n) { return ag__up(n, ag__tiles()->columns); }

/* Packs terms k0..k0+terms-1 of panel q of op(B). */
void ag__pack_panel(ag_real *to, const ag_product *p, int64_t q, int k0, int terms);

/* Computes rows lo..hi-1 and panels first..last-1 of a product with A not transposed. `panels`
   holds all of op(B): panel q begins at q * columns * k. */
void ag__product_packed(const ag_product *p, const ag_real *panels, int lo, int hi, int first,
                        int last);

/* Computes rows lo..hi-1 and panels first..last-1 of any product, and packs B part by part. */
void ag__product_alone(const ag_product *p, int lo, int hi, int first, int last);

/* Computes a whole product on all threads. A has at most AG_FEW_ROWS rows, contiguous and not
   transposed; B is transposed. `panels` has space for ag__panels_size(m, k) elements. */
void ag__product_turned(const ag_product *p, ag_real *panels);

/* Computes a whole product on all threads. A has at most AG_FEW_ROWS rows, and nothing is
   transposed. `scratch` has space for ag__few_size(m, n, k) elements. */
void ag__product_few(const ag_product *p, ag_real *scratch);
int64_t ag__few_size(int m, int n, int k);

#endif
