/* SPDX-License-Identifier: MIT */
/* A row of columns for each statement that stores, for models that add the costs of statements. */
#ifndef NESTS_SCHEDULE_ROWS_H
#define NESTS_SCHEDULE_ROWS_H

#include "examples/tpgnn/nest/nest.h"

enum { NESTS_SCHEDULE_ROW = 277 }; /* columns */

/* row [stores,NESTS_SCHEDULE_ROW] and cost [stores], in the order of the statements; at most `room`
   of them. Columns: those of nest.h, the statement's part of the program's cost, its accesses, its
   innermost loops, its block, what a compiler makes of it, its reuse. cost: ln of the cycles that
   nest.h estimates, at least 0. Returns the number of statements, or -1: AG_EMEMORY. */
int nests_schedule_rows(float *row, float *cost, int room, const tpgnn_data *data,
                        const tpgnn_schedule *s, ag_failure *why);

/* The number of statements that store. */
int nests_schedule_stores(const tpgnn_data *data, const tpgnn_schedule *s);

#endif
