/* SPDX-License-Identifier: MIT */
/* The command doctor: its output in every program, and whether its self-test finds a wrong
   result. */
#include "support/test.h"
#include "examples/harness/commands/doctor.h"
#include "examples/harness/machine/processor.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

/* ---- a machine that computes wrongly: one value, on the way to who reads it ---- */

const ag_real *__real_ag_values(const ag_tensor *x);
static int falsify; /* whether it gets it */
static ag_real false_by;

const ag_real *__wrap_ag_values(const ag_tensor *x)
{
    const ag_real *values = __real_ag_values(x);
    if (values && falsify) ((ag_real *)values)[7] += false_by;
    return values;
}

static ag_status try(harness_selftest *result, int falsified, ag_real by)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    falsify = falsified;
    false_by = by;
    const ag_status status = harness_selftest_run(result, tape, new_failure());
    falsify = 0;
    ag_tape_free(tape);
    return status;
}

static int wrong(const harness_selftest *t) { return !(t->error <= t->bound); }

static void test_selftest(void **state)
{
    static const ag_real faults[] = {(ag_real)0.05, (ag_real)NAN, (ag_real)INFINITY};
    harness_selftest result;
    assert_int_equal(try(&result, 0, 0), AG_OK);
    assert_false(wrong(&result));
    assert_true(result.error > 0);                                 /* float is not double */
    assert_true(atoi(result.name + strlen("products of ")) > 256); /* AG_MOST_DEPTH */
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        assert_int_equal(try(&result, 1, faults[f]), AG_OK);
        assert_true(wrong(&result));
    }
}

static void test_failed_tape(void **state)
{
    harness_selftest result;
    ag_tape *tape = ag_tape_new(AG_CUDA);
    if (ag_failed(tape)) {
        assert_int_equal(harness_selftest_run(&result, tape, new_failure()), AG_EDEVICE);
        assert_true(*last_failure()->sentence);
    }
    ag_tape_free(tape);
}

static void test_memory(void **state)
{
    const int64_t all = harness_kib("/proc/meminfo", "MemTotal");
    assert_in_range(harness_kib("/proc/meminfo", "MemAvailable"), 1, all);
    assert_int_equal(harness_kib("/proc/meminfo", "NoSuchLine"), 0);
    assert_string_not_equal(harness_processor(), "");
}

/* ---- whole calls ---- */

static void test_text(void **state)
{
    static const char *const programs[] = {"tgraph", "tpu", "tpgnn"};
    for (int i = 0; i < 3; i++) {
        const program_outcome o =
            program_expect_line(0, "self-test", "", "%s doctor --threads 2", programs[i]);
        assert_non_null(strstr(o.out, "\nthreads "));
        assert_non_null(strstr(o.out, " 2 of "));
        assert_non_null(strstr(o.out, "\nprocessor "));
        assert_non_null(strstr(o.out, "\ncuda ")); /* built with which toolkit, or not */
        assert_non_null(strstr(o.out, "\nmpi "));  /* the same */
        assert_non_null(strstr(o.out, ag_isa()));
        assert_null(strstr(o.out, "WRONG"));
    }
}

#ifdef __x86_64__
static void hold_to_sse2(void) { setenv("AUGUR_ISA", "sse2", 1); }

static void test_instructions(void **state)
{
    program_before = hold_to_sse2;
    program_expect("tgraph doctor", 0, "sse2 instructions", "");
    program_before = NULL;
}
#endif

static void test_json(void **state)
{
    json_t *found = program_json("tpu doctor --json", ""),
           *one = json_array_get(json_object_get(found, "selftest"), 0);
    assert_true(json_is_true(json_object_get(one, "right")));
    assert_true(json_real_value(json_object_get(one, "error")) <=
                json_real_value(json_object_get(one, "bound")));
    assert_non_null(json_string_value(json_object_get(found, "processor")));
    assert_non_null(json_string_value(json_object_get(found, "cuda")));
    json_decref(found);
}

/* Whole calls come first: children of a process that has threads may start none where thread
   sanitizer watches, and a process chooses its instructions once. */
int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __x86_64__
        cmocka_unit_test(test_instructions),
#endif
        cmocka_unit_test(test_text),         cmocka_unit_test(test_json),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_failed_tape),
        cmocka_unit_test(test_selftest)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
