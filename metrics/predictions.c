/* SPDX-License-Identifier: MIT */
/* Measures of the arrays of tensors: classes, numbers, and an order in one call. */
#include "metrics/internal.h"
#include "core/memory.h"

#include <math.h>

/* 1: z[label] is the largest, the first of equal ones. */
static int is_right(const ag_real *z, int label, int classes)
{
    int right = z[label] == z[label];
    for (int j = 0; j < label; j++) right &= z[label] > z[j];
    for (int j = label + 1; j < classes; j++) right &= z[label] >= z[j];
    return right;
}

double ag_accuracy(const ag_real *logits, const int32_t *label, int64_t n, int classes)
{
    int64_t right = 0, counted = 0;
    if (!logits || !label) return (double)NAN;
    for (int64_t i = 0; i < n; i++) {
        if (label[i] == -1) continue;
        if (label[i] < 0 || label[i] >= classes) return (double)NAN;
        right += is_right(logits + i * classes, label[i], classes);
        counted++;
    }
    return counted ? (double)right / (double)counted : (double)NAN;
}

/* Room for the scores and truths of n items as doubles; NULL: no memory. */
static double *room_for(int64_t n)
{
    return n < 1 ? NULL : ag_alloc(ag_size_mul((size_t)n, 2 * sizeof(double)));
}

double ag_roc_auc(const ag_real *score, const int32_t *label, int64_t n)
{
    ag_pairs p = {0};
    int64_t counted = 0, strange = 0;
    double *x = score && label ? room_for(n) : NULL;
    for (int64_t i = 0; x && i < n; i++) {
        if (label[i] == -1) continue;
        strange += label[i] != 0 && label[i] != 1;
        x[counted] = (double)score[i];
        x[n + counted++] = label[i];
    }
    if (x && !strange) ag_pairs_count(&p, x, x + n, counted, NULL); /* of a failure, all are 0 */
    ag_free(x);
    const int64_t ordered = p.pairs - p.tied_truth, halves = p.tied_score - p.tied_both;
    return ordered ? ((double)p.concordant + (double)halves / 2) / (double)ordered : (double)NAN;
}

double ag_kendall_tau(const ag_real *score, const ag_real *truth, int64_t n)
{
    ag_pairs p = {0};
    double *x = score && truth ? room_for(n) : NULL;
    for (int64_t i = 0; x && i < n; i++) x[i] = (double)score[i], x[n + i] = (double)truth[i];
    if (x) ag_pairs_count(&p, x, x + n, n, NULL);
    ag_free(x);
    return ag_tau_b(&p);
}

static int has_order(const ag_real *truth, int n)
{
    for (int i = 1; i < n; i++)
        if (truth[i] != truth[0]) return 1;
    return 0;
}

double ag_kendall_tau_groups(const ag_real *score, const ag_real *truth, const int32_t *starts,
                             int groups)
{
    double sum = 0;
    int counted = 0;
    if (!score || !truth || !starts) return (double)NAN;
    for (int g = 0; g < groups; g++) {
        const int first = starts[g], n = starts[g + 1] - first;
        if (first < 0 || n < 0) return (double)NAN;
        if (!has_order(truth + first, n)) continue;
        sum += ag_kendall_tau(score + first, truth + first, n);
        counted++;
    }
    return counted ? sum / counted : (double)NAN;
}

/* ---- numbers ---- */

/* Sums over the items, of which the measures of numbers are made. */
typedef struct errors {
    double absolute, relative, square;
} errors;

static errors add_up(const ag_real *y, const ag_real *target, int64_t n)
{
    errors e = {0, 0, 0};
    for (int64_t i = 0; y && target && i < n; i++) {
        const double off = (double)y[i] - (double)target[i];
        e.absolute += fabs(off);
        e.relative += target[i] == 0 ? (double)NAN : fabs(off / (double)target[i]);
        e.square += off * off;
    }
    if (!y || !target || n < 1) e.absolute = e.relative = e.square = (double)NAN;
    return e;
}

double ag_mae(const ag_real *y, const ag_real *target, int64_t n)
{
    return add_up(y, target, n).absolute / (double)n;
}

double ag_rmse(const ag_real *y, const ag_real *target, int64_t n)
{
    return sqrt(add_up(y, target, n).square / (double)n);
}

double ag_mape(const ag_real *y, const ag_real *target, int64_t n)
{
    return 100 * add_up(y, target, n).relative / (double)n;
}

double ag_r2(const ag_real *y, const ag_real *target, int64_t n)
{
    const errors e = add_up(y, target, n);
    double mean = 0, spread = 0;
    int differ = 0;
    for (int64_t i = 0; target && i < n; i++) mean += (double)target[i] / (double)n;
    for (int64_t i = 0; target && i < n; i++) {
        spread += ((double)target[i] - mean) * ((double)target[i] - mean);
        differ |= target[i] != target[0];
    }
    return differ ? 1 - e.square / spread : (double)NAN;
}
