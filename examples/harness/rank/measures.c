/* SPDX-License-Identifier: MIT */
/* The measures: names, meanings and digits, values of a group and of several. */
#include "examples/harness/rank/measures.h"
#include "core/error.h"
#include "examples/harness/base/base.h"
#include "metrics/metrics.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char of_slowdown[] = "how much longer the fastest of the k best predicted takes than "
                                  "the fastest of all: 0 is best";
static const char of_top[] =
    "the fastest of all divided by the fastest of the k best predicted: 1 is best";
static const char of_recall[] =
    "the share of the k best predicted that are no slower than the k-th fastest: 1 is best";
static const char of_all[] = "the same of all, those included that are too short to count";

const harness_measure_kind harness_measures[HARNESS_MEASURES] = {
    [HARNESS_TAU_B] = {"tau-b", 4, false,
                       "Kendall's rank correlation of scores and run times, corrected for ties: 1 "
                       "is the right order, 0 a random one"},
    [HARNESS_TAU_A] = {"tau-a", 4, false,
                       "Kendall's rank correlation of scores and run times: 1 is the right order, "
                       "0 a random one"},
    [HARNESS_OPA] = {"opa", 4, false,
                     "the share of the pairs with different run times that the scores put in the "
                     "right order; equal scores are wrong"},
    [HARNESS_TIED] = {"tied", 4, true,
                      "the share of all pairs whose scores are equal: wrong for opa, left out of "
                      "what tau-b divides by"},
    [HARNESS_PAIRWISE] = {"pairwise", 4, false,
                          "the share of the pairs that the scores put in the right order, of those "
                          "whose run times differ by more than 2 %; equal scores count one half, "
                          "so a coin reaches 0.5"},
    [HARNESS_SLOWDOWN_1] = {"slowdown@1", 4, true, of_slowdown},
    [HARNESS_SLOWDOWN_5] = {"slowdown@5", 4, true, of_slowdown},
    [HARNESS_SLOWDOWN_10] = {"slowdown@10", 4, true, of_slowdown},
    [HARNESS_SLOWDOWN_100] = {"slowdown@100", 4, true, of_slowdown},
    [HARNESS_TOP_1] = {"top-1", 4, false, of_top},
    [HARNESS_TOP_5] = {"top-5", 4, false, of_top},
    [HARNESS_TOP_10] = {"top-10", 4, false, of_top},
    [HARNESS_RECALL_1] = {"recall@1", 4, false, of_recall},
    [HARNESS_RECALL_5] = {"recall@5", 4, false, of_recall},
    [HARNESS_RECALL_10] = {"recall@10", 4, false, of_recall},
    [HARNESS_APE] = {"APE %", 1, true,
                     "how much longer it takes, in %, when everything runs as is predicted best "
                     "instead of the fastest way"},
    [HARNESS_MAPE] = {"MAPE %", 1, true, "the mean of |predicted - measured| / measured, in %"},
    [HARNESS_MAPE_ALL] = {"MAPE % of all", 1, true, of_all},
    [HARNESS_TAU_B_ALL] = {"tau-b of all", 4, false, of_all},
    [HARNESS_R2] = {"R2", 4, false,
                    "the part of the variance of ln(run time) that a prediction of it explains"},
    [HARNESS_MAE] = {"MAE", 4, true, "the mean error of a prediction of ln(run time)"},
};

harness_measure harness_measure_of(const char *column)
{
    int found = HARNESS_MEASURES;
    size_t longest = 0;
    for (int m = 0; m < HARNESS_MEASURES; m++) {
        const size_t n = strlen(harness_measures[m].name);
        if (n <= longest || strncmp(column, harness_measures[m].name, n) != 0) continue;
        found = m;
        longest = n;
    }
    return (harness_measure)found;
}

bool harness_measure_left(harness_measure m, harness_left left)
{
    switch (left) {
    case HARNESS_NONE_COUNTS: return m != HARNESS_MAPE_ALL && m != HARNESS_TAU_B_ALL;
    case HARNESS_ONE_COUNTS: return m < HARNESS_APE || m == HARNESS_R2;
    case HARNESS_ALL_EQUAL:
        return m == HARNESS_TAU_B || m == HARNESS_OPA || m == HARNESS_PAIRWISE || m == HARNESS_R2;
    default: return m == HARNESS_PAIRWISE;
    }
}

const char *harness_measures_explain(const harness_measure *measure, int count)
{
    const char *all = "";
    for (int i = 0; i < count; i++) {
        const char *name = harness_measures[measure[i]].name,
                   *meaning = harness_measures[measure[i]].meaning;
        const bool last = i + 1 == count,
                   more = !last && harness_measures[measure[i + 1]].meaning == meaning;
        all = more ? harness_format("%s%s, ", all, name)
                   : harness_format("%s%s: %s.%s", all, name, meaning, last ? "" : " ");
    }
    return all;
}

/* ---- the items that count ---- */

typedef struct counted {
    double *score, *truth, *cost; /* [count]; the score of unscored ones is DBL_MAX */
    int count;
} counted;

static ag_status check(const harness_items *x, ag_failure *why)
{
    for (int i = 0; i < x->count; i++) {
        const int number = x->number ? x->number[i] : i;
        if (x->actual[i] < 0)
            return ag_fail(why, AG_EDATA,
                           "%.160s: the run time of item %d is %lld ns; it must be at least 1",
                           x->name, number, (long long)x->actual[i]);
        if (isnan(x->score[i]) || x->score[i] < -DBL_MAX)
            return ag_fail(why, AG_EFINITE,
                           "%.160s: the score of item %d is %g; it must be finite, or inf where "
                           "there is none",
                           x->name, number, x->score[i]);
        if (x->cost && !isinf(x->score[i]) && !isfinite(x->cost[i]))
            return ag_fail(why, AG_EFINITE,
                           "%.160s: the predicted cost of item %d is %g; it must be finite",
                           x->name, number, x->cost[i]);
    }
    return AG_OK;
}

static void gather(counted *c, const harness_items *x, int64_t least)
{
    const size_t n = (size_t)x->count;
    *c = (counted){.score = HARNESS_NEW(c->score, 3 * n)};
    c->truth = c->score + n;
    c->cost = c->truth + n;
    for (int i = 0; i < x->count; i++) {
        if (x->actual[i] < least) continue;
        const int at = c->count++;
        c->score[at] = fmin(x->score[i], DBL_MAX);
        c->truth[at] = (double)x->actual[i];
        c->cost[at] = x->cost ? x->cost[i] : 0;
    }
}

/* ---- measures ---- */

static ag_status measure_pairs(double *of, const counted *c, ag_failure *why)
{
    ag_pairs pairs;
    if (ag_pairs_count(&pairs, c->score, c->truth, c->count, why) ||
        ag_pairwise(&of[HARNESS_PAIRWISE], c->score, c->truth, c->count, HARNESS_SHARE, why))
        return why->status;
    of[HARNESS_TAU_B] = ag_tau_b(&pairs);
    of[HARNESS_TAU_A] = ag_tau_a(&pairs);
    of[HARNESS_OPA] = ag_opa(&pairs);
    of[HARNESS_TIED] = ag_tied(&pairs);
    return AG_OK;
}

/* How many are chosen: the first TOPS of top and recall, all of slowdown. */
enum { TOPS = 3, DEPTHS = 4 };
static const int depth[DEPTHS] = {1, 5, 10, 100};

static ag_status measure_choice(harness_measured *m, const counted *c, ag_failure *why)
{
    ag_choice of[DEPTHS];
    for (int d = 0; d < DEPTHS && !why->status; d++)
        ag_choose(&of[d], c->score, c->truth, c->count, depth[d], why);
    if (why->status) return why->status;
    m->chosen = of[0].least;
    m->fastest = of[0].best_least;
    if (c->count < 2) return AG_OK;
    for (int d = 0; d < TOPS; d++) {
        m->of[HARNESS_TOP_1 + d] = of[d].top;
        m->of[HARNESS_RECALL_1 + d] = of[d].recall;
    }
    for (int d = 0; d < DEPTHS; d++) m->of[HARNESS_SLOWDOWN_1 + d] = ag_slowdown(&of[d]);
    return AG_OK;
}

static bool scores_all(const counted *c)
{
    int n = 0;
    while (n < c->count && c->score[n] < DBL_MAX) n++;
    return c->count && n == c->count;
}

static double absolute_error(const counted *c)
{
    double sum = 0;
    if (!scores_all(c)) return (double)NAN;
    for (int i = 0; i < c->count; i++) sum += fabs(c->score[i] - c->truth[i]) / c->truth[i];
    return 100 * sum / c->count;
}

static void measure_costs(double *of, const counted *c)
{
    double mean = 0, error = 0, square = 0, spread = 0, least = DBL_MAX, most = 0;
    const int n = c->count;
    if (!scores_all(c)) return;
    for (int i = 0; i < n; i++) mean += log(c->truth[i]) / n;
    for (int i = 0; i < n; i++) {
        const double truth = log(c->truth[i]), off = c->cost[i] - truth;
        least = fmin(least, c->truth[i]);
        most = fmax(most, c->truth[i]);
        error += fabs(off) / n;
        square += off * off;
        spread += (truth - mean) * (truth - mean);
    }
    of[HARNESS_MAE] = error;
    if (least < most) of[HARNESS_R2] = 1 - square / spread;
}

/* Those that also count items that take less than `least`. */
static ag_status measure_all(harness_measured *m, const harness_items *x, ag_failure *why)
{
    counted c;
    ag_pairs pairs;
    gather(&c, x, 1);
    if (!ag_pairs_count(&pairs, c.score, c.truth, c.count, why))
        m->of[HARNESS_TAU_B_ALL] = ag_tau_b(&pairs);
    if (x->times) m->of[HARNESS_MAPE_ALL] = absolute_error(&c);
    harness_free(c.score);
    return why->status;
}

static double choice_error(const harness_measured *m)
{
    return m->fastest > 0 ? 100 * (m->chosen - m->fastest) / m->fastest : (double)NAN;
}

harness_measured harness_measured_none(void)
{
    harness_measured m = {0};
    for (int k = 0; k < HARNESS_MEASURES; k++) m.of[k] = (double)NAN;
    return m;
}

/* Counts the group where some of its measures are not defined. */
static void tell_left(harness_measured *m)
{
    const int left = !m->counted                      ? HARNESS_NONE_COUNTS
                     : m->counted < 2                 ? HARNESS_ONE_COUNTS
                     : isnan(m->of[HARNESS_OPA])      ? HARNESS_ALL_EQUAL
                     : isnan(m->of[HARNESS_PAIRWISE]) ? HARNESS_ALL_NEAR
                                                      : HARNESS_LEFTS;
    if (left < HARNESS_LEFTS) m->left[left] = 1;
}

ag_status harness_measure_items(harness_measured *m, const harness_items *x, ag_failure *why)
{
    const int64_t least = x->least > 1 ? x->least : 1;
    counted c;
    *m = harness_measured_none();
    if (check(x, why) || measure_all(m, x, why)) return why->status;
    gather(&c, x, least);
    m->counted = c.count;
    if (c.count && !measure_pairs(m->of, &c, why)) measure_choice(m, &c, why);
    if (x->times) m->of[HARNESS_MAPE] = absolute_error(&c);
    if (x->cost) measure_costs(m->of, &c);
    m->of[HARNESS_APE] = choice_error(m);
    tell_left(m);
    harness_free(c.score);
    return why->status;
}

void harness_measured_add(harness_measured *sum, const harness_measured *group)
{
    sum->counted += group->counted;
    sum->chosen += group->chosen;
    sum->fastest += group->fastest;
    for (int k = 0; k < HARNESS_LEFTS; k++) sum->left[k] += group->left[k];
    for (int k = 0; k < HARNESS_MEASURES; k++)
        if (!isnan(group->of[k])) sum->of[k] += group->of[k], sum->groups[k]++;
}

void harness_measured_end(harness_measured *sum)
{
    for (int k = 0; k < HARNESS_MEASURES; k++)
        sum->of[k] = sum->groups[k] ? sum->of[k] / sum->groups[k] : (double)NAN;
    sum->of[HARNESS_APE] = choice_error(sum);
}
