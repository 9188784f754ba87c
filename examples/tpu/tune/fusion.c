/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/fusion.h"

#include "examples/harness/run/bag.h"

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
    PASSES = 3  /* in the last measurement the smallest time counts */
};

/* A partition that was the best after `at` measurements. */
typedef struct milestone {
    tune_cut cut;
    int at;
} milestone;

/* The state of one search. */
typedef struct job {
    const tune_fusion_options *o;
    tune_pool *pool;
    tune_prices measured, predicted;
    uint64_t seed;
    milestone *trail; /* a bag */
    double best;      /* ns of the last milestone */
    int used;         /* measurements */
} job;

static void close_job(job *j)
{
    tune_prices_free(&j->measured);
    tune_prices_free(&j->predicted);
    for (int i = 0; i < bag_count(j->trail); i++) tune_cut_close(&j->trail[i].cut);
    bag_free(j->trail);
}

static void note_measured(void *state, const tune_cut *cut, double ns, int64_t evaluation)
{
    job *j = state;
    j->used = (int)evaluation;
    if (bag_count(j->trail) && ns >= j->best) return;
    milestone m = {.at = j->used};
    tune_cut_open(&m.cut, j->pool);
    tune_cut_copy(&m.cut, cut);
    bag_add(j->trail, m);
    j->best = ns;
}

/* ---- hardware alone ---- */

static ag_status search_hardware(job *j, const tune_cut *start, ag_failure *why)
{
    const tune_options options = {.evaluations = j->o->measurements[TUNE_HARDWARE],
                                  .chains = 1,
                                  .hot = HOT_HARDWARE,
                                  .cold = COLD,
                                  .seed = j->seed};
    const tune_visitor visitor = {j, note_measured};
    return tune_anneal(&options, start, &j->measured, &visitor, why);
}

/* ---- learned model, then hardware ---- */

/* The best partitions of a round, best first. */
typedef struct best {
    tune_cut *cut; /* [room] */
    double *ns;
    int n, room;
} best;

static void note_predicted(void *state, const tune_cut *cut, double ns, int64_t evaluation)
{
    best *b = state;
    (void)evaluation;
    if (b->n == b->room && ns >= b->ns[b->n - 1]) return;
    int at = b->n < b->room ? b->n++ : b->n - 1;
    const tune_cut room = b->cut[at];
    for (; at > 0 && b->ns[at - 1] > ns; at--) {
        b->cut[at] = b->cut[at - 1];
        b->ns[at] = b->ns[at - 1];
    }
    b->cut[at] = room;
    b->ns[at] = ns;
    if (!room.pool) tune_cut_open(&b->cut[at], cut->pool);
    tune_cut_copy(&b->cut[at], cut);
}

static void open_best(best *b, int room)
{
    *b = (best){.room = room};
    b->cut = harness_alloc((size_t)room * sizeof *b->cut);
    b->ns = harness_alloc((size_t)room * sizeof *b->ns);
}

static void close_best(best *b)
{
    for (int i = 0; i < b->n; i++) tune_cut_close(&b->cut[i]);
    harness_free(b->cut);
    harness_free(b->ns);
}

/* The factor that makes the sum of the model's times equal to that of the measured kernels. */
static ag_status calibrate(job *j, ag_failure *why)
{
    double measured = 0, predicted = 0, ns;
    const tune_prices *better = j->predicted.better;
    const tune_cut *first = &j->trail[0].cut;
    j->predicted.better = NULL; /* so that these kernels are predicted, too */
    tune_price(&ns, &j->predicted, &first, 1, why);
    j->predicted.better = better;
    for (int k = 0; k < j->measured.known; k++) {
        if (tune_prices_of(&j->measured, k) <= 0 || tune_prices_of(&j->predicted, k) <= 0) continue;
        measured += tune_prices_of(&j->measured, k);
        predicted += tune_prices_of(&j->predicted, k);
    }
    if (predicted > 0) j->predicted.factor = CAUTION * measured / predicted;
    return why->status;
}

static int was_measured(const tune_cut *cut, const uint64_t *hash, int n)
{
    for (int i = 0; i < n; i++)
        if (hash[i] == cut->hash) return 1;
    return 0;
}

/* The partition of the list with the best current estimate that was not measured; -1: none is
   left. */
static int choose(job *j, best *b, const uint64_t *hash, ag_failure *why)
{
    int chosen = -1;
    double least = 0, ns;
    for (int i = 0; i < b->n; i++) {
        const tune_cut *cut = &b->cut[i];
        if (was_measured(cut, hash, j->used) || tune_price(&ns, &j->predicted, &cut, 1, why))
            continue;
        if (chosen >= 0 && ns >= least) continue;
        chosen = i;
        least = ns;
    }
    return chosen;
}

static ag_status measure(job *j, const tune_cut *cut, uint64_t *hash, ag_failure *why)
{
    double ns;
    if (tune_price(&ns, &j->measured, &cut, 1, why) || j->measured.stop) return why->status;
    hash[j->used] = cut->hash;
    note_measured(j, cut, ns, j->used + 1);
    return calibrate(j, why);
}

/* Anneals on the current prices and measures the best `most` partitions. */
static ag_status round_of(job *j, int number, int most, uint64_t *hash, ag_failure *why)
{
    best b;
    const tune_options options = {.evaluations = j->o->steps / ROUNDS,
                                  .chains = CHAINS,
                                  .hot = HOT_LEARNED,
                                  .cold = COLD,
                                  .seed = j->seed + (uint64_t)number};
    const tune_visitor visitor = {&b, note_predicted};
    const tune_cut *start = &j->trail[bag_count(j->trail) - 1].cut;
    open_best(&b, j->used + most > KEPT ? j->used + most : KEPT);
    if (!tune_anneal(&options, start, &j->predicted, &visitor, why) && !j->predicted.stop)
        for (int i = 0; i < most && !why->status && !j->measured.stop; i++) {
            const int next = choose(j, &b, hash, why);
            if (next < 0 || measure(j, &b.cut[next], hash, why)) break;
        }
    close_best(&b);
    return why->status;
}

static ag_status search_learned(job *j, const tune_cut *start, ag_failure *why)
{
    const int budget = j->o->measurements[TUNE_LEARNED];
    uint64_t *hash = harness_alloc((size_t)budget * sizeof *hash + 1);
    j->predicted.better = &j->measured;
    if (budget > 0) measure(j, start, hash, why);
    for (int r = 0; r < ROUNDS && !why->status && !j->measured.stop && !j->predicted.stop; r++) {
        const int left = budget - j->used, rounds = ROUNDS - r;
        if (left > 0) round_of(j, r, (left + rounds - 1) / rounds, hash, why);
    }
    harness_free(hash);
    return why->status;
}

/* ---- all of a program ---- */

typedef struct searches {
    tune_pool pool;
    tune_cut start[TUNE_STARTS];
    job job[TUNE_SEARCHES];
} searches;

/* The start of the searches: a partition with every possible fusion, and a random one. */
static ag_status draw_starts(searches *s, uint64_t seed, ag_failure *why)
{
    ag_random random = {seed, lab_kernel_hash(s->pool.program), 0};
    const double rate = ag_random_uniform(&random);
    for (int i = 0; i < TUNE_STARTS; i++) tune_cut_open(&s->start[i], &s->pool);
    if (!tune_cut_draw(&s->start[TUNE_DEFAULT], 1, 0, why))
        tune_cut_draw(&s->start[TUNE_RANDOM], rate, ag_random_bits(&random), why);
    return why->status;
}

static ag_status search_all(searches *s, const tune_meters *meters, const tune_fusion_options *o,
                            int *stop, ag_failure *why)
{
    for (int i = 0; i < TUNE_SEARCHES && !why->status && !*stop; i++) {
        const int start = i / TUNE_WAYS, learned = i % TUNE_WAYS == TUNE_LEARNED;
        job *j = &s->job[i];
        if (!o->wanted[start] || (learned && !meters->predicted.price)) continue;
        *j = (job){o, &s->pool, meters->measured, meters->predicted, o->seed, NULL, 0, 0};
        (learned ? search_learned : search_hardware)(j, &s->start[start], why);
        *stop = j->measured.stop || j->predicted.stop;
    }
    return why->status;
}

/* Fills the curve of the best partition found after each measurement, by the new times. */
static void fill(tune_found *f, const job *j, const double *ns, double default_ns)
{
    f->done = 1;
    f->measurements = j->used;
    f->kernels = j->measured.asked;
    f->predicted = j->predicted.asked;
    f->curve = harness_alloc((size_t)j->used * sizeof *f->curve + 1);
    for (int i = 0; i < bag_count(j->trail); i++)
        for (int m = j->trail[i].at; m <= j->used; m++) f->curve[m - 1] = default_ns / ns[i];
    f->speedup = j->used ? f->curve[j->used - 1] : 1;
}

/* The smallest of several measurements of every kernel. */
static ag_status measure_well(double *ns, const tune_prices *meter, const tune_cut *const *cut,
                              int count, int *stop, ag_failure *why)
{
    tune_prices best = *meter;
    for (int i = 0; i < PASSES && !why->status && !*stop; i++) {
        tune_prices again = *meter;
        tune_price(ns, i ? &again : &best, cut, count, why);
        *stop = again.stop || best.stop;
        for (int k = 0; i && k < again.known && !why->status && !*stop; k++)
            if (again.ns[k] < best.ns[k]) best.ns[k] = again.ns[k];
        tune_prices_free(&again);
    }
    if (!why->status && !*stop) tune_price(ns, &best, cut, count, why);
    tune_prices_free(&best);
    return why->status;
}

/* Measures the default and then all milestones of all searches again. */
static ag_status measure_again(tune_fusion *result, searches *s, const tune_meters *meters,
                               int *stop, ag_failure *why)
{
    const tune_cut **cut = NULL;
    bag_add(cut, &s->start[TUNE_DEFAULT]);
    for (int i = 0; i < TUNE_SEARCHES; i++)
        for (int k = 0; k < bag_count(s->job[i].trail); k++) bag_add(cut, &s->job[i].trail[k].cut);
    double *ns = harness_alloc((size_t)bag_count(cut) * sizeof *ns);
    measure_well(ns, &meters->measured, cut, bag_count(cut), stop, why);
    result->kernels = s->start[TUNE_DEFAULT].parts;
    result->default_ns = ns[0];
    for (int i = 0, at = 1; i < TUNE_SEARCHES && !why->status && !*stop; i++) {
        const job *j = &s->job[i];
        if (j->o) fill(&result->found[i], j, ns + at, ns[0]);
        at += bag_count(j->trail);
    }
    harness_free(ns);
    bag_free(cut);
    return why->status;
}

ag_status tune_fusion_search(tune_fusion *result, const lab_program *p, const tune_meters *meters,
                             const tune_fusion_options *o, int *stop, ag_failure *why)
{
    searches s = {0};
    *result = (tune_fusion){0};
    *stop = 0;
    tune_pool_open(&s.pool, p);
    if (!draw_starts(&s, o->seed, why) && !search_all(&s, meters, o, stop, why) && !*stop)
        measure_again(result, &s, meters, stop, why);
    for (int i = 0; i < TUNE_SEARCHES; i++) close_job(&s.job[i]);
    for (int i = 0; i < TUNE_STARTS; i++) tune_cut_close(&s.start[i]);
    tune_pool_close(&s.pool);
    return why->status;
}

void tune_fusion_clear(tune_fusion *result)
{
    for (int i = 0; i < TUNE_SEARCHES; i++) harness_free(result->found[i].curve);
    *result = (tune_fusion){0};
}
