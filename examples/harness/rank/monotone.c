/* SPDX-License-Identifier: MIT */
/* Fits a rising step function of x to y, with as many steps as a test tells apart. */
#include "examples/harness/rank/monotone.h"
#include "examples/harness/base/base.h"
#include "metrics/metrics.h"

#include <math.h>

/* Neighbouring items that share a value, their mean. */
typedef struct step {
    double first, last;        /* of x */
    double count, mean, error; /* error: squared, around the mean */
} step;

/* The increase of the squared error when two steps become one. */
static double join_cost(const step *a, const step *b)
{
    const double gap = b->mean - a->mean;
    return gap * gap * a->count * b->count / (a->count + b->count);
}

static step joined(const step *a, const step *b)
{
    const double count = a->count + b->count;
    return (step){a->first, b->last, count, a->mean + (b->mean - a->mean) * (b->count / count),
                  a->error + b->error + join_cost(a, b)};
}

/* The items from i on that have one x; *next becomes the first item after them. */
static step of_equal_x(int *next, int i, const int64_t *order, const double *x, const double *y,
                       int count)
{
    const double at = x[order[i]];
    step s = {at, at, 1, y[order[i]], 0};
    while (++i < count && x[order[i]] == at) s = joined(&s, &(step){at, at, 1, y[order[i]], 0});
    *next = i;
    return s;
}

/* Finds the rising step function with the least squared error by joining steps that are out of
   order. */
static int pool_violators(step *s, const int64_t *order, const double *x, const double *y,
                          int count)
{
    int n = 0;
    for (int i = 0; i < count;) {
        s[n++] = of_equal_x(&i, i, order, x, y, count);
        for (; n > 1 && s[n - 2].mean >= s[n - 1].mean; n--)
            s[n - 2] = joined(&s[n - 2], &s[n - 1]);
    }
    return n;
}

/* A t test of the two means at a level of 0.1 %, with the spread inside of these two steps; t is
   converted to a normal deviate. Source: Wallace, "Bounds on Normal Approximations to Student's and
   the Chi-Square Distributions" (1959). */
static int told_apart(const step *a, const step *b)
{
    const double free = a->count + b->count - 2, error = a->error + b->error;
    const double cost = join_cost(a, b);
    if (free < 1 || cost == 0) return 0;
    const double deviate = (8 * free + 1) / (8 * free + 3) * sqrt(free * log1p(cost / error));
    return deviate > 3.29;
}

/* Joins neighbours that the test does not tell apart, the pair with the least cost first, until
   there are none. */
static int join_alike(step *s, int n)
{
    for (;;) {
        int best = -1;
        double least = 0;
        for (int i = 0; i + 1 < n; i++) {
            const double cost = join_cost(&s[i], &s[i + 1]);
            if ((best >= 0 && cost >= least) || told_apart(&s[i], &s[i + 1])) continue;
            least = cost;
            best = i;
        }
        if (best < 0) return n;
        s[best] = joined(&s[best], &s[best + 1]);
        for (int i = best + 1; i + 1 < n; i++) s[i] = s[i + 1];
        n--;
    }
}

ag_status harness_monotone_fit(harness_monotone *m, const double *x, const double *y, int count,
                               ag_failure *why)
{
    int64_t *order = HARNESS_NEW(order, count);
    step *s = HARNESS_NEW(s, count);
    *m = (harness_monotone){0};
    if (!ag_order(order, x, count, why)) {
        m->steps = join_alike(s, pool_violators(s, order, x, y, count));
        m->end = harness_lasting(2 * (size_t)m->steps * sizeof *m->end);
        m->value = m->end + m->steps;
        for (int k = 0; k < m->steps; k++) {
            m->value[k] = s[k].mean;
            m->end[k] = k + 1 < m->steps ? s[k].last + (s[k + 1].first - s[k].last) / 2 : s[k].last;
        }
    }
    harness_free(s);
    harness_free(order);
    return why->status;
}

double harness_monotone_at(const harness_monotone *m, double x)
{
    int k = 0;
    while (k < m->steps - 1 && x > m->end[k]) k++;
    return m->value[k];
}
