/* SPDX-License-Identifier: MIT */
/* Properties of any TGraph, whatever its weights: sizes, symmetries, inputs that have no effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/model_random.h"

#include <math.h>
#include <string.h>

enum { NODES = 15, EDGES = 30, CONFIGURABLE = 6, CONFIGS = 7, HIDDEN = 32 };

static const model_api *const both[] = {&ag__model, &ag64__model};
static model_graph graph, tile_graph;
static model_data data;

static int make(void **state)
{
    (void)state;
    graph = model_random_graph(NODES, EDGES, CONFIGURABLE, 21);
    for (int v = 0; v < NODES; v++) graph.opcode[v] += !graph.opcode[v]; /* none is unknown */
    data = model_random_data(&graph, CONFIGS, 22);
    tile_graph = graph;
    tile_graph.configurable = 0;
    tile_graph.config_node = NULL;
    return 0;
}

static int drop(void **state)
{
    (void)state;
    model_random_free(&graph, &data);
    return 0;
}

static tgraph_options small(int tile)
{
    tgraph_options o = tgraph_paper_options();
    o.hidden = HIDDEN;
    o.tile = tile;
    return o;
}

static void set_param(const model_api *api, model *m, const char *name, int64_t at, double value)
{
    int64_t n;
    for (int p = 0; p < api->params(m); p++) {
        if (strcmp(api->param(m, p, &n), name) != 0) continue;
        assert_true(at < n);
        double *v = calloc((size_t)n, sizeof *v);
        api->value(m, p, v);
        v[at] = value;
        api->set(m, p, v);
        free(v);
        return;
    }
    fail_msg("no parameter %s", name);
}

static model *make_model(const model_api *api, const tgraph_options *o, const model_graph *g)
{
    char why[MODEL_WHY];
    model *m = api->create(o, g, 5, why);
    if (!m) fail_msg("%s", why);
    return m;
}

static void predict(const model_api *api, model *m, const model_data *d, double *score)
{
    char why[MODEL_WHY];
    api->scores(m, d, score, why);
    assert_string_equal(why, "");
    for (int c = 0; c < d->configs; c++) assert_true(isfinite(score[c]));
}

/* Scores of a model with the same parameters on another graph or with other options. */
static void scores_of(const model_api *api, const tgraph_options *o, const model_graph *g,
                      double *score)
{
    model *m = make_model(api, o, g);
    predict(api, m, &data, score);
    api->destroy(m);
}

static double distance(const double *a, const double *b)
{
    double worst = 0;
    for (int c = 0; c < CONFIGS; c++) worst = fmax(worst, fabs(a[c] - b[c]));
    return worst;
}

static double bound(const model_api *api) { return api == both[0] ? 2e-5 : 1e-12; }

/* ---- parameters ---- */

static void test_parameter_counts(void **state)
{
    static const int count[] = {215013, 460577, 540645}; /* the authors' models */
    (void)state;
    for (int k = 0; k < 3; k++) {
        tgraph_model m;
        ag_failure why = {0};
        tgraph_options o = tgraph_paper_options();
        o.tile = k == 2;
        o.cross = k != 1;
        assert_int_equal(tgraph_model_add(&m, ag_params_new(), &o, &why), AG_OK);
        assert_int_equal(ag_params_build(m.params, 1), AG_OK);
        assert_int_equal(ag_params_count(m.params), count[k]);
        tgraph_model_free(&m);
    }
}

static void expect_refusal(tgraph_options o, const char *sentence)
{
    tgraph_model m;
    ag_failure why = {0};
    assert_int_equal(tgraph_model_add(&m, ag_params_new(), &o, &why), AG_EUSE);
    assert_string_equal(why.sentence, sentence);
    tgraph_model_free(&m);
}

static void test_options(void **state)
{
    tgraph_options o = small(0);
    (void)state;
    o.hidden = 40;
    expect_refusal(o, "--hidden is 40; it must be a multiple of 16 from 16 to 4096");
    o.hidden = 0;
    expect_refusal(o, "--hidden is 0; it must be a multiple of 16 from 16 to 4096");
    o = small(1);
    o.dropout = 1;
    expect_refusal(o, "--dropout is 1; it must be at least 0 and below 1");
    o.dropout = (double)NAN;
    expect_refusal(o, "--dropout is nan; it must be at least 0 and below 1");
}

static void test_bad_edge(void **state)
{
    char why[MODEL_WHY];
    const tgraph_options o = small(0);
    int32_t *edge = graph.edge + 2 * 4, kept = edge[1];
    (void)state;
    edge[1] = NODES;
    for (int k = 0; k < 2; k++) {
        assert_null(both[k]->create(&o, &graph, 1, why));
        assert_non_null(strstr(why, "edge 4 is ("));
    }
    edge[1] = kept;
}

/* ---- configurations ---- */

/* Takes configurations order[0..n-1] of `data`. */
static model_data select(const int *order, int n)
{
    model_data d = {.configs = n};
    d.digit = calloc((size_t)(CONFIGURABLE * n * TGRAPH_DIGITS), sizeof *d.digit);
    d.feature = calloc((size_t)n * TPUGRAPHS_TILE_FEATURES, sizeof *d.feature);
    for (int c = 0; c < n; c++) {
        memcpy(d.feature + c * TPUGRAPHS_TILE_FEATURES,
               data.feature + order[c] * TPUGRAPHS_TILE_FEATURES,
               TPUGRAPHS_TILE_FEATURES * sizeof *d.feature);
        for (int v = 0; v < CONFIGURABLE; v++)
            memcpy(d.digit + (v * n + c) * TGRAPH_DIGITS,
                   data.digit + (v * CONFIGS + order[c]) * TGRAPH_DIGITS,
                   TGRAPH_DIGITS * sizeof *d.digit);
    }
    return d;
}

static void drop_selection(model_data *d)
{
    free(d->digit);
    free(d->feature);
}

/* Configurations in another order have the same scores in that order. */
static void test_order_of_configurations(void **state)
{
    static const int order[CONFIGS] = {4, 0, 6, 2, 1, 5, 3};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const model_api *api = both[k % 2];
        const tgraph_options o = small(k / 2);
        double score[CONFIGS], permuted[CONFIGS], back[CONFIGS];
        model *m = make_model(api, &o, k / 2 ? &tile_graph : &graph);
        model_data d = select(order, CONFIGS);
        predict(api, m, &data, score);
        predict(api, m, &d, permuted);
        for (int c = 0; c < CONFIGS; c++) back[order[c]] = permuted[c];
        assert_true(distance(score, back) <= bound(api));
        assert_true(distance(score, permuted) > 1e-3);
        drop_selection(&d);
        api->destroy(m);
    }
}

/* A score depends on the other configurations through cross-configuration attention alone. */
static void test_company(void **state)
{
    static const int first[] = {0, 1, 2};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int tile = k / 2;
        tgraph_options o = small(tile);
        o.cross = k % 2;
        double score[CONFIGS], few[3];
        model *m = make_model(both[1], &o, tile ? &tile_graph : &graph);
        model_data d = select(first, 3);
        predict(both[1], m, &data, score);
        predict(both[1], m, &d, few);
        const double far = fabs(score[0] - few[0]);
        if (o.cross && !tile)
            assert_true(far > 1e-4);
        else
            assert_true(far <= 1e-12);
        drop_selection(&d);
        both[1]->destroy(m);
    }
}

/* The shares of the configurations in a channel add up to 1: cross attention of a channel of 1s
   adds up to 1, and the softmax itself does. */
static void test_shares(void **state)
{
    enum { N = 3, C = 5, F = 4 };
    ag_real x[N * C * F], t[1] = {0.5f}, one[N * C * F];
    ag_random r = {31, 0, 0};
    (void)state;
    for (int i = 0; i < N * C * F; i++) {
        x[i] = (ag_real)ag_random_normal(&r);
        one[i] = 1;
    }
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *share = ag_softmax_middle(ag_scale(ag_input(tape, x, AG_SHAPE(N, C, F)), 1 / t[0]));
    ag_tensor *attended =
        ag_cross_attention(ag_input(tape, x, AG_SHAPE(N, C, F)), ag_input(tape, t, AG_SHAPE(1)));
    ag_tensor *even =
        ag_cross_attention(ag_input(tape, one, AG_SHAPE(N, C, F)), ag_input(tape, t, AG_SHAPE(1)));
    ag_keep(share), ag_keep(attended), ag_keep(even);
    ag_forward(ag_add(ag_add(ag_sum_all(share), ag_sum_all(attended)), ag_sum_all(even)));
    assert_string_equal(ag_error(tape), "");
    for (int v = 0; v < N; v++)
        for (int f = 0; f < F; f++) {
            double of_softmax = 0, of_attention = 0, of_ones = 0;
            for (int c = 0; c < C; c++) {
                const int i = (v * C + c) * F + f;
                of_softmax += (double)ag_values(share)[i];
                of_attention += (double)(ag_values(attended)[i] / x[i]);
                of_ones += (double)ag_values(even)[i];
            }
            assert_true(fabs(of_softmax - 1) < 1e-6);
            assert_true(fabs(of_attention - 1) < 1e-6);
            assert_true(fabs(of_ones - 1) < 1e-6);
        }
    ag_tape_free(tape);
}

/* One configuration compared with itself: the attended copy is equal to it for any temperature; the
   same holds in the tile model, which embeds its graph once. */
static void test_single_configuration_is_copied(void **state)
{
    enum { N = 3, F = 5 };
    ag_real x[N * F], t[1] = {0.25f};
    ag_random r = {32, 0, 0};
    (void)state;
    for (int i = 0; i < N * F; i++) x[i] = (ag_real)ag_random_normal(&r);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *y = ag_cross_attention_beside(ag_input(tape, x, AG_SHAPE(N, 1, F)),
                                             ag_input(tape, t, AG_SHAPE(1)));
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    for (int v = 0; v < N; v++)
        for (int half = 0; half < 2; half++)
            assert_memory_equal(ag_values(y) + (2 * v + half) * F, x + v * F, F * sizeof *x);
    ag_tape_free(tape);

    const tgraph_options o = small(1);
    for (int k = 0; k < 2; k++) {
        double score[CONFIGS], warmer[CONFIGS];
        model *m = make_model(both[k], &o, &tile_graph);
        predict(both[k], m, &data, score);
        set_param(both[k], m, "input.1.cross.temperature", 0, 3);
        predict(both[k], m, &data, warmer);
        assert_memory_equal(score, warmer, sizeof score);
        both[k]->destroy(m);
    }
}

/* ---- graphs ---- */

static void test_edges_off(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const model_api *api = both[k % 2];
        tgraph_options o = small(k / 2);
        model_graph g = k / 2 ? tile_graph : graph;
        double with[CONFIGS], off[CONFIGS], without[CONFIGS];
        scores_of(api, &o, &g, with);
        o.edges = 0;
        scores_of(api, &o, &g, off);
        o.edges = 1;
        g.edges = 0;
        scores_of(api, &o, &g, without);
        assert_memory_equal(off, without, sizeof off);
        assert_true(distance(with, off) > 1e-4);
    }
}

/* A code without a row of its own reads row 0. */
static void test_unknown_opcode(void **state)
{
    const int32_t kept = graph.opcode[3];
    const tgraph_options o = small(0);
    (void)state;
    for (int k = 0; k < 2; k++) {
        static const int32_t code[] = {120, 0, 119};
        double score[3][CONFIGS], changed[CONFIGS];
        for (int i = 0; i < 3; i++) {
            graph.opcode[3] = code[i];
            scores_of(both[k], &o, &graph, score[i]);
        }
        assert_memory_equal(score[0], score[1], sizeof *score);
        assert_true(distance(score[0], score[2]) > 1e-4);
        graph.opcode[3] = 120;
        model *m = make_model(both[k], &o, &graph);
        set_param(both[k], m, "embedding.op", 0, 9);
        predict(both[k], m, &data, changed);
        assert_true(distance(score[0], changed) > 1e-4);
        both[k]->destroy(m);
    }
    graph.opcode[3] = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_counts),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_bad_edge),
        cmocka_unit_test(test_order_of_configurations),
        cmocka_unit_test(test_company),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_single_configuration_is_copied),
        cmocka_unit_test(test_edges_off),
        cmocka_unit_test(test_unknown_opcode),
    };
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, make, drop);
}
