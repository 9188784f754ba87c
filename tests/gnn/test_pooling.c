/* SPDX-License-Identifier: MIT */
/* GraphConv, GCNConv, TopK and SAG pooling est PyG (tests/golden/pooling.npz): values, gradients,
   the nodes and messages that stay. */
#include "augur.h"
#include "support/conv_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"graph_conv",
                                    "graph_conv_wide",
                                    "graph_conv_square",
                                    "graph_conv_no_bias",
                                    "graph_conv_one",
                                    "graph_conv_batch",
                                    "graph_conv_no_edges",
                                    "graph_conv_random",
                                    "gcn",
                                    "gcn_wide",
                                    "gcn_no_bias",
                                    "gcn_one",
                                    "gcn_loop",
                                    "gcn_no_edges",
                                    "gcn_batch",
                                    "gcn_random",
                                    "topk",
                                    "topk_one_node",
                                    "topk_loop",
                                    "topk_ones",
                                    "topk_no_edges",
                                    "topk_batch",
                                    "topk_ratio_one",
                                    "topk_fixed",
                                    "topk_all",
                                    "topk_most",
                                    "topk_trees",
                                    "topk_random",
                                    "sag",
                                    "sag_one_node",
                                    "sag_no_edges",
                                    "sag_batch",
                                    "sag_ratio_one",
                                    "sag_gcn",
                                    "net_batch",
                                    "net_random",
                                    "net_trees",
                                    "net_ones",
                                    "net_no_edges",
                                    "net_gcn",
                                    "net_gcn_trees",
                                    "net_gat",
                                    "net_gat_random",
                                    "topk_ties",
                                    "topk_ties_batch",
                                    "topk_saturated",
                                    "sag_ties"};
/* Of equal scores the first stay: a small step of one of them may change which nodes stay. */
enum { CASES = sizeof names / sizeof *names, SMOOTH = CASES - 4 };

static void test_golden(void **state)
{
    (void)state;
    conv_golden(names, CASES);
}

static void test_gradcheck(void **state)
{
    (void)state;
    conv_gradcheck(names, SMOOTH);
}

static void test_same_bits(void **state)
{
    (void)state;
    conv_same_bits(names, CASES);
}

static void test_no_memory(void **state)
{
    static const char *const tried[] = {"net_batch", "net_gcn", "sag_gcn"};
    (void)state;
    conv_no_memory(tried, 3);
}

static int has_left(const char *name, const char *what, golden_array *a)
{
    char text[100];
    snprintf(text, sizeof text, "%s.%s", name, what);
    *a = golden_read(conv_file, text);
    return a->value != NULL;
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
    (void)state;
    for (int i = 0; i < 2 * CASES; i++) {
        const char *name = names[i / 2];
        golden_array nodes, pairs;
        if (!has_left(name, "perm", &nodes)) continue;
        assert_true(has_left(name, "left", &pairs));
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
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_gradcheck),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_who_stays),
    };
    ag__convolve_threads(1);
    ag64__convolve_threads(1);
    conv_file = golden_open(AG_SOURCE_DIR "/tests/golden/pooling.npz");
    if (!conv_file) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    golden_close(conv_file);
    return failed;
}
