/* SPDX-License-Identifier: MIT */
/* Words, numbers and lists of a line. */
#include "examples/lab/text/text_internal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ag_status lab__bad_line(const lab_line *line, const char *format, ...)
{
    char what[360];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return ag_fail(line->why, AG_EDATA, "%.100s:%d: %s", line->path, line->number, what);
}

lab_next lab__next(const lab_line *line)
{
    lab_next next = {"the end of the line"};
    size_t n = (size_t)(line->end - line->at), k = 0;
    if (n == 0) return next;
    next.text[k++] = '`';
    for (; k <= 20 && k <= n; k++) {
        char c = line->at[k - 1];
        next.text[k] = c >= ' ' && c <= '~' ? c : '?';
    }
    snprintf(next.text + k, sizeof next.text - k, "%s`", k <= n ? "..." : "");
    return next;
}

void lab__skip_blanks(lab_line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t')) line->at++;
}

int lab__accept(lab_line *line, const char *what)
{
    size_t n = strlen(what);
    lab__skip_blanks(line);
    if ((size_t)(line->end - line->at) < n || memcmp(line->at, what, n) != 0) return 0;
    line->at += n;
    return 1;
}

ag_status lab__expect(lab_line *line, const char *what)
{
    if (lab__accept(line, what)) return AG_OK;
    return lab__bad_line(line, "`%s` is expected, but there is %s", what, lab__next(line).text);
}

ag_status lab__read_name(char name[LAB_NAME], lab_line *line, const char *what)
{
    int n = 0;
    lab__skip_blanks(line);
    lab_next next = lab__next(line);
    while (n < LAB_NAME - 1 && line->at + n < line->end && lab__in_name(line->at[n])) n++;
    memcpy(name, line->at, (size_t)n);
    name[n] = 0;
    if (!lab__is_name(name))
        return lab__bad_line(line, "%s is expected, but there is %s", what, next.text);
    line->at += n;
    if (line->at < line->end && lab__in_name(*line->at))
        return lab__bad_line(line, "the name %s is longer than %d bytes", next.text, LAB_NAME - 1);
    return AG_OK;
}

ag_status lab__read_int(int *value, lab_line *line)
{
    lab__skip_blanks(line);
    lab_next next = lab__next(line);
    int64_t number = 0;
    int digits = 0, negative = lab__accept(line, "-");
    while (line->at < line->end && *line->at >= '0' && *line->at <= '9' && number <= INT_MAX) {
        number = 10 * number + (*line->at++ - '0');
        digits++;
    }
    if (!digits) return lab__bad_line(line, "a number is expected, but there is %s", next.text);
    if (number > INT_MAX)
        return lab__bad_line(line, "the number %s is above %d", next.text, INT_MAX);
    *value = (int)(negative ? -number : number);
    return AG_OK;
}

ag_status lab__read_list(int *n, int list[LAB_RANK], lab_line *line)
{
    *n = 0;
    if (lab__expect(line, "{")) return line->why->status;
    if (lab__accept(line, "}")) return AG_OK;
    do {
        if (*n == LAB_RANK)
            return lab__bad_line(line, "the list has more than %d numbers", LAB_RANK);
        if (lab__read_int(&list[(*n)++], line)) return line->why->status;
    } while (lab__accept(line, ","));
    return lab__expect(line, "}");
}
