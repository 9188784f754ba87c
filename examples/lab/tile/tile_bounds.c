/* SPDX-License-Identifier: MIT */
/* The tiles that a kernel can have, and its default tile. */
#include "examples/lab/tile/tile_plan.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

static int is_product(const tile_items *t)
{
    return t->reduction >= 0 && nest_node_kind(t->item[t->reduction].node) == NEST_DOT;
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

/* Bounds, then sum and product as in TpuGraphs: 0 without bounds. Both saturate at INT_MAX. */
static void write_bounds(int *part, const double *bound, int n)
{
    double sum = 0, product = n > 0;
    for (int a = 0; a < n; a++) {
        part[a] = (int)bound[a];
        sum += bound[a];
        product *= bound[a];
    }
    part[6] = (int)fmin(sum, INT_MAX);
    part[7] = (int)fmin(product, INT_MAX);
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
    for (int a = 0; a < n; a++)
        if (part[a] < 1 || part[a] > size[a])
            return ag_fail(why, AG_EINDEX,
                           "kernel %.63s: bound %d of the tile's %s is %d; 1 to %d are possible",
                           kernel->name, a, what, part[a], size[a]);
    return AG_OK;
}

static ag_status refuse(const tpugraphs_cost *cost, const lab_program *kernel, ag_failure *why)
{
    return ag_fail(why, AG_EUSE,
                   "kernel %.63s: the tile needs %.0f floats of scratch, makes %.0f steps and %.3g "
                   "operations of a kernel that needs %.3g; possible are %d floats, %d times as "
                   "many operations, and %d steps of %d or more, or %d of any",
                   kernel->name, cost->scratch, cost->steps, cost->work, least_work(kernel),
                   TPUGRAPHS_TILE_SCRATCH, TPUGRAPHS_TILE_REPEATED, TPUGRAPHS_TILE_MOST_STEPS,
                   TPUGRAPHS_TILE_STEP_WORK, TPUGRAPHS_TILE_FEW_STEPS);
}

ag_status tile_read(tpugraphs_bounds *bounds, tile_items *t, const lab_program *kernel,
                    const int *tile, ag_failure *why)
{
    int follows[TILE_BOUNDS];
    tpugraphs_bounds standard; /* the default tile is valid even with many steps */
    const double least = least_work(kernel);
    *bounds = all_ones;
    if (tile ? !tile_items_build(t, kernel, 0) : !tile_default(bounds, t, kernel))
        return ag_fail(why, AG_EUSE, "kernel %.63s cannot be cut in tiles", kernel->name);
    if (!tile) return AG_OK;
    const tile_item *root = &t->item[t->root];
    if (check_bounds(tile, t->blocked, t->n_blocked, "reduction", kernel, why) ||
        check_bounds(tile + 8, root->size, root->rank, "output", kernel, why))
        return why->status;
    for (int a = 0; a < root->rank; a++) bounds->out[a] = tile[8 + a];
    for (int a = 0; a < t->n_blocked; a++) bounds->blocked[a] = tile[a];
    tile_write(follows, bounds, t);
    if (memcmp(follows, tile, sizeof follows) != 0)
        return ag_fail(why, AG_EDATA,
                       "kernel %.63s: sums, products and zeros of the tile do not follow from its "
                       "bounds",
                       kernel->name);
    const tpugraphs_cost cost = cost_of(t, bounds);
    if (!tpugraphs_affordable(&cost, least)) return refuse(&cost, kernel, why);
    if (tpugraphs_few_steps(&cost, least)) return AG_OK;
    if (!tile_default(&standard, t, kernel) || memcmp(&standard, bounds, sizeof standard))
        return refuse(&cost, kernel, why);
    cost_of(t, bounds);
    return AG_OK;
}
