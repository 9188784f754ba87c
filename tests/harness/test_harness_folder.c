/* SPDX-License-Identifier: MIT */
/* Folders that a program writes to: one program at a time, no links in them, nothing half written
   left, and the true reason when one cannot be made. */
#include "support/test.h"
#include "support/harness_demo.h"
#include "examples/harness/run/run_internal.h"
#include "support/files.h"

#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const columns[] = {"loss"};

static harness_run *open_run(const char *folder, harness_run_mode mode, ag_failure *why)
{
    return harness_run_open(folder, mode, columns, 1, why);
}

/* A folder with the config.json of a run. */
static void make_run(const char *folder)
{
    ag_failure why = {0};
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    harness_run *run = open_run(folder, HARNESS_NEW, &why);
    assert_non_null(run);
    assert_int_equal(harness_run_config(run, o, &why), AG_OK);
    assert_int_equal(harness_run_close(run, &why), AG_OK);
    harness_options_free(o);
}

static void put_in(const char *folder, const char *name)
{
    assert_int_equal(files_put(formatted("%s/%s", folder, name), "x", 1), 0);
}

static int is_in(const char *folder, const char *name)
{
    return access(formatted("%s/%s", folder, name), F_OK) == 0;
}

static pid_t ended_process(void)
{
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

/* ---- one program at a time ---- */

/* Another process that has the run open until it is killed. */
static pid_t hold(const char *folder)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        ag_failure why = {0};
        harness_run *run = open_run(folder, HARNESS_RESUME, &why);
        byte = run != NULL;
        if (write(ready[1], &byte, 1) == 1) pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void a_run_takes_one_program(void **state)
{
    const char *folder = files_path("held");
    make_run(folder);
    const int entries = is_in(folder, "config.json") + is_in(folder, "plots");
    const pid_t other = hold(folder);
    static const harness_run_mode modes[] = {HARNESS_NEW, HARNESS_RESUME, HARNESS_FORCE};
    for (int i = 0; i < 3; i++) {
        ag_failure why = {0};
        assert_null(open_run(folder, modes[i], &why));
        expect_sentence(&why, AG_EUSE, "another program is writing to the folder ");
        expect_sentence(&why, AG_EUSE, "/held; wait until it has ended, or choose another --out");
    }
    assert_int_equal(is_in(folder, "config.json") + is_in(folder, "plots"), entries);
    kill(other, SIGKILL); /* and leaves nothing that keeps others out */
    waitpid(other, NULL, 0);
    ag_failure why = {0};
    harness_run *run = open_run(folder, HARNESS_RESUME, &why);
    assert_non_null(run);
    harness_run_close(run, &why);
    run = open_run(folder, HARNESS_FORCE, &why);
    assert_non_null(run);
    harness_run_close(run, &why);
}

static ag_status no_training(void *user, const harness_study_job *job, json_t *result,
                             ag_failure *why)
{
    (void)user;
    (void)job;
    json_object_set_new(result, "scores", json_pack("{s:f}", "tau", 1.0));
    return why->status;
}

/* Another study takes the place of this one. */
static ag_status train_while_it_is_moved(void *user, const harness_study_job *job, json_t *result,
                                         ag_failure *why)
{
    const char *folder = user;
    assert_int_equal(rename(folder, formatted("%s-moved", folder)), 0);
    make_run(folder);
    return no_training(user, job, result, why);
}

static harness_table *study_with(harness_study_train *train, const char *folder, ag_failure *why)
{
    static const char text[] = "[study]\ntitle = t\nseeds = 0\n[one]\n";
    harness_study s = {0};
    harness_options *o = harness_options_new(&demo, HARNESS_ABLATE, NULL);
    assert_int_equal(harness_study_parse(&s, "s.ini", text, strlen(text), o, why), AG_OK);
    json_t *json = NULL;
    const harness_study_call call = {.study = &s,
                                     .base = o,
                                     .out = folder,
                                     .command_line = "",
                                     .train = train,
                                     .user = (void *)(uintptr_t)folder};
    harness_table *table = harness_study_run(&call, &json, why);
    json_decref(json);
    harness_study_free(&s);
    harness_options_free(o);
    return table;
}

static harness_table *study_in(const char *folder, ag_failure *why)
{
    return study_with(no_training, folder, why);
}

static void a_study_takes_one_program(void **state)
{
    const char *folder = files_path("study");
    ag_failure why = {0}, refused = {0};
    make_run(folder);
    const pid_t other = hold(folder);
    assert_null(study_in(folder, &refused));
    expect_sentence(&refused, AG_EUSE, "/study; wait until it has ended");
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    const char *left = formatted("study.csv.%ld.0.tmp", (long)ended_process());
    put_in(folder, left);
    harness_table *table = study_in(folder, &why);
    assert_non_null(table);
    assert_false(is_in(folder, left));
    harness_table_free(table);
}

/* ---- a folder that is moved, removed or made anew ---- */

static void what_is_there_now_stays(void **state)
{
    static const char said[] = " was removed, moved or made anew while this program wrote to it; ";
    for (int anew = 0; anew < 2; anew++) {
        ag_failure why = {0};
        const char *folder = files_path(anew ? "anew" : "gone");
        make_run(folder);
        harness_run *run = open_run(folder, HARNESS_RESUME, &why);
        assert_int_equal(harness_run_stays(run, &why), AG_OK);
        assert_int_equal(rename(folder, files_path(anew ? "moved-1" : "moved-0")), 0);
        if (anew) make_run(folder);
        assert_int_equal(harness_run_stays(run, &why), AG_EFILE);
        assert_non_null(strstr(why.sentence, said));
        harness_run_close(run, &why);
    }
    const char *folder = files_path("study-gone");
    ag_failure why = {0};
    assert_null(study_with(train_while_it_is_moved, folder, &why));
    expect_sentence(&why, AG_EFILE, said);
    assert_false(is_in(folder, "study.csv") || is_in(folder, "one"));
}

/* ---- leftovers ---- */

static void leftovers_of_the_dead_go(void **state)
{
    const char *folder = files_path("left");
    ag_failure why = {0};
    const long dead = (long)ended_process();
    char gone[3][80], stays[5][80];
    make_run(folder);
    for (int force = 0; force < 2; force++) {
        snprintf(gone[0], 80, "last.safetensors.%ld.0.tmp", dead);
        snprintf(gone[1], 80, "report.html.%ld.12.tmp", dead);
        snprintf(gone[2], 80, "a.b.%ld.1.tmp", dead);
        snprintf(stays[0], 80, "best.safetensors.%ld.0.tmp", (long)getpid());
        snprintf(stays[1], 80, "%ld.0.tmp", dead);
        snprintf(stays[2], 80, ".%ld.0.tmp", dead);
        snprintf(stays[3], 80, "a.%ld.x.tmp", dead);
        snprintf(stays[4], 80, "a.tmp");
        for (int i = 0; i < 3; i++) put_in(folder, gone[i]);
        for (int i = 0; i < 5; i++) put_in(folder, stays[i]);
        harness_run *run = open_run(folder, force ? HARNESS_FORCE : HARNESS_RESUME, &why);
        assert_non_null(run);
        harness_run_close(run, &why);
        for (int i = 0; i < 3; i++)
            if (is_in(folder, gone[i])) fail_msg("%s is still there", gone[i]);
        for (int i = 0; i < 5; i++)
            if (!is_in(folder, stays[i])) fail_msg("%s is gone", stays[i]);
    }

    /* Where no run was, a name that is not ours stays; and a folder that is refused is not touched.
     */
    const char *other = files_path("other");
    assert_int_equal(mkdir(other, 0777), 0);
    put_in(other, gone[0]);
    put_in(other, gone[2]);
    ag_failure refused = {0};
    assert_null(open_run(other, HARNESS_NEW, &refused));
    assert_true(is_in(other, gone[0]) && is_in(other, gone[2]));
    harness_run *run = open_run(other, HARNESS_FORCE, &why);
    assert_non_null(run);
    harness_run_close(run, &why);
    assert_true(!is_in(other, gone[0]) && is_in(other, gone[2]));
}

/* ---- links and permissions ---- */

static void links_within_are_refused(void **state)
{
    const char *folder = files_path("linked"), *elsewhere = files_path("elsewhere");
    make_run(folder);
    assert_int_equal(mkdir(elsewhere, 0777), 0);
    put_in(elsewhere, "curves.svg");
    assert_int_equal(rmdir(formatted("%s/plots", folder)), 0);
    assert_int_equal(symlink(elsewhere, formatted("%s/plots", folder)), 0);
    static const harness_run_mode modes[] = {HARNESS_RESUME, HARNESS_FORCE};
    for (int i = 0; i < 2; i++) {
        ag_failure why = {0};
        assert_null(open_run(folder, modes[i], &why));
        expect_sentence(&why, AG_EUSE, "/linked/plots is a symbolic link");
    }
    assert_true(is_in(elsewhere, "curves.svg") && is_in(folder, "config.json"));
    ag_failure why = {0}, before = {0};
    assert_null(study_in(folder, &before));
    assert_non_null(strstr(before.sentence, "/linked/plots is a symbolic link"));
    assert_false(is_in(folder, "one")); /* nothing was trained */
    assert_int_equal(unlink(formatted("%s/plots", folder)), 0);
    assert_int_equal(symlink(elsewhere, formatted("%s/one", folder)), 0);
    assert_null(study_in(folder, &why));
    expect_sentence(&why, AG_EUSE, "/linked/one is a symbolic link");
    assert_false(is_in(elsewhere, "seed-0"));
}

/* In a child without rights: root may write anywhere. */
static void a_folder_that_may_not_be_written_to_is_named(void **state)
{
    const char *parent = files_path("closed");
    int status;
    const char *folder = formatted("%s/above/run", parent);
    assert_int_equal(mkdir(parent, 0555), 0);
    assert_int_equal(chmod(files_folder, 0755), 0);
    const pid_t child = fork();
    if (child == 0) {
        ag_failure why = {0};
        if (geteuid() == 0 && setuid(65534)) _exit(77);
        if (open_run(folder, HARNESS_NEW, &why)) _exit(1);
        if (why.status == AG_EFILE &&
            strstr(why.sentence, "/closed/above cannot be made: Permission denied; choose"))
            _exit(0);
        print_error("%s\n", why.sentence);
        _exit(1);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_takes_one_program),
        cmocka_unit_test(a_study_takes_one_program),
        cmocka_unit_test(what_is_there_now_stays),
        cmocka_unit_test(leftovers_of_the_dead_go),
        cmocka_unit_test(links_within_are_refused),
        cmocka_unit_test(a_folder_that_may_not_be_written_to_is_named)};
    harness_log_start("demo", true);
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
