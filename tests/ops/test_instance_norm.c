/* SPDX-License-Identifier: MIT */
/* Instance norm of tensors that are larger than a cache, against plain sums in double: strips of
   columns, pieces of rows, stores past the caches; and of values far from 0. */
#include "support/test.h"
#include "augur.h"
#include "support/device.h"
#include "unseen.h"

typedef struct problem {
    int rows, columns;
    ag_params *params;
    ag_param *x;
    ag_tape *tape;
    float *weight; /* the loss is <y, weight> */
} problem;

static void setup(problem *p, int rows, int columns, float mean)
{
    ag_random r = {5, (uint64_t)columns, 0};
    *p = (problem){.rows = rows, .columns = columns, .params = ag_params_new()};
    p->x = ag_params_add(p->params, "x", AG_SHAPE(rows, columns), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(p->params, 1), AG_OK);
    p->weight = test_malloc((size_t)rows * (size_t)columns * sizeof *p->weight);
    for (int i = 0; i < rows * columns; i++) {
        p->x->value[i] = mean + (float)ag_random_normal(&r);
        p->weight[i] = (float)ag_random_normal(&r);
    }
    p->tape = ag_tape_new(test_device());
}

static void teardown(problem *p)
{
    ag_tape_free(p->tape);
    ag_params_free(p->params);
    test_free(p->weight);
}

/* <y, weight> backwards, the rows of the graphs from starts on; the gradient is in x. Returns y. */
static const float *run(problem *p, const int32_t *starts, int graphs)
{
    ag_tape_reset(p->tape);
    ag_params_reset(p->params);
    assert_int_equal(ag_params_to(p->params, test_device(), NULL), AG_OK);
    ag_tensor *at = unseen(p->tape, starts, graphs + 1);
    ag_tensor *x = ag_parameter(p->tape, p->x);
    ag_tensor *y = ag_keep(ag_instance_norm(x, at, (ag_real)1e-5));
    ag_tensor *weight = ag_input(p->tape, p->weight, AG_SHAPE(p->rows, p->columns));
    ag_backward(ag_sum_all(ag_mul(y, weight)));
    assert_string_equal(ag_error(p->tape), "");
    assert_int_equal(ag_params_to(p->params, AG_CPU, NULL), AG_OK);
    return ag_values(y);
}

/* y and dx of one column in rows lo..hi-1; returns the worst error of either. */
static double column_error(const problem *p, const float *y, int column, int lo, int hi)
{
    const double n = hi - lo;
    double mean = 0, var = 0, sum = 0, dot = 0, worst = 0;
    for (int r = lo; r < hi; r++) mean += (double)p->x->value[r * p->columns + column] / n;
    for (int r = lo; r < hi; r++)
        var += pow((double)p->x->value[r * p->columns + column] - mean, 2) / n;
    const double rstd = 1 / sqrt(var + 1e-5);
    for (int r = lo; r < hi; r++) {
        const int i = r * p->columns + column;
        sum += (double)p->weight[i] / n;
        dot += (double)p->weight[i] * ((double)p->x->value[i] - mean) * rstd / n;
    }
    for (int r = lo; r < hi; r++) {
        const int i = r * p->columns + column;
        const double want = ((double)p->x->value[i] - mean) * rstd;
        const double slope = rstd * ((double)p->weight[i] - sum - want * dot);
        worst = fmax(worst, fabs((double)y[i] - want));
        worst = fmax(worst, fabs((double)p->x->gradient[i] - slope));
    }
    return worst;
}

/* Two graphs, the first with a third of the rows. */
static void check(int rows, int columns, float mean)
{
    problem p;
    setup(&p, rows, columns, mean);
    const int32_t starts[] = {0, rows / 3, rows};
    const float *y = run(&p, starts, 2);
    for (int c = 0; c < columns; c++)
        for (int g = 0; g < 2; g++) {
            const double error = column_error(&p, y, c, starts[g], starts[g + 1]);
            if (!(error <= 1e-5))
                fail_msg("[%d, %d], mean %g: column %d of graph %d is off by %g", rows, columns,
                         (double)mean, c, g, error);
        }
    teardown(&p);
}

static void test_strips(void **state)
{
    static const int columns[] = {1, 63, 65, 200, 1024, 2100};
    for (int i = 0; i < 6; i++) check(301, columns[i], 0);
}

/* 4096 columns keep the alignment that stores past the caches need, 4099 do not. */
static void test_larger_than_a_cache(void **state)
{
    if (test_device() !=
        AG_CPU) { /* no strip is wider there, and it is slow where the host executes CUDA */
        check(540, 99, 0);
        return;
    }
    check(540, 4096, 0);
    check(540, 4099, 0);
}

static void test_far_from_zero(void **state)
{
    check(500, 64, 1000);
    check(3, 64, -1000);
}

/* Starts that are no starts touch only the tensor, and every row gets a value. */
static void test_wild_starts(void **state)
{
    static const int32_t wild[][4] = {{INT32_MAX, INT32_MIN, INT32_MAX, -1}, {5, 4, 4, 2}};
    problem p;
    setup(&p, 9, 5, 0);
    for (int k = 0; k < 2; k++) {
        const float *y = run(&p, wild[k], 3);
        for (int i = 0; i < 45; i++) assert_true(fabsf(y[i]) < 3);
        for (int i = 0; i < 45; i++) assert_true(isfinite(p.x->gradient[i]));
    }
    teardown(&p);
    setup(&p, 600, 5, 0); /* a device takes these rows in pieces */
    for (int k = 0; k < 2; k++) {
        const float *y = run(&p, (const int32_t[]){0, k ? 590 : INT32_MAX, k ? 130 : -1, 3}, 3);
        for (int i = 0; i < 3000; i++) assert_true(isfinite(y[i]));
        for (int i = 0; i < 3000; i++) assert_true(isfinite(p.x->gradient[i]));
    }
    teardown(&p);
}

/* A graph has the same bits alone and in a batch, wherever its rows begin. */
static void test_batch(void **state)
{
    enum { ROWS = 700, COLUMNS = 33, FIRST = 131 };
    static float alone[ROWS * COLUMNS], gradient[ROWS * COLUMNS];
    static const int32_t starts[] = {0, FIRST, FIRST + ROWS}, whole[] = {0, ROWS};
    problem batch, one;
    setup(&batch, FIRST + ROWS, COLUMNS, 1);
    setup(&one, ROWS, COLUMNS, 1);
    const size_t skip = (size_t)FIRST * COLUMNS;
    memcpy(one.x->value, batch.x->value + skip, sizeof alone);
    memcpy(one.weight, batch.weight + skip, sizeof alone);
    memcpy(alone, run(&one, whole, 1), sizeof alone);
    memcpy(gradient, one.x->gradient, sizeof gradient);
    const float *y = run(&batch, starts, 2);
    assert_memory_equal(y + skip, alone, sizeof alone);
    assert_memory_equal(batch.x->gradient + skip, gradient, sizeof gradient);
    teardown(&one);
    teardown(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strips),        cmocka_unit_test(test_larger_than_a_cache),
        cmocka_unit_test(test_far_from_zero), cmocka_unit_test(test_wild_starts),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
