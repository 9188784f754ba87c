/* SPDX-License-Identifier: MIT */
/* Features of nodes from their loops: trees small enough to work out by hand. Damaged ones:
   test_nests_schedule.c, fuzz_tpgnn_schedules.c. */
#include "support/tpgnn_tree.h"

/* C[32,64] += A[32,16] B[16,64]: loops over rows, the sum, and vectors. */
static void a_product_of_matrices(void **state)
{
    tree *t = program();
    const int a = buffer(t, "Param", 32, 16), b = buffer(t, "Param", 16, 64);
    const int c = buffer(t, "AllocBuffer", 32, 64);
    const int i = loop(t, "parallel", 32), k = loop(t, "serial", 16), j = loop(t, "vectorized", 64);
    const multiplied m = multiply(t, (int[]){a, b, c}, i, k, j);
    const int store = m.store, from_a = m.a, from_b = m.b;
    compute(t);

    check(t, store, "trips", 32 * 16 * 64 - 1);
    check(t, store, "vector", 63);
    check(t, store, "parallel", 31);
    check(t, from_a, "trips", 32 * 16 * 64 - 1);
    check(t, k, "trips", 31);
    check_flag(t, 0, "trips", 0);
    assert_true(fabs(column(t, store, "loops") - 3.0 / 8) < 1e-7);

    check_flag(t, from_a, "is_broadcast", 1);
    check_flag(t, from_b, "is_broadcast", 0);
    check_flag(t, from_b, "is_contiguous", 1);
    check_flag(t, from_a, "is_next", 1);
    check(t, from_b, "along", 64);
    check_flag(t, store, "is_fixed", 1);
    check(t, from_a, "bytes", 32 * 16 * 4);
    check(t, store, "lines", 128);
    check(t, m.c, "reuse", 15);
    check(t, from_b, "reuse", 31);
    check(t, from_b, "buffer", 4096);
    check_flag(t, store, "is_local", 1);
    check_flag(t, from_a, "is_local", 0);

    check(t, k, "loop_extent", 15);
    check(t, k, "loop_inside", 64);
    check(t, k, "loop_work", 16 * 64);
    check(t, k, "loop_lines", 4 + 1 + 64);
    check(t, k, "loop_bytes", 4 * (64 + 16 + 16 * 64));
    check(t, i, "loop_work", 32 * 16 * 64);
    check(t, 0, "loop_lines", 128 + 32 + 64);
    check_flag(t, j, "loop_height", 0);

    check(t, store, "ops", 2);
    check_flag(t, store, "is_update", 1);
    check(t, store, "loads_contiguous", 2);
    check(t, store, "loads_broadcast", 1);
    check(t, store, "miss_near", 0); /* all of it fits */
    check(t, store, "moved", 32 * 16 * 64 * 16);
    check(t, store, "statements", 32 * 16);
    drop(t);
}

/* X[f // 4, f % 4] runs through memory; Y[3 j] jumps; Z[j // 4] repeats. */
static void indices_are_understood(void **state)
{
    tree *t = program();
    const int x = buffer(t, "Param", 8, 4), y = buffer(t, "Param", 100, 0);
    const int z = buffer(t, "Param", 100, 0);
    const int f = loop(t, "vectorized", 32);
    const int store = node(t, "BufferStore", "float32", 0, x);
    node(t, "Sub", "float32", 0, -1);
    const int from_y = node(t, "BufferLoad", "float32", 0, y);
    with(t, "Mul", f, 3);
    end(t, 1);
    const int from_z = node(t, "BufferLoad", "float32", 0, z);
    with(t, "FloorDiv", f, 4);
    end(t, 2);
    with(t, "FloorDiv", f, 4);
    with(t, "FloorMod", f, 4);
    compute(t);
    check_flag(t, store, "is_contiguous", 1);
    check(t, store, "lines", 2);
    check(t, store, "bytes", 128);
    check(t, from_y, "across", 3);
    check(t, from_y, "lines", 6); /* 94 elements */
    check(t, from_y, "bytes", 128);
    check_flag(t, from_z, "is_contiguous", 0);
    check(t, from_z, "bytes", 32);
    check(t, from_z, "reuse", 3);
    check(t, store, "loads_strided", 2);
    drop(t);
}

/* (8 o + i) // 8 is o, whatever i; (8 o + i) % 8 is i. */
static void tiles_come_apart(void **state)
{
    tree *t = program();
    const int x = buffer(t, "Param", 5, 8);
    const int o = loop(t, "serial", 5), i = loop(t, "serial", 8);
    node(t, "SeqStmt", "-", 0, -1);
    int v[2];
    for (int which = 0; which < 2; which++) {
        v[which] = node(t, "BufferLoad", "float32", 0, x);
        if (which) number(t, 0);
        node(t, which ? "FloorMod" : "FloorDiv", "int32", 0, -1);
        node(t, "Add", "int32", 0, -1);
        with(t, "Mul", o, 8);
        var(t, i);
        end(t, 1);
        number(t, 8);
        end(t, 1);
        if (!which) number(t, 0);
        end(t, 1);
    }
    compute(t);
    check(t, v[0], "bytes", 5 * 4);
    check(t, v[1], "bytes", 8 * 4);
    check_flag(t, v[0], "is_fixed", 1);
    check_flag(t, v[1], "is_next", 1);
    drop(t);
}

/* A sum in one place waits for itself; a pragma gives it independent ones in between. */
static void sums_wait(void **state)
{
    for (int unrolled = 0; unrolled < 2; unrolled++) {
        tree *t = program();
        const int a = buffer(t, "Param", 4, 1000), sum = buffer(t, "Param", 4, 0);
        node(t, "AttrStmt.pragma_auto_unroll_max_step", "-", 16, -1);
        number(t, 16);
        int i = 0, k = 0;
        if (!unrolled) i = loop(t, "serial", 4);
        k = loop(t, "serial", 1000);
        if (unrolled) i = loop(t, "serial", 4);
        const int store = node(t, "BufferStore", "float32", 0, sum);
        node(t, "Add", "float32", 0, -1);
        load(t, sum, i, -1);
        load(t, a, i, k);
        end(t, 1);
        var(t, i);
        compute(t);
        check_flag(t, store, "is_update", 1);
        check(t, store, "step", 16);
        check_flag(t, i, "loop_unrolled", unrolled);
        check_flag(t, k, "loop_unrolled", 0);
        check_flag(t, store, "is_innermost", !unrolled);
        check(t, store, "unroll", unrolled ? 3 : 0);
        if (!unrolled) check(t, store, "chain", 4 * 4000);
        if (!unrolled) check(t, store, "overhead", 2 * (4 + 4000));
        drop(t);
    }
}

/* 8 times through 64 KB: more than the nearest cache, less than the next. */
static void lines_are_fetched_again(void **state)
{
    tree *t = program();
    const int a = buffer(t, "Param", 8192, 0), b = buffer(t, "Param", 8192, 0);
    loop(t, "serial", 8);
    const int j = loop(t, "serial", 8192);
    const int store = node(t, "BufferStore", "float32", 0, b);
    load(t, a, j, -1);
    var(t, j);
    compute(t);
    check(t, store, "miss_near", 8 * 1024);
    check(t, store, "miss_middle", 0);
    drop(t);
}

/* Columns whose elements are 4096 bytes apart meet in one set of a near cache: 100 of them do not
   stay there, 100 that are apart by another line do. */
static void columns_crowd_a_cache(void **state)
{
    for (int more = 0; more < 2; more++) {
        tree *t = program();
        const int a = buffer(t, "Param", 100, more ? 1040 : 1024), b = buffer(t, "Param", 100, 0);
        const int i = loop(t, "serial", 8), j = loop(t, "serial", 100);
        const int store = node(t, "BufferStore", "float32", 0, b);
        load(t, a, j, i);
        var(t, j);
        compute(t);
        check(t, store, "miss_near", more ? 100 + 7 : 8 * (100 + 7));
        drop(t);
    }
}

static void a_condition_is_around(void **state)
{
    tree *t = program();
    const int b = buffer(t, "Param", 64, 0), i = loop(t, "vectorized", 16);
    node(t, "IfThenElse", "-", 0, -1);
    with(t, "LT", i, 9);
    const int first = node(t, "BufferStore", "float32", 0, b);
    constant(t);
    var(t, i);
    end(t, 2);
    end(t, 1);
    const int second = node(t, "BufferStore", "float32", 0, b);
    node(t, "Call.if_then_else", "float32", 0, -1);
    with(t, "LT", i, 9);
    constant(t);
    node(t, "Call.exp", "float32", 0, -1);
    constant(t);
    end(t, 2);
    number(t, 3);
    compute(t);
    assert_true(fabs(column(t, first, "conditions") - 0.125) < 1e-7);
    check_flag(t, second, "conditions", 0);
    check(t, second, "choices", 1);
    check(t, second, "calls", 1);
    drop(t);
}

static void indices_are_marked(void **state)
{
    tree *t = program();
    const int a = buffer(t, "Param", 4, 4);
    const int pragma = node(t, "AttrStmt.pragma_auto_unroll_max_step", "-", 16, -1);
    number(t, 16);
    const int i = loop(t, "serial", 4);
    const int choice = node(t, "IfThenElse", "-", 0, -1);
    with(t, "LT", i, 3);
    const int store = node(t, "BufferStore", "float32", 0, a);
    const int from = load(t, a, i, i);
    with(t, "Add", i, 1);
    var(t, i);
    uint8_t *mark = harness_alloc((size_t)t->s.nodes);
    tpgnn_nest_indices(mark, &t->data, &t->s);
    static const uint8_t should[] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    assert_int_equal(t->s.nodes, sizeof should);
    assert_memory_equal(mark, should, sizeof should);
    assert_true(pragma == 4 && i == 6 && choice == 9 && store == 13 && from == 14);
    harness_free(mark);
    drop(t);
}

static void check_range(const tree *t)
{
    for (size_t i = 0; i < (size_t)t->s.nodes * TPGNN_NEST; i++)
        if (!(t->x[i] >= -2 && t->x[i] <= 8))
            fail_msg("column %d of node %d is %g", (int)(i % TPGNN_NEST), (int)(i / TPGNN_NEST),
                     (double)t->x[i]);
}

/* Of element types as TVM writes them. An element has at least a byte; of a vscale the least is 1.
 */
static void types_have_bytes(void **state)
{
    const char *at =
        "float32 4 float64 8 bfloat16 2 int8 1 uint1 1 int4 1 bool 1 boolx16 16 handle 8 - 4 "
        "float8_e4m3fn 1 float8_e5m2x4 4 float4_e2m1fn 1 float4_e2m1fnx8 4 float6_e3m2fnx4 3 "
        "float32x8 32 int8x4 4 float16x128 256 float32xvscalex4 16 custom[posites2]32 4 "
        "custom[x8]16x2 4";
    char type[32];
    for (int bytes, n; sscanf(at, "%31s %d%n", type, &bytes, &n) == 2; at += n) {
        tree *t = program();
        const int b = node(t, "Param", type, 0, -1);
        number(t, 1024);
        end(t, 1);
        const int l = loop(t, "serial", 64);
        const int store = node(t, "BufferStore", type, 0, b);
        constant(t);
        var(t, l);
        compute(t);
        check(t, store, "bytes", 64 * bytes);
        drop(t);
    }
}

static void deep_trees_are_bounded(void **state)
{
    tree *t = program();
    const int b = buffer(t, "Param", 1 << 20, 0);
    int inner = 0;
    for (int i = 0; i < 9000; i++) inner = loop(t, "serial", 3);
    const int store = node(t, "BufferStore", "float32", 0, b);
    for (int i = 0; i < 9000; i++) node(t, "Add", "float32", 0, -1);
    end(t, 9000);
    for (int i = 0; i < 3000; i++) node(t, "Mul", "int32", 0, -1);
    var(t, inner);
    compute(t);
    check_range(t);
    check(t, store, "ops", 9000);
    assert_true(column(t, store, "loops") == 4 && column(t, inner, "loop_height") == 0);
    drop(t);
}

static void one_node_is_a_tree(void **state)
{
    tree *t = start();
    node(t, "BufferStore", "float32", 0, -1);
    compute(t);
    check(t, 0, "statements", 1);
    check_range(t);
    drop(t);
}

int main(void)
{
    return RUN_TESTS(a_product_of_matrices, indices_are_understood, tiles_come_apart, sums_wait,
                     lines_are_fetched_again, columns_crowd_a_cache, a_condition_is_around,
                     indices_are_marked, deep_trees_are_bounded, one_node_is_a_tree,
                     types_have_bytes);
}
