/* SPDX-License-Identifier: MIT */
/* A table of results that can be printed as text, CSV, JSON and HTML. */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct json_t;

typedef struct harness_table harness_table;

/* Texts are copied, except notes. */
harness_table *harness_table_new(const char *title, const char *const *columns, int count);
void harness_table_free(harness_table *t);
/* Adds a column, before the second row. */
void harness_table_column(harness_table *t, const char *name);

/* Cells fill the table row by row. A number is shown with `digits` decimals, or with two figures
   ("0.013", "1.2e-05"; CSV and JSON: in full); NaN is shown as "-" (CSV: empty; JSON: null). */
enum { HARNESS_TWO_FIGURES = -2 };
void harness_table_text(harness_table *t, const char *cell);
void harness_table_number(harness_table *t, double cell, int digits);
void harness_table_count(harness_table *t, int64_t cell);
const char *harness_number_text(double number, int digits);
int harness_table_rows(const harness_table *t);
/* Adds a sentence below the table (text and HTML), which must live as long. */
void harness_table_note(harness_table *t, const char *note);
/* Nothing tells the two rows apart: in JSON each names the other, by its first cell, in a list
   "equal". */
void harness_table_equal(harness_table *t, int row, int other);

/* In HTML the cells of the row, or of the column (then row is -1), have the model's colour, and the
   other numbers of the table are grey. */
void harness_table_own(harness_table *t, int row, int column);

/* When it is printed, a first cell too long for lines of 80 characters has a line of its own. */
void harness_table_narrow(harness_table *t);

void harness_table_print(FILE *to, const harness_table *t); /* aligned columns */
void harness_table_csv(FILE *to, const harness_table *t);   /* RFC 4180, one header line */
void harness_table_html(FILE *to, const harness_table *t);  /* <table>, text escaped */
/* One tabular of LaTeX, which needs no package; the tables have the same columns, and the title of
   each is a line above its rows. */
void harness_tables_tex(FILE *to, harness_table *const *table, int count);
struct json_t *
harness_table_json(const harness_table *t); /* array of objects; owned by the caller */

/* Writes text to `to` with & < > " escaped for HTML. */
void harness_html_text(FILE *to, const char *text);
/* Writes text to `to` in quotes, as in CSV: a quote in it is doubled. */
void harness_csv_quoted(FILE *to, const char *text);

#endif
