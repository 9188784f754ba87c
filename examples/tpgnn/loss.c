/* SPDX-License-Identifier: MIT */
/* Makes labels of run times, and the losses over them. */
#include "examples/tpgnn/steps.h"

#include "ops/ops.h"

#include <math.h>

static double seconds(const tpgnn_schedule *s) { return 1e-9 * (double)s->runtime; }

static double fastest(const tpgnn_data *data, const tpgnn_task *task)
{
    double best = seconds(&data->schedule[task->first]);
    for (int i = 1; i < task->schedules; i++)
        best = fmin(best, seconds(&data->schedule[task->first + i]));
    return best;
}

static double mean_log(const tpgnn_data *data, const tpgnn_task *task)
{
    double sum = 0;
    for (int i = 0; i < task->schedules; i++) sum += log(seconds(&data->schedule[task->first + i]));
    return sum / task->schedules;
}

static double label_of(const tpgnn_data *data, const tpgnn_schedule *s, int label)
{
    const tpgnn_task *task = &data->task[s->task];
    switch (label) {
    case TPGNN_LABEL_COST: return seconds(s);
    case TPGNN_LABEL_LOG: return log(seconds(s));
    case TPGNN_LABEL_RELATIVE: return log(seconds(s)) - mean_log(data, task);
    default: return -fastest(data, task) / seconds(s);
    }
}

void tpgnn_labels(ag_real *out, const tpgnn_data *data, const tpgnn_batch *b, int label,
                  double mean, double deviation)
{
    for (int i = 0; i < b->graphs; i++)
        out[i] = (ag_real)((label_of(data, b->schedule[i], label) - mean) / deviation);
}

void tpgnn_label_scale(double *mean, double *deviation, const tpgnn_data *data, int label)
{
    double sum = 0, squares = 0;
    *mean = 0;
    *deviation = 1;
    if (label != TPGNN_LABEL_COST && label != TPGNN_LABEL_LOG) return;
    for (int i = 0; i < data->schedules; i++) sum += label_of(data, &data->schedule[i], label);
    *mean = sum / data->schedules;
    for (int i = 0; i < data->schedules; i++) {
        const double d = label_of(data, &data->schedule[i], label) - *mean;
        squares += d * d;
    }
    if (squares > 0) *deviation = sqrt(squares / data->schedules);
}

/* The pairwise loss is over all schedules; LambdaRank weights the fastest, which a tuner measures.
 */
static ag_tensor *pairs(ag_tensor *cost, ag_tensor *rank, ag_tensor *target, ag_tensor *starts,
                        double top)
{
    ag_tensor *all = ag_pairwise_logistic_groups(cost, rank, starts, AG_MEAN);
    if (!(top > 0)) return all;
    ag_tensor *fastest = ag_lambda_rank(ag_neg(cost), ag_neg(target), starts, AG_MEAN);
    return ag_add(all, ag_scale(fastest, (ag_real)top));
}

static ag_tensor *loss_of(ag_tensor *cost, const tpgnn_batch *b, const ag_real *label,
                          const tpgnn_settings *s)
{
    ag_tape *tape = ag_tape_of(cost);
    ag_tensor *target = label ? ag_input(tape, label, AG_SHAPE(b->graphs)) : NULL;
    ag_tensor *rank = ag_input_i32(tape, b->rank, AG_SHAPE(b->graphs));
    ag_tensor *starts = ag_input_i32(tape, b->group_start, AG_SHAPE(b->groups + 1));
    switch (s->loss) {
    case TPGNN_LOSS_PAIRS: return pairs(cost, rank, target, starts, s->top);
    case TPGNN_LOSS_HINGE:
        return ag_pairwise_hinge_groups(cost, rank, starts, (ag_real)s->margin, AG_MEAN);
    case TPGNN_LOSS_LAMBDA: return ag_lambda_rank(ag_neg(cost), ag_neg(target), starts, AG_MEAN);
    case TPGNN_LOSS_HUBER: return ag_huber(cost, target, 1);
    default: return ag_squared_error(cost, target);
    }
}

ag_tensor *tpgnn_loss(ag_tensor *costs, const tpgnn_batch *b, const ag_real *label,
                      const tpgnn_settings *s)
{
    const int members = ag_size(costs, 0) / b->graphs;
    ag_tensor *sum = loss_of(nests_member_scores(costs, b->graphs, 0), b, label, s);
    for (int m = 1; m < members; m++)
        sum = ag_add(sum, loss_of(nests_member_scores(costs, b->graphs, m), b, label, s));
    return members > 1 ? ag_scale(sum, (ag_real)(1.0 / members)) : sum;
}
