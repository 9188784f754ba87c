/* SPDX-License-Identifier: MIT */
/* Samples in batches: rows of nodes and of messages are where the graph has them. */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"

/* Three graphs: 2 nodes and 1 edge, 1 node alone, 3 nodes and 3 edges. A row's number tells its
   sample, its place and, in the second number of an edge, its ends. */
static const int32_t nodes[] = {2, 1, 3}, edges[] = {1, 0, 3};
static const int32_t source[] = {0, 2, 0, 1}, target[] = {1, 0, 1, 0};
static const ag_real node_row[] = {0, 1, 100, 200, 201, 202};
static const ag_real edge_row[] = {0, 1, 200, 20, 201, 1, 202, 10};
static const int32_t label[] = {7, 8, 9};

static const ag_samples samples = {.count = 3,
                                   .nodes = nodes,
                                   .edges = edges,
                                   .source = source,
                                   .target = target,
                                   .columns = 3,
                                   .column = {{AG_PER_NODE, 0, node_row, NULL},
                                              {AG_PER_EDGE, 2, edge_row, NULL},
                                              {AG_PER_SAMPLE, 0, NULL, label}}};

static ag_batches *made(const ag_samples *of, const int32_t *which, int n, int size, int shuffled)
{
    return expect_made(ag_batches_new(of, which, n, size, shuffled, 5, new_failure()));
}

/* Every message has the row of its own edge, and every node and sample its own. */
static void expect_rows(const ag_batch *batch)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *x = ag_scale(ag_batch_column(tape, batch, 0), 1);
    ag_tensor *e = ag_scale(ag_batch_column(tape, batch, 1), 1);
    ag_tensor *y = ag_batch_column(tape, batch, 2);
    const ag_graph *g = batch->graph;
    ag_forward(ag_add(ag_sum_all(ag_keep(x)), ag_sum_all(ag_keep(e))));
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_size(y, 0), batch->count);
    assert_int_equal(ag_size(x, 0), g->nodes);
    assert_true(ag_shape_equal(ag_shape_of(e), AG_SHAPE(g->messages, 2)));
    for (int i = 0; i < batch->count; i++)
        for (int v = g->starts[i]; v < g->starts[i + 1]; v++) {
            assert_int_equal((int)ag_values(x)[v], 100 * batch->which[i] + v - g->starts[i]);
            for (int p = g->rows[2 * v]; p < g->rows[2 * v] + g->rows[2 * v + 1]; p++) {
                const int from = g->sources[p] - g->starts[i], to = v - g->starts[i];
                const int ends = (int)ag_values(e)[2 * p + 1];
                assert_int_equal((int)ag_values(e)[2 * p] / 100, batch->which[i]);
                assert_true(ends == 10 * from + to || ends == 10 * to + from);
            }
        }
    ag_tape_free(tape);
}

static void test_rows(void **state)
{
    static const ag_direction way[] = {AG_ALONG, AG_AGAINST, AG_BOTH_WAYS};
    for (int w = 0; w < 3; w++) {
        ag_samples s = samples;
        s.direction = way[w];
        ag_batches *b = made(&s, NULL, 3, 2, 1);
        for (int epoch = 0; epoch < 4; epoch++) {
            const ag_batch *batch;
            int seen = 0, count = 0;
            ag_batches_begin(b, epoch);
            while ((batch = ag_batches_next(b, NULL))) {
                expect_rows(batch);
                for (int i = 0; i < batch->count; i++) seen |= 1 << batch->which[i];
                assert_int_equal(batch->count, count ? 1 : 2);
                count += batch->count;
            }
            assert_int_equal(seen, 7);
            assert_int_equal(count, 3);
        }
        ag_batches_free(b);
    }
}

/* The order is a function of seed and epoch, and another one in the next epoch. */
static void test_order(void **state)
{
    enum { N = 40 };
    const ag_samples plain = {.count = N};
    int32_t first[N], again[N];
    int equal = 0;
    ag_batches *b = made(&plain, NULL, N, 7, 1), *later = made(&plain, NULL, N, N, 1);
    for (int epoch = 0; epoch < 3; epoch++) {
        const ag_batch *batch;
        int n = 0;
        ag_batches_begin(b, epoch);
        while ((batch = ag_batches_next(b, NULL)))
            for (int i = 0; i < batch->count; i++) again[n++] = batch->which[i];
        assert_int_equal(n, N);
        for (int i = 0; i < N && epoch == 2; i++) equal += first[i] == again[i];
        memcpy(first, again, sizeof first);
    }
    assert_true(equal < N / 2);
    ag_batches_begin(later, 2);
    const ag_batch *all = ag_batches_next(later, NULL);
    assert_memory_equal(all->which, first, sizeof first);
    assert_null(all->graph);
    ag_batches_free(b);
    ag_batches_free(later);
}

static void test_some_in_order(void **state)
{
    static const int32_t which[] = {2, 0};
    ag_batches *b = made(&samples, which, 2, 2, 0);
    for (int epoch = 0; epoch < 2; epoch++) {
        ag_batches_begin(b, epoch);
        const ag_batch *batch = ag_batches_next(b, NULL);
        assert_memory_equal(batch->which, which, sizeof which);
        assert_int_equal(batch->graph->nodes, 5);
        expect_rows(batch);
        expect_null(ag_batches_next(b, new_failure()), AG_OK, "");
        assert_null(
            ag_batches_next(b, new_failure())); /* as by whoever forgets to begin an epoch */
        expect_sentence(last_failure(), AG_EUSE, "the epoch is over; begin the next one");
    }
    ag_batches_free(b);
}

static void test_refused(void **state)
{
    static const int32_t beyond[] = {3}, bad[] = {0, 2, 0, 3}, fewer[] = {2, 1, -1};
    ag_samples s = samples;
    expect_null(ag_batches_new(&s, beyond, 1, 1, 0, 1, new_failure()), AG_EINDEX,
                "is sample 3, but samples are 0 to 2");
    s.target = bad;
    expect_null(ag_batches_new(&s, NULL, 3, 1, 0, 1, new_failure()), AG_EINDEX,
                "sample 2: edge 2 is (1, 3), but nodes are 0 to 2");
    s = samples, s.nodes = fewer;
    expect_null(ag_batches_new(&s, NULL, 3, 1, 0, 1, new_failure()), AG_ESHAPE,
                "sample 2 has -1 nodes");
    s = samples, s.edges = NULL;
    expect_null(ag_batches_new(&s, NULL, 3, 1, 0, 1, new_failure()), AG_EUSE, "both are needed");
    expect_null(ag_batches_new(&samples, NULL, 3, 0, 0, 1, new_failure()), AG_EUSE,
                "the last at least 1");
}

/* Each sentence names its column, and the one thing that is wrong with it. */
static void test_columns_refused(void **state)
{
    static const struct {
        ag_column column;
        const char *says;
    } wrong[] = {
        {{AG_PER_EDGE, -1, edge_row, NULL}, "column 1: its width is below 0"},
        {{AG_PER_EDGE, 2, NULL, NULL}, "column 1: it has no numbers"},
        {{AG_PER_SAMPLE, 0, edge_row, label}, "column 1: it has real and whole numbers"},
        {{(ag_per)3, 2, edge_row, NULL}, "column 1: its per is none of ag_per"},
        {{AG_PER_NODE, 0, node_row, NULL}, "column 1: it is per node or edge, but"},
    };
    for (int i = 0; i < 5; i++) {
        ag_samples s = samples;
        s.column[0] = s.column[2];
        s.column[1] = wrong[i].column;
        if (i == 4) s.nodes = NULL;
        expect_null(ag_batches_new(&s, NULL, 3, 1, 0, 1, new_failure()), AG_EUSE, wrong[i].says);
    }
}

/* A set is a graph without edges. */
static void test_sets(void **state)
{
    static const int32_t no_edges[3] = {0};
    const ag_samples sets = {.count = 3,
                             .nodes = nodes,
                             .edges = no_edges,
                             .columns = 1,
                             .column = {{AG_PER_NODE, 0, node_row, NULL}}};
    ag_batches *b = made(&sets, NULL, 3, 3, 0);
    const ag_batch *batch = ag_batches_next(b, NULL);
    assert_int_equal(batch->graph->messages, 0);
    assert_int_equal(batch->graph->starts[2], 3);
    ag_batches_free(b);
}

static void test_no_samples(void **state)
{
    const ag_samples none = {0};
    ag_batches *b = made(&none, NULL, 0, 4, 1);
    assert_null(ag_batches_next(b, NULL));
    ag_batches_free(b);
}

static void test_no_such_column(void **state)
{
    ag_batches *b = made(&samples, NULL, 3, 3, 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_batch_column(tape, ag_batches_next(b, NULL), 3);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_non_null(strstr(ag_error(tape), "no column 3, as the samples have 3"));
    ag_tape_reset(tape);
    ag_batch_column(tape, ag_batches_next(b, NULL), 0);
    assert_non_null(strstr(ag_error(tape), "batch is NULL"));
    ag_tape_free(tape);
    ag_batches_free(b);
}

static void test_no_memory(void **state)
{
    for (long nth = 1; nth < 100; nth++) {
        ag_failure why = {0};
        ag__fail_allocation(nth, 0);
        ag_batches *b = ag_batches_new(&samples, NULL, 3, 2, 1, 5, &why);
        const ag_batch *batch = b ? ag_batches_next(b, &why) : NULL;
        ag__fail_allocation(0, 0);
        ag_batches_free(b);
        if (batch) return;
        assert_int_equal(why.status, AG_EMEMORY);
    }
    fail_msg("allocations do not end");
}

int main(void)
{
    return RUN_TESTS(test_rows, test_order, test_some_in_order, test_refused, test_no_samples,
                     test_no_such_column, test_no_memory, test_columns_refused, test_sets);
}
