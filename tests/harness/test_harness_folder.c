/* SPDX-License-Identifier: MIT */
/* Folders that a program writes to: no links in them, nothing half written left, and the true
   reason when one cannot be made. test_program_folders has two programs in one. */
#include "support/test.h"
#include "support/harness_demo.h"
#include "examples/harness/model/model.h"
#include "examples/harness/run/run_internal.h"
#include "support/files.h"

#include <jansson.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const columns[] = {"loss"};

static harness_run *open_run(const char *folder, harness_run_mode mode, ag_failure *why)
{
    return demo_run(folder, mode, columns, 1, why);
}

/* A folder with the config.json of a run. */
static void make_run(const char *folder)
{
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    harness_run *run = expect_made(open_run(folder, HARNESS_NEW, new_failure()));
    expect_ok(harness_run_config(run, o, new_failure()));
    expect_ok(harness_run_close(run, new_failure()));
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

/* ---- a folder that is moved, removed or replaced ---- */

static const char *moved; /* the folder of a study that another one replaces while it trains */

/* The linker calls this to train. */
ag_status __wrap_harness_train(harness_session *session, harness_run_mode mode, json_t *result,
                               ag_failure *why)
{
    (void)session;
    (void)mode;
    if (moved) {
        assert_int_equal(rename(moved, formatted("%s-moved", moved)), 0);
        make_run(moved);
    }
    json_object_set_new(result, "scores", json_pack("{s:f}", "tau", 1.0));
    return why->status;
}

static harness_table *study_in(const char *folder, ag_failure *why)
{
    static const char text[] = "[study]\ntitle = t\nseeds = 0\n[one]\n";
    harness_study s = {0};
    demo_options values;
    harness_options *o = harness_options_new(&demo, HARNESS_ABLATE, &values);
    assert_int_equal(harness_study_parse(&s, "s.ini", text, strlen(text), o, why), AG_OK);
    values.common.out = folder;
    json_t *json = NULL;
    const harness_call call = {
        .program = &demo, .options = o, .values = &values, .command_line = ""};
    harness_table *table = harness_study_run(&s, &call, &json, why);
    json_decref(json);
    harness_study_free(&s);
    harness_options_free(o);
    return table;
}

/* test_program_resume tries it with runs. */
static void a_study_leaves_what_is_there_now(void **state)
{
    const char *folder = files_path("study-gone");
    moved = folder;
    assert_null(study_in(folder, new_failure()));
    moved = NULL;
    expect_sentence(last_failure(), AG_EFILE,
                    " was removed, moved or replaced while this program wrote to it; ");
    assert_false(is_in(folder, "study.csv") || is_in(folder, "one"));
}

/* ---- leftovers ---- */

/* tests/core/test_save.c says which they are. In a folder that held no run, a name that is not ours
   stays, and one that is refused is not touched. */
static void leftovers_of_the_dead_go(void **state)
{
    const char *folder = files_path("left"), *other = files_path("other");
    const long dead = (long)ended_process();
    char ours[80], theirs[80], study[80];
    ag_failure why = {0}, refused = {0};
    snprintf(ours, sizeof ours, "last.safetensors.%ld.0.tmp", dead);
    snprintf(theirs, sizeof theirs, "a.b.%ld.1.tmp", dead);
    snprintf(study, sizeof study, "study.csv.%ld.0.tmp", dead);
    make_run(folder);
    assert_int_equal(mkdir(other, 0777), 0);
    for (int i = 0; i < 2; i++) {
        put_in(i ? other : folder, ours);
        put_in(i ? other : folder, theirs);
    }
    assert_null(open_run(other, HARNESS_NEW, &refused));
    assert_true(is_in(other, ours) && is_in(other, theirs));
    harness_run_close(open_run(other, HARNESS_FORCE, &why), &why);
    assert_true(!is_in(other, ours) && is_in(other, theirs));
    harness_run_close(open_run(folder, HARNESS_RESUME, &why), &why);
    assert_false(is_in(folder, ours) || is_in(folder, theirs));
    put_in(folder, study);
    harness_table_free(study_in(folder, &why));
    assert_int_equal(why.status, AG_OK);
    assert_false(is_in(folder, study));
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
        if (geteuid() == 0 && setuid(65534)) _exit(77);
        if (open_run(folder, HARNESS_NEW, new_failure())) _exit(1);
        if (last_failure()->status == AG_EFILE &&
            strstr(last_failure()->sentence,
                   "/closed/above cannot be made: Permission denied; choose"))
            _exit(0);
        print_error("%s\n", last_failure()->sentence);
        _exit(1);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    harness_log_start("demo", true);
    return RUN_TESTS_WITH(files_make, files_remove, a_study_leaves_what_is_there_now,
                          leftovers_of_the_dead_go, links_within_are_refused,
                          a_folder_that_may_not_be_written_to_is_named);
}
