/* SPDX-License-Identifier: MIT */
/* The conditions under which options have an effect, and the refusal of those that have none. */
#include "examples/harness/cli/options_internal.h"

#include <string.h>

/* Whether one of the words of "a|b" is the text. */
static bool names(const char *words, const char *text)
{
    const size_t n = strlen(text);
    for (const char *word = words; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strncmp(word, text, n) == 0 && (word[n] == '|' || !word[n])) return true;
    }
    return false;
}

/* A flag or a number that is not 0, a text or a path: the option was given. */
static bool is_given(const char *text)
{
    return text && strcmp(text, "false") != 0 && strcmp(text, "0") != 0;
}

/* "--option" or "--option=a|b". */
static bool option_holds(const harness_options *o, char *term)
{
    char *equals = strchr(term, '=');
    if (equals) *equals = 0;
    const harness_option *option = harness_option_find(o->program, term + 2);
    char *value = option ? harness_option_text(o, option) : NULL;
    const bool holds = equals ? value && names(equals + 1, value) : is_given(value);
    harness_free(value);
    return holds;
}

/* Files of which nothing is known may be of any kind. */
static bool term_holds(const harness_options *o, char *term, const char *files)
{
    const bool negated = strncmp(term, "no ", 3) == 0;
    if (negated) term += 3;
    if (term[0] == '-') return option_holds(o, term) != negated;
    return !files || (strcmp(term, files) == 0) != negated;
}

/* Cuts the text at the next separator and returns the part after it; NULL: there is none. */
static char *cut(char *text, const char *separator)
{
    char *at = strstr(text, separator);
    if (!at) return NULL;
    *at = 0;
    return at + strlen(separator);
}

bool harness_option_acts(const harness_options *o, const harness_option *option, const char *files)
{
    if (!option->needs) return true;
    char *copy = harness_copy(option->needs);
    bool any = false;
    for (char *one = copy, *next; one && !any; one = next) {
        next = cut(one, " or ");
        any = true;
        for (char *term = one, *rest; term && any; term = rest) {
            rest = cut(term, " and ");
            any = term_holds(o, term, files);
        }
    }
    harness_free(copy);
    return any;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool harness__is_default(const harness_options *o, const harness_option *option)
{
    harness_options *defaults = harness_options_new(o->program, o->command, NULL);
    char *value = harness_option_text(o, option), *usual = harness_option_text(defaults, option);
    const bool same = same_text(value, usual);
    harness_free(value);
    harness_free(usual);
    harness_options_free(defaults);
    return same;
}

bool harness__idle(const harness_options *o, int index, const char *files)
{
    const harness_option *option = &o->program->options[index];
    if (!o->where[index] || harness_option_acts(o, option, files)) return false;
    char *value = harness_option_text(o, option);
    const bool same = same_text(value, o->before[index]);
    harness_free(value);
    return !same;
}

ag_status harness__refuse_idle(const harness_options *o, int index, const char *scope,
                               ag_failure *why)
{
    const harness_option *option = &o->program->options[index];
    char *value = harness_option_text(o, option);
    ag_fail(why, AG_EUSE, "%s: %.60s has no effect%s, since it needs %s; change that, or omit %s",
            o->where[index], value ? value : "none", scope, option->needs, option->name);
    harness_free(value);
    return AG_EUSE;
}

ag_status harness_options_act(const harness_options *o, const char *files, ag_failure *why)
{
    for (int i = 0; i < o->program->option_count; i++)
        if (harness__idle(o, i, files)) return harness__refuse_idle(o, i, "", why);
    return AG_OK;
}
