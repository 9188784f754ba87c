/* SPDX-License-Identifier: MIT */
/* How long buffers live. */
#include "autograd/plan.h"

static void touch(ag_plan *plan, ag_ref ref, int step)
{
    if (ref.place != AT_SLAB) return;
    ag_buffer *buffer = &plan->buffers[ref.id];
    if (buffer->first < 0) buffer->first = step;
    buffer->last = step;
}

static void life_spans(ag_builder *b)
{
    ag_plan *plan = b->plan;
    for (int s = 0; s < plan->n_steps; s++)
        for (int k = 0; k < plan->steps[s].n; k++) {
            const ag_job *job = &plan->jobs[plan->steps[s].first + k];
            for (int i = 0; i < AG_JOB_REFS; i++) touch(plan, job->refs[i], s);
        }
}

/* Inputs with a place in the slab get there before the first step. */
static void keep_inputs(ag_builder *b)
{
    for (int i = 0; i < b->tape->n_tensors; i++) {
        const int id = b->plan->value_buffer[i];
        if (b->tape->tensors[i]->node < 0 && id >= 0 && b->plan->buffers[id].first >= 0)
            b->plan->buffers[id].first = 0;
    }
}

static void keep_readable(ag_builder *b, const ag_tensor *t)
{
    const ag_tensor *root = b->tape->tensors[t->root];
    if (root->node < 0) return;
    ag_buffer *buffer = &b->plan->buffers[ag__buffer_of(b, b->plan->value_buffer, t)];
    if (buffer->first < 0) buffer->first = 0;
    buffer->last = b->plan->n_steps;
}

/* Kept results live on, but backward does not read them for that. */
static void count_saved(ag_plan *plan, int forward_steps, int training)
{
    for (int i = 0; i < plan->n_buffers; i++) {
        ag_buffer *buffer = &plan->buffers[i];
        buffer->saved = buffer->first < forward_steps && buffer->last >= forward_steps;
        if (buffer->saved && training) plan->saved_bytes += buffer->bytes;
    }
}

void ag__plan_life(ag_builder *b, const ag_tensor *wanted, int forward_steps)
{
    life_spans(b);
    keep_inputs(b);
    count_saved(b->plan, forward_steps, b->training);
    keep_readable(b, wanted);
    for (int i = 0; i < b->tape->n_tensors; i++)
        if (b->tape->tensors[i]->kept) keep_readable(b, b->tape->tensors[i]);
    ag__plan_tiles(b);
}
