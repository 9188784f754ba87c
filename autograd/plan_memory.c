/* SPDX-License-Identifier: MIT */
/* Offsets in the slab: buffers whose life spans overlap do not overlap in memory. Greedy by size:
   the largest first, each into the smallest gap that its contemporaries leave. */
#include "autograd/tape.h"

#include <string.h>

static int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Order of placement: larger first, among equals the earlier one. Insertion sort: a few hundred
 * buffers. */
static void by_size(int *order, int n, const ag_buffer *buffers)
{
    for (int i = 1; i < n; i++) {
        const int id = order[i];
        int at = i;
        while (at > 0 && buffers[order[at - 1]].bytes < buffers[id].bytes) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = id;
    }
}

static int overlap(const ag_buffer *a, const ag_buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Smallest gap between the placed contemporaries (in order of offset) that holds the buffer. */
static int64_t best_offset(const ag_buffer *buffer, const int *placed, int n,
                           const ag_buffer *buffers)
{
    const int64_t wanted = padded(buffer->bytes);
    int64_t end = 0, best = -1, best_gap = INT64_MAX;
    for (int i = 0; i < n; i++) {
        const ag_buffer *other = &buffers[placed[i]];
        if (!overlap(buffer, other)) continue;
        const int64_t gap = other->offset - end;
        if (gap >= wanted && gap < best_gap) {
            best = end;
            best_gap = gap;
        }
        const int64_t other_end = other->offset + padded(other->bytes);
        if (other_end > end) end = other_end;
    }
    return best >= 0 ? best : end;
}

static void insert_by_offset(int *placed, int n, int id, const ag_buffer *buffers)
{
    while (n > 0 && buffers[placed[n - 1]].offset > buffers[id].offset) {
        placed[n] = placed[n - 1];
        n--;
    }
    placed[n] = id;
}

static void resolve(const ag_plan *plan, ag_ref *ref)
{
    if (ref->place == AT_SLAB) ref->offset = plan->buffers[ref->id].offset;
}

int ag__plan_place(ag_tape *tape, ag_plan *plan)
{
    const int n = plan->n_buffers;
    int wanted = 0, n_placed = 0;
    if (ag__reserve(&tape->work, &tape->work_capacity, 2 * n, sizeof(int))) return 1;
    int *order = tape->work, *placed = tape->work + n;
    for (int i = 0; i < n; i++)
        if (!plan->buffers[i].tile && plan->buffers[i].first >= 0) order[wanted++] = i;
    by_size(order, wanted, plan->buffers);
    for (int i = 0; i < wanted; i++) {
        ag_buffer *buffer = &plan->buffers[order[i]];
        buffer->offset = best_offset(buffer, placed, n_placed, plan->buffers);
        insert_by_offset(placed, n_placed++, order[i], plan->buffers);
        const int64_t end = buffer->offset + padded(buffer->bytes);
        if (end > plan->slab_bytes) plan->slab_bytes = end;
    }
    for (int i = 0; i < plan->n_jobs; i++) {
        ag_job *job = &plan->jobs[i];
        for (int k = 0; k < AG_MAX_IN; k++) resolve(plan, &job->x[k]);
        for (int k = 0; k < AG_MAX_OUT; k++) {
            resolve(plan, &job->y[k]);
            resolve(plan, &job->dy[k]);
        }
        resolve(plan, &job->dx);
        resolve(plan, &job->scratch);
    }
    return 0;
}
