/* SPDX-License-Identifier: MIT */
/* A table of results that can be printed as text, CSV, JSON and HTML. */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct json_t;

typedef struct harness_table harness_table;

/* title and columns are copied. */
harness_table *harness_table_new(const char *title, const char *const *columns, int count);
void harness_table_free(harness_table *t);
/* Adds a column, before the second row. */
void harness_table_column(harness_table *t, const char *name);

/* Cells fill the table row by row. A number is shown with `digits` decimals (CSV and JSON: in
   full); NaN is shown as "-" (CSV: empty; JSON: null). */
void harness_table_text(harness_table *t, const char *cell);
void harness_table_number(harness_table *t, double cell, int digits);
void harness_table_count(harness_table *t, int64_t cell);
/* The text of such a number; the caller frees it (harness_free). */
char *harness_number_text(double number, int digits);
int harness_table_rows(const harness_table *t);
/* Adds a sentence below the table (text and HTML); takes it over (harness_free). */
void harness_table_note(harness_table *t, char *note);
/* Nothing tells the two rows apart: in JSON each names the other, by its first cell, in a list
   "equal". */
void harness_table_equal(harness_table *t, int row, int other);

void harness_table_print(FILE *to, const harness_table *t); /* aligned columns */
void harness_table_csv(FILE *to, const harness_table *t);   /* RFC 4180, one header line */
void harness_table_html(FILE *to, const harness_table *t);  /* <table>, text escaped */
struct json_t *
harness_table_json(const harness_table *t); /* array of objects; owned by the caller */

/* Writes text to `to` with & < > " escaped for HTML. */
void harness_html_text(FILE *to, const char *text);
/* Writes text to `to` in quotes, as in CSV: a quote in it is doubled. */
void harness_csv_quoted(FILE *to, const char *text);

#endif
