/* SPDX-License-Identifier: MIT */
/* Rows of statements: trees small enough to work out by hand, and damaged ones. */
#include "nests_schedule.h"
#include "support/tpgnn_damaged.h"

enum { PART = TPGNN_NEST, OWN = PART + 18, FIRST = OWN + 12, SECOND = FIRST + 12 };
enum { LEVELS = OWN + 4 * 12, BLOCK = LEVELS + 6 * 9, AROUND = BLOCK + 13, LIFE = AROUND + 14 };

static void is(const rows *r, int row, int column, double quantity)
{
    const double x = at(r, row, column);
    if (fabs(x - quantity) > 1e-5 * (1 + fabs(quantity)))
        fail_msg("row %d: column %d is %g, should be %g", row, column, x, quantity);
}

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
    is(&r, 0, SECOND + 12, 0); /* C is what it updates */
    is(&r, 0, LEVELS, 64);
    is(&r, 0, LEVELS + 1, 2);         /* vectorised */
    is(&r, 0, LEVELS + 2, 4 + 4 + 1); /* lines of C, B, A */
    is(&r, 0, LEVELS + 5, 1);         /* strides of C, B, A */
    is(&r, 0, LEVELS + 6, 1);
    is(&r, 0, LEVELS + 7, 0);
    is(&r, 0, LEVELS + 9, 16);
    is(&r, 0, LEVELS + 9 + 3, 4 + 4 + 1); /* an iteration of k */
    is(&r, 0, LEVELS + 18, 32);
    is(&r, 0, LEVELS + 27, 0); /* there is no fourth loop */
    is(&r, 0, BLOCK, 1);
    is(&r, 0, BLOCK + 2, 64);
    is(&r, 0, BLOCK + 3, 64);
    is(&r, 0, BLOCK + 5, 4); /* registers */
    is(&r, 0, AROUND, 16);
    is(&r, 0, AROUND + 3, 0); /* C stays, B moves by a row, A by one */
    is(&r, 0, AROUND + 4, 64);
    is(&r, 0, AROUND + 5, 1);
    is(&r, 0, AROUND + 7, 32);
    drop(t);
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
    node(t, "BufferStore", "float32", 0, c);
    constant(t);
    number(t, 0);
    end(t, 1);
    const int k = loop(t, "unrolled", 16);
    node(t, "BufferStore", "float32", 0, c);
    node(t, "Add", "float32", 0, -1);
    load_first(t, c);
    load(t, a, i, k);
    end(t, 1);
    number(t, 0);
    end(t, 2);
    node(t, "BufferStore", "float32", 0, b);
    load_first(t, c);
    var(t, i);
    take(&r, t);
    assert_int_equal(r.n, 3);
    is(&r, 0, PART + 4, 2); /* the last one is there, too */
    is(&r, 1, PART + 3, 1);
    is(&r, 1, BLOCK, 16);    /* copies */
    is(&r, 1, BLOCK + 1, 1); /* of one sum */
    is(&r, 1, AROUND, 32);   /* the loop that stays */
    is(&r, 1, LIFE, 1);      /* one loop within the life of the sum */
    is(&r, 1, LIFE + 1, 16);
    is(&r, 1, LIFE + 2, 1); /* it is unrolled */
    is(&r, 1, LIFE + 3, 1); /* element */
    is(&r, 1, LIFE + 4, 32);
    is(&r, 1, LIFE + 7, 16);  /* A moves by a row */
    is(&r, 2, FIRST + 10, 3); /* lines of A, B and C since the sum */
    is(&r, 2, FIRST + 11, 1);
    is(&r, 1, OWN + 11, 1);
    drop(t);
}

static void damaged_trees_are_survived(void **state)
{
    uint32_t random = 7;
    static float row[400 * NESTS_SCHEDULE_ROW], cost[400];
    for (int round = 0; round < 1000; round++) {
        ag_failure why = {0};
        tree *t = damaged(&random);
        const int n = nests_schedule_rows(row, cost, 400, &t->data, &t->s, &why);
        assert_int_equal(n, nests_schedule_stores(&t->data, &t->s));
        for (int i = 0; i < n * NESTS_SCHEDULE_ROW; i++) assert_true(fabs((double)row[i]) <= 8);
        for (int i = 0; i < n; i++) assert_true(cost[i] >= 0 && cost[i] < 60);
        assert_int_equal(nests_schedule_rows(row, cost, n / 2, &t->data, &t->s, &why), n / 2);
        drop(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_product_of_matrices),
                                       cmocka_unit_test(a_sum_in_a_register),
                                       cmocka_unit_test(damaged_trees_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
