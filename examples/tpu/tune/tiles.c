/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/tiles.h"

#include "examples/harness/harness.h"
#include "examples/tpu/tune/cut.h"

enum {
    BATCH = 16, /* measured in turn */
    PASSES = 3  /* in the last measurement the smallest time counts */
};

/* One kernel while it is looked at. */
typedef struct item {
    const lab_program *kernel;
    const tune_tile_meters *meters;
    int (*tile)[24], n; /* n: number of tiles, the default first */
    double *ns, *score; /* [n] */
    int chosen[TUNE_CHOICES];
} item;

static ag_status measure_all(item *t, int *stop, ag_failure *why)
{
    int which[BATCH];
    for (int from = 0; from < t->n && !*stop && !why->status; from += BATCH) {
        const int n = t->n - from < BATCH ? t->n - from : BATCH;
        for (int i = 0; i < n; i++) which[i] = from + i;
        t->meters->measure(t->meters->state, t->ns + from, t->kernel, t->tile, which, n, stop, why);
    }
    return why->status;
}

/* The number of scores better than this one; equal ones are in the order of the tiles. */
static int place_of(const item *t, int i)
{
    int place = 0;
    for (int k = 0; k < t->n; k++)
        place += t->score[k] < t->score[i] || (t->score[k] == t->score[i] && k < i);
    return place;
}

static void choose(item *t)
{
    int *chosen = t->chosen;
    chosen[TUNE_TILE_DEFAULT] = chosen[TUNE_TILE_EXHAUSTIVE] = 0;
    chosen[TUNE_TILE_FIRST] = chosen[TUNE_TILE_TEN] = -1;
    for (int i = 0; i < t->n; i++) {
        const int place = place_of(t, i), ten = chosen[TUNE_TILE_TEN];
        if (t->ns[i] < t->ns[chosen[TUNE_TILE_EXHAUSTIVE]]) chosen[TUNE_TILE_EXHAUSTIVE] = i;
        if (!place) chosen[TUNE_TILE_FIRST] = i;
        if (place < TUNE_TOP && (ten < 0 || t->ns[i] < t->ns[ten])) chosen[TUNE_TILE_TEN] = i;
    }
}

/* Measures the chosen tiles, each once, in turn; adds their times, `count` times, to the
   program's. */
static ag_status measure_chosen(tune_tiles *result, const item *t, int count, int *stop,
                                ag_failure *why)
{
    int which[TUNE_CHOICES], place[TUNE_CHOICES], n = 0;
    double ns[TUNE_CHOICES], again[TUNE_CHOICES];
    for (int c = 0; c < TUNE_CHOICES; c++) {
        place[c] = 0;
        while (place[c] < n && which[place[c]] != t->chosen[c]) place[c]++;
        if (place[c] == n) which[n++] = t->chosen[c];
    }
    for (int pass = 0; pass < PASSES; pass++) {
        t->meters->measure(t->meters->state, again, t->kernel, t->tile, which, n, stop, why);
        if (why->status || *stop) return why->status;
        for (int i = 0; i < n; i++) ns[i] = pass && ns[i] < again[i] ? ns[i] : again[i];
    }
    for (int c = 0; c < TUNE_CHOICES; c++) result->ns[c] += count * ns[place[c]];
    result->measurements[TUNE_TILE_EXHAUSTIVE] += t->n;
    result->measurements[TUNE_TILE_TEN] += t->n < TUNE_TOP ? t->n : TUNE_TOP;
    result->tiled++;
    return AG_OK;
}

/* A kernel with a single tile adds the same time to all sums. */
static ag_status add_plain(tune_tiles *result, const item *t, int count, int *stop, ag_failure *why)
{
    lab_program copy = *t->kernel;
    const lab_fusion one = {.kernel = &copy, .n = 1};
    double ns;
    if (t->meters->plain(t->meters->state, &ns, &one, stop, why) || *stop) return why->status;
    for (int c = 0; c < TUNE_CHOICES; c++) result->ns[c] += count * ns;
    return AG_OK;
}

static ag_status one_kernel(tune_tiles *result, const lab_program *kernel, int count,
                            const tune_tile_meters *meters, int limit, uint64_t seed, int *stop,
                            ag_failure *why)
{
    item t = {.kernel = kernel, .meters = meters};
    t.n = lab_fusible(kernel) ? lab_tiles(&t.tile, kernel, limit, seed) : 0;
    result->kernels++;
    if (t.n < 2) {
        add_plain(result, &t, count, stop, why);
    } else {
        t.ns = harness_alloc((size_t)t.n * sizeof *t.ns);
        t.score = harness_alloc((size_t)t.n * sizeof *t.score);
        if (!meters->score(meters->state, t.score, kernel, t.tile, t.n, why) &&
            !measure_all(&t, stop, why) && !*stop) {
            choose(&t);
            measure_chosen(result, &t, count, stop, why);
        }
    }
    harness_free(t.tile);
    harness_free(t.ns);
    harness_free(t.score);
    return why->status;
}

ag_status tune_tiles_search(tune_tiles *result, const lab_program *p,
                            const tune_tile_meters *meters, int limit, uint64_t seed, int *stop,
                            ag_failure *why)
{
    tune_pool pool;
    tune_cut cut;
    lab_fusion kernels = {0};
    *result = (tune_tiles){0};
    *stop = 0;
    tune_pool_open(&pool, p);
    tune_cut_open(&cut, &pool);
    if (!tune_cut_draw(&cut, 1, 0, why)) {
        const size_t n = (size_t)pool.kernels;
        int *all = harness_alloc(2 * n * sizeof *all), *count = all + n;
        for (int k = 0; k < pool.kernels; k++) all[k] = k;
        for (int g = 0; g < cut.parts; g++) count[cut.part[g]]++;
        tune_pool_programs(&kernels, &pool, all, pool.kernels, why);
        for (int k = 0; k < kernels.n && !why->status && !*stop; k++)
            one_kernel(result, &kernels.kernel[k], count[k], meters, limit, seed, stop, why);
        lab_fusion_clear(&kernels);
        harness_free(all);
    }
    tune_cut_close(&cut);
    tune_pool_close(&pool);
    return why->status;
}
