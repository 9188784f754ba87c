/* SPDX-License-Identifier: MIT */
/* Rows of statements: trees small enough to work out by hand, and damaged ones; and their columns
   of the innermost loops as a compiler leaves them. */
#include "examples/tpgnn/rows/rows.h"
#include "support/tpgnn_damaged.h"

enum { PART = TPGNN_NEST, OWN = PART + 18, FIRST = OWN + 12, SECOND = FIRST + 12 };
enum { LEVELS = OWN + 4 * 12, INNER = LEVELS + 6 * 9, AROUND = INNER + 13 };
enum { LIFE = AROUND + 14, KERNEL = TPGNN_NEST + 18 + 4 * 12 + 6 * 9 + 36, REUSE = KERNEL + 45 };
enum { COPIES = KERNEL, PER_PLACE, TILE, PLACES, BLOCK = KERNEL + 5, VECTOR, LANES, REGISTERS };
enum { SCATTERED = REGISTERS + 1, GATHERED, OUTER, SIZE, ALL, MOVES, BRANCHES, SOURCES, STEP };
enum { KIND = STEP + 1, SAVED, ALLOCATIONS, PRIVATE, SCATTERS, RUN, RUN_LOADS };
enum { BESIDE = KERNEL + 27, WAITS = KERNEL + 31, STAY, NEXT = KERNEL + 37, OUTSIDE = KERNEL + 42 };

typedef struct rows {
    float row[8][NESTS_SCHEDULE_ROW], cost[8];
    int n;
} rows;

static void take(rows *r, const tree *t)
{
    nests_rows made = {0};
    *r = (rows){0};
    nests_schedule_rows_add(&made, &t->data, &t->s);
    r->n = made.rows;
    assert_in_range(r->n, 0, 8);
    assert_int_equal(r->n, nests_schedule_stores(&t->data, &t->s));
    memcpy(r->row, made.x, (size_t)r->n * sizeof *r->row);
    for (int i = 0; i < r->n; i++) r->cost[i] = (float)log(made.work[i]);
    nests_rows_free(&made);
}

/* A column without the scale of nest.h. */
static double at(const rows *r, int row, int column)
{
    const double x = (double)r->row[row][column];
    return copysign(exp2(8 * fabs(x)) - 1, x);
}

static void is(const rows *r, int row, int column, double quantity)
{
    const double x = at(r, row, column);
    if (fabs(x - quantity) > 1e-5 * (1 + fabs(quantity)))
        fail_msg("row %d: column %d is %g, should be %g", row, column, x, quantity);
}

static void are(const rows *r, int row, int column, int n, const double *quantity)
{
    for (int i = 0; i < n; i++) is(r, row, column + i, quantity[i]);
}

/* ---- statements ---- */

/* C[32,64] += A[32,16] B[16,64]: loops over rows, the sum, and vectors. */
static void a_product_of_matrices(void **state)
{
    tree *t = program();
    rows r;
    const int a = buffer(t, "Param", 32, 16), b = buffer(t, "Param", 16, 64);
    const int c = buffer(t, "AllocBuffer", 32, 64);
    const int i = loop(t, "parallel", 32), k = loop(t, "serial", 16), j = loop(t, "vectorized", 64);
    const int store = multiply(t, (int[]){a, b, c}, i, k, j).store;
    compute(t);
    take(&r, t);
    assert_int_equal(r.n, 1);
    assert_memory_equal(r.row[0], t->x + (size_t)store * TPGNN_NEST, TPGNN_NEST * sizeof(float));
    const double cycles = exp2(8 * column(t, store, "cycles")) - 1;
    assert_true(fabs((double)r.cost[0] - log(cycles)) < 1e-4);
    is(&r, 0, PART, 255); /* it is all of the program */
    is(&r, 0, PART + 2, 1);
    is(&r, 0, PART + 5, 128 + 32 + 64); /* lines */
    is(&r, 0, OWN + 2, 32 * 64 * 4);
    is(&r, 0, OWN + 10, -1);           /* no other statement stores there */
    is(&r, 0, FIRST + 2, 16 * 64 * 4); /* B touches more than A */
    is(&r, 0, SECOND + 2, 32 * 16 * 4);
    is(&r, 0, SECOND + 12, 0);                           /* C is what it updates */
    are(&r, 0, LEVELS, 3, (double[]){64, 2, 4 + 4 + 1}); /* vectorised; lines of C, B, A */
    are(&r, 0, LEVELS + 5, 3, (double[]){1, 1, 0});      /* strides of C, B, A */
    is(&r, 0, LEVELS + 9, 16);
    is(&r, 0, LEVELS + 9 + 3, 4 + 4 + 1); /* an iteration of k */
    is(&r, 0, LEVELS + 18, 32);
    is(&r, 0, LEVELS + 27, 0); /* there is no fourth loop */
    is(&r, 0, INNER, 1);
    are(&r, 0, INNER + 2, 2, (double[]){64, 64});
    is(&r, 0, INNER + 5, 4); /* registers */
    is(&r, 0, AROUND, 16);
    are(&r, 0, AROUND + 3, 3, (double[]){0, 64, 1}); /* C stays, B moves by a row, A by one */
    is(&r, 0, AROUND + 7, 32);
    drop(t);
}

/* S[0] = 1.5; for k: S[0] = S[0] + A[row, k], or A[k, column] unless that is -1. */
static void add_up(tree *t, int s, int a, int row, int column, const char *kind, int sums)
{
    node(t, "BufferStore", "float32", 0, s);
    constant(t);
    number(t, 0);
    end(t, 1);
    const int k = loop(t, kind, sums);
    node(t, "BufferStore", "float32", 0, s);
    node(t, "Add", "float32", 0, -1);
    load_first(t, s);
    load(t, a, column < 0 ? row : k, column < 0 ? k : column);
    end(t, 1);
    number(t, 0);
    end(t, 2);
}

/* for i: C[0] = 1.5; for k, unrolled: C[0] = C[0] + A[i,k]; B[i] = C[0] */
static void a_sum_in_a_register(void **state)
{
    tree *t = program();
    rows r;
    const int a = buffer(t, "Param", 32, 16), b = buffer(t, "Param", 32, 0);
    const int c = buffer(t, "AllocBuffer", 1, 0);
    const int i = loop(t, "serial", 32);
    node(t, "SeqStmt", "-", 0, -1);
    add_up(t, c, a, i, -1, "unrolled", 16);
    node(t, "BufferStore", "float32", 0, b);
    load_first(t, c);
    var(t, i);
    take(&r, t);
    assert_int_equal(r.n, 3);
    is(&r, 0, PART + 4, 2); /* the last one is there, too */
    is(&r, 1, PART + 3, 1);
    is(&r, 1, INNER, 16);    /* copies */
    is(&r, 1, INNER + 1, 1); /* of one sum */
    is(&r, 1, AROUND, 32);   /* the loop that stays */
    /* One loop of 16 within the life of the sum; it is unrolled; one element. */
    are(&r, 1, LIFE, 5, (double[]){1, 16, 1, 1, 32});
    is(&r, 1, LIFE + 7, 16);  /* A moves by a row */
    is(&r, 2, FIRST + 10, 3); /* lines of A, B and C since the sum */
    is(&r, 2, FIRST + 11, 1);
    is(&r, 1, OWN + 11, 1);
    drop(t);
}

static void damaged_trees_are_survived(void **state)
{
    uint32_t random = 7;
    nests_rows r = {0};
    for (int round = 0; round < 1000; round++) {
        tree *t = damaged(&random);
        r.items = 0;
        nests_schedule_rows_add(&r, &t->data, &t->s);
        assert_int_equal(r.rows, nests_schedule_stores(&t->data, &t->s));
        for (int i = 0; i < r.rows * NESTS_SCHEDULE_ROW; i++)
            assert_true(fabs((double)r.x[i]) <= 8);
        for (int i = 0; i < r.rows; i++) assert_true(r.work[i] >= 1 && r.work[i] < exp(60));
        drop(t);
    }
    nests_rows_free(&r);
}

/* ---- innermost loops ---- */

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
    are(&r, 0, COPIES, 5, (double[]){40, 40, 1, 80, 2});   /* 80 places of A and B */
    are(&r, 0, BLOCK, 4, (double[]){1, 2, 32, 2});         /* the loop around it is vectorised */
    are(&r, 0, OUTER, 4, (double[]){0, 480, 480 * 32, 1}); /* size, of all, moves */
    /* C and B follow the loop that stays, A, which is larger, does not. */
    are(&r, 0, STAY, 4, (double[]){32, 1, 0, 1});
    are(&r, 0, NEXT, 2, (double[]){64, 64});
    are(&r, 0, OUTSIDE, 3, (double[]){1, 64, 64 * exp((double)r.cost[0]) / 64});
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
    node(t, "BufferStore", "float32", 0, c);
    constant(t);
    var(t, row);
    var(t, column);
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
    add_up(t, s, a, i, of_j ? j : -1, "serial", sums);
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
    return RUN_TESTS(a_product_of_matrices, a_sum_in_a_register, damaged_trees_are_survived,
                     short_loops_are_unrolled, odd_vectors_are_carried_one_by_one,
                     rows_are_gathered, strides_that_a_block_fills, what_repeats_leaves_the_loop,
                     large_buffers_are_allocated, conditions_undo_vectors, reuse_and_sets);
}
