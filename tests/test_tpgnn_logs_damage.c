/* SPDX-License-Identifier: MIT */
/* Damaged logs: every cut of the head and thousands of flipped bits are read as far as they are
   good, or refused with a sentence; never a crash. Made-up logs, and real ones when they are here,
   of which the quick run takes a sample. */
#define _GNU_SOURCE
#include "examples/tpgnn/logs_summary.h"
#include "support/tpgnn_logs.h"
#include "tests/files.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { HEAD = 4096, FLIPS = 5000 };

typedef struct outcome {
    int64_t records, skipped;
    ag_failure why;
} outcome;

static int said;

static void count(void *context, const char *sentence)
{
    assert_null(context);
    assert_int_equal(strncmp(sentence, "log", 3), 0);
    said++;
}

/* Reads all there is, as the command does. */
static outcome read_all(const char *text, size_t n, const char *workloads, size_t m, int bad)
{
    outcome o = {0};
    tpgnn_log_summary s = {0};
    const tpgnn_record *r;
    const tpgnn_log_options options = {.bad = bad, .report = count};
    FILE *beside = workloads ? fmemopen((void *)workloads, m, "r") : NULL;
    said = 0;
    tpgnn_log *log =
        tpgnn_log_stream(fmemopen((void *)text, n, "r"), beside, "log", options, &o.why);
    while (log && (r = tpgnn_log_next(log, &o.why))) {
        assert_true(r->error ? r->runs == 0 : r->runs > 0 && r->mean > 0);
        tpgnn_log_summary_add(&s, r);
        o.records++;
    }
    if (log) o.skipped = tpgnn_log_skipped(log);
    tpgnn_log_close(log);
    tpgnn_log_summary_finish(&s);
    tpgnn_log_summary_free(&s);
    return o;
}

static void check(const outcome *o, int bad)
{
    if (bad == TPGNN_BAD_SKIP) {
        assert_int_equal(o->why.status, AG_OK);
        assert_in_range(said, o->skipped, o->skipped + 1); /* and that there are no workloads */
        return;
    }
    assert_int_equal(o->skipped, 0);
    assert_true(o->why.status == AG_OK || o->why.status == AG_EDATA);
    assert_int_equal(o->why.status == AG_OK, o->why.sentence[0] == 0);
    if (o->why.status) assert_int_equal(strncmp(o->why.sentence, "log", 3), 0);
}

/* A part of a log is a log whose last line may be bad. Lines are longer than a step. */
static void cut(const char *text, size_t n, size_t step)
{
    int64_t before = 0;
    for (size_t k = 1; k <= n; k += step) {
        const outcome o = read_all(text, k, NULL, 0, TPGNN_BAD_SKIP);
        check(&o, TPGNN_BAD_SKIP);
        assert_true(o.records >= before && o.records <= before + 1 && o.skipped <= 1);
        before = o.records;
    }
    for (size_t k = 1; k <= n; k += 7 * step) {
        const outcome o = read_all(text, k, NULL, 0, TPGNN_BAD_REFUSE);
        check(&o, TPGNN_BAD_REFUSE);
    }
}

static void flip(const char *good, size_t n, const char *workloads, size_t m, int flips)
{
    ag_random random = {n, 0, 0};
    char *text = malloc(n + m), *beside = workloads ? text + n : NULL;
    const int64_t whole = read_all(good, n, workloads, m, TPGNN_BAD_SKIP).records;
    for (int i = 0; i < flips; i++) {
        memcpy(text, good, n);
        if (workloads) memcpy(beside, workloads, m);
        const uint32_t bit = ag_random_below(&random, (uint32_t)(n + m) * 8);
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        const int bad = i % 2 ? TPGNN_BAD_SKIP : TPGNN_BAD_REFUSE;
        const outcome o = read_all(text, n, beside, m, bad);
        check(&o, bad);
        if (bad == TPGNN_BAD_REFUSE || bit / 8 >= n) continue;
        if (text[bit / 8] == '\n' || good[bit / 8] == '\n') continue; /* other lines */
        assert_in_range(o.records, whole - 1, whole + 1); /* a comment may become a line */
    }
    free(text);
}

static void made_up_logs(void **state)
{
    (void)state;
    static const char *const logs[] = {ANSOR_LOG, AUTOTVM_LOG, RECORDS};
    for (int i = 0; i < 3; i++) {
        cut(logs[i], strlen(logs[i]), 1);
        flip(logs[i], strlen(logs[i]), NULL, 0, FLIPS / 5);
    }
    flip(RECORDS, strlen(RECORDS), WORKLOADS, strlen(WORKLOADS), FLIPS / 5);
    for (size_t k = 1; k <= strlen(WORKLOADS); k++) {
        const outcome o = read_all(RECORDS, strlen(RECORDS), WORKLOADS, k, TPGNN_BAD_SKIP);
        check(&o, TPGNN_BAD_SKIP);
    }
}

static const char *const names[] = {"tlcbench_platinum-8124m_bert-B1-float32.kernel.log",
                                    "tvm_ci_conv2d.json",
                                    "tvm_ci_matmul.json",
                                    "tvm_ci_resnet-18-NHWC-B1-cuda.json",
                                    "tvm_ci_resnet-50-NHWC-B1-llvm.json",
                                    "tvm_ci_sparse_dense.json"};

static void real_logs(void **state)
{
    (void)state;
    const int part = getenv("AUGUR_FULL") ? 1 : 8;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        size_t n;
        snprintf(path, sizeof path, "%s/../shared/data/tvm/%s", AG_SOURCE_DIR, names[i]);
        char *text = files_get(path, &n);
        if (!text) {
            printf("skipped: %s is not here\n", path);
            skip();
        }
        const size_t head = n < HEAD ? n : HEAD, more = n < 2 * HEAD ? n : 2 * HEAD;
        cut(text, head, (size_t)part);
        flip(text, more, NULL, 0, FLIPS / part);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_up_logs),
        cmocka_unit_test(real_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
