/* SPDX-License-Identifier: MIT */
/* A row of columns for each statement that stores, for models that add the costs of statements. */
#ifndef NESTS_SCHEDULE_ROWS_H
#define NESTS_SCHEDULE_ROWS_H

#include "examples/rows/rows.h"
#include "examples/tpgnn/nest/nest.h"

enum { NESTS_SCHEDULE_ROW = 277 }; /* columns */

/* Appends a schedule as an item, and each of its statements as a row. Columns: those of nest.h, the
   statement's part of the program's cost, its accesses, its innermost loops, its block, what a
   compiler makes of it, its reuse. The work of a row is the cycles that nest.h estimates, at
   least 1. rows->items 0 starts again; nests_rows_free frees all of it. */
void nests_schedule_rows_add(nests_rows *rows, const tpgnn_data *data, const tpgnn_schedule *s);

/* The number of statements that store. */
int nests_schedule_stores(const tpgnn_data *data, const tpgnn_schedule *s);

#endif
