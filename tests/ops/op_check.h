/* SPDX-License-Identifier: MIT */
/* Walks the op table: a check tests one case and reports errors, and all cases are tested. */
#ifndef AG_TESTS_OP_CHECK_H
#define AG_TESTS_OP_CHECK_H

#include "support/test.h"
#include "support/device.h"
#include "support/op_runner.h"
#include "ops/table.h"

/* The float and the double library. */
typedef struct op_build {
    const char *name;
    op_trial *(*open)(const char *op, int index, char why[480]);
    void (*close)(op_trial *t);
    void (*cotangent)(op_trial *t, int number);
    void (*run)(op_trial *t, unsigned how);
} op_build;

static const op_build op_builds[2] = {
    {"float", ag__trial_new, ag__trial_free, ag__trial_cotangent, ag__trial_run},
    {"double", ag64__trial_new, ag64__trial_free, ag64__trial_cotangent, ag64__trial_run},
};

static int op_failures;

/* One line per wrong thing. */
__attribute__((format(printf, 3, 4))) static inline void complain(const char *op, int index,
                                                                  const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_error("%s case %d: ", op, index);
    vprint_error(format, list);
    print_error("\n");
    va_end(list);
    op_failures++;
}

/* The case opened, or a complaint. */
static inline op_trial *open_case(const op_build *build, const ag_op *op, int index)
{
    char why[480] = "";
    op_trial *t = build->open(op->name, index, why);
    if (!t) complain(op->name, index, "cannot be recorded: %s", why);
    return t;
}

/* Runs; 0 and a complaint when the run fails. */
static inline int run_case(const op_build *build, const ag_op *op, int index, op_trial *t,
                           unsigned how)
{
    build->run(t, how);
    if (*t->error) complain(op->name, index, "%s: %s", build->name, t->error);
    return !*t->error;
}

/* AUGUR_TEST_PIECE=K/N: of the ops only number K, K + N, ... (from 1), for tools that make a run
 * slow.
 */
static inline int in_piece(int number)
{
    const char *text = getenv("AUGUR_TEST_PIECE");
    int piece, pieces;
    if (!text) return 1;
    if (sscanf(text, "%d/%d", &piece, &pieces) != 2 || piece < 1 || piece > pieces)
        fail_msg("AUGUR_TEST_PIECE is \"%s\", but must be K/N with K in 1..N", text);
    return number % pieces == piece - 1;
}

/* AUGUR_TEST_OPS="NAME ...": only these ops. */
static inline int is_named(const char *op)
{
    const char *names = getenv("AUGUR_TEST_OPS");
    return !names || strstr(formatted(" %s ", names), formatted(" %s ", op));
}

/* Calls check for every case of every op in each of `builds` (1: float, 2: double, 3: both). */
static inline void each_case(int builds, void (*check)(const op_build *build, const ag_op *op,
                                                       int index, op_trial *t))
{
    const ag_op *op;
    int named = 0;
    op_failures = 0;
    for (int i = 0; (op = ag__op(i)) != NULL; i++) {
        if (!in_piece(i) || !is_named(op->name)) continue;
        named++;
        for (int index = 0; index < op->n_cases; index++)
            for (int k = 0; k < 2; k++) {
                op_trial *t = builds >> k & 1 ? open_case(&op_builds[k], op, index) : NULL;
                if (!t) continue;
                check(&op_builds[k], op, index, t);
                op_builds[k].close(t);
            }
    }
    assert_true(named > 0);
    assert_int_equal(op_failures, 0);
}

/* Largest |x|, at least 1. */
static inline double scale_of(const double *x, int64_t n)
{
    double most = 1;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Reports the first element that is further from `want` than `tolerance` times its scale. */
static inline void expect_close(const ag_op *op, int index, const char *what, int number,
                                const double *have, const double *want, int64_t n, double tolerance)
{
    const double allowed = tolerance * scale_of(want, n);
    for (int64_t i = 0; i < n; i++) {
        if (fabs(have[i] - want[i]) <= allowed) continue; /* never of a NaN */
        complain(op->name, index, "%s %d, element %lld: %.12g, but %.12g is expected", what, number,
                 (long long)i, have[i], want[i]);
        return;
    }
}

static inline double *copy_of(const double *from, int64_t n)
{
    double *to = calloc((size_t)n + 1, sizeof *to);
    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

#endif
