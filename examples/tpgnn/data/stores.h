/* SPDX-License-Identifier: MIT */
/* Schedules of files as the baselines read them. */
#ifndef TPGNN_STORES_H
#define TPGNN_STORES_H

#include "examples/tpgnn/baseline/baselines.h"
#include "examples/tpgnn/data/data.h"

/* All schedules of the data, in their order, with the rows of their own tasks alone. The arrays are
   copies, so the data may be freed; tpgnn_stores_drop frees them. */
void tpgnn_stores_take(tpgnn_stores *stores, const tpgnn_data *data);
void tpgnn_stores_drop(tpgnn_stores *stores);

/* score [schedules]: minus the sum of log2 of the extents above 1 of vectorised loops, the best
   single feature of a prototype's data. */
void tpgnn_score_vectorised(double *score, const tpgnn_data *data);

#endif
