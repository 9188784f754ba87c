/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/grades.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/scores.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTHS = 3 };
static const int depth[DEPTHS] = {1, 5, 10};

/* A schedule of the task that is graded. place: the number of different scores that are better;
   places replace scores because they are finite. */
typedef struct item {
    double score, place, truth, cost;
    int32_t index, task;
} item;

static int compare(double a, double b) { return (a > b) - (a < b); }

/* Sorts by task, then the best score first, then by position. */
static int by_score(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    const int c = compare(x->score, y->score);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* ---- measures of the n schedules of a task, best predicted first ---- */

static double pairwise(const item *x, int n, double share)
{
    int64_t pairs = 0, halves = 0; /* counted in halves, so that the sum is exact in any order */
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const double a = x[i].truth, b = x[j].truth;
            if (!(fabs(a - b) > share * fmin(a, b))) continue;
            pairs++;
            halves += x[i].place >= x[j].place ? 1 : a < b ? 2 : 0;
        }
    return pairs ? (double)halves / (2 * (double)pairs) : (double)NAN;
}

static ag_status tau(double *out, const item *x, double *truth, int n, ag_failure *why)
{
    harness_pairs pairs;
    double *place = truth + n;
    for (int i = 0; i < n; i++) {
        truth[i] = x[i].truth;
        place[i] = x[i].place;
    }
    if (!harness_pairs_count(&pairs, place, truth, n, why)) *out = harness_tau_b(&pairs);
    return why->status;
}

/* sorted [n]: the run times, fastest first. */
static void first_ones(tpgnn_grade *g, const item *x, const double *sorted, int n)
{
    for (int d = 0; d < DEPTHS; d++) {
        const int k = depth[d] < n ? depth[d] : n;
        double chosen = x[0].truth;
        int hits = 0;
        /* Two loops: gcc 12 for aarch64 fails with an internal error where they are one. */
        for (int i = 1; i < k; i++) chosen = fmin(chosen, x[i].truth);
        for (int i = 0; i < k; i++) hits += x[i].truth <= sorted[k - 1];
        g->of[TPGNN_TOP1 + d] = sorted[0] / chosen;
        g->of[TPGNN_RECALL1 + d] = (double)hits / k;
        g->of[TPGNN_SLOWDOWN1 + d] = (chosen - sorted[0]) / sorted[0];
    }
}

/* Grades the costs of the n items that have one. */
static void costs(tpgnn_grade *g, const item *x, int n)
{
    double mean = 0, error = 0, square = 0, spread = 0;
    for (int i = 0; i < n; i++) mean += log(x[i].truth) / n;
    for (int i = 0; i < n; i++) {
        const double truth = log(x[i].truth), off = x[i].cost - truth;
        error += fabs(off) / n;
        square += off * off;
        spread += (truth - mean) * (truth - mean);
    }
    int differ = 0;
    for (int i = 1; i < n; i++) differ |= x[i].truth < x[0].truth || x[i].truth > x[0].truth;
    if (n) g->of[TPGNN_MAE] = error;
    if (differ) g->of[TPGNN_R2] = 1 - square / spread;
}

static ag_status grade_task(tpgnn_grade *g, item *x, int n, double share, int has_costs,
                            double *scratch, ag_failure *why)
{
    g->schedules = n;
    for (int i = 0; i < n; i++) {
        const int next = i && x[i].score > x[i - 1].score;
        x[i].place = i ? x[i - 1].place + next : 0;
        g->unscored += isinf(x[i].score) != 0;
        scratch[i] = x[i].truth;
    }
    if (has_costs) costs(g, x, n - g->unscored); /* the unscored ones are the last */
    if (n < 2) return AG_OK;
    harness_sort(scratch, n);
    first_ones(g, x, scratch, n);
    g->of[TPGNN_PAIRWISE] = pairwise(x, n, share);
    return tau(&g->of[TPGNN_TAU], x, scratch, n, why);
}

/* ---- tasks ---- */

static ag_status check(const tpgnn_scored *s, double share, ag_failure *why)
{
    if (!(share >= 0 && share <= 1))
        return ag_fail(why, AG_EUSE, "grades: pairs must differ by %g, but a share is from 0 to 1",
                       share);
    for (int i = 0; i < s->schedules; i++) {
        if (s->task[i] < 0 || s->task[i] >= s->tasks)
            return ag_fail(why, AG_EINDEX,
                           "grades: schedule %d is of task %d, but there are tasks 0 to %d", i,
                           (int)s->task[i], s->tasks - 1);
        if (s->runtime[i] < 1)
            return ag_fail(why, AG_EDATA,
                           "grades: the run time of schedule %d is %lld ns; it must be at least 1",
                           i, (long long)s->runtime[i]);
        if (isnan(s->score[i]) || s->score[i] <= -(double)INFINITY)
            return ag_fail(why, AG_EFINITE,
                           "grades: the score of schedule %d is %g; it must be finite, or inf "
                           "where there is none",
                           i, s->score[i]);
        if (s->cost && !isinf(s->score[i]) && !isfinite(s->cost[i]))
            return ag_fail(why, AG_EFINITE,
                           "grades: the predicted cost of schedule %d is %g; it must be finite", i,
                           s->cost[i]);
    }
    return AG_OK;
}

ag_status tpgnn_grade_tasks(tpgnn_grade *grade, const tpgnn_scored *s, double share,
                            ag_failure *why)
{
    if (check(s, share, why)) return why->status;
    for (int t = 0; t < s->tasks; t++) {
        grade[t] = (tpgnn_grade){0};
        for (int k = 0; k < TPGNN_MEASURES; k++) grade[t].of[k] = (double)NAN;
    }
    if (s->schedules < 1) return AG_OK;
    const size_t n = (size_t)s->schedules;
    item *x = harness_alloc(n * sizeof *x);
    double *scratch = harness_alloc(2 * n * sizeof *scratch);
    for (int i = 0; i < s->schedules; i++)
        x[i] = (item){.score = s->score[i],
                      .truth = (double)s->runtime[i],
                      .cost = s->cost ? s->cost[i] : 0,
                      .index = i,
                      .task = s->task[i]};
    qsort(x, n, sizeof *x, by_score);
    for (int i = 0, end; i < s->schedules && !why->status; i = end) {
        for (end = i; end < s->schedules && x[end].task == x[i].task; end++) continue;
        grade_task(&grade[x[i].task], x + i, end - i, share, s->cost != NULL, scratch, why);
    }
    harness_free(x);
    harness_free(scratch);
    return why->status;
}
