/* SPDX-License-Identifier: MIT */
/* Sums the work of an item's rows. */
#include "examples/rows/rows.h"

#include <math.h>

double nests_alike_work(const nests_rows *r)
{
    double sum = 0;
    for (int i = 0; r->always && i < r->rows; i++) sum += (double)r->always[i] * r->work[i];
    return sum;
}

double nests_log_work(const nests_rows *r, int item, double alike)
{
    double sum = alike;
    for (int e = r->first[item]; e < r->first[item + 1]; e++)
        sum += nests_times(r, e) * r->work[r->row[e]];
    return sum > 0 ? log(sum) : 0;
}
