/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "support/harness_demo.h"
#include "support/files.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const columns[] = {"loss", "tau"};

static void put(const char *folder, const char *name, const char *text)
{
    assert_int_equal(files_put(formatted("%s/%s", folder, name), text, strlen(text)), 0);
}

static void expect_text(const char *folder, const char *name, const char *want)
{
    char *text = files_text(folder, name);
    assert_string_equal(text, want);
    free(text);
}

static harness_run *open_new(const char *folder)
{
    return expect_made(demo_run(folder, HARNESS_NEW, columns, 2, new_failure()));
}

static void train(harness_run *run, int from, int to)
{
    for (int step = from; step <= to; step++) {
        double values[2] = {1.0 / step, step % 2 ? (double)NAN : step / 100.0};
        expect_ok(harness_run_metrics(run, step, values, new_failure()));
        expect_ok(harness_run_timing(run, step, "step_s", 0.5, new_failure()));
    }
    expect_ok(harness_run_sync(run, new_failure()));
}

static void writes_metrics(void **state)
{
    const char *folder = files_path("deep/er/run");
    harness_run *run = open_new(folder);
    train(run, 1, 2);
    expect_text(folder, "metrics.jsonl",
                "{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 0.5, \"tau\": 0.02}\n");
    expect_text(folder, "metrics.csv", "step,loss,tau\n1,1,\n2,0.5,0.02\n");
    harness_curve c;
    expect_ok(harness_run_column(&c, harness_run_path(run, "metrics.jsonl"), "tau", new_failure()));
    assert_true(c.n == 1 && c.x[0] == 2 && c.y[0] == 0.02);
    harness_free(c.x);
    expect_ok(harness_run_close(run, new_failure()));
}

/* Interrupted after step 7, of which the checkpoint has 5, in the middle of a line; then before the
   first step. test_program_resume compares whole runs. */
static void goes_back_to_a_step(void **state)
{
    const char *folder = files_path("halved");
    harness_run *run = open_new(folder);
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    expect_ok(harness_run_config(run, o, new_failure()));
    train(run, 1, 3);
    expect_ok(harness_run_close(run, new_failure()));
    FILE *file = fopen(formatted("%s/metrics.jsonl", folder), "ab");
    fputs("{\"step\": 4, \"lo", file);
    fclose(file);
    for (int step = 1; step >= 0; step--) {
        run = demo_run(folder, HARNESS_RESUME, columns, 2, new_failure());
        expect_ok(harness_run_rewind(run, step, new_failure()));
        expect_ok(harness_run_close(run, new_failure()));
        expect_text(folder, "metrics.csv", step ? "step,loss,tau\n1,1,\n" : "step,loss,tau\n");
        expect_text(folder, "metrics.jsonl", step ? "{\"step\": 1, \"loss\": 1}\n" : "");
        expect_text(folder, "timing.jsonl", step ? "{\"step\": 1, \"step_s\": 0.500000}\n" : "");
    }
    put(folder, "metrics.csv", "step,loss\nhello\n");
    run = demo_run(folder, HARNESS_RESUME, columns, 2, new_failure());
    expect_status(harness_run_rewind(run, 3, new_failure()), AG_EDATA,
                  "metrics.csv line 2 does not begin with a step, so it is not a file of this run; "
                  "move it away or choose another --out");
    harness_run_close(run, &(ag_failure){0});
    harness_options_free(o);
}

static void config_comes_back(void **state)
{
    const char *folder = files_path("config");
    demo_options read;
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    expect_ok(harness_options_set(o, NULL, "steps", "7", new_failure()));
    harness_run *run = open_new(folder);
    expect_ok(harness_run_config(run, o, new_failure()));
    expect_ok(harness_run_close(run, new_failure()));
    harness_options *back = harness_options_new(&demo, HARNESS_EVAL, &read);
    expect_ok(harness_run_read_config(folder, back, 0, new_failure()));
    assert_int_equal(read.steps, 7);
    static const char *const bad[][2] = {
        {"{", "config.json line 1 is not JSON"},
        {"{\"program\": \"tpu\"}",
         "config.json was not made by demo but by tpu; name a run folder of demo"},
        {"[]", "config.json was not made by demo but by something else; name a run folder of demo"},
        {"{\"program\": \"demo\"}", "\"options\" is not a JSON object"},
        {"{\"program\": \"demo\", \"program\": \"demo\"}",
         "config.json line 1 is not JSON: duplicate object key"},
    };
    for (int i = 0; i < 5; i++) {
        put(folder, "config.json", bad[i][0]);
        expect_status(harness_run_read_config(folder, back, 0, new_failure()), AG_EDATA, bad[i][1]);
    }
    harness_options_free(back);
    harness_options_free(o);
}

/* Before anything is read, and without a trace. */
static void expect_refused(const char *folder, harness_run_mode mode, ag_status status,
                           const char *sentence)
{
    struct stat about;
    const int there = stat(folder, &about) == 0;
    assert_null(harness_run_open(folder, mode, new_failure()));
    assert_int_equal(stat(folder, &about) == 0, there);
    expect_sentence(last_failure(), status, sentence);
}

static void folder_sentences(void **state)
{
    const char *folder = files_path("full");
    expect_ok(harness_run_close(open_new(folder), new_failure()));
    put(folder, "notes.txt", "mine");
    put(folder, "best.safetensors", "x");
    expect_refused(folder, HARNESS_NEW, AG_EUSE,
                   "/full is not empty; go on with --resume, replace the run with --force, or "
                   "choose another --out");
    expect_refused(folder, HARNESS_RESUME, AG_EFILE,
                   "/full has no readable config.json, so there is no run to resume; check --out, "
                   "or omit --resume");
    expect_refused(files_path("none"), HARNESS_RESUME, AG_EFILE,
                   "/none does not exist, so there is no run to resume");
    harness_run *run = expect_made(harness_run_open(folder, HARNESS_FORCE, new_failure()));
    expect_text(folder, "best.safetensors", "x"); /* until the run begins */
    expect_ok(harness_run_begin(run, columns, 2, new_failure()));
    expect_ok(harness_run_close(run, new_failure()));
    expect_text(folder, "notes.txt", "mine");
    assert_null(files_text(folder, "best.safetensors"));
    put(files_folder, "file", "x");
    expect_refused(files_path("file/run"), HARNESS_NEW, AG_EFILE,
                   "/file/run cannot be made: Not a directory; choose another --out");
    expect_refused(files_path("file"), HARNESS_NEW, AG_EFILE,
                   "/file cannot be made: File exists; choose another --out");
    assert_int_equal(symlink("elsewhere", files_path("dangling")), 0);
    expect_refused(files_path("dangling"), HARNESS_NEW, AG_EFILE, "/dangling cannot be made: ");
    run = expect_made(harness_run_open(files_path("new/and/deep"), HARNESS_NEW, new_failure()));
    expect_ok(harness_run_close(run, new_failure()));
    assert_int_not_equal(access(files_path("new/and/deep"), F_OK), 0); /* nothing began in it */
}

/* One that was there before, or that another program has made in its place. */
static void an_empty_folder_of_others_stays(void **state)
{
    for (int again = 0; again < 2; again++) {
        const char *folder = files_path(again ? "again" : "before");
        if (!again) assert_int_equal(mkdir(folder, 0777), 0);
        harness_run *run = expect_made(harness_run_open(folder, HARNESS_NEW, new_failure()));
        if (again) {
            assert_true(rmdir(folder) == 0 && mkdir(folder, 0777) == 0);
            assert_int_equal(harness_run_begin(run, columns, 2, new_failure()), AG_EFILE);
        }
        expect_ok(harness_run_close(run, new_failure()));
        assert_int_equal(access(folder, F_OK), 0);
    }
}

/* All files that the programs write are removed, any others stay. */
static void force_clears_what_the_programs_write(void **state)
{
    static const char *const ours[] = {"config.json",      "last.safetensors", "best.safetensors",
                                       "report.html",      "result.json",      "autotune.json",
                                       "metrics.jsonl",    "metrics.csv",      "timing.jsonl",
                                       "plots/curves.svg", "plots/order.gp",   "plots/methods.svg",
                                       "plots/fusion.svg", "plots/tiles.gp",   "plots/times.svg",
                                       "plots/parts.tsv",  "plots/order.pdf"};
    static const char *const theirs[] = {"notes.txt", "plots/mine.svg", "plots/curves.png",
                                         "my-config.json"};
    const char *folder = files_path("forced");
    expect_ok(harness_run_close(open_new(folder), new_failure()));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) put(folder, ours[i], "old");
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) put(folder, theirs[i], "mine");
    harness_run *run = expect_made(demo_run(folder, HARNESS_FORCE, columns, 2, new_failure()));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        char *text = files_text(folder, ours[i]);
        if (text && strcmp(text, "old") == 0) fail_msg("%s is still there", ours[i]);
        free(text);
    }
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        expect_text(folder, theirs[i], "mine");
    expect_ok(harness_run_close(run, new_failure()));
}

static void a_full_disk_is_noticed(void **state)
{
    const char *folder = files_path("disk");
    ag_failure why = {0}, again = {0};
    harness_run *run = open_new(folder);
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    harness_run_config(run, o, &why);
    harness_run_close(run, &why);
    harness_options_free(o);
    const char *path = formatted("%s/metrics.jsonl", folder);
    unlink(path);
    assert_int_equal(symlink("/dev/full", path), 0);
    run = demo_run(folder, HARNESS_RESUME, columns, 2, &why);
    assert_non_null(run);
    assert_int_equal(harness_run_metrics(run, 1, (double[]){1, 2}, &why), AG_EFILE);
    expect_sentence(&why, AG_EFILE,
                    "/metrics.jsonl cannot be written: No space left on device; make room or "
                    "choose another --out");
    harness_run_close(run, &again);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, writes_metrics, goes_back_to_a_step,
                          config_comes_back, folder_sentences, an_empty_folder_of_others_stays,
                          force_clears_what_the_programs_write, a_full_disk_is_noticed);
}
