/* SPDX-License-Identifier: MIT */
/* Programs: lists of nodes. Shapes and refusals: test_lab_text.c; features: test_lab_data.c, but
   for the strides of slices. */
#include "support/test.h"
#include "examples/lab/program/features.h"

#define L(...) ((const int[]){__VA_ARGS__})

static void elements(void **state)
{
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

/* A builder fails with a sentence, and those after it do nothing. */
static void the_first_failure_stays(void **state)
{
    lab_program p = {.name = "net"};
    const int x = lab_parameter(&p, LAB_F32, 2, L(2, 3));
    assert_int_equal(lab_reshape(&p, x, 1, L(7)), 0);
    assert_int_equal(lab_unary(&p, LAB_ABS, 99), 0);
    assert_int_equal(p.n, 1);
    expect_sentence(&p.why, AG_EDATA, "program net, node 1: reshape: operand 0 f32[2,3] and the");
    lab_program_clear(&p);
    assert_int_equal(lab_unary(&p, LAB_ABS, 0), 0);
    expect_sentence(&p.why, AG_EDATA, "operand 0 is node 0; 0 nodes stand before this one");
    lab_program_clear(&p);
}

/* Nodes of a list can be appended to it while it grows and moves; their shapes are looked at. */
static void nodes_are_copied(void **state)
{
    lab_program p = {.name = "net"};
    const int x = lab_parameter(&p, LAB_F32, 2, L(4, 5)), t = lab_transpose(&p, x, L(1, 0));
    for (int i = 0; i < 300; i++) assert_int_equal(lab_append(&p, &p.nodes[t]), t + 1 + i);
    assert_memory_equal(&p.nodes[t], &p.nodes[p.n - 1], sizeof *p.nodes);
    lab_node node = p.nodes[t];
    node.shape.size[0]++;
    assert_int_equal(lab_append(&p, &node), 0);
    expect_sentence(&p.why, AG_EDATA, "the shape is f32[6,4], but f32[5,4] follows");
    lab_program_clear(&p);
}

static void as_many_nodes_as_there_may_be(void **state)
{
    lab_program p = {0};
    int x = lab_constant(&p, 1);
    for (int i = 1; i < LAB_NODES; i++) x = lab_unary(&p, LAB_COPY, x);
    assert_int_equal(p.why.status, AG_OK);
    assert_int_equal(p.n, LAB_NODES);
    assert_int_equal(lab_unary(&p, LAB_COPY, x), 0);
    expect_sentence(&p.why, AG_EDATA, "100000 nodes already");
    lab_program_clear(&p);
}

/* Products of six large numbers wrap around in 64 bits, as in the published files. */
static void products_wrap(void **state)
{
    lab_program p = {0};
    int x = lab_parameter(&p, LAB_F32, 6, L(1, 1, 1, 1, 1, 1));
    const int one[6] = {1, 1, 1, 1, 1, 1}, zero[6] = {0};
    const int large[6] = {1 << 27, 1 << 27, 3 << 9, 1, 1, 1},
              wrapped[6] = {1 << 27, 1 << 27, 1 << 27, 1, 1, 1};
    int a = lab_slice(&p, x, zero, one, large), b = lab_slice(&p, x, zero, one, wrapped);
    float row[LAB_FEATURES];
    assert_string_equal(p.why.sentence, "");
    lab_node_features(row, &p, a);
    assert_true(row[116] == -9223372036854775808.0f); /* 3 * 2^63 */
    lab_node_features(row, &p, b);
    assert_true(row[115] == 3.0f * (float)(1 << 27) + 4.0f && row[116] == 0.0f); /* 2^81 */
    for (int i = 0; i < 6; i++) assert_true(row[134 + i] == (float)(5 - i));     /* the layout */
    lab_program_clear(&p);
}

static void edges_are_sorted_and_unique(void **state)
{
    lab_program p = {0};
    int x = lab_parameter(&p, LAB_F32, 1, L(2)), y = lab_parameter(&p, LAB_F32, 1, L(2));
    int z = lab_binary(&p, LAB_ADD, y, x), s = lab_binary(&p, LAB_MULTIPLY, z, z);
    int c = lab_concatenate(&p, 8, L(s, y, s, z, x, z, y, s), 0);
    lab_unary(&p, LAB_ABS, c);
    assert_string_equal(p.why.sentence, "");
    static const int64_t expected[][2] = {{2, 0}, {2, 1}, {3, 2}, {4, 0},
                                          {4, 1}, {4, 2}, {4, 3}, {5, 4}};
    int64_t(*edges)[2] = malloc((size_t)p.n * LAB_OPERANDS * sizeof *edges);
    assert_int_equal(lab_edges(edges, &p), 8);
    assert_memory_equal(edges, expected, sizeof expected);
    free(edges);
    lab_program_clear(&p);
}

int main(void)
{
    return RUN_TESTS(elements, the_first_failure_stays, nodes_are_copied,
                     as_many_nodes_as_there_may_be, products_wrap, edges_are_sorted_and_unique);
}
