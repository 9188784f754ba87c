/* SPDX-License-Identifier: MIT */
/* Convolutions and poolings of a golden file (conv_file), and the checks that every case has to
   pass. */
#ifndef AG_TESTS_CONV_CASES_H
#define AG_TESTS_CONV_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "convolution_runner.h"

extern golden *conv_file;

typedef struct conv_fixture {
    const char *name;
    conv_problem p;
    golden_array part[CONV_PARTS], dpart[CONV_PARTS], y, cotangent;
    int32_t *starts, *edge;
} conv_fixture;

void conv_set_up(conv_fixture *f, const char *name);
void conv_tear_down(conv_fixture *f);

typedef int conv_function(double *y, double *const *gradient, const conv_problem *p,
                          char why[CONV_WHY]);

/* Values and gradients of a run; free each. */
typedef struct conv_results {
    double *y, *gradient[CONV_PARTS];
} conv_results;
conv_results conv_run(const conv_fixture *f, conv_function *how);
void conv_results_free(conv_results *r);

/* The file's values to a tolerance, relative to the largest. */
void conv_compare(const conv_fixture *f, conv_function *how, double values, double gradients);

/* Every case of a list: the file's values and gradients in float and in double; central differences
   in double; the same bits for 1 to 3 threads; a sentence whichever allocation fails. */
void conv_golden(const char *const *names, int n);
void conv_gradcheck(const char *const *names, int n);
void conv_same_bits(const char *const *names, int n);
void conv_no_memory(const char *const *names, int n);

#endif
