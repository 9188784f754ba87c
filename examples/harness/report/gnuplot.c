/* SPDX-License-Identifier: MIT */
/* Writes the two files of a plot (data and script), finds gnuplot and has it draw them. */
#define _GNU_SOURCE
#include "examples/harness/report/plot_internal.h"

#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/files/folder.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *part(const plot_files *p, const char *end)
{
    return harness_format("%s/%s.%s", p->folder, p->name, end);
}

static ag_status open_part(FILE **file, const plot_files *p, const char *end, ag_failure *why)
{
    *file = fopen(part(p, end), "wb");
    if (*file) return AG_OK;
    return ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; make room or choose another --out",
                   ag_path_tail(part(p, end)), strerror(errno));
}

/* A picture of an earlier run, or half of one, must not be shown as one of this run. */
static void remove_pictures(const plot_files *p)
{
    unlink(part(p, "svg"));
    unlink(part(p, "pdf"));
}

ag_status harness__plot_begin(plot_files *p, const char *folder, const char *name, ag_failure *why)
{
    *p = (plot_files){.folder = harness_format("%s/plots", folder), .name = name};
    if (harness__make_inner(p->folder, why)) return why->status;
    remove_pictures(p);
    return open_part(&p->data, p, "tsv", why) ? why->status : open_part(&p->script, p, "gp", why);
}

void harness__plot_quoted(FILE *to, const char *text)
{
    char *safe = harness_printable(text);
    fputc('\'', to);
    for (const char *c = safe; *c; c++) {
        if (*c == '\'') fputc('\'', to); /* '' is a quote within quotes */
        fputc(*c, to);
    }
    fputc('\'', to);
    harness_free(safe);
}

static int inner_byte(char c) { return (c & 0xC0) == 0x80; } /* of a character of UTF-8 */

int harness__plot_label(FILE *to, const char *text)
{
    enum { MOST = 42, FIRST = 22, LAST = MOST - FIRST - 3 }; /* characters */
    int characters = 0, at = 0;
    char *safe = harness_printable(text);
    for (const char *c = safe; *c; c++) characters += !inner_byte(*c);
    for (const char *c = safe; to && *c; c++) {
        at += !inner_byte(*c);
        if (characters > MOST && at > FIRST && at <= characters - LAST) {
            if (at == FIRST + 1 && !inner_byte(*c)) fputs("...", to);
            continue;
        }
        fputc(*c == '"' ? '\'' : *c, to);
    }
    harness_free(safe);
    return characters < MOST ? characters : MOST;
}

/* The number of bytes of a line of at most `most` characters: up to a space, or within a word that
   is longer than that. */
static size_t line_of(const char *text, int most)
{
    size_t end = 0, space = 0;
    int characters = 0;
    for (; text[end]; end++) {
        if (inner_byte(text[end])) continue;
        if (characters++ == most) return space ? space : end;
        if (text[end] == ' ') space = end;
    }
    return end;
}

/* Centres the title over the picture, not over the plot in it, in as many lines as it needs:
   gnuplot's own title runs over the edge. */
static void write_title(FILE *to, const char *title, int width, int height)
{
    enum { LETTER = 8, LINE = 19, MOST_LINES = 4 }; /* pixels of the font, wide ones */
    int lines = 0;
    for (size_t bytes; *title && lines < MOST_LINES; title += bytes) {
        bytes = line_of(title, (width - 2 * LETTER) / LETTER);
        fputs("set label ", to);
        harness__plot_quoted(to, harness_format("%.*s", (int)bytes, title));
        fprintf(to, " at screen 0.5,screen %.4f center front textcolor rgb '%s'\n",
                1 - (24.0 + LINE * lines++) / height, PLOT_INK);
        while (title[bytes] == ' ') bytes++;
    }
    fprintf(to, "set tmargin at screen %.4f\n", 1 - (32.0 + LINE * lines) / height);
}

void harness__plot_style(plot_files *p, const char *title, int width, int height)
{
    FILE *to = p->script;
    p->width = width;
    p->height = height;
    fprintf(to,
            "set terminal svg size %d,%d dynamic noenhanced background '%s' "
            "font 'sans-serif,14'\nset output '%s.svg'\n"
            "set datafile separator '\\t'\nset datafile commentschars ''\n",
            width, height, PLOT_PAPER, p->name);
    write_title(to, title, width, height);
    fprintf(to, "set border 3 linecolor rgb '%s'\nset tics nomirror scale 0.6 textcolor rgb '%s'\n",
            PLOT_AXIS, PLOT_INK);
    fprintf(to, "set grid linecolor rgb '%s' linetype 1 linewidth 0.7\n", PLOT_GRID);
    fprintf(to, "set key top right textcolor rgb '%s' samplen 1.5\n", PLOT_INK);
}

extern char **environ;

/* Runs gnuplot on a script in a folder. It is found first, since an entry of PATH may be relative;
   neither settings of the user and of the system nor the locale count. Returns 0, -1 if gnuplot is
   not installed, 1 if it failed. */
static int run(const char *folder, const char *script)
{
    static const char commands[] = "program=$(command -v gnuplot) || exit 127\n"
                                   "case $program in /*) ;; *) program=$PWD/$program ;; esac\n"
                                   "unset GNUTERM CDPATH; export LC_ALL=C; cd -- \"$1\" &&\n"
                                   "exec \"$program\" -d -e 'set encoding utf8' \"$2\" "
                                   ">/dev/null 2>&1";
    const char *const words[] = {"sh", "-c", commands, "sh", folder, script, NULL};
    pid_t child;
    int status = 0;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, (char *const *)(uintptr_t)words, environ))
        return 1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -1 : status != 0;
}

static void close_part(FILE *file, const plot_files *p, ag_failure *why)
{
    const int bad = file && ferror(file);
    if (file && (fclose(file) != 0) | bad)
        ag_fail(why, AG_EFILE,
                "%.150s/%.50s cannot be written: %s; make room or choose another --out",
                ag_path_tail(p->folder), p->name, strerror(errno));
}

/* Draws the same as PDF, of the size that the SVG has at 96 pixels an inch. */
static void draw_pdf(const plot_files *p)
{
    fprintf(p->script,
            "if (strstrt(GPVAL_TERMINALS, 'pdfcairo')) {\n    set terminal pdfcairo size "
            "%.2f,%.2f noenhanced font 'sans-serif,10.5'\n    set output '%s.pdf'\n    replot\n}\n",
            p->width / 96.0, p->height / 96.0, p->name);
}

static void draw(const plot_files *p)
{
    static int warned;
    const char *script = harness_format("%s.gp", p->name);
    const int result = run(p->folder, script);
    if (result) remove_pictures(p);
    if (result < 0 && !warned++)
        harness_say("gnuplot is not installed, so %s has the data and the scripts of the plots, "
                    "but no pictures",
                    p->folder);
    if (!result && access(part(p, "pdf"), R_OK) != 0 && !warned++)
        harness_say("this gnuplot has no terminal pdfcairo, so the pictures in %s are only SVG",
                    p->folder);
    if (result > 0 && !harness_interrupted())
        harness_warn("gnuplot could not draw %s/%s", p->folder, script);
}

ag_status harness__plot_end(plot_files *p, int drawable, ag_failure *why)
{
    if (drawable && p->script) draw_pdf(p);
    close_part(p->data, p, why);
    close_part(p->script, p, why);
    if (drawable && !why->status) draw(p);
    return why->status;
}
