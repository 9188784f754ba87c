/* SPDX-License-Identifier: MIT */
/* Batches: the configurations that are drawn, their order, and the part of a file that they are
   from; and files that are far from those of training. */
#include "support/test.h"
#include "support/tgraph_open.h"
#include "support/program_call.h"
#include "support/program_files.h"

static void check_batch(const tgraph_batch *b, const int32_t *config, int count)
{
    test_layout l;
    test_layout_make(&l);
    assert_int_equal(b->configs, count);
    for (int c = 0; c < count; c++) {
        assert_int_equal(b->config[c], config[c]);
        assert_int_equal(b->runtime[c], l.runtime[config[c]]);
        for (int v = 0; v < 2; v++)
            for (int k = 0; k < 18; k++)
                assert_int_equal(b->digit[(v * count + c) * 18 + k],
                                 (int)l.config[config[c]][v][k] + 2);
    }
}

static void a_batch_is_node_major(void **state)
{
    /* graph and run times: 4,744 bytes; packed rows: 144 */
    tpugraphs_budget tight = {4750, 0};
    for (int mapped = 0; mapped < 2; mapped++) {
        tgraph_file *f = test_small_open(tgraph_layout_defaults(), mapped ? &tight : NULL);
        tgraph_batch b = {0};
        assert_int_equal(f->store.mapped, mapped ? 144 : 0);
        expect_ok(tgraph_batch_fill(&b, f, (int32_t[]){4, 0, 3}, 3, new_failure()));
        check_batch(&b, (int32_t[]){4, 0, 3}, 3);
        assert_memory_equal(b.rank, ((int32_t[]){0, 1, 2}), 3 * sizeof(int32_t));
        expect_ok(tgraph_batch_fill(&b, f, (int32_t[]){5}, 1, new_failure())); /* smaller */
        check_batch(&b, (int32_t[]){5}, 1);
        tgraph_batch_free(&b);
        tgraph_file_close(f);
    }
    assert_int_equal(tight.used, 0);
}

static void an_epoch_visits_each_file(void **state)
{
    enum { FILES = 3, STEPS = 60 };
    tgraph_file *f[FILES];
    tgraph_source s;
    tgraph_batch b = {0};
    int seen[STEPS / FILES][FILES] = {{0}};
    for (int i = 0; i < FILES; i++) f[i] = test_small_open(tgraph_layout_defaults(), NULL);
    tgraph_source_open(&s, f, FILES, 4, 11);
    for (int step = 0; step < STEPS; step++) {
        expect_ok(tgraph_source_draw(&s, step, &b, new_failure()));
        for (int i = 0; i < FILES; i++) seen[step / FILES][i] += b.file == f[i];
    }
    for (int i = 0; i < STEPS; i++) assert_int_equal(seen[i / FILES][i % FILES], 1);
    tgraph_source_close(&s);
    for (int i = 0; i < FILES; i++) tgraph_file_close(f[i]);
    tgraph_batch_free(&b);
}

static void a_split_keeps_the_parts_apart(void **state)
{
    tgraph_file *f = test_small_open(tgraph_layout_defaults(), NULL);
    int seen[6] = {0};
    expect_ok(tgraph_file_split(f, 0.6, 5, new_failure()));
    assert_int_equal(f->train_count, 4); /* 3.6 */
    assert_int_equal(f->held_count, 2);
    for (int i = 0; i < 4; i++) seen[f->train[i]]++;
    for (int i = 0; i < 2; i++) seen[f->held[i]]++;
    for (int i = 0; i < 6; i++) assert_int_equal(seen[i], 1);
    for (int i = 1; i < 4; i++) assert_true(f->train[i] > f->train[i - 1]);
    tgraph_source s;
    tgraph_batch b = {0};
    tgraph_source_open(&s, &f, 1, 64, 1);
    for (int step = 0; step < 20; step++) {
        expect_ok(tgraph_source_draw(&s, step, &b, new_failure()));
        assert_int_equal(b.configs, 4); /* all, if fewer */
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 2; i++) assert_int_not_equal(b.config[c], f->held[i]);
    }
    int32_t first[4];
    memcpy(first, f->train, sizeof first);
    expect_ok(tgraph_file_split(f, 0.6, 5, new_failure()));
    assert_memory_equal(first, f->train, sizeof first);
    expect_status(tgraph_file_split(f, 0.05, 5, new_failure()), AG_EUSE,
                  "leaves a part of its 6 configurations empty");
    const double wrong[] = {0, 1, -1, 2, 0.99};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(tgraph_file_split(f, wrong[i], 5, new_failure()), AG_EUSE);
    }
    tgraph_batch_free(&b);
    tgraph_source_close(&s);
    tgraph_file_close(f);
}

#define LAYOUTS AG_SOURCE_DIR "/examples/data/layout/"

static void far_by_hand(void **state)
{
    static float raw[3 * TGRAPH_NUMERIC];
    const tgraph_graph g = {.nodes = 3, .raw = raw};
    tgraph_scaler s = {0};
    for (int k = 0; k < TGRAPH_NUMERIC; k++) s.scale[k] = 1;
    s.mean[7] = 100;
    s.scale[7] = 2;
    for (int v = 0; v < 3; v++) raw[v * TGRAPH_NUMERIC + 7] = 100;
    assert_int_equal(tgraph_graph_far(&g, &s), 0);
    raw[7] = 120; /* ten deviations */
    raw[TGRAPH_NUMERIC + 133] = -10.5F;
    assert_int_equal(tgraph_graph_far(&g, &s), 1);
    raw[7] = 79;
    assert_int_equal(tgraph_graph_far(&g, &s), 2);
}

static void warning(void **state)
{
    static const char sentence[] = "features far outside of those that run";
    program_write_layout("a.npz", 60, 0);
    program_expect("tgraph train --out run --hidden 16 --steps 1 --configs 8 --threads 1 --quiet "
                   "--no-baselines --data " LAYOUTS "split-random.valid.txt",
                   0, "", "");
    program_expect("tgraph eval --run run --no-baselines --data a.npz", 0, "a.npz", sentence);
    program_expect("tgraph predict --run run --data a.npz", 0, "a.npz", sentence);
    const program_outcome o = program_expect(
        "tgraph eval --run run --no-baselines --data " LAYOUTS "random/mlp_18.npz", 0, "mlp", "");
    assert_null(strstr(o.err, sentence));
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, a_batch_is_node_major,
                          an_epoch_visits_each_file, a_split_keeps_the_parts_apart, far_by_hand,
                          warning);
}
