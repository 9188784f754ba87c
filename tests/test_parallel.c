/* SPDX-License-Identifier: MIT */
/* Blocks on threads: each runs once, on a thread of the range; alone, a block has one thread for
   products of its own, and leaves the number of threads as it was. */
#include "core/parallel.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#ifdef _OPENMP
# include <omp.h>
#endif

enum { MOST = 100 };

typedef struct seen {
    int times[MOST], thread[MOST], nested[MOST];
} seen;

static void mark(void *context, int64_t block, int thread)
{
    seen *s = context;
    s->times[block]++;
    s->thread[block] = thread;
}

static void test_each_once(void **state)
{
    static const int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, MOST};
    (void)state;
    for (int threads = 1; threads <= 3; threads++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            seen s = {0};
            ag_set_threads(threads);
            ag__parallel(counts[i], mark, &s);
            for (int k = 0; k < MOST; k++) {
                assert_int_equal(s.times[k], k < counts[i]);
                assert_in_range(s.thread[k], 0, threads - 1);
            }
        }
}

/* Few blocks are dealt out in order: the same thread gets the same ones each time. */
static void test_few_stay(void **state)
{
    seen first = {0};
    (void)state;
    ag_set_threads(2);
    ag__parallel(4, mark, &first);
    for (int round = 0; round < 20; round++) {
        seen again = {0};
        ag__parallel(4, mark, &again);
        assert_memory_equal(again.thread, first.thread, sizeof again.thread);
    }
}

static void mark_inside(void *context, int64_t block, int thread)
{
    seen *s = context;
    (void)thread;
    s->nested[block]++;
}

static void call_inside(void *context, int64_t block, int thread)
{
    mark(context, block, thread);
    if (block == 0) ag__parallel(MOST, mark_inside, context);
}

static void test_within_a_block(void **state)
{
    (void)state;
    for (int blocks = 1; blocks <= 9; blocks += 4) {
        seen s = {0};
        ag_set_threads(2);
        ag__parallel(blocks, call_inside, &s);
        for (int k = 0; k < MOST; k++) {
            assert_int_equal(s.times[k], k < blocks);
            assert_int_equal(s.nested[k], 1);
        }
    }
}

#ifdef _OPENMP
static void threads_inside(void *context, int64_t block, int thread)
{
    (void)block;
    (void)thread;
    *(int *)context = omp_get_max_threads();
}

static void test_number_of_threads(void **state)
{
    (void)state;
    omp_set_num_threads(3);
    for (int threads = 1; threads <= 2; threads++)
        for (int blocks = 1; blocks <= 2; blocks++) {
            int inside = 0;
            ag_set_threads(threads);
            const int before = omp_get_max_threads();
            ag__parallel(threads == 1 ? blocks : 1, threads_inside, &inside);
            assert_int_equal(inside, 1);
            assert_int_equal(omp_get_max_threads(), before);
        }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_few_stay),
        cmocka_unit_test(test_within_a_block),
#ifdef _OPENMP
        cmocka_unit_test(test_number_of_threads),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
