/* SPDX-License-Identifier: MIT */
/* The help of a command: options in groups, two columns, 80 wide. */
#include "examples/harness/cli/options_internal.h"

#include <string.h>

enum { WIDTH = 79, COLUMN = 28 };

/* Prints words from COLUMN on, wrapped to start there again. */
static void wrap(FILE *to, const char *text)
{
    int column = COLUMN;
    for (size_t n; *text; text += n + strspn(text + n, " ")) {
        n = strcspn(text, " ");
        if (column > COLUMN && column + 1 + (int)n > WIDTH) {
            fprintf(to, "\n%*s", COLUMN, "");
            column = COLUMN;
        }
        column += fprintf(to, "%s%.*s", column > COLUMN ? " " : "", (int)n, text);
    }
    fputc('\n', to);
}

static int is_on(const harness_option *option)
{
    return option->fallback && strcmp(option->fallback, "true") == 0;
}

/* Whether the words of a choice are in the left column. */
static bool is_short(const harness_option *option)
{
    return strlen(option->choices) + strlen(option->name) < 22;
}

static const char *left_side(const harness_option *option)
{
    if (option->type == HARNESS_BOOL)
        return harness_format("--%s%s", is_on(option) ? "[no-]" : "", option->name);
    const bool words = !option->meta && option->type == HARNESS_CHOICE && is_short(option);
    return harness_format("--%s %s", option->name, words ? option->choices : harness__meta(option));
}

/* Adds to the remarks in brackets. */
static void remark(const char **all, const char *what, const char *text)
{
    *all = harness_format("%s%s%s%s", *all, **all ? "; " : " (", what, text);
}

/* The help of an option and, in brackets, its default, its range and what it needs. */
static const char *right_side(const harness_option *option, bool needed)
{
    const bool listed = option->type == HARNESS_CHOICE && !is_short(option);
    char *words = harness_format("%s%s", listed ? ": " : "", listed ? option->choices : "");
    const char *remarks = "";
    for (char *c = words; (c = strchr(c, '|'));) *c = ' ';
    if (needed)
        remark(&remarks, "needed", "");
    else if (option->type == HARNESS_BOOL ? is_on(option) : option->fallback != NULL)
        remark(&remarks, "default ", option->type == HARNESS_BOOL ? "on" : option->fallback);
    if (option->low < option->high) remark(&remarks, "", harness__range(option));
    if (option->needs) remark(&remarks, "needs ", option->needs);
    return harness_format("%s%s%s%s", option->help ? option->help : "", words, remarks,
                          *remarks ? ")" : "");
}

static void print_row(FILE *to, const harness_option *option, unsigned command)
{
    const char *left = left_side(option);
    const int n = (int)strlen(left) + 2;
    if (n + 2 > COLUMN)
        fprintf(to, "  %s\n%*s", left, COLUMN, "");
    else
        fprintf(to, "  %s%*s", left, COLUMN - n, "");
    wrap(to, right_side(option, option->needed & command));
}

/* A command with so many options has all of them in --help. */
enum { FEW = 10 };

/* The options in groups, each where its first one is; none are left. */
static void print_groups(FILE *to, const harness_option **option, unsigned command)
{
    for (int i = 0; i < bag_count(option); i++) {
        const char *group = option[i] ? harness_option_group(option[i]) : NULL;
        if (group) fprintf(to, "\n%s\n", group);
        for (int k = i; group && k < bag_count(option); k++) {
            if (!option[k] || strcmp(harness_option_group(option[k]), group) != 0) continue;
            print_row(to, option[k], command);
            option[k] = NULL;
        }
    }
}

static void print_general(FILE *to)
{
    static const harness_option rows[] = {
        {"config", HARNESS_TEXT, .meta = "FILE.ini",
         .help = "read options from lines \"name = value\"; flags win over it"},
        {"help", HARNESS_TEXT, .meta = "", .help = "the most used options, and examples"},
        {"help-all", HARNESS_TEXT, .meta = "", .help = "all options"},
    };
    fprintf(to, "\nGeneral\n");
    for (int i = 0; i < 3; i++) print_row(to, &rows[i], 0);
}

int harness_options_help(FILE *to, const harness_program *program, unsigned command, bool all)
{
    const harness_option **shown = NULL;
    int own = 0;
    for (int i = 0; i < program->option_count; i++)
        own += (program->options[i].commands & command) != 0;
    for (int i = 0; i < program->option_count; i++) {
        const harness_option *o = &program->options[i];
        if (o->commands & command && (all || own <= FEW || o->often || o->needed & command))
            bag_add(shown, o);
    }
    const int left = own - bag_count(shown);
    print_groups(to, shown, command);
    print_general(to);
    bag_free(shown);
    return left;
}
