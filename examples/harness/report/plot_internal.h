/* SPDX-License-Identifier: MIT */
/* The data and the script of one picture, and the style of all pictures, for the files that draw
   them. */
#ifndef HARNESS_PLOT_INTERNAL_H
#define HARNESS_PLOT_INTERNAL_H

#include "examples/harness/base/base.h"
#include "examples/harness/report/report.h"

/* The colours of all plots; report.html replaces the first four on dark screens. */
#define PLOT_PAPER  "#ffffff"
#define PLOT_INK    "#333d4b"
#define PLOT_AXIS   "#8a94a3"
#define PLOT_GRID   "#e3e7ec"
#define PLOT_FIRST  "#2f6fb5" /* the model's */
#define PLOT_SECOND "#d9772b"
#define PLOT_OTHER  "#a9b2be" /* of a baseline */

typedef struct plot_files {
    const char *folder, *name;
    FILE *data, *script;
    int width, height; /* pixels */
} plot_files;

/* Opens FOLDER/plots/NAME.tsv and NAME.gp; harness__plot_end must always follow. */
ag_status harness__plot_begin(plot_files *p, const char *folder, const char *name, ag_failure *why);

/* Closes both and, if there is something to draw, runs gnuplot. */
ag_status harness__plot_end(plot_files *p, int drawable, ag_failure *why);

/* The style that all plots share: size, colours, title. */
void harness__plot_style(plot_files *p, const char *title, int width, int height);

/* Writes text into a script, in single quotes. */
void harness__plot_quoted(FILE *to, const char *text);

/* Writes text as a cell of the data, without its middle if the bars would have no room; to NULL:
   writes nothing. Returns how many characters are shown. */
int harness__plot_label(FILE *to, const char *text);

#endif
