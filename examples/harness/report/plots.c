/* SPDX-License-Identifier: MIT */
/* The pictures: curves, points, bars, dots, lines. */
#include "examples/harness/report/plot_internal.h"

#include <math.h>

enum { MOST_POINTS = 4000, MOST_STEPS = 500 };
enum { WIDTH = 560 }; /* pixels; on the page of a phone two thirds of it, which can be read */

static void axis(FILE *to, const char *which, const char *name, const char *colour)
{
    fprintf(to, "set %slabel ", which);
    harness__plot_quoted(to, name);
    fprintf(to, " textcolor rgb '%s'\n", colour);
}

/* A block of the data: means over intervals of equal length, so that the picture of a long run
   stays small. gnuplot does not count a block without points. */
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

/* block: of the data, among those with points. */
static void draw_line(plot_files *p, int block, harness_curve c, const char *style)
{
    if (!c.n) return;
    fprintf(p->script, "%s'%s.tsv' index %d using 1:2 %s title ", block ? ", \\\n     " : "plot ",
            p->name, block, style);
    harness__plot_quoted(p->script, c.name);
}

ag_status harness_plot_curves(const char *folder, const char *name, const char *title,
                              harness_curve loss, harness_curve score, ag_failure *why)
{
    plot_files p;
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        write_means(p.data, loss);
        write_means(p.data, score);
        harness__plot_style(&p, title, WIDTH, 340);
        axis(to, "x", "step", PLOT_INK);
        fputs("set xrange [0:*]\nunset key\nset format x '%.0f'\n", to);
        if (loss.n) axis(to, "y", loss.name, PLOT_FIRST);
        if (score.n) axis(to, loss.n ? "y2" : "y", score.name, PLOT_SECOND);
        if (loss.n && score.n) fputs("set y2tics\nset border 11\n", to);
        draw_line(&p, 0, loss, "with lines linewidth 1.6 linecolor rgb '" PLOT_FIRST "'");
        draw_line(&p, loss.n > 0, score,
                  harness_format("axes x1y%d with linespoints linewidth 2 pointtype 7 pointsize "
                                 "0.5 linecolor rgb '" PLOT_SECOND "'",
                                 loss.n ? 2 : 1));
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

/* label, value, place of the number, colour; the first bar is on top. */
static void write_bars(FILE *to, const harness_bar *bar, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        const double value = bar[i].value;
        if (!isfinite(value)) continue;
        harness__plot_label(to, bar[i].name);
        fprintf(to, "\t%.9g\t%.9g\t0x%s\n", value, value > 0 ? value : 0,
                &(bar[i].own ? PLOT_FIRST : PLOT_OTHER)[1]);
    }
}

/* 1, 2 or 5 times a power of ten: at most 5 tics, so their numbers do not overlap. */
static double tic_step(double range)
{
    const double power = pow(10, floor(log10(range / 5))), least = range / 5 / power;
    return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static void extend(double *low, double *high, double value)
{
    if (!isfinite(value)) return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void x_range(FILE *to, double low, double high, double before, double after)
{
    const double range = high - low;
    if (range > 0)
        fprintf(to, "set xrange [%.9g:%.9g]\nset xtics %.9g\n", low - range * before,
                high + range * after, tic_step(range));
}

/* A picture with a row per bar that has a value; returns their number. It reserves the room that
   the names need: by itself, gnuplot gives them half of the picture. */
static int rows_style(plot_files *p, const char *title, const char *label, const harness_bar *bar,
                      int n)
{
    enum { LETTER = 8 }; /* pixels of a wide font */
    int rows = 0, most = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(bar[i].value)) continue;
        const int letters = harness__plot_label(NULL, bar[i].name);
        if (letters > most) most = letters;
        rows++;
    }
    harness__plot_style(p, title, WIDTH, 110 + 34 * (rows < 200 ? rows : 200));
    axis(p->script, "x", label, PLOT_INK);
    fprintf(p->script,
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "unset key\nset border 1\nset ytics scale 0\nset grid xtics noytics\n"
            "set yrange [-0.6:%d-0.4]\nset style fill solid 0.85 noborder\n",
            LETTER * (most + 2.0) / WIDTH, 1 - 3.0 * LETTER / WIDTH, rows);
    return rows;
}

ag_status harness_plot_bars(const char *folder, const char *name, const char *title,
                            const char *label, const harness_bar *bar, int n, ag_failure *why)
{
    plot_files p;
    int drawn = 0;
    if (!harness__plot_begin(&p, folder, name, why)) {
        double low = 0, high = 0;
        write_bars(p.data, bar, n);
        for (int i = 0; i < n; i++) extend(&low, &high, bar[i].value);
        drawn = rows_style(&p, title, label, bar, n);
        x_range(p.script, low, high, low < 0 ? 0.06 : 0, 0.2); /* the numbers are after the bars */
        fprintf(p.script,
                "plot '%s.tsv' using (0):0:(0):2:($0-0.32):($0+0.32):4:ytic(1) with boxxyerror "
                "linecolor rgb variable, \\\n"
                "     '%s.tsv' using 3:0:(sprintf(' %%.4g', $2)) with labels left offset 0.3,0 "
                "textcolor rgb '%s'\n",
                p.name, p.name, PLOT_INK);
    }
    return harness__plot_end(&p, drawn > 0, why);
}

/* label, mean, dots ("?": none); the first row is on top. */
static void write_dots(FILE *to, const harness_bar *mean, const double *values, int n, int per)
{
    for (int i = n - 1; i >= 0; i--) {
        if (!isfinite(mean[i].value)) continue;
        harness__plot_label(to, mean[i].name);
        fprintf(to, "\t%.9g", mean[i].value);
        for (int k = i * per; k < (i + 1) * per; k++)
            fprintf(to, isfinite(values[k]) ? "\t%.9g" : "\t?", values[k]);
        fputs("\n", to);
    }
}

static void draw_dots(const plot_files *p, double first, int per)
{
    if (isfinite(first))
        fprintf(p->script,
                "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dashtype 2 linewidth 1.4 "
                "linecolor rgb '%s'\n",
                first, first, PLOT_AXIS);
    fprintf(p->script,
            "set datafile missing '?'\n"
            "plot '%s.tsv' using 2:0:ytic(1) with points pointtype -1, '' using "
            "2:($0-0.3):(0):(0.6) with vectors nohead linewidth 2.5 linecolor rgb '%s', \\\n"
            "     for [k=3:%d] '%s.tsv' using k:0 with points pointtype 7 pointsize 0.7 linecolor "
            "rgb '#60%s'\n",
            p->name, PLOT_INK, per + 2, p->name, &PLOT_FIRST[1]);
}

ag_status harness_plot_dots(const char *folder, const char *name, const char *title,
                            const char *label, const char *const *names, const double *values,
                            int n, int per, ag_failure *why)
{
    plot_files p;
    int drawn = 0;
    if (!harness__plot_begin(&p, folder, name, why)) {
        double low = (double)INFINITY, high = -low;
        harness_bar *mean = HARNESS_NEW(mean, n);
        for (int i = 0; i < n; i++)
            mean[i] = (harness_bar){names[i], harness_average(values + i * per, per).mean, false};
        write_dots(p.data, mean, values, n, per);
        for (int i = 0; i < n * per; i++) extend(&low, &high, values[i]);
        drawn = rows_style(&p, title, label, mean, n);
        x_range(p.script, low, high, 0.06, 0.06);
        draw_dots(&p, n ? mean[0].value : (double)NAN, per);
        harness_free(mean);
    }
    return harness__plot_end(&p, drawn > 0, why);
}

/* The ninth line is dashed. */
static const char *line_style(int i)
{
    static const char *const colour[8] = {PLOT_FIRST, PLOT_SECOND, "#3a9a5b", "#b5484e",
                                          "#8a62b8",  "#9a7b4f",   "#2b9fa8", "#c45c9c"};
    const char *dashed = i < 8 ? "" : harness_format(" dashtype %d", 1 + i / 8);
    return harness_format("with lines linewidth 2 linecolor rgb '%s'%s", colour[i % 8], dashed);
}

/* The lines of the key: gnuplot makes its columns as wide as the longest name. */
static int key_rows(const harness_curve *curves, int count)
{
    enum { LETTER = 7, SAMPLE = 50 }; /* pixels */
    int most = 1;
    for (int i = 0; i < count; i++)
        most = (int)fmax(most, harness__plot_label(NULL, curves[i].name));
    const int columns = WIDTH / (most * LETTER + SAMPLE);
    return columns > 1 ? (count + columns - 1) / columns : count;
}

ag_status harness_plot_lines(const char *folder, const char *name, const char *title,
                             const char *x_label, const char *y_label, const harness_curve *curves,
                             int count, ag_failure *why)
{
    plot_files p;
    int drawn = 0;
    if (!harness__plot_begin(&p, folder, name, why)) {
        FILE *to = p.script;
        harness__plot_style(&p, title, WIDTH, 330 + 20 * key_rows(curves, count));
        axis(to, "x", x_label, PLOT_INK);
        axis(to, "y", y_label, PLOT_INK);
        fputs("set key outside bottom left horizontal Left reverse\nset xrange [0:*]\n"
              "set format x '%.0f'\n",
              to);
        for (int i = 0; i < count && i < HARNESS_LINES; i++) {
            if (!curves[i].n) continue;
            write_means(p.data, curves[i]);
            draw_line(&p, drawn++, curves[i], line_style(i));
        }
        fputs("\n", to);
    }
    return harness__plot_end(&p, drawn > 0, why);
}
