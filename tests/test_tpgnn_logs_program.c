/* SPDX-License-Identifier: MIT */
/* Logs of TVM's tuners: the summary, the command, and real logs when they are here. */
#define _GNU_SOURCE
#include "examples/tpgnn/logs_summary.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"
#include "support/tpgnn_logs.h"
#include "tests/files.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

#include <cmocka.h>

/* ---- summary */

static void tasks_are_summed_up(void **state)
{
    (void)state;
    static const char *const logs[] = {ANSOR_LOG, AUTOTVM_LOG, RECORDS};
    tpgnn_log_summary s = {0};
    for (int i = 0; i < 3; i++) {
        ag_failure why = {0};
        tpgnn_log *log =
            tpgnn_log_stream(fmemopen((void *)logs[i], strlen(logs[i]), "r"), NULL, "log",
                             (tpgnn_log_options){.bad = TPGNN_BAD_REFUSE}, &why);
        const tpgnn_record *r;
        while ((r = tpgnn_log_next(log, &why))) tpgnn_log_summary_add(&s, r);
        tpgnn_log_close(log);
    }
    tpgnn_log_summary_finish(&s);
    assert_int_equal(s.tasks, 7);
    const tpgnn_log_task *t = s.task;
    assert_string_equal(t->task, "[\"a\", 4, [2, 3]]");
    assert_true(t->kind == TPGNN_ANSOR && t->records == 5 && t->valid == 3);
    assert_true(t->failed[4] == 1 && t->failed[6] == 1 && t->failed[0] == 0);
    assert_true(t->best == 0.25 && t->median == 0.5 && t->worst == 2);
    assert_true(t->steps[0] == 2 && t->steps[9] == 5);
    t = &s.task[2];
    assert_true(t->kind == TPGNN_AUTOTVM && t->records == 2 && t->valid == 1 && t->failed[6] == 1);
    t = &s.task[4]; /* workload 1 with a target; workload 0; workload 1 without one */
    assert_true(t->kind == TPGNN_METASCHEDULE && t->records == 2 && t->median == 0.25);
    assert_true(s.task[5].valid == 0 && isnan(s.task[5].best) && s.task[5].failed[8] == 1);
    assert_true(s.task[6].failed[9] == 1 && !*s.task[6].target);
    harness_table *table = tpgnn_log_summary_table(&s, "t");
    assert_int_equal(harness_table_rows(table), 7);
    harness_table_free(table);
    tpgnn_log_summary_free(&s);
}

/* ---- the command */

static void put(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    assert_int_equal(files_put(path, text, strlen(text)), 0);
}

static void the_command(void **state)
{
    (void)state;
    char path[600];
    put("ansor.json", ANSOR_LOG);
    put("tvm.log", AUTOTVM_LOG "nonsense\n");
    put("many.log", "a\nb\nc\nd\ne\nf\ng\n" AUTOTVM_LOG);
    put("empty.log", "# nothing\n");
    snprintf(path, sizeof path, "%s/db", test_folder);
    mkdir(path, 0700);
    put("db/database_workload.json", WORKLOADS);
    put("db/database_tuning_record.json", RECORDS);
    put("x_tuning_record.json", RECORDS);
    put("x_workload.json", WORKLOADS);
    put("y_tuning_record.json", RECORDS);
    program_expect("tpgnn logs ansor.json tvm.log db", 0,
                   "Logs: 13 records of 7 tasks in 3 files, 1 bad lines",
                   "tvm.log line 4: no JSON at byte");
    program_expect("tpgnn logs ansor.json", 0, "1 runtime device, 1 build timeout", "");
    program_expect("tpgnn logs ansor.json", 0, "250000.00  500000.00  2000000.00", "");
    program_outcome o = program_expect("tpgnn logs db", 0, "MetaSchedule  42", "");
    assert_null(strstr(o.err, "workloads"));
    program_expect("tpgnn logs x_tuning_record.json", 0, "1234567890123456789", "");
    program_expect("tpgnn logs y_tuning_record.json", 0, "workload 0", "no workloads beside");
    o = program_expect("tpgnn logs many.log", 0, "dense", "7 bad lines were skipped, 3 records");
    assert_null(strstr(o.err, "line 6"));
    assert_string_equal(program_expect("tpgnn logs many.log --quiet", 0, "", "").err, "");
    program_expect("tpgnn logs tvm.log --bad refuse", 3, "", "tpgnn: tvm.log line 4: no JSON");
    program_expect("tpgnn logs tvm.log --bad what", 2, "", "skip|refuse");
    program_expect("tpgnn logs", 2, "", "--log FILE");
    program_expect("tpgnn logs none.log", 3, "", "none.log cannot be read: No such file");
    program_expect("tpgnn logs empty.log", 3, "", "empty.log holds no record");
    program_expect("tpgnn logs db/database_workload.json", 3, "", "this is a workload");
    program_expect("tpgnn logs .", 3, "", "database_tuning_record.json cannot be read");
    program_expect("tpgnn logs ansor.json --line-limit 1K", 0, "Ansor", "");
    program_expect("tpgnn logs --help", 0, "--line-limit SIZE", "");
    program_expect("tpgnn --version", 0, "tpgnn 0.", "");
    program_each_fails("tpgnn logs ansor.json tvm.log db --quiet", 5, 20);
}

static void the_command_as_json(void **state)
{
    (void)state;
    put("a.json", ANSOR_LOG);
    json_t *j = json_loads(program_expect("tpgnn logs a.json --json", 0, "{", "").out, 0, NULL);
    const json_t *t = json_array_get(json_object_get(j, "tasks"), 0);
    assert_int_equal(json_array_size(json_object_get(j, "tasks")), 2);
    assert_string_equal(json_string_value(json_object_get(t, "task")), "[\"a\", 4, [2, 3]]");
    assert_int_equal(json_integer_value(json_object_get(t, "valid")), 3);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(t, "failed"), "build timeout")), 1);
    assert_true(json_real_value(json_object_get(t, "median_s")) == 0.5);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(t, "steps"), "CI")), 5);
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(json_object_get(j, "files"), 0), "records")),
                     6);
    json_decref(j);
}

/* ---- real logs */

static void real_logs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int records, valid, tasks;
    } is[] = {{"tlcbench_platinum-8124m_bert-B1-float32.kernel.log", 6800, 6150, 11},
              {"tvm_ci_conv2d.json", 1, 1, 1},
              {"tvm_ci_matmul.json", 1, 1, 1},
              {"tvm_ci_resnet-18-NHWC-B1-cuda.json", 24, 24, 24},
              {"tvm_ci_resnet-50-NHWC-B1-llvm.json", 26, 26, 26},
              {"tvm_ci_sparse_dense.json", 1, 1, 1}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        char path[1000];
        ag_failure why = {0};
        const tpgnn_log_options refuse = {.bad = TPGNN_BAD_REFUSE};
        const tpgnn_record *r;
        tpgnn_log_summary s = {0};
        int records = 0, valid = 0;
        snprintf(path, sizeof path, "%s/../shared/data/tvm/%s", AG_SOURCE_DIR, is[i].name);
        if (access(path, R_OK) != 0) {
            printf("skipped: %s is not here\n", path);
            skip();
        }
        tpgnn_log *log = tpgnn_log_open(path, refuse, &why);
        while (log && (r = tpgnn_log_next(log, &why))) {
            records++;
            valid += r->runs > 0;
            tpgnn_log_summary_add(&s, r);
        }
        tpgnn_log_close(log);
        if (why.status) fail_msg("%s", why.sentence);
        assert_int_equal(records, is[i].records);
        assert_int_equal(valid, is[i].valid);
        assert_int_equal(s.tasks, is[i].tasks);
        tpgnn_log_summary_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_summed_up),
        cmocka_unit_test(the_command),
        cmocka_unit_test(the_command_as_json),
        cmocka_unit_test(real_logs),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
