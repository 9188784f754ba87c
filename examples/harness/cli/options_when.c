/* SPDX-License-Identifier: MIT */
/* The conditions under which options have an effect, and the refusal of those that have none. */
#include "examples/harness/cli/options_internal.h"
#include "core/error.h"

#include <string.h>

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
    const harness_option *option = harness__option_of(o, term + 2);
    const char *value = option ? harness_option_text(o, option) : NULL;
    return equals ? value && harness__word_index(equals + 1, value) >= 0 : is_given(value);
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
    char *copy = harness_format("%s", option->needs);
    bool any = false;
    for (char *one = copy, *next; one && !any; one = next) {
        next = cut(one, " or ");
        any = true;
        for (char *term = one, *rest; term && any; term = rest) {
            rest = cut(term, " and ");
            any = term_holds(o, term, files);
        }
    }
    return any;
}

bool harness__same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool harness__idle(const harness_options *o, int index, const char *files)
{
    const harness_option *option = &o->program->options[index];
    const harness__origin *from = &o->origin[index];
    return from->where && !harness_option_acts(o, option, files) &&
           !harness__same(harness_option_text(o, option), from->before);
}

ag_status harness__refuse_idle(const harness_options *o, int index, const char *scope,
                               ag_failure *why)
{
    const harness_option *option = &o->program->options[index];
    const char *value = harness_option_text(o, option);
    const char *reason =
        strncmp(option->needs, "no ", 3) == 0
            ? harness_format(" together with %s; omit one of them", option->needs + 3)
            : harness_format(", since it needs %s; change that, or omit %s", option->needs,
                             option->name);
    return ag_fail(why, AG_EUSE, "%s: %.60s has no effect%s%s", o->origin[index].where,
                   value ? value : "none", scope, reason);
}

ag_status harness_options_act(const harness_options *o, const char *files, ag_failure *why)
{
    for (int i = 0; i < o->program->option_count; i++)
        if (harness__idle(o, i, files)) return harness__refuse_idle(o, i, "", why);
    return AG_OK;
}
