/* SPDX-License-Identifier: MIT */
/* The library for tuners runs in another program's process: whichever allocation fails, its calls
   return, report it, and leave the handle unchanged. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "support/tpgnn_library.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3, MOST = 20000 };

static test_graphs graphs;

/* With the nth allocation failing. 0: it went well. */
static int open_and_close(augur_tpgnn **m, long n)
{
    ag__fail_allocation(n, 0);
    *m = augur_tpgnn_open(test_library_path("library.safetensors"), 1);
    ag__fail_allocation(0, 0);
    return *m ? 0 : AUGUR_TPGNN_EMEMORY;
}

static void expect_no_memory(int64_t result, const char *call, long n)
{
    if (result != AUGUR_TPGNN_EMEMORY || !strstr(augur_tpgnn_error(), "memory"))
        fail_msg("%s, allocation %ld: %lld, \"%s\"", call, n, (long long)result,
                 augur_tpgnn_error());
}

static void opening(void **state)
{
    long n = 1;
    (void)state;
    for (int failed = 1; failed; n++) {
        augur_tpgnn *m;
        failed = open_and_close(&m, n);
        if (failed) expect_no_memory(failed, "open", n);
        augur_tpgnn_close(m);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, 50, MOST);
}

static void saving(void **state)
{
    augur_tpgnn *m = test_library_open("library.safetensors");
    char path[400];
    long n = 1;
    (void)state;
    snprintf(path, sizeof path, "%s", test_library_path("saved.safetensors"));
    for (int failed = 1; failed; n++) {
        ag__fail_allocation(n, 0);
        failed = augur_tpgnn_save(m, path);
        ag__fail_allocation(0, 0);
        if (failed) expect_no_memory(failed, "save", n);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, 5, MOST);
    augur_tpgnn_close(m);
}

static void predicting(void **state)
{
    double want[TEST_GRAPHS], have[TEST_GRAPHS];
    long n = 1;
    (void)state;
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_library_predict(m, &graphs, want);
    for (int64_t result = -1; result; n++) {
        ag__fail_allocation(n, 0);
        result = augur_tpgnn_predict(m, &graphs.call, have);
        ag__fail_allocation(0, 0);
        if (result) {
            expect_no_memory(result, "predict", n);
            test_library_predict(m, &graphs, have); /* the next call is as good as before */
        }
        assert_memory_equal(have, want, sizeof want);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, 30, MOST);
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
    double want[2], have[2], before[TEST_GRAPHS], after[TEST_GRAPHS];
    long n = 1;
    (void)state;
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_library_predict(m, &graphs, before);
    assert_int_equal(update(m, want), 0);
    augur_tpgnn_close(m);
    for (int64_t result = -1; result; n += 1 + n / 40) {
        m = test_library_open("library.safetensors");
        ag__fail_allocation(n, 0);
        result = update(m, have);
        ag__fail_allocation(0, 0);
        if (result) {
            expect_no_memory(result, "update", n);
            test_library_predict(m, &graphs, after);
            assert_memory_equal(before, after, sizeof before);
            assert_int_equal(update(m, have), 0);
            assert_true(isfinite(have[0]) && isfinite(have[1]));
        } else {
            assert_memory_equal(have, want, sizeof want);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening),
        cmocka_unit_test(saving),
        cmocka_unit_test(predicting),
        cmocka_unit_test(updating),
    };
    return cmocka_run_group_tests(tests, set_up, test_folder_remove);
}
