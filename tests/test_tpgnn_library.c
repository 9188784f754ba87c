/* SPDX-License-Identifier: MIT */
/* The C ABI for tuners: scores, damaged arrays, threads, training on what was measured, files. */
#define _GNU_SOURCE
#include "examples/harness/harness.h"
#include "examples/tpgnn/checkpoint.h"
#include "examples/tpgnn/library/augur_tpgnn.h"
#include "examples/tpgnn/score.h"
#include "support/tpgnn_npz.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 12, GRAPHS = 2 * COPIES, MOST = GRAPHS * 16 };

/* Graphs that differ in the extents of their loops; the arrays of a call. */
typedef struct graphs {
    test_schedules file;
    int32_t kind[MOST], children[MOST], refers[MOST];
    float value[MOST];
    int64_t offset[GRAPHS + 1], runtime[GRAPHS];
    int32_t task[GRAPHS];
    augur_tpgnn_graphs call;
} graphs;

static void add_graph(graphs *g, int i)
{
    const test_schedules *s = &g->file;
    const int64_t from = s->node_offset[i % 2], to = s->node_offset[i % 2 + 1];
    int64_t at = g->offset[i];
    for (int64_t v = from; v < to; v++, at++) {
        g->kind[at] = s->kind[v];
        g->children[at] = s->children[v];
        g->refers[at] = s->refers[v];
        g->value[at] = s->value[v] > 1 ? s->value[v] * (float)(1 + i / 2) : s->value[v];
    }
    g->offset[i + 1] = at;
    g->runtime[i] = 1000 + 37 * ((i * 7) % GRAPHS);
    g->task[i] = i % 2;
}

static void make_graphs(graphs *g)
{
    memset(g, 0, sizeof *g);
    test_schedules_make(&g->file);
    for (int i = 0; i < GRAPHS; i++) add_graph(g, i);
    g->call = (augur_tpgnn_graphs){
        GRAPHS,   g->offset[GRAPHS], g->file.kinds, (int64_t)strlen(g->file.kinds),
        g->kind,  g->children,       g->value,      g->refers,
        g->offset};
}

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    return path;
}

/* A checkpoint with random parameters. */
static void save_model(const char *name, int paper, double scale)
{
    tpgnn_data data = {0};
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_read(&data, &s, "library_1.npz");
    tpgnn_settings settings;
    ag_failure why = {0};
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &settings);
    if (paper) assert_int_equal(harness_options_set(o, "test", "network", "paper", &why), AG_OK);
    tpgnn_model model = {0};
    tpgnn_checkpoint c = {.model = tpgnn_settings_model(&settings), .deviation = 1};
    for (int f = 0; f < TPGNN_FIELDS; f++) c.model.words[f] = data.own.words[f];
    c.vocabulary = data.own;
    c.progress.best = (double)NAN;
    c.configuration = tpgnn_configuration_json(o);
    c.data = tpgnn_data_json(&data);
    if (tpgnn_model_new(&model, &c.model, 3, &why)) fail_msg("%s", why.sentence);
    for (int64_t i = 0; i < model.params->size; i++) model.params->value[i] *= (ag_real)scale;
    if (tpgnn_checkpoint_save(path_of(name), &model, &c, 0, &why)) fail_msg("%s", why.sentence);
    c.vocabulary = (tpgnn_vocabulary){0};
    tpgnn_checkpoint_free(&c);
    tpgnn_model_free(&model);
    tpgnn_data_free(&data);
    harness_options_free(o);
}

static augur_tpgnn *open_model(const char *name)
{
    augur_tpgnn *m = augur_tpgnn_open(path_of(name), 2);
    if (!m) fail_msg("%s", augur_tpgnn_error());
    return m;
}

static void predict(augur_tpgnn *m, const graphs *g, double *score)
{
    const int64_t bad = augur_tpgnn_predict(m, &g->call, score);
    if (bad) fail_msg("%lld: %s", (long long)bad, augur_tpgnn_error());
}

/* ---- scores --------------------------------------------------------------------------------- */

/* What tpgnn_score gives for the same two schedules in a file. */
static void as_the_program(void **state)
{
    (void)state;
    for (int paper = 0; paper < 2; paper++) {
        const char *name = paper ? "library_paper.safetensors" : "library.safetensors";
        tpgnn_model model = {0};
        tpgnn_checkpoint c = {0};
        ag_failure why = {0};
        assert_int_equal(tpgnn_checkpoint_load(path_of(name), &model, &c, &why), AG_OK);
        tpgnn_data data = {.given = &c.vocabulary};
        test_schedules s;
        test_schedules_make(&s);
        test_schedules_read(&data, &s, "library_2.npz");
        const tpgnn_scorer scorer = {
            .model = &model, .tape = ag_tape_new(AG_CPU), .graphs = 1, .nodes = 100, .patient = 1};
        double wanted[2] = {0}, score[GRAPHS];
        assert_int_equal(tpgnn_score(&scorer, wanted, &data, 1, &why), AG_OK);
        graphs g;
        make_graphs(&g);
        augur_tpgnn *m = open_model(name);
        predict(m, &g, score);
        assert_memory_equal(score, wanted, sizeof wanted);
        assert_true(paper || (score[0] != score[2] && score[1] != score[3]));
        augur_tpgnn_close(m);
        ag_tape_free(scorer.tape);
        tpgnn_data_free(&data);
        tpgnn_model_free(&model);
        tpgnn_checkpoint_free(&c);
    }
}

static void alone_or_together(void **state)
{
    (void)state;
    graphs g;
    double together[GRAPHS], alone;
    make_graphs(&g);
    augur_tpgnn *m = open_model("library.safetensors");
    predict(m, &g, together);
    for (int i = 0; i < GRAPHS; i++) {
        augur_tpgnn_graphs one = g.call;
        one.graphs = 1;
        one.offset = &g.offset[i]; /* the nodes of the others stay where they are */
        assert_int_equal(augur_tpgnn_predict(m, &one, &alone), 0);
        assert_memory_equal(&alone, &together[i], sizeof alone);
    }
    g.call.graphs = 0;
    assert_int_equal(augur_tpgnn_predict(m, &g.call, &alone), 0);
    augur_tpgnn_close(m);
}

typedef struct caller {
    augur_tpgnn *m;
    const graphs *g;
    double score[GRAPHS];
} caller;

static void *call_often(void *p)
{
    caller *c = p;
    double first[GRAPHS];
    for (int i = 0; i < 20; i++) {
        if (augur_tpgnn_predict(c->m, &c->g->call, i ? c->score : first)) c->score[0] = NAN;
        if (i && memcmp(first, c->score, sizeof first)) c->score[0] = NAN;
    }
    return NULL;
}

static void from_several_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    graphs g;
    double wanted[GRAPHS];
    pthread_t thread[THREADS];
    caller *c = calloc(THREADS, sizeof *c);
    make_graphs(&g);
    augur_tpgnn *m = open_model("library.safetensors");
    predict(m, &g, wanted);
    for (int i = 0; i < THREADS; i++) {
        c[i].m = m;
        c[i].g = &g;
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_memory_equal(c[i].score, wanted, sizeof wanted);
    free(c);
    augur_tpgnn_close(m);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* What is spoilt in graph 2 alone. */
static void spoil(graphs *g, int how)
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
    (void)state;
    static const char *const said[] = {"kind",     "kind",     "node_children", "node_children",
                                       "children", "children", "node_refers",   "declaration",
                                       "finite",   "finite"};
    graphs g;
    double good[GRAPHS], score[GRAPHS];
    augur_tpgnn *m = open_model("library.safetensors");
    make_graphs(&g);
    predict(m, &g, good);
    for (int how = 0; how < 10; how++) {
        make_graphs(&g);
        spoil(&g, how);
        assert_int_equal(augur_tpgnn_predict(m, &g.call, score), 1);
        assert_non_null(strstr(augur_tpgnn_error(), said[how]));
        assert_non_null(strstr(augur_tpgnn_error(), "schedule 2"));
        assert_true(isinf(score[2]) && score[2] < 0);
        score[2] = good[2];
        assert_memory_equal(score, good, sizeof good);
    }
    static const int64_t offset[] = {-1, 0, MOST, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        make_graphs(&g);
        g.offset[3] = offset[i]; /* the end of graph 2, where graph 3 begins */
        const int64_t bad = augur_tpgnn_predict(m, &g.call, score);
        assert_true(bad >= 1 && bad <= 2 && isinf(score[2]));
        assert_memory_equal(score + 4, good + 4, sizeof good - 4 * sizeof *good);
    }
    augur_tpgnn_close(m);
}

/* Whatever stands in the arrays, a call returns and what it says is what it did. */
static void any_damage(void **state)
{
    (void)state;
    graphs g;
    double score[GRAPHS];
    ag_random random = {.seed = 5};
    augur_tpgnn *m = open_model("library.safetensors");
    for (int round = 0; round < 2000; round++) {
        make_graphs(&g);
        struct {
            void *at;
            size_t bytes;
        } const part[] = {
            {g.kind, 4 * (size_t)g.call.nodes},   {g.children, 4 * (size_t)g.call.nodes},
            {g.refers, 4 * (size_t)g.call.nodes}, {g.value, 4 * (size_t)g.call.nodes},
            {g.offset, sizeof g.offset},          {g.file.kinds, strlen(g.file.kinds)}};
        for (uint32_t k = ag_random_below(&random, 4) + 1; k; k--) {
            const uint32_t p = ag_random_below(&random, 6);
            ((uint8_t *)part[p].at)[ag_random_below(&random, (uint32_t)part[p].bytes)] ^=
                (uint8_t)(1u << ag_random_below(&random, 8));
        }
        const int64_t bad = augur_tpgnn_predict(m, &g.call, score);
        int64_t counted = 0;
        for (int i = 0; i < GRAPHS; i++) {
            assert_true(isfinite(score[i]) || score[i] == -INFINITY);
            counted += !isfinite(score[i]);
        }
        assert_int_equal(bad, counted);
    }
    augur_tpgnn_close(m);
}

static void refused(void **state)
{
    (void)state;
    graphs g;
    double score[GRAPHS], loss[2];
    make_graphs(&g);
    augur_tpgnn *m = open_model("library.safetensors");
    assert_null(augur_tpgnn_open(NULL, 1));
    assert_non_null(strstr(augur_tpgnn_error(), "NULL"));
    assert_null(augur_tpgnn_open(path_of("library.safetensors"), -1));
    assert_non_null(strstr(augur_tpgnn_error(), "threads"));
    assert_null(augur_tpgnn_open(path_of("nothing-here"), 1));
    assert_non_null(strstr(augur_tpgnn_error(), "nothing-here"));
    assert_null(augur_tpgnn_open(test_folder, 1));
    assert_int_equal(augur_tpgnn_predict(NULL, &g.call, score), AUGUR_TPGNN_EUSE);
    assert_true(score[0] == -INFINITY && score[GRAPHS - 1] == -INFINITY);
    assert_int_equal(augur_tpgnn_predict(m, NULL, score), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_predict(m, &g.call, NULL), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(NULL, "x"), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(m, NULL), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_save(m, path_of("no/such/folder")), AUGUR_TPGNN_EFILE);
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
    assert_int_equal(augur_tpgnn_predict(m, &g.call, score), GRAPHS);
    assert_non_null(strstr(augur_tpgnn_error(), "five words"));
    g.call = all;
    g.call.graphs = -1;
    assert_int_equal(augur_tpgnn_predict(m, &g.call, score), AUGUR_TPGNN_EUSE);
    assert_int_equal(augur_tpgnn_version(), AUGUR_TPGNN_VERSION);
    augur_tpgnn_close(m);
    augur_tpgnn_close(NULL);
}

/* ---- training ------------------------------------------------------------------------------- */

static void measured_graphs_are_learned(void **state)
{
    (void)state;
    const augur_tpgnn_training how = {60, 64, 3e-3}, none = {0, 64, 1e-3};
    graphs g;
    double before[GRAPHS], after[2][GRAPHS], loss[2], first;
    make_graphs(&g);
    for (int twice = 0; twice < 2; twice++) {
        augur_tpgnn *m = open_model("library.safetensors");
        predict(m, &g, before);
        g.runtime[3] = 0; /* not measured */
        assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, g.task, &none, loss), 1);
        assert_non_null(strstr(augur_tpgnn_error(), "run time of schedule 3"));
        assert_true(loss[0] > 0 && loss[0] == loss[1]);
        predict(m, &g, after[twice]);
        assert_memory_equal(after[twice], before, sizeof before);
        first = loss[0];
        augur_tpgnn_graphs nothing = g.call;
        nothing.graphs = 0;
        assert_int_equal(augur_tpgnn_update(m, &nothing, g.runtime, g.task, &how, loss), 0);
        assert_true(loss[0] == first && loss[1] < 0.9 * first);
        predict(m, &g, after[twice]);
        assert_memory_not_equal(after[twice], before, sizeof before);
        /* what is saved is what scores, for a library and for the program */
        assert_int_equal(augur_tpgnn_save(m, path_of("tuned.safetensors")), 0);
        augur_tpgnn *again = open_model("tuned.safetensors");
        predict(again, &g, before);
        assert_memory_equal(before, after[twice], sizeof before);
        augur_tpgnn_close(again);
        augur_tpgnn_close(m);
    }
    assert_memory_equal(after[0], after[1], sizeof after[0]);
}

/* Run times of different tasks are never compared. */
static void pairs_within_tasks(void **state)
{
    (void)state;
    graphs g;
    double before[GRAPHS], after[GRAPHS], loss[2];
    make_graphs(&g);
    augur_tpgnn *m = open_model("library.safetensors");
    predict(m, &g, before);
    for (int i = 0; i < GRAPHS; i++) g.runtime[i] = 500 + g.task[i];
    assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, g.task, NULL, loss), 0);
    assert_true(loss[0] == 0 && loss[1] == 0);
    predict(m, &g, after);
    assert_memory_equal(after, before, sizeof before);
    assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, NULL, NULL, loss), 0);
    assert_true(loss[0] > 0 && loss[1] < loss[0]);
    augur_tpgnn_close(m);
}

/* Parameters so large that no cost is finite. */
static void not_finite(void **state)
{
    (void)state;
    graphs g;
    double score[GRAPHS], loss[2];
    make_graphs(&g);
    augur_tpgnn *m = open_model("library_huge.safetensors");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(augur_tpgnn_predict(m, &g.call, score), GRAPHS);
        assert_true(score[0] == -INFINITY && score[GRAPHS - 1] == -INFINITY);
        assert_non_null(strstr(augur_tpgnn_error(), "cost"));
        assert_int_equal(augur_tpgnn_update(m, &g.call, g.runtime, NULL, NULL, loss),
                         AUGUR_TPGNN_EFINITE);
    }
    augur_tpgnn_close(m);
}

static int set_up(void **state)
{
    if (test_folder_make(state)) return 1;
    save_model("library.safetensors", 0, 1);
    save_model("library_paper.safetensors", 1, 1);
    save_model("library_huge.safetensors", 0, 1e30);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_program),
        cmocka_unit_test(alone_or_together),
        cmocka_unit_test(from_several_threads),
        cmocka_unit_test(a_damaged_graph_alone),
        cmocka_unit_test(any_damage),
        cmocka_unit_test(refused),
        cmocka_unit_test(measured_graphs_are_learned),
        cmocka_unit_test(pairs_within_tasks),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, set_up, test_folder_remove);
}
