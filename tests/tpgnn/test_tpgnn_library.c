/* SPDX-License-Identifier: MIT */
/* The C ABI for tuners: scores, damaged arrays, errors. Any damage: fuzz_tpgnn_schedules.c. */
#include "support/test.h"
#include "examples/harness/run/trained.h"
#include "examples/tpgnn/shell.h"
#include "support/tpgnn_library.h"

#include <fenv.h>
#include <locale.h>

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

int main(void)
{
    return RUN_TESTS_WITH(test_library_set_up, test_folder_remove, as_the_program, in_an_odd_host,
                          a_damaged_graph_alone, refused);
}
