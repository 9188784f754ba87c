/* SPDX-License-Identifier: MIT */
/* Boosted trees on rows: fitted, kept as plain arrays, and scored with. */
#include "examples/harness/baseline/additive.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/nests/model.h"
#include "examples/nests/steps.h"

#include <math.h>
#include <string.h>

enum { MOST_ITEMS = 65536, MOST_CELLS = 1 << 26 /* rows x columns, and counts of rows */ };

static int columns_of(const nests_scale *s) { return s->columns + (s->words > 0); }

typedef struct table {
    harness_additive_group *group; /* [groups] */
    nests_rows *rows;              /* [groups] */
    ag_arena *memory;              /* of group->y and, where there are words, of group->x */
    int groups;
    int64_t cells;
} table;

static void forget(table *t)
{
    for (int g = 0; g < t->groups; g++) nests_rows_free(&t->rows[g]);
    ag_arena_reset(t->memory);
    t->groups = 0;
    t->cells = 0;
}

static void close_table(table *t)
{
    forget(t);
    ag_arena_free(t->memory);
    harness_free(t->group);
    harness_free(t->rows);
}

/* Columns, then the word if there are any; [columns_of]. */
static void put_row(float *to, const nests_scale *s, const nests_rows *r, int row)
{
    const size_t columns = (size_t)s->columns;
    memcpy(to, r->x + (size_t)row * columns, columns * sizeof *to);
    if (s->words) to[columns] = r->word ? (float)r->word[row] : 0;
}

static const float *join_words(ag_arena **memory, const nests_scale *s, const nests_rows *r)
{
    const size_t columns = (size_t)columns_of(s);
    if (!s->words) return r->x;
    float *x = HARNESS_TAKE(memory, x, (size_t)r->rows * columns);
    for (int i = 0; i < r->rows; i++) put_row(x + (size_t)i * columns, s, r, i);
    return x;
}

static ag_status add_group(table *t, const nests_set *set, int g, int quota, const nests_model *m,
                           const nests_settings *s, ag_failure *why)
{
    const nests_data *data = &set->data;
    const nests_scale *scale = &m->scale;
    nests_rows *r = &t->rows[t->groups];
    const int all = nests_count(&set->train, g);
    int *item = HARNESS_NEW(item, all);
    int32_t *order = HARNESS_NEW(order, all);
    const int n =
        nests_choose(item, order, set, g, quota, (uint64_t)s->harness.common.seed, (uint64_t)g);
    if (n && !data->maker->rows(r, data, g, item, n, why)) {
        double *y = HARNESS_TAKE(&t->memory, y, n);
        for (int i = 0; i < n; i++) y[i] = log((double)data->group[g].runtime[item[i]]);
        for (int i = 0; i < r->rows; i++) r->work[i] *= exp(scale->offset);
        t->cells += (int64_t)r->rows * columns_of(scale) + r->first[n];
        t->group[t->groups++] = (harness_additive_group){.rows = r->rows,
                                                         .items = n,
                                                         .x = join_words(&t->memory, scale, r),
                                                         .work = r->work,
                                                         .always = r->always,
                                                         .first = r->first,
                                                         .row = r->row,
                                                         .times = r->times,
                                                         .y = y,
                                                         .weight = s->spread == NESTS_YES ? 0 : n,
                                                         .limit = s->huber,
                                                         .absolute = data->maker->absolute};
    }
    harness_free(order);
    harness_free(item);
    return why->status;
}

/* Reads fewer and fewer items of each group, until they are within the limits; two of each are
   always read. */
static ag_status open_table(table *t, const nests_set *set, const nests_model *m,
                            const nests_settings *s, ag_failure *why)
{
    const nests_data *data = &set->data;
    const size_t n = (size_t)data->groups + 1;
    int quota = 2 * MOST_ITEMS / (data->groups ? data->groups : 1);
    *t = (table){.group = HARNESS_NEW(t->group, n), .rows = HARNESS_NEW(t->rows, n)};
    do {
        quota = quota / 2 < 2 ? 2 : quota / 2;
        forget(t);
        for (int g = 0;
             g < data->groups && harness_go_on(why) && (t->cells <= MOST_CELLS || quota == 2); g++)
            add_group(t, set, g, quota, m, s, why);
    } while (!why->status && t->cells > MOST_CELLS && quota > 2);
    return why->status;
}

/* The bags that are being fitted. */
typedef struct fitting {
    harness_progress bar;
    int bag, bags;
} fitting;

static int watch(void *context, const char *label, double done)
{
    fitting *f = context;
    (void)label;
    harness_progress_update(&f->bar, (int64_t)((f->bag + done) * 100 / f->bags), NULL);
    return harness_interrupted();
}

static ag_status fit_bags(nests_model *m, const table *t, const nests_settings *s, ag_failure *why)
{
    fitting f = {.bags = s->bags};
    harness_boosting_options o = {.rounds = s->trees,
                                  .depth = s->depth,
                                  .rate = s->tree_rate,
                                  .columns = s->tree_columns,
                                  .least_leaf = s->least_leaf,
                                  .order = s->order,
                                  .top = s->top,
                                  .progress = watch,
                                  .context = &f};
    harness_log("fitting %d trees", m->trees.count);
    harness_progress_start(&f.bar, "trees", 0, 100);
    for (; f.bag < f.bags && !why->status; f.bag++) {
        /* no other seed has these: there are at most 16 bags */
        o.seed = (uint64_t)s->harness.common.seed * NESTS_MOST_BAGS + (uint64_t)f.bag;
        harness_boosting *a =
            harness_additive_fit(t->group, t->groups, columns_of(&m->scale), &o, why);
        if (a && harness_go_on(why)) harness_trees_take(&m->trees, f.bag * o.rounds, a, why);
        harness_boosting_free(a);
    }
    harness_progress_end(&f.bar);
    return why->status;
}

ag_status nests_trees_fit(nests_model *m, const nests_set *set, const nests_settings *s,
                          ag_failure *why)
{
    const int leaves = m->trees.count * (harness_trees_nodes(&m->trees) + 1);
    table t = {0};
    if (!harness_boosting_built())
        return ag_fail(why, AG_EUSE,
                       "this build has no libxgboost, which fits the trees; take --fit network");
    if (!open_table(&t, set, m, s, why)) fit_bags(m, &t, s, why);
    for (int i = 0; i < leaves; i++) m->trees.leaf[i] /= (float)s->bags;
    close_table(&t);
    return why->status;
}

/* cost [rows]: work times the factor. Returns what all items count alike. */
static double price_rows(double *cost, float *row, const nests_model *m, const nests_rows *r)
{
    double alike = 0;
    for (int i = 0; i < r->rows; i++) {
        put_row(row, &m->scale, r, i);
        cost[i] = r->work[i] * exp(harness_trees_sum(&m->trees, 0, m->trees.count, row));
        if (r->always) alike += (double)r->always[i] * cost[i];
    }
    return alike;
}

void nests_trees_score(double *value, const nests_model *m, const nests_batch *b)
{
    float *row = HARNESS_NEW(row, (size_t)m->scale.columns + 1);
    for (int g = 0; g < b->groups; g++) {
        const nests_rows *r = &b->part[g];
        nests_rows priced = *r;
        priced.work = HARNESS_NEW(priced.work, r->rows);
        const double before = nests_alike_work(r), alike = price_rows(priced.work, row, m, r);
        for (int k = 0, i = b->group_start[g]; i < b->group_start[g + 1]; k++, i++)
            value[i] = nests_log_work(&priced, k, alike) - nests_log_work(r, k, before);
        harness_free(priced.work);
    }
    harness_free(row);
}
