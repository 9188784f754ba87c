/* SPDX-License-Identifier: MIT */
/* Every op against PyTorch's float64 values in tests/golden/ops.npz. */
#include "op_check.h"
#include "core/threads.h"
#include "support/golden.h"

static golden *values;

/* Of large tensors a part is stored: tests/golden/README.md. */
static int64_t stored_at(const golden_array *want, int64_t n, int64_t i)
{
    return want->count == n ? i : i * n / want->count;
}

static void compare(const op_build *build, const ag_op *op, int index, char letter, int number,
                    const double *have, int64_t n, double tolerance)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%d.%s%d", op->name, index, letter == 'x' ? "dx" : "y", number);
    golden_array want = golden_read(values, "%s", name);
    if (!want.value && letter == 'i') return; /* int32 outputs that the formula does not give */
    if (!want.value || (want.count != n && (n < 128 || want.count < 32))) {
        complain(op->name, index, "%s of %s (%d elements) is missing in ops.npz", name, build->name,
                 (int)n);
    } else {
        const double allowed = tolerance * scale_of(want.value, want.count);
        for (int64_t i = 0; i < want.count; i++) {
            const double v = have[stored_at(&want, n, i)];
            if (fabs(v - want.value[i]) <= allowed) continue;
            complain(op->name, index, "%s: %s %.12g, golden %.12g (number %d)", name, build->name,
                     v, want.value[i], (int)i);
            break;
        }
    }
    golden_free(&want);
}

static void add_up(double sum[2], int64_t *at, double v)
{
    sum[0] += v;
    sum[1] += v * (double)(1 + *at % 7);
    ++*at;
}

/* The golden values belong to these inputs and cotangents. */
static void compare_inputs(const ag_op *op, int index, const op_trial *t)
{
    double sum[2] = {0, 0};
    int64_t at = 0;
    for (int i = 0; i < t->n_in; i++)
        for (int64_t k = 0; k < t->x_count[i]; k++)
            add_up(sum, &at, t->is_int[i] ? t->ints[i][k] : t->x[i][k]);
    for (int j = 0; j < t->n_out; j++)
        for (int64_t k = 0; t->shown[j] && !t->out_int[j] && k < t->y_count[j]; k++)
            add_up(sum, &at, t->c[j][k]);
    golden_array want = golden_read(values, "%s.%d.check", op->name, index);
    if (!want.value)
        complain(op->name, index, "has no golden values: run op_cases and make_ops.py");
    else if (fabs(want.value[0] - sum[0]) > 1e-8 || fabs(want.value[1] - sum[1]) > 1e-8)
        complain(op->name, index,
                 "has changed since ops.npz was made: run op_cases and make_ops.py");
    golden_free(&want);
}

static void check_golden(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    const int is_float = build == &op_builds[0];
    compare_inputs(op, index, t);
    if (!run_case(build, op, index, t, t->differentiable ? RUN_BACKWARD : 0)) return;
    for (int j = 0; j < t->n_out; j++)
        if (t->shown[j])
            compare(build, op, index, t->out_int[j] ? 'i' : 'y', j, t->y[j], t->y_count[j],
                    is_float ? 1e-5 : 1e-9);
    for (int i = 0; i < t->n_in; i++)
        if (t->has_dx[i])
            compare(build, op, index, 'x', i, t->dx[i], t->x_count[i], is_float ? 1e-4 : 1e-9);
}

static void test_golden(void **state)
{
    values = golden_open(AG_SOURCE_DIR "/tests/golden/ops.npz");
    assert_non_null(values);
    each_case(3, check_golden);
    golden_close(values);
}

int main(void)
{
    ag_set_threads(1);
    ag64_set_threads(1);
    return RUN_TESTS(test_golden);
}
