/* SPDX-License-Identifier: MIT */
/* The operands and axes of dots and the kinds of reductions, which the lab's files name. */
#include "support/test.h"
#include "examples/tpu/data/hlo.h"
#include "support/tpu_lab.h"
#include "support/tpu_npz.h"

enum { PAIRS = 7, DOT = 34, ADD = 2, MAXIMUM = 57 };

/* A file in which nodes 3 and 5 are dots: of the kernels 0 and 2, with nodes out of order. */
typedef struct named {
    test_fusion fusion;
    int64_t pair[PAIRS][2], axes[2][4];
    uint8_t reducer[FUSION_NODES];
} named;

static void make(named *f)
{
    static const int64_t pair[PAIRS][2] = {{1, 0}, {2, 0}, {3, 2}, {3, 1}, {5, 7}, {5, 7}, {7, 6}};
    static const int64_t axes[2][4] = {{3, 0, 1, 0}, {5, 1, 1, 2}};
    static const uint8_t reducer[FUSION_NODES] = {0, 0, 0, ADD, 0, MAXIMUM, ADD, 0};
    test_fusion_make(&f->fusion);
    memcpy(f->pair, pair, sizeof pair);
    memcpy(f->axes, axes, sizeof axes);
    memcpy(f->reducer, reducer, sizeof reducer);
    f->fusion.opcode[3] = f->fusion.opcode[5] = DOT;
    test_fusion *t = &f->fusion;
    t->array[t->arrays++] = (test_array){"operand_index", AG_I64, 2, {PAIRS, 2}, f->pair};
    t->array[t->arrays++] = (test_array){"dot_axes", AG_I64, 2, {2, 4}, f->axes};
    t->array[t->arrays++] = (test_array){"node_reducer", AG_U8, 1, {FUSION_NODES}, f->reducer};
}

static ag_status read(tpu_data *data, const named *f, ag_failure *why)
{
    assert_true(test_arrays_write(test_path, f->fusion.array, f->fusion.arrays));
    return test_tpu_add(data, NULL, why);
}

static void they_follow_their_nodes(void **state)
{
    const tpugraphs_dot first = {3, 2, 1, 0, 1, 0}, third = {2, 1, 1, 1, 1, 2};
    const int32_t reducers[] = {ADD, 0, MAXIMUM};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        named f;
        tpu_data d = {0};
        make(&f);
        if (i == 1) f.axes[0][2] = 0;
        if (i == 2) f.reducer[3] = MAXIMUM;
        expect_ok(read(&d, &f, new_failure()));
        assert_int_equal(d.kernel[0].dots, 1);
        assert_int_equal(d.kernel[1].dots, 0);
        assert_int_equal(d.kernel[2].dots, 1);
        if (!i) assert_memory_equal(d.kernel[0].dot, &first, sizeof first);
        assert_int_equal(d.kernel[0].reducer[3], i < 2 ? ADD : MAXIMUM);
        /* in topological order: nodes 6, 7, 5 of the file */
        assert_memory_equal(d.kernel[2].dot, &third, sizeof third);
        assert_memory_equal(d.kernel[2].reducer, reducers, sizeof reducers);
        hash[i] = d.hash;
        tpu_data_free(&d);
        assert_int_equal(d.budget.used, 0);
    }
    assert_true(hash[0] != hash[1] && hash[0] != hash[2]);
}

static void set(int64_t pair[2], int64_t consumer, int64_t producer)
{
    pair[0] = consumer;
    pair[1] = producer;
}

/* test_nests_operations has what is wrong in any file; these count from a kernel's first node. */
static void wrong_ones_are_refused(void **state)
{
    static const char *const says[] = {
        "node_reducer[1] = 121",
        "dot_axes[1] = (8, 1, 1, 2), but nodes are 0 to 7",
        "operand_index has the pair (0, 2) of nodes and edge_index has not",
        "operand_index has fewer than 2 operands of node 5, which is a dot",
        "edge_index has the pair (7, 6)",
        "operand_index has more than 2 operands of node 5"};
    for (int i = 0; i < 6; i++) {
        named f;
        tpu_data d = {0};
        make(&f);
        if (i == 0) f.reducer[1] = TPU_OPCODES;
        if (i == 1) f.axes[1][0] = FUSION_NODES;
        if (i == 2) set(f.pair[1], 0, 2); /* an edge of kernel 2, with later nodes */
        if (i == 3) set(f.pair[5], 7, 6);
        if (i == 4) set(f.pair[6], 5, 7); /* once more, and (7, 6) is missing */
        for (int e = 2; e < 4 && i == 5; e++) {
            set(f.pair[e], 5, 7);
            set(f.fusion.edge[e], 1, 0); /* node 3 has no operand now */
        }
        expect_status(read(&d, &f, new_failure()), AG_EDATA, says[i]);
        tpu_data_free(&d);
        assert_int_equal(d.budget.used, 0);
    }
}

/* A square product of x and the transpose of w. */
static void product(lab_program *p)
{
    *p = (lab_program){0};
    const int w = lab_parameter(p, LAB_F32, 2, (int[]){16, 16});
    const int x = lab_parameter(p, LAB_F32, 2, (int[]){16, 16});
    lab_dot(p, x, w, (lab_dot_dims){0, 1, 1});
    assert_int_equal(p->why.status, AG_OK);
}

static tpugraphs_operation first_reading(const tpu_kernel *k)
{
    tpu_hlo h = {0};
    tpu_hlo_open(&h, k);
    const tpugraphs_operation o = h.operation[2];
    assert_int_equal(o.kind, TPUGRAPHS_DOT);
    assert_true(tpu_hlo_taken_in(&h, 2) == 16);
    tpu_hlo_close(&h);
    return o;
}

static void what_the_file_says_is_read(void **state)
{
    lab_program p;
    tpu_kernel k;
    product(&p);
    tpu_lab_kernel(&k, &p); /* the shapes allow several readings */
    assert_int_equal(first_reading(&k).dot.right, 0);
    tpugraphs_dot dot = {2, 1, 0, 0, 1, 1};
    k.dots = 1;
    k.dot = &dot;
    const tpugraphs_operation said = first_reading(&k);
    assert_int_equal(said.operand[0], 1);
    assert_int_equal(said.operand[1], 0);
    assert_int_equal(said.dot.left, 1);
    assert_int_equal(said.dot.right, 1);
    dot.right_axis = 2; /* beyond the rank: as if nothing were said */
    assert_int_equal(first_reading(&k).dot.right, 0);
    dot = (tpugraphs_dot){2, -1, 2, 0, 1, 1};
    assert_int_equal(first_reading(&k).dot.right, 0);
    dot = (tpugraphs_dot){2, -1, -1, 0, 1, 1}; /* of a file without the order of operands */
    assert_int_equal(first_reading(&k).dot.right, 1);
    k.dot = NULL;
    tpu_kernel_free(&k);
    lab_program_clear(&p);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, they_follow_their_nodes,
                          wrong_ones_are_refused, what_the_file_says_is_read);
}
