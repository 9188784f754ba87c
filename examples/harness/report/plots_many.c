/* SPDX-License-Identifier: MIT */
/* Pictures that compare: several lines, groups of bars. */
#include "examples/harness/report/plot_internal.h"

#include <math.h>

enum { MOST_POINTS = 1000 };

static void label(FILE *to, const char *axis, const char *text)
{
    fprintf(to, "set %slabel '", axis);
    harness__plot_words(to, text);
    fprintf(to, "' textcolor rgb '%s'\n", PLOT_INK);
}

/* The colour of line or bar i, paler from the third on. */
static void write_colour(FILE *to, int i)
{
    fprintf(to, " linecolor rgb '#%s%s'", i < 2 ? "" : "80",
            &(i % 2 ? PLOT_SECOND : PLOT_FIRST)[1]);
}

/* A block of the data. gnuplot counts only blocks that have points, so an empty curve gets none. */
static void write_points(FILE *to, harness_curve c)
{
    const int64_t width = (c.n + MOST_POINTS - 1) / MOST_POINTS;
    for (int64_t i = 0; i < c.n; i += width)
        if (isfinite(c.y[i])) fprintf(to, "%.9g\t%.9g\n", c.x[i], c.y[i]);
    fputs("\n\n", to);
}

/* The name is part of the data, where gnuplot handles quotes correctly. */
static void write_name(FILE *to, const char *name)
{
    fputs(" title '", to);
    harness__plot_words(to, name);
    fputs("'", to);
}

ag_status harness_plot_lines(const char *folder, const char *name, const char *title,
                             const char *x_label, const char *y_label, const harness_curve *curves,
                             int count, int steps, ag_failure *why)
{
    plot_files p;
    int drawn = 0;
    ag_status status = harness__plot_begin(&p, folder, name, why);
    if (status == AG_OK) {
        FILE *to = p.script;
        for (int i = 0; i < count && i < HARNESS_LINES; i++)
            if (curves[i].n) write_points(p.data, curves[i]);
        harness__plot_style(&p, title, 760, 400);
        label(to, "x", x_label);
        label(to, "y", y_label);
        fputs("set key bottom right\nset xrange [0:*]\nset format x '%.0f'\n", to);
        for (int i = 0; i < count && i < HARNESS_LINES; i++) {
            if (!curves[i].n) continue;
            fprintf(to, "%s'%s.tsv' index %d using 1:2 with %s linewidth 2",
                    drawn ? ", \\\n     " : "plot ", p.name, drawn, steps ? "steps" : "lines");
            drawn++;
            write_colour(to, i);
            write_name(to, curves[i].name);
        }
        fputs("\n", to);
    }
    ag_status ended = harness__plot_end(&p, drawn > 0, why);
    return status == AG_OK ? ended : status;
}

/* A line per group: its name, then its bars; "?" for a missing one. */
static void write_groups(FILE *to, const char *const *groups, int n_groups, int n_bars,
                         const double *values)
{
    for (int g = 0; g < n_groups; g++) {
        harness__plot_label(to, groups[g]);
        for (int b = 0; b < n_bars; b++) {
            const double x = values[g * n_bars + b];
            if (isfinite(x))
                fprintf(to, "\t%.9g", x);
            else
                fputs("\t?", to);
        }
        fputs("\n", to);
    }
}

/* The bars start at 1, so the range contains 1, and some room. */
static void groups_range(FILE *to, const double *values, int n)
{
    double low = 1, high = 1;
    for (int i = 0; i < n; i++) {
        if (!isfinite(values[i])) continue;
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    const double room = (high - low) * 0.08 + 1e-3;
    fprintf(to, "set yrange [%.9g:%.9g]\n", low < 1 ? low - room : 1 - room / 4, high + room);
}

ag_status harness_plot_groups(const char *folder, const char *name, const char *title,
                              const char *y_label, const char *const *groups, int n_groups,
                              const char *const *bars, int n_bars, const double *values,
                              ag_failure *why)
{
    plot_files p;
    ag_status status = harness__plot_begin(&p, folder, name, why);
    if (status == AG_OK) {
        FILE *to = p.script;
        const double wide = 0.8 / (n_bars > 0 ? n_bars : 1);
        write_groups(p.data, groups, n_groups, n_bars, values);
        harness__plot_style(&p, title, 760, 440);
        label(to, "y", y_label);
        groups_range(to, values, n_groups * n_bars);
        fprintf(to,
                "set datafile missing '?'\nset key outside bottom center horizontal\nset xrange "
                "[-0.6:%d-0.4]\n"
                "set xtics scale 0 rotate by -40\nset grid noxtics ytics\n"
                "set style fill solid 0.85 noborder\n",
                n_groups);
        for (int b = 0; b < n_bars && b < HARNESS_LINES; b++) {
            const double from = -0.4 + wide * b;
            fprintf(to,
                    "%s'%s.tsv' using ($0):(1):($0+%.4f):($0+%.4f):(1):($%d)%s with boxxyerror "
                    "fillstyle solid 0.85",
                    b ? ", \\\n     " : "plot ", p.name, from, from + 0.9 * wide, b + 2,
                    b ? "" : ":xtic(1)");
            write_colour(to, b);
            write_name(to, bars[b]);
        }
        fputs("\n", to);
    }
    ag_status ended = harness__plot_end(&p, n_groups > 0 && n_bars > 0, why);
    return status == AG_OK ? ended : status;
}
