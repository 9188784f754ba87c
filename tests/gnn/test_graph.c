/* SPDX-License-Identifier: MIT */
/* Graphs: built from edge lists, put together, drawn, put on a tape. */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"

enum { RANDOM_NODES = 40, RANDOM_EDGES = 150 };

static ag_graph *build(int nodes, const int32_t *source, const int32_t *target, int m,
                       ag_direction direction)
{
    ag_graph *g = expect_made(ag_graph_build(nodes, source, target, m, direction, new_failure()));
    expect_ok(last_failure()->status);
    return g;
}

/* The promises of every graph: rows tile the messages in order, and the transpose names each
   message once, at its position, in its sender's row. */
static void expect_consistent(const ag_graph *g)
{
    int next = 0, next_t = 0;
    int *receiver = calloc((size_t)g->messages + 1, sizeof *receiver);
    int *named = calloc((size_t)g->messages + 1, sizeof *named);
    for (int v = 0; v < g->nodes; v++) {
        assert_int_equal(g->rows[2 * v], next);
        assert_int_equal(g->rows_t[2 * v], next_t);
        for (int k = 0; k < g->rows[2 * v + 1]; k++) receiver[next++] = v;
        next_t += g->rows_t[2 * v + 1];
    }
    assert_int_equal(next, g->messages);
    assert_int_equal(next_t, g->messages);
    for (int u = 0; u < g->nodes; u++)
        for (int k = 0; k < g->rows_t[2 * u + 1]; k++) {
            const int32_t *t = g->targets + 2 * (g->rows_t[2 * u] + k);
            assert_in_range(t[1], 0, g->messages - 1);
            assert_int_equal(g->sources[t[1]], u);
            assert_int_equal(receiver[t[1]], t[0]);
            named[t[1]]++;
        }
    for (int p = 0; p < g->messages; p++) assert_int_equal(named[p], 1);
    free(receiver);
    free(named);
    assert_int_equal(g->starts[0], 0);
    assert_int_equal(g->starts[g->graphs], g->nodes);
}

/* ---- building ---- */

/* Node 3 is alone, edge 1 is a loop, edges 0 and 4 are the same. */
static const int32_t source[] = {0, 2, 1, 4, 0}, target[] = {1, 2, 0, 1, 1};

/* The same as the swapped list read along. */
static void test_against(void **state)
{
    ag_graph *g = build(5, source, target, 5, AG_AGAINST);
    ag_graph *swapped = build(5, target, source, 5, AG_ALONG);
    expect_ints(g->rows, swapped->rows, 10);
    expect_ints(g->sources, swapped->sources, 5);
    expect_ints(g->edge, swapped->edge, 5);
    expect_ints(g->rows_t, swapped->rows_t, 10);
    expect_ints(g->targets, swapped->targets, 10);
    assert_int_equal(g->rows[2 * 4 + 1], 1); /* node 4 receives from 1 */
    ag_graph_free(g);
    ag_graph_free(swapped);
}

/* Messages along the edges come before those against them. */
static void test_both_ways(void **state)
{
    static const int32_t rows[] = {0, 3, 3, 4, 7, 2, 9, 0, 9, 1};
    static const int32_t sources[] = {1, 1, 1, 0, 4, 0, 0, 2, 2, 1};
    static const int32_t edge[] = {2, 0, 4, 0, 3, 4, 2, 1, 1, 3};
    ag_graph *g = build(5, source, target, 5, AG_BOTH_WAYS);
    assert_int_equal(g->messages, 10);
    expect_ints(g->rows, rows, 10);
    expect_ints(g->sources, sources, 10);
    expect_ints(g->edge, edge, 10);
    expect_consistent(g);
    ag_graph_free(g);
}

/* Against a search of the edge list: the messages of a node are in the order of the edges. */
static void test_random(void **state)
{
    int32_t from[RANDOM_EDGES], to[RANDOM_EDGES];
    ag_random r = {51, 0, 0};
    for (int e = 0; e < RANDOM_EDGES; e++) {
        from[e] = (int32_t)ag_random_below(&r, RANDOM_NODES);
        to[e] = (int32_t)ag_random_below(&r, RANDOM_NODES);
    }
    ag_graph *g = build(RANDOM_NODES, from, to, RANDOM_EDGES, AG_ALONG);
    expect_consistent(g);
    for (int v = 0; v < RANDOM_NODES; v++) {
        int p = g->rows[2 * v], q = g->rows_t[2 * v];
        for (int e = 0; e < RANDOM_EDGES; e++) {
            if (to[e] == v) {
                assert_int_equal(g->edge[p], e);
                assert_int_equal(g->sources[p++], from[e]);
            }
            if (from[e] == v) assert_int_equal(g->targets[2 * q++], to[e]);
        }
    }
    ag_graph_free(g);
}

static void test_empty(void **state)
{
    for (int d = AG_ALONG; d <= AG_BOTH_WAYS; d++) {
        ag_graph *nothing = build(0, NULL, NULL, 0, (ag_direction)d);
        ag_graph *lonely = build(3, NULL, NULL, 0, (ag_direction)d);
        expect_consistent(nothing);
        expect_consistent(lonely);
        assert_int_equal(nothing->nodes + nothing->messages + lonely->messages, 0);
        assert_int_equal(nothing->graphs, 1);
        ag_graph_free(nothing);
        ag_graph_free(lonely);
    }
}

/* ---- refusals ---- */

static void expect_failure(int nodes, const int32_t *from, const int32_t *to, int m,
                           ag_direction direction, ag_status status, const char *sentence)
{
    assert_null(ag_graph_build(nodes, from, to, m, direction, new_failure()));
    assert_string_equal(last_failure()->sentence, sentence);
    assert_int_equal(last_failure()->status, status);
    assert_null(ag_graph_build(nodes, from, to, m, direction, NULL));
}

static void test_bad_edges(void **state)
{
    static const int32_t good[] = {0, 1, 2}, high[] = {1, 2, 3}, low[] = {1, -1, 0};
    expect_failure(3, good, high, 3, AG_ALONG, AG_EINDEX,
                   "edge 2 is (2, 3), but nodes are 0 to 2; correct the edge list");
    expect_failure(3, high, good, 3, AG_BOTH_WAYS, AG_EINDEX,
                   "edge 2 is (3, 2), but nodes are 0 to 2; correct the edge list");
    expect_failure(3, good, low, 3, AG_AGAINST, AG_EINDEX,
                   "edge 1 is (1, -1), but nodes are 0 to 2; correct the edge list");
    expect_failure(3, low, good, 3, AG_ALONG, AG_EINDEX,
                   "edge 1 is (-1, 1), but nodes are 0 to 2; correct the edge list");
    expect_failure(0, good, good, 1, AG_ALONG, AG_EINDEX,
                   "edge 0 is (0, 0), but the graph has no nodes; correct the edge list");
}

/* Sizes are refused before an edge is looked at. */
static void test_bad_sizes(void **state)
{
    expect_failure(-1, NULL, NULL, 0, AG_ALONG, AG_ESHAPE,
                   "A graph cannot have -1 nodes and 0 edges; both must be 0 or more");
    expect_failure(2, NULL, NULL, -5, AG_ALONG, AG_ESHAPE,
                   "A graph cannot have 2 nodes and -5 edges; both must be 0 or more");
    expect_failure(INT_MAX, NULL, NULL, 0, AG_ALONG, AG_ESHAPE,
                   "A graph of 2147483647 nodes and 0 messages is too large; at most 2^30 of each "
                   "are possible");
    expect_failure(2, NULL, NULL, INT_MAX, AG_ALONG, AG_ESHAPE,
                   "A graph of 2 nodes and 2147483647 messages is too large; at most 2^30 of each "
                   "are possible");
    expect_failure(2, NULL, NULL, INT_MAX, AG_BOTH_WAYS, AG_ESHAPE,
                   "A graph of 2 nodes and 4294967294 messages is too large; at most 2^30 of each "
                   "are possible");
}

static void test_no_memory(void **state)
{
    ag__fail_allocation(1, 0);
    expect_null(ag_graph_build(5, source, target, 5, AG_BOTH_WAYS, new_failure()), AG_EMEMORY, "");
    assert_string_equal(last_failure()->sentence,
                        "There is no memory for a graph of 5 nodes and 10 messages");
    ag_graph *g = build(5, source, target, 5, AG_ALONG);
    const ag_graph *list[] = {g, g};
    ag__fail_allocation(1, 0);
    expect_null(ag_graph_batch(list, 2, new_failure()), AG_EMEMORY, "");
    ag__fail_allocation(0, 0);
    ag_graph_free(g);
}

/* ---- batches ---- */

static void test_batch(void **state)
{
    ag_graph *a = build(5, source, target, 5, AG_BOTH_WAYS),
             *none = build(0, NULL, NULL, 0, AG_ALONG);
    ag_graph *lonely = build(2, NULL, NULL, 0, AG_ALONG),
             *b = build(5, source, target, 5, AG_ALONG);
    const ag_graph *list[] = {none, a, none, lonely, b};
    static const int32_t starts[] = {0, 0, 5, 5, 7, 12};
    ag_graph *g = expect_made(ag_graph_batch(list, 5, new_failure()));
    assert_int_equal(g->nodes, 12);
    assert_int_equal(g->messages, 15);
    assert_int_equal(g->graphs, 5);
    expect_ints(g->starts, starts, 6);
    expect_consistent(g);
    for (int p = 0; p < 10; p++) {
        assert_int_equal(g->sources[p], a->sources[p]);
        assert_int_equal(g->edge[p], a->edge[p]);
    }
    for (int p = 0; p < 5; p++) {
        assert_int_equal(g->sources[10 + p], b->sources[p] + 7);
        assert_int_equal(g->edge[10 + p], b->edge[p] + 5); /* edges of `a` come first */
        assert_int_equal(g->targets[2 * (10 + p)], b->targets[2 * p] + 7);
        assert_int_equal(g->targets[2 * (10 + p) + 1], b->targets[2 * p + 1] + 10);
    }
    const ag_graph *pair[] = {g, b}; /* a batch of batches */
    ag_graph *twice = expect_made(ag_graph_batch(pair, 2, new_failure()));
    assert_int_equal(twice->graphs, 6);
    assert_int_equal(twice->starts[5], 12);
    assert_int_equal(twice->edge[15], b->edge[0] + 10);
    expect_consistent(twice);
    ag_graph *nothing = expect_made(ag_graph_batch(NULL, 0, new_failure()));
    assert_int_equal(nothing->nodes + nothing->graphs + nothing->starts[0], 0);
    ag_graph *all[] = {a, b, g, none, lonely, twice, nothing};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ag_graph_free(all[i]);
}

/* Only the sizes of these graphs are true: nothing of them is read. */
static void test_batch_too_large(void **state)
{
    static const ag_graph large[] = {{.nodes = INT_MAX / 2, .graphs = 1},
                                     {.messages = INT_MAX / 2, .graphs = 1},
                                     {.graphs = INT_MAX / 2},
                                     {.edges = INT_MAX / 2, .graphs = 1}};
    for (int k = 0; k < 4; k++) {
        const ag_graph *list[] = {&large[k], &large[k], &large[k]};
        expect_null(ag_graph_batch(list, 3, new_failure()), AG_ESHAPE,
                    k < 3 ? " is too large; at most 2^30 "
                          : "A batch of 3 graphs and 3221225469 edges is too large; at most 2^30 ");
    }
}

/* ---- text and tape ---- */

static const char *label(void *context, int node, char text[64])
{
    snprintf(text, 64, "%s \"%d\\", (const char *)context, node);
    return text;
}

static void expect_dot(const ag_graph *g, const char *(*name)(void *, int, char[64]),
                       const char *want)
{
    char op[] = "op";
    FILE *file = tmpfile();
    ag_graph_dot(g, name, op, file);
    assert_string_equal(text_of(file), want);
}

static void test_dot(void **state)
{
    static const int32_t from[] = {0, 1, 1}, to[] = {1, 0, 1};
    ag_graph *g = build(2, from, to, 3, AG_ALONG);
    expect_dot(g, NULL,
               "digraph graph_ {\n  node [shape=box, fontname=\"Helvetica\"];\n"
               "  1 -> 0;\n  0 -> 1;\n  1 -> 1;\n}\n");
    expect_dot(g, label,
               "digraph graph_ {\n  node [shape=box, fontname=\"Helvetica\"];\n"
               "  0 [label=\"op \\\"0\\\\\"];\n  1 [label=\"op \\\"1\\\\\"];\n"
               "  1 -> 0;\n  0 -> 1;\n  1 -> 1;\n}\n");
    ag_graph_free(g);
}

static void test_edges(void **state)
{
    for (int k = 0; k < 2; k++) {
        const int n = k ? 5 : 0, m = k ? 5 : 0;
        ag_graph *g = build(n, source, target, m, AG_BOTH_WAYS);
        ag_tape *tape = ag_tape_new(AG_CPU);
        const ag_edges e = ag_graph_edges(tape, g);
        assert_true(ag_shape_equal(ag_shape_of(e.rows), AG_SHAPE(n, 2)));
        assert_true(ag_shape_equal(ag_shape_of(e.sources), AG_SHAPE(2 * m)));
        assert_true(ag_shape_equal(ag_shape_of(e.rows_t), AG_SHAPE(n, 2)));
        assert_true(ag_shape_equal(ag_shape_of(e.targets), AG_SHAPE(2 * m, 2)));
        assert_true(ag_shape_equal(ag_shape_of(e.starts), AG_SHAPE(2)));
        assert_string_equal(ag_error(tape), "");
        ag_tape_free(tape);
        ag_graph_free(g);
    }
}

/* A graph that could not be built is a sentence where it is used, not a crash. */
static void test_no_graph(void **state)
{
    static const float x[6];
    const ag_graph *none[] = {NULL};
    ag_tape *tape = ag_tape_new(AG_CPU);
    expect_null(ag_graph_batch(none, 1, new_failure()), AG_EUSE, "");
    assert_string_equal(last_failure()->sentence,
                        "graph 0 of the batch is NULL; look at how it was built");
    expect_null(ag_graph_build(5, source, target, 5, (ag_direction)3, new_failure()), AG_EUSE, "");
    expect_null(ag_graph_batch(none, -1, new_failure()), AG_ESHAPE, "");
    const ag_edges edges = ag_graph_edges(tape, NULL);
    ag_forward(ag_spmm(ag_input(tape, x, AG_SHAPE(3, 2)), edges, AG_AGGREGATE_SUM));
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_string_equal(ag_error(tape),
                        "ag_graph_edges: the graph is NULL; look at how it was built");
    ag_tape_reset(tape);
    ag_graph *g = build(5, source, target, 5, AG_ALONG);
    ag_spmm(ag_input(tape, x, AG_SHAPE(5, 1)), ag_graph_edges(tape, g), (ag_aggregate)9);
    assert_non_null(strstr(ag_error(tape), "the aggregate is 9, but must be AG_AGGREGATE_SUM"));
    ag_graph_free(g);
    ag_tape_free(tape);
}

int main(void)
{
    return RUN_TESTS(test_against, test_both_ways, test_random, test_empty, test_bad_edges,
                     test_bad_sizes, test_no_memory, test_batch, test_batch_too_large, test_dot,
                     test_edges, test_no_graph);
}
