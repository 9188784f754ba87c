/* SPDX-License-Identifier: MIT */
/* From the command line to the exit code. */
#define _GNU_SOURCE
#include "examples/harness/cli/options_internal.h"
#include "core/error.h"
#include "core/threads.h"
#include "examples/harness/harness.h"
#include "examples/harness/mpi/ranks.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int harness_exit_code(ag_status status)
{
    switch (status) {
    case AG_OK: return HARNESS_EXIT_OK;
    case AG_EUSE: return HARNESS_EXIT_USAGE;
    case AG_ESHAPE: return HARNESS_EXIT_FAILED;
    case AG_EINDEX:
    case AG_EFILE:
    case AG_EDATA: return HARNESS_EXIT_DATA;
    case AG_EFINITE: return HARNESS_EXIT_FINITE;
    case AG_EMEMORY: return HARNESS_EXIT_MEMORY;
    case AG_EDEVICE: return HARNESS_EXIT_DEVICE;
    case AG_ESTOPPED: return HARNESS_EXIT_INTERRUPTED;
    }
    return HARNESS_EXIT_FAILED;
}

/* The examples of a command, or of each command the first (`name` NULL; three at most). */
static void print_examples(FILE *to, const harness_program *p, const char *name)
{
    const char *line = p->examples ? p->examples : "", *last = "";
    for (int n = 0; *line && n < 3; line += strcspn(line, "\n") + 1) {
        const char *command = line + strlen(p->name) + 1;
        const size_t length = strcspn(command, " \n");
        if (name ? strlen(name) != length || strncmp(command, name, length) != 0
                 : strncmp(command, last, length + 1) == 0)
            continue;
        fprintf(to, "%s    %.*s\n", n++ ? "" : "\nExamples\n", (int)strcspn(line, "\n"), line);
        last = command;
    }
}

static void program_help(FILE *to, const harness_program *p)
{
    fprintf(to, "%s %s: %s\n\nUsage:\n", p->name, p->version, p->help);
    for (int i = 0; i < p->command_count; i++)
        fprintf(to, "  %s %-10s %s\n", p->name, p->commands[i].name, p->commands[i].help);
    print_examples(to, p, NULL);
    fprintf(to,
            "\n\"%s COMMAND --help\" lists the most used options, --help-all all.\n"
            "Exit codes: 0 ok, 1 failed, 2 usage, 3 bad or missing data, 4 not finite,\n"
            "5 out of memory, 6 no such device, 130 interrupted (after saving).\n",
            p->name);
}

static void command_help(FILE *to, const harness_program *p, const harness_command *c, bool all)
{
    fprintf(to, "Usage: %s %s", p->name, c->name);
    if (c->positional) fprintf(to, " PATH...");
    for (int i = 0; i < p->option_count; i++) {
        const harness_option *o = &p->options[i];
        if (!(o->needed & c->bit) || (c->positional && strcmp(o->name, c->positional) == 0))
            continue;
        fprintf(to, " --%s %s", o->name, harness__meta(o));
    }
    fprintf(to, " [options]\n%s: %s\n", c->name, c->help);
    const int left = harness_options_help(to, p, c->bit, all);
    if (all) return;
    print_examples(to, p, c->name);
    if (left) fprintf(to, "\n%d more: %s %s --help-all\n", left, p->name, c->name);
}

static const harness_command *find_command(const harness_program *p, const char *name)
{
    for (int i = 0; i < p->command_count; i++)
        if (strcmp(p->commands[i].name, name) == 0) return &p->commands[i];
    return NULL;
}

static int unknown_command(const harness_program *p, const char *name)
{
    const char **names = NULL;
    for (int i = 0; i < p->command_count; i++) bag_add(names, p->commands[i].name);
    const char *near =
        harness__meant_or_near(harness__command_words, name, names, bag_count(names));
    bag_free(names);
    harness_error(
        near ? harness_format("unknown command %.60s; did you mean \"%s %s\"?", name, p->name, near)
             : harness_format("unknown command %.60s; \"%s --help\" lists the commands", name,
                              p->name));
    return HARNESS_EXIT_USAGE;
}

static bool asks(int argc, char **argv, const char *flag, const char *other)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], flag) == 0 || (other && strcmp(argv[i], other) == 0)) return true;
    return false;
}

static const char *quoted_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./,:@%";
    if (*word && !word[strspn(word, plain)]) return word;
    const char *line = "'";
    for (size_t n; n = strcspn(word, "'"), word[n]; word += n + 1)
        line = harness_format("%s%.*s'\\''", line, (int)n, word);
    return harness_format("%s%s'", line, word);
}

/* The words as a shell would read them. */
static const char *quoted(int argc, char **argv)
{
    size_t bytes = 1;
    for (int i = 0; i < argc; i++) bytes += strlen(quoted_word(argv[i])) + 1;
    char *line = harness_lasting(bytes), *to = line;
    for (int i = 0; i < argc; i++) to += sprintf(to, "%s%s", i ? " " : "", quoted_word(argv[i]));
    return line;
}

static ag_status refuse_change(const harness_options *stored, const harness_options *o,
                               const char *folder, ag_failure *why)
{
    const harness_option *option = harness_options_differ(stored, o, true);
    if (!option) return AG_OK;
    const char *was = harness_option_text(stored, option), *is = harness_option_text(o, option);
    return ag_fail(why, AG_EUSE,
                   "--resume: %s is %.80s, but the run in %.120s was started with %.80s; omit it, "
                   "or start a new run in another folder",
                   option->name, is ? is : "not set", folder, was ? was : "none");
}

/* Reads the command line; with --run or --resume a second time, on top of the run's own options. */
static ag_status read_options(harness_options **result, const harness_program *p,
                              const harness_command *c, int argc, char **argv, ag_failure *why)
{
    harness_options *o = *result = harness_options_new(p, c->bit, NULL);
    const harness_common *given = o->values;
    if (harness_options_argv(o, argc, argv, c->positional, why)) return why->status;
    if (given->resume && given->force)
        return ag_fail(why, AG_EUSE,
                       "--resume goes on with the run in --out and --force replaces it; give one "
                       "of the two");
    const bool resume = given->resume;
    const char *folder = resume ? given->out : given->run;
    if (folder) {
        harness_options *stored = harness_options_new(p, c->bit, NULL);
        *result = harness_options_new(p, c->bit, NULL);
        if (!harness_run_read_config(folder, stored, resume, why) &&
            !harness_run_read_config(folder, *result, resume, why) &&
            !harness_options_argv(*result, argc, argv, c->positional, why) && resume)
            refuse_change(stored, *result, folder, why);
        harness_options_free(stored);
        harness_options_free(o);
    }
    if (why->status || harness_options_complete(*result, why)) return why->status;
    given = (*result)->values;
    return given->study ? AG_OK /* which looks at its variants */
                        : harness_options_act(*result, NULL, why);
}

/* The library passes over words that it does not know, but they are typing errors. */
static ag_status check_environment(ag_failure *why)
{
    static const char *const switches[] = {"AUGUR_FUSE", "AUGUR_GRAPHS", "AUGUR_CUDA_WAIT",
                                           "AUGUR_NCCL"};
    const char *isa = getenv("AUGUR_ISA");
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        const char *text = getenv(switches[i]);
        if (text && *text && ag_switch(switches[i], 0) != ag_switch(switches[i], 1))
            return ag_fail(why, AG_EUSE,
                           "%s is \"%.40s\", but must be 0 (off, no, false) or 1 (on, yes, true); "
                           "or unset it",
                           switches[i], text);
    }
    if (!isa || !*isa || !strcmp(isa, "avx512") || !strcmp(isa, "avx2") || !strcmp(isa, "sse2"))
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "AUGUR_ISA is \"%.40s\", but must be avx512, avx2 or sse2; or unset it, for the "
                   "best that this processor has",
                   isa);
}

/* 1 if writing to stdout failed, now or when a message flushed it. */
static int stdout_failed(void) { return fflush(stdout) != 0 || ferror(stdout); }

/* Of what all ranks find rank 0 speaks, and ends the others meanwhile. */
static bool speaks(int rank)
{
    const struct timespec moment = {.tv_sec = 3};
    return !rank || !nanosleep(&moment, NULL) || !harness_interrupted();
}

/* Ends all ranks, since this one failed. */
static void fail_ranks(ag_ranks *ranks, ag_status status, const char *sentence)
{
    if (status != AG_ESTOPPED && speaks(ranks->rank)) harness_ranks_error(ranks, sentence);
    harness_ranks_abort(ranks, harness_exit_code(status));
}

static int run_command(const harness_program *p, const harness_command *c, int argc, char **argv)
{
    ag_failure why = {0};
    harness_call call = {.program = p, .command = c, .command_line = quoted(argc, argv)};
    ag_status status = read_options(&call.options, p, c, argc - 2, argv + 2, &why);
    const harness_common *common = call.values = harness_options_values(call.options);
    if (status == AG_OK) status = check_environment(&why);
    if (status == AG_OK) {
        harness_log_start(p->name, common->quiet);
        harness_catch_signals();
        if (common->threads) ag_set_threads(common->threads); /* 0: the machine chooses */
        status = c->run(&call, &why);
        harness_warn_lacks();
        if (status == AG_OK && stdout_failed()) status = harness__refuse_stdout(&why);
    }
    int rank;
    const char *said = why.status ? why.sentence : "failed without a reason; this is a defect";
    if (call.ranks && status != AG_OK && !(status == AG_ESTOPPED && call.agreed))
        fail_ranks(call.ranks, status, said);
    if (status != AG_OK && status != AG_ESTOPPED && harness_ranks_launched(&rank) && speaks(rank))
        harness_error(said);
    harness_ranks_close(call.ranks);
    harness_options_free(call.options);
    harness_forget();
    if (status == AG_OK && harness_interrupted()) return HARNESS_EXIT_INTERRUPTED;
    return harness_exit_code(status);
}

static int finish(void)
{
    ag_failure why = {0};
    if (!stdout_failed()) return HARNESS_EXIT_OK;
    harness__refuse_stdout(&why);
    harness_error(why.sentence);
    return HARNESS_EXIT_DATA;
}

static int print_version(const harness_program *p)
{
    printf("%s %s\n", p->name, p->version);
    return finish();
}

int harness_main(const harness_program *p, int argc, char **argv)
{
    json_set_alloc_funcs(harness_alloc, harness_free);
    harness_log_start(p->name, false);
    if (argc < 2) {
        program_help(stderr, p);
        return HARNESS_EXIT_USAGE;
    }
    const bool all = asks(argc - 1, argv + 1, "--help-all", NULL),
               helps = asks(1, argv + 1, "--help", "-h") || asks(1, argv + 1, "--help-all", "help");
    const char *name = !helps ? argv[1] : argc > 2 ? argv[2] : "";
    const harness_command *c = find_command(p, name);
    if (asks(1, argv + 1, "--version", "version")) return print_version(p);
    if (!c && !helps) return unknown_command(p, name);
    if (helps || all || asks(argc - 2, argv + 2, "--help", "-h")) {
        if (c)
            command_help(stdout, p, c, all);
        else
            program_help(stdout, p);
        return finish();
    }
    if (asks(argc - 2, argv + 2, "--version", NULL)) return print_version(p);
    return run_command(p, c, argc, argv);
}
