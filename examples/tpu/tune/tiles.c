/* SPDX-License-Identifier: MIT */
/* The searches of tile sizes, kernel by kernel. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/tune.h"

enum {
    BATCH = 16,            /* measured in turn */
    PASSES = 3,            /* in the last measurement the smallest time counts */
    TOP = 10,              /* of TUNE_TEN */
    ALL = TUNE_CHOICES + 1 /* the choices, and the default */
};

/* One kernel while it is looked at. */
typedef struct item {
    const lab_program *kernel;
    const tune_meters *meters;
    int (*tile)[24], n; /* n: number of tiles, the default first */
    double *ns, *score; /* [n] */
} item;

static ag_status measure_all(item *t, ag_failure *why)
{
    int which[BATCH];
    for (int from = 0; from < t->n && !why->status; from += BATCH) {
        const int n = t->n - from < BATCH ? t->n - from : BATCH;
        for (int i = 0; i < n; i++) which[i] = from + i;
        t->meters->measure_tiles(t->meters->state, t->ns + from, t->kernel, t->tile, which, n, why);
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

/* The default is chosen last. */
static void choose(int chosen[ALL], const item *t)
{
    int ten = -1;
    chosen[TUNE_EXHAUSTIVE] = chosen[TUNE_CHOICES] = 0;
    for (int i = 0; i < t->n; i++) {
        const int place = place_of(t, i);
        if (t->ns[i] < t->ns[chosen[TUNE_EXHAUSTIVE]]) chosen[TUNE_EXHAUSTIVE] = i;
        if (!place) chosen[TUNE_FIRST] = i;
        if (place < TOP && (ten < 0 || t->ns[i] < t->ns[ten])) ten = i;
    }
    chosen[TUNE_TEN] = ten;
}

/* Measures the chosen tiles, each once, in turn. */
static ag_status measure_chosen(double ns[ALL], const item *t, ag_failure *why)
{
    int chosen[ALL], which[ALL], place[ALL], n = 0;
    double again[ALL];
    choose(chosen, t);
    for (int c = 0; c < ALL; c++) {
        place[c] = 0;
        while (place[c] < n && which[place[c]] != chosen[c]) place[c]++;
        if (place[c] == n) which[n++] = chosen[c];
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (t->meters->measure_tiles(t->meters->state, again, t->kernel, t->tile, which, n, why))
            return why->status;
        for (int c = 0; c < ALL; c++)
            ns[c] = pass && ns[c] < again[place[c]] ? ns[c] : again[place[c]];
    }
    return AG_OK;
}

/* A kernel with a single tile has the same time for all choices. */
static ag_status measure_plain(double ns[ALL], const item *t, ag_failure *why)
{
    lab_program copy = *t->kernel;
    const lab_fusion one = {.kernel = &copy, .n = 1};
    t->meters->measure(t->meters->state, ns, &one, why);
    for (int c = 1; c < ALL; c++) ns[c] = ns[0];
    return why->status;
}

/* Adds the times of a kernel that the program has `count` times. */
static ag_status add_kernel(tune_part *result, double all[ALL], item *t, int count, ag_failure *why)
{
    double ns[ALL];
    if (t->n < 2) {
        measure_plain(ns, t, why);
    } else {
        t->ns = harness_alloc((size_t)t->n * sizeof *t->ns);
        t->score = harness_alloc((size_t)t->n * sizeof *t->score);
        if (!t->meters->score_tiles(t->meters->state, t->score, t->kernel, t->tile, t->n, why) &&
            !measure_all(t, why))
            measure_chosen(ns, t, why);
        result->found[TUNE_EXHAUSTIVE].measured += t->n;
        result->found[TUNE_TEN].measured += t->n < TOP ? t->n : TOP;
    }
    for (int c = 0; c < ALL && !why->status; c++) all[c] += count * ns[c];
    harness_free(t->tile);
    harness_free(t->ns);
    harness_free(t->score);
    return why->status;
}

ag_status tune_tiles_search(tune_part *result, const lab_program *p, const tune_meters *meters,
                            const tpu_settings *settings, ag_failure *why)
{
    const uint64_t seed = (uint64_t)settings->shell.common.seed;
    tune_pool pool;
    lab_fusion kernels = {0};
    double all[ALL] = {0};
    int *number = NULL;
    *result = (tune_part){0};
    tune_pool_open(&pool, p, meters);
    tune_cut cut = tune_cut_new(&pool);
    if (!tune_cut_draw(&cut, &pool, 1, 0, why))
        tune_cut_programs(&kernels, &number, &pool, TUNE_HARDWARE, &cut, why);
    for (int k = 0; k < kernels.n && !why->status; k++) {
        const lab_program *kernel = &kernels.kernel[k];
        item t = {.kernel = kernel, .meters = meters};
        int count = 0;
        for (int g = 0; g < cut.parts; g++) count += cut.part[g] == number[k];
        t.n = lab_fusible(kernel) ? lab_tiles(&t.tile, kernel, settings->tiles, seed) : 0;
        result->kernels++;
        add_kernel(result, all, &t, count, why);
    }
    result->default_ns = all[TUNE_CHOICES];
    for (int c = 0; c < TUNE_CHOICES && !why->status; c++)
        result->found[c].speedup = all[TUNE_CHOICES] / all[c];
    bag_free(number);
    lab_fusion_clear(&kernels);
    tune_pool_close(&pool);
    return why->status;
}
