/* SPDX-License-Identifier: MIT */
/* The network of TPGNN: against PyG's float64 values (tests/golden/README.md), threads; the number
   of parameters, refusals. First values: test_layers.c. */
#include "support/test.h"
#include "support/golden.h"
#include "support/paper_runner.h"

enum { CASES = 20, OPTIONS = 6, WHOLE = 128, SOME = 64, MOST = 65536 };

static const char *const names[CASES] = {
    "paper", "small",        "gcn",        "gcn_sag",  "gcn_none",     "sag",      "none",
    "fixed", "eight_layers", "odd",        "one_node", "one_node_gcn", "ones",     "no_edges",
    "ties",  "ties_star",    "ties_alone", "ties_sag", "no_edges_gcn", "one_layer"};

static golden *file;

/* ---- a case of the file ---- */

static golden_array member(const char *name, const char *what, const char *parameter)
{
    const golden_array a = golden_read(file, "%s.%s%s", name, what, parameter);
    if (!a.value) fail_msg("paper.npz has no member %s.%s%s", name, what, parameter);
    return a;
}

typedef struct fixture {
    const char *name;
    tpgnn_paper_options options;
    paper_graphs graphs;
    int32_t *starts, *edge, how;
    double *x, *cost;
} fixture;

/* how 1: all nodes have the features of the first; 2: and those are -2/8..2/8. */
static void fill_inputs(fixture *f, uint32_t x, uint32_t cost)
{
    const int inputs = f->options.inputs, n = f->starts[f->graphs.graphs] * inputs;
    f->x = calloc((size_t)n + 1, sizeof *f->x);
    f->cost = calloc((size_t)f->graphs.graphs + 1, sizeof *f->cost);
    for (int i = 0; i < n; i++) f->x[i] = golden_uniform(x, (uint32_t)(f->how ? i % inputs : i));
    for (int i = 0; i < n && f->how == 2; i++) f->x[i] = rint(2 * f->x[i]) / 8;
    for (int g = 0; g < f->graphs.graphs; g++) f->cost[g] = 2 * golden_uniform(cost, (uint32_t)g);
    f->graphs.x = f->x;
    f->graphs.cost = f->cost;
}

static void set_up(fixture *f, const char *name)
{
    int64_t n;
    *f = (fixture){.name = name};
    golden_array o = member(name, "options", "");
    assert_int_equal(o.count, OPTIONS);
    f->options = tpgnn_paper_defaults();
    f->options.inputs = (int)o.value[0];
    f->options.hidden = (int)o.value[1];
    f->options.layers = (int)o.value[2];
    f->options.conv = (tpgnn_conv)o.value[3];
    f->options.pool = (tpgnn_pool)o.value[4];
    f->options.ratio = o.value[5];
    golden_free(&o);
    f->starts = golden_ints(file, &n, name, "starts");
    f->graphs.graphs = (int)n - 1;
    f->edge = golden_ints(file, &n, name, "edges");
    f->graphs.edges = (int)n / 2;
    f->graphs.starts = f->starts;
    f->graphs.edge = f->edge;
    int32_t *stream = golden_ints(file, &n, name, "streams");
    f->how = stream[2];
    fill_inputs(f, (uint32_t)stream[0], (uint32_t)stream[1]);
    free(stream);
}

static void tear_down(fixture *f)
{
    free(f->starts);
    free(f->edge);
    free(f->x);
    free(f->cost);
}

/* A net with the parameters of the file. */
static paper_net *net_of(const fixture *f, const paper_api *api)
{
    char why[PAPER_WHY];
    double *value = calloc(MOST, sizeof *value);
    paper_net *net = api->create(&f->options, &f->graphs, 1, why);
    if (!net) fail_msg("%s: %s", f->name, why);
    for (int i = 0; i < api->params(net); i++) {
        int64_t count;
        const char *name = api->param(net, i, &count);
        golden_array rule = member(f->name, "p.", name);
        assert_true(count <= MOST);
        for (int64_t k = 0; k < count; k++) {
            value[k] = golden_uniform((uint32_t)rule.value[0], (uint32_t)k) * rule.value[1];
            if (f->how == 2) value[k] = rint(16 * value[k]) / 16;
        }
        api->set(net, i, value);
        golden_free(&rule);
    }
    free(value);
    return net;
}

/* ---- values and gradients ---- */

static void near(const fixture *f, const char *what, double have, double want, double bound)
{
    if (!(fabs(have - want) <= bound))
        fail_msg("%s: %s is %.12g instead of %.12g", f->name, what, have, want);
}

/* All of a small gradient, 64 elements of a larger one; the number of all. */
static int64_t compare_gradient(const fixture *f, const paper_api *api, const paper_net *net, int i,
                                double bound)
{
    int64_t count;
    double largest = 1e-2;
    const char *name = api->param(net, i, &count);
    golden_array want = member(f->name, "g.", name);
    double *have = calloc((size_t)count + 1, sizeof *have);
    assert_int_equal(want.count, count > WHOLE ? SOME : count);
    api->gradient(net, i, have);
    for (int64_t k = 0; k < want.count; k++) largest = fmax(largest, fabs(want.value[k]));
    for (int64_t k = 0; k < want.count; k++)
        near(f, name, have[count > WHOLE ? k * count / SOME : k], want.value[k], bound * largest);
    golden_free(&want);
    free(have);
    return count;
}

/* The file has no dropout; without it training and prediction give the same scores. */
static void compare(fixture *f, const paper_api *api, double values, double gradients)
{
    char why[PAPER_WHY];
    f->options.dropout = 0;
    paper_net *net = net_of(f, api);
    double *score = calloc((size_t)f->graphs.graphs + 1, sizeof *score);
    double *trained = calloc((size_t)f->graphs.graphs + 1, sizeof *score);
    golden_array want = member(f->name, "scores", ""), loss = member(f->name, "loss", "");
    api->scores(net, score, why);
    assert_string_equal(why, "");
    near(f, "the loss", api->loss(net, 0, trained, why), *loss.value, values);
    assert_string_equal(why, "");
    for (int g = 0; g < f->graphs.graphs; g++) {
        near(f, "a score", score[g], want.value[g], values * fmax(1, fabs(want.value[g])));
        assert_true(score[g] == trained[g]);
    }
    golden_array count = member(f->name, "count", "");
    int64_t have = 0;
    for (int i = 0; i < api->params(net); i++) have += compare_gradient(f, api, net, i, gradients);
    assert_int_equal(have, (int64_t)*count.value);
    golden_free(&count);
    golden_free(&want);
    golden_free(&loss);
    free(score);
    free(trained);
    api->destroy(net);
}

static void test_golden(void **state)
{
    for (int i = 0; i < CASES; i++) {
        fixture f;
        set_up(&f, names[i]);
        compare(&f, &ag__paper, 1e-5, 1e-4);
        compare(&f, &ag64__paper, 1e-12, 1e-11);
        tear_down(&f);
    }
}

/* Scores and gradients of a step with dropout, concatenated; free them. */
static double *step_of(const fixture *f, int threads, int64_t step, int64_t *n)
{
    char why[PAPER_WHY];
    paper_net *net = net_of(f, &ag__paper);
    double *all = calloc(2 * MOST + (size_t)f->graphs.graphs, sizeof *all);
    ag__paper.threads(threads);
    ag__paper.loss(net, step, all, why);
    assert_string_equal(why, "");
    *n = f->graphs.graphs;
    for (int i = 0; i < ag__paper.params(net); i++) {
        int64_t count;
        ag__paper.param(net, i, &count);
        ag__paper.gradient(net, i, all + *n);
        *n += count;
    }
    ag__paper.threads(1);
    ag__paper.destroy(net);
    return all;
}

/* Dropout drops in training, by the step; else the same bits for any number of threads. */
static void test_same_bits(void **state)
{
    fixture f;
    int64_t n;
    set_up(&f, "paper");
    double *one = step_of(&f, 1, 7, &n), *other = step_of(&f, 1, 8, &n);
    assert_int_equal(n, 112641 + f.graphs.graphs);
    assert_true(memcmp(one, other, (size_t)f.graphs.graphs * sizeof *one) != 0);
    for (int threads = 2; threads < 5; threads++) {
        double *again = step_of(&f, threads, 7, &n);
        assert_memory_equal(one, again, (size_t)n * sizeof *one);
        free(again);
    }
    free(one);
    free(other);
    tear_down(&f);
}

/* ---- parameters ---- */

static ag_params *build(const tpgnn_paper_options *options)
{
    ag_params *params = ag_params_new();
    tpgnn_paper paper;
    assert_int_equal(tpgnn_paper_add(&paper, params, options, NULL), AG_OK);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    return params;
}

static void expect_refused(const tpgnn_paper_options *options, const char *sentence)
{
    ag_failure why = {0};
    tpgnn_paper paper;
    ag_params *params = ag_params_new();
    assert_int_equal(tpgnn_paper_add(&paper, params, options, &why), AG_EUSE);
    assert_string_equal(why.sentence, sentence);
    assert_int_equal(params->count, 0);
    ag_params_free(params);
}

static void test_refused(void **state)
{
    const tpgnn_paper_options good = tpgnn_paper_defaults();
    tpgnn_paper_options bad = good;
    bad.layers = 9;
    expect_refused(&bad, "--layers is 9; it must be 1 to 8");
    bad.layers = 0;
    expect_refused(&bad, "--layers is 0; it must be 1 to 8");
    bad = good, bad.ratio = 0;
    expect_refused(&bad, "--ratio is 0; it must be above 0: below 1 the share of the nodes that "
                         "stay, from 1 on how many of each graph");
    bad = good, bad.ratio = 0, bad.pool = TPGNN_POOL_NONE;
    ag_params_free(build(&bad));
}

static int open_file(void **state)
{
    file = golden_open(AG_SOURCE_DIR "/tests/golden/paper.npz");
    ag__paper.threads(1);
    ag64__paper.threads(1);
    return file ? 0 : -1;
}

static int close_file(void **state)
{
    golden_close(file);
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(open_file, close_file, test_golden, test_same_bits, test_refused);
}
