/* SPDX-License-Identifier: MIT */
/* Fills a batch with rows, counts and targets of items, and fits the scale of rows. */
#include "examples/nests/batch.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

/* ln of what an item without rows takes, in units of its work: almost nothing. */
#define NOTHING -46.0

static void grow_parts(nests_batch *b, int groups)
{
    if (groups <= b->parts) return;
    b->part = harness_grow(b->part, (size_t)groups * sizeof *b->part);
    memset(b->part + b->parts, 0, (size_t)(groups - b->parts) * sizeof *b->part);
    b->parts = groups;
}

/* Reads the rows of all groups, and counts them. */
static ag_status read_rows(nests_batch *b, const nests_data *data, const nests_pick *pick,
                           int groups, ag_failure *why)
{
    int64_t rows = 0, entries = 0, alike = 0;
    bool any = false;
    b->count = 0;
    grow_parts(b, groups);
    for (int g = 0; g < groups; g++) {
        nests_rows *r = &b->part[g];
        if (data->maker->rows(r, data, pick[g].group, pick[g].item, pick[g].count, why))
            return why->status;
        b->count += pick[g].count;
        rows += r->rows;
        entries += r->first[pick[g].count] + 2 * (int64_t)pick[g].count;
        alike += r->always ? r->rows : 0;
        any |= r->always != NULL;
    }
    if (rows > INT32_MAX / 512 || entries > INT32_MAX / 8)
        return ag_fail(
            why, AG_EMEMORY,
            "%.160s: %lld rows and %lld counts of them in one batch; take fewer --items, "
            "--groups or --eval-items",
            data->group[pick->group].name, (long long)rows, (long long)entries);
    b->first = &data->group[pick->group];
    b->groups = groups;
    b->items = nests_rounded(b->count, 16);
    b->rows = nests_rounded(rows, 128);
    b->entries = nests_rounded(entries + b->items, 256);
    b->alike = any ? nests_rounded(alike, 128) : 0;
    return AG_OK;
}

static void lay_arrays(void *batch, char *block, size_t *bytes)
{
    nests_batch *b = batch;
    b->x = tpugraphs_lay(block, bytes, (int64_t)b->rows * b->inputs, sizeof *b->x);
    b->word = tpugraphs_lay(block, bytes, b->rows, sizeof *b->word);
    b->at = tpugraphs_lay(block, bytes, b->entries, sizeof *b->at);
    b->weight = tpugraphs_lay(block, bytes, b->entries, sizeof *b->weight);
    b->start = tpugraphs_lay(block, bytes, b->items + 1, sizeof *b->start);
    b->alike_at = tpugraphs_lay(block, bytes, b->alike, sizeof *b->alike_at);
    b->alike_weight = tpugraphs_lay(block, bytes, b->alike, sizeof *b->alike_weight);
    b->alike_start = tpugraphs_lay(block, bytes, b->groups + 1, sizeof *b->alike_start);
    b->base = tpugraphs_lay(block, bytes, b->items, sizeof *b->base);
    b->group = tpugraphs_lay(block, bytes, b->items, sizeof *b->group);
    b->group_start = tpugraphs_lay(block, bytes, b->groups + 1, sizeof *b->group_start);
    b->rank = tpugraphs_lay(block, bytes, b->items, sizeof *b->rank);
    b->target = tpugraphs_lay(block, bytes, b->items, sizeof *b->target);
    b->sharp = tpugraphs_lay(block, bytes, b->items, sizeof *b->sharp);
    b->level = tpugraphs_lay(block, bytes, b->items, sizeof *b->level);
    b->speed = tpugraphs_lay(block, bytes, b->items, sizeof *b->speed);
    b->by_trees = tpugraphs_lay(block, bytes, b->items, sizeof *b->by_trees);
    b->ns = tpugraphs_lay(block, bytes, b->items, sizeof *b->ns);
    b->y = tpugraphs_lay(block, bytes, b->items, sizeof *b->y);
    b->order = tpugraphs_lay(block, bytes, b->items, sizeof *b->order);
}

/* The rows that all items of the group count: ln of each, less that of their sum. Returns the sum.
 */
static double put_alike(nests_batch *b, int *at, const nests_rows *r, int first_row)
{
    const double sum = nests_alike_work(r);
    for (int i = 0; sum > 0 && i < r->rows; i++) {
        if (!(r->always[i] > 0)) continue;
        b->alike_at[*at] = first_row + i;
        b->alike_weight[(*at)++] = (ag_real)log((double)r->always[i] * r->work[i] / sum);
    }
    return sum;
}

static void put_entry(nests_batch *b, int *at, int place, double weight)
{
    b->at[*at] = place;
    b->weight[(*at)++] = (ag_real)weight;
}

/* The entries of the items of a group, the i-th of which is item `item` of the batch. */
static void put_items(nests_batch *b, int *at, int item, int g, int first_row, int count,
                      double alike, double offset)
{
    const nests_rows *r = &b->part[g];
    for (int i = 0; i < count; i++, item++) {
        const int from = *at;
        const double work = nests_log_work(r, i, alike);
        b->base[item] = work + offset;
        for (int e = r->first[i]; e < r->first[i + 1]; e++)
            if (nests_times(r, e) > 0)
                put_entry(b, at, first_row + r->row[e],
                          log(nests_times(r, e) * r->work[r->row[e]]) - work);
        if (alike > 0) put_entry(b, at, b->rows + 1 + g, log(alike) - work);
        if (*at == from) put_entry(b, at, b->rows, NOTHING);
        b->group[item] = g;
        b->start[item + 1] = *at;
    }
}

static void put_parts(nests_batch *b, const nests_scale *scale, const nests_pick *pick)
{
    int row = 0, entry = 0, alike_entry = 0, item = 0;
    for (int g = 0; g < b->groups; g++) {
        const nests_rows *r = &b->part[g];
        nests_scale_rows(b->x + (size_t)row * (size_t)b->inputs, b->word + row, scale, r);
        const double alike = b->alike ? put_alike(b, &alike_entry, r, row) : 0;
        b->alike_start[g + 1] = alike_entry;
        put_items(b, &entry, item, g, row, pick[g].count, alike, scale->offset);
        row += r->rows;
        item += pick[g].count;
        b->group_start[g + 1] = item;
    }
    for (; item < b->items; item++) {
        put_entry(b, &entry, b->rows, 0);
        b->start[item + 1] = entry;
    }
    for (; entry < b->entries; entry++) b->at[entry] = b->rows;
    for (; alike_entry < b->alike; alike_entry++) b->alike_at[alike_entry] = b->rows;
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

static void put_group(nests_batch *b, int g, bool absolute, int spread)
{
    const int64_t *ns = b->ns;
    double *y = b->y;
    const int first = b->group_start[g], n = b->group_start[g + 1] - first;
    int64_t fastest = INT64_MAX;
    double variance = 0;
    for (int i = 0; i < n; i++) {
        y[i] = log((double)ns[i]);
        if (ns[i] < fastest) fastest = ns[i];
    }
    const double mean = mean_of(y, n), base = mean_of(b->base + first, n);
    for (int i = 0; i < n; i++) variance += (y[i] - mean) * (y[i] - mean) / n;
    for (int i = 0; i < n; i++) {
        const int k = first + i;
        b->target[k] = (ag_real)(y[i] - b->base[k] - (absolute ? 0 : mean - base));
        b->sharp[k] = (ag_real)((spread == NESTS_YES ? 1 / (variance + 1e-3) : 1) / b->count);
        b->level[k] = (ag_real)(b->base[k] - base);
        b->speed[k] = (ag_real)((double)fastest / (double)ns[i]);
    }
}

static void put_targets(nests_batch *b, const nests_data *data, const nests_pick *pick, int spread)
{
    for (int g = 0; g < b->groups; g++) {
        const int64_t *runtime = data->group[pick[g].group].runtime;
        for (int i = 0; i < pick[g].count; i++) b->ns[i] = runtime[pick[g].item[i]];
        put_group(b, g, data->maker->absolute, spread);
        harness_ranks(b->rank + b->group_start[g], b->ns, pick[g].count, b->order);
    }
}

ag_status nests_batch_fill(nests_batch *b, const nests_data *data, const nests_scale *scale,
                           const nests_pick *pick, int groups, int spread, ag_failure *why)
{
    b->inputs = nests_scale_inputs(scale);
    if (read_rows(b, data, pick, groups, why) ||
        tpugraphs_block(&b->block, &b->room, b, lay_arrays, why))
        return why->status;
    put_parts(b, scale, pick);
    if (spread != NESTS_OPEN) put_targets(b, data, pick, spread);
    return AG_OK;
}

void nests_batch_free(nests_batch *b, const nests_maker *maker)
{
    for (int i = 0; i < b->parts; i++) maker->free_rows(&b->part[i]);
    harness_free(b->part);
    ag_free(b->block);
    *b = (nests_batch){0};
}

ag_status nests_scale_fit(nests_scale *s, const nests_set *set, ag_failure *why)
{
    const nests_data *data = &set->data;
    nests_rows rows = {0};
    for (int g = 0; g < data->groups && harness_go_on(why); g++) {
        const int *item = nests_list(&set->train, g), all = nests_count(&set->train, g);
        const int n = all < NESTS_FITTED ? all : NESTS_FITTED;
        if (n && !data->maker->rows(&rows, data, g, item, n, why))
            nests_scale_add_items(s, &rows, data->group[g].runtime, item);
    }
    nests_scale_end(s);
    data->maker->free_rows(&rows);
    return why->status;
}
