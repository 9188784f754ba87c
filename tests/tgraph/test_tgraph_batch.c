/* SPDX-License-Identifier: MIT */
/* Batches: the configurations that are drawn, their order, and the part of a file that they are
   from. */
#include "core/internal.h"
#include "examples/tgraph/data/data.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static tgraph_file *open_file(tpugraphs_budget *budget)
{
    test_layout l;
    ag_failure why = {0};
    tgraph_data_options options = tgraph_layout_defaults();
    test_layout_make(&l);
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    tgraph_file *f = tgraph_file_open(test_path, &options, budget, &why);
    if (!f) fail_msg("%s", why.sentence);
    return f;
}

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
    (void)state;
    /* graph and run times: 4,744 bytes, operations of 7 nodes; packed rows: 144 */
    tpugraphs_budget tight = {4750 + 7 * sizeof(tgraph_operation), 0, 0};
    for (int mapped = 0; mapped < 2; mapped++) {
        tgraph_file *f = open_file(mapped ? &tight : NULL);
        tgraph_batch b = {0};
        ag_failure why = {0};
        assert_int_equal(f->store.mapped, mapped ? 144 : 0);
        assert_int_equal(tgraph_batch_fill(&b, f, (int32_t[]){4, 0, 3}, 3, &why), AG_OK);
        check_batch(&b, (int32_t[]){4, 0, 3}, 3);
        assert_memory_equal(b.rank, ((int32_t[]){0, 1, 2}), 3 * sizeof(int32_t));
        assert_int_equal(tgraph_batch_fill(&b, f, (int32_t[]){5}, 1, &why), AG_OK); /* smaller */
        check_batch(&b, (int32_t[]){5}, 1);
        assert_int_equal(tgraph_batch_fill(&b, f, (int32_t[]){0, 6}, 2, &why), AG_EINDEX);
        assert_non_null(
            strstr(why.sentence, "configuration 6 was asked for, but there are 0 to 5"));
        why = (ag_failure){0};
        assert_int_equal(tgraph_batch_fill(&b, f, NULL, 0, &why), AG_EUSE);
        tgraph_batch_free(&b);
        tgraph_file_close(f);
    }
    assert_int_equal(tight.used + tight.on_disk, 0);
}

static void steps_depend_on_seed_and_step_alone(void **state)
{
    (void)state;
    tgraph_file *f[3];
    for (int i = 0; i < 3; i++) f[i] = open_file(NULL);
    ag_failure why = {0};
    tgraph_source a, b;
    assert_int_equal(tgraph_source_open(&a, f, 3, 4, 11, &why), AG_OK);
    assert_int_equal(tgraph_source_open(&b, f, 3, 4, 11, &why), AG_OK);
    tgraph_batch x = {0}, y[2] = {{0}, {0}};
    harness_loader *loader = harness_loader_new(tgraph_fill_batch, &b, &y[0], &y[1], 0, 1, &why);
    int seen[20][3] = {{0}}, differ = 0;
    for (int step = 0; step < 60; step++) {
        const tgraph_batch *z = harness_loader_next(loader, &why);
        assert_non_null(z);
        assert_int_equal(z->step, step);
        for (int turn = 0; turn < 2; turn++) { /* also out of order: nothing is remembered */
            if (turn) assert_int_equal(tgraph_source_draw(&a, 977 * step, &x, &why), AG_OK);
            assert_int_equal(tgraph_source_draw(&a, step, &x, &why), AG_OK);
            assert_ptr_equal(x.file, z->file);
            assert_int_equal(x.configs, 4);
            assert_memory_equal(x.config, z->config, 4 * sizeof *x.config);
            assert_memory_equal(x.digit, z->digit, 2 * 4 * 18 * sizeof *x.digit);
            assert_memory_equal(x.rank, z->rank, 4 * sizeof *x.rank);
        }
        differ |= step && memcmp(x.config, (int32_t[]){0, 1, 2, 3}, 16);
        for (int i = 0; i < 3; i++) seen[step / 3][i] += z->file == f[i];
    }
    for (int epoch = 0; epoch < 20; epoch++)
        for (int i = 0; i < 3; i++) assert_int_equal(seen[epoch][i], 1);
    assert_true(differ);
    harness_loader_free(loader);
    tgraph_batch_free(&x);
    for (int i = 0; i < 2; i++) tgraph_batch_free(&y[i]);
    tgraph_source_close(&a);
    tgraph_source_close(&b);
    for (int i = 0; i < 3; i++) tgraph_file_close(f[i]);
}

static void a_batch_in_steady_state_allocates_nothing(void **state)
{
    (void)state;
    tgraph_file *f = open_file(NULL);
    ag_failure why = {0};
    tgraph_source s;
    tgraph_batch b = {0};
    assert_int_equal(tgraph_source_open(&s, &f, 1, 4, 11, &why), AG_OK);
    assert_int_equal(tgraph_source_draw(&s, 0, &b, &why), AG_OK);
    long before = ag__allocations();
    for (int step = 1; step < 20; step++)
        assert_int_equal(tgraph_source_draw(&s, step, &b, &why), AG_OK);
    assert_int_equal(ag__allocations(), before);
    tgraph_batch_free(&b);
    tgraph_source_close(&s);
    tgraph_file_close(f);
}

static void a_split_keeps_the_parts_apart(void **state)
{
    (void)state;
    tgraph_file *f = open_file(NULL);
    ag_failure why = {0};
    int seen[6] = {0};
    assert_int_equal(tgraph_file_split(f, 0.6, 5, &why), AG_OK);
    assert_int_equal(f->train_count, 4); /* 3.6 */
    assert_int_equal(f->held_count, 2);
    for (int i = 0; i < 4; i++) seen[f->train[i]]++;
    for (int i = 0; i < 2; i++) seen[f->held[i]]++;
    for (int i = 0; i < 6; i++) assert_int_equal(seen[i], 1);
    for (int i = 1; i < 4; i++) assert_true(f->train[i] > f->train[i - 1]);
    tgraph_source s;
    tgraph_batch b = {0};
    assert_int_equal(tgraph_source_open(&s, &f, 1, 64, 1, &why), AG_OK);
    for (int step = 0; step < 20; step++) {
        assert_int_equal(tgraph_source_draw(&s, step, &b, &why), AG_OK);
        assert_int_equal(b.configs, 4); /* all, if fewer */
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 2; i++) assert_int_not_equal(b.config[c], f->held[i]);
    }
    int32_t first[4];
    memcpy(first, f->train, sizeof first);
    assert_int_equal(tgraph_file_split(f, 0.6, 5, &why), AG_OK);
    assert_memory_equal(first, f->train, sizeof first);
    assert_int_equal(tgraph_file_split(f, 0.05, 5, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "leaves a part of its 6 configurations empty"));
    const double wrong[] = {0, 1, -1, 2, 0.99};
    for (int i = 0; i < 5; i++) {
        why = (ag_failure){0};
        assert_int_equal(tgraph_file_split(f, wrong[i], 5, &why), AG_EUSE);
    }
    tgraph_batch_free(&b);
    tgraph_source_close(&s);
    tgraph_file_close(f);
}

static void what_cannot_be_trained_on_is_refused(void **state)
{
    (void)state;
    test_layout l;
    ag_failure why = {0};
    tgraph_source s;
    tgraph_data_options options = tgraph_layout_defaults();
    test_layout_make(&l);
    memset(l.runtime, 0, sizeof l.runtime);
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    tgraph_file *hidden = tgraph_file_open(test_path, &options, NULL, &why);
    assert_non_null(hidden);
    assert_int_equal(hidden->has_runtimes, 0);
    assert_int_equal(tgraph_file_trainable(hidden), 0);
    assert_int_equal(tgraph_source_open(&s, &hidden, 1, 64, 1, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "its run times are hidden (all 0)"));
    tgraph_file_close(hidden);

    why = (ag_failure){0};
    test_layout_make(&l);
    l.array[NODE_CONFIG_FEAT].size[0] = l.array[CONFIG_RUNTIME].size[0] = 1;
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    tgraph_file *single = tgraph_file_open(test_path, &options, NULL, &why);
    assert_non_null(single);
    assert_int_equal(tgraph_file_trainable(single), 0);
    assert_int_equal(tgraph_source_open(&s, &single, 1, 64, 1, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "it has only one configuration to train on"));
    tgraph_file_close(single);
    why = (ag_failure){0};
    assert_int_equal(tgraph_source_open(&s, NULL, 0, 64, 1, &why), AG_EUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_node_major),
        cmocka_unit_test(steps_depend_on_seed_and_step_alone),
        cmocka_unit_test(a_batch_in_steady_state_allocates_nothing),
        cmocka_unit_test(a_split_keeps_the_parts_apart),
        cmocka_unit_test(what_cannot_be_trained_on_is_refused),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
