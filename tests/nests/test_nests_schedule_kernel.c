/* SPDX-License-Identifier: MIT */
/* Columns of the innermost loops as a compiler leaves them: trees that can be worked out by hand.
 */
#include "nests_schedule.h"

enum { KERNEL = TPGNN_NEST + 18 + 4 * 12 + 6 * 9 + 36, REUSE = KERNEL + 45 };
enum { COPIES, PER_PLACE, TILE, PLACES, BLOCK = 5, VECTOR, LANES, REGISTERS, SCATTERED, GATHERED };
enum { OUTER = GATHERED + 1, SIZE, ALL, MOVES, BRANCHES, SOURCES, STEP, KIND, SAVED, ALLOCATIONS };
enum { PRIVATE = ALLOCATIONS + 1, SCATTERS, RUN, RUN_LOADS, BESIDE = 27, WAITS = 31, STAY };
enum { NEXT = 37, OUTSIDE = 42, BLOCKS, PER_BLOCK };

static void is(const rows *r, int row, int column, double quantity)
{
    const double x = at(r, row, KERNEL + column);
    if (fabs(x - quantity) > 1e-4 * (1 + fabs(quantity)))
        fail_msg("row %d: column %d of the kernel is %g, should be %g", row, column, x, quantity);
}

static void assign(tree *t, int to, int row, int column)
{
    node(t, "BufferStore", "float32", 0, to);
    constant(t);
    var(t, row);
    if (column >= 0) var(t, column);
    end(t, 1);
}

/* Three buffers of 64 x 64, and the loops i, then j and k in this order or the other. */
typedef struct product {
    const char *j, *k;
    int rows, columns, sums, sums_inside;
} product;

static void take_product(rows *r, const product *p)
{
    tree *t = program();
    int of[3], j = -1, k = -1;
    for (int i = 0; i < 3; i++) of[i] = buffer(t, "Param", 64, 64);
    const int i = loop(t, "serial", p->rows);
    if (p->sums_inside) j = loop(t, p->j, p->columns);
    k = loop(t, p->k, p->sums);
    if (!p->sums_inside) j = loop(t, p->j, p->columns);
    multiply(t, of, i, k, j);
    take(r, t);
    drop(t);
}

/* The sum has 12 instructions and overhead: 40 of them are unrolled, 41 are not. */
static void short_loops_are_unrolled(void **state)
{
    rows r;
    take_product(&r, &(product){"serial", "serial", 64, 32, 40, 1});
    is(&r, 0, COPIES, 40);
    is(&r, 0, PER_PLACE, 40);
    is(&r, 0, TILE, 1);
    is(&r, 0, PLACES, 80); /* of A and B */
    is(&r, 0, PLACES + 1, 2);
    is(&r, 0, PER_BLOCK, 64 * exp((double)r.cost[0]) / 64);
    is(&r, 0, BLOCK, 1);
    is(&r, 0, VECTOR, 2); /* the loop around it is vectorised */
    is(&r, 0, LANES, 32);
    is(&r, 0, REGISTERS, 2);
    is(&r, 0, OUTER, 0);
    is(&r, 0, SIZE, 480);
    is(&r, 0, ALL, 480 * 32);
    is(&r, 0, MOVES, 1);
    is(&r, 0, STAY, 32);
    is(&r, 0, STAY + 1, 1); /* C and B follow it, A, which is larger, does not */
    is(&r, 0, STAY + 2, 0);
    is(&r, 0, STAY + 3, 1);
    is(&r, 0, NEXT, 64);
    is(&r, 0, NEXT + 1, 64);
    is(&r, 0, OUTSIDE, 1);
    is(&r, 0, BLOCKS, 64);
    take_product(&r, &(product){"serial", "serial", 64, 32, 41, 1});
    is(&r, 0, COPIES, 1);
    is(&r, 0, BLOCK, 0);
    is(&r, 0, VECTOR, -1);
    is(&r, 0, STAY, 41);
    is(&r, 0, MOVES, 0);
    is(&r, 0, OUTSIDE, 64);
    is(&r, 0, WAITS, 0); /* sums that wait for each other */
}

/* Sums in vectors of 24 elements do not stay in registers from one round of a loop to the next. */
static void odd_vectors_are_carried_one_by_one(void **state)
{
    rows r;
    take_product(&r, &(product){"vectorized", "serial", 64, 24, 64, 0});
    is(&r, 0, VECTOR, 1);
    is(&r, 0, SCATTERED, 24);
    const double odd = (double)r.cost[0];
    take_product(&r, &(product){"vectorized", "serial", 64, 32, 64, 0});
    is(&r, 0, SCATTERED, 0);
    assert_true((double)r.cost[0] < odd);
    take_product(&r, &(product){"vectorized", "serial", 64, 12, 64, 0});
    is(&r, 0, SCATTERED, 0); /* one register */
}

/* A vector of 16 sums reads 16 rows of B. */
static void rows_are_gathered(void **state)
{
    rows r;
    take_product(&r, &(product){"serial", "vectorized", 64, 64, 16, 1});
    is(&r, 0, GATHERED, 16);
    take_product(&r, &(product){"vectorized", "serial", 64, 16, 64, 0});
    is(&r, 0, GATHERED, 0);
}

/* for x: for y, unrolled: P[2 x + y] = Q[x, y] follows itself; in rows of R it does not. */
static void strides_that_a_block_fills(void **state)
{
    rows r;
    tree *t = program();
    const int p = buffer(t, "Param", 128, 0), q = buffer(t, "Param", 64, 64);
    const int x = loop(t, "serial", 64), y = loop(t, "unrolled", 2);
    node(t, "BufferStore", "float32", 0, p);
    load(t, q, x, y);
    node(t, "Add", "int32", 0, -1);
    with(t, "Mul", x, 2);
    var(t, y);
    take(&r, t);
    is(&r, 0, BESIDE, 1);
    is(&r, 0, BESIDE + 1, 32);
    is(&r, 0, RUN, 2);
    is(&r, 0, RUN_LOADS, 1);
    is(&r, 0, SCATTERS, 0);
    drop(t);
    t = program();
    const int c = buffer(t, "Param", 64, 64);
    const int row = loop(t, "serial", 64), column = loop(t, "unrolled", 2);
    assign(t, c, row, column);
    take(&r, t);
    is(&r, 0, BESIDE, 32);
    drop(t);
}

/* for i: for j: S[0] = 1.5; for k: S[0] = S[0] + A[i, k] or A[k, j]; P[i, j] = S[0] */
static void take_sum(rows *r, int of_j, int sums, int size)
{
    tree *t = program();
    const int a = buffer(t, "Param", 64, 64), p = buffer(t, "Param", 64, 64);
    const int i = loop(t, "parallel", 64), j = loop(t, "serial", 32);
    node(t, "SeqStmt", "-", 0, -1);
    const int s = buffer(t, "AllocBuffer", size, 0);
    node(t, "BufferStore", "float32", 0, s);
    constant(t);
    number(t, 0);
    end(t, 1);
    const int k = loop(t, "serial", sums);
    node(t, "BufferStore", "float32", 0, s);
    node(t, "Add", "float32", 0, -1);
    load_first(t, s);
    if (of_j)
        load(t, a, k, j);
    else
        load(t, a, i, k);
    end(t, 1);
    number(t, 0);
    end(t, 2);
    node(t, "BufferStore", "float32", 0, p);
    load_first(t, s);
    var(t, i);
    var(t, j);
    take(r, t);
    drop(t);
}

static void what_repeats_leaves_the_loop(void **state)
{
    rows r;
    take_sum(&r, 0, 16, 1);
    is(&r, 1, SAVED, 32);
    is(&r, 1, PRIVATE, 1);
    is(&r, 2, SAVED, 1);   /* it stores to the output */
    is(&r, 1, SOURCES, 3); /* in the loop that stays */
    const double once = (double)r.cost[1];
    take_sum(&r, 1, 16, 1);
    is(&r, 1, SAVED, 1);
    assert_true((double)r.cost[1] > once + log(8));
    is(&r, 1, VECTOR, 2); /* each iteration has a sum of its own */
    is(&r, 1, LANES, 32);
    take_sum(&r, 0, 64, 1); /* a loop that stays is not moved */
    is(&r, 1, SAVED, 1);
    is(&r, 1, PRIVATE, 0);
}

/* TVM allocates more than 1,024 bytes elsewhere, in every iteration. */
static void large_buffers_are_allocated(void **state)
{
    rows r;
    take_sum(&r, 0, 16, 256);
    is(&r, 0, ALLOCATIONS, 0);
    const double stack = (double)r.cost[0];
    take_sum(&r, 0, 16, 257);
    is(&r, 0, ALLOCATIONS, 1024);
    is(&r, 1, ALLOCATIONS, 0); /* the first store pays */
    assert_true((double)r.cost[0] > stack);
}

/* for i: for j, vectorised: P[i,j] = if_then_else(j < 3, Q[i,j], 1.5): a loop again, unrolled by a
   pragma that allows 64 of them. */
static void conditions_undo_vectors(void **state)
{
    rows r;
    for (int step = 0; step <= 64; step += 64) {
        tree *t = program();
        const int p = buffer(t, "Param", 64, 64), q = buffer(t, "Param", 64, 64);
        node(t, "AttrStmt.pragma_auto_unroll_max_step", "-", step, -1);
        number(t, step);
        const int i = loop(t, "serial", 32), j = loop(t, "vectorized", 64);
        node(t, "BufferStore", "float32", 0, p);
        node(t, "Call.if_then_else", "float32", 0, -1);
        with(t, "LT", j, 3);
        load(t, q, i, j);
        constant(t);
        end(t, 1);
        var(t, i);
        var(t, j);
        take(&r, t);
        is(&r, 0, VECTOR, step ? 1 : 2);
        is(&r, 0, LANES, 64);
        is(&r, 0, BRANCHES, step ? 64 : 1);
        is(&r, 0, STAY, step ? 32 : 64);
        is(&r, 0, STEP, step);
        is(&r, 0, KIND, 0);
        drop(t);
    }
}

/* for k: for i: C[i] of a column: its lines are needed again after 64 of them, which share sets if
   rows are a page apart. */
static void reuse_and_sets(void **state)
{
    rows r;
    double fetched[2];
    for (int page = 0; page < 2; page++) {
        tree *t = program();
        const int c = buffer(t, "Param", 640, page ? 1024 : 1008);
        const int outer = loop(t, "serial", 64), i = loop(t, "serial", 640);
        (void)outer;
        node(t, "BufferStore", "float32", 0, c);
        constant(t);
        var(t, i);
        number(t, 5);
        take(&r, t);
        const double loops = at(&r, 0, REUSE), lines = at(&r, 0, REUSE + 1);
        assert_true(fabs(loops - 64) < 1e-3 && fabs(lines - 640) < 0.1);
        assert_true(fabs(at(&r, 0, REUSE + 4) - 640) < 0.1);
        fetched[page] = at(&r, 0, REUSE + 6);
        if (page)
            assert_true(at(&r, 0, REUSE + 2) > 60 && at(&r, 0, REUSE + 3) > 60 * 640);
        else
            assert_true(at(&r, 0, REUSE + 2) < 8);
        assert_true(at(&r, 0, REUSE + 5) > 1000); /* 640 lines are more than half of 32 KB */
        is(&r, 0, SCATTERS, 640);
        drop(t);
    }
    assert_true(fetched[1] > 10 * fetched[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_loops_are_unrolled),
                                       cmocka_unit_test(odd_vectors_are_carried_one_by_one),
                                       cmocka_unit_test(rows_are_gathered),
                                       cmocka_unit_test(strides_that_a_block_fills),
                                       cmocka_unit_test(what_repeats_leaves_the_loop),
                                       cmocka_unit_test(large_buffers_are_allocated),
                                       cmocka_unit_test(conditions_undo_vectors),
                                       cmocka_unit_test(reuse_and_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
