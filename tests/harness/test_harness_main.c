/* SPDX-License-Identifier: MIT */
/* Whole calls of a program, each in a child: exit code, stdout and stderr. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "support/harness_demo.h"

#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "support/files.h"

static const char *const columns[] = {"loss"};

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
    harness_run *run = harness_run_open(o->common.out, harness_mode(&o->common), columns, 1, why);
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

typedef struct outcome {
    int code;
    char out[8192], err[8192];
} outcome;

static void slurp(const char *name, char *to, size_t bytes)
{
    FILE *file = fopen(files_path(name), "rb");
    to[fread(to, 1, bytes - 1, file)] = 0;
    fclose(file);
}

static void redirect(const char *name, int to)
{
    const char *path = *name == '/' ? name : files_path(name);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, to);
    close(file);
}

static outcome call(const char *out, long fail_allocation, const char *line)
{
    outcome result;
    int argc = 0, status;
    char *argv[20], *rest = NULL, *copy = strdup(line);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(files_folder) != 0) _exit(99);
        redirect(out, STDOUT_FILENO);
        redirect("err", STDERR_FILENO);
        if (fail_allocation) ag__fail_allocation(fail_allocation, 0);
        int code = harness_main(&demo, argc, argv);
        fflush(stdout);
        _exit(code);
    }
    waitpid(child, &status, 0);
    free(copy);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *result.out = 0;
    if (*out != '/') slurp(out, result.out, sizeof result.out);
    slurp("err", result.err, sizeof result.err);
    return result;
}

static void expect(const char *line, int code, const char *out, const char *err)
{
    outcome r = call("out", 0, line);
    if (r.code != code || !strstr(r.out, out) || !strstr(r.err, err))
        print_error("%s: exit %d\nstdout: %s\nstderr: %s\n", line, r.code, r.out, r.err);
    assert_int_equal(r.code, code);
    assert_non_null(strstr(r.out, out));
    assert_non_null(strstr(r.err, err));
    if (code == 2 && *err) assert_string_equal(r.out, "");
}

static void usage(void **state)
{
    (void)state;
    expect("demo", 2, "", "Usage:");
    expect("demo --help", 0, "demo 1.2: a program for the tests", "");
    expect("demo -h", 0, "  demo ablate     train the variants of a study\n", "");
    expect("demo --version", 0, "demo 1.2\n", "");
    expect("demo train --help", 0,
           "Usage: demo train --data PATH... --out RUN [options]\ntrain: train a model\n", "");
    expect("demo help train", 0, "--learning-rate X", "");
    expect("demo train --steps 0 --help", 0, "--learning-rate X", "");
    expect("demo train --version", 0, "demo 1.2\n", "");
    expect("demo inspect --help", 0, "Usage: demo inspect PATH... [options]\n", "");
    expect("demo trian", 2, "", "demo: unknown command trian; did you mean \"demo train\"?\n");
    expect("demo fly", 2, "", "demo: unknown command fly; \"demo --help\" lists the commands\n");
    expect("demo train --lerning-rate 1", 2, "",
           "demo: unknown option --lerning-rate; did you mean --learning-rate?\n");
    expect("demo train --out x", 2, "",
           "demo: demo train needs --data PATH...; \"demo train --help\" lists the options\n");
    expect("demo train --config none.ini", 3, "", "demo: --config: none.ini cannot be opened");
}

static void train_eval_and_resume(void **state)
{
    (void)state;
    expect("demo train --data d --out run --steps 7 --learning-rate=0.5", 0, "",
           "demo: steps 7, demo train --data d --out run --steps 7 --learning-rate=0.5\ndemo: "
           "warning: beware\n");
    expect("demo train --data d --out run", 2, "",
           "demo: the folder run is not empty; go on with --resume");
    expect("demo eval --run run --data other --json", 0,
           "{\n  \"steps\": 7,\n  \"data\": \"other\"\n}\n", "");
    expect("demo eval --run run", 2, "",
           "demo eval needs --data"); /* the training data are not taken for it */
    expect("demo eval --run none --data d", 3, "",
           "demo: none/config.json cannot be opened: No such file or directory");
    expect("demo train --out run --resume", 0, "", "demo: steps 7, ");
    expect("demo train --out run --resume --steps 9", 0, "", "demo: steps 9, ");
    expect("demo train --out run --resume --learning-rate 0.25", 2, "",
           "demo: --resume: learning-rate is 0.25, but the run in run was started with 0.5; leave "
           "it away, or start a new "
           "run in another folder\n");
    expect("demo train --out run --resume --data e", 2, "",
           "demo: --resume: data is e, but the run in run was started with d");
    expect("demo train --out none --resume", 3, "", "demo: none/config.json cannot be opened");
    expect("demo train --out run --resume --force", 2, "",
           "demo: --resume goes on with the run in --out and --force replaces it; give one of the "
           "two\n");
    expect("demo train --out run --resume", 0, "", "demo: steps 7, "); /* it is still there */
    expect("demo train --data d --out run --force --quiet", 0, "", "");
    outcome r = call("out", 0, "demo train --data d --out run --force --quiet");
    assert_string_equal(r.err, "");
    assert_null(strchr(r.err, '\033'));
}

static void ends(void **state)
{
    (void)state;
    expect("demo train --data d --out finite --note finite", 4, "",
           "demo: the loss of step 1 is nan\n");
    expect("demo train --data d --out interrupt --note interrupt", 130, "", "steps 100");
    outcome r = call("out", 0, "demo train --data d --out twice --note twice");
    assert_int_equal(r.code, 130);
    assert_null(strstr(r.err, "steps")); /* at once */
    r = call("/dev/full", 0, "demo eval --run interrupt --data d --json");
    assert_int_equal(r.code, 3);
    assert_string_equal(r.err, "demo: the results cannot be written to stdout: No space left on "
                               "device; check where it leads\n");
    r = call("/dev/full", 0, "demo --help");
    assert_int_equal(r.code, 3);
}

static void the_command_line_is_quoted(void **state)
{
    (void)state;
    expect("demo train --data it's --out quoted$ --note \xC3\xA4;b", 0, "",
           "demo train --data 'it'\\''s' --out 'quoted$' --note '\xC3\xA4;b'\n");
}

/* Every allocation of a run fails once: a sentence and exit 5, until the run has fewer allocations.
 */
static void no_memory(void **state)
{
    (void)state;
    static const char *const lines[] = {"demo train --data d e --out memory --force --set steps=3",
                                        "demo eval --run memory --data d --json"};
    for (int i = 0; i < 2; i++) {
        int fails = 0;
        call("out", 0, lines[i]);
        for (long n = 1;; n++) {
            outcome r = call("out", n, lines[i]);
            if (r.code == 0) break;
            assert_int_equal(r.code, 5);
            assert_non_null(strstr(r.err, "memory"));
            fails++;
        }
        assert_true(fails > 20);
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
    (void)state;
    char text[8192];
    on_a_terminal(text, sizeof text, "");
    int draws = 0;
    for (const char *c = text; (c = strstr(c, "\rtrain ")); c++) draws++;
    assert_in_range(draws, 2, 20); /* the first, the last, and no more than ten a second */
    assert_non_null(strstr(text, "100% ####"));
    assert_non_null(strstr(text, "2000/2000 ["));
    assert_non_null(strstr(text, "\r\033[K\033[33mdemo:\033[0m warning: half\r\n"));
    on_a_terminal(text, sizeof text, "1");
    assert_non_null(strstr(text, "\r\033[Kdemo: warning: half\r\n"));
}

/* Both in one file, as with 2>&1: in the order of the program, a write per line of a message. */
static void messages_come_between_lines(void **state)
{
    (void)state;
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
    const outcome full = call("/dev/full", 0, "demo train --out x --data d --note speak");
    assert_int_equal(full.code,
                     3); /* although a message has flushed output that could not be written */
    assert_non_null(strstr(full.err, "the results cannot be written to stdout"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage),
        cmocka_unit_test(train_eval_and_resume),
        cmocka_unit_test(ends),
        cmocka_unit_test(the_command_line_is_quoted),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(the_bar),
        cmocka_unit_test(messages_come_between_lines),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
