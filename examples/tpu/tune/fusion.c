/* SPDX-License-Identifier: MIT */
/* The searches of partitions of one program, on hardware alone and with a model. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/tune.h"

#include <math.h>
#include <string.h>

/* Temperatures in ln(time) of the program. A search with thousands of steps starts hotter, which
   helps it out of local minima. */
#define HOT_HARDWARE 0.02
#define HOT_LEARNED  0.05
#define COLD         0.0005
/* Predicted times are multiplied by this before they are compared with measured ones, since the
   smallest of thousands of predictions are too small by chance. */
#define CAUTION      1.05

enum {
    CHAINS = 8,
    ROUNDS = 3, /* of predicting and verifying */
    KEPT = 64,  /* best predicted partitions of a round; more, where so many can be measured */
    PASSES = 3, /* in the last measurement the smallest time counts */
    SEARCHES = TUNE_STARTS * TUNE_WAYS
};

typedef struct searches {
    const tpu_settings *o;
    tune_pool pool;
    tune_cut start[TUNE_STARTS];
    tune_tried *tried[SEARCHES]; /* bags: what each search has measured, in this order */
} searches;

static uint64_t seed_of(const searches *s) { return (uint64_t)s->o->shell.common.seed; }

/* ---- learned model, then hardware ---- */

/* Makes the sum of the model's times equal to that of the measured kernels. */
static void calibrate(tune_pool *pool)
{
    double measured = 0, predicted = 0;
    for (int k = 0; k < bag_count(pool->kernel); k++) {
        const double *ns = pool->kernel[k].ns;
        if (!(ns[TUNE_HARDWARE] > 0 && ns[TUNE_LEARNED] > 0)) continue;
        measured += ns[TUNE_HARDWARE];
        predicted += ns[TUNE_LEARNED];
    }
    if (predicted > 0) pool->factor = CAUTION * measured / predicted;
}

static ag_status measure(searches *s, tune_tried **tried, const tune_cut *cut, ag_failure *why)
{
    if (tune_ask(&s->pool, TUNE_HARDWARE, &cut, 1, why)) return why->status;
    tune_keep(tried, &s->pool, cut, tune_time(&s->pool, cut));
    calibrate(&s->pool);
    return AG_OK;
}

static int was_tried(const tune_tried *tried, const tune_cut *cut)
{
    for (int i = 0; i < bag_count(tried); i++)
        if (!strcmp(tried[i].cut.key, cut->key)) return 1;
    return 0;
}

/* The partition of the list with the best current estimate that was not tried; NULL: none is
   left. */
static const tune_cut *choose(const searches *s, const tune_tried *list, const tune_tried *tried)
{
    const tune_cut *chosen = NULL;
    double least = (double)INFINITY;
    for (int i = 0; i < bag_count(list); i++) {
        const double ns = tune_time(&s->pool, &list[i].cut);
        if (ns >= least || was_tried(tried, &list[i].cut)) continue;
        chosen = &list[i].cut;
        least = ns;
    }
    return chosen;
}

/* Anneals on the current prices and measures the best `most` partitions. */
static ag_status round_of(searches *s, tune_tried **tried, int number, int most, ag_failure *why)
{
    const int least = bag_count(*tried) + most;
    const tune_options options = {.way = TUNE_LEARNED,
                                  .evaluations = s->o->search_steps / ROUNDS,
                                  .chains = CHAINS,
                                  .kept = least > KEPT ? least : KEPT,
                                  .hot = HOT_LEARNED,
                                  .cold = COLD,
                                  .seed = seed_of(s) + (uint64_t)number};
    tune_tried *list = NULL;
    tune_anneal(&list, &s->pool, choose(s, *tried, NULL), &options, why);
    for (int i = 0; i < most && !why->status; i++) {
        const tune_cut *next = choose(s, list, *tried);
        if (!next) break;
        measure(s, tried, next, why);
    }
    bag_free(list);
    return why->status;
}

static ag_status search_learned(searches *s, tune_tried **tried, const tune_cut *start,
                                ag_failure *why)
{
    if (tune_ask(&s->pool, TUNE_LEARNED, &start, 1, why) || measure(s, tried, start, why))
        return why->status;
    for (int r = 0; r < ROUNDS && !why->status; r++) {
        const int left = s->o->verify - bag_count(*tried), rounds = ROUNDS - r;
        if (left > 0) round_of(s, tried, r, (left + rounds - 1) / rounds, why);
    }
    return why->status;
}

static ag_status search_hardware(searches *s, tune_tried **tried, const tune_cut *start,
                                 ag_failure *why)
{
    const int most = s->o->measurements;
    const tune_options options = {.way = TUNE_HARDWARE,
                                  .evaluations = most,
                                  .chains = 1,
                                  .kept = most,
                                  .hot = HOT_HARDWARE,
                                  .cold = COLD,
                                  .seed = seed_of(s)};
    return tune_anneal(tried, &s->pool, start, &options, why);
}

/* ---- all of a program ---- */

static void forget(tune_pool *pool)
{
    for (int k = 0; k < bag_count(pool->kernel); k++)
        pool->kernel[k].ns[TUNE_HARDWARE] = pool->kernel[k].ns[TUNE_LEARNED] = 0;
    pool->asked[TUNE_HARDWARE] = pool->asked[TUNE_LEARNED] = 0;
    pool->factor = 1;
}

/* The start of the searches: a partition with every possible fusion, and a random one. */
static ag_status draw_starts(searches *s, ag_failure *why)
{
    ag_random random = {seed_of(s), lab_kernel_hash(s->pool.program), 0};
    const double rate = ag_random_uniform(&random);
    for (int i = 0; i < TUNE_STARTS; i++) s->start[i] = tune_cut_new(&s->pool);
    if (!tune_cut_draw(&s->start[TUNE_DEFAULT], &s->pool, 1, 0, why))
        tune_cut_draw(&s->start[TUNE_RANDOM], &s->pool, rate, ag_random_bits(&random), why);
    return why->status;
}

static ag_status search_all(tune_part *result, searches *s, ag_failure *why)
{
    for (int i = 0; i < SEARCHES && !why->status; i++) {
        const int start = i / TUNE_WAYS, learned = i % TUNE_WAYS == TUNE_LEARNED;
        const bool wanted = s->o->start == TUNE_STARTS || s->o->start == start;
        if (!wanted || (learned && !s->pool.meters->predict)) continue;
        forget(&s->pool);
        (learned ? search_learned : search_hardware)(s, &s->tried[i], &s->start[start], why);
        result->found[i].kernels = s->pool.asked[TUNE_HARDWARE];
    }
    return why->status;
}

/* The smallest of several measurements of every kernel becomes its time. */
static ag_status measure_well(tune_pool *pool, const tune_cut *const *cut, ag_failure *why)
{
    const int kernels = bag_count(pool->kernel);
    double *best = harness_alloc((size_t)kernels * sizeof *best);
    for (int pass = 0; pass < PASSES && !why->status; pass++) {
        forget(pool);
        tune_ask(pool, TUNE_HARDWARE, cut, bag_count(cut), why);
        for (int k = 0; k < kernels; k++) {
            const double ns = pool->kernel[k].ns[TUNE_HARDWARE];
            best[k] = pass && best[k] < ns ? best[k] : ns;
        }
    }
    for (int k = 0; k < kernels; k++) pool->kernel[k].ns[TUNE_HARDWARE] = best[k];
    harness_free(best);
    return why->status;
}

/* Measures the default again, and whatever any search held for the best at any time. */
static ag_status measure_again(searches *s, ag_failure *why)
{
    const tune_cut **cut = NULL;
    bag_add(cut, &s->start[TUNE_DEFAULT]);
    for (int i = 0; i < SEARCHES; i++) {
        double best = (double)INFINITY;
        for (int k = 0; k < bag_count(s->tried[i]); k++) {
            const tune_tried *t = &s->tried[i][k];
            if (t->ns < best) bag_add(cut, &t->cut);
            best = fmin(best, t->ns);
        }
    }
    measure_well(&s->pool, cut, why);
    bag_free(cut);
    return why->status;
}

/* Fills the curve of the best partition after each measurement, by the new times. */
static void fill(tune_found *f, const tune_tried *tried, const tune_pool *pool, double default_ns)
{
    double best = (double)INFINITY;
    for (int i = 0; i < bag_count(tried); i++) {
        if (tried[i].ns < best) f->speedup = default_ns / tune_time(pool, &tried[i].cut);
        best = fmin(best, tried[i].ns);
        bag_add(f->curve, f->speedup);
    }
    f->measured = bag_count(tried);
}

ag_status tune_fusion_search(tune_part *result, const lab_program *p, const tune_meters *meters,
                             const tpu_settings *o, ag_failure *why)
{
    searches s = {.o = o};
    *result = (tune_part){0};
    tune_pool_open(&s.pool, p, meters);
    if (!draw_starts(&s, why) && !search_all(result, &s, why) && !measure_again(&s, why)) {
        result->kernels = s.start[TUNE_DEFAULT].parts;
        result->default_ns = tune_time(&s.pool, &s.start[TUNE_DEFAULT]);
        for (int i = 0; i < SEARCHES; i++)
            fill(&result->found[i], s.tried[i], &s.pool, result->default_ns);
    }
    for (int i = 0; i < SEARCHES; i++) bag_free(s.tried[i]);
    tune_pool_close(&s.pool);
    return why->status;
}

void tune_part_clear(tune_part *result)
{
    for (int i = 0; i < TUNE_MOST; i++) bag_free(result->found[i].curve);
    *result = (tune_part){0};
}
