/* SPDX-License-Identifier: MIT */
/* Tensors as rows: the first axis counts the rows, and all other axes form a row. Also sums down
   the rows within a strip of columns. */
#ifndef AG_OPS_FIRST_AXIS_H
#define AG_OPS_FIRST_AXIS_H

#include "core/kernel.h"

/* Elements of a row: the product of all axes but the first. Shape rules make sure that it fits in
   an int (row_too_wide). */
AG_BOTH int64_t row_elements(ag_shape s) { return ag__sizes(s, 1, s.rank); }
AG_BOTH int row_width(ag_shape s) { return (int)row_elements(s); }
AG_BOTH int row_too_wide(ag_shape s) { return row_elements(s) > INT_MAX; }

/* The shape of one row, and [n, ...] with rows like those of s. */
AG_BOTH ag_shape row_shape(ag_shape s)
{
    ag_shape row = {0, {1, 1, 1, 1}};
    for (int i = 1; i < s.rank; i++) row.size[row.rank++] = s.size[i];
    return row;
}
AG_BOTH ag_shape shape_of_rows(int n, ag_shape s)
{
    s.size[0] = n;
    return s;
}

enum { ROW_GROUP = 16 };

/* sum[j] = sum of x[r, c + j], with `most` of e^(x[r, c + j] - most[j]), over the rows r =
   lo..hi-1, or r = order[lo..hi-1]. Rows are summed in groups, so that rounding errors grow only
   with the number of groups. */
KERNEL void strip_sum(ag_real *sum, const ag_real *x, const int32_t *order, const ag_real *most,
                      int64_t lo, int64_t hi, int width, int c, int n)
{
    EACH (j, n) sum[AT(j)] = 0;
    for (int64_t group = lo; group < hi; group += ROW_GROUP) {
        const int64_t end = group + ROW_GROUP < hi ? group + ROW_GROUP : hi;
        ag_real part[AG_PER_LANE];
        EACH (j, n) part[AT(j)] = 0;
        for (int64_t k = group; k < end; k++) {
            const ag_real *row = x + (order ? order[k] : k) * width + c;
            EACH (j, n) part[AT(j)] += most ? v_exp(row[j] - most[AT(j)]) : row[j];
        }
        EACH (j, n) sum[AT(j)] += part[AT(j)];
    }
}

/* best[j] = largest x[r, c + j] over the rows lo..hi-1 and at[j] = the first row that has it (0 and
   -1 without rows). A NaN is larger than all. */
KERNEL void strip_max(ag_real *best, int32_t *at, const ag_real *x, int64_t lo, int64_t hi,
                      int width, int c, int n)
{
    EACH (j, n) {
        best[AT(j)] = lo < hi ? x[lo * width + c + j] : 0;
        at[AT(j)] = lo < hi ? (int32_t)lo : -1;
    }
    for (int64_t r = lo + 1; r < hi; r++) {
        const ag_real *row = x + r * width + c;
        EACH (j, n) {
            const ag_real v = row[j];
            const int better = (v > best[AT(j)]) | ((v != v) & (best[AT(j)] == best[AT(j)]));
            best[AT(j)] = better ? v : best[AT(j)];
            at[AT(j)] = better ? (int32_t)r : at[AT(j)];
        }
    }
}

#endif
