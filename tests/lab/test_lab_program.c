/* SPDX-License-Identifier: MIT */
/* Programs: the list of ops, shapes that follow from operands, and refusals. */
#include "core/internal.h"
#include "examples/lab/program/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define L(...) ((const int[]){__VA_ARGS__})

static void ops_have_the_codes_of_tpugraphs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int code, arity;
    } expected[] = {
        {"abs", 1, 1},          {"add", 2, 2},
        {"broadcast", 13, 1},   {"clamp", 17, 3},
        {"compare", 20, 2},     {"concatenate", 22, -1},
        {"constant", 24, 0},    {"convert", 25, 1},
        {"convolution", 26, 2}, {"copy", 27, 1},
        {"divide", 32, 2},      {"dot", 34, 2},
        {"exponential", 37, 1}, {"gather", 42, 2},
        {"iota", 48, 0},        {"log", 50, 1},
        {"and", 52, 2},         {"not", 53, 1},
        {"or", 54, 2},          {"maximum", 57, 2},
        {"minimum", 58, 2},     {"multiply", 59, 2},
        {"negate", 60, 1},      {"pad", 62, 2},
        {"parameter", 63, 0},   {"power", 66, 2},
        {"reduce", 70, 1},      {"reduce-window", 72, 1},
        {"reshape", 75, 1},     {"reverse", 76, 1},
        {"rsqrt", 81, 1},       {"select", 83, 3},
        {"sign", 90, 1},        {"slice", 92, 1},
        {"sqrt", 94, 1},        {"subtract", 95, 2},
        {"tanh", 96, 1},        {"transpose", 98, 1},
        {"logistic", 107, 1},
    };
    assert_int_equal(sizeof expected / sizeof *expected, LAB_OPS);
    for (int i = 0; i < LAB_OPS; i++) {
        int op = lab_op_find(expected[i].name);
        assert_in_range(op, 0, LAB_OPS - 1);
        assert_string_equal(lab_op_name((lab_op)op), expected[i].name);
        assert_int_equal(lab_op_code((lab_op)op), expected[i].code);
        assert_int_equal(lab_op_arity((lab_op)op), expected[i].arity);
    }
    assert_int_equal(lab_op_find("tuple"), -1);
    assert_string_equal(lab_op_name(LAB_OPS), "unknown");
    assert_int_equal(lab_op_code(LAB_OPS), 0);
    assert_int_equal(lab_op_arity(LAB_OPS), 0);
    assert_string_equal(lab_type_name(LAB_F32), "f32");
    assert_string_equal(lab_type_name(LAB_S32), "s32");
    assert_string_equal(lab_type_name(LAB_PRED), "pred");
    assert_string_equal(lab_type_name(LAB_TYPES), "unknown");
}

static void elements(void **state)
{
    (void)state;
    assert_int_equal(lab_elements((lab_shape){0}), 1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 3, {2, 3, 4}}), 24);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 2, {1 << 14, 1 << 14}}), 1 << 28);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 2, {1 << 14, (1 << 14) + 1}}), -1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 4, {65536, 65536, 65536, 65536}}), -1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 2, {3, 0}}), -1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 1, {-1}}), -1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, 7, {1, 1, 1, 1, 1, 1}}), -1);
    assert_int_equal(lab_elements((lab_shape){LAB_F32, -1, {0}}), -1);
}

/* The node has the type and sizes; the sizes end with 0. */
static void is_shape(const lab_program *p, int node, lab_type type, const int *size)
{
    if (p->why.status) fail_msg("%s", p->why.sentence);
    assert_int_equal(node, p->n - 1);
    lab_shape s = p->nodes[node].shape;
    int rank = 0;
    for (; size[rank]; rank++) assert_int_equal(s.size[rank], size[rank]);
    assert_int_equal(s.rank, rank);
    assert_int_equal(s.type, type);
}

static void shapes_of_moves(void **state)
{
    (void)state;
    lab_program p = {0};
    int x = lab_parameter(&p, LAB_F32, 3, L(2, 3, 4));
    is_shape(&p, x, LAB_F32, L(2, 3, 4, 0));
    int c = lab_constant(&p, 1.5f);
    is_shape(&p, c, LAB_F32, L(0));
    int n = lab_iota(&p, 1, 2, L(5, 6));
    is_shape(&p, n, LAB_S32, L(5, 6, 0));
    is_shape(&p, lab_broadcast(&p, x, L(3, 0, 1), 4, L(3, 4, 9, 2)), LAB_F32, L(3, 4, 9, 2, 0));
    is_shape(&p, lab_broadcast(&p, n, L(0, 1), 3, L(5, 6, 7)), LAB_S32, L(5, 6, 7, 0));
    is_shape(&p, lab_broadcast(&p, c, NULL, 2, L(8, 9)), LAB_F32, L(8, 9, 0));
    is_shape(&p, lab_reshape(&p, x, 2, L(6, 4)), LAB_F32, L(6, 4, 0));
    is_shape(&p, lab_reshape(&p, c, 1, L(1)), LAB_F32, L(1, 0));
    is_shape(&p, lab_transpose(&p, x, L(2, 0, 1)), LAB_F32, L(4, 2, 3, 0));
    is_shape(&p, lab_unary(&p, LAB_COPY, n), LAB_S32, L(5, 6, 0));
    is_shape(&p, lab_convert(&p, n, LAB_F32), LAB_F32, L(5, 6, 0));
    is_shape(&p, lab_concatenate(&p, 3, L(x, x, x), 1), LAB_F32, L(2, 9, 4, 0));
    is_shape(&p, lab_slice(&p, x, L(1, 0, 1), L(2, 3, 4), L(1, 2, 2)), LAB_F32, L(1, 2, 2, 0));
    is_shape(&p, lab_slice(&p, x, L(1, 0, 1), L(2, 3, 4), NULL), LAB_F32, L(1, 3, 3, 0));
    is_shape(&p, lab_pad(&p, x, c, L(1, 0, 0), L(2, 0, 3)), LAB_F32, L(5, 3, 7, 0));
    is_shape(&p, lab_reverse(&p, x, 2, L(0, 2)), LAB_F32, L(2, 3, 4, 0));
    int table = lab_parameter(&p, LAB_F32, 2, L(100, 8));
    int rows = lab_parameter(&p, LAB_S32, 1, L(7));
    is_shape(&p, lab_gather(&p, table, rows), LAB_F32, L(7, 8, 0));
    assert_int_equal(lab_program_check(&p, NULL), AG_OK);
    assert_string_equal(p.nodes[1].name, "constant.1");
    assert_string_equal(p.nodes[p.n - 1].name, "gather.18");
    lab_program_clear(&p);
    assert_null(p.nodes);
    assert_int_equal(p.n, 0);
}

static void shapes_of_arithmetic(void **state)
{
    (void)state;
    lab_program p = {0};
    int x = lab_parameter(&p, LAB_F32, 3, L(2, 3, 4)), y = lab_unary(&p, LAB_TANH, x);
    is_shape(&p, y, LAB_F32, L(2, 3, 4, 0));
    is_shape(&p, lab_binary(&p, LAB_POWER, x, y), LAB_F32, L(2, 3, 4, 0));
    int more = lab_binary(&p, LAB_COMPARE, x, y);
    is_shape(&p, more, LAB_PRED, L(2, 3, 4, 0));
    is_shape(&p, lab_binary(&p, LAB_AND, more, more), LAB_PRED, L(2, 3, 4, 0));
    is_shape(&p, lab_unary(&p, LAB_NOT, more), LAB_PRED, L(2, 3, 4, 0));
    is_shape(&p, lab_select(&p, more, x, y), LAB_F32, L(2, 3, 4, 0));
    is_shape(&p, lab_select(&p, more, more, more), LAB_PRED, L(2, 3, 4, 0));
    is_shape(&p, lab_clamp(&p, x, y, x), LAB_F32, L(2, 3, 4, 0));
    is_shape(&p, lab_reduce(&p, x, LAB_MAX, 2, L(0, 2)), LAB_F32, L(3, 0));
    is_shape(&p, lab_reduce(&p, x, LAB_SUM, 3, L(0, 1, 2)), LAB_F32, L(0));
    int a = lab_parameter(&p, LAB_F32, 4, L(7, 2, 3, 4));
    int b = lab_parameter(&p, LAB_F32, 3, L(7, 5, 3));
    is_shape(&p, lab_dot(&p, a, b, (lab_dot_dims){1, 2, 2}), LAB_F32, L(7, 2, 4, 5, 0));
    int v = lab_parameter(&p, LAB_F32, 1, L(4));
    is_shape(&p, lab_dot(&p, v, v, (lab_dot_dims){0, 0, 0}), LAB_F32, L(0));
    assert_int_equal(lab_program_check(&p, NULL), AG_OK);
    for (int i = 0; i < p.n; i++)
        assert_int_equal(lab_configurable(&p.nodes[i]), p.nodes[i].op == LAB_DOT);
    lab_program_clear(&p);
}

static void shapes_of_windows(void **state)
{
    (void)state;
    lab_program p = {0};
    int x = lab_parameter(&p, LAB_F32, 4, L(2, 9, 8, 4));
    const lab_window one = {1, 1, 0, 0, 1, 1, 0}, pool = {3, 2, 0, 1, 1, 1, 0};
    is_shape(&p, lab_reduce_window(&p, x, LAB_MAX, (lab_window[]){one, pool, pool, one}), LAB_F32,
             L(2, 4, 4, 4, 0));
    lab_conv_dims d = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 3, 0, {2, 1}, 1};
    int k = lab_parameter(&p, LAB_F32, 4, L(3, 2, 4, 6));
    /* 9 rows, padded to 11, seen by 3 rows 2 apart, in steps of 3; 8 columns 2 apart, less 1 */
    lab_window w[2] = {{3, 3, 1, 1, 2, 1, 0}, {2, 1, 0, -1, 1, 2, 1}};
    int c = lab_convolution(&p, x, k, d, w);
    is_shape(&p, c, LAB_F32, L(6, 13, 3, 2, 0));
    assert_int_equal(lab_configurable(&p.nodes[c]), 1);
    lab_conv_dims depthwise = {1, 0, 1, {2}, 1, 0, {2}, 0, 1, {2}, 4};
    int s = lab_parameter(&p, LAB_F32, 3, L(2, 4, 10)),
        f = lab_parameter(&p, LAB_F32, 3, L(8, 1, 3));
    is_shape(&p, lab_convolution(&p, s, f, depthwise, &(lab_window){3, 1, 1, 1, 1, 1, 0}), LAB_F32,
             L(2, 8, 10, 0));
    assert_int_equal(lab_program_check(&p, NULL), AG_OK);
    lab_program_clear(&p);
}

static void as_many_nodes_as_there_may_be(void **state)
{
    (void)state;
    lab_program p = {0};
    int x = lab_constant(&p, 1);
    for (int i = 1; i < LAB_NODES; i++) x = lab_unary(&p, LAB_COPY, x);
    assert_int_equal(p.why.status, AG_OK);
    assert_int_equal(p.n, LAB_NODES);
    assert_int_equal(lab_unary(&p, LAB_COPY, x), 0);
    assert_int_equal(p.why.status, AG_EUSE);
    assert_non_null(strstr(p.why.sentence, "100000 nodes already"));
    lab_program_clear(&p);
}

static void no_memory(void **state)
{
    (void)state;
    lab_program p = {0};
    ag__fail_allocation(1, 0);
    assert_int_equal(lab_constant(&p, 1), 0);
    ag__fail_allocation(0, 0);
    assert_int_equal(p.why.status, AG_EMEMORY);
    assert_int_equal(p.n, 0);
    lab_program_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_have_the_codes_of_tpugraphs),
        cmocka_unit_test(elements),
        cmocka_unit_test(shapes_of_moves),
        cmocka_unit_test(shapes_of_arithmetic),
        cmocka_unit_test(shapes_of_windows),
        cmocka_unit_test(as_many_nodes_as_there_may_be),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
