/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "examples/harness/cli/options_internal.h"

#include "core/error.h"
#include "examples/harness/files/shipped.h"

#include <string.h>

typedef struct cursor {
    harness_options *o;
    int argc, at;
    char **argv;
    int runs; /* how often --run was read */
} cursor;

static int is_flag(const char *word) { return word[0] == '-' && word[1] == '-'; }

static bool has_value(const cursor *c, const char *equals)
{
    return equals || (c->at + 1 < c->argc && !is_flag(c->argv[c->at + 1]));
}

/* The value of a flag: the text after '=', or the next word. NULL: there is none. */
static const char *take_value(cursor *c, const char *equals)
{
    if (!has_value(c, equals)) return NULL;
    return equals ? equals + 1 : c->argv[++c->at];
}

const char *harness__meta(const harness_option *option)
{
    static const char *const names[] = {"true|false", "N",    "N",    "X",
                                        "SIZE",       "TEXT", "WORD", "PATH..."};
    return option->meta ? option->meta : names[option->type];
}

static ag_status read_bool(cursor *c, const harness_option *option, int negated, const char *equals,
                           ag_failure *why)
{
    if (negated && equals)
        return ag_fail(why, AG_EUSE, "--no-%s takes no value; write --%s or --no-%s", option->name,
                       option->name, option->name);
    const char *value = negated ? "false" : equals ? equals + 1 : "true";
    return harness_options_set(c->o, NULL, option->name, value, why);
}

static ag_status read_paths(cursor *c, const harness_option *option, const char *first,
                            ag_failure *why)
{
    harness_options_set(c->o, NULL, option->name, first, why);
    while (!why->status && has_value(c, NULL))
        harness_options_set(c->o, NULL, option->name, c->argv[++c->at], why);
    return why->status;
}

/* Several --run are an ensemble. NULL: this command takes one model. */
static const char *another_run(const harness_options *o, ag_failure *why)
{
    const harness_option *option = harness__option_of(o, "ensemble");
    if (!option || option->commands & o->command) return "ensemble";
    ag_fail(why, AG_EUSE, "%s %s takes one model; name one --run or one --model", o->program->name,
            harness__command_name(o->program, o->command));
    return NULL;
}

static ag_status read_option(cursor *c, const char *name, const char *equals, ag_failure *why)
{
    if (strcmp(name, "run") == 0 && c->runs++ && has_value(c, equals))
        name = another_run(c->o, why);
    if (!name) return why->status;
    const harness_option *option = harness__option_of(c->o, name);
    const bool negated = !option && strncmp(name, "no-", 3) == 0;
    if (negated) option = harness__option_of(c->o, name + 3);
    if (option && option->type == HARNESS_BOOL) return read_bool(c, option, negated, equals, why);
    if (option && negated)
        return ag_fail(
            why, AG_EUSE,
            "--%.60s: only an option that is true or false has a --no- form; write --%s %s", name,
            option->name, harness__meta(option));
    const char *value = take_value(c, equals);
    const bool known = option && option->commands & c->o->command;
    if (known && !value)
        return ag_fail(why, AG_EUSE, "--%s needs a value: --%s %s", option->name, option->name,
                       harness__meta(option));
    if (known && option->type == HARNESS_PATHS) return read_paths(c, option, value, why);
    return harness_options_set(c->o, NULL, name, value ? value : "", why);
}

/* "-lr" */
static ag_status one_dash(const harness_options *o, const char *word, ag_failure *why)
{
    const harness_option *option = harness__option_of(o, word + 1);
    if (option && (option->commands & o->command))
        return ag_fail(why, AG_EUSE, "unknown flag %.60s; did you mean -%.60s?", word, word);
    return ag_fail(why, AG_EUSE, "unknown flag %.60s; options begin with two dashes: %s", word,
                   harness__advice(o, NULL, word + 1, false));
}

static ag_status read_bare(cursor *c, const char *positional, const char *word, ag_failure *why)
{
    const harness_program *program = c->o->program;
    const char *command = harness__command_name(program, c->o->command);
    if (positional) return harness_options_set(c->o, NULL, positional, word, why);
    if (word[0] == '-' && word[1]) return one_dash(c->o, word, why);
    return ag_fail(why, AG_EUSE,
                   "unexpected word \"%.60s\"; %s %s takes only options, see \"%s %s --help\"",
                   word, program->name, command, program->name, command);
}

static ag_status read_word(cursor *c, const char *positional, ag_failure *why)
{
    char *word = c->argv[c->at];
    if (!is_flag(word)) return read_bare(c, positional, word, why);
    const char *equals = strchr(word, '='),
               *name = harness_format("%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (strcmp(name, "config") != 0) return read_option(c, name, equals, why);
    take_value(c, equals); /* read before all flags */
    return AG_OK;
}

/* Config files are read first, wherever they are on the command line, so that a flag always
   overrides them. */
static ag_status read_configs(cursor *c, ag_failure *why)
{
    for (c->at = 0; c->at < c->argc && !why->status && strcmp(c->argv[c->at], "--") != 0; c->at++) {
        const char *word = c->argv[c->at];
        if (strncmp(word, "--config", 8) != 0 || (word[8] && word[8] != '=')) continue;
        const char *path = take_value(c, word[8] ? word + 8 : NULL);
        if (!path || !*path)
            return ag_fail(why, AG_EUSE, "--config needs a file: --config FILE.ini");
        harness_options_ini_file(c->o, path, why);
    }
    return why->status;
}

/* A model that ships is one more run. */
static ag_status add_models(harness_options *o, ag_failure *why)
{
    const harness_common *given = o->values;
    for (int i = 0; i < given->model.count && !why->status; i++) {
        const char *to = given->run ? another_run(o, why) : "run";
        const char *path = to ? harness_shipped_path(given->model.list[i], why) : NULL;
        if (path) harness_options_set(o, NULL, to, path, why);
    }
    return why->status;
}

ag_status harness_options_argv(harness_options *o, int argc, char **argv, const char *positional,
                               ag_failure *why)
{
    cursor c = {o, argc, 0, argv, 0};
    bool bare_only = false;
    read_configs(&c, why);
    o->layer++;
    for (c.at = 0; c.at < argc && !why->status; c.at++) {
        if (bare_only)
            read_bare(&c, positional, argv[c.at], why);
        else if (strcmp(argv[c.at], "--") == 0)
            bare_only = true;
        else
            read_word(&c, positional, why);
    }
    return why->status ? why->status : add_models(o, why);
}
