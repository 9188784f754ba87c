/* SPDX-License-Identifier: MIT */
/* The columns of the baselines, counted by hand. */
#include "support/test.h"
#include "examples/tgraph/baseline/baselines.h"
#include "support/tgraph_open.h"

/* The small layout file; nodes 2 and 5 become a convolution and a reshape. Configurations are of
   kinds 0 1 0 2 1 0, and all 36 digits differ between kinds. */
static tgraph_file *open_small(void)
{
    static test_layout l;
    test_layout_make(&l);
    l.opcode[2] = 26;
    l.opcode[5] = 75;
    l.node_feat[2][28] = 7;
    l.node_feat[5][28] = 0;
    return test_layout_open(&l, tgraph_layout_defaults(), NULL);
}

static void onehot_by_hand(void **state)
{
    static const int kind[TEST_CONFIGS] = {0, 1, 0, 2, 1, 0};
    const int32_t all[TEST_CONFIGS] = {0, 1, 2, 3, 4, 5};
    ag_failure why = {0};
    tgraph_onehot o;
    tgraph_file *f = open_small();
    assert_int_equal(tgraph_onehot_open(&o, f, all, TEST_CONFIGS, 100, &why), AG_OK);
    assert_int_equal(o.columns, 3);
    assert_int_equal(o.found, 3);
    /* Digit 0 of node 0 separates the kinds: values -1, 4, 2, so rows 1, 6, 4. */
    assert_int_equal(o.key[0], 1);
    assert_int_equal(o.key[1], 4);
    assert_int_equal(o.key[2], 6);
    for (int c = 0; c < TEST_CONFIGS; c++) {
        float x[3];
        tgraph_onehot_row(x, &o, f, c);
        const float expected[3] = {kind[c] == 0, kind[c] == 2, kind[c] == 1};
        assert_memory_equal(x, expected, sizeof x);
    }
    tgraph_onehot_close(&o);
    /* Two columns may stay: kinds 0 and 1, whose variances 3 3 and 2 4 are above 1 5. */
    assert_int_equal(tgraph_onehot_open(&o, f, all, TEST_CONFIGS, 2, &why), AG_OK);
    assert_int_equal(o.columns, 2);
    assert_int_equal(o.found, 3);
    assert_int_equal(o.key[0], 1);
    assert_int_equal(o.key[1], 6);
    tgraph_onehot_close(&o);
    /* Only kind 0: nothing varies. */
    const int32_t alike[] = {0, 2, 5};
    assert_int_equal(tgraph_onehot_open(&o, f, alike, 3, 100, &why), AG_OK);
    assert_int_equal(o.columns, 0);
    tgraph_onehot_close(&o);
    tgraph_file_close(f);
}

/* Of ten rows one has another first digit, five another second: those two columns vary more. */
static void onehot_keeps_what_varies(void **state)
{
    int32_t all[10];
    ag_failure why = {0};
    tgraph_onehot o;
    tgraph_file f = {.configs = 10, .graph = {.configurable = 1}, .path = test_path};
    assert_int_equal(tgraph_store_open(&f.store, 10, TGRAPH_WORDS, NULL, "made", &why), AG_OK);
    for (int c = 0; c < 10; c++) {
        uint32_t word[TGRAPH_WORDS];
        const float value[TGRAPH_DIGITS] = {(float)(c == 7), (float)(c % 2)};
        tgraph_pack(word, value);
        tgraph_store_put(&f.store, word);
        all[c] = c;
    }
    assert_int_equal(tgraph_onehot_open(&o, &f, all, 10, 2, &why), AG_OK);
    assert_int_equal(o.found, 4);
    assert_int_equal(o.columns, 2);
    assert_int_equal(o.key[0], 1 * 8 + 2); /* digit 1 at values 0 and 1 */
    assert_int_equal(o.key[1], 1 * 8 + 3);
    tgraph_onehot_close(&o);
    tgraph_store_close(&f.store, NULL);
}

static void layout_by_hand(void **state)
{
    static float x[TGRAPH_LAYOUT_COLUMNS], expected[TGRAPH_LAYOUT_COLUMNS];
    float pooled[TGRAPH_POOLED];
    tgraph_file *f = open_small();
    for (int k = 0; k < TGRAPH_POOLED; k++) pooled[k] = (float)k;
    tgraph_baseline_layout_features(x, f, 1, pooled); /* of kind 1 */
    for (int node = 0; node < 2; node++)
        for (int k = 0; k < 18; k++) {
            int kind = node ? 2 : 0, row = (5 + node * 3 + k) % 7 + 1;
            int at = (kind * 18 + k) * 8 + row;
            expected[at] += 1;
            expected[576 + at] += node ? 0.0F : log1pf(7);
        }
    memcpy(expected + 1152, pooled, sizeof pooled);
    for (int k = 0; k < TGRAPH_LAYOUT_COLUMNS; k++) assert_true(fabsf(x[k] - expected[k]) < 1e-6F);
    tgraph_file_close(f);
}

static void pool_by_hand(void **state)
{
    static float raw[3 * TGRAPH_NUMERIC];
    float pooled[TGRAPH_POOLED];
    tgraph_graph g = {.nodes = 3, .raw = raw};
    raw[5] = 1;
    raw[TGRAPH_NUMERIC + 5] = -3;
    raw[2 * TGRAPH_NUMERIC + 5] = 8;
    for (int v = 0; v < 3; v++) raw[v * TGRAPH_NUMERIC + 133] = -1;
    tgraph_baseline_pool(pooled, &g);
    assert_true(fabsf(pooled[5] - (logf(2) - logf(4) + logf(9)) / 3) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 5] - logf(9)) < 1e-6F);
    assert_true(fabsf(pooled[133] + logf(2)) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 133] + logf(2)) < 1e-6F);
    assert_true(pooled[0] == 0 && pooled[TGRAPH_NUMERIC] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onehot_by_hand), cmocka_unit_test(onehot_keeps_what_varies),
        cmocka_unit_test(layout_by_hand), cmocka_unit_test(pool_by_hand)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
