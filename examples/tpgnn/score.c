/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/shell.h"

#include "examples/harness/machine/device.h"

#include <math.h>

/* The number of schedules from `first` on that fit in one batch; scores do not depend on it. */
static int chunk(const tpgnn_settings *s, const tpgnn_data *data, int first)
{
    int64_t nodes = 0;
    int n = 0;
    while (first + n < data->schedules && n < s->eval_graphs) {
        nodes += data->schedule[first + n].nodes;
        if (n && nodes > s->eval_nodes) break;
        n++;
    }
    return n;
}

static ag_status score_batch(double *score, const tpgnn_model *model, ag_tape *tape,
                             const tpgnn_data *data, const tpgnn_schedule **schedule, int first,
                             int count, tpgnn_batch *batch, ag_failure *why)
{
    const tpgnn_batch_options options = tpgnn_model_batch(model);
    for (int i = 0; i < count; i++) schedule[i] = &data->schedule[first + i];
    if (tpgnn_batch_fill(batch, data, schedule, count, &options, why)) return why->status;
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    ag_tensor *y = tpgnn_forward(model, tape, batch);
    ag_forward(y);
    const ag_real *cost = ag_values(y);
    if (!cost)
        return harness_scoring_failed(tape, data->task[schedule[0]->task].name, "--eval-graphs",
                                      why);
    for (int i = 0; i < count; i++) {
        score[first + i] = (double)cost[i];
        if (!isfinite(score[first + i]))
            return ag_fail(why, AG_EFINITE,
                           "%.160s: the cost of schedule %d is %g; with this checkpoint it cannot "
                           "be ranked, choose another one",
                           data->task[schedule[i]->task].name, schedule[i]->number,
                           score[first + i]);
    }
    return AG_OK;
}

ag_status tpgnn_score(double *score, const tpgnn_model *model, const harness_scoring *how,
                      const tpgnn_data *data, ag_failure *why)
{
    const tpgnn_settings *s = (const tpgnn_settings *)how->settings;
    tpgnn_batch batch = {0};
    const tpgnn_schedule **schedule = harness_alloc((size_t)s->eval_graphs * sizeof *schedule);
    harness_progress bar;
    harness_progress_start(&bar, "score", 0, data->schedules);
    bar.shown = false; /* in training there is another bar */
    for (int first = 0, n; !why->status && (n = chunk(s, data, first)) > 0; first += n) {
        if (!how->patient && !harness_go_on(why)) break;
        if (score_batch(score, model, how->tape, data, schedule, first, n, &batch, why)) break;
        harness_progress_update(&bar, first + n, NULL);
    }
    ag_tape_reset(how->tape);
    ag_tape_training(how->tape, 1);
    tpgnn_batch_free(&batch);
    harness_free(schedule);
    return why->status;
}
