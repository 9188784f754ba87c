/* SPDX-License-Identifier: MIT */
/* Tables, pictures (gnuplot, SVG and PDF) and the page that shows a run. */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include "examples/harness/cli/options.h"

/* ---- tables of results, which can be printed as text, CSV, JSON and HTML ---- */

struct json_t;

typedef struct harness_table harness_table;

/* Texts are copied, except notes. */
harness_table *harness_table_new(const char *title);
void harness_table_free(harness_table *t);

/* Cells fill the table row by row, and those of the first row make the columns; in later rows only
   their order counts. A number is shown with `digits` decimals, or with two figures ("0.013",
   "1.2e-05"; CSV and JSON: in full); NaN is shown as "-" (CSV: empty; JSON: null). */
enum { HARNESS_TWO_FIGURES = -2 };
void harness_table_text(harness_table *t, const char *column, const char *cell);
void harness_table_number(harness_table *t, const char *column, double cell, int digits);
void harness_table_count(harness_table *t, const char *column, int64_t cell);
const char *harness_number_text(double number, int digits);
int harness_table_rows(const harness_table *t);
/* Adds a sentence below the table (text and HTML); it must live as long as the table. */
void harness_table_note(harness_table *t, const char *note);

/* In HTML the row whose first cell was added last, or the column of the last cell, has the model's
   colour, and the other numbers of the table are grey. */
void harness_table_own_row(harness_table *t);
void harness_table_own_column(harness_table *t);

/* When it is printed, a first cell too long for lines of 80 characters has a line of its own. */
void harness_table_narrow(harness_table *t);

void harness_table_print(FILE *to, const harness_table *t); /* aligned columns */
void harness_table_csv(FILE *to, const harness_table *t);   /* RFC 4180, one header line */
void harness_table_html(FILE *to, const harness_table *t);  /* <table>, text escaped */
/* Writes the tables as one tabular of LaTeX, which needs no package; they must have the same
   columns, and the title of each is a line above its rows. */
void harness_tables_tex(FILE *to, harness_table *const *table, int count);
struct json_t *
harness_table_json(const harness_table *t); /* array of objects; owned by the caller */

/* Writes text to `to` with & < > " escaped for HTML. */
void harness_html_text(FILE *to, const char *text);
/* Writes text to `to` in quotes, as in CSV: a quote in it is doubled. */
void harness_csv_quoted(FILE *to, const char *text);

/* ---- pictures ---- */

/* Each plot writes FOLDER/plots/NAME.tsv (the data) and NAME.gp (the script), then NAME.svg when
   gnuplot is installed, and NAME.pdf when it can write one; `cd FOLDER/plots && gnuplot NAME.gp`
   makes them again. Without gnuplot a message says so. Fails: AG_EFILE. */

/* Training loss (left axis) and validation score (right axis) over steps; either may have n 0. */
typedef struct harness_curve {
    const char *name;
    double *x, *y;
    int64_t n;
} harness_curve;
ag_status harness_plot_curves(const char *folder, const char *name, const char *title,
                              harness_curve loss, harness_curve score, ag_failure *why);

/* Predicted against true order or value; draws at most 4,000 points, chosen evenly. */
ag_status harness_plot_scatter(const char *folder, const char *name, const char *title,
                               const char *x_label, const char *y_label, const double *x,
                               const double *y, int64_t n, ag_failure *why);

/* Horizontal bars, in the model's colour if they are its own, else grey. */
typedef struct harness_bar {
    const char *name;
    double value; /* not finite: no bar */
    bool own;
} harness_bar;
ag_status harness_plot_bars(const char *folder, const char *name, const char *title,
                            const char *label, const harness_bar *bar, int n, ag_failure *why);

/* A row of dots for each label, values[i * per + k] (NaN: none), with a line at their mean; a
   dashed line is at the mean of the first row. */
ag_status harness_plot_dots(const char *folder, const char *name, const char *title,
                            const char *label, const char *const *names, const double *values,
                            int n, int per, ag_failure *why);

/* Several lines in one picture, at most HARNESS_LINES, in eight colours; further lines repeat the
   colours, dashed. */
enum { HARNESS_LINES = 24 };
ag_status harness_plot_lines(const char *folder, const char *name, const char *title,
                             const char *x_label, const char *y_label, const harness_curve *curves,
                             int count, ag_failure *why);

/* ---- the page ---- */

extern const char harness_style[]; /* report.css */

typedef struct harness_named {
    const char *name, *text;
} harness_named;

/* The page and its contents, from top to bottom. Lists end with NULL, those of harness_named with a
   name that is NULL; a list may be NULL. */
typedef struct harness_report {
    const char *folder, *file;  /* file NULL: report.html */
    const char *title;          /* "TGraph, 1,500 steps on 2 files" */
    const char *summary;        /* one or two sentences; NULL: none */
    const harness_named *facts; /* big numbers at the top */
    const harness_named *plots; /* with captions; one without SVG is shown as a link to its data */
    harness_table *const *tables;
    const char *const *notes; /* how to read the numbers: one paragraph each */
    const char *command_line;
    const harness_options *options; /* the resolved configuration; NULL: none */
    const char *files;              /* their kind (harness_options_act) */
} harness_report;

/* Writes FOLDER/FILE: one page without outside resources, for light and dark screens. Fails:
   AG_EFILE. */
ag_status harness_report_write(const harness_report *report, ag_failure *why);

#endif
