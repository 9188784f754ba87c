/* SPDX-License-Identifier: MIT */
/* Offsets in the slab: buffers whose life spans overlap do not overlap in memory. They are placed
   one after the other, each in the smallest gap between the buffers that live at the same time.
   Which order needs the least memory depends on the network, so two are tried: those that live
   longest first, and the largest first. */
#include "autograd/tape.h"

/* A cache line, or what a device moves at a time. */
static int64_t alignment_of(ag_device device) { return device == AG_CPU ? 64 : 256; }
static int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

typedef int64_t weight(const ag_buffer *buffer);

static int64_t size_of(const ag_buffer *b) { return b->bytes; }
static int64_t life_of(const ag_buffer *b) { return b->last - b->first; }

/* Heavier first, among equals in the order that they have. Insertion sort: a few hundred buffers.
 */
static void sort(int *order, int n, const ag_buffer *buffers, weight *of)
{
    for (int i = 1; i < n; i++) {
        const int id = order[i];
        int at = i;
        while (at > 0 && of(&buffers[order[at - 1]]) < of(&buffers[id])) {
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
                           const ag_buffer *buffers, int64_t unit)
{
    const int64_t wanted = round_up(buffer->bytes, unit);
    int64_t end = 0, best = -1, best_gap = INT64_MAX;
    for (int i = 0; i < n; i++) {
        const ag_buffer *other = &buffers[placed[i]];
        if (!overlap(buffer, other)) continue;
        const int64_t gap = other->offset - end;
        if (gap >= wanted && gap < best_gap) {
            best = end;
            best_gap = gap;
        }
        const int64_t other_end = other->offset + round_up(other->bytes, unit);
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

/* Places all, the heaviest first; how many bytes they take. */
static int64_t place(ag_plan *plan, weight *of, int64_t unit, int *order, int *placed)
{
    ag_buffer *buffers = plan->buffers;
    int n = 0;
    int64_t most = 0;
    for (int i = 0; i < plan->n_buffers; i++)
        if (!buffers[i].tile && buffers[i].first >= 0) order[n++] = i;
    sort(order, n, buffers, of);
    for (int i = 0; i < n; i++) {
        ag_buffer *buffer = &buffers[order[i]];
        buffer->offset = best_offset(buffer, placed, i, buffers, unit);
        insert_by_offset(placed, i, order[i], buffers);
        const int64_t end = buffer->offset + round_up(buffer->bytes, unit);
        if (end > most) most = end;
    }
    return most;
}

int ag__plan_place(ag_tape *tape, ag_plan *plan)
{
    const int n = plan->n_buffers;
    if (ag__reserve(&tape->work, &tape->work_capacity, 2 * n, sizeof(int))) return 1;
    int *order = tape->work, *placed = tape->work + n;
    const int64_t unit = alignment_of(tape->device);
    const int64_t by_life = place(plan, life_of, unit, order, placed);
    plan->slab_bytes = place(plan, size_of, unit, order, placed);
    if (by_life < plan->slab_bytes) plan->slab_bytes = place(plan, life_of, unit, order, placed);
    for (int i = 0; i < plan->n_jobs; i++)
        for (int k = 0; k < AG_JOB_REFS; k++) {
            ag_ref *ref = &plan->jobs[i].refs[k];
            if (ref->place == AT_SLAB) ref->offset = plan->buffers[ref->id].offset;
        }
    return 0;
}
