/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "tpgnn_library.h"
#include "examples/harness/harness.h"
#include "examples/harness/run/trained.h"
#include "examples/tpgnn/shell.h"

static void add_graph(test_graphs *g, int i)
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
    g->runtime[i] = 1000 + 37 * ((i * 7) % TEST_GRAPHS);
    g->task[i] = i % 2;
}

void test_graphs_make(test_graphs *g)
{
    memset(g, 0, sizeof *g);
    test_schedules_make(&g->file);
    for (int i = 0; i < TEST_GRAPHS; i++) add_graph(g, i);
    g->call = (augur_tpgnn_graphs){TEST_GRAPHS,   g->offset[TEST_GRAPHS],
                                   g->file.kinds, (int64_t)strlen(g->file.kinds),
                                   g->kind,       g->children,
                                   g->value,      g->refers,
                                   g->offset};
}

/* A checkpoint with random parameters; small, since tests score it thousands of times. */
static void save_model(const char *name, const char *preset, const char *rows, double scale)
{
    tpgnn_files files = {0};
    test_schedules_read_good(&files.train, "library_1.npz");
    tpgnn_settings settings;
    ag_failure why = {0};
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &settings);
    assert_int_equal(harness_options_set(o, "test", "preset", preset, &why), AG_OK);
    assert_int_equal(harness_options_set(o, "test", "rows", rows, &why), AG_OK);
    assert_int_equal(harness_options_set(o, "test", "hidden", "16", &why), AG_OK);
    settings.shell.common.seed = 3;
    harness_session session = {
        .model = &tpgnn_shell, .settings = &settings.shell, .options = o, .data = &files};
    harness_trained *t = &session.trained;
    if (harness_trained_create(&session, &why)) fail_msg("%s", why.sentence);
    for (int64_t i = 0; i < t->params->size; i++) t->params->value[i] *= (ag_real)scale;
    if (harness_trained_save(test_file(name), t, 0, &why)) fail_msg("%s", why.sentence);
    harness_trained_drop(t);
    tpgnn_data_free(&files.train);
    harness_options_free(o);
}

augur_tpgnn *test_library_open(const char *name)
{
    augur_tpgnn *m = augur_tpgnn_open(test_file(name), 2);
    if (!m) fail_msg("%s", augur_tpgnn_error());
    return m;
}

void test_library_refuses(const char *path, int threads, const char *sentence)
{
    assert_null(augur_tpgnn_open(path, threads));
    if (!strstr(augur_tpgnn_error(), sentence)) fail_msg("%s", augur_tpgnn_error());
}

void test_library_predict(augur_tpgnn *m, const test_graphs *g, double *score)
{
    const int64_t bad = augur_tpgnn_predict(m, &g->call, score);
    if (bad) fail_msg("%lld: %s", (long long)bad, augur_tpgnn_error());
}

int test_library_set_up(void **state)
{
    if (test_folder_make(state)) return 1;
    save_model("library.safetensors", "statements", "none", 1);
    save_model("paper.safetensors", "none", "none", 1);
    save_model("rows.safetensors", "statements", "costs", 1);
    save_model("huge.safetensors", "statements", "none", 1e30);
    return 0;
}
