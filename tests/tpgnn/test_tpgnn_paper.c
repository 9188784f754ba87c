/* SPDX-License-Identifier: MIT */
/* The network of TPGNN: against PyG's float64 values (tests/golden/README.md), the number of
   parameters, refusals. First values: test_layers.c. In double: test_tpgnn_model.c. */
#include "support/test.h"
#include "core/threads.h"
#include "examples/tpgnn/model/paper.h"
#include "ops/ops.h"
#include "support/golden_probe.h"

enum { OPTIONS = 6, WHOLE = 128, SOME = 64 };

static const char *const names[] = {
    "paper", "small",        "gcn",        "gcn_sag",  "gcn_none",     "sag",      "none",
    "fixed", "eight_layers", "odd",        "one_node", "one_node_gcn", "ones",     "no_edges",
    "ties",  "ties_star",    "ties_alone", "ties_sag", "no_edges_gcn", "one_layer"};

/* ---- a case of the file ---- */

/* The network with the parameters of the file, and its batch. */
typedef struct fixture {
    const char *name;
    tpgnn_paper_options options;
    int graphs, nodes, how;
    int32_t *starts;
    ag_graph *graph; /* as one graph, which `starts` cuts */
    ag_real *x, *cost;
    ag_params *params;
    tpgnn_paper paper;
    ag_tape *tape;
} fixture;

static tpgnn_paper_options options_of(const char *name)
{
    golden_array o = read_array("%s.options", name);
    assert_int_equal(o.count, OPTIONS);
    const tpgnn_paper_options options = {.inputs = (int)o.value[0],
                                         .hidden = (int)o.value[1],
                                         .layers = (int)o.value[2],
                                         .conv = (tpgnn_conv)o.value[3],
                                         .pool = (tpgnn_pool)o.value[4],
                                         .ratio = o.value[5]};
    golden_free(&o);
    return options;
}

static ag_graph *graph_of(const char *name, int nodes)
{
    int64_t n;
    int32_t *edge = golden_ints(file, &n, name, "edges");
    int32_t *source = calloc((size_t)n + 1, sizeof *source), *target = source + n / 2;
    for (int e = 0; e < n / 2; e++) source[e] = edge[2 * e], target[e] = edge[2 * e + 1];
    ag_graph *graph = ag_graph_build(nodes, source, target, (int)n / 2, AG_ALONG, new_failure());
    if (!graph) fail_msg("%s: %s", name, last_failure()->sentence);
    free(edge);
    free(source);
    return graph;
}

/* how 1: all nodes have the features of the first; 2: and those are -2/8..2/8. */
static void fill_inputs(fixture *f, uint32_t x, uint32_t cost)
{
    const int inputs = f->options.inputs, n = f->nodes * inputs;
    f->x = calloc((size_t)n + 1, sizeof *f->x);
    f->cost = calloc((size_t)f->graphs + 1, sizeof *f->cost);
    for (int i = 0; i < n; i++) {
        const double value = golden_uniform(x, (uint32_t)(f->how ? i % inputs : i));
        f->x[i] = (ag_real)(f->how == 2 ? rint(2 * value) / 8 : value);
    }
    for (int g = 0; g < f->graphs; g++)
        f->cost[g] = (ag_real)(2 * golden_uniform(cost, (uint32_t)g));
}

static void fill_parameters(const fixture *f)
{
    for (int i = 0; i < f->params->count; i++) {
        const ag_param *p = f->params->list[i];
        golden_array rule = read_array("%s.p.%s", f->name, p->name);
        for (int64_t k = 0; k < p->count; k++) {
            const double value =
                golden_uniform((uint32_t)rule.value[0], (uint32_t)k) * rule.value[1];
            p->value[k] = (ag_real)(f->how == 2 ? rint(16 * value) / 16 : value);
        }
        golden_free(&rule);
    }
}

static void set_up(fixture *f, const char *name)
{
    int64_t n;
    *f = (fixture){.name = name, .options = options_of(name)};
    f->starts = golden_ints(file, &n, name, "starts");
    f->graphs = (int)n - 1;
    f->nodes = f->starts[f->graphs];
    f->graph = graph_of(name, f->nodes);
    int32_t *stream = golden_ints(file, &n, name, "streams");
    f->how = stream[2];
    fill_inputs(f, (uint32_t)stream[0], (uint32_t)stream[1]);
    free(stream);
    f->tape = ag_tape_new(AG_CPU);
    f->params = ag_params_new();
    expect_ok(tpgnn_paper_add(&f->paper, f->params, &f->options, new_failure()));
    assert_int_equal(ag_params_build(f->params, 1), AG_OK);
    fill_parameters(f);
}

static void tear_down(fixture *f)
{
    ag_tape_free(f->tape);
    ag_params_free(f->params);
    ag_graph_free(f->graph);
    free(f->starts);
    free(f->x);
    free(f->cost);
}

/* ---- values and gradients ---- */

/* The scores and their mean Huber loss; in training with gradients. */
static double run(const fixture *f, double *score, int training)
{
    ag_tape *tape = f->tape;
    ag_params_reset(f->params);
    ag_tape_reset(tape);
    ag_tape_training(tape, training);
    ag_edges edges = ag_graph_edges(tape, f->graph);
    edges.starts = ag_input_i32(tape, f->starts, AG_SHAPE(f->graphs + 1));
    ag_tensor *x = ag_input(tape, f->x, AG_SHAPE(f->nodes, f->options.inputs));
    ag_tensor *y = tpgnn_paper_forward(&f->paper, x, edges);
    ag_tensor *cost = ag_input(tape, f->cost, AG_SHAPE(f->graphs));
    ag_tensor *loss = ag_mean_all(ag_huber(y, cost, 1));
    ag_keep(y);
    if (training)
        ag_backward(loss);
    else
        ag_forward(loss);
    if (ag_failed(tape)) fail_msg("%s: %s", f->name, ag_error(tape));
    for (int g = 0; g < f->graphs; g++) score[g] = (double)ag_values(y)[g];
    return (double)ag_item(loss);
}

static void near(const fixture *f, const char *what, double have, double want, double bound)
{
    if (!(fabs(have - want) <= bound))
        fail_msg("%s: %s is %.12g instead of %.12g", f->name, what, have, want);
}

/* All of a small gradient, 64 elements of a larger one; the number of all. */
static int64_t compare_part(const fixture *f, const ag_param *p)
{
    double largest = 1e-2;
    golden_array want = read_array("%s.g.%s", f->name, p->name);
    assert_int_equal(want.count, p->count > WHOLE ? SOME : p->count);
    for (int64_t k = 0; k < want.count; k++) largest = fmax(largest, fabs(want.value[k]));
    for (int64_t k = 0; k < want.count; k++)
        near(f, p->name, (double)p->gradient[p->count > WHOLE ? k * p->count / SOME : k],
             want.value[k], 1e-4 * largest);
    golden_free(&want);
    return p->count;
}

/* The file has no dropout; without it training and prediction give the same scores. */
static void compare(const char *name)
{
    fixture f;
    set_up(&f, name);
    double *score = calloc(2 * (size_t)f.graphs + 1, sizeof *score), *trained = score + f.graphs;
    golden_array want = read_array("%s.scores", name), loss = read_array("%s.loss", name);
    golden_array count = read_array("%s.count", name);
    near(&f, "the loss", run(&f, score, 0), *loss.value, 1e-5);
    near(&f, "the loss of training", run(&f, trained, 1), *loss.value, 1e-5);
    for (int g = 0; g < f.graphs; g++) {
        near(&f, "a score", score[g], want.value[g], 1e-5 * fmax(1, fabs(want.value[g])));
        assert_true(score[g] == trained[g]);
    }
    int64_t have = 0;
    for (int i = 0; i < f.params->count; i++) have += compare_part(&f, f.params->list[i]);
    assert_int_equal(have, (int64_t)*count.value);
    golden_free(&count);
    golden_free(&want);
    golden_free(&loss);
    free(score);
    tear_down(&f);
}

static void test_golden(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare(names[i]);
}

/* ---- parameters ---- */

static void expect(tpgnn_paper_options options, const char *refusal)
{
    tpgnn_paper paper;
    ag_params *params = ag_params_new();
    assert_int_equal(tpgnn_paper_add(&paper, params, &options, new_failure()),
                     *refusal ? AG_EUSE : AG_OK);
    assert_string_equal(last_failure()->sentence, refusal);
    assert_int_equal(params->count > 0, !*refusal);
    ag_params_free(params);
}

static void test_refused(void **state)
{
    tpgnn_paper_options o = {
        .inputs = 20, .hidden = 128, .layers = 9, .pool = TPGNN_POOL_TOPK, .ratio = 0.8};
    expect(o, "--layers is 9; it must be 1 to 8");
    o.layers = 0;
    expect(o, "--layers is 0; it must be 1 to 8");
    o.layers = 1;
    o.ratio = 0;
    expect(o, "--ratio is 0; it must be above 0: below 1 the share of the nodes that stay, from 1 "
              "on how many of each graph");
    o.pool = TPGNN_POOL_NONE;
    expect(o, "");
}

static int open_file(void **state)
{
    ag_set_threads(1);
    return probe_open(AG_SOURCE_DIR "/tests/golden/paper.npz");
}

static int close_file(void **state)
{
    probe_close();
    return 0;
}

int main(void) { return RUN_TESTS_WITH(open_file, close_file, test_golden, test_refused); }
