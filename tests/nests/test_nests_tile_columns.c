/* SPDX-License-Identifier: MIT */
/* The nests of single ops and their columns: which loops run, in which order through memory, and
   what they are guessed to cost. */
#include "support/test.h"
#include "examples/lab/program/program.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tune/tune.h"
#include "support/tpu_lab.h"

/* Columns by their places, in the order of docs/nests.md. */
enum { OP, ROW_IN_0 = 24, STRAIGHT = 40, INPUTS, DEPTH, NEXT_N, NEXT_OUT, NEXT_IN_0, NEXT_IN_1 };
enum { LEFT_OF_4 = NEXT_IN_1 + 1, LEFT_OF_32, ALL, CALLS, TOUCHED, KERNEL, HALVINGS_0, HALVINGS_1 };
enum { ROW_IN_2 = HALVINGS_1 + 1, REDUCER };
enum { ADD = 2, MAXIMUM = 57 };

static nests_rows nests;

static float whole[TPUGRAPHS_TILE_FEATURES];

/* The nests of a kernel in tiles, after those that are there. */
static void plan_kernel(const tpu_kernel *k, float *tile)
{
    tpu_kernel tiled = *k;
    tiled.tile = tile;
    nests_tile_rows_add(&nests, &tiled, NULL, 1);
}

static const float *column(int i) { return nests.x + i * NESTS_TILE_COLUMNS; }

static void plan_tiled(lab_program *p, float *tile)
{
    tpu_kernel k;
    assert_int_equal(p->why.status, AG_OK);
    tpu_lab_kernel(&k, p);
    nests.items = 0;
    plan_kernel(&k, tile);
    tpu_kernel_free(&k);
    lab_program_clear(p);
    for (int i = 0; i < nests.rows; i++)
        for (int c = 0; c < NESTS_TILE_COLUMNS; c++) assert_true(isfinite(column(i)[c]));
}

static void plan(lab_program *p) { plan_tiled(p, whole); }

static int parameter(lab_program *p, int rows, int columns)
{
    return lab_parameter(p, LAB_F32, 2, (int[]){rows, columns});
}

/* Column c of nest i, without the logarithm. */
static double value(int i, int c)
{
    const double x = (double)column(i)[c];
    return copysign(exp2(fabs(x)) - 1, x);
}

static int is(double a, double b) { return fabs(a - b) <= 1e-3 * (1 + fabs(b)); }

/* Whether nest i computes so many elements or products. */
static int computes(int i, double elements)
{
    return fabs(value(i, ALL) - elements) <= 1e-5 * elements;
}

/* Whether all nests of a kind together do. */
static int compute(nests_tile_kind kind, double elements)
{
    double all = 0;
    for (int i = 0; i < nests.rows; i++)
        if (nests.word[i] == (int)kind) all += value(i, ALL);
    return fabs(all - elements) <= 1e-5 * elements;
}

/* ---- which nests ---- */

/* exp of x[48,64], times w[64,40], plus a row. Tiles of 16 x 20 compute exp twice, once for each
   half of the columns; both operands of the product are used often, but w alone lies outside and is
   copied. */
static void work_is_counted(void **state)
{
    float tile[TPUGRAPHS_TILE_FEATURES] = {[0] = 32, [8] = 16, [9] = 20};
    lab_program p = {0};
    const int x = parameter(&p, 48, 64), w = parameter(&p, 64, 40);
    const int row = lab_parameter(&p, LAB_F32, 1, (int[]){40});
    const int y = lab_dot(&p, lab_unary(&p, LAB_EXPONENTIAL, x), w, (lab_dot_dims){0, 1, 0});
    lab_binary(&p, LAB_ADD, y, lab_broadcast(&p, row, (int[]){1}, 2, (int[]){48, 40}));
    plan_tiled(&p, tile);
    assert_int_equal(nests.rows, 4);
    assert_true(compute(NESTS_TILE_PRODUCTS, 48 * 64 * 40));
    assert_true(compute(NESTS_TILE_SPECIAL, 2 * 48 * 64));
    assert_true(compute(NESTS_TILE_ARITHMETIC, 48 * 40));
    assert_true(compute(NESTS_TILE_MOVES, 3 * 64 * 40));
    /* Of rows of 20, full vectors of 8 and of 16 leave 4 over; of sums of 32 nothing. */
    for (int i = 0; i < nests.rows; i++)
        if (nests.word[i] == NESTS_TILE_PRODUCTS)
            assert_memory_equal(column(i) + 20, ((float[]){0.2F, 0, 0.2F, 0}), 16);
}

/* A padded convolution fills a box with zeros and copies its input into it. */
static void borders_are_copied(void **state)
{
    lab_program p = {0};
    const lab_window around = {3, 1, 1, 1, 1, 1, 0};
    const lab_conv_dims dims = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}, 1};
    const int x = lab_parameter(&p, LAB_F32, 4, (int[]){2, 8, 8, 4});
    const int w = lab_parameter(&p, LAB_F32, 4, (int[]){3, 3, 4, 16});
    lab_convolution(&p, x, w, dims, (lab_window[]){around, around});
    plan(&p);
    assert_true(compute(NESTS_TILE_FILL, 2 * 10 * 10 * 4));
    assert_true(compute(NESTS_TILE_PRODUCTS, 2 * 8 * 8 * 16 * 9 * 4));
}

static int part(lab_program *p, int x, int from)
{
    return lab_slice(p, x, (int[]){0, from}, (int[]){8, from + 16}, (int[]){1, 1});
}

/* Both ends of the product are read, so all of it is computed. */
static void slices_are_joined(void **state)
{
    lab_program p = {0};
    const int x = parameter(&p, 8, 32), w = parameter(&p, 32, 48);
    const int y = lab_dot(&p, x, w, (lab_dot_dims){0, 1, 0});
    const int left = part(&p, y, 0), right = part(&p, y, 32);
    lab_binary(&p, LAB_ADD, left, right);
    plan(&p);
    assert_true(compute(NESTS_TILE_PRODUCTS, 8 * 32 * 48));
}

/* A slice along the third axis: of its start the file has only the sum; seen through a reshape
   that splits an axis. */
static void slices_are_found(void **state)
{
    lab_program p = {0};
    const int x = parameter(&p, 6, 40), y = lab_unary(&p, LAB_TANH, x);
    const int z = lab_reshape(&p, y, 3, (int[]){2, 3, 40});
    const int a = lab_slice(&p, z, (int[]){0, 0, 0}, (int[]){2, 3, 10}, (int[]){1, 1, 1});
    const int b = lab_slice(&p, z, (int[]){0, 0, 20}, (int[]){2, 3, 30}, (int[]){1, 1, 1});
    lab_binary(&p, LAB_ADD, a, b);
    plan(&p);
    assert_int_equal(nests.rows, 2);
    assert_true(computes(0, 6 * 30));
}

static void parts_have_nests_of_their_own(void **state)
{
    lab_program p = {0};
    const int x[3] = {parameter(&p, 4, 8), parameter(&p, 4, 24), parameter(&p, 4, 16)};
    lab_concatenate(&p, 3, x, 1);
    plan(&p);
    assert_int_equal(nests.rows, 3);
    assert_true(computes(0, 4 * 8) && computes(1, 4 * 24) && computes(2, 4 * 16));
    assert_true(is(value(1, NEXT_OUT), 48) && is(value(1, NEXT_IN_0), 24));
}

static void borders_are_filled(void **state)
{
    lab_program p = {0};
    const int x = parameter(&p, 4, 8), zero = lab_constant(&p, 0);
    lab_pad(&p, x, zero, (int[]){0, 2}, (int[]){0, 6});
    plan(&p);
    assert_int_equal(nests.rows, 2);
    assert_true(nests.word[0] == NESTS_TILE_FILL && computes(0, 4 * 16));
    assert_true(nests.word[1] == NESTS_TILE_MOVES && computes(1, 4 * 8));
}

/* A reshape cannot merge axes that a transpose has torn apart: the transpose is copied first. */
static void torn_axes_are_copied(void **state)
{
    lab_program p = {0};
    const int x = parameter(&p, 8, 12), y = lab_transpose(&p, x, (int[]){1, 0});
    lab_unary(&p, LAB_TANH, lab_reshape(&p, y, 1, (int[]){96}));
    plan(&p);
    assert_int_equal(nests.rows, 2);
    assert_true(is(value(0, ROW_IN_0), 12)); /* the copy reads columns */
    assert_true(is(value(1, ROW_IN_0), 1));
    const int u = parameter(&p, 8, 12); /* memory outside is read as it is */
    lab_unary(&p, LAB_TANH, lab_reshape(&p, u, 1, (int[]){96}));
    plan(&p);
    assert_int_equal(nests.rows, 1);
}

/* ---- how they run ---- */

static void moves_are_alike(void **state)
{
    lab_program p = {0};
    lab_transpose(&p, parameter(&p, 8, 12), (int[]){1, 0});
    plan(&p);
    const float op = column(0)[OP];
    const int x = parameter(&p, 8, 12);
    lab_slice(&p, x, (int[]){0, 0}, (int[]){8, 6}, (int[]){1, 1});
    plan(&p);
    assert_true(column(0)[OP] == op);
}

static void straight_loops_are_told(void **state)
{
    lab_program p = {0};
    const int shape[2] = {8, 16};
    lab_unary(&p, LAB_TANH, parameter(&p, 8, 16));
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 1 && column(0)[INPUTS] == 1);
    const double price = nests.work[0];
    lab_unary(&p, LAB_TANH, lab_transpose(&p, parameter(&p, 16, 8), (int[]){1, 0}));
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 0 && nests.work[0] > 2 * price);
    lab_unary(&p, LAB_TANH, lab_reverse(&p, parameter(&p, 8, 16), 1, (int[]){1}));
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 0 && is(value(0, ROW_IN_0), -1));
    /* One of two inputs may stand still, none of three. */
    const int x = parameter(&p, 8, 16), one = lab_constant(&p, 1);
    const int ones = lab_broadcast(&p, one, NULL, 2, shape);
    lab_binary(&p, LAB_ADD, x, ones);
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 1 && column(0)[INPUTS] == 2);
    const int which = lab_parameter(&p, LAB_PRED, 2, shape), y = parameter(&p, 8, 16);
    const int zeros = lab_broadcast(&p, lab_constant(&p, 0), NULL, 2, shape);
    lab_ternary(&p, LAB_SELECT, which, y, zeros);
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 0 && column(0)[INPUTS] == 3);
    assert_true(value(0, ROW_IN_2) == 0);
    const int test = lab_parameter(&p, LAB_PRED, 2, shape), a = parameter(&p, 8, 16);
    lab_ternary(&p, LAB_SELECT, test, a, parameter(&p, 8, 16));
    plan(&p);
    assert_true(column(0)[STRAIGHT] == 1 && is(value(0, ROW_IN_2), 1));
}

/* x[4,6,10] with the last two axes swapped: rows of 6 in 4 x 10 calls; the loop around them runs
   through the input one after the other. */
static void outer_loops_are_told(void **state)
{
    lab_program p = {0};
    const int x = lab_parameter(&p, LAB_F32, 3, (int[]){4, 6, 10});
    lab_transpose(&p, x, (int[]){0, 2, 1});
    plan(&p);
    assert_int_equal(nests.rows, 1);
    assert_true(column(0)[DEPTH] == 2 && is(value(0, NEXT_N), 10));
    assert_true(is(value(0, NEXT_OUT), 6) && is(value(0, NEXT_IN_0), 1));
    assert_true(value(0, NEXT_IN_1) == 0 && is(value(0, CALLS), 40) && is(value(0, ALL), 240));
    assert_true(is(value(0, TOUCHED), 2 * 240 * 4) && is(value(0, KERNEL), 2 * 240 * 4));
}

/* Rows of 40 leave 8 of 32 over, sums of 6 two of 4. Columns of the left operand are 6 apart, those
   of the right one 40: one and three halvings. */
static void rests_and_halvings_are_told(void **state)
{
    lab_program p = {0};
    const int x = parameter(&p, 4, 6), w = parameter(&p, 6, 40);
    lab_dot(&p, x, w, (lab_dot_dims){0, 1, 0});
    plan(&p);
    const int last = nests.rows - 1;
    const float *c = column(last);
    assert_true(nests.word[last] == NESTS_TILE_PRODUCTS && c[STRAIGHT] == 1);
    assert_true(is((double)c[LEFT_OF_4], 1.0 / 3) && is((double)c[LEFT_OF_32], 0.2));
    assert_true(c[HALVINGS_0] == 0 && c[HALVINGS_1] == 3);
    assert_true(is(value(last, NEXT_IN_0), 6));
}

/* Calls cost time, and so do elements: many short rows cost more than one long row. */
static void prices_add_up(void **state)
{
    lab_program p = {0};
    const int rows[2] = {64, 8}, axes[1] = {1};
    const int a = parameter(&p, 64, 8), b = parameter(&p, 64, 8);
    lab_binary(&p, LAB_ADD, a, b);
    plan(&p);
    assert_true(is(nests.work[0], 19 + 64 * 0.6)); /* a call, 64 vectors */
    const int x = parameter(&p, 64, 8), row = lab_parameter(&p, LAB_F32, 1, (int[]){8});
    lab_binary(&p, LAB_ADD, x, lab_broadcast(&p, row, axes, 2, rows));
    plan(&p);
    assert_true(is(nests.work[0], 64 * (19 + 0.6)));
    assert_true(computes(0, 512));
}

/* Appends the nest of a reduction along 8 rows, of a kernel as the tuner makes it; its row. */
static int reduce(lab_reducer how, int row, int said)
{
    lab_program p = {0};
    tpu_kernel k;
    lab_reduce(&p, parameter(&p, 8, row), how, 1, (int[]){1});
    assert_int_equal(p.why.status, AG_OK);
    tune_kernel_open(&k, &p);
    int32_t *reducer = k.reducer;
    if (!said) k.reducer = NULL;
    plan_kernel(&k, whole);
    k.reducer = reducer;
    tpu_kernel_free(&k);
    lab_program_clear(&p);
    return nests.rows - 1;
}

static void reducers_are_told(void **state)
{
    const int sum = reduce(LAB_SUM, 64, 1), most = reduce(LAB_MAX, 64, 1);
    assert_int_equal(nests.word[sum], NESTS_TILE_SUMS);
    assert_int_equal(column(sum)[REDUCER], ADD);
    assert_int_equal(column(most)[REDUCER], MAXIMUM);
    assert_int_equal(column(reduce(LAB_MAX, 64, 0))[REDUCER], 0);
    assert_memory_equal(column(sum), column(most), REDUCER * sizeof(float));
}

static double price(lab_reducer how, int row)
{
    const int at = reduce(how, row, 1);
    return nests.work[at];
}

/* A call, and of each row a start, its vectors, and what they leave over. */
static void rows_have_a_price(void **state)
{
    assert_true(is(price(LAB_SUM, 64), 38 + 8 * (1.9 + 8 * 0.25)));
    assert_true(is(price(LAB_MAX, 64), 38 + 8 * (2.2 + 8 * 1.1)));
    assert_true(is(price(LAB_SUM, 68), 38 + 8 * (1.9 + 8 * 0.25 + 1.2)));
    assert_true(is(price(LAB_SUM, 65), 38 + 8 * (1.9 + 8 * 0.25 + 10)));
}

static int drop(void **state)
{
    nests_rows_free(&nests);
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(NULL, drop, work_is_counted, borders_are_copied, slices_are_joined,
                          slices_are_found, parts_have_nests_of_their_own, borders_are_filled,
                          torn_axes_are_copied, moves_are_alike, straight_loops_are_told,
                          outer_loops_are_told, rests_and_halvings_are_told, prices_add_up,
                          reducers_are_told, rows_have_a_price);
}
