/* SPDX-License-Identifier: MIT */
#include "examples/tpu/grades.h"
#include "examples/harness/harness.h"

#include <math.h>

/* Sums of one program while its kernels are read. */
typedef struct sums {
    double excess, best; /* tile: of eq. 2 */
    double tau;
    int taus;
    double error[2]; /* fusion: of long kernels, of all */
} sums;

static ag_status tau_of(double *tau, const double *score, const double *truth, int n,
                        ag_failure *why)
{
    harness_pairs pairs;
    *tau = (double)NAN;
    if (n < 1) return AG_OK;
    if (harness_pairs_count(&pairs, score, truth, n, why)) return why->status;
    *tau = harness_tau_b(&pairs);
    return AG_OK;
}

/* ---- tile ---- */

static ag_status add_tiles(sums *s, const tpu_kernel *k, const double *score, ag_failure *why)
{
    double *truth = harness_alloc((size_t)k->configs * sizeof *truth), tau;
    int picked = 0, fastest = 0;
    for (int c = 0; c < k->configs; c++) {
        truth[c] = (double)k->runtime[c];
        if (score[c] < score[picked]) picked = c;
        if (truth[c] < truth[fastest]) fastest = c;
    }
    tau_of(&tau, score, truth, k->configs, why);
    s->excess += truth[picked] - truth[fastest];
    s->best += truth[fastest];
    if (!isnan(tau)) {
        s->tau += tau;
        s->taus++;
    }
    harness_free(truth);
    return why->status;
}

static void finish_tiles(tpu_grade *g, const sums *s)
{
    if (s->best > 0) g->of[TPU_ERROR] = 100 * s->excess / s->best;
    if (s->taus) g->of[TPU_TAU] = s->tau / s->taus;
}

/* ---- fusion ---- */

static void add_kernel(sums *s, const tpu_kernel *k, const double *score, int64_t least)
{
    const double truth = (double)k->runtime[0], error = fabs(score[0] - truth) / truth;
    if (k->runtime[0] >= least) s->error[0] += error;
    s->error[1] += error;
}

/* Kernels with run times, program by program, each program's in their order. */
typedef struct by_program {
    int *start; /* [programs + 1] */
    int *item;  /* [start[programs]] */
} by_program;

static void sort_by_program(by_program *b, int programs, const tpu_kernel *const *kernel, int count)
{
    b->start = harness_alloc(((size_t)programs + 2) * sizeof *b->start);
    b->item = harness_alloc((size_t)count * sizeof *b->item + 1);
    int *end = b->start + 1; /* of a program's kernels so far, which then is the next one's start */
    for (int i = 0; i < count; i++)
        if (kernel[i]->runtime) end[kernel[i]->program + 1]++;
    for (int p = 0; p < programs; p++) end[p + 1] += end[p];
    for (int i = 0; i < count; i++)
        if (kernel[i]->runtime) b->item[end[kernel[i]->program]++] = i;
}

static ag_status taus_of_program(tpu_grade *g, const int *item, int count,
                                 const tpu_kernel *const *kernel, const double *const *score,
                                 int64_t least, ag_failure *why)
{
    double *x = harness_alloc(2 * (size_t)count * sizeof *x + 1), *truth = x + count;
    for (int all = 0; all < 2 && !why->status; all++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            const int64_t ns = kernel[item[i]]->runtime[0];
            if (!all && ns < least) continue;
            x[n] = score[item[i]][0];
            truth[n++] = (double)ns;
        }
        tau_of(&g->of[all ? TPU_TAU_ALL : TPU_TAU], x, truth, n, why);
    }
    harness_free(x);
    return why->status;
}

static ag_status add_taus(tpu_grade *grade, int programs, const tpu_kernel *const *kernel,
                          const double *const *score, int count, int64_t least, ag_failure *why)
{
    by_program b;
    sort_by_program(&b, programs, kernel, count);
    for (int p = 0; p < programs && !why->status; p++)
        taus_of_program(&grade[p], b.item + b.start[p], b.start[p + 1] - b.start[p], kernel, score,
                        least, why);
    harness_free(b.start);
    harness_free(b.item);
    return why->status;
}

static void finish_kernels(tpu_grade *g, const sums *s)
{
    if (g->long_kernels) g->of[TPU_ERROR] = 100 * s->error[0] / g->long_kernels;
    if (g->kernels) g->of[TPU_ERROR_ALL] = 100 * s->error[1] / g->kernels;
}

/* ---- programs ---- */

static ag_status check(const tpu_kernel *k, const double *score, int programs, ag_failure *why)
{
    if (k->program < 0 || k->program >= programs)
        return ag_fail(why, AG_EINDEX, "%.200s: program %d, but there are programs 0 to %d",
                       k->name, k->program, programs - 1);
    for (int c = 0; c < k->configs; c++)
        if (!isfinite(score[c]))
            return ag_fail(why, AG_EFINITE,
                           "%.200s: score %d is %g; only finite scores can be graded", k->name, c,
                           score[c]);
    return AG_OK;
}

static ag_status add_all(tpu_grade *grade, sums *sum, int programs, tpu_task task,
                         const tpu_kernel *const *kernel, const double *const *score, int count,
                         int64_t least, ag_failure *why)
{
    for (int i = 0; i < count; i++) {
        const tpu_kernel *k = kernel[i];
        if (check(k, score[i], programs, why)) return why->status;
        if (!k->runtime) continue;
        grade[k->program].kernels++;
        grade[k->program].long_kernels += k->runtime[0] >= least;
        if (task == TPU_FUSION)
            add_kernel(&sum[k->program], k, score[i], least);
        else if (add_tiles(&sum[k->program], k, score[i], why))
            return why->status;
    }
    return AG_OK;
}

ag_status tpu_grade_programs(tpu_grade *grade, int programs, tpu_task task,
                             const tpu_kernel *const *kernel, const double *const *score, int count,
                             int64_t least, ag_failure *why)
{
    sums *sum = harness_alloc((size_t)programs * sizeof *sum);
    const double none = (double)NAN;
    for (int p = 0; p < programs; p++) grade[p] = (tpu_grade){.of = {none, none, none, none}};
    add_all(grade, sum, programs, task, kernel, score, count, least, why);
    for (int p = 0; p < programs && !why->status; p++)
        (task == TPU_TILE ? finish_tiles : finish_kernels)(&grade[p], &sum[p]);
    if (task == TPU_FUSION && !why->status)
        add_taus(grade, programs, kernel, score, count, least, why);
    harness_free(sum);
    return why->status;
}

tpu_summary tpu_summarise(const tpu_grade *grade, int programs, tpu_measure measure)
{
    const double none = (double)NAN;
    tpu_summary s = {none, none, none, 0};
    double *value = harness_alloc((size_t)programs * sizeof *value), sum = 0, logs = 0;
    int n = 0;
    for (int p = 0; p < programs; p++)
        if (!isnan(grade[p].of[measure])) value[n++] = grade[p].of[measure];
    harness_sort(value, n);
    for (int i = 0; i < n; i++) {
        sum += value[i];
        logs += log(value[i]); /* 0: -inf, whose exponential is 0; below 0: NaN */
    }
    if (n)
        s = (tpu_summary){.median = (value[(n - 1) / 2] + value[n / 2]) / 2,
                          .geometric = exp(logs / n),
                          .mean = sum / n,
                          .count = n};
    harness_free(value);
    return s;
}
