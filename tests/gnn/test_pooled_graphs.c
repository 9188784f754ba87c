/* SPDX-License-Identifier: MIT */
/* Graphs that a pooling makes: their arrays, values of missing messages, odd scores, the number of
   nodes that stay; refusals. */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"
#include "support/tape.h"

enum { NODES = 6 };
static const int32_t from[] = {0, 1, 2, 3, 4, 5, 5}, to[] = {1, 2, 3, 4, 5, 0, 2};

static const float score[NODES] = {-1, 2, 0.5f, -3, 0, 1}, x[NODES] = {1, 2, 3, 4, 5, 6};

static ag_graph *ring;

static int set_up(void **state)
{
    ring = ag_graph_build(NODES, from, to, 7, AG_ALONG, NULL);
    return !ring || tape_make(state);
}

static int tear_down(void **state)
{
    ag_graph_free(ring);
    return tape_drop(state);
}

/* Nodes 1, 2 and 5 stay: of their messages 1 -> 2 and 5 -> 2. */
static void test_arrays(void **state)
{
    static const int32_t perm[] = {1, 2, 5}, rows[] = {0, 0, 0, 2, 2, 0},
                         rows_t[] = {0, 1, 1, 0, 1, 1};
    static const int32_t sources[] = {0, 2, -1, -1, -1, -1, -1};
    static const int32_t targets[] = {1, 0, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const ag_edges edges = ag_graph_edges(tape, ring);
    ag_tensor *in = ag_input(tape, x, AG_SHAPE(NODES));
    const ag_pooled p = ag_sag_pool(in, ag_input(tape, score, AG_SHAPE(NODES)), edges, 0.5f);
    ag_tensor *const kept[] = {p.score,         p.perm,         p.edges.rows,
                               p.edges.sources, p.edges.rows_t, p.edges.targets};
    for (int i = 0; i < 6; i++) ag_keep(kept[i]);
    ag_forward(p.x);
    assert_string_equal(ag_error(tape), "");
    for (int i = 0; i < NODES; i++)
        assert_true(fabsf(ag_values(p.score)[i] - tanhf(score[i])) < 1e-6f);
    for (int i = 0; i < 3; i++)
        assert_true(fabsf(ag_values(p.x)[i] - x[perm[i]] * tanhf(score[perm[i]])) < 1e-5f);
    assert_memory_equal(ag_values_i32(p.perm), perm, sizeof perm);
    assert_memory_equal(ag_values_i32(p.edges.rows), rows, sizeof rows);
    assert_memory_equal(ag_values_i32(p.edges.rows_t), rows_t, sizeof rows_t);
    assert_memory_equal(ag_values_i32(p.edges.sources), sources, sizeof sources);
    assert_memory_equal(ag_values_i32(p.edges.targets), targets, sizeof targets);
    assert_int_equal(ag_values_i32(p.edges.starts)[1], 3);
}

/* Values of missing messages are 0, whatever memory held before. */
static void test_tail(void **state)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        ag_tape_reset(tape);
        ag_tensor *in = ag_input(tape, x, AG_SHAPE(NODES));
        const ag_pooled p = ag_sag_pool(in, ag_input(tape, score, AG_SHAPE(NODES)),
                                        ag_graph_edges(tape, ring), 0.5f);
        ag_tensor *values[] = {ag_edge_add(p.x, p.x, p.edges), ag_sddmm(p.x, p.x, p.edges, 1),
                               NULL};
        values[2] = ag_edge_softmax(values[0], p.edges);
        for (int i = 0; i < 3; i++) ag_keep(values[i]);
        ag_forward(ag_add(ag_sum_all(values[2]), ag_sum_all(values[1])));
        assert_string_equal(ag_error(tape), "");
        for (int i = 0; i < 3; i++) {
            assert_int_equal(ag_size(values[i], 0), 7);
            for (int k = 0; k < 7; k++) assert_true((ag_values(values[i])[k] == 0) == (k >= 2));
        }
    }
}

/* A NaN is the highest score; p of zeros makes all scores 0, and the first nodes stay. */
static void test_odd_scores(void **state)
{
    static const float odd[NODES] = {1, -INFINITY, NAN, INFINITY, 0.5f, -0.0f}, zeros[2];
    static const float two[2 * NODES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int32_t highest[] = {0, 2, 3}, first[] = {0, 1, 2};
    ag_tensor *in = ag_input(tape, two, AG_SHAPE(NODES, 2));
    ag_pooled p =
        ag_sag_pool(in, ag_input(tape, odd, AG_SHAPE(NODES)), ag_graph_edges(tape, ring), 3);
    ag_keep(p.perm);
    ag_forward(p.x);
    assert_memory_equal(ag_values_i32(p.perm), highest, sizeof highest);
    ag_tape_reset(tape);
    in = ag_input(tape, two, AG_SHAPE(NODES, 2));
    p = ag_topk(in, ag_input(tape, zeros, AG_SHAPE(2)), ag_graph_edges(tape, ring), 3);
    ag_keep(p.perm);
    ag_forward(p.x);
    assert_memory_equal(ag_values_i32(p.perm), first, sizeof first);
    for (int i = 0; i < 6; i++) assert_true(ag_values(p.x)[i] == 0);
}

/* How many stay: ceil in float, as PyTorch has it. */
static void test_counts(void **state)
{
    static const struct {
        int nodes;
        float ratio;
        int stay;
    } want[] = {{500, 0.8f, 400}, {501, 0.8f, 401}, {5, 0.8f, 4},  {100, 0.55f, 55},
                {10, 0.7f, 7},    {3, 0.001f, 1},   {1, 0.5f, 1},  {4, 0.9999f, 4},
                {4, 1, 1},        {4, 3.9f, 3},     {4, 1e30f, 4}, {4, INFINITY, 4},
                {4, 1e-30f, 1},   {0, 0.5f, 0},     {0, 2, 0}};
    static float zeros[600];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ag_graph *g = ag_graph_build(want[i].nodes, NULL, NULL, 0, AG_ALONG, NULL);
        ag_tape_reset(tape);
        ag_tensor *in = ag_input(tape, zeros, AG_SHAPE(want[i].nodes));
        const ag_pooled p = ag_sag_pool(in, in, ag_graph_edges(tape, g), want[i].ratio);
        assert_string_equal(ag_error(tape), "");
        if (ag_size(p.x, 0) != want[i].stay)
            fail_msg("%d of %d stay", ag_size(p.x, 0), want[i].nodes);
        ag_graph_free(g);
    }
}

/* ---- refusals ---- */

typedef struct bad {
    ag_tensor *x, *p, *score;
    ag_edges edges;
} bad;

static bad start(const int32_t *starts, int n)
{
    static const float zeros[2 * NODES];
    ag_tape_reset(tape);
    bad b = {.edges = ag_graph_edges(tape, ring)};
    b.x = ag_input(tape, zeros, AG_SHAPE(NODES, 2));
    b.p = ag_input(tape, zeros, AG_SHAPE(2));
    b.score = ag_input(tape, zeros, AG_SHAPE(NODES));
    if (starts) b.edges.starts = ag_input_i32(tape, starts, AG_SHAPE(n));
    return b;
}

/* Starts again after it. */
static void expect(bad *b, ag_pooled p, ag_status status, const char *sentence)
{
    ag_forward(p.x);
    if (!strstr(ag_error(tape), sentence)) fail_msg("\"%s\"", ag_error(tape));
    assert_int_equal(ag_tape_status(tape), status);
    assert_ptr_equal(p.edges.rows, p.edges.targets); /* the poison */
    *b = start(NULL, 0);
}

static void test_refused(void **state)
{
    bad b = start(NULL, 0);
    expect(
        &b, ag_topk(b.x, b.p, b.edges, 0), AG_EUSE,
        "ag_topk: the ratio is 0, but must be above 0: below 1 the share of the nodes that stay, "
        "from 1 on how many of each graph");
    expect(&b, ag_sag_pool(b.x, b.score, b.edges, -0.5f), AG_EUSE,
           "ag_sag_pool: the ratio is -0.5");
    expect(&b, ag_topk(b.x, b.p, b.edges, NAN), AG_EUSE, "the ratio is nan");
    expect(
        &b, ag_topk(b.x, b.score, b.edges, 0.5f), AG_ESHAPE,
        "topk: x is [6,2], p is [6], starts is [2], kept is [2]: p needs one element per feature");
    expect(&b, ag_relu_topk_readout(b.x, b.p, b.edges, 0), AG_EUSE,
           "ag_relu_topk_readout: the ratio is 0, but must be above 0");
    expect(&b, ag_relu_topk_readout(b.x, b.score, b.edges, 0.5f), AG_ESHAPE,
           "p needs one element per feature of a node");
    expect(&b, ag_relu_topk_readout(b.score, b.p, b.edges, 0.5f), AG_ESHAPE,
           "x must have an axis of nodes and one of features");
    expect(&b, ag_sag_pool(b.x, b.p, b.edges, 0.5f), AG_ESHAPE,
           "the score needs one element per node");
    expect(&b, ag_topk(NULL, b.p, b.edges, 0.5f), AG_EUSE, "topk: x (input 0) is NULL");
    expect(&b, ag_topk(b.x, NULL, b.edges, 0.5f), AG_EUSE, "topk: p (input 1) is NULL");
    b.edges.starts = NULL;
    expect(&b, ag_topk(b.x, b.p, b.edges, 0.5f), AG_EUSE,
           "ag_topk: the starts of the edges must be int32 values that are given as an input; make "
           "them with ag_graph_edges");
    b.edges.rows = NULL;
    expect(&b, ag_topk(b.x, b.p, b.edges, 0.5f), AG_EUSE, "topk_edges: rows (input 0) is NULL");
    b.edges.starts = b.edges.rows;
    expect(&b, ag_topk(b.x, b.p, b.edges, 0.5f), AG_ESHAPE,
           "the starts of the edges are [6,2], but must be [graphs + 1]");
    static const struct {
        int32_t starts[4];
        int n;
        const char *sentence;
    } wrong[] = {
        {{0, 4, 3, 6},
         4,
         "ag_topk: starts of the edges: entry 2 of 4 is 3, but must be in 4..6: they "
         "ascend from 0 to the number of nodes; make them with ag_graph_edges"},
        {{1, 6}, 2, "entry 0 of 2 is 1, but must be in 0..0"},
        {{0, 7}, 2, "entry 1 of 2 is 7, but must be in 0..6"},
        {{0, -1, 6}, 3, "entry 1 of 3 is -1"},
        {{3}, 1, "entry 0 of 1 is 3"},
        {{0, 5},
         2,
         "ag_topk: the starts of the edges end at 5, but there are 6 nodes; make them with "
         "ag_graph_edges"},
        {{0}, 1, "end at 0, but there are 6 nodes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        b = start(wrong[i].starts, wrong[i].n);
        expect(&b, ag_topk(b.x, b.p, b.edges, 0.5f), AG_EINDEX, wrong[i].sentence);
    }
}

/* Arrays of a pooled graph mixed with those of other graphs. */
static void test_mixed(void **state)
{
    bad b = start(NULL, 0);
    const ag_pooled all = ag_topk(b.x, b.p, b.edges, NODES);
    ag_edges mixed = all.edges;
    mixed.rows = b.edges.rows;
    ag_spmm(all.x, mixed, AG_AGGREGATE_SUM);
    assert_string_equal(ag_error(tape),
                        "The edges mix arrays that an op made with others; pass the "
                        "edges of a pooled graph on as they are");
    b = start(NULL, 0);
    ag_gcn_norm(ag_topk(b.x, b.p, b.edges, 0.5f).edges);
    assert_string_equal(ag_error(tape), "");
}

/* A pooling twice over, known plan: nothing is allocated, other values choose other nodes. */
static void test_again(void **state)
{
    static float high[NODES] = {6, 5, 4, 3, 2, 1};
    for (int step = 0; step < 3; step++) {
        ag_tape_reset(tape);
        const long before_step = ag__allocations();
        ag_tensor *in = ag_input(tape, high, AG_SHAPE(NODES));
        ag_pooled p = ag_sag_pool(in, in, ag_graph_edges(tape, ring), 4);
        p = ag_sag_pool(p.x, p.x, p.edges, 2);
        ag_keep(p.perm);
        ag_forward(ag_spmm(p.x, p.edges, AG_AGGREGATE_SUM));
        assert_string_equal(ag_error(tape), "");
        if (step) assert_int_equal(ag__allocations(), before_step);
        assert_int_equal(ag_values_i32(p.perm)[0], step == 1 ? 2 : 0);
        assert_int_equal(ag_values_i32(p.perm)[1], step == 1 ? 3 : 1);
        for (int i = 0; i < NODES; i++) high[i] = step == 0 ? (float)(i + 1) : (float)(NODES - i);
    }
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS_EACH(set_up, tear_down, test_arrays, test_tail, test_odd_scores, test_counts,
                          test_refused, test_mixed, test_again);
}
