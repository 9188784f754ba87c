/* SPDX-License-Identifier: MIT */
/* How far noise lets any order agree with measured run times. */
#include "examples/harness/rank/rank_internal.h"
#include "examples/harness/run/draws.h"

#include <math.h>

#define ONCE_MORE "all items, measured once more within the same call; another call agrees less"
static const char on_second[] = ONCE_MORE;
static const char on_drawn[] =
    ONCE_MORE ". Drawn with the noise of each group, which is known from "
              "what that call measured twice";
static const char on_perfect[] =
    "knows the exact run times of the call, from which those that it is compared with differ by "
    "noise; a model that looks better has had luck";

static void add_method(harness_rank *r, const char *name, const char *note, const double *ns)
{
    double *cost = harness_rank_alloc(r, (size_t)r->items * sizeof *cost);
    r->cost[r->methods] = cost;
    double *score = harness_rank_method(r, name, harness_copy(note));
    for (int64_t i = 0; i < r->items; i++) {
        score[i] = ns[i];
        cost[i] = log(ns[i]);
    }
}

/* first, second [items]: two measurements. Their logarithms differ by the noise of both; exact run
   times differ from one of them by the root of a half of that. Writes over the second. */
static void add_methods(harness_rank *r, const double *first, double *second, const char *note)
{
    r->ceiling = r->methods;
    add_method(r, "second measurement, within the call", note, second);
    for (int64_t i = 0; i < r->items; i++)
        second[i] = first[i] * pow(second[i] / first[i], sqrt(0.5));
    add_method(r, "perfect ranker", on_perfect, second);
}

void harness_rank_repeats(harness_rank *r, const int64_t *first, const int64_t *second)
{
    double *x = HARNESS_NEW(x, 2 * r->items), *y = x + r->items;
    int differ = 0;
    for (int64_t i = 0; i < r->items; i++) {
        x[i] = (double)first[i];
        y[i] = (double)second[i];
        differ |= first[i] != second[i];
    }
    if (differ) add_methods(r, x, y, on_second);
    if (differ) r->first = first;
    harness_free(x);
}

/* Every group with run times has to have noise: means over some of them would be of other groups
   than the model's. */
static int all_known(const harness_rank *r, const double *noise)
{
    int any = 0;
    for (int i = 0; i < r->groups; i++) {
        if (r->group[i].actual && !(noise[i] > 0)) return 0;
        any |= r->group[i].actual != NULL;
    }
    return any;
}

void harness_rank_noise(harness_rank *r, const double *noise)
{
    if (!all_known(r, noise)) return;
    double *x = HARNESS_NEW(x, 2 * r->items), *y = x + r->items;
    for (int i = 0; i < r->groups; i++) {
        const harness_ranked *g = &r->group[i];
        ag_random random = harness_stream(HARNESS_STREAM_NOISE, 0, (uint64_t)i);
        for (int64_t k = 0, at = g->first; k < g->items; k++, at++) {
            const double ns = g->target ? g->target[k] : g->actual ? (double)g->actual[k] : 0;
            x[at] = ns > 0 ? ns : 1; /* not known */
            y[at] = x[at] * exp(sqrt(2) * noise[i] * ag_random_normal(&random));
        }
    }
    add_methods(r, x, y, on_drawn);
    harness_free(x);
}
