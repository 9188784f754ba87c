/* SPDX-License-Identifier: MIT */
/* Logs of TVM's tuners: each format and version, bad lines, long ones. */
#define _GNU_SOURCE
#include "examples/tpgnn/logs.h"
#include "examples/tpgnn/logs_lines.h"
#include "support/tpgnn_logs.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char reported[2000];
static int reports;

static void report(void *context, const char *sentence)
{
    assert_ptr_equal(context, &reports);
    snprintf(reported + strlen(reported), sizeof reported - strlen(reported), "%s\n", sentence);
    reports++;
}

static tpgnn_log *open_text(const char *text, const char *workloads, int bad)
{
    ag_failure why = {0};
    const tpgnn_log_options options = {bad, 0, report, &reports};
    reported[0] = 0;
    reports = 0;
    FILE *beside = workloads ? fmemopen((void *)workloads, strlen(workloads), "r") : NULL;
    tpgnn_log *log =
        tpgnn_log_stream(fmemopen((void *)text, strlen(text), "r"), beside, "log", options, &why);
    if (!log) fail_msg("%s", why.sentence);
    return log;
}

static const tpgnn_record *next(tpgnn_log *log)
{
    ag_failure why = {0};
    const tpgnn_record *r = tpgnn_log_next(log, &why);
    if (why.status) fail_msg("%s", why.sentence);
    return r;
}

static void every_version_of_ansor(void **state)
{
    (void)state;
    static const struct {
        const char *version, *task;
        int line, error, runs;
        double mean;
    } is[] = {{"v0.2", "[\"a\", 4, [2, 3]]", 2, 0, 3, 0.5},
              {"v0.3", "[\"a\", 4, [2, 3]]", 3, 0, 1, 0.25},
              {"v0.4", "[\"b\", 4, [2, 3]]", 5, 0, 1, 1e-5},
              {"v0.5", "[\"a\", 4, [2, 3]]", 6, 4, 0, NAN},
              {"v0.6", "[\"a\", 4, [2, 3]]", 8, 6, 0, NAN},
              {"v0.6", "[\"a\", 4, [2, 3]]", 9, 0, 1, 2}};
    tpgnn_log *log = open_text(ANSOR_LOG, NULL, TPGNN_BAD_REFUSE);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        const tpgnn_record *r = next(log);
        assert_non_null(r);
        assert_int_equal(r->kind, TPGNN_ANSOR);
        assert_string_equal(r->version, is[i].version);
        assert_string_equal(r->task, is[i].task);
        assert_string_equal(r->target, "llvm -keys=cpu");
        assert_int_equal(r->line, is[i].line);
        assert_int_equal(r->error, is[i].error);
        assert_int_equal(r->runs, is[i].runs);
        assert_true(isnan(is[i].mean) ? isnan(r->mean) : r->mean == is[i].mean);
        for (int k = 0; k < TPGNN_STEPS; k++)
            if (i == 0) assert_int_equal(r->steps[k], k == 0 ? 2 : 1);
        if (i > 0) assert_int_equal(r->steps[9], i != 2); /* CI */
        if (i == 0) assert_true(r->seconds[1] == 0.25 && r->seconds[2] == 0.75);
        assert_non_null(json_object_get(r->json, "r"));
    }
    assert_null(next(log));
    assert_null(next(log));
    assert_int_equal(tpgnn_log_skipped(log) + reports, 0);
    tpgnn_log_close(log);
}

static void entities_of_autotvm(void **state)
{
    (void)state;
    static const char *const names[] = {"tile_x", "reorder_0", "ann", "step", "x"};
    static const char *const kinds[] = {"sp", "re", "an", "ot", "ot"};
    tpgnn_log *log = open_text(AUTOTVM_LOG, NULL, TPGNN_BAD_REFUSE);
    const tpgnn_record *r = next(log);
    assert_int_equal(r->kind, TPGNN_AUTOTVM);
    assert_string_equal(r->version, "0.2");
    assert_string_equal(r->task, "dense [[\"TENSOR\",[1,8],\"float32\"],null]");
    assert_string_equal(r->target, "cuda -model=t4");
    assert_int_equal(r->entities, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(r->entity[i].name, names[i]);
        assert_string_equal(r->entity[i].kind, kinds[i]);
    }
    assert_int_equal(json_integer_value(json_array_get(r->entity[0].value, 1)), 4);
    assert_int_equal(json_integer_value(r->entity[3].value), 1500);
    assert_true(r->runs == 2 && r->seconds[0] == 3e-05 && fabs(r->mean - 2e-05) < 1e-12);
    r = next(log);
    assert_string_equal(r->task, "dense [[\"TENSOR\",[1,8],\"float32\"],null]{\"a\":2,\"k\":1}");
    assert_int_equal(r->entities, 0);
    r = next(log);
    assert_true(r->error == 6 && r->runs == 0 && r->entities == 1);
    assert_null(next(log));
    tpgnn_log_close(log);
}

static void records_of_a_database(void **state)
{
    (void)state;
    static const char *const hash[] = {"42", "1234567890123456789", "42", "42"};
    static const char *const number[] = {"workload 1", "workload 0", "workload 1", "workload 1"};
    static const int error[] = {0, 8, 9, 0}, instructions[] = {3, 3, 0, 3};
    static const double mean[] = {0.375, NAN, NAN, 0.125};
    for (int with = 0; with < 2; with++) {
        tpgnn_log *log = open_text(RECORDS, with ? WORKLOADS : NULL, TPGNN_BAD_REFUSE);
        for (int i = 0; i < 4; i++) {
            const tpgnn_record *r = next(log);
            assert_int_equal(r->kind, TPGNN_METASCHEDULE);
            assert_string_equal(r->task, (with ? hash : number)[i]);
            assert_string_equal(r->version, "");
            assert_string_equal(r->target, i == 2 ? "" : "{\"keys\":[\"cpu\"],\"kind\":\"llvm\"}");
            assert_int_equal(r->error, error[i]);
            assert_int_equal(r->instructions, instructions[i]);
            assert_true(isnan(mean[i]) ? isnan(r->mean) : r->mean == mean[i]);
        }
        assert_null(next(log));
        tpgnn_log_close(log);
        assert_int_equal(reports, !with);
        if (!with) assert_non_null(strstr(reported, "log: there are no workloads beside"));
    }
}

/* ---- bad lines */

#define GOOD                 ANSOR_LINE("good", "", "", "[[1], 0, 1, 2]", "v0.6")
#define ANSOR_RESULT(RESULT) ANSOR_LINE("x", "", "", RESULT, "v0.6")
#define ANSOR_STEP(STEP)     ANSOR_LINE("x", "", STEP, "[[1], 0, 1, 2]", "v0.6")
#define TVM_ENTITY(ENTITY)   AUTOTVM_LINE("d", "{}", ENTITY, "[[1], 0, 1, 2]", "0.2")

static const struct {
    const char *line, *sentence;
} bad[] = {
    {"{\n", "no JSON at byte"},
    {"{\"i\": 1, \"i\": 2}\n", "duplicate"},
    {"3\n", "no JSON at byte"},
    {"{}\n", "this is no record: Ansor's has \"i\", AutoTVM's \"input\""},
    {ANSOR_LINE("x", "", "", "[[1], 0, 1, 2]", "v0.1"),
     "the version is \"v0.1\", but v0.2 to v0.6 are read"},
    {ANSOR_LINE("x", "", "", "[[1], 0, 1, 2]", "v0.7"), "the version is \"v0.7\""},
    {"{\"i\": [], \"r\": [], \"v\": 0.1}\n", "a number is AutoTVM's old format"},
    {"{\"i\": [[\"a\", \"b\"]], \"v\": \"v0.6\"}\n",
     "i is [[\"a\",\"b\"]], but must be [task, state]"},
    {"{\"i\": [[\"a\"], [[], []]], \"v\": \"v0.6\"}\n", "the task is [\"a\"], but must be"},
    {"{\"i\": [[\"a\", 3], [[], []]], \"v\": \"v0.6\"}\n", "the task is [\"a\",3], but must be"},
    {"{\"i\": [[\"a\", \"b\"], [[]]], \"v\": \"v0.6\"}\n",
     "the state is [[]], but must be [[], [steps]]"},
    {"{\"i\": [[\"a\", \"b\"], [[], []]], \"v\": \"v0.6\"}\n", "r is nothing, but must be"},
    {ANSOR_STEP("[\"XY\", 1]"), "step 0, [\"XY\",1], is none of v0.2 to v0.6"},
    {ANSOR_STEP("[\"CI\", 1], [\"CI\", 1, 2]"), "step 1, [\"CI\",1,2], is none of"},
    {ANSOR_STEP("[\"FU\", 1, 2]"), "step 0, [\"FU\",1,2], is none of"},
    {ANSOR_STEP("[\"FU\", 1, [2, 0.5]]"), "step 0, [\"FU\",1,[2,0.5]], is none of"},
    {ANSOR_STEP("[\"CHW\", 1, 2]"), "step 0, [\"CHW\",1,2], is none of"},
    {ANSOR_STEP("7"), "step 0, 7, is none of"},
    {ANSOR_RESULT("[[1], 0, 1]"), "r is [[1],0,1], but must be"},
    {ANSOR_RESULT("[[1], 9, 1, 2]"), "the error number is 9, but must be 0 to 8"},
    {ANSOR_RESULT("[[1], -1, 1, 2]"), "the error number is -1, but must be 0 to 8"},
    {ANSOR_RESULT("[[1], 0, null, 2]"), "r[2] is null, but must be a number"},
    {ANSOR_RESULT("[[], 0, 1, 2]"), "r[0] is [], but must be a list of run times"},
    {ANSOR_RESULT("[[1, 0], 0, 1, 2]"), "run time 1 is 0, but must be above 0 and below 1e9 s"},
    {ANSOR_RESULT("[[-1], 0, 1, 2]"), "run time 0 is -1, but must be"},
    {ANSOR_RESULT("[[1e10], 0, 1, 2]"), "run time 0 is 1e10, but must be"},
    {ANSOR_RESULT("[[1e400], 0, 1, 2]"), "no JSON at byte"},
    {ANSOR_RESULT("[[\"1\"], 4, 1, 2]"), "run time 0 is \"1\", but must be"},
    {AUTOTVM_LINE("d", "{}", "", "[[1], 0, 1, 2]", "0.3"), "the version is 0.3"},
    {AUTOTVM_LINE("d", "{}", "", "[[1], 0, 1, 2]", "\"0.2\""), "the version is \"0.2\""},
    {AUTOTVM_LINE("d", "[]", "", "[[1], 0, 1, 2]", "0.2"), "input is "},
    {AUTOTVM_LINE("d", "{}", "", "3", "0.2"), "result is 3, but must be"},
    {"{\"input\": [\"t\", \"d\", [], {}], \"version\": 0.2}\n",
     "config has no list of the name entity"},
    {TVM_ENTITY("[\"a\", \"sp\", [1, \"b\"]]"),
     "entity 0 is [\"a\",\"sp\",[1,\"b\"]], but must be"},
    {TVM_ENTITY("[\"a\", \"an\", [1]]"), "entity 0 is [\"a\",\"an\",[1]], but must be"},
    {TVM_ENTITY("[\"a\", \"xx\", 1]"), "entity 0 is [\"a\",\"xx\",1], but must be"},
    {TVM_ENTITY("[\"a\", \"ot\"]"), "entity 0 is [\"a\",\"ot\"], but must be"},
    {"[]\n", "[] is no record"},
    {"[1]\n", "[1] is no record"},
    {"[\"1\", \"AA\"]\n", "this is a workload; name the file of tuning records"},
    {"[0, [[[], []], null, null]]\n", "is no record"},
    {"[-1, [[[], []], null, null, null]]\n", "the workload is -1, but must be at least 0"},
    {"[2, [[[], []], null, null, null]]\n", "the workload is 2, but the database has 2, from 0 on"},
    {"[0, [[[]], null, null, null]]\n", "the trace is [[]], but must be"},
    {"[0, [[[3], []], null, null, null]]\n", "instruction 0 is 3, but must be"},
    {"[0, [[[], []], 3, null, null]]\n", "the run times are 3, but must be a list or null"},
    {"[0, [[[], []], [0], null, null]]\n", "run time 0 is 0, but must be a number above 0"},
    {"[0, [[[], []], [\"1\"], null, null]]\n", "run time 0 is \"1\", but must be"},
    {"[0, [[[], []], [1], 3, null]]\n", "the target is 3, but must be"},
};

static void bad_lines_are_said_with_their_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text;
        assert_true(asprintf(&text, GOOD "%s" GOOD, bad[i].line) > 0);
        tpgnn_log *log = open_text(text, WORKLOADS, TPGNN_BAD_SKIP);
        assert_int_equal(next(log)->line, 1);
        assert_int_equal(next(log)->line, 3);
        assert_null(next(log));
        if (!strstr(reported, bad[i].sentence)) fail_msg("%s: %s", bad[i].line, reported);
        assert_int_equal(strncmp(reported, "log line 2: ", 12), 0);
        assert_true(reports == 1 && tpgnn_log_skipped(log) == 1);
        tpgnn_log_close(log);
        ag_failure why = {0};
        log = open_text(text, WORKLOADS, TPGNN_BAD_REFUSE);
        assert_non_null(next(log));
        assert_null(tpgnn_log_next(log, &why));
        assert_int_equal(why.status, AG_EDATA);
        assert_non_null(strstr(why.sentence, bad[i].sentence));
        assert_int_equal(reports, 0);
        tpgnn_log_close(log);
        free(text);
    }
}

static void bad_workloads(void **state)
{
    (void)state;
    static const char *const workloads[] = {"[\"1\", 2]\n[\"42\", \"BA==\"]\n",
                                            "nonsense\n[\"42\", \"BA==\"]\n"};
    static const char *const sentence[] = {"log (workloads) line 1: [\"1\",2] is no workload",
                                           "log (workloads) line 1: no JSON at byte"};
    for (int i = 0; i < 2; i++) {
        tpgnn_log *log = open_text(RECORDS, workloads[i], TPGNN_BAD_SKIP);
        for (int k = 0; k < 3; k++) assert_string_equal(next(log)->task, "42");
        assert_null(next(log));
        assert_non_null(strstr(reported, sentence[i]));
        assert_non_null(strstr(reported, "log line 2: line 1 of the workloads is bad"));
        assert_int_equal(tpgnn_log_skipped(log), 2);
        tpgnn_log_close(log);
        ag_failure why = {0};
        const tpgnn_log_options refuse = {.bad = TPGNN_BAD_REFUSE};
        FILE *beside = fmemopen((void *)workloads[i], strlen(workloads[i]), "r");
        assert_null(
            tpgnn_log_stream(fmemopen((void *)RECORDS, 10, "r"), beside, "log", refuse, &why));
        assert_int_equal(why.status, AG_EDATA);
        assert_non_null(strstr(why.sentence, sentence[i]));
    }
}

/* ---- lines */

static void lines_of_any_length(void **state)
{
    (void)state;
    enum { MOST = 200000 };
    static const int length[] = {0,      1,    65535,    65536,        65537,
                                 131072, MOST, MOST + 1, MOST + 70000, 3};
    const int n = sizeof length / sizeof *length;
    char *text = malloc(1 << 20), *to = text;
    for (int i = 0; i < n; i++) {
        memset(to, 'a' + i, (size_t)length[i]);
        to += length[i];
        if (i < n - 1) *to++ = '\n';
    }
    tpgnn_lines *l = tpgnn_lines_new(fmemopen(text, (size_t)(to - text), "r"), MOST);
    for (int i = 0; i < n; i++) {
        assert_int_equal(tpgnn_lines_next(l), length[i] > MOST ? TPGNN_LINE_LONG : TPGNN_LINE);
        assert_int_equal(l->number, i + 1);
        if (length[i] > MOST) continue;
        assert_int_equal(l->bytes, length[i]);
        for (int k = 0; k < length[i]; k++) assert_int_equal(l->text[k], 'a' + i);
    }
    assert_int_equal(tpgnn_lines_next(l), TPGNN_LINE_END);
    tpgnn_lines_free(l);
    free(text);
}

static void long_lines_and_windows_ends(void **state)
{
    (void)state;
    ag_failure why = {0};
    static const char text[] = "\r\n# comment\r\n[0, [[[], []], null, null, null]]\r\n"
                               "[0, [[[], []], [1, 1, 1, 1, 1, 1, 1, 1, 1], null, null]]\n";
    const tpgnn_log_options options = {TPGNN_BAD_SKIP, 40, report, &reports};
    reported[0] = 0;
    tpgnn_log *log =
        tpgnn_log_stream(fmemopen((void *)text, sizeof text - 1, "r"), NULL, "log", options, &why);
    assert_int_equal(next(log)->line, 3);
    assert_null(next(log));
    assert_non_null(strstr(reported, "log line 4: the line has over 40 bytes; raise --line-limit"));
    tpgnn_log_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_of_ansor),
        cmocka_unit_test(entities_of_autotvm),
        cmocka_unit_test(records_of_a_database),
        cmocka_unit_test(bad_lines_are_said_with_their_number),
        cmocka_unit_test(bad_workloads),
        cmocka_unit_test(lines_of_any_length),
        cmocka_unit_test(long_lines_and_windows_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
