/* SPDX-License-Identifier: MIT */
/* Fills a batch with rows, counts and targets of items, and fits the scale of rows. */
#include "examples/nests/batch.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/draws.h"

#include <math.h>

/* ln of what an item without rows takes, in units of its work: almost nothing. */
#define NOTHING -46.0

/* Reads the rows of all groups, and counts them. */
static ag_status read_rows(nests_batch *b, const nests_data *data, const nests_pick *pick,
                           int groups, ag_failure *why)
{
    int64_t rows = 0, entries = 0, alike = 0;
    bool any = false;
    b->count = 0;
    while (bag_count(b->part) < groups) bag_add(b->part, (nests_rows){0});
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

static void take_arrays(nests_batch *b)
{
    ag_arena **m = &b->memory;
    ag_arena_reset(*m);
    b->x = HARNESS_TAKE(m, b->x, (int64_t)b->rows * b->inputs);
    b->word = HARNESS_TAKE(m, b->word, b->rows);
    b->at = HARNESS_TAKE(m, b->at, b->entries);
    b->weight = HARNESS_TAKE(m, b->weight, b->entries);
    b->start = HARNESS_TAKE(m, b->start, b->items + 1);
    b->alike_at = HARNESS_TAKE(m, b->alike_at, b->alike);
    b->alike_weight = HARNESS_TAKE(m, b->alike_weight, b->alike);
    b->alike_start = HARNESS_TAKE(m, b->alike_start, b->groups + 1);
    b->base = HARNESS_TAKE(m, b->base, b->items);
    b->group = HARNESS_TAKE(m, b->group, b->items);
    b->group_start = HARNESS_TAKE(m, b->group_start, b->groups + 1);
    b->rank = HARNESS_TAKE(m, b->rank, b->items);
    b->target = HARNESS_TAKE(m, b->target, b->items);
    b->sharp = HARNESS_TAKE(m, b->sharp, b->items);
    b->level = HARNESS_TAKE(m, b->level, b->items);
    b->speed = HARNESS_TAKE(m, b->speed, b->items);
    b->by_trees = HARNESS_TAKE(m, b->by_trees, b->items);
    b->ns = HARNESS_TAKE(m, b->ns, b->items);
    b->y = HARNESS_TAKE(m, b->y, b->items);
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
    harness_timed *order = HARNESS_TAKE(&b->memory, order, b->items);
    for (int g = 0; g < b->groups; g++) {
        const int64_t *runtime = data->group[pick[g].group].runtime;
        for (int i = 0; i < pick[g].count; i++) b->ns[i] = runtime[pick[g].item[i]];
        put_group(b, g, data->maker->absolute, spread);
        harness_ranks(b->rank + b->group_start[g], b->ns, pick[g].count, order);
    }
}

ag_status nests_batch_fill(nests_batch *b, const nests_data *data, const nests_scale *scale,
                           const nests_pick *pick, int groups, int spread, ag_failure *why)
{
    b->inputs = nests_scale_inputs(scale);
    if (read_rows(b, data, pick, groups, why)) return why->status;
    take_arrays(b);
    put_parts(b, scale, pick);
    if (spread != NESTS_OPEN) put_targets(b, data, pick, spread);
    return AG_OK;
}

void nests_batch_free(void *batch)
{
    nests_batch *b = batch;
    for (int i = 0; i < bag_count(b->part); i++) nests_rows_free(&b->part[i]);
    bag_free(b->part);
    ag_arena_free(b->memory);
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
    nests_rows_free(&rows);
    return why->status;
}
