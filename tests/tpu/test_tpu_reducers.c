/* SPDX-License-Identifier: MIT */
/* Files say whether reductions add or take the maximum, and nests have it in a column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "examples/tpu/nest/nests.h"
#include "examples/tpu/tune/model.h"
#include "support/tpu_npz.h"

enum { ADD = 2, MAXIMUM = 57, REDUCER = TPU_NEST_COLUMNS - 1 };

static ag_status read(tpu_data *data, uint8_t *reducer, ag_failure *why)
{
    test_fusion f;
    test_fusion_make(&f);
    f.array[f.arrays++] = (test_array){"node_reducer", AG_U8, 1, {FUSION_NODES}, reducer};
    assert_true(test_arrays_write(test_path, f.array, f.arrays));
    return test_tpu_add(data, NULL, why);
}

/* Nodes 5, 6, 7 are those of kernel 2, whose topological order is 6, 7, 5. */
static void reducers_follow_their_nodes(void **state)
{
    (void)state;
    uint8_t reducer[FUSION_NODES] = {0, 0, 0, ADD, 0, MAXIMUM, ADD, 0};
    tpu_data d = {0};
    ag_failure why = {0};
    assert_int_equal(read(&d, reducer, &why), AG_OK);
    assert_int_equal(d.kernel[0].reducer[3], ADD);
    const int32_t third[] = {ADD, 0, MAXIMUM};
    assert_memory_equal(d.kernel[2].reducer, third, sizeof third);
    const uint64_t hash = d.hash;
    tpu_data_free(&d);
    assert_int_equal(d.budget.used, 0);
    reducer[3] = MAXIMUM;
    d = (tpu_data){0};
    assert_int_equal(read(&d, reducer, &why), AG_OK);
    assert_true(d.hash != hash);
    tpu_data_free(&d);
}

static void wrong_reducers_are_refused(void **state)
{
    (void)state;
    uint8_t reducer[FUSION_NODES] = {0, TPU_OPCODES};
    tpu_data d = {0};
    ag_failure why = {0};
    assert_int_equal(read(&d, reducer, &why), AG_EDATA);
    assert_non_null(strstr(why.sentence, "node_reducer[1] = 121"));
    tpu_data_free(&d);
    assert_int_equal(d.budget.used, 0);
}

static void files_need_not_say(void **state)
{
    (void)state;
    tpu_data d = {0};
    test_tpu_add_fusion(&d, "unsaid_0.npz");
    assert_null(d.kernel[0].reducer);
    tpu_data_free(&d);
}

/* The nests of a reduction along 8 rows, of kernels as the tuner makes them. */
static void plan(tpu_nests *nests, lab_reducer how, int row, int said)
{
    const float whole[TPUGRAPHS_TILE_FEATURES] = {0};
    lab_program p = {0};
    tpu_kernel k;
    tpu_tiling t;
    const int x = lab_parameter(&p, LAB_F32, 2, (int[]){8, row});
    lab_reduce(&p, x, how, 1, (int[]){1});
    assert_int_equal(p.why.status, AG_OK);
    tune_kernel_open(&k, &p);
    const int32_t *reducer = k.reducer;
    if (!said) k.reducer = NULL;
    tpu_tiling_open(&t, &k);
    tpu_nests_set(nests, &t, whole);
    tpu_tiling_close(&t);
    k.reducer = reducer;
    tune_kernel_close(&k);
    lab_program_clear(&p);
}

static void nests_say_it(void **state)
{
    (void)state;
    tpu_nests sum = {0}, most = {0}, unsaid = {0};
    plan(&sum, LAB_SUM, 64, 1);
    plan(&most, LAB_MAX, 64, 1);
    plan(&unsaid, LAB_MAX, 64, 0);
    const int last = sum.count - 1;
    assert_int_equal(sum.nest[last].column[0], TPU_NEST_SUMS);
    assert_int_equal(sum.nest[last].column[REDUCER], ADD);
    assert_int_equal(most.nest[last].column[REDUCER], MAXIMUM);
    assert_int_equal(unsaid.nest[last].column[REDUCER], 0);
    assert_memory_equal(sum.nest[last].column, most.nest[last].column, REDUCER * sizeof(float));
    tpu_nests_free(&sum);
    tpu_nests_free(&most);
    tpu_nests_free(&unsaid);
}

static void expect_price(lab_reducer how, int row, double each)
{
    tpu_nests nests = {0};
    plan(&nests, how, row, 1);
    assert_true(fabs(nests.nest[nests.count - 1].price - (38 + 8 * each)) < 1e-6);
    tpu_nests_free(&nests);
}

/* A call, and of each row a start, its vectors, and what they leave over. */
static void rows_have_a_price(void **state)
{
    (void)state;
    expect_price(LAB_SUM, 64, 1.9 + 8 * 0.25);
    expect_price(LAB_MAX, 64, 2.2 + 8 * 1.1);
    expect_price(LAB_SUM, 68, 1.9 + 8 * 0.25 + 1.2);
    expect_price(LAB_SUM, 65, 1.9 + 8 * 0.25 + 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reducers_follow_their_nodes), cmocka_unit_test(wrong_reducers_are_refused),
        cmocka_unit_test(files_need_not_say), cmocka_unit_test(nests_say_it),
        cmocka_unit_test(rows_have_a_price)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
