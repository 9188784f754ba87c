/* SPDX-License-Identifier: MIT */
/* The pictures: curves, points, bars, lines, groups of bars. */
#include "examples/harness/report/plot_internal.h"

#include <math.h>

enum { MOST_POINTS = 4000, MOST_STEPS = 500, MOST_ON_LINE = 1000 };

static void axis(FILE *to, const char *which, const char *name, const char *colour)
{
    fprintf(to, "set %slabel '", which);
    harness__plot_words(to, name);
    fprintf(to, "' textcolor rgb '%s'\n", colour);
}

/* The name is part of the data, where gnuplot handles quotes correctly. */
static void write_name(FILE *to, const char *name)
{
    fputs(" title '", to);
    harness__plot_words(to, name);
    fputs("'", to);
}

/* Writes means over intervals of equal length, so that the picture of a long run stays small. */
static void write_means(FILE *to, harness_curve c)
{
    int64_t width = (c.n + MOST_STEPS - 1) / MOST_STEPS;
    for (int64_t i = 0; i < c.n; i += width) {
        double x = 0, y = 0;
        int64_t end = i + width < c.n ? i + width : c.n;
        for (int64_t j = i; j < end; j++) x += c.x[j], y += c.y[j];
        fprintf(to, "%.9g\t%.9g\n", x / (double)(end - i), y / (double)(end - i));
    }
    fputs("\n\n", to);
}

ag_status harness_plot_curves(const char *folder, const char *name, const char *title,
                              harness_curve loss, harness_curve score, ag_failure *why)
{
    plot_files p;
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        write_means(p.data, loss);
        write_means(p.data, score);
        harness__plot_style(&p, title, 760, 400);
        axis(to, "x", "step", PLOT_INK);
        fputs("set xrange [0:*]\nunset key\nset format x '%.0f'\n", to);
        if (loss.n) axis(to, "y", loss.name, PLOT_FIRST);
        if (score.n) axis(to, loss.n ? "y2" : "y", score.name, PLOT_SECOND);
        if (loss.n && score.n) fputs("set y2tics\nset border 11\n", to);
        fputs("plot ", to);
        if (loss.n) {
            fprintf(to, "'%s.tsv' index 0 using 1:2 with lines linewidth 1.6 linecolor rgb '%s'",
                    p.name, PLOT_FIRST);
            write_name(to, loss.name);
        }
        if (score.n) {
            fprintf(to,
                    "%s'%s.tsv' index %d using 1:2 axes x1y%d with linespoints linewidth 2 "
                    "pointtype 7 pointsize 0.5 linecolor rgb '%s'",
                    loss.n ? ", \\\n     " : "", p.name, loss.n ? 1 : 0, loss.n ? 2 : 1,
                    PLOT_SECOND);
            write_name(to, score.name);
        }
        fputs("\n", to);
    }
    return harness__plot_end(&p, loss.n + score.n > 0, why);
}

ag_status harness_plot_scatter(const char *folder, const char *name, const char *title,
                               const char *x_label, const char *y_label, const double *x,
                               const double *y, int64_t n, ag_failure *why)
{
    plot_files p;
    if (!harness__plot_begin(&p, folder, name, why)) {
        int64_t points = n < MOST_POINTS ? n : MOST_POINTS;
        for (int64_t i = 0; i < points; i++) {
            int64_t at = i * n / points;
            fprintf(p.data, "%.9g\t%.9g\n", x[at], y[at]);
        }
        harness__plot_style(&p, title, 520, 480);
        axis(p.script, "x", x_label, PLOT_INK);
        axis(p.script, "y", y_label, PLOT_INK);
        fprintf(p.script,
                "unset key\nset style fill transparent solid 0.45 noborder\n"
                "plot '%s.tsv' using 1:2 with points pointtype 7 pointsize %.2f linecolor rgb "
                "'#80%s'\n",
                p.name, points > 1000 ? 0.25 : 0.45, &PLOT_FIRST[1]);
    }
    return harness__plot_end(&p, n > 0, why);
}

/* label, value, spread (0 without), place of the number; the first bar is on top. */
static int write_bars(FILE *to, const char *const *names, const double *values,
                      const double *spread, int n)
{
    int drawn = 0;
    for (int i = n - 1; i >= 0; i--) {
        double wide = spread && isfinite(spread[i]) ? spread[i] : 0;
        if (!isfinite(values[i])) continue;
        harness__plot_label(to, names[i]);
        fprintf(to, "\t%.9g\t%.9g\t%.9g\n", values[i], wide,
                values[i] + wide > 0 ? values[i] + wide : 0);
        drawn++;
    }
    return drawn;
}

/* 1, 2 or 5 times a power of ten: at most 6 tics, whose numbers do not overlap. */
static double tic_step(double range)
{
    const double power = pow(10, floor(log10(range / 6))), least = range / 6 / power;
    return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static void bars_range(FILE *to, const double *values, const double *spread, int n)
{
    double low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        double wide = spread && isfinite(spread[i]) ? spread[i] : 0;
        if (!isfinite(values[i])) continue;
        if (values[i] - wide < low) low = values[i] - wide;
        if (values[i] + wide > high) high = values[i] + wide;
    }
    double room = (high - low) * 0.12; /* for the numbers after the bars */
    if (high > low)
        fprintf(to, "set xrange [%.9g:%.9g]\nset xtics %.9g\n", low < 0 ? low - room / 3 : 0,
                high + room, tic_step(high - low));
}

/* Reserves the room that the names need; by itself, gnuplot gives them half of the picture. */
static void bars_margin(FILE *to, const char *const *names, const double *values, int n, int width)
{
    enum { LETTER = 9 }; /* pixels of the widest common font */
    int most = 0;
    for (int i = 0; i < n; i++) {
        const int letters = isfinite(values[i]) ? harness__plot_label(NULL, names[i]) : 0;
        if (letters > most) most = letters;
    }
    fprintf(to, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
            (LETTER * (most + 2.0)) / width, 1 - 3.0 * LETTER / width);
}

ag_status harness_plot_bars(const char *folder, const char *name, const char *title,
                            const char *label, const char *const *names, const double *values,
                            const double *spread, int n, ag_failure *why)
{
    enum { WIDTH = 760 };
    plot_files p;
    int drawn = 0;
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        drawn = write_bars(p.data, names, values, spread, n);
        harness__plot_style(&p, title, WIDTH, 110 + 34 * (drawn < 200 ? drawn : 200));
        axis(to, "x", label, PLOT_INK);
        bars_range(to, values, spread, n);
        bars_margin(to, names, values, n, WIDTH);
        fprintf(to,
                "unset key\nset border 1\nset ytics scale 0\nset grid xtics noytics\n"
                "set yrange [-0.6:%d-0.4]\nset style fill solid 0.85 noborder\n",
                drawn);
        fprintf(to,
                "plot '%s.tsv' using (0):0:(0):2:($0-0.32):($0+0.32):ytic(1) with boxxyerror "
                "linecolor rgb '%s', \\\n",
                p.name, PLOT_FIRST);
        if (spread)
            fprintf(to,
                    "     '%s.tsv' using 2:0:3 with xerrorbars pointtype -1 linewidth 1.4 "
                    "linecolor rgb '%s', \\\n",
                    p.name, PLOT_INK);
        fprintf(to,
                "     '%s.tsv' using 4:0:(sprintf(' %%.4g', $2)) with labels left offset 0.3,0 "
                "textcolor rgb '%s'\n",
                p.name, PLOT_INK);
    }
    return harness__plot_end(&p, drawn > 0, why);
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
    const int64_t width = (c.n + MOST_ON_LINE - 1) / MOST_ON_LINE;
    for (int64_t i = 0; i < c.n; i += width)
        if (isfinite(c.y[i])) fprintf(to, "%.9g\t%.9g\n", c.x[i], c.y[i]);
    fputs("\n\n", to);
}

ag_status harness_plot_lines(const char *folder, const char *name, const char *title,
                             const char *x_label, const char *y_label, const harness_curve *curves,
                             int count, int steps, ag_failure *why)
{
    plot_files p;
    int drawn = 0;
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        for (int i = 0; i < count && i < HARNESS_LINES; i++)
            if (curves[i].n) write_points(p.data, curves[i]);
        harness__plot_style(&p, title, 760, 400);
        axis(to, "x", x_label, PLOT_INK);
        axis(to, "y", y_label, PLOT_INK);
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
    return harness__plot_end(&p, drawn > 0, why);
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
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        const double wide = 0.8 / (n_bars > 0 ? n_bars : 1);
        write_groups(p.data, groups, n_groups, n_bars, values);
        harness__plot_style(&p, title, 760, 440);
        axis(to, "y", y_label, PLOT_INK);
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
    return harness__plot_end(&p, n_groups > 0 && n_bars > 0, why);
}
