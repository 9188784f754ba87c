/* SPDX-License-Identifier: MIT */
/* Builds tables, and writes them as text, CSV, JSON, HTML and LaTeX. */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include "examples/harness/base/bag.h"
#include "examples/harness/report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum kind { TEXT, REAL, COUNT } kind;

typedef struct cell {
    kind kind;
    double real;
    int64_t count;
    const char *shown;
} cell;

/* All but the title are stb_ds arrays. */
struct harness_table {
    bool narrow;
    const char *title, **columns, **notes;
    cell *cells; /* row by row */
    int *own;    /* pairs of a row and a column, of which one is -1 */
};

void harness_table_column(harness_table *t, const char *name)
{
    bag_add(t->columns, harness_format("%s", name));
}

harness_table *harness_table_new(const char *title, const char *const *columns, int count)
{
    harness_table *t = harness_alloc(sizeof *t);
    t->title = harness_format("%s", title);
    for (int i = 0; i < count; i++) harness_table_column(t, columns[i]);
    return t;
}

void harness_table_free(harness_table *t)
{
    if (!t) return;
    bag_free(t->cells);
    bag_free(t->columns);
    bag_free(t->notes);
    bag_free(t->own);
    harness_free(t);
}

void harness_table_text(harness_table *t, const char *text)
{
    bag_add(t->cells, ((cell){TEXT, 0, 0, harness_format("%s", text)}));
}

const char *harness_number_text(double number, int digits)
{
    if (isnan(number)) return "-";
    return digits < 0 ? harness_format("%.*g", -digits, number)
                      : harness_format("%.*f", digits, number);
}

void harness_table_number(harness_table *t, double real, int digits)
{
    bag_add(t->cells, ((cell){REAL, real, 0, harness_number_text(real, digits)}));
}

void harness_table_count(harness_table *t, int64_t count)
{
    bag_add(t->cells, ((cell){COUNT, 0, count, harness_format("%" PRId64, count)}));
}

void harness_table_narrow(harness_table *t) { t->narrow = true; }

void harness_table_own(harness_table *t, int row, int column)
{
    bag_add(t->own, row);
    bag_add(t->own, column);
}

void harness_table_note(harness_table *t, const char *note) { bag_add(t->notes, note); }

int harness_table_rows(const harness_table *t)
{
    return bag_count(t->cells) / bag_count(t->columns);
}

static const cell *at(const harness_table *t, int row, int column)
{
    return &t->cells[row * bag_count(t->columns) + column];
}

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static int safe_width(const char *text)
{
    int n = 0;
    char *safe = harness_printable(text);
    for (const char *c = safe; *c; c++) n += (*c & 0xC0) != 0x80;
    harness_free(safe);
    return n;
}

static void print_cell(FILE *to, const char *text, int width, bool right, bool last)
{
    const int blanks = width - safe_width(text);
    if (right) fprintf(to, "%*s", blanks, "");
    harness_show(to, text);
    if (!right && !last) fprintf(to, "%*s", blanks, "");
    fputs(last ? "\n" : "  ", to);
}

/* width [columns]: of the longest cell; of the first column of a narrow table at most what the
   others leave. */
static void measure_columns(int *width, const harness_table *t)
{
    enum { LINE = 80 };
    const int columns = bag_count(t->columns), rows = harness_table_rows(t);
    int left = LINE;
    for (int c = columns - 1; c >= 0; c--) {
        width[c] = safe_width(t->columns[c]);
        for (int r = 0; r < rows; r++) {
            int w = safe_width(at(t, r, c)->shown);
            if (w > width[c] && (c || !t->narrow || w <= left)) width[c] = w;
        }
        left -= width[c] + 2;
    }
}

void harness_table_print(FILE *to, const harness_table *t)
{
    int columns = bag_count(t->columns), rows = harness_table_rows(t);
    int *width = HARNESS_NEW(width, columns);
    measure_columns(width, t);
    if (*t->title) {
        harness_show(to, t->title);
        fputc('\n', to);
    }
    for (int c = 0; c < columns; c++)
        print_cell(to, t->columns[c], width[c], rows && at(t, 0, c)->kind != TEXT,
                   c == columns - 1);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const char *shown = at(t, r, c)->shown;
            const bool alone = !c && columns > 1 && safe_width(shown) > width[c];
            if (alone) print_cell(to, shown, 0, 0, 1);
            print_cell(to, alone ? "" : shown, width[c], at(t, r, c)->kind != TEXT,
                       c == columns - 1);
        }
    for (int i = 0; i < bag_count(t->notes); i++) {
        harness_show(to, t->notes[i]);
        fputc('\n', to);
    }
    harness_free(width);
}

void harness_csv_quoted(FILE *to, const char *text)
{
    char *safe = isatty(fileno(to)) ? harness_printable(text) : harness_copy(text);
    fputc('"', to);
    for (const char *c = safe; *c; c++) {
        if (*c == '"') fputc('"', to);
        fputc(*c, to);
    }
    fputc('"', to);
    harness_free(safe);
}

/* The end of a cell: of a row after the last column. */
static void end_cell(FILE *to, const harness_table *t, int column, const char *cell,
                     const char *row)
{
    fputs(column + 1 == bag_count(t->columns) ? row : cell, to);
}

static void csv_text(FILE *to, const char *text)
{
    if (strpbrk(text, ",\"\r\n"))
        harness_csv_quoted(to, text);
    else
        harness_show_on_terminal(to, text);
}

static void csv_cell(FILE *to, const cell *c)
{
    if (c->kind == REAL && !isnan(c->real))
        fprintf(to, "%.17g", c->real);
    else if (c->kind != REAL)
        csv_text(to, c->shown);
}

void harness_table_csv(FILE *to, const harness_table *t)
{
    int columns = bag_count(t->columns);
    for (int c = 0; c < columns; c++) {
        csv_text(to, t->columns[c]);
        end_cell(to, t, c, ",", "\n");
    }
    for (int r = 0; r < harness_table_rows(t); r++)
        for (int c = 0; c < columns; c++) {
            csv_cell(to, at(t, r, c));
            end_cell(to, t, c, ",", "\n");
        }
}

json_t *harness_table_json(const harness_table *t)
{
    json_t *list = json_array();
    for (int r = 0; r < harness_table_rows(t); r++) {
        json_t *row = json_object();
        for (int c = 0; c < bag_count(t->columns); c++) {
            const cell *x = at(t, r, c);
            json_t *value = x->kind == COUNT  ? json_integer(x->count)
                            : x->kind == TEXT ? json_string(x->shown)
                                              : harness_json_number(x->real);
            json_object_set_new(row, t->columns[c], value);
        }
        json_array_append_new(list, row);
    }
    return list;
}

void harness_html_text(FILE *to, const char *text)
{
    char *safe = harness_printable(text);
    for (const char *c = safe; *c; c++) switch (*c) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(*c, to);
        }
    harness_free(safe);
}

static bool is_own(const harness_table *t, int row, int column)
{
    for (int i = 0; i < bag_count(t->own); i += 2)
        if (t->own[i] == row || t->own[i + 1] == column) return true;
    return false;
}

/* row -1: the header. */
static void html_cell(FILE *to, const harness_table *t, int row, int column)
{
    const char *tag = row < 0 ? "th" : "td";
    const int number = harness_table_rows(t) && at(t, row < 0 ? 0 : row, column)->kind != TEXT,
              own = is_own(t, row < 0 ? -2 : row, column);
    fprintf(to, "<%s", tag);
    if (number || own) fprintf(to, " class=\"%s\"", !own ? "n" : number ? "n own" : "own");
    fputc('>', to);
    harness_html_text(to, row < 0 ? t->columns[column] : at(t, row, column)->shown);
    fprintf(to, "</%s>", tag);
}

void harness_table_html(FILE *to, const harness_table *t)
{
    int columns = bag_count(t->columns), rows = harness_table_rows(t);
    fprintf(to, "<div class=\"table\"><table%s><caption>", t->own ? " class=\"methods\"" : "");
    harness_html_text(to, t->title);
    fputs("</caption>\n<thead><tr>", to);
    for (int c = 0; c < columns; c++) html_cell(to, t, -1, c);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (int r = 0; r < rows; r++) {
        fputs("<tr>", to);
        for (int c = 0; c < columns; c++) html_cell(to, t, r, c);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
    for (int i = 0; i < bag_count(t->notes); i++) {
        fputs("<p>", to);
        harness_html_text(to, t->notes[i]);
        fputs("</p>\n", to);
    }
}

static void tex_text(FILE *to, const char *text)
{
    static const char named[] = "~^\\<>|";
    static const char *const name[] = {"asciitilde", "asciicircum", "backslash",
                                       "less",       "greater",     "bar"};
    char *safe = harness_printable(text);
    for (const char *c = safe; *c; c++) {
        const char *found = strchr(named, *c);
        if (found)
            fprintf(to, "\\text%s{}", name[found - named]);
        else if (*c == '"')
            fputs("''", to);
        else
            fprintf(to, strchr("&%$#_{}", *c) ? "\\%c" : "%c", *c);
    }
    harness_free(safe);
}

/* A number is set as one, so that its minus is no hyphen. */
static void tex_cell(FILE *to, const cell *c)
{
    const char *power = c->kind == REAL ? strchr(c->shown, 'e') : NULL;
    if (c->kind == TEXT)
        tex_text(to, c->shown);
    else if (c->kind == REAL && !isfinite(c->real))
        fputs("--", to);
    else if (power)
        fprintf(to, "$%.*s\\cdot10^{%d}$", (int)(power - c->shown), c->shown, atoi(power + 1));
    else
        fprintf(to, "$%s$", c->shown);
}

void harness_tables_tex(FILE *to, harness_table *const *table, int count)
{
    const int columns = bag_count(table[0]->columns);
    fputs("\\begin{tabular}{", to);
    for (int c = 0; c < columns; c++)
        fputc(harness_table_rows(table[0]) && at(table[0], 0, c)->kind != TEXT ? 'r' : 'l', to);
    fputs("}\n\\hline\n", to);
    for (int c = 0; c < columns; c++) {
        tex_text(to, table[0]->columns[c]);
        end_cell(to, table[0], c, " & ", " \\\\\n");
    }
    for (int i = 0; i < count; i++) {
        fprintf(to, "\\hline\n\\multicolumn{%d}{l}{\\emph{", columns);
        tex_text(to, table[i]->title);
        fputs("}} \\\\\n", to);
        for (int r = 0; r < harness_table_rows(table[i]); r++)
            for (int c = 0; c < columns; c++) {
                tex_cell(to, at(table[i], r, c));
                end_cell(to, table[i], c, " & ", " \\\\\n");
            }
    }
    fputs("\\hline\n\\end{tabular}\n", to);
}
