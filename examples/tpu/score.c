/* SPDX-License-Identifier: MIT */
#include "examples/tpu/score.h"

#include "examples/harness/machine/device.h"

#include <math.h>

double tpu_nanoseconds(double score)
{
    static const double most = 300;
    return exp(fmax(-most, fmin(score, most)));
}

static ag_status add_scores(double *score, const tpu_pass *pass, const ag_real *value, int count,
                            double weight, ag_failure *why)
{
    for (int i = 0; i < count; i++) {
        const tpu_sample *s = &pass->sample[i];
        if (!isfinite((double)value[i]))
            return ag_fail(why, AG_EFINITE,
                           "%.160s, kernel %d: the score of configuration %d is %g; the run is of "
                           "no use, choose another checkpoint",
                           s->kernel->name, s->kernel->number, s->config, (double)value[i]);
        score[tpu_pass_place(pass, s)] += weight * (double)value[i];
    }
    return AG_OK;
}

static ag_status score_batch(const tpu_scorer *s, double *score, const tpu_pass *pass,
                             tpu_batch *batch, int count, double weight, ag_failure *why)
{
    const tpu_batch_options options = tpu_model_batch(s->model);
    if (tpu_batch_fill(batch, pass->sample, count, s->scaler, &options, why)) return why->status;
    ag_tape_reset(s->tape);
    ag_tape_training(s->tape, 0);
    ag_tensor *y = tpu_forward(s->model, s->tape, batch);
    ag_forward(y);
    const ag_real *value = ag_values(y);
    if (!value)
        return harness_scoring_failed(s->tape, pass->sample[0].kernel->name, "--eval-samples", why);
    return add_scores(score, pass, value, count, weight, why);
}

ag_status tpu_score(const tpu_scorer *s, double *score, const tpu_data *data, double weight,
                    ag_failure *why)
{
    tpu_pass pass = {0};
    tpu_batch batch = {0};
    int64_t done = 0;
    if (!tpu_pass_open(&pass, data, s->samples, s->nodes, why))
        for (int n; (s->patient || harness_go_on(why)) && (n = tpu_pass_next(&pass)) > 0;) {
            if (score_batch(s, score, &pass, &batch, n, weight, why)) break;
            done += n;
            if (s->note) s->note(s->user, done);
        }
    ag_tape_reset(s->tape);
    ag_tape_training(s->tape, 1);
    tpu_batch_free(&batch);
    tpu_pass_close(&pass);
    return why->status;
}
