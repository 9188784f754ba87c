/* SPDX-License-Identifier: MIT */
/* The tiles that a kernel can have, and its default tile. */
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

enum {
    USES = 16,        /* operands whose elements a step uses this often are copied to scratch */
    REPEATED = 8,     /* work of a tile at most, as a multiple of the least possible */
    FEW_STEPS = 64,   /* a tile with more steps than this */
    STEP_WORK = 1024, /* does at least so much work in each of them */
    MOST_STEPS = 8192 /* and never has more steps than this */
};

static int is_product(const tile_items *t)
{
    if (t->reduction < 0) return 0;
    const lab_op op = t->item[t->reduction].node->op;
    return op == LAB_DOT || op == LAB_CONVOLUTION;
}

/* The items of a kernel for tiles of these bounds, and their cost. 0: it cannot be tiled. */
static int prepare(tile_items *t, tile_cost *cost, const lab_program *kernel,
                   const tile_bounds *bounds)
{
    if (!tile_items_build(t, kernel, 0)) return 0;
    tile_estimate(cost, t, bounds);
    if (!is_product(t)) return 1;
    const unsigned copies = (cost->uses[0] >= USES) | (unsigned)(cost->uses[1] >= USES) << 1;
    if (!copies) return 1;
    if (!tile_items_build(t, kernel, copies)) return 0;
    tile_estimate(cost, t, bounds);
    return 1;
}

/* The cost of the kernel when nothing is computed twice. Its root is written whatever its op is. */
static double least_work(const lab_program *kernel)
{
    const lab_node *root = &kernel->nodes[kernel->n - 1];
    const int copies = root->op == LAB_PARAMETER || root->op == LAB_CONSTANT;
    return lab_program_work(kernel) + (copies ? (double)lab_elements(root->shape) : 0);
}

_Static_assert(LAB_RANK == 6, "ones below");
static const tile_bounds all_ones = {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};

/* Enlarges one bound towards `target`, as far as the scratch allows. */
static void enlarge(tile_bounds *bounds, int *bound, int size, int target, tile_items *t,
                    const lab_program *kernel, int64_t scratch)
{
    const int old = *bound;
    tile_cost cost;
    for (*bound = target < size ? target : size; *bound > old; *bound /= 2) {
        prepare(t, &cost, kernel, bounds);
        if (cost.scratch <= scratch) return;
    }
    *bound = old;
}

/* First enlarges to a block that gives each loop work, then the most minor axis as far as possible,
   then the reduction, then the other axes. Products run along the most minor axis all the time. */
static void enlarge_all(tile_bounds *bounds, tile_items *t, const lab_program *kernel,
                        int64_t scratch)
{
    const lab_shape shape = kernel->nodes[kernel->n - 1].shape;
    const int n = t->n_blocked, minor = shape.rank - 1;
    int size[LAB_RANK];
    memcpy(size, t->blocked, sizeof size);
    for (int round = 0; round < 2; round++) {
        const int whole = round ? LAB_ELEMENTS : 64, wide = !round && is_product(t) ? 256 : whole;
        if (minor >= 0)
            enlarge(bounds, &bounds->out[minor], shape.size[minor], wide, t, kernel, scratch);
        for (int a = n - 1; a >= 0; a--)
            enlarge(bounds, &bounds->blocked[a], size[a], whole, t, kernel, scratch);
        for (int a = minor - 1; a >= 0; a--)
            enlarge(bounds, &bounds->out[a], shape.size[a], round ? whole : 8, t, kernel, scratch);
    }
}

/* 1 if the tile is neither too large nor recomputes too much. */
static int affordable(const tile_cost *cost, double least)
{
    return cost->scratch <= TILE_SCRATCH && cost->work <= REPEATED * least;
}

static int few_steps(const tile_cost *cost, double least)
{
    return cost->steps <= FEW_STEPS ||
           (cost->steps <= MOST_STEPS && cost->steps * STEP_WORK <= least);
}

int tile_default(tile_bounds *bounds, tile_items *t, tile_cost *cost, const lab_program *kernel)
{
    *bounds = all_ones;
    if (!prepare(t, cost, kernel, bounds) || cost->scratch > TILE_SCRATCH) return 0;
    enlarge_all(bounds, t, kernel, TILE_DEFAULT_SCRATCH);
    prepare(t, cost, kernel, bounds);
    const double least = least_work(kernel);
    for (int64_t scratch = 2 * TILE_DEFAULT_SCRATCH;
         scratch <= TILE_SCRATCH && !(affordable(cost, least) && few_steps(cost, least));
         scratch *= 2) {
        enlarge_all(bounds, t, kernel, scratch);
        prepare(t, cost, kernel, bounds);
    }
    return affordable(cost, least);
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

static void write_bounds(int *part, const int *bound, int n)
{
    memcpy(part, bound, (size_t)n * sizeof *part);
    total(&part[6], &part[7], bound, n);
}

void tile_write(int *tile, const tile_bounds *bounds, const tile_items *t)
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

static ag_status refuse(const tile_cost *cost, const lab_program *kernel, ag_failure *why)
{
    const double least = least_work(kernel);
    if (cost->scratch > TILE_SCRATCH)
        return ag_fail(why, AG_EUSE,
                       "kernel %.63s: the tile needs %lld floats of scratch; %d are possible, so "
                       "make it smaller",
                       kernel->name, (long long)cost->scratch, TILE_SCRATCH);
    return ag_fail(why, AG_EUSE,
                   "kernel %.63s: the tile makes %.0f steps and %.3g operations of a kernel that "
                   "needs %.3g; at most %d times as many are possible, and at most %d steps of %d "
                   "or more unless there are %d or fewer, so make it larger",
                   kernel->name, cost->steps, cost->work, least, REPEATED, MOST_STEPS, STEP_WORK,
                   FEW_STEPS);
}

ag_status tile_read(tile_bounds *bounds, tile_items *t, const lab_program *kernel, const int *tile,
                    ag_failure *why)
{
    tile_cost cost;
    *bounds = all_ones;
    if (tile ? !tile_items_build(t, kernel, 0) : !tile_default(bounds, t, &cost, kernel))
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
    prepare(t, &cost, kernel, bounds);
    const double least = least_work(kernel);
    if (!affordable(&cost, least)) return refuse(&cost, kernel, why);
    if (few_steps(&cost, least)) return AG_OK;
    tile_bounds standard; /* the default tile is valid even with many steps */
    tile_cost other;
    if (!tile_default(&standard, t, &other, kernel) || memcmp(&standard, bounds, sizeof standard))
        return refuse(&cost, kernel, why);
    return prepare(t, &cost, kernel, bounds) ? AG_OK : AG_EUSE;
}
