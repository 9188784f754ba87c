/* SPDX-License-Identifier: MIT */
/* The numbers of every op: float against double, gradients against central differences. */
#include "op_check.h"
#include "core/random.h"
#include "core/threads.h"

enum { COTANGENTS = 3, FULL = 32, FEW = 8, DIRECTIONS = 3 };

/* Ops of one rounding or few per element are held tighter. */
static double tolerance_of(const ag_op *op) { return op->elementwise ? 2e-6 : 1e-5; }

static void check_float(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    op_trial *d = open_case(&op_builds[1], op, index);
    const unsigned how = t->differentiable ? RUN_BACKWARD : 0;
    if (!d) return;
    for (int number = 0; number < COTANGENTS; number++) {
        build->cotangent(t, number);
        op_builds[1].cotangent(d, number);
        if (!run_case(build, op, index, t, how) || !run_case(&op_builds[1], op, index, d, how))
            break;
        for (int j = 0; j < t->n_out; j++)
            expect_close(op, index, "float output", j, t->y[j], d->y[j],
                         t->shown[j] ? t->y_count[j] : 0, t->out_int[j] ? 0 : tolerance_of(op));
        for (int i = 0; i < t->n_in && t->differentiable; i++)
            if (!t->is_int[i])
                expect_close(op, index, "float gradient of input", i, t->dx[i], d->dx[i],
                             t->x_count[i], 10 * tolerance_of(op));
    }
    op_builds[1].close(d);
}

static void test_float_matches_double(void **state) { each_case(1, check_float); }

/* ---- differences ---- */

typedef struct probe {
    const op_build *build;
    const ag_op *op;
    op_trial *t;
    int index, input;
    double *gradient[COTANGENTS]; /* of the input */
    double *cotangent[COTANGENTS][TRIAL_OUT];
    double *plus[TRIAL_OUT], *base;
    int compared, skipped, failed;
} probe;

/* <c, y(x + h d) - y(x - h d)> / 2h for every cotangent; d NULL: only entry `at`. */
static void difference(probe *p, double out[COTANGENTS], const double *d, int64_t at, double h)
{
    op_trial *t = p->t;
    double *x = t->x[p->input];
    const int64_t n = t->x_count[p->input];
    for (int side = 1; side >= -1; side -= 2) {
        for (int64_t k = d ? 0 : at; k < (d ? n : at + 1); k++)
            x[k] = p->base[k] + side * h * (d ? d[k] : 1);
        p->build->run(t, 0);
        p->failed |= *t->error != 0;
        for (int j = 0; side == 1 && j < t->n_out; j++)
            memcpy(p->plus[j], t->y[j], (size_t)t->y_count[j] * sizeof(double));
    }
    memcpy(x, p->base, (size_t)n * sizeof(double));
    for (int c = 0; c < COTANGENTS; c++) {
        out[c] = 0;
        for (int j = 0; j < t->n_out; j++)
            for (int64_t k = 0; t->flows[j] && k < t->y_count[j]; k++)
                out[c] += p->cotangent[c][j][k] * (p->plus[j][k] - t->y[j][k]);
        out[c] /= 2 * h;
    }
}

/* Elementwise ops: 1 if the entry is near a kink (clamp has its second one among the
   attributes). */
static int near_kink(const ag_op *op, const op_trial *t, double x)
{
    if (!op->elementwise || isnan(op->kink)) return 0;
    return fabs(x - op->kink) < 1e-3 || fabs(x - t->f[0]) < 1e-3 || fabs(x - t->f[1]) < 1e-3;
}

static double apart(double a, double b) { return fabs(a - b) / fmax(1, fmax(fabs(a), fabs(b))); }

static void compare(probe *p, const double *d, int64_t at, const char *what)
{
    double numeric[COTANGENTS], coarse[COTANGENTS];
    difference(p, numeric, d, at, 1e-5);
    if (p->op->has_kinks) {
        difference(p, coarse, d, at, 4e-5);
        for (int c = 0; c < COTANGENTS; c++)
            if (apart(numeric[c], coarse[c]) > 1e-6) {
                p->skipped++;
                return;
            }
    }
    p->compared++;
    for (int c = 0; c < COTANGENTS; c++) {
        double analytic = 0;
        for (int64_t k = 0; k < p->t->x_count[p->input]; k++)
            analytic += d ? d[k] * p->gradient[c][k] : k == at ? p->gradient[c][k] : 0;
        if (apart(analytic, numeric[c]) <= 1e-6) continue;
        complain(p->op->name, p->index, "gradient of input %d, %s %lld: %.10g, difference %.10g",
                 p->input, what, (long long)at, analytic, numeric[c]);
        return;
    }
}

/* All of a few; of many some, and where an op has kinks more, since directions cannot avoid them.
 */
static void compare_entries(probe *p, ag_random *random)
{
    const int64_t n = p->t->x_count[p->input];
    const int all = n <= (p->op->has_kinks ? FULL : FEW);
    for (int64_t k = 0; k < (all ? n : FEW); k++) {
        const int64_t i = all ? k : (int64_t)ag_random_below(random, (uint32_t)n);
        if (near_kink(p->op, p->t, p->base[i]))
            p->skipped++;
        else
            compare(p, NULL, i, "entry");
    }
}

static void compare_directions(probe *p, ag_random *random)
{
    const int64_t n = p->t->x_count[p->input];
    double *d = calloc((size_t)n + 1, sizeof *d);
    for (int k = 0; k < DIRECTIONS; k++) {
        for (int64_t i = 0; i < n; i++)
            d[i] =
                near_kink(p->op, p->t, p->base[i]) ? 0 : ag_random_normal(random) / sqrt((double)n);
        compare(p, d, k, "direction");
    }
    free(d);
}

static void check_input(probe *p)
{
    op_trial *t = p->t;
    ag_random random = {(uint64_t)p->index, 7, 0};
    p->base = copy_of(t->x[p->input], t->x_count[p->input]);
    for (int j = 0; j < t->n_out; j++) p->plus[j] = copy_of(t->y[j], t->y_count[j]);
    for (int c = 0; c < COTANGENTS; c++) {
        p->build->cotangent(t, c);
        run_case(p->build, p->op, p->index, t, RUN_BACKWARD);
        p->gradient[c] = copy_of(t->dx[p->input], t->x_count[p->input]);
        for (int j = 0; j < t->n_out; j++) p->cotangent[c][j] = copy_of(t->c[j], t->y_count[j]);
    }
    compare_entries(p, &random);
    if (t->x_count[p->input] > FEW && !p->op->has_kinks) compare_directions(p, &random);
    if (p->skipped > p->compared || p->failed)
        complain(p->op->name, p->index, "input %d: %d entries compared, %d skipped%s", p->input,
                 p->compared, p->skipped, p->failed ? ", a run failed" : "");
    for (int c = 0; c < COTANGENTS; c++) {
        free(p->gradient[c]);
        for (int j = 0; j < t->n_out; j++) free(p->cotangent[c][j]);
    }
    for (int j = 0; j < t->n_out; j++) free(p->plus[j]);
    free(p->base);
}

static void check_gradient(const op_build *build, const ag_op *op, int index, op_trial *t)
{
    for (int i = 0; i < t->n_in; i++)
        if (t->has_dx[i])
            check_input(&(probe){.build = build, .op = op, .t = t, .index = index, .input = i});
}

static void test_gradients_match_differences(void **state)
{
    if (AG_ORACLE_ELSEWHERE) skip(); /* the build that made the double library does this */
    each_case(2, check_gradient);
}

int main(void)
{
    ag_set_threads(1);
    ag64_set_threads(1);
    return RUN_TESTS(test_float_matches_double, test_gradients_match_differences);
}
