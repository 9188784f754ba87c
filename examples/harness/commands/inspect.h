/* SPDX-License-Identifier: MIT */
/* The rows that the command `inspect` prints: lines of a table, and objects in JSON. */
#ifndef HARNESS_INSPECT_H
#define HARNESS_INSPECT_H

#include "examples/harness/model/model.h"

struct harness_inspection {
    const harness_settings *settings;
    char *title;         /* of the table, before the first row; NULL: there is no table */
    char *text;          /* printed after the table, or about a single file; or NULL */
    struct json_t *json; /* of --json: the rows; a model may wrap them in an object at the end */
    struct json_t *row;  /* the last row, for values that the functions below cannot set */
    harness_table *table;
};

/* Begins a row. Then each value is set in JSON under `key` and in the table under `column`; NULL
   leaves it out there. All rows have the same columns. */
void harness_inspect_row(harness_inspection *to);
void harness_inspect_text(harness_inspection *to, const char *key, const char *column,
                          const char *text);
void harness_inspect_count(harness_inspection *to, const char *key, const char *column, int64_t n);
void harness_inspect_number(harness_inspection *to, const char *key, const char *column, double x,
                            int digits);
/* A time in ns, which the table shows in us; 0: not known. */
void harness_inspect_ns(harness_inspection *to, const char *key, const char *column, int64_t ns,
                        int digits);

#endif
