/* SPDX-License-Identifier: MIT */
/* Sums down the columns of a tall matrix, in a fixed number of pieces added in order. */
#ifndef AG_CORE_COLUMNS_H
#define AG_CORE_COLUMNS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the memory of `device`: y[f] = sum over r of x[r,f] (times z[r,f] when z is not NULL), or y +=
 * with add. scratch: ag__column_scratch elements. */
void ag__column_sums(ag_device device, ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                     int columns, int add, ag_real *scratch);
int64_t ag__column_scratch(int64_t rows, int columns);

#ifdef __cplusplus
}
#endif

#endif
