/* SPDX-License-Identifier: MIT */
/* ag_graph_conv on graphs of many blocks: compared with the composition that it replaces, with
   gradients that are 0 for some nodes, with an x that needs none; the same bits for any number of
   threads. */
#include "support/test.h"
#include "augur.h"

enum { MOST = 5000, IN = 24, OUT = 40, WEIGHTS = OUT * IN, RESULTS = MOST * (IN + OUT) };

static float features[MOST * IN], cotangent[MOST * OUT];

/* x, w, b, root. */
typedef struct problem {
    ag_graph *graph;
    ag_params *params;
    ag_param *part[4];
    int wants_x;
} problem;

/* Node 0 sends to many; some nodes receive nothing, some send nothing, some send to themselves. */
static problem make(int nodes, int messages, int wants_x)
{
    static int32_t from[3 * MOST], to[3 * MOST];
    static const char *const name[] = {"x", "w", "b", "root"};
    const ag_shape shape[] = {AG_SHAPE(nodes, IN), AG_SHAPE(OUT, IN), AG_SHAPE(OUT),
                              AG_SHAPE(OUT, IN)};
    ag_random r = {3, 1, 0};
    problem p = {.params = ag_params_new(), .wants_x = wants_x};
    for (int i = 0; i < messages; i++) {
        from[i] = i % 7 ? (int32_t)ag_random_below(&r, (uint32_t)nodes) : 0;
        to[i] = (int32_t)ag_random_below(&r, (uint32_t)nodes);
    }
    p.graph = ag_graph_build(nodes, from, to, messages, AG_ALONG, NULL);
    assert_non_null(p.graph);
    for (int i = 0; i < MOST * IN; i++) features[i] = (float)ag_random_normal(&r);
    for (int i = 0; i < MOST * OUT; i++)
        cotangent[i] = i / OUT % 3 ? (float)ag_random_normal(&r) : 0;
    for (int i = wants_x ? 0 : 1; i < 4; i++)
        p.part[i] = ag_params_add(p.params, name[i], shape[i], ag_init_uniform(-1, 1), 0);
    assert_int_equal(ag_params_build(p.params, 5), AG_OK);
    return p;
}

static ag_tensor *plain(const problem *p, ag_tape *tape, ag_tensor *x, ag_edges edges, int relu)
{
    ag_tensor *sum = ag_spmm(x, edges, AG_AGGREGATE_SUM);
    ag_tensor *y = ag_linear(sum, ag_parameter(tape, p->part[1]), ag_parameter(tape, p->part[2]));
    y = ag_add(y, ag_linear(x, ag_parameter(tape, p->part[3]), NULL));
    return relu ? ag_relu(y) : y;
}

/* y and then all gradients. */
static void run(float *result, const problem *p, int fused, int relu)
{
    const ag_sage_weights weights = {p->part[1], p->part[2], p->part[3]};
    const int nodes = p->graph->nodes;
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_edges edges = ag_graph_edges(tape, p->graph);
    ag_tensor *x =
        p->wants_x ? ag_parameter(tape, p->part[0]) : ag_input(tape, features, AG_SHAPE(nodes, IN));
    ag_tensor *y = !fused ? plain(p, tape, x, edges, relu)
                   : relu ? ag_graph_conv_relu(&weights, x, edges)
                          : ag_graph_conv(&weights, x, edges);
    ag_params_reset(p->params);
    ag_keep(y);
    ag_backward(ag_sum_all(ag_mul(y, ag_input(tape, cotangent, AG_SHAPE(nodes, OUT)))));
    assert_string_equal(ag_error(tape), "");
    memcpy(result, ag_values(y), (size_t)nodes * OUT * sizeof *result);
    memcpy(result + (size_t)nodes * OUT, p->params->gradient,
           (size_t)p->params->size * sizeof *result);
    ag_tape_free(tape);
}

static void check(int nodes, int messages, int wants_x, int relu)
{
    static float want[RESULTS + 4 * WEIGHTS], have[RESULTS + 4 * WEIGHTS];
    problem p = make(nodes, messages, wants_x);
    const int64_t n = (int64_t)nodes * OUT + p.params->size;
    float largest = 1;
    ag_set_threads(1);
    run(want, &p, 0, relu);
    for (int64_t i = 0; i < n; i++) largest = fmaxf(largest, fabsf(want[i]));
    run(have, &p, 1, relu);
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(have[i] - want[i]) <= 1e-5f * largest))
            fail_msg("%d nodes: number %d is %g instead of %g", nodes, (int)i, (double)have[i],
                     (double)want[i]);
    for (int threads = 2; threads < 5; threads++) {
        ag_set_threads(threads);
        run(want, &p, 1, relu);
        assert_memory_equal(have, want, (size_t)n * sizeof *have);
    }
    ag_set_threads(1);
    ag_params_free(p.params);
    ag_graph_free(p.graph);
}

static void test_composition(void **state)
{
    static const int sizes[][2] = {{1, 0},     {1, 3},      {16, 9},      {255, 300},      {256, 0},
                                   {257, 400}, {1100, 900}, {2300, 9000}, {MOST, 2 * MOST}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++) check(sizes[i][0], sizes[i][1], way & 1, way >> 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_composition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
