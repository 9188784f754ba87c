/* SPDX-License-Identifier: MIT */
/* Sums the work of an item's rows; empties and frees rows. */
#include "examples/rows/rows.h"

#include "examples/harness/base/bag.h"

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

double nests_nanoseconds(double score)
{
    static const double most = 300;
    return isfinite(score) ? exp(fmax(-most, fmin(score, most))) : score;
}

void nests_rows_clear(nests_rows *r)
{
    r->rows = r->items = 0;
    bag_resize(r->x, 0);
    bag_resize(r->word, 0);
    bag_resize(r->work, 0);
    bag_resize(r->always, 0);
    bag_resize(r->first, 1);
    bag_resize(r->row, 0);
    bag_resize(r->times, 0);
    bag_resize(r->node, 0);
    r->first[0] = 0;
}

void nests_rows_free(nests_rows *r)
{
    void *bag[] = {r->x, r->word, r->work, r->always, r->first, r->row, r->times, r->node};
    if (r->drop) r->drop(r->memory);
    for (size_t i = 0; i < sizeof bag / sizeof *bag; i++) bag_free(bag[i]);
    *r = (nests_rows){0};
}
