/* SPDX-License-Identifier: MIT */
#include "examples/harness/rank/measures.h"
#include "examples/harness/harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

static const char of_slowdown[] = "how much longer the fastest of the k best predicted takes than "
                                  "the fastest of all: 0 is best";
static const char of_top[] =
    "the fastest of all divided by the fastest of the k best predicted: 1 is best";
static const char of_recall[] =
    "the share of the k best predicted that are no slower than the k-th fastest: 1 is best";
static const char of_all[] = "the same of all, those included that are too short to count";
static const char of_contest[] =
    "2 - the fastest of the 5 best predicted / the fastest, and 2 - the mean of the 50 best "
    "predicted / the mean of the 50 fastest: 1 is best";

/* Neighbours with one meaning are explained together. */
static const struct {
    const char *name, *before, *meaning;
    int digits;
    bool smaller;
} kind[HARNESS_MEASURES] = {
    [HARNESS_TAU_B] = {"tau-b", "tau",
                       "Kendall's rank correlation of scores and run times, corrected for ties: 1 "
                       "is the right order, 0 a random one",
                       4, false},
    [HARNESS_TAU_A] = {"tau-a", NULL,
                       "Kendall's rank correlation of scores and run times: 1 is the right order, "
                       "0 a random one",
                       4, false},
    [HARNESS_OPA] = {"opa", NULL,
                     "the share of the pairs with different run times that the scores put in the "
                     "right order; equal scores are wrong",
                     4, false},
    [HARNESS_TIED] = {"tied", NULL,
                      "the share of all pairs whose scores are equal: wrong for opa, left out of "
                      "what tau-b divides by",
                      4, true},
    [HARNESS_PAIRWISE] = {"pairwise", NULL,
                          "the share of the pairs that the scores put in the right order, of those "
                          "whose run times differ by more than 2 %; equal scores count one half, "
                          "so a coin reaches 0.5",
                          4, false},
    [HARNESS_SLOWDOWN_1] = {"slowdown@1", NULL, of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_5] = {"slowdown@5", NULL, of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_10] = {"slowdown@10", NULL, of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_100] = {"slowdown@100", NULL, of_slowdown, 4, true},
    [HARNESS_TOP_1] = {"top-1", NULL, of_top, 4, false},
    [HARNESS_TOP_5] = {"top-5", NULL, of_top, 4, false},
    [HARNESS_TOP_10] = {"top-10", NULL, of_top, 4, false},
    [HARNESS_RECALL_1] = {"recall@1", NULL, of_recall, 4, false},
    [HARNESS_RECALL_5] = {"recall@5", NULL, of_recall, 4, false},
    [HARNESS_RECALL_10] = {"recall@10", NULL, of_recall, 4, false},
    [HARNESS_APE] = {"APE %", NULL,
                     "how much longer it takes, in %, when everything runs as is predicted best "
                     "instead of the fastest way",
                     1, true},
    [HARNESS_MAPE] = {"MAPE %", NULL, "the mean of |predicted - measured| / measured, in %", 1,
                      true},
    [HARNESS_MAPE_ALL] = {"MAPE % of all", NULL, of_all, 1, true},
    [HARNESS_TAU_B_ALL] = {"tau-b of all", "tau of all", of_all, 4, false},
    [HARNESS_R2] = {"R2", NULL,
                    "the part of the variance of ln(run time) that a prediction of it explains", 4,
                    false},
    [HARNESS_MAE] = {"MAE", NULL, "the mean error of a prediction of ln(run time)", 4, true},
    [HARNESS_CONTEST_5] = {"contest@5", "top-5", of_contest, 4, false},
    [HARNESS_CONTEST_50] = {"contest@50", "top-50", of_contest, 4, false},
};

const char *harness_measure_name(harness_measure measure) { return kind[measure].name; }
int harness_measure_digits(harness_measure measure) { return kind[measure].digits; }
bool harness_measure_smaller(harness_measure measure) { return kind[measure].smaller; }

const char *harness_measure_before(const char *name)
{
    for (int k = 0; k < HARNESS_MEASURES; k++)
        if (strcmp(kind[k].name, name) == 0) return kind[k].before;
    return NULL;
}

char *harness_measures_explain(const harness_measure *measure, int count)
{
    char *all = harness_copy("");
    for (int i = 0; i < count; i++) {
        const char *name = kind[measure[i]].name, *meaning = kind[measure[i]].meaning;
        const int last = i + 1 == count, more = !last && kind[measure[i + 1]].meaning == meaning;
        char *longer = more ? harness_text("%s%s, ", all, name)
                            : harness_text("%s%s: %s.%s", all, name, meaning, last ? "" : " ");
        harness_free(all);
        all = longer;
    }
    return all;
}

/* ---- the items that count ---- */

typedef struct counted {
    double *score, *truth, *target; /* [count]; unscored: DBL_MAX */
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
    *c = (counted){.score = harness_alloc(3 * n * sizeof *c->score + 1)};
    c->truth = c->score + n;
    c->target = c->truth + n;
    for (int i = 0; i < x->count; i++) {
        if (x->actual[i] < least) continue;
        c->score[c->count] = fmin(x->score[i], DBL_MAX);
        c->truth[c->count] = (double)x->actual[i];
        c->target[c->count++] = x->target ? x->target[i] : (double)x->actual[i];
    }
}

/* ---- measures ---- */

static ag_status measure_pairs(double *of, const counted *c, ag_failure *why)
{
    harness_pairs pairs;
    if (harness_pairs_count(&pairs, c->score, c->target, c->count, why) ||
        harness_pairwise(&of[HARNESS_PAIRWISE], c->score, c->truth, c->count, HARNESS_SHARE, why))
        return why->status;
    of[HARNESS_TAU_B] = harness_tau_b(&pairs);
    of[HARNESS_TAU_A] = harness_tau_a(&pairs);
    of[HARNESS_OPA] = harness_opa(&pairs);
    of[HARNESS_TIED] = harness_tied(&pairs);
    return AG_OK;
}

enum { DEPTHS = 5, FIRST_THREE = 3 };
static const int depth[DEPTHS] = {1, 5, 10, 100, 50};

static ag_status measure_choice(harness_measured *m, const counted *c, ag_failure *why)
{
    harness_choice of[DEPTHS];
    for (int d = 0; d < DEPTHS && !why->status; d++)
        harness_choose(&of[d], c->score, c->truth, c->count, depth[d], why);
    if (why->status) return why->status;
    m->chosen = of[0].least;
    m->fastest = of[0].best_least;
    m->of[HARNESS_CONTEST_5] = 2 - of[1].least / of[1].best_least;
    m->of[HARNESS_CONTEST_50] = 2 - of[4].mean / of[4].best_mean;
    if (c->count < 2) return AG_OK;
    for (int d = 0; d < FIRST_THREE; d++) {
        m->of[HARNESS_TOP_1 + d] = harness_top(&of[d]);
        m->of[HARNESS_RECALL_1 + d] = of[d].recall;
    }
    for (int d = 0; d <= FIRST_THREE; d++) m->of[HARNESS_SLOWDOWN_1 + d] = harness_slowdown(&of[d]);
    return AG_OK;
}

static double absolute_error(const harness_items *x, int64_t least)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < x->count; i++) {
        if (x->actual[i] < least) continue;
        sum += fabs(x->score[i] - (double)x->actual[i]) / (double)x->actual[i];
        n++;
    }
    return n ? 100 * sum / n : (double)NAN;
}

static int has_cost(const harness_items *x, int64_t least, int i)
{
    return x->actual[i] >= least && !isinf(x->score[i]);
}

static void measure_costs(double *of, const harness_items *x, int64_t least)
{
    double mean = 0, error = 0, square = 0, spread = 0;
    int n = 0, differ = 0;
    int64_t first = 0;
    for (int i = 0; i < x->count; i++) {
        if (!has_cost(x, least, i)) continue;
        if (!n++) first = x->actual[i];
        differ |= x->actual[i] != first;
    }
    for (int i = 0; i < x->count; i++)
        if (has_cost(x, least, i)) mean += log((double)x->actual[i]) / n;
    for (int i = 0; i < x->count; i++) {
        if (!has_cost(x, least, i)) continue;
        const double truth = log((double)x->actual[i]), off = x->cost[i] - truth;
        error += fabs(off) / n;
        square += off * off;
        spread += (truth - mean) * (truth - mean);
    }
    if (n) of[HARNESS_MAE] = error;
    if (differ) of[HARNESS_R2] = 1 - square / spread;
}

/* Those that also count items that take less than `least`. */
static ag_status measure_all(harness_measured *m, const harness_items *x, ag_failure *why)
{
    counted c;
    harness_pairs pairs;
    gather(&c, x, 1);
    m->known = c.count;
    if (!harness_pairs_count(&pairs, c.score, c.target, c.count, why))
        m->of[HARNESS_TAU_B_ALL] = harness_tau_b(&pairs);
    if (x->times) m->of[HARNESS_MAPE_ALL] = absolute_error(x, 1);
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

ag_status harness_measure_items(harness_measured *m, const harness_items *x, ag_failure *why)
{
    const int64_t least = x->least > 1 ? x->least : 1;
    counted c;
    *m = harness_measured_none();
    if (check(x, why) || measure_all(m, x, why)) return why->status;
    gather(&c, x, least);
    m->counted = c.count;
    if (c.count && !measure_pairs(m->of, &c, why)) measure_choice(m, &c, why);
    harness_free(c.score);
    if (x->times) m->of[HARNESS_MAPE] = absolute_error(x, least);
    if (x->cost) measure_costs(m->of, x, least);
    m->of[HARNESS_APE] = choice_error(m);
    return why->status;
}

harness_measured harness_measured_sum(const harness_measured *group, int count)
{
    harness_measured sum = harness_measured_none();
    double spread, *value = harness_alloc((size_t)count * sizeof *value + 1);
    int64_t used;
    for (int i = 0; i < count; i++) {
        sum.known += group[i].known;
        sum.counted += group[i].counted;
        sum.chosen += group[i].chosen;
        sum.fastest += group[i].fastest;
    }
    for (int k = 0; k < HARNESS_MEASURES; k++) {
        for (int i = 0; i < count; i++) value[i] = group[i].of[k];
        harness_mean_spread(&sum.of[k], &spread, &used, value, count);
    }
    sum.of[HARNESS_APE] = choice_error(&sum);
    harness_free(value);
    return sum;
}
