/* SPDX-License-Identifier: MIT */
/* Graphs made from graphs (cap, loops), and a caller's own arrays on a tape: arrays that are no
   graph give a sentence, not a crash. */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"
#include "gnn/edges.h"
#include "support/sanitized.h"
#include "support/tape.h"

#include <time.h>

static void expect_equal(const ag_graph *a, const ag_graph *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->graphs, b->graphs);
    expect_ints(a->rows, b->rows, 2 * a->nodes);
    expect_ints(a->rows_t, b->rows_t, 2 * a->nodes);
    expect_ints(a->sources, b->sources, a->messages);
    expect_ints(a->targets, b->targets, 2 * a->messages);
    expect_ints(a->edge, b->edge, a->messages);
    expect_ints(a->starts, b->starts, a->graphs + 1);
}

/* ---- cap and loops ---- */

/* Node 1 receives from 0, itself, 4, 0; node 3 is alone. */
static const int32_t source[] = {0, 1, 4, 1, 0, 2}, target[] = {1, 1, 1, 0, 1, 2};
enum { EDGES = 6, NODES = 5 };

static ag_graph *toy(ag_direction direction)
{
    ag_graph *g = ag_graph_build(NODES, source, target, EDGES, direction, NULL);
    assert_non_null(g);
    return g;
}

/* A cap that no node reaches changes nothing; a smaller one gives the graph of the first edges. */
static void test_cap(void **state)
{
    static const int32_t first[] = {0, 1, 3, 5}; /* edges that a cap of 2 keeps */
    int32_t from[4], to[4];
    for (int d = AG_ALONG; d <= AG_BOTH_WAYS; d++) {
        ag_graph *g = toy((ag_direction)d), *same = ag_graph_cap(g, 7, NULL);
        expect_equal(g, same);
        ag_graph *none = ag_graph_cap(g, 0, NULL);
        assert_int_equal(none->messages, 0);
        ag_graph_free(g);
        ag_graph_free(same);
        ag_graph_free(none);
    }
    for (int i = 0; i < 4; i++) {
        from[i] = source[first[i]];
        to[i] = target[first[i]];
    }
    ag_graph *g = toy(AG_ALONG), *two = ag_graph_cap(g, 2, NULL);
    ag_graph *want = ag_graph_build(NODES, from, to, 4, AG_ALONG, NULL);
    for (int p = 0; p < 4; p++) want->edge[p] = first[want->edge[p]];
    expect_equal(two, want);
    ag_graph_free(g);
    ag_graph_free(two);
    ag_graph_free(want);
}

/* Loops of the edge list are replaced; the new ones follow the other messages of their node. */
static void test_loops(void **state)
{
    static const int32_t from[] = {0, 4, 1, 0, 0, 1, 2, 3, 4}, to[] = {1, 1, 0, 1, 0, 1, 2, 3, 4};
    static const int32_t edge[] = {3, -1, 0, 2, 4, -1, -1, -1, -1};
    ag_graph *g = toy(AG_ALONG), *loops = ag_graph_loops(g, NULL);
    ag_graph *want = ag_graph_build(NODES, from, to, 9, AG_ALONG, NULL);
    memcpy(want->edge, edge, sizeof edge);
    expect_equal(loops, want);
    ag_graph *again = ag_graph_loops(loops, NULL);
    expect_equal(again, want);
    ag_graph_free(again);
    ag_graph_free(loops);
    ag_graph_free(want);
    ag_graph_free(g);
}

/* To change a batch is to change its graphs. */
static void test_batches(void **state)
{
    ag_graph *one = toy(AG_ALONG), *other = toy(AG_BOTH_WAYS);
    ag_graph *batch = ag_graph_batch((const ag_graph *const[]){one, other}, 2, NULL);
    ag_graph *a = ag_graph_loops(one, NULL), *b = ag_graph_loops(other, NULL);
    ag_graph *loops = ag_graph_loops(batch, NULL);
    ag_graph *want = ag_graph_batch((const ag_graph *const[]){a, b}, 2, NULL);
    expect_ints(loops->sources, want->sources, want->messages);
    expect_ints(loops->starts, want->starts, 3);
    expect_ints(loops->targets, want->targets, 2 * want->messages);
    ag_graph *two = ag_graph_cap(batch, 2, NULL), *a2 = ag_graph_cap(one, 2, NULL);
    assert_int_equal(two->graphs, 2);
    expect_ints(two->sources, a2->sources, a2->messages);
    ag_graph *const all[] = {one, other, batch, a, b, loops, want, two, a2};
    for (int i = 0; i < 9; i++) ag_graph_free(all[i]);
}

static void test_refused_graphs(void **state)
{
    assert_null(ag_graph_cap(NULL, 3, new_failure()));
    assert_string_equal(last_failure()->sentence,
                        "ag_graph_cap: the graph is NULL and the most messages of a node are 3; "
                        "give it a graph and 0 or more");
    ag_graph *g = toy(AG_ALONG);
    assert_null(ag_graph_cap(g, -1, new_failure()));
    assert_string_equal(last_failure()->sentence,
                        "ag_graph_cap: the graph is not NULL and the most messages of a node are "
                        "-1; give it a graph and 0 or more");
    assert_null(ag_graph_loops(NULL, new_failure()));
    assert_string_equal(last_failure()->sentence,
                        "ag_graph_loops: the graph is NULL; look at how it was built");
    for (long nth = 1; nth <= 2; nth++) {
        ag__fail_allocation(nth, 0);
        expect_null(ag_graph_loops(g, new_failure()), AG_EMEMORY, "");
    }
    ag__fail_allocation(0, 0);
    ag_graph_free(g);
}

/* ---- a caller's own arrays ---- */

enum { ROWS, SOURCES, ROWS_T, TARGETS, ARRAYS };

/* Messages 1->0, 2->0, 0->2 of 3 nodes. */
typedef struct own {
    int32_t array[ARRAYS][6];
} own;
static const own good = {{{0, 2, 2, 0, 2, 1}, {1, 2, 0}, {0, 1, 1, 1, 2, 1}, {2, 2, 0, 0, 0, 1}}};

static ag_edges edges_of(ag_tape *tape, const own *o, const int32_t *starts)
{
    const ag_edges e = {ag_input_i32(tape, o->array[ROWS], AG_SHAPE(3, 2)),
                        ag_input_i32(tape, o->array[SOURCES], AG_SHAPE(3)),
                        ag_input_i32(tape, o->array[ROWS_T], AG_SHAPE(3, 2)),
                        ag_input_i32(tape, o->array[TARGETS], AG_SHAPE(3, 2)),
                        ag_input_i32(tape, starts, AG_SHAPE(2))};
    return e;
}

/* Every op that takes edges. */
static ag_tensor *call(int which, ag_tensor *x, ag_tensor *w, ag_tensor *b, ag_edges e)
{
    switch (which) {
    case 0: return ag_spmm(x, e, AG_AGGREGATE_SUM);
    case 1: return ag_spmm(x, e, AG_AGGREGATE_MEAN);
    case 2: return ag_spmm(x, e, AG_AGGREGATE_MAX);
    case 3: return ag_spmm_weighted(x, w, e);
    case 4: return ag_sddmm(x, x, e, 2);
    case 5: return ag_edge_add(x, x, e);
    case 6: return ag_edge_softmax(w, e);
    case 7: return ag__sage_sum(x, b, e, AG_AGGREGATE_MEAN);
    case 8: return ag_gcn_norm(e);
    case 9: return ag_message_sum(w, e);
    case 10: return ag_message_aggregate(w, e, AG_AGGREGATE_MAX);
    case 11: return ag_message_pna(w, e, 1);
    default: {
        const ag_pooled p = ag_sag_pool(x, ag_sum_columns(x), e, (ag_real)0.6);
        return ag_spmm(p.x, p.edges, AG_AGGREGATE_SUM);
    }
    }
}
enum { CALLS = 13 };

static const char *run(int which, ag_tape *tape, const own *o)
{
    static const float x[3 * 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, w[3 * 2] = {1, 2, 3}, b[2];
    static const int32_t starts[2] = {0, 3};
    ag_tape_reset(tape);
    ag_tensor *y = call(which, ag_input(tape, x, AG_SHAPE(3, 4)), ag_input(tape, w, AG_SHAPE(3, 2)),
                        ag_input(tape, b, AG_SHAPE(2)), edges_of(tape, o, starts));
    ag_backward(ag_sum_all(y));
    return ag_error(tape);
}

static void expect_refused(int array, int at, int32_t value, const char *sentence)
{
    own o = good;
    o.array[array][at] = value;
    for (int i = 0; i < CALLS; i++) {
        const char *why = run(i, tape, &o);
        if (!strstr(why, sentence)) fail_msg("call %d: \"%s\"", i, why);
        assert_int_equal(ag_tape_status(tape), AG_EINDEX);
    }
}

static void test_own_arrays(void **state)
{
    for (int i = 0; i < CALLS; i++) assert_string_equal(run(i, tape, &good), "");
    expect_refused(ROWS, 1, 1 << 30,
                   "rows of the edges: node 0 has 1073741824 messages from position 0 on, but they "
                   "must begin at 0, where those of the node before end, and there are 3 messages; "
                   "make the arrays with ag_graph_build");
    expect_refused(ROWS, 1, -1, "rows of the edges: node 0 has -1 messages from position 0 on");
    expect_refused(ROWS, 0, INT32_MIN, "rows of the edges: node 0 has 2 messages from position -2");
    expect_refused(ROWS, 2, INT32_MAX, "rows of the edges: node 1 has 0 messages from position 21");
    expect_refused(ROWS, 4, 1, "rows of the edges: node 2 has 1 messages from position 1 on, but");
    expect_refused(ROWS, 5, 0, "rows of the edges hold 2 messages, but there are 3;");
    expect_refused(ROWS_T, 3, 7, "rows_t of the edges: node 1 has 7 messages from position 1 on");
    expect_refused(SOURCES, 0, 1 << 30, "targets of the edges: entry 1 is (0, 0)");
    expect_refused(SOURCES, 2, -5, "targets of the edges: entry 0 is (2, 2)");
    expect_refused(TARGETS, 0, -1,
                   "targets of the edges: entry 0 is (-1, 2), but must be a node of 0 to 2 and the "
                   "position of its message from node 0; make the arrays with ag_graph_build");
    expect_refused(TARGETS, 0, 3, "targets of the edges: entry 0 is (3, 2)");
    expect_refused(TARGETS, 1, INT32_MAX, "targets of the edges: entry 0 is (2, 2147483647)");
    expect_refused(TARGETS, 3, 1, "targets of the edges: entry 1 is (0, 1)");
}

/* Every single entry set to numbers around the ranges: a sentence, or a graph that may be run. */
static void test_any_entry(void **state)
{
    static const int32_t values[] = {INT32_MIN, -1, 0, 1, 2, 3, 4, 1 << 20, INT32_MAX};
    for (int array = 0; array < ARRAYS; array++)
        for (int at = 0; at < (array == SOURCES ? 3 : 6); at++)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++)
                for (int i = 0; i < CALLS; i++) {
                    own o = good;
                    o.array[array][at] = values[k];
                    run(i, tape, &o);
                    assert_true(!ag_failed(tape) || ag_tape_status(tape) == AG_EINDEX);
                }
}

/* That arrays fit together says nothing about other combinations of them. */
static void test_mixed_graphs(void **state)
{
    static const float x[3] = {1, 2, 3};
    own other = {{{0, 1, 1, 1, 2, 1}, {2, 0, 1}, {0, 1, 1, 1, 2, 1}, {1, 1, 2, 2, 0, 0}}};
    static const int32_t starts[2] = {0, 3};
    ag_tensor *in = ag_input(tape, x, AG_SHAPE(3));
    ag_edges a = edges_of(tape, &good, starts), b = edges_of(tape, &other, starts);
    ag_spmm(in, a, AG_AGGREGATE_SUM);
    ag_spmm(in, b, AG_AGGREGATE_SUM);
    ag_spmm(in, a, AG_AGGREGATE_SUM);
    assert_string_equal(ag_error(tape), "");
    a.targets = b.targets;
    ag_spmm(in, a, AG_AGGREGATE_SUM);
    assert_int_equal(ag_tape_status(tape), AG_EINDEX);
}

static void expect_part(ag_tape *tape, const char *part)
{
    if (!strstr(ag_error(tape), part)) fail_msg("%s", ag_error(tape));
    ag_tape_reset(tape);
}

static void test_no_arrays(void **state)
{
    static const float x[3] = {1, 2, 3};
    static const int32_t starts[2] = {0, 3};
    ag_edges e = edges_of(tape, &good, starts);
    e.rows_t = NULL;
    ag_edge_softmax(ag_input(tape, x, AG_SHAPE(3)), e);
    expect_part(tape, "edge_softmax: rows_t (input 3) is NULL; give it a tensor (op 0)");
    e = edges_of(tape, &good, starts);
    e.sources = ag_input_i32(tape, good.array[SOURCES], AG_SHAPE(2));
    ag_edge_softmax(ag_input(tape, x, AG_SHAPE(3)), e);
    expect_part(tape, "the edges must be rows [n,2], sources [p]");
    ag_edge_softmax(ag_input(tape, x, AG_SHAPE(2)), edges_of(tape, &good, starts));
    expect_part(tape, "x needs one row for each of the 3 messages");
    e = edges_of(tape, &good, starts);
    ag_edge_add(ag_input(tape, x, AG_SHAPE(3)), ag_input(tape, x, AG_SHAPE(3, 1)), e);
    expect_part(tape, "from and to differ in shape");
}

/* ---- a gated convolution: a weight for each feature of a message ---- */

enum { GATED_NODES = 200, GATED_DEGREE = 8, FEATURES = 64, MESSAGES = GATED_NODES * GATED_DEGREE };

/* Processor seconds of a step, its least of 7. */
static double seconds_of(int composed, ag_params *params, const ag_graph *g, const int32_t *starts)
{
    double least = 1e9;
    for (int r = 0; r < 7; r++) {
        ag_tape_reset(tape);
        ag_params_reset(params);
        ag_tensor *x = ag_parameter(tape, params->list[0]);
        ag_tensor *w = ag_parameter(tape, params->list[1]);
        const ag_edges e = ag_graph_edges(tape, g);
        ag_tensor *at = ag_input_i32(tape, starts, AG_SHAPE(GATED_NODES + 1));
        ag_tensor *y = composed ? ag_segment_sum(ag_mul(ag_gather(x, e.sources), w), at)
                                : ag_spmm_weighted(x, w, e);
        ag_tensor *loss = ag_mean_all(ag_mul(y, y));
        const clock_t begin = clock();
        ag_backward(loss);
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
        assert_string_equal(ag_error(tape), "");
    }
    return least;
}

/* It was seven times slower than the ops that it replaces, and takes less than half of their time.
 */
static void test_weights_of_features(void **state)
{
    static int32_t from[MESSAGES], to[MESSAGES], starts[GATED_NODES + 1];
#ifndef NDEBUG
    skip(); /* without optimisation */
#endif
    if (SANITIZED) skip();
    for (int i = 0; i < MESSAGES; i++) from[i] = i * 7 % GATED_NODES, to[i] = i / GATED_DEGREE;
    for (int v = 0; v <= GATED_NODES; v++) starts[v] = v * GATED_DEGREE;
    ag_graph *g = ag_graph_build(GATED_NODES, from, to, MESSAGES, AG_ALONG, NULL);
    ag_params *params = ag_params_new();
    ag_params_add(params, "x", AG_SHAPE(GATED_NODES, FEATURES), ag_init_uniform(-1, 1), 1);
    ag_params_add(params, "w", AG_SHAPE(MESSAGES, FEATURES), ag_init_uniform(-1, 1), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    const double composed = seconds_of(1, params, g, starts);
    const double fused = seconds_of(0, params, g, starts);
    if (!(fused <= 2 * composed))
        fail_msg("spmm_weighted takes %g s, gather, mul and segment_sum %g s", fused, composed);
    ag_params_free(params);
    ag_graph_free(g);
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS_EACH(tape_make, tape_drop, test_cap, test_loops, test_batches,
                          test_refused_graphs, test_own_arrays, test_any_entry, test_mixed_graphs,
                          test_no_arrays, test_weights_of_features);
}
