/* SPDX-License-Identifier: MIT */
/* GraphSAGE and the readouts against plain loops in double: values and gradients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "augur.h"
#include "core/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 9, EDGES = 17, ROWS = 2, WIDE = 6, ROOM = NODES * ROWS * WIDE };
enum { INPUT, NEIGHBOUR, BIAS, ROOT, PARTS };

/* Node 8 receives nothing, node 7 its own message, node 0 the same one twice. */
static const int32_t source[EDGES] = {1, 1, 2, 3, 4, 5, 6, 7, 0, 8, 3, 5, 2, 0, 4, 6, 1};
static const int32_t target[EDGES] = {0, 0, 0, 1, 1, 1, 2, 7, 3, 3, 4, 4, 4, 5, 6, 6, 5};

/* One convolution; a part that is absent has size 0. */
typedef struct problem {
    int in, out, rows; /* rows of features a node has */
    ag_aggregate kind;
    int l2;
    int size[PARTS];
    double part[PARTS][ROOM], weight[ROOM]; /* the loss is <y, weight> */
} problem;

static int elements(const problem *p) { return NODES * p->rows * p->out; }

static void make(problem *p, int in, int out, int rows, ag_aggregate kind, int l2, int bias,
                 int root)
{
    ag_random r = {61, (uint64_t)(in * 100 + out), 0};
    *p = (problem){.in = in, .out = out, .rows = rows, .kind = kind, .l2 = l2};
    const int size[PARTS] = {NODES * rows * in, out * in, bias ? out : 0, root ? out * in : 0};
    for (int k = 0; k < PARTS; k++) {
        p->size[k] = size[k];
        for (int i = 0; i < size[k]; i++)
            p->part[k][i] = (double)(float)(2 * ag_random_uniform(&r) - 1);
    }
    for (int i = 0; i < elements(p); i++) p->weight[i] = (double)(float)ag_random_normal(&r);
}

/* ---- the plain loops ---- */

static double aggregate(const problem *p, int v, int row, int i)
{
    double y = 0;
    int n = 0;
    for (int e = 0; e < EDGES; e++) {
        if (target[e] != v) continue;
        const double x = p->part[INPUT][(source[e] * p->rows + row) * p->in + i];
        y = p->kind != AG_AGGREGATE_MAX ? y + x : n && y > x ? y : x;
        n++;
    }
    return p->kind == AG_AGGREGATE_MEAN && n ? y / n : y;
}

static void convolve(const problem *p, double *y)
{
    for (int v = 0; v < NODES * p->rows; v++) {
        double norm = 0;
        for (int o = 0; o < p->out; o++) {
            double sum = p->size[BIAS] ? p->part[BIAS][o] : 0;
            for (int i = 0; i < p->in; i++) {
                sum +=
                    p->part[NEIGHBOUR][o * p->in + i] * aggregate(p, v / p->rows, v % p->rows, i);
                if (p->size[ROOT])
                    sum += p->part[ROOT][o * p->in + i] * p->part[INPUT][v * p->in + i];
            }
            y[v * p->out + o] = sum;
            norm += sum * sum;
        }
        for (int o = 0; o < p->out && p->l2; o++) y[v * p->out + o] /= fmax(sqrt(norm), 1e-12);
    }
}

static double loss_of(const problem *p)
{
    double y[ROOM], sum = 0;
    convolve(p, y);
    for (int i = 0; i < elements(p); i++) sum += y[i] * p->weight[i];
    return sum;
}

/* ---- the library ---- */

typedef struct net {
    ag_params *params;
    ag_param *part[PARTS];
    ag_graph *graph;
    float weight[ROOM];
} net;

static void net_make(net *n, const problem *p)
{
    static const char *const name[] = {"x", "neighbour", "bias", "root"};
    const ag_shape shape[PARTS] = {
        p->rows > 1 ? AG_SHAPE(NODES, p->rows, p->in) : AG_SHAPE(NODES, p->in),
        AG_SHAPE(p->out, p->in), AG_SHAPE(p->out), AG_SHAPE(p->out, p->in)};
    memset(n, 0, sizeof *n);
    n->params = ag_params_new();
    n->graph = ag_graph_build(NODES, source, target, EDGES, AG_ALONG, NULL);
    for (int k = 0; k < PARTS; k++)
        if (p->size[k])
            n->part[k] = ag_params_add(n->params, name[k], shape[k], ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(n->params, 1), AG_OK);
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < p->size[k]; i++) n->part[k]->value[i] = (float)p->part[k][i];
    for (int i = 0; i < elements(p); i++) n->weight[i] = (float)p->weight[i];
}

static void net_drop(net *n)
{
    ag_params_free(n->params);
    ag_graph_free(n->graph);
}

static ag_tensor *net_run(const net *n, const problem *p, ag_tape *tape)
{
    const ag_sage_weights w = {n->part[NEIGHBOUR], n->part[BIAS], n->part[ROOT]};
    return ag_sage(&w, ag_parameter(tape, n->part[INPUT]), ag_graph_edges(tape, n->graph), p->kind,
                   p->l2);
}

static void check_values(const problem *p, const float *y)
{
    double want[ROOM];
    convolve(p, want);
    for (int i = 0; i < elements(p); i++)
        if (!(fabs((double)y[i] - want[i]) <= 2e-6 * fmax(1, fabs(want[i]))))
            fail_msg("in %d, out %d, kind %d, l2 %d: y[%d] is %g instead of %g", p->in, p->out,
                     p->kind, p->l2, i, (double)y[i], want[i]);
}

/* Central differences of the loops. */
static void check_gradients(problem *p, const net *n)
{
    const double h = 1e-6;
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < p->size[k]; i++) {
            const double kept = p->part[k][i], have = (double)n->part[k]->gradient[i];
            p->part[k][i] = kept + h;
            const double above = loss_of(p);
            p->part[k][i] = kept - h;
            const double want = (above - loss_of(p)) / (2 * h);
            p->part[k][i] = kept;
            if (!(fabs(have - want) <= 2e-5 * fmax(1, fabs(want))))
                fail_msg("in %d, out %d, kind %d, l2 %d: gradient of %s[%d] is %g instead of %g",
                         p->in, p->out, p->kind, p->l2, n->part[k]->name, i, have, want);
        }
}

static void check(problem *p)
{
    net n;
    net_make(&n, p);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *y = ag_keep(net_run(&n, p, tape));
    const ag_shape shape = ag_shape_of(y);
    assert_int_equal(shape.rank, p->rows > 1 ? 3 : 2);
    assert_int_equal(ag_size(y, 0), NODES);
    assert_int_equal(ag_size(y, -1), p->out);
    ag_backward(ag_sum_all(ag_mul(y, ag_input(tape, n.weight, shape))));
    assert_string_equal(ag_error(tape), "");
    check_values(p, ag_values(y));
    check_gradients(p, &n);
    ag_tape_free(tape);
    net_drop(&n);
}

/* Narrowing convolutions aggregate after the product, others before it. */
static void test_sage(void **state)
{
    static const int width[][2] = {{WIDE, 4}, {4, WIDE}, {5, 5}, {3, 1}};
    const ag_aggregate kind = *(ag_aggregate *)*state;
    int checked = 0;
    for (int i = 0; i < 4; i++)
        for (int how = 0; how < 16; how++) {
            problem p;
            if (how & 4 && width[i][1] == 1) continue; /* a vector of one number becomes its sign */
            make(&p, width[i][0], width[i][1], how & 8 ? ROWS : 1, kind, (how >> 2) & 1, how & 1,
                 (how >> 1) & 1);
            if (p.l2 && !p.size[BIAS] && !p.size[ROOT]) continue; /* node 8 has no direction */
            check(&p);
            checked++;
        }
    assert_int_equal(checked, 3 * 14 + 8);
}

/* An empty neighbourhood, without bias and root: 0, also when divided by its norm. */
static void test_nobody(void **state)
{
    problem p;
    net n;
    (void)state;
    make(&p, 4, 3, 1, AG_AGGREGATE_MEAN, 1, 0, 0);
    net_make(&n, &p);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *y = ag_keep(net_run(&n, &p, tape));
    ag_backward(ag_sum_all(y));
    assert_string_equal(ag_error(tape), "");
    for (int o = 0; o < 3; o++) assert_true(ag_values(y)[8 * 3 + o] == 0);
    for (int i = 0; i < p.size[INPUT]; i++) assert_true(isfinite(n.part[INPUT]->gradient[i]));
    ag_tape_free(tape);
    net_drop(&n);
}

static void test_wrong_graph(void **state)
{
    problem p;
    net n;
    (void)state;
    for (int k = 0; k < 3; k++) {
        make(&p, 6, 4 + k, 1, AG_AGGREGATE_SUM, 0, 1, 1); /* both ways to compute it */
        net_make(&n, &p);
        ag_graph_free(n.graph);
        n.graph = ag_graph_build(NODES - 1, NULL, NULL, 0, AG_ALONG, NULL);
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_backward(ag_sum_all(net_run(&n, &p, tape)));
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
        assert_non_null(strstr(ag_error(tape), "9 nodes, but the graph has 8"));
        assert_int_equal(n.params->state, AG_BAD);
        ag_tape_free(tape);
        net_drop(&n);
    }
}

/* ---- readouts ---- */

static void test_readouts(void **state)
{
    enum { GRAPHS = 5, F = 3, ALL_NODES = 7 };
    static const int nodes[GRAPHS] = {0, 3, 0, 4, 0};
    ag_graph *part[GRAPHS];
    const ag_graph *list[GRAPHS];
    float x[ALL_NODES * 2 * F];
    ag_random r = {62, 0, 0};
    (void)state;
    for (int i = 0; i < ALL_NODES * 2 * F; i++) x[i] = (float)ag_random_normal(&r) - 2;
    for (int g = 0; g < GRAPHS; g++)
        list[g] = part[g] = ag_graph_build(nodes[g], NULL, NULL, 0, AG_ALONG, NULL);
    ag_graph *batch = ag_graph_batch(list, GRAPHS, NULL);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_edges e = ag_graph_edges(tape, batch);
    ag_tensor *in = ag_input(tape, x, AG_SHAPE(ALL_NODES, 2, F));
    ag_tensor *sum = ag_keep(ag_readout_sum(in, e)), *mean = ag_keep(ag_readout_mean(in, e));
    ag_tensor *max = ag_keep(ag_readout_max(in, e));
    ag_forward(ag_add(ag_add(sum, mean), max));
    assert_string_equal(ag_error(tape), "");
    assert_true(ag_shape_equal(ag_shape_of(max), AG_SHAPE(GRAPHS, 2, F)));
    for (int g = 0, first = 0; g < GRAPHS; first += nodes[g++])
        for (int f = 0; f < 2 * F; f++) {
            double total = 0, largest = nodes[g] ? -1e9 : 0;
            for (int v = first; v < first + nodes[g]; v++) {
                total += (double)x[v * 2 * F + f];
                largest = fmax(largest, (double)x[v * 2 * F + f]);
            }
            const double average = nodes[g] ? total / nodes[g] : 0;
            assert_true(fabs((double)ag_values(sum)[g * 2 * F + f] - total) < 1e-5);
            assert_true(fabs((double)ag_values(mean)[g * 2 * F + f] - average) < 1e-5);
            assert_true((double)ag_values(max)[g * 2 * F + f] == largest);
        }
    ag_tape_free(tape);
    ag_graph_free(batch);
    for (int g = 0; g < GRAPHS; g++) ag_graph_free(part[g]);
}

/* ---- lack of memory ---- */

static void test_no_memory(void **state)
{
    problem p;
    net n;
    int failed = 1;
    (void)state;
    make(&p, WIDE, 4, ROWS, AG_AGGREGATE_MEAN, 1, 1, 1);
    net_make(&n, &p);
    for (long nth = 1; failed; nth++) {
        ag_params_reset(n.params);
        ag__fail_allocation(nth, 0);
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_tensor *y = net_run(&n, &p, tape);
        ag_backward(ag_sum_all(ag_readout_max(y, ag_graph_edges(tape, n.graph))));
        ag__fail_allocation(0, 0);
        failed = ag_failed(tape);
        if (failed) assert_int_equal(ag_tape_status(tape), AG_EMEMORY);
        if (failed) assert_true(n.params->state != AG_READY);
        ag_tape_free(tape);
        assert_in_range(nth, 1, 500);
    }
    assert_int_equal(n.params->state, AG_READY);
    net_drop(&n);
}

int main(void)
{
    static ag_aggregate sum = AG_AGGREGATE_SUM, mean = AG_AGGREGATE_MEAN, max = AG_AGGREGATE_MAX;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_sage, &sum), cmocka_unit_test_prestate(test_sage, &mean),
        cmocka_unit_test_prestate(test_sage, &max), cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_wrong_graph),         cmocka_unit_test(test_readouts),
        cmocka_unit_test(test_no_memory),
    };
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
