/* SPDX-License-Identifier: MIT */
/* Additive trees on the physical rows of layout files: a file is a group, a configuration an item.
 */
#include "examples/harness/harness.h"
#include "examples/tgraph/baseline/baseline_internal.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1024 }; /* configurations that are scored at a time */

/* The items and rows that are learned from. */
typedef struct groups {
    harness_additive_group *group; /* [count] */
    tgraph_rows *rows;             /* [count] */
    double *y;                     /* [items] */
    int32_t *order;                /* scratch: the configurations of a part, mixed */
    int count, items;
    int64_t cells, counts; /* rows x columns, and counts of rows, of all groups */
    int full;              /* they are too many */
} groups;

static void *take(size_t count, size_t size, ag_failure *why)
{
    const size_t bytes = ag_size_mul(count ? count : 1, size);
    void *block = ag_alloc(bytes);
    if (!block) harness_files_no_memory("additive trees", bytes, why);
    return block;
}

static harness_additive_group group_of(const tgraph_rows *r, const double *y)
{
    return (harness_additive_group){.rows = r->rows,
                                    .items = r->items,
                                    .x = r->x,
                                    .work = r->work,
                                    .always = r->always,
                                    .first = r->first,
                                    .row = r->row,
                                    .times = r->times,
                                    .y = y};
}

/* ---- the rows of a fit ---- */

static ag_status read_part(groups *g, const tgraph_baseline_part *part, int index, int quota,
                           const tgraph_baseline_options *o, ag_failure *why)
{
    tgraph_rows *rows = &g->rows[g->count++];
    double *y = g->y + g->items;
    const int n = tgraph_part_draw(g->order, part, index, quota, o->seed);
    *rows = (tgraph_rows){0};
    if (tgraph_rows_open(rows, &part->file->physical, why)) return why->status;
    for (int i = 0; i < n && !g->full; i++) {
        const int config = tgraph_part_config(part, g->order[i]);
        if (tgraph_rows_add_config(rows, part->file, config, why)) return why->status;
        y[i] = log((double)part->file->runtime[config]);
        const int64_t cells = g->cells + (int64_t)rows->rows * TGRAPH_ROW_COLUMNS;
        g->full = quota > 2 &&
                  (cells > o->most_cells || g->counts + rows->first[rows->items] > o->most_cells);
    }
    g->cells += (int64_t)rows->rows * TGRAPH_ROW_COLUMNS;
    g->counts += rows->first[rows->items];
    g->items += rows->items;
    g->group[g->count - 1] = group_of(rows, y);
    return AG_OK;
}

static void forget(groups *g)
{
    for (int i = 0; i < g->count; i++) tgraph_rows_close(&g->rows[i]);
    g->count = g->items = g->full = 0;
    g->cells = g->counts = 0;
}

static void groups_close(groups *g)
{
    forget(g);
    ag_free(g->group);
    ag_free(g->rows);
    ag_free(g->y);
    ag_free(g->order);
}

static ag_status groups_room(groups *g, int programs, int quota, const tgraph_baseline_part *parts,
                             int count, ag_failure *why)
{
    int largest = 0;
    for (int p = 0; p < count; p++) largest = parts[p].count > largest ? parts[p].count : largest;
    const size_t most = (size_t)(quota < largest ? quota : largest);
    g->group = take((size_t)programs, sizeof *g->group, why);
    g->rows = g->group ? take((size_t)programs, sizeof *g->rows, why) : NULL;
    g->y = g->rows ? take(ag_size_mul((size_t)programs, most), sizeof *g->y, why) : NULL;
    g->order = g->y ? take((size_t)largest, sizeof *g->order, why) : NULL;
    return why->status;
}

/* Reads with fewer and fewer configurations of each file, until they are within the limits; two of
   each are always read. */
static ag_status groups_open(groups *g, tgraph_fit *f, const tgraph_baseline_part *parts, int count,
                             int programs, ag_failure *why)
{
    const tgraph_baseline_options *o = f->options;
    int quota = o->most_rows / programs;
    quota = quota < 2 ? 2 : quota;
    if (groups_room(g, programs, quota, parts, count, why)) return why->status;
    do {
        if (g->full) quota = quota / 2 < 2 ? 2 : quota / 2;
        forget(g);
        for (int p = 0; p < count && !g->full && !why->status; p++)
            if (tgraph_part_usable(&parts[p]) &&
                !tgraph_fit_stop(f, "additive trees: rows", (double)p / count))
                read_part(g, &parts[p], p, quota, o, why);
    } while (g->full && !f->stopped && !why->status);
    return why->status;
}

/* ---- the fit ---- */

static int on_tree(void *context, const char *label, double done)
{
    (void)label;
    return tgraph_fit_stop(context, "additive trees", done);
}

static void describe(tgraph_fit *f, const groups *g, int64_t all)
{
    const tgraph_baseline_options *o = f->options;
    char *note = f->note[TGRAPH_BASELINE_ADDITIVE];
    int64_t rows = 0;
    for (int i = 0; i < g->count; i++) rows += g->rows[i].rows;
    snprintf(
        note, sizeof f->note[0],
        "a run time is a sum over loop nests: %d of %lld configurations of %d program%s, %lld "
        "rows of %d columns, %d trees of depth %d, rate %g, half of the columns each, settings "
        "chosen on validation files",
        g->items, (long long)all, g->count, g->count == 1 ? "" : "s", (long long)rows,
        TGRAPH_ROW_COLUMNS, o->additive_rounds, o->additive_depth, o->additive_rate);
}

static void grow(tgraph_fit *f, const groups *g, ag_failure *why)
{
    const tgraph_baseline_options *o = f->options;
    const harness_boosting_options trees = {.seed = o->seed,
                                            .rounds = o->additive_rounds,
                                            .depth = o->additive_depth,
                                            .rate = o->additive_rate,
                                            .columns = 0.5,
                                            .progress = on_tree,
                                            .context = f};
    f->additive = harness_additive_fit(g->group, g->count, TGRAPH_ROW_COLUMNS, &trees, why);
    if (!f->stopped) return;
    harness_boosting_free(f->additive);
    f->additive = NULL;
}

/* Running out of memory is a failure; after any other error this baseline is left out. */
ag_status tgraph_fit_additive(tgraph_fit *f, const tgraph_baseline_part *parts, int count,
                              ag_failure *why)
{
    groups g = {0};
    ag_failure failure = {0};
    const double start = harness_seconds();
    int programs = 0;
    int64_t all = 0;
    for (int p = 0; p < count; p++)
        if (tgraph_part_usable(&parts[p])) {
            programs++;
            all += parts[p].count;
        }
    if (!groups_open(&g, f, parts, count, programs, &failure) && !f->stopped) grow(f, &g, &failure);
    if (failure.status == AG_EMEMORY)
        ag_fail(why, failure.status, "%s", failure.sentence);
    else if (failure.status)
        snprintf(f->note[TGRAPH_BASELINE_ADDITIVE], sizeof f->note[0], "%.230s", failure.sentence);
    else if (!f->stopped)
        describe(f, &g, all);
    groups_close(&g);
    f->seconds[TGRAPH_BASELINE_ADDITIVE] = harness_seconds() - start;
    return why->status;
}

/* ---- scores ---- */

/* Adds configurations first .. first + count - 1 of the part. A program whose nests are all empty
   takes no time. */
static ag_status score_chunk(double *score, tgraph_fit *f, const tgraph_baseline_part *part,
                             int first, int count, ag_failure *why)
{
    tgraph_rows rows = {0};
    if (!tgraph_rows_open(&rows, &part->file->physical, why))
        for (int i = 0; i < count && !why->status; i++)
            tgraph_rows_add_config(&rows, part->file, tgraph_part_config(part, first + i), why);
    const harness_additive_group group = group_of(&rows, NULL);
    if (!why->status && rows.rows)
        harness_additive_score(score, f->additive, &group, why);
    else
        memset(score, 0, (size_t)count * sizeof *score);
    tgraph_rows_close(&rows);
    return why->status;
}

ag_status tgraph_fit_additive_score(double *score, tgraph_fit *f, const tgraph_baseline_part *part,
                                    ag_failure *why)
{
    for (int first = 0; first < part->count && !why->status; first += CHUNK) {
        const int n = part->count - first < CHUNK ? part->count - first : CHUNK;
        score_chunk(score + first, f, part, first, n, why);
    }
    return why->status;
}
