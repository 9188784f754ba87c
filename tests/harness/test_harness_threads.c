/* SPDX-License-Identifier: MIT */
/* Threads that cannot be had, through the programs: fewer of them and a warning, the same results,
   or exit 5 and a sentence; no library ends the program. */
#include "support/test.h"
#include "core/random.h"
#include "core/threads.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/machine/threads.h"
#include "support/checkpoint_change.h"
#include "support/files.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"
#include "support/sanitized.h"

#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The sanitizer looks for leaks with a process of its own, which the limit forbids. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void) { return 1; }

enum { NOBODY = 65534 };

/* The superuser has no limit of processes. */
static void allow_no_thread(void)
{
    const struct rlimit one = {1, 1};
    if (geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))) _exit(98);
    if (setrlimit(RLIMIT_NPROC, &one)) _exit(97);
}

static void ask_for_four(void)
{
    setenv("OMP_NUM_THREADS", "4,2", 1);
    allow_no_thread();
}

static void ask_for_far_too_many(void) { setenv("OMP_NUM_THREADS", "100000", 1); }

static int set_up(void **state)
{
    if (test_folder_make(state) || chmod(test_folder, 0777)) return -1;
    program_write_layout("a.npz", 20, 0);
    return 0;
}

#define TRAIN(out, more) \
 "tgraph train --data a.npz --split 0.5 --hidden 16 --configs 4 --steps 3 --out " out " " more
#define FEWER "raise the limits on processes (ulimit -u) and memory (ulimit -v)"

static void test_no_thread(void **state)
{
    program_expect(TRAIN("plain", "--threads 1"), 0, "", "");
    program_before = allow_no_thread;
    program_expect(TRAIN("none", "--threads 3"), 0, "", "the system gives 1 of 3 threads");
    program_expect(TRAIN("none", "--threads 3 --force"), 0, "", FEWER);
    program_before = ask_for_four;
    program_expect(TRAIN("asked", ""), 0, "", "the system gives 1 of 4 threads");
    program_before = NULL;
    program_expect_same("plain", "none");
    program_expect_same("plain", "asked");
}

static void test_far_too_many(void **state)
{
    program_before = ask_for_far_too_many;
    program_expect(TRAIN("many", ""), 0, "", "OMP_NUM_THREADS is 100000, but");
    program_expect(TRAIN("option", "--threads 1024"), 0, "", "--threads is 1024, but");
    const program_outcome one = program_expect(TRAIN("one", "--threads 1"), 0, "", "");
    program_before = NULL;
    assert_null(strstr(one.err, "warning: OMP_NUM_THREADS"));
    program_expect_same("many", "one");
}

/* ---- boosting: its library ends the process when it gets fewer threads than it asked for ---- */

static int grow_trees(void)
{
    enum { ROWS = 1 << 16, COLUMNS = 64 }; /* from here on threads pay */
    float *x = malloc(sizeof *x * ROWS * COLUMNS);
    double *y = malloc(sizeof *y * ROWS);
    ag_random random = {.seed = 3};
    harness_boosting_options o = harness_boosting_defaults();
    o.rounds = 1;
    if (!x || !y) return 96;
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(ag_random_bits(&random) % 16);
    for (int r = 0; r < ROWS; r++) y[r] = (double)x[(size_t)r * COLUMNS];
    harness_boosting *b = harness_boosting_fit(x, y, ROWS, COLUMNS, &o, new_failure());
    const int good = b && harness_boosting_trees(b) == 1;
    harness_boosting_free(b);
    free(x);
    free(y);
    return good ? 0 : 95;
}

static void test_boosting(void **state)
{
    int status = 0;
    if (!harness_boosting_built()) skip();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        allow_no_thread();
        ag_set_threads(3);
        if (harness_threads_to_be_had(3) != 1) _exit(94);
        _exit(grow_trees());
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(harness_threads_to_be_had(3), 3);
    assert_int_equal(harness_threads_to_be_had(1), 1);
}

/* ---- waiting ---- */

/* How often the program is loaded: OpenMP describes itself each time. */
static int loads(const char *environment)
{
    char text[32768];
    const char *line = formatted(
        "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=true %s '%s/tgraph' --help "
        "2>&1",
        environment, AG_BIN_DIR);
    assert_int_equal(shell_text(text, sizeof text, line), 0);
    assert_non_null(strstr(text, "Exit codes"));
    return program_count(text, "DISPLAY ENVIRONMENT BEGIN");
}

/* The program starts again with OpenMP's waiting policy, unless the user has set one. */
static void test_waiting(void **state)
{
    if (!harness_boosting_built()) skip();
    assert_int_equal(loads("OMP_WAIT_POLICY=active"), 1);
    assert_int_equal(loads("GOMP_SPINCOUNT=1000"), 1);
    assert_int_equal(loads(""), 2);
}

/* ---- little address space ---- */

/* The program is started again, since a process reads its limits at the start. */
#if !SANITIZED

static int run_limited(const char *limits, int asked, char *err, size_t room)
{
    const char *line = formatted(
        "cd '%s' && (%s; OMP_NUM_THREADS=%d exec '%s/tgraph' train --data a.npz --split 0.5 "
        "--hidden 16 --configs 4 --steps 3 --out limited --force --no-baselines 2>&1 "
        ">limited.out)",
        test_folder, limits, asked, AG_BIN_DIR);
    return shell_text(err, room, line);
}

/* Stacks of 4 GB, in 3 GB. */
static void test_no_room_for_stacks(void **state)
{
    static char err[16384];
    if (run_limited("(ulimit -s 4000000) 2>/dev/null || exit 99", 3, err, sizeof err) == 99) skip();
    program_expect(TRAIN("roomy", "--no-baselines"), 0, "", "");
    assert_int_equal(run_limited("ulimit -s 4000000; ulimit -v 3000000", 3, err, sizeof err), 0);
    assert_non_null(strstr(err, "the system gives 1 of 3 threads"));
    program_expect_same("roomy", "limited");
}

/* Every program with a main stack of 128 KiB, which is what its threads ask for, too. */
static void test_small_stacks(void **state)
{
# define TILES     AG_SOURCE_DIR "/examples/data/tile/mlp_202_5ecb522e66c5af42.npz"
# define SCHEDULES AG_SOURCE_DIR "/examples/data/schedules/sum-rows_384_320.npz"
    static const char *const calls[] = {
        "tgraph doctor",
        "lab doctor",
        "tgraph train --data a.npz --split 0.5 --steps 2 --out small",
        "tgraph predict --run small --data a.npz",
        "tpu train --data " TILES " --steps 2 --out small-tpu",
        "tpu train --data " TILES " --steps 2 --out small-lstm --preset sage-lstm-tile",
        "tpu predict --run small-tpu --data " TILES,
        "tpgnn train --data " SCHEDULES " --steps 2 --out small-tpgnn",
        "tpgnn predict --run small-tpgnn --data " SCHEDULES};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *line =
            formatted("cd '%s' && ulimit -s 128 && OMP_NUM_THREADS=2 '%s/'%s > small.out 2>&1",
                      test_folder, AG_BIN_DIR, calls[i]);
        if (system(line)) fail_msg("%s: %s", calls[i], program_text_of("small.out"));
    }
}

/* Nested JSON in the files of a run, in as little stack; jansson would take more. */
static void test_nested_json(void **state)
{
    static const struct {
        const char *file, *key, *part; /* key: of the metadata; NULL: the file has nothing else */
    } cases[] = {{"config.json", NULL, "line 1 is not JSON: more than 64 lists and objects"},
                 {"best.safetensors", "configuration", "say nothing of the model, or no JSON"}};
    static char nested[4100] = "{\"a\":";
    memset(nested + 5, '[', 2040);
    memset(nested + 5 + 2040, ']', 2040);
    strcat(nested, "}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *copy = formatted("cd '%s' && rm -rf nested && cp -r small nested", test_folder);
        if (system(copy)) fail_msg("%s", copy);
        const char *path = formatted("%s/nested/%s", test_folder, cases[i].file);
        if (cases[i].key)
            checkpoint_change(path, path, cases[i].key, nested, NULL, NULL);
        else
            assert_int_equal(files_put(path, nested, strlen(nested)), 0);
        const int status =
            system(formatted("cd '%s' && ulimit -s 128 && OMP_NUM_THREADS=2 '%s/tgraph' predict "
                             "--run nested --data a.npz > nested.out 2>&1",
                             test_folder, AG_BIN_DIR));
        const char *said = program_text_of("nested.out");
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3 || !strstr(said, cases[i].part))
            fail_msg("%s %s: %d: %s", cases[i].file, cases[i].key, status, said);
    }
}

static void test_little_room(void **state)
{
    static char err[16384];
    for (int mb = 60; mb <= 100; mb += 4) {
        const char *limits = formatted("ulimit -v %d", mb * 1024);
        const int code = run_limited(limits, 4, err, sizeof err);
        if (code != 0 && code != 5) fail_msg("%d MB: exit %d: %s", mb, code, err);
        if (code == 5 && !strstr(err, "memory")) fail_msg("%d MB: %s", mb, err);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_thread),
        cmocka_unit_test(test_far_too_many),
        cmocka_unit_test(test_boosting),
        cmocka_unit_test(test_waiting),
#if !SANITIZED
        cmocka_unit_test(test_no_room_for_stacks),
        cmocka_unit_test(test_small_stacks),
        cmocka_unit_test(test_nested_json),
        cmocka_unit_test(test_little_room),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, test_folder_remove);
}
