/* SPDX-License-Identifier: MIT */
/* Rows of statements on one scale, for networks: 0 is the mean of a column over the statements of
   training, 1 its standard deviation. */
#ifndef TPGNN_NEST_SCALE_H
#define TPGNN_NEST_SCALE_H

#include "examples/tpgnn/nest/nest_rows.h"

enum { TPGNN_ROW_MOST = 5 }; /* deviations; what lies further from the mean is cut off */

typedef struct tpgnn_row_scale {
    double mean[TPGNN_ROW], deviation[TPGNN_ROW];
} tpgnn_row_scale;

/* Of all statements of the data. Fails: AG_EMEMORY. */
ag_status tpgnn_row_scale_fit(tpgnn_row_scale *scale, const tpgnn_data *data, ag_failure *why);

/* out [TPGNN_ROW], within -TPGNN_ROW_MOST..TPGNN_ROW_MOST. A column that training has seen
   constant gives 0 whatever the row holds. */
void tpgnn_row_scale_apply(float *out, const tpgnn_row_scale *scale, const float *row);

/* Fails: AG_EDATA when a mean is not finite, or a deviation not finite or below 0. */
ag_status tpgnn_row_scale_check(const tpgnn_row_scale *scale, ag_failure *why);

#endif
