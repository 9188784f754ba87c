/* SPDX-License-Identifier: MIT */
/* Fused groups: which ops may join one, and its tiles. A tile holds a value that only the group
   uses, in scratch of a thread on the CPU and in shared memory of a block on a device. It is used
   again as soon as nothing reads its value any more. */
#include "autograd/plan.h"

int ag__may_join(const ag_builder *b, ag_job *job)
{
    if (b->tape->device == AG_CPU) return 1;
    job->number = ag__device_group_number(job->kernel->cuda);
    return job->number >= 0;
}

int ag__is_open(const ag_builder *b, const ag_step *step)
{
    return step->per_unit && (b->tape->device == AG_CPU || step->n < AG__GROUP_JOBS);
}

/* ---- tiles ---- */

/* 1: the buffer is alive only in the step of the job that asks. */
static ag_buffer *local_buffer(ag_plan *plan, const ag_ref *ref)
{
    ag_buffer *buffer = ref->place == AT_SLAB ? &plan->buffers[ref->id] : NULL;
    return buffer && buffer->first == buffer->last ? buffer : NULL;
}

/* The values that a job of a group reads and, last, the one that it writes. */
enum { REFS = AG_MAX_IN + 3 };
static int refs_of(ag_ref *refs[REFS], ag_job *job, int backward)
{
    int n = 0;
    for (int i = 0; i < AG_MAX_IN; i++) refs[n++] = &job->x[i];
    refs[n++] = &job->dy[0];
    refs[n++] = backward ? &job->y[0] : &job->dx;
    refs[n++] = backward ? &job->dx : &job->y[0];
    return n;
}

/* Until it has a place, `offset` of a local buffer is the last job that reads or writes it. */
static void note_last_uses(ag_plan *plan, const ag_step *step)
{
    for (int k = 0; k < step->n; k++) {
        ag_ref *refs[REFS];
        const int n = refs_of(refs, &plan->jobs[step->first + k], step->backward);
        for (int i = 0; i < n; i++) {
            ag_buffer *buffer = local_buffer(plan, refs[i]);
            if (buffer) buffer->offset = k;
        }
    }
}

/* The first of the tiles of which the value is dead before job k; -1: there is none. */
static int free_tile(const int dead_after[AG__GROUP_TILES], int k)
{
    for (int t = 0; t < AG__GROUP_TILES; t++)
        if (dead_after[t] < k) return t;
    return -1;
}

/* A value that finds no tile when job k makes it stays in the slab, as do inputs, which no job has
   made. */
static void to_tile(ag_plan *plan, ag_step *step, ag_ref *ref, int k, int made, int64_t bytes,
                    int dead_after[AG__GROUP_TILES])
{
    ag_buffer *buffer = local_buffer(plan, ref);
    if (!buffer || (!buffer->tile && !made)) return;
    if (!buffer->tile) {
        const int tile = free_tile(dead_after, k);
        if (tile < 0) return;
        dead_after[tile] = (int)buffer->offset;
        buffer->tile = 1;
        buffer->offset = tile * bytes;
        if (buffer->offset + bytes > step->tile_bytes) step->tile_bytes = buffer->offset + bytes;
    }
    *ref = (ag_ref){AT_TILE, ref->id, buffer->offset};
}

static void tiles_of_group(ag_plan *plan, ag_step *step, int64_t bytes)
{
    int dead_after[AG__GROUP_TILES];
    for (int t = 0; t < AG__GROUP_TILES; t++) dead_after[t] = -1;
    note_last_uses(plan, step);
    for (int k = 0; k < step->n; k++) {
        ag_ref *refs[REFS];
        ag_job *job = &plan->jobs[step->first + k];
        const int n = refs_of(refs, job, step->backward);
        for (int i = 0; i < n; i++)
            to_tile(plan, step, refs[i], k, i == n - 1 && !job->adds, bytes, dead_after);
    }
}

void ag__plan_tiles(ag_builder *b)
{
    ag_plan *plan = b->plan;
    for (int s = 0; s < plan->n_steps; s++) {
        ag_step *step = &plan->steps[s];
        const int64_t elements =
            b->tape->device == AG_CPU ? step->grain * step->per_unit : AG__GROUP_TILE;
        if (step->n == 1) continue;
        tiles_of_group(plan, step, (elements * (int64_t)sizeof(ag_real) + 63) / 64 * 64);
        if (step->tile_bytes > plan->tile_bytes) plan->tile_bytes = step->tile_bytes;
    }
}
