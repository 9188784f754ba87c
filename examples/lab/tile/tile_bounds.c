/* SPDX-License-Identifier: MIT */
/* The tiles that a kernel can have, and its default tile. */
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

static int is_product(const tile_items *t)
{
    if (t->reduction < 0) return 0;
    const lab_op op = t->item[t->reduction].node->op;
    return op == LAB_DOT || op == LAB_CONVOLUTION;
}

/* The cost of tiles of these bounds. Leaves the items that they have, with copies. */
static tpugraphs_cost cost_of(void *items, const tpugraphs_bounds *bounds)
{
    tile_items *t = items;
    double uses[2];
    tile_items_build(t, t->kernel, 0);
    const tpugraphs_cost cost = tile_estimate(uses, t, bounds);
    const unsigned copies =
        (uses[0] >= TPUGRAPHS_TILE_USES) | (unsigned)(uses[1] >= TPUGRAPHS_TILE_USES) << 1;
    if (!copies || !is_product(t) || !tile_items_build(t, t->kernel, copies)) return cost;
    return tile_estimate(uses, t, bounds);
}

/* The cost of the kernel when nothing is computed twice. Its root is written whatever its op is. */
static double least_work(const lab_program *kernel)
{
    const lab_node *root = &kernel->nodes[kernel->n - 1];
    const int copies = root->op == LAB_PARAMETER || root->op == LAB_CONSTANT;
    return lab_program_work(kernel) + (copies ? (double)lab_elements(root->shape) : 0);
}

_Static_assert(LAB_RANK == 6, "ones below");
static const tpugraphs_bounds all_ones = {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};

int tile_default(tpugraphs_bounds *bounds, tile_items *t, const lab_program *kernel)
{
    double blocked[LAB_RANK];
    if (!tile_items_build(t, kernel, 0) || cost_of(t, &all_ones).scratch > TPUGRAPHS_TILE_SCRATCH)
        return 0;
    for (int a = 0; a < t->n_blocked; a++) blocked[a] = t->blocked[a];
    const lab_shape *out = &kernel->nodes[kernel->n - 1].shape;
    const tpugraphs_cut cut = {out->rank,     t->n_blocked,       out->size, blocked,
                               is_product(t), least_work(kernel), cost_of,   t};
    const tpugraphs_cost cost = tpugraphs_default_tile(bounds, &cut);
    return tpugraphs_affordable(&cost, cut.least);
}

/* Sum and product as in TpuGraphs: 0 without bounds. Both saturate at INT_MAX. */
static void total(int *sum, int *product, const int *bound, int n)
{
    int64_t all = 0, each = n > 0;
    for (int a = 0; a < n; a++) {
        all += bound[a];
        each = each * bound[a] > INT_MAX ? INT_MAX : each * bound[a];
    }
    *sum = all > INT_MAX ? INT_MAX : (int)all;
    *product = (int)each;
}

static void write_bounds(int *part, const double *bound, int n)
{
    for (int a = 0; a < n; a++) part[a] = (int)bound[a];
    total(&part[6], &part[7], part, n);
}

void tile_write(int *tile, const tpugraphs_bounds *bounds, const tile_items *t)
{
    memset(tile, 0, TILE_BOUNDS * sizeof *tile);
    write_bounds(tile, bounds->blocked, t->n_blocked);
    write_bounds(tile + 8, bounds->out, t->item[t->root].rank);
}

static ag_status check_bounds(const int *part, const int *size, int n, const char *what,
                              const lab_program *kernel, ag_failure *why)
{
    int sum, product;
    for (int a = 0; a < LAB_RANK; a++) {
        const int most = a < n ? size[a] : 0;
        if (part[a] < (a < n) || part[a] > most)
            return ag_fail(why, AG_EINDEX,
                           "kernel %.63s: bound %d of the tile's %s is %d; %d to %d are possible",
                           kernel->name, a, what, part[a], a < n, most);
    }
    total(&sum, &product, part, n);
    if (part[6] != sum || part[7] != product)
        return ag_fail(why, AG_EDATA,
                       "kernel %.63s: sum and product of the tile's %s are %d and %d, but %d and "
                       "%d follow from its bounds",
                       kernel->name, what, part[6], part[7], sum, product);
    return AG_OK;
}

static ag_status refuse(const tpugraphs_cost *cost, const lab_program *kernel, ag_failure *why)
{
    const double least = least_work(kernel);
    if (cost->scratch > TPUGRAPHS_TILE_SCRATCH)
        return ag_fail(why, AG_EUSE,
                       "kernel %.63s: the tile needs %lld floats of scratch; %d are possible, so "
                       "make it smaller",
                       kernel->name, (long long)cost->scratch, TPUGRAPHS_TILE_SCRATCH);
    return ag_fail(why, AG_EUSE,
                   "kernel %.63s: the tile makes %.0f steps and %.3g operations of a kernel that "
                   "needs %.3g; at most %d times as many are possible, and at most %d steps of %d "
                   "or more unless there are %d or fewer, so make it larger",
                   kernel->name, cost->steps, cost->work, least, TPUGRAPHS_TILE_REPEATED,
                   TPUGRAPHS_TILE_MOST_STEPS, TPUGRAPHS_TILE_STEP_WORK, TPUGRAPHS_TILE_FEW_STEPS);
}

ag_status tile_read(tpugraphs_bounds *bounds, tile_items *t, const lab_program *kernel,
                    const int *tile, ag_failure *why)
{
    *bounds = all_ones;
    if (tile ? !tile_items_build(t, kernel, 0) : !tile_default(bounds, t, kernel))
        return ag_fail(why, AG_EUSE,
                       "kernel %.63s cannot be cut in tiles; lab_fusible tells which can",
                       kernel->name);
    if (!tile) return AG_OK;
    const tile_item *root = &t->item[t->root];
    if (check_bounds(tile, t->blocked, t->n_blocked, "reduction", kernel, why) ||
        check_bounds(tile + 8, root->size, root->rank, "output", kernel, why))
        return why->status;
    for (int i = 16; i < TILE_BOUNDS; i++)
        if (tile[i])
            return ag_fail(why, AG_EDATA, "kernel %.63s: number %d of the tile is %d; 0 is due",
                           kernel->name, i, tile[i]);
    for (int a = 0; a < root->rank; a++) bounds->out[a] = tile[8 + a];
    for (int a = 0; a < t->n_blocked; a++) bounds->blocked[a] = tile[a];
    const tpugraphs_cost cost = cost_of(t, bounds);
    const double least = least_work(kernel);
    if (!tpugraphs_affordable(&cost, least)) return refuse(&cost, kernel, why);
    if (tpugraphs_few_steps(&cost, least)) return AG_OK;
    tpugraphs_bounds standard; /* the default tile is valid even with many steps */
    if (!tile_default(&standard, t, kernel) || memcmp(&standard, bounds, sizeof standard))
        return refuse(&cost, kernel, why);
    cost_of(t, bounds);
    return AG_OK;
}
