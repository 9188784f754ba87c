/* SPDX-License-Identifier: MIT */
/* The library for tuners runs in another program's process: whichever allocation fails, its calls
   return, report it, and leave the handle unchanged. */
#include "support/test.h"
#include "core/internal.h"
#include "support/tpgnn_library.h"

enum { STEPS = 3, MOST = 20000 };

static test_graphs graphs;

static void expect_no_memory(int64_t result, const char *call, long n)
{
    if (result != AUGUR_TPGNN_EMEMORY || !strstr(augur_tpgnn_error(), "memory"))
        fail_msg("%s, allocation %ld: %lld, \"%s\"", call, n, (long long)result,
                 augur_tpgnn_error());
}

/* Each allocation of a call fails in turn, until it has fewer; more than `least` of them do. With
   `after`, which takes time, fewer of those beyond the first 40 fail. */
static void each_fails(const char *name, int least, augur_tpgnn *m, int64_t (*call)(augur_tpgnn *m),
                       void (*after)(augur_tpgnn *m))
{
    long n = 1;
    for (int64_t result = -1; result; n += after ? 1 + n / 10 : 1) {
        ag__fail_allocation(n, 0);
        result = call(m);
        ag__fail_allocation(0, 0);
        if (result) expect_no_memory(result, name, n);
        if (after) after(m);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, least, MOST);
}

static int64_t open_and_close(augur_tpgnn *m)
{
    m = augur_tpgnn_open(test_file("rows.safetensors"), 1);
    const int64_t result = m ? 0 : AUGUR_TPGNN_EMEMORY;
    augur_tpgnn_close(m);
    return result;
}

static int64_t save(augur_tpgnn *m) { return augur_tpgnn_save(m, test_file("saved.safetensors")); }

static double want[TEST_GRAPHS], have[TEST_GRAPHS];

static int64_t predict(augur_tpgnn *m)
{
    const int64_t result = augur_tpgnn_predict(m, &graphs.call, have);
    if (!result) assert_memory_equal(have, want, sizeof want);
    for (int i = 0; result && i < TEST_GRAPHS; i++) assert_true(have[i] == -INFINITY);
    return result;
}

/* The next call is as good as the one before. */
static void predict_again(augur_tpgnn *m)
{
    test_library_predict(m, &graphs, have);
    assert_memory_equal(have, want, sizeof want);
}

static void opening_saving_predicting(void **state)
{
    each_fails("open", 50, NULL, open_and_close, NULL);
    augur_tpgnn *m = test_library_open("rows.safetensors");
    test_library_predict(m, &graphs, want);
    each_fails("save", 5, m, save, predict_again);
    each_fails("predict", 30, m, predict, predict_again);
    augur_tpgnn_close(m);
}

static int64_t update(augur_tpgnn *m, double loss[2])
{
    augur_tpgnn_training how = augur_tpgnn_training_default();
    how.steps = STEPS;
    return augur_tpgnn_update(m, &graphs.call, graphs.runtime, graphs.task, &how, loss);
}

/* A fresh handle each time: an update that fails may have remembered its graphs. */
static void updating(void **state)
{
    double first[2], again[2], before[TEST_GRAPHS], after[TEST_GRAPHS];
    long n = 1;
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_library_predict(m, &graphs, before);
    assert_int_equal(update(m, first), 0);
    augur_tpgnn_close(m);
    for (int64_t result = -1; result; n += 1 + n / 10) {
        m = test_library_open("library.safetensors");
        ag__fail_allocation(n, 0);
        result = update(m, again);
        ag__fail_allocation(0, 0);
        if (result) {
            expect_no_memory(result, "update", n);
            test_library_predict(m, &graphs, after);
            assert_memory_equal(before, after, sizeof before);
            assert_int_equal(update(m, again), 0);
            assert_true(isfinite(again[0]) && isfinite(again[1]));
        } else {
            assert_memory_equal(again, first, sizeof first);
        }
        augur_tpgnn_close(m);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, 30, MOST);
}

static int set_up(void **state)
{
    if (test_library_set_up(state)) return -1;
    test_graphs_make(&graphs);
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(set_up, test_folder_remove, opening_saving_predicting, updating);
}
