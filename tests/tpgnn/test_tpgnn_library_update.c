/* SPDX-License-Identifier: MIT */
/* The C ABI for tuners: training on measurements, threads, and files of the trained models. */
#include "support/test.h"
#include "support/tpgnn_library.h"

#include <pthread.h>
#include <stdatomic.h>

static void measured_graphs_are_learned(void **state)
{
    const augur_tpgnn_training how = {600, 64, 3e-3}, none = {0, 64, 1e-3};
    test_graphs g;
    double before[TEST_GRAPHS], after[2][TEST_GRAPHS], loss[2], first;
    test_graphs_make(&g);
    for (int twice = 0; twice < 2; twice++) {
        augur_tpgnn *m = test_library_open("library.safetensors");
        test_library_predict(m, &g, before);
        g.runtime[3] = 0; /* not measured */
        assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, g.task, &none, loss), 1);
        assert_non_null(strstr(augur_tpgnn_error(), "run time of schedule 3"));
        assert_true(loss[0] > 0 && loss[0] == loss[1]);
        test_library_predict(m, &g, after[twice]);
        assert_memory_equal(after[twice], before, sizeof before);
        first = loss[0];
        augur_tpgnn_graphs nothing = g.call;
        nothing.graphs = 0;
        assert_int_equal(augur_tpgnn_update(m, &nothing, g.runtime, g.task, &how, loss), 0);
        assert_true(loss[0] == first && loss[1] < 0.9 * first);
        test_library_predict(m, &g, after[twice]);
        assert_memory_not_equal(after[twice], before, sizeof before);
        /* the saved file gives the same scores, in the library and in the program */
        assert_int_equal(augur_tpgnn_save(m, test_file("tuned.safetensors")), 0);
        augur_tpgnn *again = test_library_open("tuned.safetensors");
        test_library_predict(again, &g, before);
        assert_memory_equal(before, after[twice], sizeof before);
        augur_tpgnn_close(again);
        augur_tpgnn_close(m);
    }
    assert_memory_equal(after[0], after[1], sizeof after[0]);
}

/* Run times of different tasks are never compared. */
static void pairs_within_tasks(void **state)
{
    test_graphs g;
    double before[TEST_GRAPHS], after[TEST_GRAPHS], loss[2];
    test_graphs_make(&g);
    augur_tpgnn *m = test_library_open("rows.safetensors");
    test_library_predict(m, &g, before);
    for (int i = 0; i < TEST_GRAPHS; i++) g.runtime[i] = 500 + g.task[i];
    assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, g.task, NULL, loss), 0);
    assert_true(loss[0] == 0 && loss[1] == 0);
    test_library_predict(m, &g, after);
    assert_memory_equal(after, before, sizeof before);
    assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, NULL, NULL, loss), 0);
    assert_true(loss[0] > 0 && loss[1] < loss[0]);
    augur_tpgnn_close(m);
}

typedef struct caller {
    augur_tpgnn *m;
    const test_graphs *g;
    const double *before;
    atomic_int *stop;
    double after[TEST_GRAPHS]; /* the last scores */
    int others;                /* sets of scores that are neither those before nor the last */
} caller;

static void *predict_on(void *p)
{
    caller *c = p;
    double score[TEST_GRAPHS], seen[TEST_GRAPHS];
    int updated = 0, stop, calls = 0;
    do {
        stop = atomic_load(c->stop);
        c->others += augur_tpgnn_predict(c->m, &c->g->call, score) != 0;
        const int old = !memcmp(score, c->before, sizeof score);
        c->others += updated && memcmp(score, seen, sizeof score);
        if (!updated && !old) {
            updated = 1;
            memcpy(seen, score, sizeof seen);
        }
    } while (!stop || ++calls < 20);
    memcpy(c->after, score, sizeof score);
    return NULL;
}

/* Threads that predict all the time see the parameters before an update or after it, and do not
   keep it from its turn. */
static void predictions_during_an_update(void **state)
{
    enum { THREADS = 4 };
    const augur_tpgnn_training how = {10, 64, 3e-3};
    static caller c[THREADS];
    static test_graphs g;
    double before[TEST_GRAPHS], after[TEST_GRAPHS];
    pthread_t thread[THREADS];
    atomic_int stop = 0;
    test_graphs_make(&g);
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_library_predict(m, &g, before);
    for (int i = 0; i < THREADS; i++) {
        c[i] = (caller){.m = m, .g = &g, .before = before, .stop = &stop};
        assert_int_equal(pthread_create(&thread[i], NULL, predict_on, &c[i]), 0);
    }
    const int64_t left = augur_tpgnn_update(m, &g.call, g.runtime, g.task, &how, NULL);
    test_library_predict(m, &g, after);
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    assert_int_equal(left, 0);
    assert_memory_not_equal(after, before, sizeof after);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(c[i].others, 0);
        assert_memory_equal(c[i].after, after, sizeof after);
    }
    augur_tpgnn_close(m);
}

static void not_finite(void **state)
{
    test_graphs g;
    double score[TEST_GRAPHS], loss[2];
    test_graphs_make(&g);
    augur_tpgnn *m = test_library_open("huge.safetensors");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(augur_tpgnn_predict(m, &g.call, score), TEST_GRAPHS);
        assert_true(score[0] == -INFINITY && score[TEST_GRAPHS - 1] == -INFINITY);
        assert_non_null(strstr(augur_tpgnn_error(), "cost"));
        assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, NULL, NULL, loss),
                         AUGUR_TPGNN_EFINITE);
    }
    augur_tpgnn_close(m);
}

int main(void)
{
    return RUN_TESTS_WITH(test_library_set_up, test_folder_remove, measured_graphs_are_learned,
                          pairs_within_tasks, predictions_during_an_update, not_finite);
}
