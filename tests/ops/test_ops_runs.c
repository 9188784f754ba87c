/* SPDX-License-Identifier: MIT */
/* How every op runs: the same bits again and on more threads, gradients that add, views, inputs
   left alone, ends of arrays respected, nothing allocated. In float: the double library is there to
   compare numbers with. */
#include "op_check.h"
#include "core/shape.h"
#include "core/threads.h"

static const double sums_differ = 4e-6; /* what sums in another order may differ by */

static unsigned full(const op_trial *t) { return t->differentiable ? RUN_BACKWARD : 0; }
static int on_cpu(void) { return test_device() == AG_CPU; }

/* The last run had a known plan. */
static void expect_clean(const ag_op *op, int index, const op_trial *t)
{
    if (!t->untouched) complain(op->name, index, "inputs or guards changed");
    if (t->allocations)
        complain(op->name, index, "%ld allocations with a known plan", t->allocations);
}

/* ---- the same bits ---- */

static void expect_bits(const op_build *build, const ag_op *op, int index, op_trial *t,
                        unsigned how, const uint64_t bits[2], const char *when)
{
    if (!run_case(build, op, index, t, how)) return;
    if (t->y_bits != bits[0]) complain(op->name, index, "other output bits %s", when);
    if (how & RUN_BACKWARD && t->dx_bits != bits[1])
        complain(op->name, index, "other gradient bits %s", when);
}

static void check_bits(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    const unsigned how = full(t);
    ag_set_threads(1);
    if (!run_case(build, op, index, t, how)) return;
    const uint64_t bits[] = {t->y_bits, t->dx_bits};
    expect_bits(build, op, index, t, how, bits, "in a second run");
    if (on_cpu()) {
        setenv("AUGUR_FUSE", "0", 1);
        expect_bits(build, op, index, t, how, bits, "with AUGUR_FUSE=0");
        unsetenv("AUGUR_FUSE");
        ag_set_threads(2);
        expect_bits(build, op, index, t, how, bits, "with 2 threads");
        ag_set_threads(1);
    } else { /* the second run was captured */
        expect_bits(build, op, index, t, how, bits, "when it is repeated");
        expect_clean(op, index, t);
    }
    if (how) {
        expect_bits(build, op, index, t, how | RUN_LEAN, bits, "when only the gradients are kept");
        expect_bits(build, op, index, t, 0, bits, "in inference");
    }
}

static void test_bits_repeat(void **state) { each_case(1, check_bits); }

static void check_ways(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    const unsigned how = full(t);
    if (!run_case(build, op, index, t, how)) return;
    const uint64_t bits[] = {t->y_bits, t->dx_bits};
    expect_bits(build, op, index, t, how | RUN_VIEWS, bits, "through views");
    expect_bits(build, op, index, t, how | RUN_INNER, bits, "after another op");
    if (on_cpu())
        expect_bits(build, op, index, t, how | RUN_INNER | RUN_LEAN, bits,
                    "after another op, lean");
    expect_bits(build, op, index, t, how | RUN_INNER | RUN_VIEWS, bits,
                "after another op and views");
}

static void test_views_and_inner_tensors(void **state) { each_case(1, check_ways); }

/* ---- gradients add ---- */

static void check_adding(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    double *sum[TRIAL_IN] = {0};
    if (!t->differentiable) return;
    for (int number = 0; number < 2; number++) {
        build->cotangent(t, number);
        if (!run_case(build, op, index, t, RUN_BACKWARD)) return;
        for (int i = 0; i < t->n_in; i++)
            for (int64_t k = 0; t->dx[i] && k < t->x_count[i]; k++) {
                if (!sum[i]) sum[i] = calloc((size_t)t->x_count[i], sizeof(double));
                sum[i][k] += t->dx[i][k];
            }
    }
    build->cotangent(t, 0);
    run_case(build, op, index, t, RUN_BACKWARD);
    build->cotangent(t, 1);
    run_case(build, op, index, t, RUN_BACKWARD | RUN_ADD);
    for (int i = 0; i < t->n_in; i++) {
        if (sum[i])
            expect_close(op, index, "sum of two gradients of input", i, t->dx[i], sum[i],
                         t->x_count[i], sums_differ);
        free(sum[i]);
    }
}

static void test_gradients_add(void **state) { each_case(1, check_adding); }

/* Inputs i and k are one tensor: its gradient is the sum of those of two tensors with equal values.
 */
static void check_pair(const op_build *build, const ag_op *op, int index, op_trial *t, int i, int k)
{
    const int64_t n = t->x_count[i];
    double *kept = copy_of(t->x[k], n);
    memcpy(t->x[k], t->x[i], (size_t)n * sizeof *kept);
    const int runs = run_case(build, op, index, t, RUN_BACKWARD);
    double *sum = copy_of(t->dx[i], n);
    for (int64_t e = 0; e < n; e++) sum[e] += t->dx[k][e];
    for (int way = 0; runs && way < 3; way++) {
        const unsigned how[] = {0, RUN_VIEWS, RUN_INNER};
        t->same[k] = i;
        run_case(build, op, index, t, RUN_BACKWARD | how[way]);
        t->same[k] = k;
        expect_close(op, index, "gradient of one tensor as two inputs, way", way, t->dx[i], sum, n,
                     sums_differ);
    }
    memcpy(t->x[k], kept, (size_t)n * sizeof *kept);
    free(kept);
    free(sum);
}

static void check_same(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    for (int i = 0; i < t->n_in; i++)
        for (int k = i + 1; k < t->n_in; k++)
            if (t->has_dx[i] && t->has_dx[k] && ag_shape_equal(t->xs[i], t->xs[k]))
                check_pair(build, op, index, t, i, k);
}

static void test_one_tensor_as_two_inputs(void **state) { each_case(1, check_same); }

/* ---- memory ---- */

static void check_memory(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    run_case(build, op, index, t, full(t));
    if (!run_case(build, op, index, t, full(t))) return;
    expect_clean(op, index, t);
    for (int64_t units = 1; units <= 7; units += 6)
        if (ag__trial_bare(t, units))
            complain(op->name, index, "blocks of %d units: %s", (int)units, t->error);
}

static void test_memory(void **state)
{
    if (test_device() != AG_CPU) skip(); /* a repeated run is looked at above */
    each_case(1, check_memory);
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS(test_bits_repeat, test_views_and_inner_tensors, test_gradients_add,
                     test_one_tensor_as_two_inputs, test_memory);
}
