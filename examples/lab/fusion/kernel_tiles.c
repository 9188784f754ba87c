/* SPDX-License-Identifier: MIT */
/* Draws tiles: each bound is a power of two or the whole axis. Inner loops shorter than a vector
   are never worth measuring, so the most minor axes start at eight. */
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

enum { TRIES = 16 };

static int least_of(int axis, int n) { return axis == n - 1 ? 8 : 1; }

/* The bounds that an axis can have are the least, twice of it and so on, and the axis. */
static int choices_of(int size, int least)
{
    int n = 1;
    for (int bound = least; bound < size; bound *= 2) n++;
    return n;
}

/* The number of tiles, valid or not. */
static double all_of(const int *size, int n)
{
    double all = 1;
    for (int a = 0; a < n; a++) all *= choices_of(size[a], least_of(a, n));
    return all;
}

/* The bounds of the tile of this number; returns the number among the other axes. */
static int64_t nth(double *bound, int64_t number, const int *size, int n)
{
    for (int a = 0; a < LAB_RANK; a++) bound[a] = 1;
    for (int a = 0; a < n; a++) {
        const int least = least_of(a, n), choices = choices_of(size[a], least);
        const int choice = (int)(number % choices);
        number /= choices;
        bound[a] = choice < choices - 1 ? least << choice : size[a];
    }
    return number;
}

/* All of few tiles are tried, in random order; of many tiles a sample. */
static int draw(int (*tiles)[TILE_BOUNDS], tile_items *t, const lab_program *kernel, int limit,
                uint64_t seed)
{
    ag_random random = {seed, 0x711e, 0};
    const tile_item *root = &t->item[t->root];
    const double all = all_of(root->size, root->rank) * all_of(t->blocked, t->n_blocked);
    const int few = all <= TRIES * limit, tries = few ? (int)all : TRIES * limit;
    int32_t *order = HARNESS_NEW(order, tries);
    int n = 1;
    if (few) harness_shuffle(order, tries, random);
    for (int i = 0; i < tries && n < limit; i++) {
        int same = 0;
        tpugraphs_bounds bounds;
        const int64_t number = few ? order[i] : (int64_t)(ag_random_uniform(&random) * all);
        nth(bounds.blocked, nth(bounds.out, number, root->size, root->rank), t->blocked,
            t->n_blocked);
        tile_write(tiles[n], &bounds, t);
        while (memcmp(tiles[same], tiles[n], sizeof *tiles) != 0) same++; /* n: it is new */
        n += same == n && lab_tile_valid(kernel, tiles[n]);
    }
    harness_free(order);
    return n;
}

int lab_tiles(int (**tiles)[24], const lab_program *kernel, int limit, uint64_t seed)
{
    int n = 0;
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    *tiles = NULL;
    if (tile_default(&bounds, t, kernel)) {
        *tiles = HARNESS_NEW(*tiles, (size_t)limit + 1);
        tile_write((*tiles)[0], &bounds, t);
        n = draw(*tiles, t, kernel, limit, seed);
    }
    harness_free(t);
    return n;
}

/* Checks the tile and compiles it, unless run is NULL. */
static ag_status use_tile(lab_run *run, const lab_program *kernel, const int *tile, ag_failure *why)
{
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    if (!tile_read(&bounds, t, kernel, tile, why) && run) tile_compile(run, t, &bounds);
    harness_free(t);
    return why->status;
}

ag_status lab_run_tile(lab_run *run, const int *tile, ag_failure *why)
{
    lab__run_reset(run);
    return use_tile(run, run->p, tile, why);
}

int lab_tile_valid(const lab_program *kernel, const int *tile)
{
    ag_failure why = {0};
    return !use_tile(NULL, kernel, tile, &why);
}

int lab_fusible(const lab_program *kernel) { return lab_tile_valid(kernel, NULL); }
