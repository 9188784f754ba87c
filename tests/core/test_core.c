/* SPDX-License-Identifier: MIT */
/* Arenas, random numbers, threads, sorting, failures and shapes. */
#include "core/internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/shape.h"
#include "core/sort.h"
#include "core/threads.h"
#include "support/test.h"

#include <unistd.h>

/* ---- arena ---- */

static void arena_blocks_are_aligned_and_apart(void **state)
{
    ag_arena *arena = ag_arena_new();
    unsigned char *block[200];
    for (int i = 0; i < 200; i++) {
        block[i] = ag_arena_take(arena, (size_t)i * 37);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        memset(block[i], i, (size_t)i * 37);
    }
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < i * 37; j++) assert_int_equal(block[i][j], i);
    assert_ptr_not_equal(block[0], block[1]);
    assert_true(ag_arena_intact(arena));
    ag_arena_free(arena);
}

static void arena_reset_keeps_its_slabs(void **state)
{
    ag_arena *arena = ag_arena_new();
    void *first[2] = {0};
    size_t bytes[2] = {0};
    long allocations = 0;
    for (int round = 0; round < 2; round++) {
        first[round] = ag_arena_take(arena, 100);
        for (int i = 0; i < 60; i++) assert_non_null(ag_arena_take(arena, 50000));
        assert_non_null(ag_arena_take(arena, 5 << 20));
        bytes[round] = ag_arena_bytes(arena);
        if (round == 1) assert_int_equal(ag__allocations(), allocations);
        allocations = ag__allocations();
        ag_arena_reset(arena);
    }
    assert_ptr_equal(first[0], first[1]);
    assert_int_equal(bytes[0], bytes[1]);
    assert_true(bytes[0] >= 60 * 50000 + (5 << 20));
    assert_true(bytes[0] < 32 << 20);
    ag_arena_free(arena);
}

static void arena_reset_frees_slabs_that_were_too_small(void **state)
{
    enum { LARGE = 64 << 20, MORE = 2 << 20 };
    ag_arena *arena = ag_arena_new();
    for (size_t bytes = LARGE; bytes < 2 * LARGE; bytes += MORE) {
        assert_non_null(ag_arena_take(arena, bytes));
        ag_arena_reset(arena);
        assert_non_null(ag_arena_take(arena, 1));
        assert_true(ag_arena_intact(arena));
        ag_arena_reset(arena);
        assert_true(ag_arena_bytes(arena) < bytes + 2 * MORE);
    }
    ag_arena_free(arena);
}

static void arena_slabs_double(void **state)
{
    ag_arena *arena = ag_arena_new();
    assert_int_equal(ag_arena_bytes(arena), 0);
    ag_arena_take(arena, 1);
    assert_int_equal(ag_arena_bytes(arena), 64 << 10);
    ag_arena_take(arena, 60000);
    ag_arena_take(arena, 60000);
    assert_int_equal(ag_arena_bytes(arena), (64 << 10) + (128 << 10));
    ag_arena_free(arena);
}

static void arena_without_memory_says_so_and_stays_usable(void **state)
{
    ag__fail_allocation(1, 0);
    assert_null(ag_arena_new());
    ag_arena *arena = ag_arena_new();
    ag__fail_allocation(1, 1);
    assert_null(ag_arena_take(arena, 10));
    ag__fail_allocation(0, 0);
    assert_non_null(ag_arena_take(arena, 10));
    assert_null(ag_arena_take(arena, SIZE_MAX));
    assert_null(ag_arena_take(arena, SIZE_MAX - 100));
    assert_null(ag_arena_take(arena, SIZE_MAX / 2));
    assert_non_null(ag_arena_take(arena, 10));
    ag_arena_free(arena);
}

static void arena_guards_see_a_byte_past_the_end(void **state)
{
#ifdef NDEBUG
    skip();
#else
    for (size_t bytes = 0; bytes < 130; bytes += 13) {
        ag_arena *arena = ag_arena_new();
        ag_arena_take(arena, 5);
        char *block = ag_arena_take(arena, bytes);
        ag_arena_take(arena, 5);
        assert_true(ag_arena_intact(arena));
        char kept = block[bytes];
        block[bytes] = 0;
        assert_false(ag_arena_intact(arena));
        block[bytes] = kept;
        assert_true(ag_arena_intact(arena));
        kept = block[-1];
        block[-1] = 0;
        assert_false(ag_arena_intact(arena));
        block[-1] = kept;
        memset(block - 64, 0xFF, sizeof(size_t)); /* a ruined size is found, not followed */
        assert_false(ag_arena_intact(arena));
        ag_arena_free(arena);
    }
#endif
}

/* ---- random numbers ---- */

/* The vectors of Random123's kat_vectors for philox4x32 with 10 rounds. */
static void philox_gives_the_published_words(void **state)
{
    static const uint32_t vectors[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        ag_philox(out, vectors[i], vectors[i] + 4);
        assert_memory_equal(out, vectors[i] + 6, sizeof out);
    }
}

/* Distinct words everywhere: counter = (block, stream), key = seed, all low word first. */
static void random_stream_is_laid_out_as_documented(void **state)
{
    ag_random r = {0x299f31d0a4093822, 0x0370734413198a2e, 0};
    const uint64_t block =
        0x85a308d3243f6a88; /* 4 * block does not fit: reach it from a small one */
    r.position = (block & 0x3fffffffffffffff) * 4;
    uint32_t counter[4] = {0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344};
    uint32_t key[2] = {0xa4093822, 0x299f31d0}, out[4];
    ag_philox(out, counter, key);
    for (int i = 0; i < 4; i++) assert_int_equal(ag_random_bits(&r), out[i]);
    counter[0]++;
    ag_philox(out, counter, key);
    ag_random copy = r;
    assert_int_equal(ag_random_bits(&r), out[0]);
    assert_int_equal(ag_random_bits(&copy), out[0]);
    ag_random zero = {0, 0, 3};
    assert_int_equal(ag_random_bits(&zero), 0x9b00dbd8);
}

static void uniform_and_normal_have_their_moments(void **state)
{
    enum { N = 100000 };
    ag_random r = {42, 7, 0};
    double u1 = 0, u2 = 0, n1 = 0, n2 = 0, n4 = 0;
    for (int i = 0; i < N; i++) {
        double u = ag_random_uniform(&r), n = ag_random_normal(&r);
        assert_true(u > 0 && u < 1 && isfinite(n));
        u1 += u / N;
        u2 += u * u / N;
        n1 += n / N;
        n2 += n * n / N;
        n4 += n * n * n * n / N;
    }
    assert_true(fabs(u1 - 0.5) < 0.005 && fabs(u2 - 1.0 / 3) < 0.005);
    assert_true(fabs(n1) < 0.015 && fabs(n2 - 1) < 0.025 && fabs(n4 - 3) < 0.15);
    assert_int_equal(r.position, 3 * N);
}

static void below_is_in_range_and_without_bias(void **state)
{
    ag_random r = {1, 2, 3};
    int counts[6] = {0}, upper = 0;
    for (int i = 0; i < 60000; i++) counts[ag_random_below(&r, 6)]++;
    for (int i = 0; i < 6; i++) assert_in_range(counts[i], 9600, 10400);
    assert_int_equal(ag_random_below(&r, 0), 0);
    assert_int_equal(ag_random_below(&r, 1), 0);
    /* With n = 3/4 of 2^32 a plain remainder would give the lower third twice as often. */
    for (int i = 0; i < 30000; i++) upper += ag_random_below(&r, 0xC0000000u) >= 0x40000000u;
    assert_in_range(upper, 19600, 20400);
}

static void shuffle_permutes_evenly(void **state)
{
    ag_random r = {9, 0, 0};
    int counts[24] = {0};
    for (int i = 0; i < 24000; i++) {
        int32_t p[4] = {0, 1, 2, 3};
        ag_random_shuffle(&r, p, 4);
        assert_int_equal(1 << p[0] | 1 << p[1] | 1 << p[2] | 1 << p[3], 15);
        int rank1 = p[1] - (p[1] > p[0]), rank2 = p[2] - (p[2] > p[0]) - (p[2] > p[1]);
        counts[p[0] * 6 + rank1 * 2 + rank2]++;
    }
    for (int i = 0; i < 24; i++) assert_in_range(counts[i], 850, 1150);
}

/* ---- threads and sorting ---- */

static void threads_are_what_was_asked_for(void **state)
{
    assert_true(ag_threads() >= 1);
    ag_set_threads(1);
    assert_int_equal(ag_threads(), 1);
    ag_set_threads(3);
    assert_int_equal(ag_threads(), 3);
    ag_set_threads(INT_MAX); /* as many as are of use */
    assert_in_range(ag_threads(), 4, 1024);
    ag_set_threads(0);
    assert_in_range(ag_threads(), 1, 1024);
}

enum { SORTED = 20000 };

typedef struct pair {
    uint64_t key;
    int32_t value;
} pair;

static int by_key_then_value(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Values are the first positions, so a stable sort orders by (key, value). */
static void check_sort(uint64_t mask, int n)
{
    ag_random r = {mask, (uint64_t)n, 0};
    static pair pairs[SORTED];
    static uint64_t keys[SORTED], alone[SORTED];
    static int32_t values[SORTED];
    for (int i = 0; i < n; i++) {
        uint64_t high = ag_random_bits(&r);
        alone[i] = keys[i] = (high << 32 | ag_random_bits(&r)) & mask;
        values[i] = i;
        pairs[i] = (pair){keys[i], i};
    }
    qsort(pairs, (size_t)n, sizeof *pairs, by_key_then_value);
    assert_int_equal(ag_sort_u64(keys, values, n, NULL), AG_OK);
    assert_int_equal(ag_sort_u64(alone, NULL, n, NULL), AG_OK);
    for (int i = 0; i < n; i++) {
        assert_true(keys[i] == pairs[i].key && alone[i] == pairs[i].key);
        assert_int_equal(values[i], pairs[i].value);
    }
}

static void sort_is_ascending_and_stable(void **state)
{
    static const uint64_t masks[] = {0,          7,          0xFF,          0xFF00,    0x3FF,
                                     0xFFFFFFFF, UINT64_MAX, 0xFF000000FF0, 1ULL << 63};
    static const int sizes[] = {0, 1, 2, 31, 1025, SORTED};
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check_sort(masks[m], sizes[s]);
}

static void sort_reports_what_it_cannot_do(void **state)
{
    uint64_t keys[3] = {3, 1, 2};
    int32_t values[3] = {0, 1, 2};
    for (int nth = 1; nth <= 2; nth++) {
        ag__fail_allocation(nth, 0);
        expect_status(ag_sort_u64(keys, values, 3, new_failure()), AG_EMEMORY, "3 keys");
        assert_true(keys[0] == 3 && values[2] == 2);
    }
    ag__fail_allocation(0, 0);
    expect_status(ag_sort_u64(keys, values, -1, new_failure()), AG_EUSE, "-1");
}

/* ---- errors and shapes ---- */

static void the_first_failure_wins(void **state)
{
    ag_failure why = {0};
    assert_int_equal(ag_fail(&why, AG_EINDEX, "row %d", 7), AG_EINDEX);
    assert_int_equal(ag_fail(&why, AG_EFILE, "later"), AG_EFILE);
    assert_int_equal(why.status, AG_EINDEX);
    assert_string_equal(why.sentence, "row 7");
    char much[1000];
    memset(much, 'x', sizeof much - 1);
    much[sizeof much - 1] = 0;
    ag_failure longer = {0};
    ag_fail(&longer, AG_EUSE, "%s", much);
    assert_int_equal(strlen(longer.sentence), sizeof longer.sentence - 1);
}

static void a_report_is_for_the_end_of_main(void **state)
{
    const ag_failure none = {0};
    ag_failure why = {0};
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    ag_fail(&why, AG_EDATA, "row %d is empty", 7);
    dup2(fileno(file), STDERR_FILENO);
    const int of_none = ag_report(&none), of_null = ag_report(NULL), of_why = ag_report(&why);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_string_equal(text_of(file), "row 7 is empty\n");
    assert_int_equal(of_none + of_null, 0);
    assert_int_equal(of_why, 1);
}

static void shapes_count_and_compare(void **state)
{
    char text[64];
    assert_int_equal(ag_shape_count(AG_SCALAR), 1);
    assert_int_equal(ag_shape_count(AG_SHAPE(3, 5)), 15);
    assert_int_equal(ag_shape_count(AG_SHAPE(3, 0, INT_MAX)), 0);
    assert_int_equal(ag_shape_count(AG_SHAPE(INT_MAX, INT_MAX, 1, 1)), -1);
    assert_int_equal(ag_shape_count(AG_SHAPE(2, -3)), -1);
    assert_int_equal(ag_shape_count((ag_shape){.rank = 5}), -1);
    assert_true(ag_shape_equal(AG_SHAPE(2, 3), AG_SHAPE(2, 3)));
    assert_false(ag_shape_equal(AG_SHAPE(2, 3), AG_SHAPE(3, 2)));
    assert_false(ag_shape_equal(AG_SHAPE(2, 3), AG_SHAPE(2, 3, 1)));
    assert_string_equal(ag_shape_text(text, AG_SHAPE(2, 3, 4, 5)), "[2,3,4,5]");
    assert_string_equal(ag_shape_text(text, AG_SCALAR), "[]");
    assert_string_equal(
        ag_shape_text(text, AG_SHAPE(INT_MIN + 1, INT_MIN + 1, INT_MIN + 1, INT_MIN + 1)),
        "[-2147483647,-2147483647,-2147483647,-2147483647]");
}

int main(void)
{
    return RUN_TESTS(arena_blocks_are_aligned_and_apart, arena_reset_keeps_its_slabs,
                     arena_reset_frees_slabs_that_were_too_small, arena_slabs_double,
                     arena_without_memory_says_so_and_stays_usable,
                     arena_guards_see_a_byte_past_the_end, philox_gives_the_published_words,
                     random_stream_is_laid_out_as_documented, uniform_and_normal_have_their_moments,
                     below_is_in_range_and_without_bias, shuffle_permutes_evenly,
                     threads_are_what_was_asked_for, sort_is_ascending_and_stable,
                     sort_reports_what_it_cannot_do, the_first_failure_wins,
                     a_report_is_for_the_end_of_main, shapes_count_and_compare);
}
