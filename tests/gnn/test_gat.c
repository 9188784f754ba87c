/* SPDX-License-Identifier: MIT */
/* Graph attention and the GraphSAGE layer of Kaufman et al. compared with PyG and PyTorch
   (tests/golden/convolutions.npz): values and gradients; readouts of one number per node. */
#include "augur.h"
#include "support/conv_cases.h"

#include <string.h>

static const char *const names[] = {
    "gat_one_head",     "gat_heads",     "gat_mean",        "gat_mean_one",  "gat_no_bias",
    "gat_one_node",     "gat_one_loop",  "gat_no_edges",    "gat_batch",     "gat_batch_mean",
    "gat_loops",        "gat_random",    "sage_undirected", "sage_directed", "sage_shared",
    "sage_sum",         "sage_max",      "sage_l2",         "sage_no_bias",  "sage_capped",
    "sage_capped_both", "sage_one_node", "sage_no_edges",   "sage_batch",    "sage_random"};
enum { CASES = sizeof names / sizeof *names };

static void test_golden(void **state)
{
    (void)state;
    conv_golden(names, CASES);
}

static void test_gradcheck(void **state)
{
    (void)state;
    conv_gradcheck(names, CASES);
}

static void test_same_bits(void **state)
{
    (void)state;
    conv_same_bits(names, CASES);
}

/* ---- refusals ---- */

static void expect_sentence(const conv_problem *p, const char *sentence)
{
    static double y[4096], gradient[CONV_PARTS][4096];
    double *list[CONV_PARTS];
    char why[CONV_WHY] = "";
    for (int i = 0; i < CONV_PARTS; i++) list[i] = gradient[i];
    assert_int_equal(ag__convolve(y, list, p, why), 1);
    if (!strstr(why, sentence)) fail_msg("%s", why);
}

static void test_refused(void **state)
{
    conv_fixture f;
    (void)state;
    conv_set_up(&f, "gat_heads");
    f.p.heads = 3;
    expect_sentence(&f.p, "ag_gat: w is [12,5], from is [4,3] and to is [4,3], but with 3 heads "
                          "they must be [heads d,in], [heads,d] and [heads,d], and there must be a "
                          "head");
    f.p.heads = 0;
    expect_sentence(&f.p, "with 0 heads");
    f.p.heads = 4;
    f.p.mean = 1;
    expect_sentence(&f.p, "add_bias: x is [8,3], b \"p4\" is [12]");
    f.p.mean = 0;
    f.p.shape[0] = AG_SHAPE(8, 1, 5);
    expect_sentence(&f.p, "ag_gat: x is [8,1,5], but must be [nodes, features]");
    f.p.shape[0] = AG_SHAPE(8, 5);
    f.p.part[2] = NULL;
    expect_sentence(&f.p, "ag_gat: one of w, from and to is NULL; only the bias may be");
    conv_tear_down(&f);
    conv_set_up(&f, "sage_directed");
    f.p.directed = 0; /* f3 is made for two aggregates */
    expect_sentence(&f.p, "linear: x is [8,9], w \"p5\" is [6,13]");
    f.p.directed = 1;
    f.p.kind = 7;
    expect_sentence(&f.p, "the aggregate is 7");
    f.p.kind = 0;
    f.p.part[5] = NULL;
    expect_sentence(&f.p, "parameter \"\" has no storage");
    conv_tear_down(&f);
}

static void test_no_memory(void **state)
{
    static const char *const tried[] = {"gat_loops", "sage_capped"};
    (void)state;
    conv_no_memory(tried, 2);
}

/* ---- readouts of one number per node ---- */

/* Per-node reduction (a sum of scalars per graph) and column-wise reduction (mean and maximum). */
static void test_readouts(void **state)
{
    enum { GRAPHS = 4, NODES = 6, F = 3 };
    static const int nodes[GRAPHS] = {2, 0, 1, 3};
    static const float x[NODES] = {1, 2, -4, 8, 16, 32}, want[GRAPHS] = {3, 0, -4, 56};
    static const float wide[NODES * F] = {1, 2, 3, 5, 4, 1, -1, -2, -3, 0, 0, 6, 3, 3, 0, 6, 0, 0};
    static const float columns[GRAPHS][2 * F] = {
        {3, 3, 2, 5, 4, 3}, {0}, {-1, -2, -3, -1, -2, -3}, {3, 1, 2, 6, 3, 6}};
    ag_graph *part[GRAPHS];
    const ag_graph *list[GRAPHS];
    (void)state;
    for (int g = 0; g < GRAPHS; g++)
        list[g] = part[g] = ag_graph_build(nodes[g], NULL, NULL, 0, AG_ALONG, NULL);
    ag_graph *batch = ag_graph_batch(list, GRAPHS, NULL);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_edges e = ag_graph_edges(tape, batch);
    ag_tensor *plain = ag_keep(ag_readout_sum(ag_input(tape, x, AG_SHAPE(NODES)), e));
    ag_tensor *column = ag_keep(ag_readout_sum(ag_input(tape, x, AG_SHAPE(NODES, 1)), e));
    ag_tensor *in = ag_input(tape, wide, AG_SHAPE(NODES, F));
    ag_tensor *both = ag_concat2(ag_readout_mean(in, e), ag_readout_max(in, e), -1);
    ag_forward(both);
    assert_string_equal(ag_error(tape), "");
    assert_true(ag_shape_equal(ag_shape_of(plain), AG_SHAPE(GRAPHS)));
    assert_true(ag_shape_equal(ag_shape_of(column), AG_SHAPE(GRAPHS, 1)));
    assert_memory_equal(ag_values(plain), want, sizeof want);
    assert_memory_equal(ag_values(column), want, sizeof want);
    for (int i = 0; i < GRAPHS * 2 * F; i++)
        assert_true(ag_values(both)[i] == columns[i / (2 * F)][i % (2 * F)]);
    ag_tape_free(tape);
    ag_graph_free(batch);
    for (int g = 0; g < GRAPHS; g++) ag_graph_free(part[g]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_gradcheck),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_readouts),
    };
    ag__convolve_threads(1);
    ag64__convolve_threads(1);
    conv_file = golden_open(AG_SOURCE_DIR "/tests/golden/convolutions.npz");
    if (!conv_file) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    golden_close(conv_file);
    return failed;
}
