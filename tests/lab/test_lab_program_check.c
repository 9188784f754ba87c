/* SPDX-License-Identifier: MIT */
/* Refusals of the builders, and the check of programs from elsewhere. */
#include "support/test.h"
#include "examples/lab/program/program.h"

#define L(...) ((const int[]){__VA_ARGS__})

/* Nodes that every case starts with. */
enum { X, Y, C, N, P, K, BIG };

static void begin(lab_program *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "net");
    lab_parameter(p, LAB_F32, 3, L(2, 3, 4));
    lab_parameter(p, LAB_F32, 3, L(2, 4, 3));
    lab_constant(p, 0);
    lab_parameter(p, LAB_S32, 1, L(3));
    lab_parameter(p, LAB_PRED, 3, L(2, 3, 4));
    lab_parameter(p, LAB_F32, 3, L(3, 4, 5));
    lab_parameter(p, LAB_F32, 1, L(1 << 27));
    assert_int_equal(p->why.status, AG_OK);
}

/* The call before has failed with the words; another does nothing. */
static void refused(lab_program *p, int node, ag_status status, const char *words)
{
    char first[sizeof p->why.sentence];
    assert_int_equal(node, 0);
    assert_int_equal(p->n, BIG + 1);
    assert_int_equal(p->why.status, status);
    assert_non_null(strstr(p->why.sentence, "program net, node 7: "));
    if (!strstr(p->why.sentence, words)) fail_msg("%s, not %s", p->why.sentence, words);
    strcpy(first, p->why.sentence);
    assert_int_equal(lab_unary(p, LAB_ABS, X), 0);
    assert_int_equal(lab_unary(p, LAB_ABS, -1), 0);
    assert_int_equal(p->n, BIG + 1);
    assert_string_equal(p->why.sentence, first);
    assert_int_equal(lab_program_check(p, NULL), status);
    lab_program_clear(p);
}

#define REFUSED(call, status, words) \
 do {                                \
  lab_program p;                     \
  begin(&p);                         \
  refused(&p, call, status, words);  \
 } while (0)

static void refused_moves(void **state)
{
    REFUSED(lab_parameter(&p, LAB_F32, 7, L(1, 1, 1, 1, 1, 1, 1)), AG_ESHAPE, "the rank is 7");
    REFUSED(lab_parameter(&p, LAB_F32, -1, NULL), AG_ESHAPE, "the rank is -1");
    REFUSED(lab_parameter(&p, LAB_F32, 2, L(3, 0)), AG_ESHAPE, "f32[3,0]");
    REFUSED(lab_parameter(&p, LAB_F32, 2, L(65536, 65536)), AG_ESHAPE, "268435456 elements");
    REFUSED(lab_parameter(&p, (lab_type)3, 0, NULL), AG_EUSE, "element type 3");
    REFUSED(lab_constant(&p, (float)strtod("nan", NULL)), AG_EUSE, "is none of type f32");
    REFUSED(lab_iota(&p, 2, 2, L(3, 3)), AG_EINDEX, "axis 2 of a value of rank 2");
    REFUSED(lab_iota(&p, 0, 0, NULL), AG_EINDEX, "axis 0 of a value of rank 0");
    REFUSED(lab_broadcast(&p, X, L(0, 1, 3), 4, L(2, 3, 4, 5)), AG_ESHAPE, "sizes differ");
    REFUSED(lab_broadcast(&p, X, L(0, 1, 1), 4, L(2, 3, 4, 5)), AG_EUSE, "axis 1 twice");
    REFUSED(lab_broadcast(&p, X, L(0, 1, 4), 4, L(2, 3, 4, 5)), AG_EINDEX, "axis 4 of");
    REFUSED(lab_broadcast(&p, 99, L(0), 1, L(2)), AG_EINDEX, "operand 0 is node 99");
    REFUSED(lab_broadcast(&p, BIG, L(0), 2, L(1 << 27, 3)), AG_ESHAPE, "more than");
    REFUSED(lab_reshape(&p, X, 1, L(23)), AG_ESHAPE, "differ in elements");
    REFUSED(lab_transpose(&p, X, L(0, 1, 1)), AG_EUSE, "axis 1 twice");
    REFUSED(lab_transpose(&p, -1, L(0)), AG_EINDEX, "operand 0 is node -1");
    REFUSED(lab_convert(&p, X, (lab_type)9), AG_EUSE, "element type 9");
    REFUSED(lab_concatenate(&p, 2, L(X, Y), 1), AG_ESHAPE, "does not fit");
    REFUSED(lab_concatenate(&p, 2, L(X, P), 1), AG_ESHAPE, "does not fit");
    REFUSED(lab_concatenate(&p, 2, L(X, N), 2), AG_ESHAPE, "does not fit");
    REFUSED(lab_concatenate(&p, 2, L(X, X), 3), AG_EINDEX, "axis 3 of");
    REFUSED(lab_concatenate(&p, 0, NULL, 0), AG_EUSE, "0 operands");
    REFUSED(lab_concatenate(&p, 9, L(X, X, X, X, X, X, X, X, X), 0), AG_EUSE, "9 operands");
    REFUSED(lab_concatenate(&p, 8, L(BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG), 0), AG_ESHAPE,
            "more than 268435456");
    REFUSED(lab_slice(&p, X, L(0, 0, 0), L(2, 3, 5), NULL), AG_EINDEX, "axis 2 of operand 0");
    REFUSED(lab_slice(&p, X, L(0, 3, 0), L(2, 3, 4), NULL), AG_EINDEX, "start 3, limit 3");
    REFUSED(lab_slice(&p, X, L(-1, 0, 0), L(2, 3, 4), NULL), AG_EINDEX, "start -1");
    REFUSED(lab_slice(&p, X, L(0, 0, 0), L(2, 3, 4), L(1, 0, 1)), AG_EINDEX, "stride 0");
    REFUSED(lab_pad(&p, X, C, L(0, -1, 0), L(0, 0, 0)), AG_EINDEX, "axis 1 is padded by -1");
    REFUSED(lab_pad(&p, X, C, L(0, 0, 0), L(0, 0, 2147483647)), AG_EINDEX, "2147483647");
    REFUSED(lab_pad(&p, X, C, L(1 << 20, 0, 0), L(0, 1 << 20, 0)), AG_ESHAPE, "more than");
    REFUSED(lab_pad(&p, X, X, L(0, 0, 0), L(0, 0, 0)), AG_ESHAPE, "a scalar of type f32");
    REFUSED(lab_pad(&p, N, C, L(0), L(0)), AG_ESHAPE, "a scalar of type s32");
    REFUSED(lab_reverse(&p, X, 2, L(1, 0)), AG_EUSE, "must ascend");
    REFUSED(lab_reverse(&p, X, 0, NULL), AG_EUSE, "names no axis");
    REFUSED(lab_gather(&p, X, N), AG_ESHAPE, "a table [v,f]");
    REFUSED(lab_gather(&p, N, N), AG_ESHAPE, "row numbers s32[n]");
}

static void refused_arithmetic(void **state)
{
    REFUSED(lab_unary(&p, LAB_EXPONENTIAL, N), AG_EUSE, "type s32");
    REFUSED(lab_unary(&p, LAB_NOT, X), AG_EUSE, "type f32");
    REFUSED(lab_unary(&p, LAB_ADD, X), AG_EUSE, "no elementwise op of 1");
    REFUSED(lab_unary(&p, LAB_RESHAPE, C), AG_EUSE, "no elementwise op");
    REFUSED(lab_unary(&p, LAB_OPS, C), AG_EUSE, "op 39 is none");
    REFUSED(lab_binary(&p, (lab_op)-1, C, C), AG_EUSE, "op -1 is none");
    REFUSED(lab_binary(&p, LAB_TANH, X, X), AG_EUSE, "no elementwise op of 2");
    REFUSED(lab_binary(&p, LAB_ADD, X, Y), AG_ESHAPE, "they must be equal");
    REFUSED(lab_binary(&p, LAB_ADD, X, BIG + 1), AG_EINDEX, "operand 1 is node 7");
    REFUSED(lab_binary(&p, LAB_ADD, P, P), AG_EUSE, "type pred");
    REFUSED(lab_select(&p, X, X, X), AG_EUSE, "type f32");
    REFUSED(lab_select(&p, P, Y, Y), AG_ESHAPE, "chooses from");
    REFUSED(lab_select(&p, P, X, Y), AG_ESHAPE, "must be equal");
    REFUSED(lab_clamp(&p, C, X, C), AG_ESHAPE, "must be equal");
    REFUSED(lab_reduce(&p, X, LAB_SUM, 0, NULL), AG_EUSE, "no axis to reduce");
    REFUSED(lab_reduce(&p, X, LAB_SUM, 7, L(0, 1, 2, 3, 4, 5, 6)), AG_EUSE, "7 dims");
    REFUSED(lab_reduce(&p, X, LAB_SUM, 1, L(3)), AG_EINDEX, "axis 3");
    REFUSED(lab_reduce(&p, X, (lab_reducer)2, 1, L(0)), AG_EUSE, "reducer 2");
    REFUSED(lab_reduce(&p, P, LAB_MAX, 1, L(0)), AG_EUSE, "type pred");
    REFUSED(lab_dot(&p, X, X, (lab_dot_dims){0, 2, 1}), AG_ESHAPE, "contracted axes");
    REFUSED(lab_dot(&p, X, Y, (lab_dot_dims){1, 0, 1}), AG_EINDEX, "left=0");
    REFUSED(lab_dot(&p, X, Y, (lab_dot_dims){0, 3, 1}), AG_EINDEX, "left=3");
    REFUSED(lab_dot(&p, X, Y, (lab_dot_dims){3, 3, 3}), AG_EINDEX, "batch=3");
    REFUSED(lab_dot(&p, X, K, (lab_dot_dims){1, 2, 1}), AG_ESHAPE, "batch axis 0");
    REFUSED(lab_dot(&p, X, N, (lab_dot_dims){0, 1, 0}), AG_EUSE, "type s32");
    REFUSED(lab_dot(&p, BIG, BIG, (lab_dot_dims){0, 0, 1}), AG_EINDEX, "right=1");
}

static int window(lab_program *p, lab_window w)
{
    const lab_window one = {1, 1, 0, 0, 1, 1, 0};
    return lab_reduce_window(p, X, LAB_SUM, (lab_window[]){one, one, w});
}

/* 1-d over X as [batch, feature, spatial] with kernel K as [i, o, s]. */
static int convolve(lab_program *p, lab_conv_dims d, int size)
{
    return lab_convolution(p, X, K, d, (lab_window[3]){{size, 1, 2, 2, 1, 1, 0}});
}

static void refused_windows(void **state)
{
    const int huge = 2147483647;
    REFUSED(window(&p, (lab_window){0, 1, 0, 0, 1, 1, 0}), AG_EUSE, "window 2 has size 0");
    REFUSED(window(&p, (lab_window){1, 0, 0, 0, 1, 1, 0}), AG_EUSE, "stride 0");
    REFUSED(window(&p, (lab_window){1, 1, 0, 0, 0, 1, 0}), AG_EUSE, "dilation 0");
    REFUSED(window(&p, (lab_window){1, 1, 0, 0, 1, -3, 0}), AG_EUSE, "base dilation -3");
    REFUSED(window(&p, (lab_window){1, 1, -huge, 0, 1, 1, 0}), AG_EUSE, "padding -2147483647");
    REFUSED(window(&p, (lab_window){huge, 1, 0, 0, 1, 1, 0}), AG_EUSE, "size 2147483647");
    REFUSED(window(&p, (lab_window){1, 1, 0, 0, 1, 1, 1}), AG_EUSE, "reversed 1");
    REFUSED(window(&p, (lab_window){5, 1, 0, 0, 1, 1, 0}), AG_ESHAPE, "covers 5 elements");
    REFUSED(window(&p, (lab_window){1, 1, -2, -2, 1, 1, 0}), AG_ESHAPE, "that has 0");
    REFUSED(window(&p, (lab_window){1, 1, 1 << 28, 0, 1, 1, 0}), AG_ESHAPE, "covers 1");
    REFUSED(window(&p, (lab_window){1 << 28, 1, 0, 0, 1 << 28, 1 << 28, 0}), AG_ESHAPE, "covers");
    const lab_conv_dims good = {1, 0, 1, {2}, 0, 1, {2}, 0, 1, {2}, 1};
    lab_conv_dims d = good;
    REFUSED(convolve(&p, d, 4), AG_ESHAPE, "window 0 has size 4, but the kernel 5");
    REFUSED(lab_convolution(&p, X, K, d, &(lab_window){5, 1, 2, 2, 1, 1, 2}), AG_EUSE,
            "reversed 2");
    REFUSED(lab_convolution(&p, X, N, d, &(lab_window){5, 1, 2, 2, 1, 1, 0}), AG_ESHAPE,
            "operand 1 is s32[3]");
    REFUSED(lab_convolution(&p, X, P, d, &(lab_window){4, 1, 2, 2, 1, 1, 0}), AG_ESHAPE,
            "operand 1 is pred");
    d.spatial = 0;
    REFUSED(convolve(&p, d, 5), AG_EUSE, "0 spatial axes");
    d.spatial = 4;
    REFUSED(convolve(&p, d, 5), AG_EUSE, "4 spatial axes");
    d.spatial = 2;
    REFUSED(convolve(&p, d, 5), AG_ESHAPE, "f32 of rank 4");
    d = good;
    d.in_feature = 2;
    REFUSED(convolve(&p, d, 5), AG_EUSE, "axes of the input");
    d = good;
    d.kernel_spatial[0] = 3;
    REFUSED(convolve(&p, d, 5), AG_EUSE, "axes of the kernel");
    d = good;
    d.out_batch = -1;
    REFUSED(convolve(&p, d, 5), AG_EUSE, "axes of the output");
    for (int groups = 0; groups < 4; groups++) {
        d = good;
        d.groups = groups;
        if (groups != 1) REFUSED(convolve(&p, d, 5), AG_ESHAPE, "do not fit to a kernel of 3 by 4");
    }
}

static void append_copies(void **state)
{
    lab_program p, q = {0};
    begin(&p);
    lab_transpose(&p, X, L(2, 0, 1));
    lab_node node = p.nodes[p.n - 1];
    node.name[0] = 0;
    int copy = lab_append(&p, &node);
    assert_int_equal(copy, p.n - 1);
    lab_node a = p.nodes[copy - 1], b = p.nodes[copy];
    assert_string_equal(b.name, "transpose.8");
    memset(a.name, 0, sizeof a.name);
    memset(b.name, 0, sizeof b.name);
    assert_memory_equal(&a, &b, sizeof a);
    /* from the list itself, over and over, while it grows and moves */
    for (int i = 0; i < 300; i++) assert_int_equal(lab_append(&p, &p.nodes[copy]), copy + 1 + i);
    for (int i = 0; i < p.n; i++) lab_append(&q, &p.nodes[i]);
    assert_int_equal(q.why.status, AG_OK);
    assert_int_equal(q.n, p.n);
    assert_memory_equal(p.nodes, q.nodes, (size_t)p.n * sizeof *p.nodes);
    node.shape.size[0]++;
    assert_int_equal(lab_append(&q, &node), 0);
    assert_non_null(strstr(q.why.sentence, "the shape is f32[5,2,3], but f32[4,2,3] follows"));
    lab_program_clear(&p);
    lab_program_clear(&q);
}

static void check_finds(lab_program *p, ag_status status, const char *words)
{
    ag_failure why = {0};
    assert_int_equal(lab_program_check(p, &why), status);
    assert_int_equal(why.status, status);
    if (!strstr(why.sentence, words)) fail_msg("%s, not %s", why.sentence, words);
}

static void check_of_damaged_programs(void **state)
{
    lab_program p;
    begin(&p);
    int t = lab_transpose(&p, X, L(2, 0, 1));
    lab_node good = p.nodes[t], *node = &p.nodes[t];
    check_finds(&p, AG_OK, "");
    node->operand[0] = t;
    check_finds(&p, AG_EINDEX, "program net, node 7: transpose: operand 0 is node 7");
    *node = good;
    node->n_operands = 2000000000;
    check_finds(&p, AG_EUSE, "2000000000 operands");
    *node = good;
    node->shape.rank = 1000;
    check_finds(&p, AG_ESHAPE, "follows from the operands");
    *node = good;
    node->n_dims = 7;
    check_finds(&p, AG_EUSE, "7 dims");
    *node = good;
    node->op = (lab_op)77;
    check_finds(&p, AG_EUSE, "op 77");
    *node = good;
    strcpy(node->name, "a b");
    check_finds(&p, AG_EUSE, "letters");
    memset(node->name, 'a', sizeof node->name);
    check_finds(&p, AG_EUSE, "longer than 63");
    *node = good;
    strcpy(p.name, "a b");
    check_finds(&p, AG_EUSE, "letters");
    memset(p.name, 'a', sizeof p.name);
    check_finds(&p, AG_EUSE, "no end");
    strcpy(p.name, "net");
    int n = p.n;
    p.n = 0;
    check_finds(&p, AG_EUSE, "it has 0 nodes");
    p.n = n;
    lab_program_clear(&p);
}

/* Any bytes in the nodes are checked without harm; the seed is fixed. */
static void check_of_random_bytes(void **state)
{
    lab_program p;
    uint32_t seed = 12345;
    int passed = 0;
    begin(&p);
    const lab_window one = {1, 1, 0, 0, 1, 1, 0};
    lab_reduce_window(&p, X, LAB_MAX, (lab_window[]){one, one, one});
    convolve(&p, (lab_conv_dims){1, 0, 1, {2}, 0, 1, {2}, 0, 1, {2}, 1}, 5);
    lab_dot(&p, X, Y, (lab_dot_dims){1, 2, 1});
    lab_slice(&p, X, L(0, 0, 0), L(1, 1, 1), NULL);
    lab_pad(&p, X, C, L(0, 0, 0), L(1, 1, 1));
    lab_concatenate(&p, 2, L(X, X), 0);
    assert_int_equal(lab_program_check(&p, NULL), AG_OK);
    size_t bytes = (size_t)p.n * sizeof *p.nodes;
    lab_node *good = malloc(bytes);
    memcpy(good, p.nodes, bytes);
    for (int round = 0; round < 30000; round++) {
        for (int flips = 0; flips < 1 + round % 3; flips++) {
            seed = seed * 1664525u + 1013904223u;
            ((unsigned char *)p.nodes)[(seed >> 8) % bytes] = (unsigned char)(seed >> 3);
        }
        ag_failure why = {0};
        ag_status status = lab_program_check(&p, &why);
        assert_int_equal(status, why.status);
        assert_int_equal(status == AG_OK, why.sentence[0] == 0);
        passed += status == AG_OK;
        memcpy(p.nodes, good, bytes);
    }
    assert_in_range(passed, 1000, 29000); /* fields that no op reads can be anything */
    free(good);
    lab_program_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_moves),
                                       cmocka_unit_test(refused_arithmetic),
                                       cmocka_unit_test(refused_windows),
                                       cmocka_unit_test(append_copies),
                                       cmocka_unit_test(check_of_damaged_programs),
                                       cmocka_unit_test(check_of_random_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
