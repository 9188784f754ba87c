/* SPDX-License-Identifier: MIT */
#include "examples/harness/report/plot_internal.h"

#include <math.h>

enum { MOST_POINTS = 4000, MOST_STEPS = 500 };

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

static void axis(FILE *to, const char *which, const char *name, const char *colour)
{
    fprintf(to, "set %slabel '", which);
    harness__plot_words(to, name);
    fprintf(to, "' textcolor rgb '%s'\n", colour);
}

ag_status harness_plot_curves(const char *folder, const char *name, const char *title,
                              harness_curve loss, harness_curve score, ag_failure *why)
{
    plot_files p;
    ag_status status = harness__plot_begin(&p, folder, name, why);
    if (status == AG_OK) {
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
            fprintf(
                to,
                "'%s.tsv' index 0 using 1:2 with lines linewidth 1.6 linecolor rgb '%s' title '",
                p.name, PLOT_FIRST);
            harness__plot_words(to, loss.name);
            fputs("'", to);
        }
        if (score.n) {
            fprintf(to,
                    "%s'%s.tsv' index %d using 1:2 axes x1y%d with linespoints linewidth 2 "
                    "pointtype 7 pointsize 0.5 "
                    "linecolor rgb '%s' title '",
                    loss.n ? ", \\\n     " : "", p.name, loss.n ? 1 : 0, loss.n ? 2 : 1,
                    PLOT_SECOND);
            harness__plot_words(to, score.name);
            fputs("'", to);
        }
        fputs("\n", to);
    }
    ag_status ended = harness__plot_end(&p, loss.n + score.n > 0, why);
    return status == AG_OK ? ended : status;
}

ag_status harness_plot_scatter(const char *folder, const char *name, const char *title,
                               const char *x_label, const char *y_label, const double *x,
                               const double *y, int64_t n, ag_failure *why)
{
    plot_files p;
    ag_status status = harness__plot_begin(&p, folder, name, why);
    if (status == AG_OK) {
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
    ag_status ended = harness__plot_end(&p, n > 0, why);
    return status == AG_OK ? ended : status;
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
    ag_status status = harness__plot_begin(&p, folder, name, why);
    if (status == AG_OK) {
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
    ag_status ended = harness__plot_end(&p, drawn > 0, why);
    return status == AG_OK ? ended : status;
}
