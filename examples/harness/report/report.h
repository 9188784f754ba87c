/* SPDX-License-Identifier: MIT */
/* Pictures (gnuplot, SVG and PDF) and the page that shows a run. */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include "core/core.h"
#include "examples/harness/cli/options.h"
#include "examples/harness/report/table.h"

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

/* Predicted against true order or value; at most 4,000 points are drawn, evenly chosen. */
ag_status harness_plot_scatter(const char *folder, const char *name, const char *title,
                               const char *x_label, const char *y_label, const double *x,
                               const double *y, int64_t n, ag_failure *why);

/* One horizontal bar per label: those that are the model's own in its colour, the others grey. */
ag_status harness_plot_bars(const char *folder, const char *name, const char *title,
                            const char *label, const char *const *names, const double *values,
                            const bool *own, int n, ag_failure *why);

/* Per label a row of dots, values[i * per + k] (NaN: none), with a line at their mean, and a dashed
   one at the mean of the first. */
ag_status harness_plot_dots(const char *folder, const char *name, const char *title,
                            const char *label, const char *const *names, const double *values,
                            int n, int per, ag_failure *why);

/* Several lines in one picture, at most HARNESS_LINES: eight colours, then the same dashed. steps:
   a value holds until the next one. */
enum { HARNESS_LINES = 24 };
ag_status harness_plot_lines(const char *folder, const char *name, const char *title,
                             const char *x_label, const char *y_label, const harness_curve *curves,
                             int count, int steps, ag_failure *why);

/* Groups of upright bars around the line y = 1: values[g * bars + b] is bar b of group g; NaN:
   none. At most HARNESS_LINES bars a group. */
ag_status harness_plot_groups(const char *folder, const char *name, const char *title,
                              const char *y_label, const char *const *groups, int n_groups,
                              const char *const *bars, int n_bars, const double *values,
                              ag_failure *why);

/* The contents of the page, from top to bottom. */
typedef struct harness_report {
    const char *file;              /* NULL: report.html */
    const char *title;             /* "TGraph, 1,500 steps on 2 files" */
    const char *summary;           /* one or two sentences; NULL: none */
    const char *const *fact_names; /* big numbers at the top */
    const char *const *facts;
    int fact_count;
    const char *const *plots; /* names of plots; one without SVG is shown as a link to its data */
    const char *const *plot_captions;
    int plot_count;
    const harness_table *const *tables;
    int table_count;
    const char *const *notes; /* how to read the numbers: one paragraph each */
    int note_count;
    const char *command_line;
    const harness_options *options; /* the resolved configuration; NULL: none */
    const char *files;              /* their kind (harness_options_act) */
} harness_report;

/* Writes FOLDER/FILE: one page without outside resources, for light and dark screens. Fails:
   AG_EFILE. */
ag_status harness_report_write(const char *folder, const harness_report *report, ag_failure *why);

#endif
