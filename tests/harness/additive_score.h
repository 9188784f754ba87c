/* SPDX-License-Identifier: MIT */
/* The predictions of additive trees for the items of a group: score [items], ln of the sum over an
   item's rows of times * work * exp(trees(row)). */
#include "examples/harness/baseline/additive.h"
#include "examples/harness/harness.h"

#include <math.h>

static inline ag_status additive_score(double *score, harness_boosting *trees,
                                       const harness_additive_group *g, ag_failure *why)
{
    double *cost = harness_alloc(((size_t)g->rows + 1) * sizeof *cost), alike = 0;
    if (!harness_boosting_predict(cost, trees, g->x, g->rows, why)) {
        for (int r = 0; r < g->rows; r++) {
            cost[r] = g->work[r] * exp(cost[r]);
            if (g->always) alike += (double)g->always[r] * cost[r];
        }
        for (int i = 0; i < g->items; i++) {
            double sum = alike;
            for (int e = g->first[i]; e < g->first[i + 1]; e++)
                sum += (g->times ? (double)g->times[e] : 1) * cost[g->row[e]];
            score[i] = log(sum);
        }
    }
    harness_free(cost);
    return why->status;
}
