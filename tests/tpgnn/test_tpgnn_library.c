/* SPDX-License-Identifier: MIT */
/* The C ABI for tuners: scores, damaged arrays, errors, training on measurements, threads. Any
   damage: fuzz_tpgnn_schedules.c. */
#include "support/test.h"
#include "examples/harness/run/trained.h"
#include "examples/tpgnn/shell.h"
#include "support/tpgnn_library.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- scores ---- */

/* The scores are minus those of tpgnn_score for the same two schedules in a file. */
static void as_the_program(void **state)
{
    static const char *const names[][2] = {
        {"library.safetensors", "network of statements"},
        {"rows.safetensors", "network of statements with rows (costs)"},
        {"paper.safetensors", "TPGNN"}};
    for (int i = 0; i < 3; i++) {
        const char *name = names[i][0];
        harness_trained t = {0};
        ag_failure why = {0};
        assert_int_equal(harness_trained_load(&t, &tpgnn_shell, test_file(name), &why), AG_OK);
        const tpgnn_trained *net = t.net;
        tpgnn_data data = {.given = &net->vocabulary};
        test_schedules_read_good(&data, "library_2.npz");
        const tpgnn_settings settings = {.eval_graphs = 1, .eval_nodes = 100};
        const harness_scoring how = {ag_tape_new(AG_CPU), &settings.shell, 1, true};
        double wanted[2], score[TEST_GRAPHS];
        assert_int_equal(tpgnn_score(wanted, &net->model, &how, &data, &why), AG_OK);
        for (int k = 0; k < 2; k++) wanted[k] = -wanted[k];
        test_graphs g;
        test_graphs_make(&g);
        augur_tpgnn *m = test_library_open(name);
        assert_string_equal(augur_tpgnn_name(m), names[i][1]);
        test_library_predict(m, &g, score);
        assert_memory_equal(score, wanted, sizeof wanted);
        assert_true(i == 2 || (score[0] != score[2] && score[1] != score[3]));
        augur_tpgnn_close(m);
        ag_tape_free(how.tape);
        tpgnn_data_free(&data);
        harness_trained_drop(&t);
    }
}

/* A host may round as it likes, end at exceptions and write numbers with a comma. */
static void in_an_odd_host(void **state)
{
    const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    fenv_t plain;
    test_graphs g;
    double wanted[2][TEST_GRAPHS], loss[2][2] = {{0}}, score[TEST_GRAPHS];
    test_graphs_make(&g);
    fegetenv(&plain);
    for (int odd = 0; odd < 2; odd++) {
        if (odd) setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
        if (odd) fesetround(FE_UPWARD);
#ifdef __GLIBC__
        if (odd) feenableexcept(traps);
#endif
        augur_tpgnn *m = augur_tpgnn_open(test_file("library.safetensors"), 1);
        const int64_t bad = augur_tpgnn_predict(m, &g.call, odd ? score : wanted[0]) +
                            augur_tpgnn_update(m, &g.call, g.runtime, g.task, NULL, loss[odd]);
        if (odd) {
            assert_memory_equal(score, wanted[0], sizeof score);
            assert_int_equal(fegetround(), FE_UPWARD);
#ifdef __GLIBC__
            assert_int_equal(fegetexcept(), traps);
#endif
        }
        augur_tpgnn_predict(m, &g.call, odd ? score : wanted[1]);
        augur_tpgnn_close(m);
        fesetenv(&plain);
        assert_int_equal(bad, 0);
    }
    setlocale(LC_ALL, "C");
    assert_memory_equal(score, wanted[1], sizeof score);
    assert_memory_not_equal(wanted[0], wanted[1], sizeof score);
    assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
}

/* ---- damage ---- */

/* Damages graph 2 alone. */
static void spoil(test_graphs *g, int how)
{
    const int64_t first = g->offset[2];
    if (how == 0) g->kind[first + 3] = 10;
    if (how == 1) g->kind[first + 3] = -1;
    if (how == 2) g->children[first] = 3;
    if (how == 3) g->children[first] = 1;
    if (how == 4) g->children[first + 1] = INT32_MAX;
    if (how == 5) g->children[first + 1] = -1;
    if (how == 6) g->refers[first + 6] = 5;
    if (how == 7) g->refers[first + 6] = -2;
    if (how == 8) g->value[first + 3] = NAN;
    if (how == 9) g->value[first + 3] = INFINITY;
}

static void a_damaged_graph_alone(void **state)
{
    static const char *const said[] = {"kind",     "kind",     "node_children", "node_children",
                                       "children", "children", "node_refers",   "declaration",
                                       "finite",   "finite"};
    test_graphs g;
    double good[TEST_GRAPHS], score[TEST_GRAPHS];
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_graphs_make(&g);
    test_library_predict(m, &g, good);
    for (int how = 0; how < 10; how++) {
        test_graphs_make(&g);
        spoil(&g, how);
        assert_int_equal(augur_tpgnn_predict(m, &g.call, score), 1);
        assert_non_null(strstr(augur_tpgnn_error(), said[how]));
        assert_non_null(strstr(augur_tpgnn_error(), "schedule 2"));
        assert_true(isinf(score[2]) && score[2] < 0);
        score[2] = good[2];
        assert_memory_equal(score, good, sizeof good);
    }
    static const int64_t offset[] = {-1, 0, TEST_MOST, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        test_graphs_make(&g);
        g.offset[3] = offset[i]; /* the end of graph 2, where graph 3 begins */
        const int64_t bad = augur_tpgnn_predict(m, &g.call, score);
        assert_true(bad >= 1 && bad <= 2 && isinf(score[2]));
        assert_memory_equal(score + 4, good + 4, sizeof good - 4 * sizeof *good);
    }
    augur_tpgnn_close(m);
}

static void refused(void **state)
{
    test_graphs g;
    double score[TEST_GRAPHS], loss[2];
    test_graphs_make(&g);
    augur_tpgnn *m = test_library_open("library.safetensors");
    test_library_refuses(NULL, 1, "NULL");
    test_library_refuses(test_file("library.safetensors"), -1, "threads");
    test_library_refuses(test_file("nothing-here"), 1, "nothing-here");
    test_library_refuses(test_folder, 1, "");
    assert_int_equal(augur_tpgnn_predict(NULL, &g.call, score), AUGUR_TPGNN_EUSE);
    assert_true(score[0] == -INFINITY && score[TEST_GRAPHS - 1] == -INFINITY);
    assert_int_equal(augur_tpgnn_predict(m, NULL, score), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_predict(m, &g.call, NULL), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(NULL, "x"), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(m, NULL), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(m, test_file("no/such/folder")), AUGUR_TPGNN_EFILE);
    assert_int_equal(augur_tpgnn_update(m, &g.call, NULL, NULL, NULL, loss), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_update(NULL, &g.call, g.runtime, NULL, NULL, NULL),
                     AUGUR_TPGNN_EUSE);
    static const augur_tpgnn_training bad[] = {
        {-1, 64, 1e-4}, {1, 1, 1e-4}, {1, 64, 0}, {1, 64, 2}, {1, 64, (double)NAN}};
    for (int i = 0; i < 5; i++)
        assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, NULL, &bad[i], NULL),
                         AUGUR_TPGNN_EUSE);
    const augur_tpgnn_graphs all = g.call;
    g.call.refers = NULL;
    assert_int_equal(augur_tpgnn_predict(m, &g.call, score), AUGUR_TPGNN_EUSE);
    g.call = all;
    g.call.kinds_bytes = 5; /* no line */
    assert_int_equal(augur_tpgnn_predict(m, &g.call, score), TEST_GRAPHS);
    assert_non_null(strstr(augur_tpgnn_error(), "five words"));
    static const int64_t counts[] = {-1, INT32_MAX, INT64_MAX};
    for (int i = 0; i < 3; i++) { /* nothing says then how many scores there are */
        g.call = all;
        g.call.graphs = counts[i];
        score[0] = score[1] = 7;
        assert_int_equal(augur_tpgnn_predict(m, &g.call, score), AUGUR_TPGNN_EUSE);
        assert_true(score[0] == 7 && score[1] == 7);
    }
    g.call = all;
    g.call.graphs = 0;
    assert_int_equal(augur_tpgnn_predict(m, &g.call, score), 0);
    assert_int_equal(augur_tpgnn_version(), AUGUR_TPGNN_VERSION);
    augur_tpgnn_close(m);
    augur_tpgnn_close(NULL);
    assert_null(augur_tpgnn_name(NULL));
}

/* ---- training on measurements ---- */

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
    return RUN_TESTS_WITH(test_library_set_up, test_folder_remove, as_the_program, in_an_odd_host,
                          a_damaged_graph_alone, refused, measured_graphs_are_learned,
                          pairs_within_tasks, predictions_during_an_update, not_finite);
}
