/* SPDX-License-Identifier: MIT */
/* GraphConv, GCNConv, TopK and SAG pooling compared with PyG (tests/golden/pooling.npz): values,
   gradients, the nodes and messages that stay. */
#include "support/conv_cases.h"

static void test_golden(void **state)
{
    assert_int_equal(conv_cases, 47);
    conv_golden(state);
}

static void test_no_memory(void **state)
{
    conv_no_memory("net_batch");
    conv_no_memory("net_gcn");
    conv_no_memory("sag_gcn");
}

static int before(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

/* The same nodes stay, and the same messages between them. */
static void test_who_stays(void **state)
{
    static int32_t perm[200], left[800], n;
    int poolings = 0;
    for (int i = 0; i < 2 * conv_cases; i++) {
        const char *name = conv_names[i / 2];
        golden_array nodes = golden_read(conv_file, "%s.perm", name);
        golden_array pairs = golden_read(conv_file, "%s.left", name);
        if (!nodes.value) continue;
        assert_non_null(pairs.value);
        conv_fixture f;
        conv_set_up(&f, name);
        f.p.perm = perm;
        f.p.left = left;
        f.p.left_n = &n;
        conv_results r = conv_run(&f, i & 1 ? ag64__convolve : ag__convolve);
        for (int64_t k = 0; k < nodes.count; k++)
            if (perm[k] != (int32_t)nodes.value[k])
                fail_msg("%s: node %d stays instead of %g", name, perm[k], nodes.value[k]);
        qsort(left, (size_t)n, 2 * sizeof *left, before);
        assert_int_equal(2 * n, pairs.count);
        for (int64_t k = 0; k < pairs.count; k++) assert_int_equal(left[k], pairs.value[k]);
        poolings++;
        conv_results_free(&r);
        conv_tear_down(&f);
        golden_free(&nodes);
        golden_free(&pairs);
    }
    assert_int_equal(poolings, 2 * 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(conv_gradcheck),
        cmocka_unit_test(conv_same_bits), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_who_stays),
    };
    return conv_main("pooling.npz", tests);
}
