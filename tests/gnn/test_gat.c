/* SPDX-License-Identifier: MIT */
/* Graph attention, layers with rows and weights of edges, PNA, and the GraphSAGE layer of Kaufman
   et al. compared with PyG and PyTorch (tests/golden/convolutions.npz): values and gradients. */
#include "support/conv_cases.h"

static void test_golden(void **state)
{
    assert_int_equal(conv_cases, 47);
    conv_golden(state);
}

/* ---- refusals ---- */

static void expect_refused(const conv_problem *p, const char *sentence)
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
    conv_set_up(&f, "gat_heads");
    f.p.heads = 3;
    expect_refused(&f.p, "ag_gat: w is [12,5], from is [4,3] and to is [4,3], but with 3 heads "
                         "they must be [heads d,in], [heads,d] and [heads,d], and there must be a "
                         "head");
    f.p.heads = 0;
    expect_refused(&f.p, "with 0 heads");
    f.p.heads = 4;
    f.p.mean = 1;
    expect_refused(&f.p, "add_bias: x is [8,3], b \"p4\" is [12]");
    f.p.mean = 0;
    f.p.shape[0] = AG_SHAPE(8, 1, 5);
    expect_refused(&f.p, "ag_gat: x is [8,1,5], but must be [nodes, features]");
    f.p.shape[0] = AG_SHAPE(8, 5);
    f.p.part[2] = NULL;
    expect_refused(&f.p, "ag_gat: one of w, from and to is NULL; only the bias may be");
    conv_tear_down(&f);
    conv_set_up(&f, "sage_directed");
    f.p.directed = 0; /* f3 is made for two aggregates */
    expect_refused(&f.p, "linear: x is [8,9], w \"p5\" is [6,13]");
    f.p.directed = 1;
    f.p.kind = 7;
    expect_refused(&f.p, "the aggregate is 7");
    f.p.kind = 0;
    f.p.part[5] = NULL;
    expect_refused(&f.p, "A parameter is NULL");
    conv_tear_down(&f);
}

static void test_no_memory(void **state)
{
    conv_no_memory("gat_loops");
    conv_no_memory("sage_capped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(conv_gradcheck),
        cmocka_unit_test(conv_same_bits), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return conv_main("convolutions.npz", tests);
}
