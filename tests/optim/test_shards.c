/* SPDX-License-Identifier: MIT */
/* Means of the gradients of shards. */
#include "core/internal.h"
#include "optim/optim.h"
#include "support/device.h"
#include "support/test.h"

#include <pthread.h>

enum { N = 40001, MOST = 23 }; /* more than the library's threads take at a time */

static float gradient[MOST][N];

static int fill(void **state)
{
    for (int i = 0; i < MOST; i++) fill_numbers(gradient[i], N, (uint32_t)i + 1);
    return 0;
}

static ag_params *block(void)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(N), ag_init_constant(0.5), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    assert_int_equal(ag_params_to(params, test_device(), NULL), AG_OK);
    return params;
}

/* As after a backward of shard i. */
static void give(ag_params *params, int i)
{
    ag_params_to(params, AG_CPU, NULL);
    for (int k = 0; k < N; k++) params->gradient[k] = (ag_real)gradient[i][k];
    params->state = AG_READY;
    ag_params_to(params, test_device(), NULL);
}

static void add(ag_shards *sum, ag_params *params, int i)
{
    give(params, i);
    expect_ok(ag_shards_add(sum, new_failure()));
    assert_int_equal(params->state, AG_EMPTY);
}

/* The tree by its definition: the left part is the largest power of two below the number. */
static ag_real tree(int first, int count, int k)
{
    int left = 1;
    if (count == 1) return (ag_real)gradient[first][k];
    while (left * 2 < count) left *= 2;
    return tree(first, left, k) + tree(first + left, count - left, k);
}

static void the_tree_decides(void **state)
{
    for (int shards = 2; shards <= MOST; shards++) {
        ag_params *params = block();
        ag_shards *sum = expect_made(ag_shards_new(params, shards, NULL, new_failure()));
        for (int step = 0; step < 2; step++) { /* the second one takes the memory of the first */
            for (int i = 0; i < shards; i++) add(sum, params, i);
            expect_ok(ag_shards_mean(sum, new_failure()));
            assert_int_equal(params->state, AG_READY);
            expect_ok(ag_params_fetch(params, new_failure()));
            for (int k = 0; k < N; k += 7) {
                const ag_real want = tree(0, shards, k) / (ag_real)shards;
                if (params->gradient[k] != want)
                    fail_msg("%d shards, element %d: %.9g, not %.9g", shards, k,
                             (double)params->gradient[k], (double)want);
            }
            ag_params_reset(params);
        }
        ag_shards_free(sum);
        ag_params_free(params);
    }
}

/* ---- ranks, which are threads here ---- */

typedef struct room {
    pthread_barrier_t barrier;
    const ag_ranks_part *sent[MOST];
} room;

typedef struct thread_rank {
    ag_ranks ranks;
    room *room;
    int64_t shards;
    int wrong;
} thread_rank;

static ag_status exchange(ag_ranks *ranks, const ag_ranks_part *send, const ag_ranks_part *receive,
                          const char *what, ag_failure *why)
{
    thread_rank *t = (thread_rank *)ranks;
    t->room->sent[ranks->rank] = send;
    pthread_barrier_wait(&t->room->barrier);
    for (int r = 0; r < ranks->count; r++) {
        const ag_ranks_part *from = &t->room->sent[r][ranks->rank];
        if (r == ranks->rank) continue;
        if (from->bytes != receive[r].bytes)
            t->wrong++;
        else
            memcpy(receive[r].at, from->at, from->bytes);
    }
    pthread_barrier_wait(&t->room->barrier);
    return AG_OK;
}

/* Two steps of a rank, each compared with the tree. */
static void *train(void *context)
{
    thread_rank *t = context;
    ag_params *params = block();
    ag_shards *sum = ag_shards_new(params, t->shards, &t->ranks, NULL);
    int64_t first, end;
    ag_shards_part(&first, &end, sum);
    for (int step = 0; step < 2; step++) {
        for (int64_t i = first; i < end; i++) {
            give(params, (int)i);
            t->wrong += ag_shards_add(sum, NULL) != AG_OK;
        }
        t->wrong += ag_shards_mean(sum, NULL) != AG_OK;
        for (int k = 0; k < N; k += 7)
            t->wrong += params->gradient[k] != tree(0, (int)t->shards, k) / (ag_real)t->shards;
    }
    ag_shards_free(sum);
    ag_params_free(params);
    return NULL;
}

static void the_number_of_ranks_does_not(void **state)
{
    if (test_device() != AG_CPU) skip(); /* threads have one device */
    for (int count = 2; count <= 5; count++)
        for (int shards = count; shards <= MOST; shards += 3) {
            room together;
            thread_rank rank[5];
            pthread_t thread[5];
            pthread_barrier_init(&together.barrier, NULL, (unsigned)count);
            for (int r = 0; r < count; r++) {
                rank[r] =
                    (thread_rank){{.rank = r, .count = count, .patience = 1, .exchange = exchange},
                                  &together,
                                  shards,
                                  0};
                assert_int_equal(pthread_create(&thread[r], NULL, train, &rank[r]), 0);
            }
            for (int r = 0; r < count; r++) {
                pthread_join(thread[r], NULL);
                if (rank[r].wrong)
                    fail_msg("rank %d of %d, %d shards: %d wrong", r, count, shards, rank[r].wrong);
            }
            pthread_barrier_destroy(&together.barrier);
        }
}

static void fewer_shards_than_ranks(void **state)
{
    ag_params *params = block();
    ag_ranks three = {.count = 3, .exchange = exchange};
    expect_null(ag_shards_new(params, 2, &three, new_failure()), AG_EUSE,
                "at least one for each of the 3 ranks");
    ag_params_free(params);
}

static void one_shard_stays_where_it_is(void **state)
{
    ag_params *params = block();
    ag_shards *sum = expect_made(ag_shards_new(params, 1, NULL, new_failure()));
    give(params, 0);
    ag__fail_allocation(1, 1);
    expect_ok(ag_shards_add(sum, new_failure()));
    expect_ok(ag_shards_mean(sum, new_failure()));
    ag__fail_allocation(0, 0);
    assert_int_equal(params->state, AG_READY);
    expect_ok(ag_params_fetch(params, new_failure()));
    for (int k = 0; k < N; k++) assert_true(params->gradient[k] == (ag_real)gradient[0][k]);
    ag_shards_free(sum);
    ag_params_free(params);
}

/* A shard that was clipped counts as it is after that. */
static void clipped_shards(void **state)
{
    ag_params *params = block();
    ag_shards *sum = expect_made(ag_shards_new(params, 2, NULL, new_failure()));
    for (int i = 0; i < 2; i++) {
        give(params, 0);
        expect_ok(ag_clip_norm(params, 1, NULL, new_failure()));
        expect_ok(ag_shards_add(sum, new_failure()));
    }
    double norm;
    expect_ok(ag_shards_mean(sum, new_failure()));
    expect_ok(ag_clip_norm(params, 9, &norm, new_failure()));
    expect_number(norm, 1, 1e-5);
    ag_shards_free(sum);
    ag_params_free(params);
}

static void mistakes(void **state)
{
    ag_params *unbuilt = ag_params_new(), *params = block();
    expect_null(ag_shards_new(unbuilt, 2, NULL, new_failure()), AG_EUSE,
                "ag_shards_new: the parameters are not built");
    for (int i = 0; i < 2; i++)
        expect_null(ag_shards_new(params, i ? ((int64_t)1 << 40) + 1 : 0, NULL, new_failure()),
                    AG_EUSE, "they must be in 1..2^40");
    ag_shards *sum = ag_shards_new(params, 2, NULL, new_failure());
    expect_status(ag_shards_add(sum, new_failure()), AG_EUSE,
                  "ag_shards_add: the parameters hold no gradients");
    add(sum, params, 0);
    expect_status(ag_shards_mean(sum, new_failure()), AG_EUSE,
                  "ag_shards_mean: 1 of 2 shards have been added");
    add(sum, params, 1);
    give(params, 2);
    expect_status(ag_shards_add(sum, new_failure()), AG_EUSE,
                  "all 2 shards have been added; call ag_shards_mean");
    ag_shards_reset(sum);
    expect_status(ag_shards_mean(sum, new_failure()), AG_EUSE, "0 of 2 shards");
    assert_int_equal(ag_shards_add(NULL, NULL), AG_EUSE);
    assert_int_equal(ag_shards_mean(NULL, NULL), AG_EUSE);
    ag_shards_free(sum);
    ag_params_free(params);
    ag_params_free(unbuilt);
}

static void no_memory(void **state)
{
    if (test_device() != AG_CPU) skip(); /* its memory is not what the hook counts */
    ag_params *params = block();
    ag__fail_allocation(1, 0);
    expect_null(ag_shards_new(params, 3, NULL, new_failure()), AG_EMEMORY,
                "ag_shards_new: there is no memory");
    ag_shards *sum = expect_made(ag_shards_new(params, 3, NULL, new_failure()));
    give(params, 0);
    ag__fail_allocation(1, 0);
    expect_status(ag_shards_add(sum, new_failure()), AG_EMEMORY,
                  "a copy of the gradients; take fewer shards");
    assert_int_equal(params->state, AG_READY); /* nothing has changed */
    for (int i = 0; i < 3; i++) add(sum, params, i);
    expect_ok(ag_shards_mean(sum, new_failure()));
    ag_shards_free(sum);
    ag_params_free(params);
}

int main(void)
{
    return RUN_TESTS_WITH(fill, NULL, the_tree_decides, the_number_of_ranks_does_not,
                          fewer_shards_than_ranks, one_shard_stays_where_it_is, clipped_shards,
                          mistakes, no_memory);
}
