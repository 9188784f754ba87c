/* SPDX-License-Identifier: MIT */
#include "examples/harness/baseline/order.h"

#include <math.h>

static int place_of(const double *x, int items, int i)
{
    int place = 0;
    for (int j = 0; j < items; j++) place += x[j] < x[i] || (x[j] == x[i] && j < i);
    return place;
}

static double discount(int place) { return 1 / log2(place + 2); }

void harness_order_gains(harness_order_loss *o, const double *y, int items)
{
    double least = y[0], best = 0;
    o->pairs = 0;
    for (int i = 1; i < items; i++) least = fmin(least, y[i]);
    for (int i = 0; i < items; i++) {
        o->gain[i] = exp2(exp(least - y[i])) - 1;
        best += o->gain[i] * discount(place_of(y, items, i));
        for (int j = 0; j < items; j++) o->pairs += y[i] > y[j];
    }
    for (int i = 0; i < items; i++) o->gain[i] /= best;
}

/* Of a pair whose first item takes longer. */
static void add_pair(double *slope, double *curve, const harness_order_loss *o, const double *z,
                     int i, int j)
{
    const double change = fabs(o->gain[i] - o->gain[j]) * fabs(o->place[i] - o->place[j]);
    const double weight = o->order / 2 * (1 / o->pairs + o->top * change);
    const double wrong = 1 / (1 + exp(HARNESS_STEEP * (z[i] - z[j])));
    const double step = weight * HARNESS_STEEP * wrong;
    const double bend = step * HARNESS_STEEP * (1 - wrong);
    slope[i] -= step;
    slope[j] += step;
    curve[i] += bend;
    curve[j] += bend;
}

void harness_order_slopes(double *slope, double *curve, const harness_order_loss *o,
                          const double *z, const double *y, int items)
{
    for (int i = 0; i < items; i++) o->place[i] = discount(place_of(z, items, i));
    for (int i = 0; i < items; i++)
        for (int j = 0; j < items; j++)
            if (y[i] > y[j]) add_pair(slope, curve, o, z, i, j);
}
