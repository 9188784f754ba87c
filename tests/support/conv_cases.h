/* SPDX-License-Identifier: MIT */
/* Convolutions and poolings of a golden file, and the checks that every case has to pass. */
#ifndef AG_TESTS_CONV_CASES_H
#define AG_TESTS_CONV_CASES_H

#include "test.h"
#include "golden.h"
#include "convolution_runner.h"

enum { CONV_MOST = 64 };
extern golden *conv_file;
extern char conv_names[CONV_MOST][100]; /* of its cases, in its order */
extern int conv_cases;

/* Opens the file of tests/golden, runs tests on one thread, and returns what main has to. */
#define conv_main(file, tests) \
 (conv_open(file) ? 1 : conv_close(cmocka_run_group_tests(tests, NULL, NULL)))
int conv_open(const char *file);
int conv_close(int failed);

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

/* Tests of all cases: the file's values and gradients in float and in double; central differences
   in double; the same bits for 1 to 3 threads. */
void conv_golden(void **state);
void conv_gradcheck(void **state);
void conv_same_bits(void **state);
/* Of one case a sentence whichever allocation fails. */
void conv_no_memory(const char *name);

#endif
