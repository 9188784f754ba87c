/* SPDX-License-Identifier: MIT */
/* The rows of a step, by place and by item. */
#include "examples/rows/joined.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <math.h>

static void take_arrays(nests_joined_batch *b)
{
    ag_arena **m = &b->memory;
    ag_arena_reset(*m);
    b->x = HARNESS_TAKE(m, b->x, (int64_t)b->rows * b->inputs);
    b->word = HARNESS_TAKE(m, b->word, b->rows);
    b->place_row = HARNESS_TAKE(m, b->place_row, b->entries);
    b->place_start = HARNESS_TAKE(m, b->place_start, (int64_t)b->places + 1);
    b->item_row = HARNESS_TAKE(m, b->item_row, b->entries);
    b->item_place = HARNESS_TAKE(m, b->item_place, b->entries);
    b->item_start = HARNESS_TAKE(m, b->item_start, (int64_t)b->items + 1);
    b->item_weight = HARNESS_TAKE(m, b->item_weight, b->entries);
    b->base = HARNESS_TAKE(m, b->base, b->items);
}

/* Entries in the order of their places: counted, then each to the next free one of its place. */
static void put_by_place(nests_joined_batch *b, const nests_rows *rows, const int32_t *place)
{
    const int n = rows->first[rows->items];
    int32_t *start = b->place_start, total = 0;
    for (int e = 0; e < n; e++)
        if (place[e] >= 0) start[place[e] + 1]++;
    for (int p = 0; p < b->places; p++) {
        const int32_t count = start[p + 1];
        start[p + 1] = total; /* where the place begins, for now */
        total += count;
    }
    for (int e = 0; e < n; e++)
        if (place[e] >= 0) b->place_row[start[place[e] + 1]++] = rows->row[e];
}

static void put_by_item(nests_joined_batch *b, const nests_rows *rows, const int32_t *out,
                        double offset)
{
    for (int i = 0; i < rows->items; i++) {
        const double work = nests_log_work(rows, i, 0);
        b->base[i] = (ag_real)(work + offset);
        for (int e = rows->first[i]; e < rows->first[i + 1]; e++) {
            b->item_row[e] = rows->row[e];
            b->item_place[e] = out[e];
            b->item_weight[e] =
                (ag_real)(log(nests_times(rows, e) * rows->work[rows->row[e]]) - work);
        }
        b->item_start[i + 1] = rows->first[i + 1];
    }
}

void nests_joined_fill(nests_joined_batch *b, const nests_joined *j, const nests_rows *rows,
                       const int32_t *in, int places, const int32_t *out)
{
    b->inputs = nests_scale_inputs(&j->scale);
    b->items = rows->items;
    b->places = places;
    b->rows = nests_rounded((int64_t)rows->rows + 1, 128);
    b->entries = nests_rounded((int64_t)rows->first[rows->items] + 1, 256);
    take_arrays(b);
    nests_scale_rows(b->x, b->word, &j->scale, rows);
    put_by_place(b, rows, in);
    put_by_item(b, rows, out ? out : in, j->scale.offset);
    for (int e = rows->first[rows->items]; e < b->entries; e++)
        b->item_row[e] = b->item_place[e] = -1;
    for (int e = b->place_start[places]; e < b->entries; e++) b->place_row[e] = -1;
}

void nests_joined_batch_free(nests_joined_batch *b)
{
    ag_arena_free(b->memory);
    *b = (nests_joined_batch){0};
}
