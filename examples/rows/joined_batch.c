/* SPDX-License-Identifier: MIT */
/* The rows of a step, by place and by item. */
#include "examples/rows/joined.h"
#include "core/memory.h"

#include <math.h>

static void lay_arrays(void *batch, char *block, size_t *bytes)
{
    nests_joined_batch *b = batch;
    b->x = tpugraphs_lay(block, bytes, (int64_t)b->rows * b->inputs, sizeof *b->x);
    b->word = tpugraphs_lay(block, bytes, b->rows, sizeof *b->word);
    b->place_row = tpugraphs_lay(block, bytes, b->entries, sizeof *b->place_row);
    b->place_start = tpugraphs_lay(block, bytes, (int64_t)b->places + 1, sizeof *b->place_start);
    b->item_row = tpugraphs_lay(block, bytes, b->entries, sizeof *b->item_row);
    b->item_place = tpugraphs_lay(block, bytes, b->entries, sizeof *b->item_place);
    b->item_start = tpugraphs_lay(block, bytes, (int64_t)b->items + 1, sizeof *b->item_start);
    b->item_weight = tpugraphs_lay(block, bytes, b->entries, sizeof *b->item_weight);
    b->base = tpugraphs_lay(block, bytes, b->items, sizeof *b->base);
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

ag_status nests_joined_fill(nests_joined_batch *b, const nests_joined *j, const nests_rows *rows,
                            const int32_t *in, int places, const int32_t *out, ag_failure *why)
{
    b->inputs = nests_scale_inputs(&j->scale);
    b->items = rows->items;
    b->places = places;
    b->rows = nests_rounded((int64_t)rows->rows + 1, 128);
    b->entries = nests_rounded((int64_t)rows->first[rows->items] + 1, 256);
    if (tpugraphs_block(&b->block, &b->room, b, lay_arrays, why)) return why->status;
    nests_scale_rows(b->x, b->word, &j->scale, rows);
    put_by_place(b, rows, in);
    put_by_item(b, rows, out ? out : in, j->scale.offset);
    for (int e = rows->first[rows->items]; e < b->entries; e++)
        b->item_row[e] = b->item_place[e] = -1;
    for (int e = b->place_start[places]; e < b->entries; e++) b->place_row[e] = -1;
    return AG_OK;
}

void nests_joined_batch_free(nests_joined_batch *b)
{
    ag_free(b->block);
    *b = (nests_joined_batch){0};
}
