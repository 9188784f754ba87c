/* SPDX-License-Identifier: MIT */
/* Scores as run times: the configurations that are used, and the measures that follow. */
#include "support/test.h"
#include "examples/tgraph/hooks.h"

enum { CONFIGS = 800, HALF = CONFIGS / 2 };

/* Even configurations train, odd ones are held out. There are two kinds, 1 and 2 ms, with noise
   that is independent of the noise of the scores. */
typedef struct world {
    tgraph_file file;
    tgraph_entry entry;
    int64_t runtime[CONFIGS];
    int32_t train[HALF], held[HALF];
    double score[CONFIGS], kind[HALF];
} world;

static void make(world *w)
{
    ag_random random = harness_stream(HARNESS_STREAM_DRAW, 3, 0);
    *w = (world){0};
    for (int c = 0; c < CONFIGS; c++) {
        const double kind = ag_random_below(&random, 2);
        w->runtime[c] = (int64_t)(1e6 * (1 + kind) * exp(0.001 * ag_random_normal(&random)));
        w->score[c] = 4 * kind + ag_random_uniform(&random);
        if (c % 2) w->kind[c / 2] = kind;
        *(c % 2 ? &w->held[c / 2] : &w->train[c / 2]) = c;
    }
    w->file = (tgraph_file){.path = "a.npz",
                            .name = "a.npz",
                            .configs = CONFIGS,
                            .runtime = w->runtime,
                            .train = w->train,
                            .train_count = HALF,
                            .held = w->held,
                            .held_count = HALF,
                            .has_runtimes = 1};
    w->entry = (tgraph_entry){.file = &w->file, .item = w->held, .items = HALF, .score = 1};
}

/* Results with scores of the configurations that are held out and of those that train. */
static const double *calibrated(tgraph_results *r, world *w, const double *training,
                                ag_failure *why)
{
    static const tgraph_settings settings;
    static tgraph_files files;
    files = (tgraph_files){.set = {.entry = &w->entry, .count = 1}};
    *r = (tgraph_results){.rank.name = "TGraph"};
    tgraph_results_open(r, &files, &settings.harness);
    assert_int_equal(r->calibration[0].count, HALF);
    assert_int_equal(r->calibrated, 1);
    for (int i = 0; i < HALF; i++) r->rank.score[0][i] = w->score[w->held[i]];
    memcpy(r->calibration[0].score, training, HALF * sizeof *training);
    memcpy(harness_rank_method(&r->rank, "kinds", NULL), w->kind, sizeof w->kind);
    tgraph_results_compute(r, why);
    return why->status ? NULL : harness_rank_at(&r->rank, 1, 0)->of;
}

static void what_is_noise_ties(void **state)
{
    world *w = harness_alloc(sizeof *w);
    make(w);
    double training[HALF];
    tgraph_results r;
    for (int i = 0; i < HALF; i++) training[i] = w->score[w->train[i]];
    /* as good as knowing the kinds, and no better */
    const double *of = calibrated(&r, w, training, new_failure());
    const double *raw = harness_rank_at(&r.rank, 0, 0)->of,
                 *kinds = harness_rank_at(&r.rank, 2, 0)->of;
    const double best = kinds[HARNESS_TAU_B];
    assert_int_equal(harness_rank_at(&r.rank, 1, 0)->counted, HALF);
    assert_true(of[HARNESS_TAU_B] == best && of[HARNESS_TIED] == kinds[HARNESS_TIED]);
    assert_true(of[HARNESS_OPA] == kinds[HARNESS_OPA]);
    assert_true(raw[HARNESS_TIED] == 0 && raw[HARNESS_TAU_B] < best - 0.1);
    assert_true(of[HARNESS_TAU_A] < best - 0.1); /* tau-a gives no credit for ties */
    harness_rank_close(&r.rank);
    /* a few run times that are much longer than all others, and not foreseen, change nothing */
    for (int i = 0; i < 3; i++) {
        w->runtime[w->train[i]] = INT64_MAX / 4;
        training[i] = -1;
    }
    assert_true(calibrated(&r, w, training, new_failure())[HARNESS_TAU_B] == best);
    harness_rank_close(&r.rank);
    /* nothing is known, so all ties: no order */
    for (int i = 0; i < HALF; i++) training[i] = i % 7;
    of = calibrated(&r, w, training, new_failure());
    assert_true(of[HARNESS_TIED] == 1 && of[HARNESS_TAU_B] == 0);
    harness_rank_close(&r.rank);
    training[7] = (double)NAN;
    expect_null(calibrated(&r, w, training, new_failure()), AG_EFINITE,
                "a.npz, training configurations: ");
    harness_rank_close(&r.rank);
    harness_free(w);
}

static void taken_evenly(void **state)
{
    enum { MOST = TGRAPH_CALIBRATES };
    static int32_t train[2 * MOST + 1];
    harness_rank rank = {0};
    for (int i = 0; i <= 2 * MOST; i++) train[i] = 3 * i;
    static const int of[] = {1, 2, MOST, MOST + 1, 2 * MOST, 2 * MOST + 1},
                     taken[] = {1, 2, MOST, MOST / 2 + 1, MOST, 2731}, apart[] = {1, 1, 1, 2, 2, 3};
    for (int i = 0; i < 6; i++) {
        tgraph_file file = {.train = train, .train_count = of[i]};
        const tgraph_calibration c = tgraph_calibration_open(&rank, &(tgraph_entry){.file = &file});
        assert_int_equal(c.count, taken[i]);
        for (int k = 0; k < c.count; k++) assert_int_equal(c.item[k], 3 * k * apart[i]);
    }
    const tgraph_entry whole = {.file = &(tgraph_file){.train_count = 4}};
    assert_int_equal(tgraph_calibration_open(&rank, &whole).count, 0);
    harness_rank_close(&rank);
}

int main(void) { return RUN_TESTS(what_is_noise_ties, taken_evenly); }
