/* SPDX-License-Identifier: MIT */
/* Segments cut in pieces: each row is in one piece, where the join looks for it; and starts that
   are not starts lead to no memory beyond the slots. Means of long segments, in numbers. */
#include "support/test.h"
#include "augur.h"
#include "ops/row_pieces.h"

enum { MOST = 12 };

/* The pieces of segment g, one after the other, are its rows. */
static void check_segment(row_cut t, int64_t g)
{
    const int first = cut_start(t, g), last = cut_start(t, g + 1);
    const int pieces = cut_pieces(t, last - first);
    int at = first;
    for (int k = 0; k < pieces; k++) {
        const row_piece p = piece_of(t, cut_slot(t, g) + k);
        assert_int_equal(p.first, first);
        assert_int_equal(p.lo, at);
        assert_in_range(p.hi - p.lo, 1, t.piece);
        assert_true(p.hi == last || p.hi - p.lo == t.piece);
        at = p.hi;
    }
    assert_int_equal(at, last);
    for (int64_t slot = cut_slot(t, g) + pieces; slot < cut_slot(t, g + 1); slot++) {
        const row_piece p = piece_of(t, slot);
        assert_true(p.lo == p.hi);
    }
}

static void check(const int32_t *starts, int segments, int rows, int ends)
{
    const row_cut t = cut_of(starts, segments, rows, ends);
    int64_t filled = 0, wanted = 0;
    assert_in_range(t.rows / t.piece, 0, PIECE_MOST);
    for (int64_t g = 0; g < segments; g++) {
        check_segment(t, g);
        wanted += cut_pieces(t, cut_start(t, g + 1) - cut_start(t, g));
    }
    for (int64_t slot = 0; slot < cut_slots(t); slot++) {
        const row_piece p = piece_of(t, slot);
        filled += p.lo < p.hi;
    }
    assert_int_equal(filled, wanted);
}

static void test_borders(void **state)
{
    static const int32_t starts[][6] = {
        {0, 1, 129, 129, 700, 828},   {0, 0, 0, 0, 0, 0},         {0, 0, 0, 256, 256, 256},
        {0, 127, 255, 256, 384, 512}, {3, 3, 131, 132, 260, 261}, {0, 128, 256, 384, 512, 641},
    };
    for (int i = 0; i < 6; i++) check(starts[i], 5, starts[i][5], 0);
    for (int i = 0; i < 6; i++) check(starts[i], 5, starts[i][5] + 200, 0);
    for (int i = 0; i < 6; i++) check(starts[i], 5, starts[i][5] + 200, 1);
    for (int rows = 0; rows < 4; rows++) check(NULL, 1, rows, 1);
    for (int rows = 126; rows < 260; rows++) check(NULL, 1, rows, 1);
}

/* Of many rows the pieces are longer, so that a join has an end. */
static void test_many_rows(void **state)
{
    static const int rows[] = {262143, 262144, 262272, 300001, 100000000, INT32_MAX};
    for (int i = 0; i < 6; i++) {
        check(NULL, 1, rows[i], 1);
        check((const int32_t[]){0, 5, rows[i] / 3, rows[i]}, 3, rows[i], 1);
    }
}

static void test_random_starts(void **state)
{
    ag_random r = {3, 9, 0};
    for (int round = 0; round < 300; round++) {
        int32_t starts[MOST + 1] = {0};
        const int segments = 1 + (int)ag_random_below(&r, MOST);
        for (int g = 1; g <= segments; g++)
            starts[g] = starts[g - 1] + (int32_t)ag_random_below(&r, round % 3 ? 400 : 40);
        check(starts, segments, starts[segments], round & 1);
    }
}

static void test_wild_starts(void **state)
{
    ag_random r = {4, 9, 0};
    for (int round = 0; round < 300; round++) {
        int32_t starts[MOST + 1];
        const int segments = 1 + (int)ag_random_below(&r, MOST), rows = 700;
        for (int g = 0; g <= segments; g++) starts[g] = (int32_t)ag_random_below(&r, 1200) - 200;
        if (round % 5 == 0) starts[segments / 2] = round & 1 ? INT32_MAX : INT32_MIN;
        const row_cut t = cut_of(starts, segments, rows, round & 1);
        for (int64_t g = 0; g < segments; g++)
            assert_in_range(cut_slot(t, g) + cut_pieces(t, cut_start(t, g + 1) - cut_start(t, g)),
                            0, cut_slots(t));
        for (int64_t slot = 0; slot < cut_slots(t); slot++) {
            const row_piece p = piece_of(t, slot);
            assert_true(0 <= p.lo && p.lo <= p.hi && p.hi <= rows && p.first <= rows);
        }
        for (int v = 0; t.ends && v < rows; v++) {
            const int64_t g = cut_segment(t, v);
            assert_true(cut_start(t, g) <= v && v < cut_start(t, g + 1));
        }
    }
}

/* Of the mean of row numbers, which is halfway between the first and the last. */
static void expect_means(ag_tape *tape, ag_params *params, const int32_t *starts)
{
    ag_tape_reset(tape);
    ag_params_reset(params);
    ag_tensor *x = ag_parameter(tape, params->list[0]);
    ag_tensor *segments = ag_input_i32(tape, starts, AG_SHAPE(MOST + 1));
    ag_tensor *mean = ag_segment_mean(x, segments);
    ag_backward(ag_sum_all(ag_keep(mean)));
    assert_string_equal(ag_error(tape), "");
    for (int g = 0; g < MOST; g++) {
        const int rows = starts[g + 1] - starts[g];
        const float want = rows ? (float)(starts[g] + starts[g + 1] - 1) / 2 : 0;
        if (fabsf(ag_values(mean)[g] - want) > 1e-6f * want)
            fail_msg("mean of %d rows: %.8g instead of %.8g", rows, (double)ag_values(mean)[g],
                     (double)want);
        for (int v = starts[g]; v < starts[g + 1]; v++)
            assert_true(fabsf(params->list[0]->gradient[v] * (float)rows - 1) < 1e-6f);
    }
}

static void test_means(void **state)
{
    static const int32_t starts[MOST + 1] = {0,    1,    3,    3,    130,  258, 387,
                                             1087, 1788, 2688, 3688, 3788, 5000};
    ag_params *params = ag_params_new();
    ag_param *x = ag_params_add(params, "x", AG_SHAPE(5000, 1), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int v = 0; v < 5000; v++) x->value[v] = (float)v;
    expect_means(tape, params, starts);
    ag_tape_free(tape);
    ag_params_free(params);
}

int main(void)
{
    return RUN_TESTS(test_borders, test_many_rows, test_random_starts, test_wild_starts,
                     test_means);
}
