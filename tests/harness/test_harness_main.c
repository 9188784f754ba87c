/* SPDX-License-Identifier: MIT */
/* Whole calls of a program, each in a child: exit code, stdout and stderr. */
#include "support/test.h"
#include "core/error.h"
#define DEMO_COMMANDS
#include "support/harness_demo.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const char *const columns[] = {"loss"};

/* The linker calls this for clock_gettime: the clock shows what is added to it. */
static double later;
int __real_clock_gettime(clockid_t, struct timespec *);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    const int bad = __real_clock_gettime(clock, now);
    now->tv_sec += (time_t)later;
    return bad;
}

/* A table with messages in its middle. */
static ag_status speak(ag_failure *why)
{
    printf("| first row |\n");
    harness_say("first message");
    printf("| second row |\n");
    harness_warn("second message");
    printf("| third row |\n");
    return why->status;
}

/* note: the effect of the command. */
static ag_status demo_train(harness_call *call, ag_failure *why)
{
    const demo_options *o = call->values;
    if (o->note && strcmp(o->note, "speak") == 0) return speak(why);
    harness_run *run = demo_run(o->common.out, harness_mode(&o->common), columns, 1, why);
    ag_status status = run ? AG_OK : why->status;
    if (status == AG_OK && !o->common.resume) status = harness_run_config(run, call->options, why);
    if (status == AG_OK) status = harness_run_metrics(run, 1, &o->learning_rate, why);
    if (o->note && strcmp(o->note, "finite") == 0)
        status = ag_fail(why, AG_EFINITE, "the loss of step 1 is nan");
    if (o->note && strcmp(o->note, "interrupt") == 0) raise(SIGINT);
    if (o->note && strcmp(o->note, "twice") == 0) raise(SIGTERM), raise(SIGTERM);
    harness_say("steps %d, %s", o->steps, call->command_line);
    harness_warn("beware");
    ag_status closed = harness_run_close(run, why);
    return status == AG_OK ? closed : status;
}

static ag_status demo_eval(harness_call *call, ag_failure *why)
{
    const demo_options *o = call->values;
    json_t *result = json_object();
    json_object_set_new(result, "steps", json_integer(o->steps));
    json_object_set_new(result, "data", json_string(o->common.data.list[0]));
    return harness_json_print(result, why);
}

static void usage(void **state)
{
    program_expect("demo", 2, "", "Usage:");
    program_expect("demo --help", 0, "demo 1.2: a program for the tests", "");
    program_expect("demo -h", 0, "  demo ablate     train the variants of a study\n", "");
    program_expect("demo --version", 0, "demo 1.2\n", "");
    program_expect("demo train --help", 0,
                   "Usage: demo train --data PATH... --out RUN [options]\ntrain: train a model\n",
                   "");
    program_expect(
        "demo help train", 0,
        "\n\nExamples\n    demo train --data d --out r\n\n10 more: demo train --help-all\n", "");
    program_expect("demo train --help-all", 0, "--learning-rate X", "");
    program_expect("demo --help-all train", 0, "--learning-rate X", "");
    program_expect("demo train --steps 0 --help", 0, "--steps N", "");
    assert_null(strstr(program_call("demo train --help").out, "--learning-rate X"));
    program_expect("demo train --version", 0, "demo 1.2\n", "");
    program_expect("demo inspect --help", 0, "Usage: demo inspect PATH... [options]\n", "");
    program_expect("demo trian", 2, "",
                   "demo: unknown command trian; did you mean \"demo train\"?\n");
    program_expect("demo fly", 2, "",
                   "demo: unknown command fly; \"demo --help\" lists the commands\n");
    program_expect("demo train --out x", 2, "",
                   "demo: --data PATH... is missing; \"demo train --help\" has examples\n");
    program_expect("demo train --config none.ini", 3, "",
                   "demo: --config: none.ini cannot be opened");
}

static void train_eval_and_resume(void **state)
{
    program_expect(
        "demo train --data d --out run --steps 7 --learning-rate=0.5", 0, "",
        "demo: steps 7, demo train --data d --out run --steps 7 --learning-rate=0.5\ndemo: "
        "warning: beware\n");
    program_expect("demo train --data d --out run", 2, "",
                   "demo: the folder run is not empty; go on with --resume");
    program_expect("demo eval --run run --data other --json", 0,
                   "{\n  \"steps\": 7,\n  \"data\": \"other\"\n}\n", "");
    program_expect("demo eval --run run", 2, "",
                   "demo: --data PATH... is missing"); /* the training data are not taken for it */
    program_expect("demo eval --run none --data d", 3, "",
                   "demo: none/config.json cannot be opened: No such file or directory");
    program_expect("demo train --out run --resume", 0, "", "demo: steps 7, ");
    program_expect("demo train --out run --resume --steps 9", 0, "", "demo: steps 9, ");
    program_expect(
        "demo train --out run --resume --learning-rate 0.25", 2, "",
        "demo: --resume: learning-rate is 0.25, but the run in run was started with 0.5; omit "
        "it, or start a new "
        "run in another folder\n");
    program_expect("demo train --out run --resume --data e", 2, "",
                   "demo: --resume: data is e, but the run in run was started with d");
    program_expect("demo train --out none --resume", 3, "",
                   "demo: none/config.json cannot be opened");
    program_expect(
        "demo train --out run --resume --force", 2, "",
        "demo: --resume goes on with the run in --out and --force replaces it; give one of the "
        "two\n");
    program_expect("demo train --out run --resume", 0, "",
                   "demo: steps 7, "); /* it is still there */
    program_outcome r = program_expect("demo train --data d --out run --force --quiet", 0, "", "");
    assert_string_equal(r.err, "");
}

static void ends(void **state)
{
    program_expect("demo train --data d --out finite --note finite", 4, "",
                   "demo: the loss of step 1 is nan\n");
    program_expect("demo train --data d --out interrupt --note interrupt", 130, "", "steps 100");
    program_outcome r = program_call("demo train --data d --out twice --note twice");
    assert_int_equal(r.code, 130);
    assert_null(strstr(r.err, "steps")); /* at once */
    static const char *const asked[] = {"demo eval --run interrupt --data d --json", "demo --help",
                                        "demo train --help-all", "demo --version"};
    program_stdout = "/dev/full";
    for (int i = 0; i < 4; i++)
        program_expect(asked[i], 3, "",
                       "demo: the results cannot be written to stdout: No space left on device; "
                       "check where it leads\n");
    program_stdout = "stdout";
}

static void the_command_line_is_quoted(void **state)
{
    program_expect("demo train --data it's --out quoted$ --note \xC3\xA4;b", 0, "",
                   "demo train --data 'it'\\''s' --out 'quoted$' --note '\xC3\xA4;b'\n");
}

static void no_memory(void **state)
{
    static const char *const lines[] = {"demo train --data d e --out memory --force --steps 3",
                                        "demo eval --run memory --data d --json"};
    for (int i = 0; i < 2; i++) {
        program_call(lines[i]);
        program_each_fails(lines[i], 1, 20, NULL);
    }
}

/* The output to a terminal of a bar of 2,000 quick steps with a warning among them. */
static void on_a_terminal(char *text, size_t bytes, const char *no_color)
{
    int host = posix_openpt(O_RDWR | O_NOCTTY);
    if (host < 0) {
        print_message("skipped: there are no pseudo-terminals here (/dev/pts)\n");
        skip();
    }
    assert_true(grantpt(host) == 0 && unlockpt(host) == 0);
    int terminal = open(ptsname(host), O_RDWR | O_NOCTTY);
    pid_t child = fork();
    if (child == 0) {
        harness_progress p;
        dup2(terminal, STDERR_FILENO);
        setenv("NO_COLOR", no_color, 1);
        setenv("TERM", "xterm", 1);
        harness_log_start("demo", false);
        harness_progress_start(&p, "train", 0, 2000);
        for (int i = 1; i <= 2000; i++) {
            if (i == 1000) harness_warn("half");
            harness_progress_update(&p, i, "loss 1");
        }
        harness_progress_end(&p);
        _exit(0);
    }
    size_t n = 0;
    close(terminal);
    for (ssize_t got; n < bytes - 1 && (got = read(host, text + n, bytes - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = 0;
    close(host);
    waitpid(child, NULL, 0);
}

static void the_bar(void **state)
{
    char text[8192];
    on_a_terminal(text, sizeof text, "");
    /* the first, the last, and no more than ten a second */
    assert_in_range(program_count(text, "\rtrain "), 2, 20);
    assert_non_null(strstr(text, "100% ####"));
    assert_non_null(strstr(text, "2000/2000 ["));
    assert_non_null(strstr(text, "\r\033[K\033[33mdemo:\033[0m warning: half\r\n"));
    on_a_terminal(text, sizeof text, "1");
    assert_non_null(strstr(text, "\r\033[Kdemo: warning: half\r\n"));
}

/* Both in one file, as with 2>&1: in the order of the program, a write per line of a message. */
static void messages_come_between_lines(void **state)
{
    char both[4096];
    int ends[2];
    ssize_t n;
    fflush(NULL);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0); /* keeps writes apart */
    const pid_t child = fork();
    if (child == 0) {
        char *argv[] = {"demo", "train", "--out", "x", "--data", "d", "--note", "speak", NULL};
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        _exit(harness_main(&demo, 8, argv));
    }
    close(ends[1]);
    static const char *const lines[] = {"| first row |\n", "demo: first message\n",
                                        "| second row |\n", "demo: warning: second message\n",
                                        "| third row |\n"};
    for (int i = 0; i < 5; i++) {
        n = read(ends[0], both, sizeof both - 1);
        assert_true(n >= 0);
        both[n] = 0;
        assert_string_equal(both, lines[i]);
    }
    assert_int_equal(read(ends[0], both, sizeof both), 0);
    close(ends[0]);
    waitpid(child, NULL, 0);
    program_stdout = "/dev/full"; /* where a message flushes output that cannot be written */
    program_expect("demo train --out x --data d --note speak", 3, "",
                   "the results cannot be written to stdout");
    program_stdout = "stdout";
}

/* Lines that a log has instead of bars: of 200 steps with a bar that has tenths or not, where each
   takes `step` seconds, and of five files that take as long. */
static void in_a_log(char *text, size_t bytes, bool quiet, bool tenths, double step)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        harness_progress p;
        char *const path[] = {"a.npz", "b.npz", "c.npz", "d.npz", "e.npz"};
        harness_reading r = {.path = path, .count = 5};
        if (!freopen("log", "w", stderr)) _exit(1);
        harness_log_start("demo", quiet);
        while (harness_reading_next(&r, new_failure())) later += step;
        harness_progress_start(&p, "train", 0, 200);
        p.tenths = tenths;
        for (int i = 1; i <= 200; i++) {
            later += step;
            harness_progress_update(&p, i, "loss 1");
        }
        harness_progress_end(&p);
        fflush(stderr);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    char *log = program_text_of("log");
    snprintf(text, bytes, "%s", log);
    free(log);
}

static void a_log_has_lines(void **state)
{
    char text[8192];
    in_a_log(text, sizeof text, false, false, 0);
    assert_string_equal(text, "demo: read 5 files\n");
    in_a_log(text, sizeof text, false, true, 0);
    assert_int_equal(program_count(text, "\n"), 11);
    assert_non_null(strstr(text, "demo: train: 50 % done, "));
    assert_non_null(strstr(text, "\ndemo: train: 100 % done, 00:00 left, loss 1\n"));
    in_a_log(text, sizeof text, false, false, 10); /* a line every 30 s */
    assert_non_null(
        strstr(text, "demo: read: 60 % done, 00:20 left, c.npz\ndemo: read 5 files in 50 s\n"));
    assert_int_equal(program_count(text, "\n"), 2 + 2000 / 30);
    assert_non_null(strstr(text, "demo: train: 1 % done, 32:50 left, loss 1\n"));
    in_a_log(text, sizeof text, true, true, 10);
    assert_string_equal(text, "");
}

/* ---- signals: the last tests, since this process has then got one ---- */

static void interruptions_are_noted(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    harness_catch_signals();
    for (int i = 0; i < 3; i++) {
        struct sigaction action;
        assert_int_equal(sigaction(signals[i], NULL, &action), 0);
        assert_true(action.sa_flags & SA_RESTART);
    }
    ag_failure why = {0}, other = {.status = AG_EDATA};
    assert_false(harness_interrupted());
    assert_true(harness_go_on(&why));
    assert_false(harness_go_on(&other));
    raise(SIGHUP);
    assert_true(harness_interrupted());
    assert_false(harness_go_on(&why));
    assert_int_equal(why.status, AG_ESTOPPED);
    assert_false(harness_go_on(&other));
    assert_int_equal(other.status, AG_EDATA); /* the first failure wins */
    raise(SIGHUP);                            /* a second one does not end the program */
}

/* As under nohup, and with a limit on the size of files. */
static void what_is_ignored_stays_so(void **state)
{
    struct sigaction action;
    signal(SIGHUP, SIG_IGN);
    signal(SIGXFSZ, SIG_DFL);
    harness_catch_signals();
    assert_int_equal(sigaction(SIGHUP, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
    assert_int_equal(sigaction(SIGXFSZ, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
}

static int make(void **state)
{
    program_own = &demo;
    return program_folder_make(state);
}

int main(void)
{
    return RUN_TESTS_WITH(make, test_folder_remove, usage, train_eval_and_resume, ends,
                          the_command_line_is_quoted, no_memory, the_bar, a_log_has_lines,
                          messages_come_between_lines, interruptions_are_noted,
                          what_is_ignored_stays_so);
}
