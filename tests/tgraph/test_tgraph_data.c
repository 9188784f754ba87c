/* SPDX-License-Identifier: MIT */
/* Parts that need no file: packing, pruning, standardisation, splits, ranks; and
   the loader. */
#include "support/test.h"
#include "core/error.h"
#include "examples/tgraph/data/data.h"

#include <errno.h>
#include <unistd.h>

static void packing_round_trips(void **state)
{
    ag_random random = {7, 0, 0};
    for (int turn = 0; turn < 2000; turn++) {
        float value[TGRAPH_DIGITS];
        uint32_t word[TGRAPH_WORDS];
        int32_t row[TGRAPH_DIGITS];
        for (int k = 0; k < TGRAPH_DIGITS; k++) value[k] = (float)ag_random_below(&random, 7) - 1;
        assert_int_equal(tgraph_pack(word, value), -1);
        tgraph_unpack(row, word);
        for (int k = 0; k < TGRAPH_DIGITS; k++) assert_int_equal(row[k], (int)value[k] + 2);
        for (int w = 0; w < TGRAPH_WORDS; w++) assert_true(word[w] < 117649);
    }
}

static void packing_has_the_published_weights(void **state)
{
    float value[TGRAPH_DIGITS];
    uint32_t word[TGRAPH_WORDS];
    for (int k = 0; k < TGRAPH_DIGITS; k++) value[k] = -1;
    value[0] = 0;  /* 1 */
    value[5] = 5;  /* 6 x 16807 */
    value[6] = 3;  /* 4 */
    value[13] = 1; /* 2 x 7 */
    assert_int_equal(tgraph_pack(word, value), -1);
    assert_int_equal(word[0], 1 + 6 * 16807);
    assert_int_equal(word[1], 4);
    assert_int_equal(word[2], 14);
}

static void packing_refuses_other_values(void **state)
{
    const float bad[] = {-2, 6, 0.5F, NAN, INFINITY, -INFINITY, 1e30F, -1.0001F};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        float value[TGRAPH_DIGITS] = {0};
        uint32_t word[TGRAPH_WORDS];
        value[11] = bad[i];
        assert_int_equal(tgraph_pack(word, value), 11);
    }
}

static void pruning_drops_edges_between_neighbours(void **state)
{
    int32_t edge[] = {1, 0, 2, 0, 2, 1}, config[] = {0}, new_id[3];
    const int32_t kept[] = {1, 0, 2, 0};
    int edges = 3;
    assert_int_equal(tgraph_prune(new_id, edge, &edges, 3, config, 1), 3);
    assert_int_equal(edges, 2); /* 2-1 joins two neighbours of 0, neither configurable */
    assert_memory_equal(edge, kept, sizeof kept);
}

static void layouts_are_padded_by_rank(void **state)
{
    float row[TPUGRAPHS_FEATURES] = {0};
    int32_t index[TGRAPH_LAYOUT];
    row[21] = 64;
    row[22] = 3;
    row[134] = 1; /* rank 2, order 1, 0, then padding */
    const int32_t padded[] = {3, 2, 1, 1, 1, 1}, plain[] = {3, 2, 2, 2, 2, 2};
    tgraph_layout_index(index, row, 1);
    assert_memory_equal(index, padded, sizeof padded);
    tgraph_layout_index(index, row, 0);
    assert_memory_equal(index, plain, sizeof plain);
    row[134] = 1e30F;
    row[135] = -1e30F;
    tgraph_layout_index(index, row, 1);
    assert_int_equal(index[0], 7);
    assert_int_equal(index[1], 0);
}

static void rows_are_kept(tpugraphs_budget *budget)
{
    enum { ROWS = 3000, KEPT = 1000, WIDTH = 6 };
    tgraph_store store;
    expect_ok(tgraph_store_open(&store, ROWS, WIDTH, budget, "x", new_failure()));
    for (uint32_t i = 0; i < KEPT; i++)
        tgraph_store_put(&store, (uint32_t[WIDTH]){i, 1, 2, 3, 4, 5});
    tgraph_store_trim(&store, budget);
    assert_int_equal(store.rows, KEPT);
    for (uint32_t i = 0; i < KEPT; i++) assert_int_equal(store.word[i * WIDTH], i);
    tgraph_store_close(&store, budget);
}

/* The linker calls this for posix_fallocate. */
static int unreserved;
int __real_posix_fallocate(int fd, off_t at, off_t bytes);
int __wrap_posix_fallocate(int fd, off_t at, off_t bytes);
int __wrap_posix_fallocate(int fd, off_t at, off_t bytes)
{
    return unreserved ? unreserved : __real_posix_fallocate(fd, at, bytes);
}

static void stores_live_in_memory_or_in_a_file(void **state)
{
    tpugraphs_budget roomy = {1 << 20, 0}, tight = {100, 0};
    rows_are_kept(NULL);
    rows_are_kept(&roomy);
    rows_are_kept(&tight);
    unreserved = EOPNOTSUPP; /* by the file system, which costs nothing */
    rows_are_kept(&tight);
    unreserved = 0;
    assert_int_equal(roomy.used + tight.used, 0);
    tgraph_store store;
    expect_ok(tgraph_store_open(&store, 10, 3, &tight, "x", new_failure()));
    assert_int_equal(tight.used, 0);
    assert_int_equal(store.mapped, 120);
    tgraph_store_close(&store, &tight);
}

static void a_store_without_room_is_refused(void **state)
{
    tpugraphs_budget tight = {100, 0};
    tgraph_store store;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nowhere", 1);
    expect_status(tgraph_store_open(&store, 10, 3, &tight, "x.npz", new_failure()), AG_EFILE,
                  "x.npz: its packed configurations take 120 bytes");
    assert_non_null(strstr(last_failure()->sentence, "/nowhere"));
    before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
    free(before);
    unreserved = ENOSPC;
    expect_status(tgraph_store_open(&store, 10, 3, &tight, "x.npz", new_failure()), AG_EFILE,
                  "No space left on device; set TMPDIR to another folder");
    unreserved = 0;
    assert_int_equal(tgraph_store_open(&store, INT64_MAX / 16, 30, &tight, "x.npz", new_failure()),
                     AG_EFILE);
}

static void standardisation_is_that_of_sklearn(void **state)
{
    static const float x[3][TGRAPH_NUMERIC] = {{1, 5, 0.1F}, {2, 5, 0.1F}, {6, 5, 0.1F}};
    static ag_real y[2 * TGRAPH_NUMERIC];
    tgraph_scaler s = {0};
    tgraph_scaler_add(&s, x[0], 2);
    tgraph_scaler_add(&s, x[0], 0);
    tgraph_scaler_add(&s, x[2], 1);
    tgraph_scaler_end(&s);
    expect_number(s.mean[0], 3, 1e-15);
    expect_number(s.scale[0], sqrt(14.0 / 3), 1e-15); /* biased: (4 + 1 + 9) / 3 */
    expect_number(s.mean[1], 5, 0);
    for (int k = 1; k < TGRAPH_NUMERIC; k++) expect_number(s.scale[k], 1, 0); /* constant columns */
    tgraph_scaler_apply(&s, y, x[0], 2);
    expect_number((double)y[0], -2 / sqrt(14.0 / 3), 1e-7);
    expect_number((double)y[1], 0, 0);
    s = (tgraph_scaler){0};
    tgraph_scaler_end(&s); /* no rows */
    expect_number(s.scale[0], 1, 0);
}

static void permutations_depend_on_seed_and_number(void **state)
{
    enum { N = 50 };
    int32_t a[N], b[N], seen[N] = {0};
    harness_shuffle(a, N, harness_stream(HARNESS_STREAM_PERMUTATION, 1, 0));
    harness_shuffle(b, N, harness_stream(HARNESS_STREAM_PERMUTATION, 1, 0));
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < N; i++) seen[a[i]]++;
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
    harness_shuffle(b, N, harness_stream(HARNESS_STREAM_PERMUTATION, 1, 1));
    assert_memory_not_equal(a, b, sizeof a);
    harness_shuffle(b, N, harness_stream(HARNESS_STREAM_PERMUTATION, 2, 0));
    assert_memory_not_equal(a, b, sizeof a);
    harness_shuffle(a, N, harness_stream(HARNESS_STREAM_EPOCH, 1, 3));
    harness_shuffle(b, N, harness_stream(HARNESS_STREAM_EPOCH, 1, 4));
    assert_memory_not_equal(a, b, sizeof a);
}

static void chunks_are_near_equal(void **state)
{
    const int expected[][2] = {{0, 4}, {4, 3}, {7, 3}}; /* array_split of 10 into 3 */
    assert_int_equal(harness_chunks(10, 4), 3);
    for (int i = 0; i < 3; i++) {
        int first, length;
        harness_chunk(&first, &length, 10, 3, i);
        assert_int_equal(first, expected[i][0]);
        assert_int_equal(length, expected[i][1]);
    }
    assert_int_equal(harness_chunks(8, 4), 2);
    assert_int_equal(harness_chunks(1, 128), 1);
    assert_int_equal(harness_chunks(0, 4), 0);
    assert_int_equal(harness_chunks(INT32_MAX, 1), INT32_MAX);
}

static void draws_are_distinct_and_uniform(void **state)
{
    enum { N = 10, K = 4, TURNS = 20000 };
    int first[N] = {0}, drawn[N] = {0};
    ag_random random = {3, 0, 0};
    for (int turn = 0; turn < TURNS; turn++) {
        int32_t item[N], seen[N] = {0};
        for (int i = 0; i < N; i++) item[i] = i;
        assert_int_equal(harness_draw(item, N, K, &random), K);
        for (int i = 0; i < K; i++) assert_int_equal(seen[item[i]]++, 0);
        for (int i = 0; i < K; i++) drawn[item[i]]++;
        first[item[0]]++;
    }
    for (int i = 0; i < N; i++) {
        expect_share(drawn[i], TURNS, (double)K / N);
        expect_share(first[i], TURNS, 1.0 / N);
    }
    int32_t few[3] = {0, 1, 2};
    assert_int_equal(harness_draw(few, 3, 64, &random), 3);
}

static void ranks_are_dense_and_exact(void **state)
{
    enum { MANY = 1300 };
    /* different by less than a float can represent */
    const int64_t runtime[] = {900000001, 79542200, 900000000, 79542200, 900000002};
    const int32_t expected[] = {2, 0, 1, 0, 3};
    int32_t rank[MANY];
    int64_t many[MANY];
    harness_timed order[MANY];
    harness_ranks(rank, runtime, 5, order);
    assert_memory_equal(rank, expected, sizeof expected);
    for (int i = 0; i < MANY; i++) many[i] = 7 + i * 17 % MANY / 2; /* pairs, in disorder */
    harness_ranks(rank, many, MANY, order);
    for (int i = 0; i < MANY; i++) assert_int_equal(rank[i], many[i] - 7);
    const int64_t hidden[3] = {0};
    harness_ranks(rank, hidden, 3, order);
    assert_int_equal(rank[0] + rank[1] + rank[2], 0);
}

/* A fill that writes the step, sometimes late, and fails at step 40. */
static ag_status fill_step(void *source, int64_t step, void *buffer, ag_failure *why)
{
    if (step % 7 == *(int *)source) usleep(300);
    if (step == 40) return ag_fail(why, AG_EDATA, "step %d cannot be had", (int)step);
    *(int64_t *)buffer = step * step;
    return AG_OK;
}

static void the_loader_delivers_in_order(void **state)
{
    for (int threaded = 0; threaded < 2; threaded++) {
        int64_t a = -1, b = -1;
        int late = 3;
        const harness_batches batches = {5, 1, 0, 1};
        harness_loader *loader = harness_loader_new(fill_step, &late, &a, &b, &batches, threaded);
        for (int64_t step = 5; step < 40; step++) {
            int64_t *got = expect_made(harness_loader_next(loader, new_failure()));
            if (step % 5 == 0) usleep(200); /* the thread must not touch this buffer meanwhile */
            assert_int_equal(*got, step * step);
        }
        expect_null(harness_loader_next(loader, new_failure()), AG_EDATA, "");
        assert_string_equal(last_failure()->sentence, "step 40 cannot be had");
        expect_null(harness_loader_next(loader, new_failure()), AG_EDATA, "");
        harness_loader_free(loader);
    }
}

/* Batches 1 and 2 of the five of each step, from step 6 on. */
static void the_loader_delivers_the_batches_of_its_part(void **state)
{
    static const int64_t number[] = {31, 32, 36, 37};
    const harness_batches part = {6, 5, 1, 3};
    for (int threaded = 0; threaded < 2; threaded++) {
        int64_t a, b;
        int late = 2;
        harness_loader *loader = harness_loader_new(fill_step, &late, &a, &b, &part, threaded);
        for (int i = 0; i < 4; i++) {
            const int64_t *got = expect_made(harness_loader_next(loader, new_failure()));
            assert_int_equal(*got, number[i] * number[i]);
        }
        harness_loader_free(loader);
    }
}

static void the_loader_stops_when_asked(void **state)
{
    for (int taken = 0; taken < 60; taken++) {
        int64_t a, b;
        int late = 0;
        const harness_batches all = {0, 1, 0, 1};
        harness_loader *loader = harness_loader_new(fill_step, &late, &a, &b, &all, true);
        for (int i = 0; i < taken % 4; i++)
            assert_non_null(harness_loader_next(loader, new_failure()));
        harness_loader_free(loader);
    }
    harness_loader_free(NULL);
}

int main(void)
{
    return RUN_TESTS(packing_round_trips, packing_has_the_published_weights,
                     packing_refuses_other_values, pruning_drops_edges_between_neighbours,
                     layouts_are_padded_by_rank, stores_live_in_memory_or_in_a_file,
                     a_store_without_room_is_refused, standardisation_is_that_of_sklearn,
                     permutations_depend_on_seed_and_number, chunks_are_near_equal,
                     draws_are_distinct_and_uniform, ranks_are_dense_and_exact,
                     the_loader_delivers_in_order, the_loader_delivers_the_batches_of_its_part,
                     the_loader_stops_when_asked);
}
