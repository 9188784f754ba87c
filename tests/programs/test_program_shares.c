/* SPDX-License-Identifier: MIT */
/* A study that several calls train at once: parts, calls that find a run taken, one that is killed,
   tables of what is there; and saves by the clock. */
#include "support/test.h"
#include "examples/harness/files/folder.h"
#include "examples/tgraph/program.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define SIZES " --data a.npz --split 0.8 --hidden 16 --configs 6 --threads 1 --log-every 2"
#define ABLATE \
 "tgraph ablate --study study.ini" SIZES " --steps 8 --eval-every 4 --save-every 3 --out "
#define TRAIN \
 "tgraph train" SIZES " --no-baselines --save-every 99 --eval-every 99 --steps 6 --out "
#define UNTRAINED " runs have no result yet; this call left "

enum { RUNS = 4, STEPS = 8 };
static const char *const runs[RUNS] = {"complete/seed-1", "complete/seed-2", "other-one/seed-1",
                                       "other-one/seed-2"};

/* ---- steps that are counted and take half an hour, and calls that wait or die in them ---- */

static int dies_in; /* the step in which children are killed; 0: none */
static bool gated;  /* children wait in each step until the file "go" is there */
static int minutes; /* by which the clock is put forward */

/* The linker calls these for clock_gettime and ag_adamw_step. */
int __real_clock_gettime(clockid_t which, struct timespec *now);
int __wrap_clock_gettime(clockid_t which, struct timespec *now);
int __wrap_clock_gettime(clockid_t which, struct timespec *now)
{
    const int status = __real_clock_gettime(which, now);
    now->tv_sec += 60 * minutes;
    return status;
}

ag_status __real_ag_adamw_step(ag_params *, const ag_adamw *, double, ag_failure *);
ag_status __wrap_ag_adamw_step(ag_params *, const ag_adamw *, double, ag_failure *);
ag_status __wrap_ag_adamw_step(ag_params *params, const ag_adamw *options, double lr,
                               ag_failure *why)
{
    const int count = open("steps", O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_int_equal(write(count, ".", 1), 1);
    close(count);
    for (int i = 0; gated && access("go", F_OK) != 0 && i < 60000; i++) usleep(1000);
    if (dies_in && --dies_in == 0) raise(SIGKILL);
    minutes += 31;
    return __real_ag_adamw_step(params, options, lr, why);
}

static long steps(void)
{
    struct stat about;
    return stat(test_file("steps"), &about) ? 0 : (long)about.st_size;
}

static void wait_for_steps(long n)
{
    for (int i = 0; steps() < n; i++) {
        if (i == 60000) fail_msg("no step %ld after a minute", n);
        usleep(1000);
    }
}

/* ---- a lock's file that another call removes ---- */

static const char *loses_name; /* the file that does, just before it is locked; NULL: none */

/* NFS renames a file that is removed while it is open. */
int __real_flock(int file, int how);
int __wrap_flock(int file, int how);
int __wrap_flock(int file, int how)
{
    if (loses_name) rename(loses_name, ".nfs01");
    loses_name = NULL;
    return __real_flock(file, how);
}

static void a_lock_is_on_the_file_of_that_name(void **state)
{
    int lock;
    struct stat held, named;
    loses_name = "x.lock";
    expect_ok(harness__lock_file(&lock, "x.lock", LOCK_EX | LOCK_NB, new_failure()));
    assert_int_equal(fstat(lock, &held), 0);
    assert_int_equal(stat("x.lock", &named), 0);
    assert_true(held.st_ino == named.st_ino);
    harness__unlock(&lock);
}

/* ---- the study, and what a call without others makes of it ---- */

static program_outcome whole;

static int make_study(void **state)
{
    if (program_folder_make(state)) return -1;
    program_write_layout("a.npz", 30, 0);
    program_write_text("study.ini", "[study]\ntitle = Shares\nseeds = 1, 2\n[complete]\n"
                                    "[other one]\nclip = 0.5\n");
    whole = program_expect(ABLATE "whole", 0, "\nother one ", "");
    return 0;
}

/* The children that are started from here on. */
static void let_children_run(void)
{
    dies_in = 0;
    gated = false;
    program_stdout = "stdout";
}

static void count_steps(void)
{
    unlink("steps");
    unlink("go");
}

/* The command lines differ. */
static void expect_same_json(const char *folder)
{
    json_t *one = json_load_file("whole/study.json", 0, NULL),
           *other = json_load_file(formatted("%s/study.json", folder), 0, NULL);
    json_object_del(one, "command");
    json_object_del(other, "command");
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
}

static void expect_whole(const char *folder, const char *table)
{
    static const char *const files[] = {"study.csv", "study.tex", "plots/study.tsv",
                                        "plots/study-curves.tsv"};
    assert_string_equal(table, whole.out);
    for (int i = 0; i < 4; i++) {
        const uint64_t hash = program_hash_of(formatted("whole/%s", files[i]));
        assert_true(program_hash_of(formatted("%s/%s", folder, files[i])) == hash);
    }
    expect_same_json(folder);
    for (int i = 0; i < RUNS; i++) {
        const char *one = formatted("%s/%s", folder, runs[i]);
        program_expect_same(one, formatted("whole/%s", runs[i]));
        if (access(formatted("%s.lock", one), F_OK) == 0) fail_msg("%s.lock is left", one);
    }
    if (access(formatted("%s/study.lock", folder), F_OK) == 0) fail_msg("study.lock is left");
}

/* ---- calls at once ---- */

/* 0 and SIGKILL are the statuses of a call that succeeded and of one that was killed. */
static void expect_end(pid_t child, int expected)
{
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, expected);
}

/* All four are in their first step at once. The second one dies in its fifth, with a save after the
   third, and the same call goes on. */
static void parts_at_once_and_one_is_killed(void **state)
{
    pid_t child[RUNS];
    count_steps();
    gated = true;
    for (int i = 0; i < RUNS; i++) {
        dies_in = i == 1 ? 5 : 0;
        program_stdout = formatted("out-%d", i);
        child[i] = program_start(formatted(ABLATE "parts --part %d/4", i + 1));
    }
    let_children_run();
    wait_for_steps(RUNS);
    program_write_text("go", "");
    for (int i = 0; i < RUNS; i++) expect_end(child[i], i == 1 ? SIGKILL : 0);
    assert_int_equal(steps(), RUNS * STEPS - 3);
    program_expect(ABLATE "parts --collect", 0, "other one: has no result yet with the seeds 1\n",
                   "");
    expect_whole("parts", program_expect(ABLATE "parts --part 2/4", 0, "", "after step 3 of").out);
    assert_string_equal(program_expect(ABLATE "parts --collect", 0, "", "").out, whole.out);
    assert_int_equal(steps(), RUNS * STEPS + 2);
}

static void a_run_that_is_taken_is_left_out(void **state)
{
    count_steps();
    gated = true;
    program_stdout = "out-first";
    const pid_t first = program_start(ABLATE "two");
    let_children_run();
    wait_for_steps(1);
    program_expect(ABLATE "two", 0, "", "1 of 4" UNTRAINED "1 to other calls");
    assert_int_equal(steps(), 1 + 3 * STEPS);
    program_expect(ABLATE "two --part 1/4", 0, "", "1 of 4" UNTRAINED "1 to other calls");
    program_expect(ABLATE "two --part 2/4", 0, "", "1 of 4" UNTRAINED "0 to other calls");
    program_expect("tgraph train --out two --data a.npz --force", 2, "", "another program");
    program_write_text("go", "");
    expect_end(first, 0);
    assert_int_equal(steps(), RUNS * STEPS);
    char *table = program_text_of("out-first");
    expect_whole("two", table);
    free(table);
}

static void tables_wait_for_another_writer(void **state)
{
    int lock, status;
    expect_ok(harness__lock_file(&lock, "whole/study.lock", LOCK_EX, new_failure()));
    program_stdout = "out-late";
    const pid_t late = program_start(ABLATE "whole --collect");
    let_children_run();
    usleep(300000);
    assert_int_equal(waitpid(late, &status, WNOHANG), 0);
    flock(lock, LOCK_UN); /* the child has this file, too */
    harness__unlock(&lock);
    expect_end(late, 0);
    char *table = program_text_of("out-late");
    expect_whole("whole", table);
    free(table);
}

/* ---- one variant, and what is there ---- */

static void a_variant_and_a_table_of_it(void **state)
{
    count_steps();
    program_expect(ABLATE "one --collect", 3, "", "the folder one cannot be written to");
    mkdir("one", 0777);
    program_expect(ABLATE "one --collect", 3, "", "no run of the study has a result in one yet");
    program_expect(ABLATE "one --only other-one", 0, "", "2 of 4" UNTRAINED "0 to other calls");
    assert_int_equal(steps(), 2 * STEPS);
    program_expect(ABLATE "one --collect --quiet", 0,
                   "\ncomplete: has no result yet with the seeds 1, 2\n", "");
    program_expect(ABLATE "one --collect --json", 0, "\"missing\": [", "");
    program_expect(ABLATE "one --only complete --part 2/2", 0, "",
                   "1 of 4" UNTRAINED "0 to other calls");
    program_expect_in("", "one/complete/seed-2/result.json");
    expect_whole("one", program_expect(ABLATE "one", 0, "", "").out);
    assert_int_equal(steps(), RUNS * STEPS);
}

static void a_call_that_died_before_the_first_step(void **state)
{
    program_expect(ABLATE "early --only other-one", 0, "", "");
    mkdir("early/complete", 0777);
    mkdir("early/complete/seed-1", 0777);
    mkdir("early/complete/seed-1/plots", 0777);
    for (int i = 0; i < 2; i++)
        program_expect(ABLATE "early", 2, "", "the folder early/complete/seed-1 is not empty");
    program_write_text("early/complete/seed-1.lock", "");
    expect_whole("early", program_expect(ABLATE "early", 0, "", "").out);
}

/* Another call that has the lock is about to remove its file. */
static void a_call_that_died_after_the_result(void **state)
{
    static const char name[] = "whole/complete/seed-1.lock";
    int lock;
    expect_ok(harness__lock_file(&lock, name, LOCK_EX, new_failure()));
    program_expect(ABLATE "whole", 0, "", "");
    assert_int_equal(access(name, F_OK), 0);
    harness__unlock(&lock);
    expect_whole("whole", program_expect(ABLATE "whole", 0, "", "").out);
}

/* The metrics fit into the limit, but config.json does not. */
static void a_call_that_could_not_begin_leaves_no_run(void **state)
{
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 700;
    setrlimit(RLIMIT_FSIZE, &small);
    const program_outcome o = program_call(ABLATE "full --quiet");
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(o.code, 3);
    assert_non_null(strstr(o.err, "complete/seed-1/config.json: File too large; raise the limit"));
    assert_int_equal(access("full/complete/seed-1/plots", F_OK), -1);
    expect_whole("full", program_expect(ABLATE "full", 0, "", "").out);
}

/* The second run appears while the first one is trained: of fewer steps, without its result. A
   resumed run might go on to more of them. */
static void a_run_of_other_options_does_not_go_on(void **state)
{
    count_steps();
    gated = true;
    const pid_t first = program_start(ABLATE "mixed --only complete");
    let_children_run();
    wait_for_steps(1);
    program_write_text("short.ini", "[study]\nseeds = 2\nsteps = 6\n[complete]\n");
    program_expect("tgraph ablate --study short.ini" SIZES
                   " --eval-every 4 --save-every 3 --out short",
                   0, "", "");
    assert_int_equal(unlink("short/complete/seed-2/result.json"), 0);
    assert_int_equal(rename("short/complete/seed-2", "mixed/complete/seed-2"), 0);
    program_write_text("go", "");
    expect_end(first, 2 << 8);
    program_expect(ABLATE "mixed", 2, "", "mixed/complete/seed-2 had another --steps");
}

static void wrong_shares(void **state)
{
    static const char *const parts[] = {"5/4", "0/4", "1/0", "4", "1/4x", "-1/4", "1/100000"};
    for (int i = 0; i < 7; i++)
        program_expect_line(2, "", formatted("--part: \"%s\" is not a share; write I/N", parts[i]),
                            ABLATE "wrong --part %s", parts[i]);
    program_expect(ABLATE "wrong --only other-ome", 2, "",
                   "--only: study.ini has no variant [other-ome]; did you mean [other one]");
    program_expect(ABLATE "wrong --only x", 2, "", "its first one is [complete]");
    program_expect(ABLATE "wrong --part 1/4 --collect", 2, "", "--part: 1/4 has no effect");
    program_expect(ABLATE "wrong --only complete --collect", 2, "",
                   "--only: complete has no effect");
    assert_int_equal(access("wrong", F_OK), -1);
}

/* ---- saves by the clock ---- */

/* A row of the training's seconds per save. */
static int saves_in(const char *run)
{
    char *rows = program_text_of(formatted("%s/timing.jsonl", run));
    const int n = program_count(rows, "\"training\"");
    free(rows);
    return n;
}

static void saves_by_the_clock(void **state)
{
    program_expect(TRAIN "rare --save-minutes 1000", 0, "", "");
    program_expect(TRAIN "often --save-minutes 60", 0, "", "");
    assert_int_equal(saves_in("rare"), 2); /* before the validation and after the last step */
    assert_int_equal(saves_in("often"), 4);
    program_expect_same("rare", "often");
    dies_in = 6;
    assert_int_equal(program_call(TRAIN "died --save-minutes 60").code, -1);
    let_children_run();
    program_expect("tgraph train --resume --out died", 0, "", "going on after step 4 of 6");
    program_expect_same("rare", "died");
}

int main(void)
{
    return RUN_TESTS_WITH(make_study, test_folder_remove, parts_at_once_and_one_is_killed,
                          a_run_that_is_taken_is_left_out, tables_wait_for_another_writer,
                          a_variant_and_a_table_of_it, a_call_that_died_before_the_first_step,
                          a_call_that_died_after_the_result,
                          a_call_that_could_not_begin_leaves_no_run,
                          a_run_of_other_options_does_not_go_on, wrong_shares, saves_by_the_clock,
                          a_lock_is_on_the_file_of_that_name);
}
