/* SPDX-License-Identifier: MIT */
/* The loop nests of a tile, and the tile that a kernel has when nobody chooses one. */
#include "support/test.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/nets/families.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tpu/rows/tiling.h"
#include "examples/tune/tune.h"
#include "support/tpu_lab.h"

enum { ALL = 49 /* the column of the elements of all calls */ };

/* ---- loops ---- */

static void loops_are_merged(void **state)
{
    nests_plan plan;
    /* x[8,16] = y[8,16], both dense: one loop; and with y transposed: two. */
    nests_plan_loops(&plan, (tpugraphs_loop[]){{8, 16, {16, 0}, 0, 0}, {16, 1, {1, 0}, 0, 0}}, 2);
    assert_true(plan.row.size == 128 && plan.free == 1 && plan.sum.size == 1);
    nests_plan_loops(&plan, (tpugraphs_loop[]){{16, 1, {8, 0}, 0, 0}, {8, 16, {1, 0}, 0, 0}}, 2);
    assert_true(plan.row.size == 16 && plan.row.in[0] == 8 && plan.free == 8);
}

/* x[4,32] y[32,64]: along the output's rows; with y transposed along the reduction, if it is long
   enough. */
static void reductions_go_inside(void **state)
{
    nests_plan plan;
    tpugraphs_loop loop[] = {{4, 64, {32, 0}, 0, 0}, {64, 1, {0, 1}, 0, 0}, {32, 0, {1, 64}, 1, 0}};
    nests_plan_loops(&plan, loop, 3);
    assert_true(!plan.folds && plan.row.size == 64 && plan.sum.size == 32 && plan.free == 4);
    loop[1].in[1] = 32;
    loop[2].in[1] = 1;
    nests_plan_loops(&plan, loop, 3);
    assert_true(plan.folds && plan.row.size == 64 && plan.sum.size == 32);
    loop[2].size = 4;
    nests_plan_loops(&plan, loop, 3);
    assert_false(plan.folds);
}

/* ---- kernels ---- */

/* exp of x[48,m], times w[m,40], plus a row. */
static void make_dot(lab_program *p, int m)
{
    const int axes[1] = {1};
    const int x = lab_parameter(p, LAB_F32, 2, (int[]){48, m});
    const int w = lab_parameter(p, LAB_F32, 2, (int[]){m, 40});
    const int row = lab_parameter(p, LAB_F32, 1, (int[]){40});
    const int y = lab_dot(p, lab_unary(p, LAB_EXPONENTIAL, x), w, (lab_dot_dims){0, 1, 0});
    const int wide = lab_broadcast(p, row, axes, 2, (int[]){48, 40});
    lab_binary(p, LAB_ADD, y, wide);
    assert_int_equal(p->why.status, AG_OK);
}

/* The nests of a program in such tiles. */
static nests_rows nests_of(lab_program *p, float *tile)
{
    tpu_kernel k;
    nests_rows nests = {0};
    assert_int_equal(p->why.status, AG_OK);
    tpu_lab_kernel(&k, p);
    k.tile = tile;
    nests_tile_rows_add(&nests, &k, NULL, 1);
    k.tile = NULL;
    tpu_kernel_free(&k);
    lab_program_clear(p);
    return nests;
}

/* Whether all nests of a kind together compute so many elements or products. */
static int computes(const nests_rows *nests, nests_tile_kind kind, int elements)
{
    double all = 0;
    for (int i = 0; i < nests->rows; i++)
        if (nests->word[i] == (int)kind)
            all += exp2((double)nests->x[i * NESTS_TILE_COLUMNS + ALL]) - 1;
    return fabs(all - elements) < 1e-5 * elements;
}

/* Tiles of 16 x 20 compute exp twice, once for each half of the columns; both operands of the
   product are used often, but w alone lies outside and is copied. */
static void work_is_counted(void **state)
{
    float tile[TPUGRAPHS_TILE_FEATURES] = {[0] = 32, [8] = 16, [9] = 20};
    lab_program p = {0};
    make_dot(&p, 64);
    nests_rows nests = nests_of(&p, tile);
    const int n = nests.rows;
    const float *x = nests.x;
    assert_int_equal(n, 4);
    assert_true(computes(&nests, NESTS_TILE_PRODUCTS, 48 * 64 * 40));
    assert_true(computes(&nests, NESTS_TILE_SPECIAL, 2 * 48 * 64));
    assert_true(computes(&nests, NESTS_TILE_ARITHMETIC, 48 * 40));
    assert_true(computes(&nests, NESTS_TILE_MOVES, 3 * 64 * 40));
    for (int i = 0; i < n * NESTS_TILE_COLUMNS; i++) assert_true(isfinite(x[i]));
    /* Of rows of 20, full vectors of 8 and of 16 leave 4 over; of sums of 32 nothing. */
    for (int i = 0; i < n; i++)
        if (nests.word[i] == NESTS_TILE_PRODUCTS)
            assert_memory_equal(x + i * NESTS_TILE_COLUMNS + 20, ((float[]){0.2F, 0, 0.2F, 0}), 16);
    nests_rows_free(&nests);
}

/* A padded convolution fills a box with zeros and copies its input into it. */
static void borders_are_copied(void **state)
{
    float whole[TPUGRAPHS_TILE_FEATURES] = {0};
    lab_program p = {0};
    const lab_window around = {3, 1, 1, 1, 1, 1, 0};
    const lab_window window[2] = {around, around};
    const lab_conv_dims dims = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}, 1};
    const int x = lab_parameter(&p, LAB_F32, 4, (int[]){2, 8, 8, 4});
    const int w = lab_parameter(&p, LAB_F32, 4, (int[]){3, 3, 4, 16});
    lab_convolution(&p, x, w, dims, window);
    nests_rows nests = nests_of(&p, whole);
    assert_true(computes(&nests, NESTS_TILE_FILL, 2 * 10 * 10 * 4));
    assert_true(computes(&nests, NESTS_TILE_PRODUCTS, 2 * 8 * 8 * 16 * 9 * 4));
    nests_rows_free(&nests);
}

/* 1 if the default tile is the lab's, the first of lab_tiles. */
static int agrees(const lab_program *p)
{
    tpu_kernel k;
    nests_tiling t = {0};
    int(*tile)[24], same = 1;
    float found[TPUGRAPHS_TILE_FEATURES];
    tpu_lab_kernel(&k, p);
    assert_true(lab_tiles(&tile, p, 2, 1) > 0);
    nests_tiling_open(&t, &k);
    nests_default_tile(found, &t);
    for (int a = 0; a < TPUGRAPHS_AXES; a++)
        same &= found[a] == (float)tile[0][a] && found[8 + a] == (float)tile[0][8 + a];
    nests_tiling_close(&t);
    ag_free(tile);
    tpu_kernel_free(&k);
    return same;
}

/* Kernels of nets with gates, windows, norms and parts that are put together. */
static void default_tiles_of_nets_agree(void **state)
{
    static const char *const family[] = {"inception", "resnet", "mixer", "lstm", "wavenet"};
    int agree = 0, kernels = 0;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        lab_program p = {0};
        lab_fusion f;
        expect_ok(lab_family_program(&p, family[i], 1, 10, new_failure()));
        lab_fusion_draw(&f, &p, 3, 0);
        kernels += f.n;
        for (int k = 0; k < f.n; k++) agree += agrees(&f.kernel[k]);
        lab_fusion_clear(&f);
        lab_program_clear(&p);
    }
    print_message("%d of %d default tiles are the lab's\n", agree, kernels);
    assert_true(kernels > 300 && agree >= kernels * 99 / 100);
}

int main(void)
{
    return RUN_TESTS(loops_are_merged, reductions_go_inside, work_is_counted, borders_are_copied,
                     default_tiles_of_nets_agree);
}
