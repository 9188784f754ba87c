/* SPDX-License-Identifier: MIT */
/* Instance norm of tensors that are larger than a cache, against means of each graph: strips of
   columns, pieces of rows, stores past the caches, values far from 0. Batch norm: what moves its
   running statistics and what does not, few rows, rows far from 0. */
#include "support/composed.h"
#include "unseen.h"

/* ---- instance norm ---- */

typedef struct problem {
    int rows, columns;
    float mean;
    int32_t starts[3];
    ag_params *params;
    ag_param *x;
} problem;

/* Two graphs, the first with a third of the rows. */
static problem setup(int rows, int columns, float mean)
{
    problem p = {rows, columns, mean, {0, rows / 3, rows}, ag_params_new(), NULL};
    p.x = ag_params_add(p.params, "x", AG_SHAPE(rows, columns), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(p.params, 1), AG_OK);
    fill_numbers(p.x->value, rows * columns, 5);
    for (int i = 0; i < rows * columns; i++) p.x->value[i] += mean;
    return p;
}

static const problem *now; /* what the two expressions are about */

static ag_tensor *norm(ag_tensor *const *p)
{
    return ag_instance_norm(p[0], unseen(ag_tape_of(p[0]), now->starts, 3), 1e-5f);
}

/* The shift is exact. */
static ag_tensor *by_graphs(ag_tensor *const *p)
{
    ag_tensor *y[2];
    for (int g = 0; g < 2; g++) {
        const int first = now->starts[g];
        ag_tensor *rows = ag_slice(p[0], 0, first, now->starts[g + 1] - first);
        rows = ag_shift(rows, -now->mean);
        rows = ag_add_bias(rows, ag_neg(ag_mean_rows(rows)));
        ag_tensor *deviation = ag_sqrt(ag_shift(ag_mean_rows(ag_square(rows)), 1e-5f));
        y[g] = ag_mul_columns(rows, ag_reciprocal(deviation));
    }
    return ag_concat2(y[0], y[1], 0);
}

static void check(int rows, int columns, float mean)
{
    const problem p = setup(rows, columns, mean);
    now = &p;
    composed_compare(formatted("instance_norm [%d,%d]", rows, columns), p.params, norm, by_graphs,
                     1e-5f);
    ag_params_free(p.params);
}

static void test_strips(void **state)
{
    static const int columns[] = {1, 63, 65, 200, 1024, 2100};
    for (int i = 0; i < 6; i++) check(301, columns[i], 0);
}

/* 4096 columns keep the alignment that stores past the caches need, 4099 do not; no strip is wider
   on a device, and it is slow where the host executes CUDA. */
static void test_larger_than_a_cache(void **state)
{
    const int cpu = test_device() == AG_CPU;
    check(540, cpu ? 4096 : 99, 0);
    if (cpu) check(540, 4099, 0);
}

static void test_far_from_zero(void **state)
{
    check(500, 64, 1000);
    check(3, 64, -1000);
}

/* The values, to be freed. */
static float *run(problem *p, const int32_t *starts)
{
    int64_t n;
    now = p;
    memcpy(p->starts, starts, sizeof p->starts);
    return composed_run(norm, p->params, test_device(), &n);
}

/* Starts that are not starts touch only the tensor, and every row gets a value; a device takes 600
   rows in pieces. */
static void test_wild_starts(void **state)
{
    static const int32_t wild[][3] = {
        {INT32_MAX, INT32_MIN, -1}, {5, 4, 2}, {0, 590, 3}, {0, INT32_MAX, 130}};
    for (int rows = 9; rows <= 600; rows += 591)
        for (int k = 0; k < 4; k++) {
            problem p = setup(rows, 5, 0);
            float *y = run(&p, wild[k]);
            for (int i = 0; i < 5 * rows; i++)
                assert_true(fabsf(y[i]) < 30 && isfinite(p.x->gradient[i]));
            test_free(y);
            ag_params_free(p.params);
        }
}

/* A graph has the same bits alone and in a batch, wherever its rows begin. */
static void test_batch(void **state)
{
    enum { ROWS = 700, COLUMNS = 33, FIRST = 131 };
    static const int32_t starts[] = {0, FIRST, FIRST + ROWS}, whole[] = {0, ROWS, ROWS};
    const size_t skip = (size_t)FIRST * COLUMNS, bytes = (size_t)ROWS * COLUMNS * sizeof(float);
    problem batch = setup(FIRST + ROWS, COLUMNS, 1), one = setup(ROWS, COLUMNS, 1);
    memcpy(one.x->value, batch.x->value + skip, bytes);
    float *y = run(&batch, starts), *alone = run(&one, whole);
    assert_memory_equal(y + skip, alone, bytes);
    test_free(y);
    test_free(alone);
    ag_params_free(batch.params);
    ag_params_free(one.params);
}

/* ---- batch norm ---- */

enum { HIDDEN = 5, MOST = 300 };

typedef struct net {
    ag_params *params;
    ag_batch_norm_weights norm;
    ag_param *other; /* [1] */
    ag_tape *tape;
    float x[MOST * HIDDEN]; /* the rows */
} net;

static net *make(float mean)
{
    static net n;
    const ag_shape column = AG_SHAPE(HIDDEN);
    n.params = ag_params_new();
    n.tape = ag_tape_new(test_device());
    n.norm = (ag_batch_norm_weights){
        ag_params_add(n.params, "gamma", column, ag_init_uniform(0.5, 1.5), 0),
        ag_params_add(n.params, "beta", column, ag_init_uniform(-1, 1), 0),
        ag_params_add(n.params, "mean", column, ag_init_constant(0), 0),
        ag_params_add(n.params, "variance", column, ag_init_constant(1), 0)};
    n.other = ag_params_add(n.params, "other", AG_SHAPE(1), ag_init_constant(1), 0);
    assert_int_equal(ag_params_build(n.params, 1), AG_OK);
    assert_int_equal(ag_params_to(n.params, test_device(), NULL), AG_OK);
    fill_numbers(n.x, MOST * HIDDEN, 7);
    for (int i = 0; i < MOST * HIDDEN; i++) n.x[i] += mean;
    return &n;
}

static void end(net *n)
{
    ag_tape_free(n->tape);
    ag_params_free(n->params);
}

/* The batch norm of the first rows, two axes of them where they are even; with gradients. */
static ag_tensor *run_norm(net *n, int rows)
{
    const ag_shape flat = AG_SHAPE(rows, HIDDEN), two = AG_SHAPE(rows / 2, 2, HIDDEN);
    ag_tape_reset(n->tape);
    ag_params_reset(n->params);
    ag_tensor *x = ag_input(n->tape, n->x, rows % 2 ? flat : two);
    ag_tensor *y = ag_keep(ag_batch_norm(&n->norm, x, 0.1f, 1e-5f));
    ag_backward(ag_sum_all(y));
    return y;
}

static void expect_moved(net *n, int moved)
{
    assert_int_equal(ag_params_fetch(n->params, NULL), AG_OK);
    for (int c = 0; c < HIDDEN; c++) {
        assert_int_equal(n->norm.mean->value[c] != 0, moved);
        assert_int_equal(n->norm.variance->value[c] != 1, moved);
        assert_true(n->norm.mean->gradient[c] == 0 && n->norm.variance->gradient[c] == 0);
    }
}

/* Evaluation takes a single row and moves nothing, as no rows do. */
static void test_few_rows(void **state)
{
    net *n = make(0);
    run_norm(n, 0);
    assert_string_equal(ag_error(n->tape), "");
    run_norm(n, 1);
    assert_int_equal(ag_tape_status(n->tape), AG_ESHAPE);
    assert_non_null(strstr(ag_error(n->tape), "a single row has no variance"));
    for (int training = 0; training < 2; training++) {
        ag_tape_training(n->tape, training);
        run_norm(n, training ? 2 : 1);
        assert_string_equal(ag_error(n->tape), "");
        expect_moved(n, training);
    }
    end(n);
}

/* Mean 1000, deviation about 1: a sum of squares would have lost the variance. */
static void test_statistics(void **state)
{
    net *n = make(1000);
    const float *y = ag_values(run_norm(n, MOST));
    assert_string_equal(ag_error(n->tape), "");
    expect_moved(n, 1);
    for (int c = 0; c < HIDDEN; c++) {
        double mean = 0, square = 0;
        for (int r = 0; r < MOST; r++) mean += (double)n->x[r * HIDDEN + c] / MOST;
        for (int r = 0; r < MOST; r++) square += pow((double)n->x[r * HIDDEN + c] - mean, 2);
        expect_number((double)n->norm.mean->value[c], 0.1 * mean, 1e-5);
        expect_number((double)n->norm.variance->value[c], 0.9 + 0.1 * square / (MOST - 1), 1e-5);
        const double gamma = (double)n->norm.gamma->value[c], beta = (double)n->norm.beta->value[c];
        for (int r = 0; r < MOST; r++) { /* the mean, too, is a float */
            const double h = ((double)n->x[r * HIDDEN + c] - mean) / sqrt(square / MOST + 1e-5);
            assert_true(fabs((double)y[r * HIDDEN + c] - gamma * h - beta) < 1e-4);
        }
    }
    end(n);
}

static void test_refusals(void **state)
{
    net *n = make(0);
    const ag_batch_norm_weights good = n->norm,
                                wrong[] = {{good.gamma, NULL, good.mean, good.variance},
                                           {good.gamma, good.beta, NULL, good.variance},
                                           {n->other, good.beta, good.mean, good.variance},
                                           {good.gamma, good.beta, n->other, good.variance}};
    static const char *const says[] = {
        "one of gamma and beta is NULL; give", "mean or variance is NULL; give",
        "the parameters need one element per column of x (op 0, \"other\")",
        "x is [5], but parameter \"other\" is [1]"};
    for (int k = 0; k < 4; k++) {
        n->norm = wrong[k];
        run_norm(n, 4);
        if (!strstr(ag_error(n->tape), says[k])) fail_msg("%s", ag_error(n->tape));
    }
    ag_tape_reset(n->tape);
    ag_batch_norm(&good, ag_input(n->tape, n->x, AG_SHAPE(4, HIDDEN)), 0.1f, 0);
    assert_non_null(strstr(ag_error(n->tape), "epsilon is 0, but must be above 0"));
    end(n);
}

/* Without gamma and beta: 1 and 0. */
static void test_plain(void **state)
{
    net *n = make(0.5f);
    n->norm.gamma = n->norm.beta = NULL;
    for (int training = 1; training >= 0; training--) {
        ag_tape_training(n->tape, training);
        const float *y = ag_values(run_norm(n, 10));
        assert_string_equal(ag_error(n->tape), "");
        double sum = 0;
        for (int r = 0; r < 10; r++) sum += (double)y[r * HIDDEN];
        assert_int_equal(fabs(sum) < 1e-5, training);
    }
    end(n);
}

int main(void)
{
    return RUN_TESTS(test_strips, test_larger_than_a_cache, test_far_from_zero, test_wild_starts,
                     test_batch, test_few_rows, test_statistics, test_refusals, test_plain);
}
