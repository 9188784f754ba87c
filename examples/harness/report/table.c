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

/* own: of a name of a column, all of the column has the model's colour; of the first cell of a row,
   all of the row. */
typedef struct cell {
    kind kind;
    double real;
    int64_t count;
    const char *shown;
    bool own;
} cell;

struct harness_table {
    bool narrow, own; /* own: a row or a column is */
    int columns;
    const char *title, **notes; /* notes: stb_ds array */
    cell *cells;                /* stb_ds array, row by row; row 0: the names of the columns */
};

harness_table *harness_table_new(const char *title)
{
    harness_table *t = harness_alloc(sizeof *t);
    t->title = harness_format("%s", title);
    return t;
}

void harness_table_free(harness_table *t)
{
    if (!t) return;
    bag_free(t->cells);
    bag_free(t->notes);
    harness_free(t);
}

/* The first row makes the columns; it ends where the first of them comes again. */
static void add(harness_table *t, const char *column, cell c)
{
    const bool first_row = bag_count(t->cells) == 2 * t->columns;
    if (first_row && (!t->columns || strcmp(column, t->cells[0].shown) != 0)) {
        const cell name = {.kind = TEXT, .shown = harness_format("%s", column)};
        bag_insert(t->cells, t->columns, name);
        t->columns++;
    }
    bag_add(t->cells, c);
}

void harness_table_text(harness_table *t, const char *column, const char *text)
{
    add(t, column, (cell){.kind = TEXT, .shown = harness_format("%s", text)});
}

const char *harness_number_text(double number, int digits)
{
    if (isnan(number)) return "-";
    return digits < 0 ? harness_format("%.*g", -digits, number)
                      : harness_format("%.*f", digits, number);
}

void harness_table_number(harness_table *t, const char *column, double real, int digits)
{
    add(t, column, (cell){REAL, .real = real, .shown = harness_number_text(real, digits)});
}

void harness_table_count(harness_table *t, const char *column, int64_t count)
{
    add(t, column, (cell){COUNT, .count = count, .shown = harness_format("%" PRId64, count)});
}

void harness_table_narrow(harness_table *t) { t->narrow = true; }

void harness_table_own_row(harness_table *t)
{
    t->cells[bag_count(t->cells) - 1].own = t->own = true;
}

void harness_table_own_column(harness_table *t)
{
    t->cells[(bag_count(t->cells) - 1) % t->columns].own = t->own = true;
}

void harness_table_note(harness_table *t, const char *note) { bag_add(t->notes, note); }

int harness_table_rows(const harness_table *t)
{
    return t->columns ? bag_count(t->cells) / t->columns - 1 : 0;
}

static const cell *at(const harness_table *t, int row, int column)
{
    return &t->cells[row * t->columns + column];
}

/* The name of a column is like the first cell below it. */
static bool is_number(const harness_table *t, int row, int column)
{
    return at(t, row ? row : 1, column)->kind != TEXT;
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
    int left = LINE;
    for (int c = t->columns - 1; c >= 0; c--) {
        for (int r = 0; r <= harness_table_rows(t); r++) {
            const int w = safe_width(at(t, r, c)->shown);
            if (w > width[c] && (!r || c || !t->narrow || w <= left)) width[c] = w;
        }
        left -= width[c] + 2;
    }
}

static void print_line(FILE *to, const char *text)
{
    harness_show(to, text);
    fputc('\n', to);
}

void harness_table_print(FILE *to, const harness_table *t)
{
    int *width = HARNESS_NEW(width, t->columns);
    measure_columns(width, t);
    if (*t->title) print_line(to, t->title);
    for (int r = 0; r <= harness_table_rows(t); r++)
        for (int c = 0; c < t->columns; c++) {
            const char *shown = at(t, r, c)->shown;
            const bool alone = !c && t->columns > 1 && safe_width(shown) > width[c];
            if (alone) print_line(to, shown);
            print_cell(to, alone ? "" : shown, width[c], is_number(t, r, c), c == t->columns - 1);
        }
    for (int i = 0; i < bag_count(t->notes); i++) print_line(to, t->notes[i]);
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

static void csv_text(FILE *to, const char *text)
{
    if (strpbrk(text, ",\"\r\n"))
        harness_csv_quoted(to, text);
    else if (isatty(fileno(to)))
        harness_show(to, text);
    else
        fputs(text, to);
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
    for (int i = 0; i < bag_count(t->cells); i++) {
        csv_cell(to, &t->cells[i]);
        fputs((i + 1) % t->columns ? "," : "\n", to);
    }
}

json_t *harness_table_json(const harness_table *t)
{
    json_t *list = json_array();
    for (int r = 1; r <= harness_table_rows(t); r++) {
        json_t *row = json_object();
        for (int c = 0; c < t->columns; c++) {
            const cell *x = at(t, r, c);
            json_t *value = x->kind == COUNT  ? json_integer(x->count)
                            : x->kind == TEXT ? json_string(x->shown)
                                              : harness_json_number(x->real);
            json_object_set_new(row, at(t, 0, c)->shown, value);
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

static void html_cell(FILE *to, const harness_table *t, int row, int column)
{
    const char *tag = row ? "td" : "th";
    const bool number = is_number(t, row, column),
               own = at(t, 0, column)->own || (row && at(t, row, 0)->own);
    fprintf(to, "<%s", tag);
    if (number || own) fprintf(to, " class=\"%s\"", !own ? "n" : number ? "n own" : "own");
    fputc('>', to);
    harness_html_text(to, at(t, row, column)->shown);
    fprintf(to, "</%s>", tag);
}

void harness_table_html(FILE *to, const harness_table *t)
{
    fprintf(to, "<div class=\"table\"><table%s><caption>", t->own ? " class=\"methods\"" : "");
    harness_html_text(to, t->title);
    fputs("</caption>\n<thead>", to);
    for (int r = 0; r <= harness_table_rows(t); r++) {
        fputs("<tr>", to);
        for (int c = 0; c < t->columns; c++) html_cell(to, t, r, c);
        fputs(r ? "</tr>\n" : "</tr></thead>\n<tbody>\n", to);
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

/* A number is set as one, so that its minus is not a hyphen. */
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

static void tex_rows(FILE *to, const harness_table *t, int first, int end)
{
    for (int i = first * t->columns; i < end * t->columns; i++) {
        tex_cell(to, &t->cells[i]);
        fputs((i + 1) % t->columns ? " & " : " \\\\\n", to);
    }
}

void harness_tables_tex(FILE *to, harness_table *const *table, int count)
{
    const int columns = table[0]->columns;
    fputs("\\begin{tabular}{", to);
    for (int c = 0; c < columns; c++) fputc(is_number(table[0], 0, c) ? 'r' : 'l', to);
    fputs("}\n\\hline\n", to);
    tex_rows(to, table[0], 0, 1);
    for (int i = 0; i < count; i++) {
        fprintf(to, "\\hline\n\\multicolumn{%d}{l}{\\emph{", columns);
        tex_text(to, table[i]->title);
        fputs("}} \\\\\n", to);
        tex_rows(to, table[i], 1, harness_table_rows(table[i]) + 1);
    }
    fputs("\\hline\n\\end{tabular}\n", to);
}
