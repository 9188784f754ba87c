/* SPDX-License-Identifier: MIT */
/* TGraph against PyTorch's float64 values (tests/golden/README.md): every case of the file, in
   float and in double. */
#include "support/test.h"
#include "support/golden_probe.h"
#include "support/model_random.h"

#define GOLDEN AG_SOURCE_DIR "/tests/golden/tgraph.npz"

enum {
    NODES = 12,
    EDGES = 17,
    CONFIGURABLE = 4,
    CONFIGS = 5,
    ROWS = 9,
    ENTRIES = 20, /* of a configuration */
    SETS = 11,
    STEPS = 10
};

static const char *const cases[] = {"cross",      "plain",         "full_cross", "full_plain",
                                    "cross_late", "no_channel",    "no_edges",   "operands",
                                    "both",       "sum",           "l2",         "message",
                                    "outside",    "paper",         "all",        "all_late",
                                    "rows_sums",  "rows_embedded", "rows_costs"};
enum { CASES = sizeof cases / sizeof *cases };

/* Bounds of one precision. */
typedef struct bounds {
    const model_api *api;
    double forward;  /* scores, relative to the largest, and losses, relative */
    double gradient; /* share of max(largest of the tensor, 1e-3 of the largest of all) */
} bounds;
/* make_golden.py takes no case whose own float32 is further away than half of this: in some, the
   slope of a bias is a sum that cancels thousandfold, and then the order of adding shows. */
static bounds in_float = {&ag__model, 1e-5, 5e-4}, in_double = {&ag64__model, 1e-9, 1e-8};

/* ---- the file ---- */

static int32_t *integers(const char *name, int add)
{
    golden_array a = read_array("%s", name);
    int32_t *out = calloc((size_t)a.count + 1, sizeof *out);
    for (int64_t i = 0; i < a.count; i++) out[i] = (int32_t)a.value[i] + add;
    golden_free(&a);
    return out;
}

static model_graph graph;
static model_data sets[SETS];

/* Values of the file are [set, configuration, node, digit]; the model needs nodes outermost. */
static void read_sets(void)
{
    int32_t *layout = integers("layout.config", 2), *rank = integers("ranks", 0);
    for (int s = 0; s < SETS; s++) {
        model_data *d = sets + s;
        d->configs = CONFIGS;
        d->digit = calloc(CONFIGURABLE * CONFIGS * TGRAPH_DIGITS, sizeof *d->digit);
        d->rank = calloc(CONFIGS, sizeof *d->rank);
        memcpy(d->rank, rank + s * CONFIGS, CONFIGS * sizeof *rank);
        for (int c = 0; c < CONFIGS; c++)
            for (int v = 0; v < CONFIGURABLE; v++)
                memcpy(d->digit + (v * CONFIGS + c) * TGRAPH_DIGITS,
                       layout + ((s * CONFIGS + c) * CONFIGURABLE + v) * TGRAPH_DIGITS,
                       TGRAPH_DIGITS * sizeof *layout);
    }
    free(layout);
    free(rank);
}

/* Rows are of the first set: only it is used with them. */
static void read_rows(model_data *d)
{
    golden_array x = read_array("rows.x"), work = read_array("rows.work");
    int32_t *node = integers("rows.node", 0);
    d->rows = (nests_rows){.rows = ROWS,
                           .items = CONFIGS,
                           .x = calloc((size_t)x.count, sizeof(float)),
                           .word = integers("rows.word", 0),
                           .work = work.value,
                           .first = calloc(CONFIGS + 1, sizeof(int)),
                           .row = integers("rows.row", 0)};
    d->place = calloc(CONFIGS * ENTRIES, sizeof *d->place);
    for (int64_t i = 0; i < x.count; i++) d->rows.x[i] = (float)x.value[i];
    for (int c = 0; c < CONFIGS; c++) {
        d->rows.first[c + 1] = (c + 1) * ENTRIES;
        for (int e = c * ENTRIES; e < (c + 1) * ENTRIES; e++) d->place[e] = node[e] * CONFIGS + c;
    }
    golden_free(&x);
    free(node);
}

static int open_file(void **state)
{
    if (probe_open(GOLDEN)) return -1;
    graph = (model_graph){.nodes = NODES,
                          .edges = EDGES,
                          .configurable = CONFIGURABLE,
                          .feature = read_array("graph.features").value,
                          .layout = integers("graph.layout", 2),
                          .opcode = integers("graph.op", 0),
                          .edge = integers("graph.edges", 0),
                          .config_node = integers("graph.config_ids", 0)};
    read_sets();
    read_rows(&sets[0]);
    return 0;
}

static int close_file(void **state)
{
    probe_close();
    model_random_free(&graph, &sets[0]);
    for (int s = 1; s < SETS; s++) {
        free(sets[s].digit);
        free(sets[s].rank);
    }
    return 0;
}

/* ---- the model of a case ---- */

static tgraph_options options_of(const char *name)
{
    golden_array a = read_array("%s.options", name);
    assert_int_equal(a.count, 12);
    const double *v = a.value;
    const tgraph_options o = {.hidden = (int)v[0],
                              .cross = (int)v[1],
                              .cross_input = (int)v[2],
                              .channel = (int)v[3],
                              .edges = (int)v[4],
                              .direction = (int)v[5],
                              .sum = (int)v[6],
                              .l2 = (int)v[7],
                              .message = (int)v[8],
                              .outside = (int)v[9],
                              .halve = (int)v[10],
                              .rows = (int)v[11],
                              .decay_biases = 1};
    golden_free(&a);
    return o;
}

static void set_values(const model_api *api, model *m, const char *name)
{
    for (int p = 0; p < api->params(m); p++) {
        int64_t n;
        golden_array a = read_array("%s.p.%s", name, api->param(m, p, &n));
        double *value = calloc((size_t)n, sizeof *value);
        for (int64_t i = 0; i < n; i++)
            value[i] = a.value[2] + a.value[1] * golden_uniform((uint32_t)a.value[0], (uint32_t)i);
        api->set(m, p, value);
        free(value);
        golden_free(&a);
    }
}

static model *model_of(const model_api *api, const char *name)
{
    char why[MODEL_WHY];
    const tgraph_options options = options_of(name);
    model *m = api->create(&options, &graph, 1, why);
    if (!m) fail_msg("%s: %s", name, why);
    set_values(api, m, name);
    return m;
}

/* ---- comparing ---- */

static double relative(double have, double want) { return fabs(have - want) / fabs(want); }

/* The smallest scale of a gradient. A bias in front of an instance norm has a gradient of only
   rounding errors: its scale is that of the weight of the same layer. */
static double least_scale(const char *name, const char *of, double largest)
{
    const char *const linear = ".linear.bias";
    const size_t n = strlen(of), ending = strlen(linear);
    if (n < ending || strcmp(of + n - ending, linear) != 0) return 1e-3 * largest;
    golden_array weight = read_array("%s.p.%.*sweight", name, (int)(n - strlen("bias")), of);
    const double scale = fmax(1e-3 * largest, weight.value[3]);
    golden_free(&weight);
    return scale;
}

static double compare_whole(const double *g, int64_t n, const golden_array *want, double floor)
{
    double worst = 0, scale = floor;
    assert_int_equal(want->count, n);
    for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(want->value[i]));
    for (int64_t i = 0; i < n; i++) worst_of(&worst, fabs(g[i] - want->value[i]) / scale);
    return worst;
}

static double largest_of_all(const model_api *api, const model *m, const char *name)
{
    double largest = 0;
    for (int p = 0; p < api->params(m); p++) {
        int64_t n;
        golden_array a = read_array("%s.p.%s", name, api->param(m, p, &n));
        largest = fmax(largest, a.value[3]);
        golden_free(&a);
    }
    return largest;
}

/* The worst gradient of the model; *whole counts those that are stored in full. */
static double compare_gradients(const bounds *b, const model *m, const char *name, int *whole)
{
    const model_api *api = b->api;
    const double largest = largest_of_all(api, m, name);
    double worst = 0;
    for (int p = 0; p < api->params(m); p++) {
        int64_t n;
        const char *of = api->param(m, p, &n);
        const double floor = least_scale(name, of, largest);
        golden_array about = read_array("%s.p.%s", name, of);
        double *g = calloc((size_t)n, sizeof *g), error;
        api->gradient(m, p, g);
        error = compare_gradient(g, n, about.value, floor);
        golden_array all = try_member(formatted("%s.g.%s", name, of));
        if (all.value) {
            worst_of(&error, compare_whole(g, n, &all, floor));
            ++*whole;
        }
        if (!(error <= b->gradient))
            fail_msg("%s in %s: gradient of %s is off by %g", name, api->name, of, error);
        worst_of(&worst, error);
        golden_free(&about);
        golden_free(&all);
        free(g);
    }
    return worst;
}

/* Worst of the scores and the loss. A score near 0 is a difference of large numbers: PyTorch's own
   float32 is 2e-5 of it away, so scores are measured by the largest of them. */
static double compare_forward(const bounds *b, model *m, const char *name)
{
    char why[MODEL_WHY];
    double score[CONFIGS], predicted[CONFIGS], worst = 0, largest = 0;
    golden_array want = read_array("%s.scores", name), loss = read_array("%s.loss", name);
    b->api->scores(m, sets, predicted, why);
    assert_string_equal(why, "");
    const double have = b->api->loss(m, sets, 0, score, why);
    assert_string_equal(why, "");
    assert_int_equal(want.count, CONFIGS);
    for (int c = 0; c < CONFIGS; c++) largest = fmax(largest, fabs(want.value[c]));
    for (int c = 0; c < CONFIGS; c++) {
        worst_of(&worst, fabs(score[c] - want.value[c]) / largest);
        worst_of(&worst, fabs(predicted[c] - want.value[c]) / largest);
    }
    worst_of(&worst, relative(have, loss.value[0]));
    golden_free(&want);
    golden_free(&loss);
    return worst;
}

/* 10 steps of AdamW; returns the worst of the losses before each, 0 without any in the file. */
static double compare_training(const bounds *b, model *m, const char *name, int *trained)
{
    char why[MODEL_WHY];
    double worst = 0, norm;
    golden_array how = try_member(formatted("%s.training", name));
    if (!how.value) return 0;
    golden_array want = read_array("%s.losses", name);
    assert_int_equal(want.count, STEPS);
    for (int s = 1; s <= STEPS; s++) {
        const double have = b->api->loss(m, sets + s, s, NULL, why);
        assert_string_equal(why, "");
        worst_of(&worst, relative(have, want.value[s - 1]));
        b->api->update(m, how.value[0], how.value[1], how.value[2], &norm, why);
        assert_string_equal(why, "");
    }
    golden_free(&how);
    golden_free(&want);
    *trained = 1;
    return worst;
}

/* ---- tests ---- */

static void test_cases(void **state)
{
    const bounds *b = *state;
    int whole = 0, trained = 0;
    for (int k = 0; k < CASES; k++) {
        int trains = 0, stored = 0;
        model *m = model_of(b->api, cases[k]);
        const double forward = compare_forward(b, m, cases[k]);
        const double gradient = compare_gradients(b, m, cases[k], &stored);
        const double losses = compare_training(b, m, cases[k], &trains);
        print_message("%-6s %-10s forward %.1e, gradients %.1e (%d in full)", b->api->name,
                      cases[k], forward, gradient, stored);
        if (trains) print_message(", %d losses %.1e", STEPS, losses);
        print_message("\n");
        assert_true(forward <= b->forward);
        assert_true(losses <= b->forward);
        b->api->destroy(m);
        trained += trains;
        whole += stored > 0;
    }
    assert_int_equal(whole, 2);
    assert_int_equal(trained, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_cases, &in_float),
        cmocka_unit_test_prestate(test_cases, &in_double),
        cmocka_unit_test(test_whole_file),
    };
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, open_file, close_file);
}
