/* SPDX-License-Identifier: MIT */
/* Words, numbers and lists of a line. */
#include "examples/lab/text/text_internal.h"
#include "core/error.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
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

ag_status lab__expected(const lab_line *line, const char *what)
{
    if (!*line->at)
        return lab__bad_line(line, "%s is expected, but there is the end of the line", what);
    return lab__bad_line(line, "%s is expected, but there is `%.20s%s`", what, line->at,
                         strlen(line->at) > 20 ? "..." : "");
}

void lab__skip_blanks(lab_line *line) { line->at += strspn(line->at, " \t"); }

int lab__accept(lab_line *line, const char *what)
{
    const size_t n = strlen(what);
    lab__skip_blanks(line);
    if (strncmp(line->at, what, n) != 0) return 0;
    line->at += n;
    return 1;
}

ag_status lab__expect(lab_line *line, const char *what)
{
    char quoted[16];
    if (lab__accept(line, what)) return AG_OK;
    snprintf(quoted, sizeof quoted, "`%s`", what);
    return lab__expected(line, quoted);
}

ag_status lab__read_name(char name[LAB_NAME], lab_line *line, const char *what)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    lab__skip_blanks(line);
    const size_t n = strspn(line->at, letters);
    if (!n || *line->at == '.' || *line->at == '-') return lab__expected(line, what);
    if (n >= LAB_NAME)
        return lab__bad_line(line, "the name %.20s... is longer than %d bytes", line->at,
                             LAB_NAME - 1);
    memcpy(name, line->at, n);
    name[n] = 0;
    line->at += n;
    return AG_OK;
}

ag_status lab__read_int(int *value, lab_line *line)
{
    lab__skip_blanks(line);
    const int digit = line->at[0] == '-' ? line->at[1] : line->at[0];
    if (!isdigit((unsigned char)digit)) return lab__expected(line, "a number");
    const long number = strtol(line->at, &line->at, 10);
    if (number > INT_MAX || number < -INT_MAX)
        return lab__bad_line(line, "a number is above %d or below %d", INT_MAX, -INT_MAX);
    *value = (int)number;
    return AG_OK;
}

ag_status lab__read_numbers(int *n, int list[LAB_RANK], lab_line *line, const char *between)
{
    *n = 0;
    do {
        if (*n == LAB_RANK)
            return lab__bad_line(line, "there are more than %d numbers, one for each axis",
                                 LAB_RANK);
        if (lab__read_int(&list[(*n)++], line)) return line->why->status;
    } while (lab__accept(line, between));
    return AG_OK;
}

ag_status lab__read_list(int *n, int list[LAB_RANK], lab_line *line)
{
    *n = 0;
    if (lab__expect(line, "{")) return line->why->status;
    if (lab__accept(line, "}")) return AG_OK;
    return lab__read_numbers(n, list, line, ",") ? line->why->status : lab__expect(line, "}");
}
