/* SPDX-License-Identifier: MIT */
/* Rows of a tree of statements. */
#ifndef TEST_NESTS_SCHEDULE_H
#define TEST_NESTS_SCHEDULE_H

#include "examples/tpgnn/rows/rows.h"
#include "support/tpgnn_tree.h"

typedef struct rows {
    float row[8][NESTS_SCHEDULE_ROW], cost[8];
    int n;
} rows;

static inline void take(rows *r, const tree *t)
{
    ag_failure why = {0};
    *r = (rows){0};
    r->n = nests_schedule_rows(r->row[0], r->cost, 8, &t->data, &t->s, &why);
    assert_int_equal(r->n, nests_schedule_stores(&t->data, &t->s));
}

/* A column without the scale of nest.h. */
static inline double at(const rows *r, int row, int column)
{
    const double x = (double)r->row[row][column];
    return copysign(exp2(8 * fabs(x)) - 1, x);
}

#endif
