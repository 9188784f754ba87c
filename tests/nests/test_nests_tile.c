/* SPDX-License-Identifier: MIT */
/* Plans of loops, and the tile that a kernel has when nobody chooses one. */
#include "support/test.h"
#include "core/memory.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/nets/families.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tpu/rows/tiling.h"
#include "support/tpu_lab.h"

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

/* ---- default tiles ---- */

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
    return RUN_TESTS(loops_are_merged, reductions_go_inside, default_tiles_of_nets_agree);
}
