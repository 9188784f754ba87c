/* SPDX-License-Identifier: MIT */
/* Scores in chunks of configurations: dropout off, nothing kept for backward. */
#include "examples/tgraph/hooks.h"

/* Adds the scores of order[0..count-1], positions among the items. */
static ag_status add_chunk(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item,
                           const int32_t *order, int count, double *score, ag_failure *why)
{
    tgraph_batch *b = &s->batch;
    for (int i = 0; i < count; i++) s->chosen[i] = item ? item[order[i]] : order[i];
    b->joined = &s->model->joined;
    if (tgraph_batch_fill(b, e->file, s->chosen, count, why)) return why->status;
    ag_tape *tape = s->how->tape;
    ag_tape_begin(tape, 0);
    ag_tensor *y = tgraph_forward(s->model, tape, &e->program, b->digit, &b->nests, count);
    y = nests_mean_scores(y, count);
    const ag_real *value = harness_outputs_of(s->how->outputs, tape, y, count);
    if (!value) return harness_scoring_failed(tape, e->file->path, "--eval-configs", why);
    for (int i = 0; i < count; i++) score[order[i]] += (double)value[i];
    return AG_OK;
}

enum { TTA_SEED = 101 }; /* permutations are the same for every run, so that runs compare */

ag_status tgraph_score(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item, int count,
                       double *sum, ag_failure *why)
{
    const tgraph_settings *settings = (const tgraph_settings *)s->how->settings;
    const int passes = settings->tta > 0 ? settings->tta : 1;
    const int chunks = harness_chunks(count, settings->eval_configs);
    int32_t *order = HARNESS_NEW(order, count);
    double *score = HARNESS_NEW(score, count);
    s->chosen = HARNESS_NEW(s->chosen, settings->eval_configs);
    for (int p = 0; p < passes && !why->status; p++) {
        if (settings->tta > 0)
            harness_shuffle(order, count,
                            harness_stream(HARNESS_STREAM_PERMUTATION, TTA_SEED, (uint64_t)p));
        else
            for (int i = 0; i < count; i++) order[i] = i;
        for (int k = 0; k < chunks && (s->how->patient || harness_go_on(why)); k++) {
            int first, length;
            harness_chunk(&first, &length, count, chunks, k);
            if (add_chunk(s, e, item, order + first, length, score, why)) break;
            harness_progress_update(&s->bar, s->bar.done + length, "");
        }
    }
    for (int i = 0; i < count; i++) sum[i] += score[i] / passes / s->how->models;
    harness_free(order);
    harness_free(score);
    harness_free(s->chosen);
    return why->status;
}
