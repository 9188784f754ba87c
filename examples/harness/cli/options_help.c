/* SPDX-License-Identifier: MIT */
/* The help of a command: options in groups, two columns, 80 wide. */
#include "examples/harness/cli/options_internal.h"

#include <string.h>

enum { WIDTH = 79, COLUMN = 28 };

/* Prints words from column `at` on, wrapped to start at COLUMN again. */
static void wrap(FILE *to, int at, const char *text)
{
    int column = at;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > COLUMN && column + 1 + n > WIDTH) {
            fprintf(to, "\n%*s", COLUMN, "");
            column = COLUMN;
        } else if (column > COLUMN) {
            fputc(' ', to);
            column++;
        }
        fprintf(to, "%.*s", n, text);
        column += n;
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', to);
}

static int is_on(const harness_option *option)
{
    return option->fallback && strcmp(option->fallback, "true") == 0;
}

static char *left_side(const harness_option *option)
{
    static const char *const meta[] = {"", "N", "N", "X", "SIZE", "TEXT", "", "PATH..."};
    if (option->type == HARNESS_BOOL)
        return harness_text("--%s%s", is_on(option) ? "[no-]" : "", option->name);
    if (option->meta) return harness_text("--%s %s", option->name, option->meta);
    if (option->type == HARNESS_CHOICE && option->choices) {
        if (strlen(option->choices) + strlen(option->name) < 22)
            return harness_text("--%s %s", option->name, option->choices);
        return harness_text("--%s WORD", option->name);
    }
    return harness_text("--%s %s", option->name, meta[option->type]);
}

static char *right_side(const harness_option *option, int needed)
{
    char range[96] = "";
    const char *lead = "";
    char *words = harness_copy("");
    if (option->type == HARNESS_CHOICE && option->choices &&
        strlen(option->choices) + strlen(option->name) >= 22) {
        harness_free(words);
        words = harness_text(": %s", option->choices);
        for (char *c = words; (c = strchr(c, '|'));) *c = ' ';
    }
    if (option->low < option->high) {
        harness__range(range, option);
        lead = "; ";
    }
    char *text;
    const char *help = option->help ? option->help : "";
    if (needed)
        text = harness_text("%s%s (needed%s%s)", help, words, lead, range);
    else if (option->type == HARNESS_BOOL)
        text = harness_text("%s%s", help, is_on(option) ? " (default on)" : "");
    else if (option->fallback)
        text = harness_text("%s%s (default %s%s%s)", help, words, option->fallback, lead, range);
    else if (*range)
        text = harness_text("%s%s (%s)", help, words, range);
    else
        text = harness_text("%s%s", help, words);
    harness_free(words);
    return text;
}

static void print_row(FILE *to, const harness_option *option, unsigned command)
{
    char *left = left_side(option), *right = right_side(option, (option->needed & command) != 0);
    int n = (int)strlen(left) + 2;
    if (n + 2 > COLUMN)
        fprintf(to, "  %s\n%*s", left, COLUMN, "");
    else
        fprintf(to, "  %s%*s", left, COLUMN - n, "");
    wrap(to, COLUMN, right);
    harness_free(left);
    harness_free(right);
}

static const char *group_of(const harness_option *option)
{
    return option->group ? option->group : "Other";
}

static int first_of_group(const harness_program *program, int index, unsigned command)
{
    for (int i = 0; i < index; i++)
        if ((program->options[i].commands & command) &&
            strcmp(group_of(&program->options[i]), group_of(&program->options[index])) == 0)
            return 0;
    return 1;
}

static void print_group(FILE *to, const harness_program *program, int first, unsigned command)
{
    const char *group = group_of(&program->options[first]);
    fprintf(to, "\n%s\n", group);
    for (int i = first; i < program->option_count; i++) {
        const harness_option *option = &program->options[i];
        if ((option->commands & command) && strcmp(group_of(option), group) == 0)
            print_row(to, option, command);
    }
}

void harness_options_help(FILE *to, const harness_program *program, unsigned command)
{
    static const harness_option general[] = {
        {.name = "config",
         .type = HARNESS_TEXT,
         .meta = "FILE.ini",
         .help = "read options from lines \"name = value\"; flags win over it"},
        {.name = "set",
         .type = HARNESS_TEXT,
         .meta = "NAME=VALUE...",
         .help = "set options by name, as flags do"},
        {.name = "help", .type = HARNESS_TEXT, .meta = "", .help = "this text"},
    };
    for (int i = 0; i < program->option_count; i++)
        if ((program->options[i].commands & command) && first_of_group(program, i, command))
            print_group(to, program, i, command);
    fprintf(to, "\nGeneral\n");
    for (int i = 0; i < 3; i++) print_row(to, &general[i], 0);
}
