/* SPDX-License-Identifier: MIT */
/* Draws tiles: each bound is a power of two or the whole axis. Inner loops shorter than a vector
   are never worth measuring, so the most minor axes start at eight. */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

enum { TRIES = 16, MOST = 1 << 20 };

/* The axes that are cut, those of the output first. */
typedef struct axes {
    int n, rank, size[2 * LAB_RANK], choices[2 * LAB_RANK];
    int least[2 * LAB_RANK]; /* the smallest bound is two to the power of this, or the axis */
    double all;              /* number of tiles, valid or not */
} axes;

static axes axes_of(const tile_items *t)
{
    const tile_item *root = &t->item[t->root];
    axes x = {.n = root->rank + t->n_blocked, .rank = root->rank, .all = 1};
    for (int i = 0; i < x.n; i++) {
        x.size[i] = i < x.rank ? root->size[i] : t->blocked[i - x.rank];
        x.least[i] = i == x.rank - 1 || i == x.n - 1 ? 3 : 0;
        x.choices[i] = 1;
        for (int bound = 1 << x.least[i]; bound < x.size[i]; bound *= 2) x.choices[i]++;
        x.all *= x.choices[i];
    }
    return x;
}

/* Tile `number` of all. */
static tpugraphs_bounds nth(const axes *x, int64_t number)
{
    tpugraphs_bounds bounds;
    for (int a = 0; a < LAB_RANK; a++) bounds.out[a] = bounds.blocked[a] = 1;
    for (int i = 0; i < x->n; i++) {
        const int choice = (int)(number % x->choices[i]);
        number /= x->choices[i];
        *(i < x->rank ? &bounds.out[i] : &bounds.blocked[i - x->rank]) =
            choice < x->choices[i] - 1 ? 1 << (choice + x->least[i]) : x->size[i];
    }
    return bounds;
}

static int known(int (*tiles)[TILE_BOUNDS], int n, const int *tile)
{
    for (int i = 0; i < n; i++)
        if (!memcmp(tiles[i], tile, sizeof tiles[i])) return 1;
    return 0;
}

/* All of few tiles are tried, in random order; of many tiles a sample. */
static int draw(int (*tiles)[TILE_BOUNDS], tile_items *t, const lab_program *kernel, int limit,
                uint64_t seed)
{
    ag_random random = {seed, 0x711e, 0};
    const axes x = axes_of(t);
    const int few = x.all <= TRIES * limit, tries = few ? (int)x.all : TRIES * limit;
    int32_t *order = harness_alloc((size_t)tries * sizeof *order);
    int n = 1;
    for (int i = 0; i < tries; i++) order[i] = i;
    if (few) ag_random_shuffle(&random, order, tries);
    for (int i = 0; i < tries && n < limit; i++) {
        const tpugraphs_bounds bounds =
            nth(&x, few ? order[i] : (int64_t)(ag_random_uniform(&random) * x.all));
        tile_write(tiles[n], &bounds, t);
        n += !known(tiles, n, tiles[n]) && lab_tile_valid(kernel, tiles[n]);
    }
    harness_free(order);
    return n;
}

int lab_tiles(int (**tiles)[24], const lab_program *kernel, int limit, uint64_t seed)
{
    int n = 0;
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    if (limit > MOST) limit = MOST;
    *tiles = NULL;
    if (tile_default(&bounds, t, kernel)) {
        *tiles = harness_alloc(((size_t)limit + 1) * sizeof **tiles);
        tile_write((*tiles)[0], &bounds, t);
        n = draw(*tiles, t, kernel, limit, seed);
    }
    harness_free(t);
    return n;
}

/* ---- running and checking one ---- */

ag_status lab_run_tile(lab_run *run, const int *tile, ag_failure *why)
{
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    lab__run_reset(run);
    const ag_status status = tile_read(&bounds, t, run->p, tile, why);
    if (!status) tile_compile(run, t, &bounds);
    harness_free(t);
    return status;
}

int lab_fusible(const lab_program *kernel) { return lab_tile_valid(kernel, NULL); }

int lab_tile_valid(const lab_program *kernel, const int *tile)
{
    ag_failure why = {0};
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    const int valid = !tile_read(&bounds, t, kernel, tile, &why);
    harness_free(t);
    return valid;
}
