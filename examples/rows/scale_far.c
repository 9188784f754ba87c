/* SPDX-License-Identifier: MIT */
/* Counts rows that are far from those of training, for the warnings of the programs. */
#include "examples/harness/base/base.h"
#include "examples/harness/rank/unseen.h"
#include "examples/rows/scale.h"

#include <math.h>

enum { FAR = 10 }; /* deviations, as the warnings say */

int64_t nests_scale_far(const nests_scale *s, const float *x, int64_t rows)
{
    double *low = HARNESS_NEW(low, 2 * (size_t)s->columns), *high = low + s->columns;
    for (int k = 0; k < s->columns; k++) {
        const double off = s->deviation[k] > NESTS_FLAT ? FAR * s->deviation[k] : (double)INFINITY;
        low[k] = s->mean[k] - off;
        high[k] = s->mean[k] + off;
    }
    const int64_t far = harness_far_rows(x, rows, s->columns, low, high);
    harness_free(low);
    return far;
}
