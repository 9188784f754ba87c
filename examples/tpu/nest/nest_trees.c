/* SPDX-License-Identifier: MIT */
#include "examples/tpu/nest/nest_trees.h"
#include "examples/harness/harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_BAGS = 16 };

struct tpu_nest_trees {
    int bags;
    double scale; /* of the prices, as a start */
    harness_boosting *bag[MOST_BAGS];
};

tpu_nest_trees_options tpu_nest_trees_defaults(tpu_task task)
{
    return (tpu_nest_trees_options){.bags = 3,
                                    .rows = 16384,
                                    .trees = {.rounds = 600,
                                              .depth = task == TPU_TILE ? 4 : 5,
                                              .rate = 0.1,
                                              .columns = 0.5,
                                              .least_leaf = 20}};
}

/* ---- training rows ---- */

/* The configurations of all kernels: of tiles a group per kernel, of fusion a single group. */
typedef struct table {
    harness_additive_group *group; /* [groups] */
    tpu_rows *rows;                /* [groups] */
    int **row;                     /* [groups] 0, 1, 2 ... */
    double **y;                    /* [groups] ln ns */
    int groups;
} table;

static void table_close(table *t)
{
    for (int i = 0; i < t->groups; i++) {
        tpu_rows_free(&t->rows[i]);
        harness_free(t->row[i]);
        harness_free(t->y[i]);
    }
    harness_free(t->group);
    harness_free(t->rows);
    harness_free(t->row);
    harness_free(t->y);
}

/* Appends the rows of `more` to those of `all`. */
static void join(tpu_rows *all, const tpu_rows *more)
{
    const int at = all->configs ? all->first[all->configs] : 0, n = more->first[more->configs];
    if (at + n > all->room) {
        const size_t room = (size_t)(all->room = 2 * (at + n));
        all->x = harness_grow(all->x, room * TPU_NEST_COLUMNS * sizeof *all->x);
        all->price = harness_grow(all->price, room * sizeof *all->price);
    }
    memcpy(all->x + (size_t)at * TPU_NEST_COLUMNS, more->x,
           (size_t)n * TPU_NEST_COLUMNS * sizeof *all->x);
    memcpy(all->price + at, more->price, (size_t)n * sizeof *all->price);
    all->first[++all->configs] = at + n;
}

static void point(table *t, int i, double limit, int absolute)
{
    const tpu_rows *r = &t->rows[i];
    const int rows = r->first[r->configs];
    t->row[i] = harness_alloc(((size_t)rows + 1) * sizeof **t->row);
    for (int k = 0; k < rows; k++) t->row[i][k] = k;
    t->group[i] = (harness_additive_group){.rows = rows,
                                           .items = r->configs,
                                           .x = r->x,
                                           .work = r->price,
                                           .first = r->first,
                                           .row = t->row[i],
                                           .y = t->y[i],
                                           .weight = r->configs,
                                           .limit = limit,
                                           .absolute = absolute};
}

static void table_open(table *t, int groups)
{
    const size_t n = (size_t)groups + 1;
    *t = (table){.group = harness_alloc(n * sizeof *t->group),
                 .rows = harness_alloc(n * sizeof *t->rows),
                 .row = harness_alloc(n * sizeof *t->row),
                 .y = harness_alloc(n * sizeof *t->y)};
}

static void read_tiles(table *t, const tpu_kernel *const *train, int count, int every)
{
    int seen = 0;
    table_open(t, count);
    for (int i = 0; i < count; i++) {
        const tpu_kernel *k = train[i];
        if (!k->runtime) continue;
        const int from = (every - seen % every) % every, g = t->groups;
        seen += k->configs;
        if (from >= k->configs) continue;
        tpu_rows_set(&t->rows[g], k, from, every);
        t->y[g] = harness_alloc((size_t)t->rows[g].configs * sizeof **t->y);
        for (int c = 0; c < t->rows[g].configs; c++)
            t->y[g][c] = log(fmax(1, (double)k->runtime[from + c * every]));
        point(t, t->groups++, 0, 0);
    }
}

static void read_kernels(table *t, const tpu_kernel *const *train, int count, int every)
{
    static const double limit = 0.1;
    tpu_rows one = {0};
    int seen = 0;
    table_open(t, 1);
    tpu_rows *all = &t->rows[0];
    all->first = harness_alloc(((size_t)count + 1) * sizeof *all->first);
    t->y[0] = harness_alloc(((size_t)count + 1) * sizeof **t->y);
    for (int i = 0; i < count; i++) {
        if (!train[i]->runtime || train[i]->runtime[0] <= 0 || seen++ % every) continue;
        tpu_rows_set(&one, train[i], 0, 1);
        t->y[0][all->configs] = log((double)train[i]->runtime[0]);
        join(all, &one);
    }
    tpu_rows_free(&one);
    if (all->configs) point(t, t->groups++, limit, 1);
}

/* The mean of ln(run time / price), so that trees start near the run times. */
static double mean_scale(const table *t)
{
    double sum = 0, n = 0;
    for (int g = 0; g < t->groups; g++)
        for (int i = 0; i < t->group[g].items; i++, n++)
            sum += t->y[g][i] - tpu_rows_log_price(&t->rows[g], i);
    return n > 0 ? exp(sum / n) : 1;
}

static void scale_prices(const table *t, double scale)
{
    for (int g = 0; g < t->groups; g++)
        for (int r = 0; r < t->group[g].rows; r++) t->rows[g].price[r] *= scale;
}

/* ---- fit ---- */

static ag_status stopped(const harness_boosting *trees, int rounds, ag_failure *why)
{
    if (!trees || harness_boosting_trees(trees) == rounds) return why->status;
    return ag_fail(why, AG_ESTOPPED,
                   "boosting: stopped after %d of %d trees; let it run, or ask for fewer",
                   harness_boosting_trees(trees), rounds);
}

tpu_nest_trees *tpu_nest_trees_fit(const tpu_kernel *const *train, int count,
                                   const tpu_nest_trees_options *options, ag_failure *why)
{
    int64_t configs = 0;
    table t;
    for (int i = 0; i < count; i++) configs += train[i]->runtime ? train[i]->configs : 0;
    const int every = (int)((configs - 1) / (options->rows > 0 ? options->rows : 1)) + 1;
    if (count && train[0]->tile)
        read_tiles(&t, train, count, configs ? every : 1);
    else
        read_kernels(&t, train, count, configs ? every : 1);
    tpu_nest_trees *trees = harness_alloc(sizeof *trees);
    trees->scale = mean_scale(&t);
    scale_prices(&t, trees->scale);
    harness_boosting_options o = options->trees;
    for (; trees->bags < options->bags && trees->bags < MOST_BAGS && !why->status; trees->bags++) {
        trees->bag[trees->bags] =
            harness_additive_fit(t.group, t.groups, TPU_NEST_COLUMNS, &o, why);
        stopped(trees->bag[trees->bags], o.rounds, why);
        o.seed++;
    }
    table_close(&t);
    if (!why->status) return trees;
    tpu_nest_trees_free(trees);
    return NULL;
}

ag_status tpu_nest_trees_score(double *score, tpu_nest_trees *trees, const tpu_kernel *kernel,
                               ag_failure *why)
{
    double *one = harness_alloc((size_t)kernel->configs * sizeof *one);
    table t;
    table_open(&t, 1);
    t.groups = 1;
    tpu_rows_set(&t.rows[0], kernel, 0, 1);
    point(&t, 0, 0, 0);
    scale_prices(&t, trees->scale);
    for (int c = 0; c < kernel->configs; c++) score[c] = 0;
    for (int b = 0; b < trees->bags && !why->status; b++) {
        harness_additive_score(one, trees->bag[b], &t.group[0], why);
        for (int c = 0; c < kernel->configs; c++) score[c] += one[c] / trees->bags;
    }
    table_close(&t);
    harness_free(one);
    return why->status;
}

int tpu_nest_trees_count(const tpu_nest_trees *trees)
{
    return trees->bags ? harness_boosting_trees(trees->bag[0]) : 0;
}

/* ---- kept trees ---- */

/* The scale of the prices goes into the leaves of the first tree, of which each nest reaches one.
 */
static void average(harness_trees *kept, int bags, double scale)
{
    const int leaves = harness_trees_nodes(kept) + 1;
    for (int i = 0; i < kept->count * leaves; i++) kept->leaf[i] /= (float)bags;
    for (int i = 0; i < leaves; i++) kept->leaf[i] += (float)log(scale);
}

ag_status tpu_nest_trees_keep(harness_trees *kept, tpu_nest_trees *trees, ag_failure *why)
{
    for (int b = 0; b < trees->bags && !why->status; b++)
        harness_trees_take(kept, b * kept->count / trees->bags, trees->bag[b], why);
    if (!why->status) average(kept, trees->bags, trees->scale);
    return why->status;
}

double tpu_nest_trees_log_time(const harness_trees *kept, const tpu_rows *rows, int config)
{
    double time = 0;
    for (int e = rows->first[config]; e < rows->first[config + 1]; e++)
        time += rows->price[e] * exp(harness_trees_sum(kept, 0, kept->count,
                                                       rows->x + (size_t)e * TPU_NEST_COLUMNS));
    return log(fmax(time, DBL_MIN));
}

void tpu_nest_trees_free(tpu_nest_trees *trees)
{
    for (int b = 0; trees && b < trees->bags; b++) harness_boosting_free(trees->bag[b]);
    harness_free(trees);
}
