/* SPDX-License-Identifier: MIT */
/* Text to values and back, one type at a time. */
#define _GNU_SOURCE
#include "examples/harness/cli/options_internal.h"
#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ranged(const harness_option *option)
{
    return option->low < option->high || option->low != 0;
}

static const char *size_text(int64_t bytes)
{
    const char *units = "\0KMGT";
    int unit = 0;
    while (unit < 4 && bytes && bytes % 1024 == 0) bytes /= 1024, unit++;
    return harness_format("%" PRId64 "%.1s", bytes, units + unit);
}

const char *harness__range(const harness_option *option)
{
    const int digits = option->type == HARNESS_REAL ? 6 : 17;
    if (option->type == HARNESS_SIZE)
        return harness_format("%s to %s", size_text((int64_t)option->low),
                              size_text((int64_t)option->high));
    if (option->high >= 9e15) return harness_format("%.17g or more", option->low);
    return harness_format("%.*g to %.*g", digits, option->low, digits, option->high);
}

static ag_status check_range(const harness_option *option, double value, const char *shown,
                             const char *text, ag_failure *why)
{
    if (!ranged(option) || (value >= option->low && value <= option->high)) return AG_OK;
    return ag_fail(why, AG_EUSE, "%s: %.60s is out of range; it must be %s", shown, text,
                   harness__range(option));
}

/* usual: how to write one that may be any. */
static ag_status no_number(const harness_option *option, const char *what, const char *usual,
                           const char *shown, const char *text, ag_failure *why)
{
    if (ranged(option)) usual = harness_format("it must be %s", harness__range(option));
    return ag_fail(why, AG_EUSE, "%s: \"%.60s\" is not a %s number; %s", shown, text, what, usual);
}

static ag_status parse_whole(int64_t *to, const harness_option *option, const char *shown,
                             const char *text, ag_failure *why)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || *text == ' ' || *text == '\t')
        return no_number(option, "whole", "give only digits, as in 1000", shown, text, why);
    if (check_range(option, errno ? (double)INFINITY : (double)value, shown, text, why))
        return why->status;
    if (errno || (option->type == HARNESS_INT && (value < INT_MIN || value > INT_MAX)))
        return ag_fail(why, AG_EUSE, "%s: %.60s does not fit into %d bits; give a smaller number",
                       shown, text, option->type == HARNESS_INT ? 32 : 64);
    *to = value;
    return AG_OK;
}

static ag_status parse_real(double *to, const harness_option *option, const char *shown,
                            const char *text, ag_failure *why)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || *text == ' ' || *text == '\t' || !isfinite(value))
        return no_number(option, "finite", "write it as in 0.001 or 1e-3", shown, text, why);
    if (check_range(option, value, shown, text, why)) return why->status;
    *to = value;
    return AG_OK;
}

static ag_status parse_size(int64_t *to, const harness_option *option, const char *shown,
                            const char *text, ag_failure *why)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end), unit = 1;
    const char *found = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (found) {
        for (const char *u = units; u <= found; u++) unit *= 1024;
        end++;
        if (*end == 'i') end++;
    }
    if (end != text && *end == 'B') end++;
    if (!strchr("0123456789", *text) || end == text || *end || strpbrk(text, "xXpP") ||
        !isfinite(value))
        return ag_fail(
            why, AG_EUSE,
            "%s: \"%.60s\" is not a size; write bytes, or a number with K, M, G or T, as in 8G",
            shown, text);
    value *= unit;
    if (check_range(option, value, shown, text, why)) return why->status;
    if (value >= 9e18)
        return ag_fail(why, AG_EUSE, "%s: %.60s is more than any machine has; give a smaller size",
                       shown, text);
    *to = (int64_t)value;
    return AG_OK;
}

static ag_status parse_bool(bool *to, const harness_option *option, const char *shown,
                            const char *text, ag_failure *why)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcmp(text, words[i]) == 0) {
            *to = i % 2 == 1;
            return AG_OK;
        }
    return ag_fail(why, AG_EUSE,
                   "%s: \"%.60s\" is neither true nor false; write %s=true or %s=false", shown,
                   text, option->name, option->name);
}

static const char *nth_word(const char *words, int n)
{
    const char *word = harness__word(&words);
    while (word && n-- > 0) word = harness__word(&words);
    return word;
}

static ag_status parse_choice(int *to, const harness_option *option, const char *shown,
                              const char *text, ag_failure *why)
{
    const int index = harness__word_index(option->choices, text);
    if (index >= 0) {
        *to = index;
        return AG_OK;
    }
    const char **words = NULL, *list = option->choices;
    for (const char *word; (word = harness__word(&list));) bag_add(words, word);
    const char *near = harness__meant_or_near(harness__value_words, text, words, bag_count(words));
    bag_free(words);
    return ag_fail(why, AG_EUSE, "%s: \"%.60s\" is not one of %s; %s", shown, text, option->choices,
                   near ? harness_format("did you mean %s?", near) : "give one of them");
}

ag_status harness__parse(void *to, const harness_option *option, const char *shown,
                         const char *text, ag_failure *why)
{
    int64_t whole = 0;
    switch (option->type) {
    case HARNESS_BOOL: return parse_bool(to, option, shown, text, why);
    case HARNESS_INT:
        if (parse_whole(&whole, option, shown, text, why) != AG_OK) return AG_EUSE;
        *(int *)to = (int)whole;
        return AG_OK;
    case HARNESS_INT64: return parse_whole(to, option, shown, text, why);
    case HARNESS_REAL: return parse_real(to, option, shown, text, why);
    case HARNESS_SIZE: return parse_size(to, option, shown, text, why);
    default: return parse_choice(to, option, shown, text, why);
    }
}

/* The shortest text that strtod reads back as the same number. */
static const char *real_text(double value)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return harness_format("%s", text);
}

static const char *paths_text(const harness_paths *paths)
{
    if (!paths->count) return NULL;
    size_t bytes = 0;
    for (int i = 0; i < paths->count; i++) bytes += strlen(paths->list[i]) + 1;
    char *all = harness_lasting(bytes), *to = all;
    for (int i = 0; i < paths->count; i++) {
        if (i) *to++ = ' ';
        to = stpcpy(to, paths->list[i]);
    }
    return all;
}

const char *harness_option_text(const harness_options *o, const harness_option *option)
{
    const void *at = (const char *)o->values + option->offset;
    switch (option->type) {
    case HARNESS_BOOL: return *(const bool *)at ? "true" : "false";
    case HARNESS_INT: return harness_format("%d", *(const int *)at);
    case HARNESS_INT64: return harness_format("%" PRId64, *(const int64_t *)at);
    case HARNESS_REAL: return real_text(*(const double *)at);
    case HARNESS_SIZE: return size_text(*(const int64_t *)at);
    case HARNESS_CHOICE: return nth_word(option->choices, *(const int *)at);
    case HARNESS_TEXT: return *(const char *const *)at;
    case HARNESS_PATHS: return paths_text(at);
    }
    return NULL;
}
