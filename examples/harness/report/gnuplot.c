/* SPDX-License-Identifier: MIT */
/* Writes the two files of a plot (data and script) and runs gnuplot on them. */
#define _GNU_SOURCE
#include "examples/harness/report/plot_internal.h"

#include "core/io/io.h"
#include "examples/harness/run/run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static ag_status open_part(FILE **file, const plot_files *p, const char *end, ag_failure *why)
{
    char *path = harness_text("%s/%s.%s", p->folder, p->name, end);
    *file = fopen(path, "wb");
    if (!*file)
        ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; make room or choose another --out",
                ag_path_tail(path), strerror(errno));
    harness_free(path);
    return *file ? AG_OK : AG_EFILE;
}

ag_status harness__plot_begin(plot_files *p, const char *folder, const char *name, ag_failure *why)
{
    memset(p, 0, sizeof *p);
    p->folder = harness_text("%s/plots", folder);
    p->name = harness_copy(name);
    ag_status status = harness__make_inner(p->folder, why);
    if (status == AG_OK) status = open_part(&p->data, p, "tsv", why);
    if (status == AG_OK) status = open_part(&p->script, p, "gp", why);
    return status;
}

void harness__plot_words(FILE *to, const char *text)
{
    char *safe = harness_printable(text);
    for (const char *c = safe; *c; c++) {
        if (*c == '\'') fputc('\'', to); /* '' is a quote within quotes */
        fputc(*c, to);
    }
    harness_free(safe);
}

static int inner_byte(char c) { return (c & 0xC0) == 0x80; } /* of a character of UTF-8 */

int harness__plot_label(FILE *to, const char *text)
{
    enum { MOST = 52, FIRST = 28, LAST = MOST - FIRST - 3 }; /* characters */
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
        char *line;
        bytes = line_of(title, (width - 2 * LETTER) / LETTER);
        line = harness_text("%.*s", (int)bytes, title);
        fprintf(to, "set label '");
        harness__plot_words(to, line);
        fprintf(to, "' at screen 0.5,screen %.4f center front textcolor rgb '%s'\n",
                1 - (24.0 + LINE * lines++) / height, PLOT_INK);
        harness_free(line);
        while (title[bytes] == ' ') bytes++;
    }
    fprintf(to, "set tmargin at screen %.4f\n", 1 - (32.0 + LINE * lines) / height);
}

void harness__plot_style(const plot_files *p, const char *title, int width, int height)
{
    FILE *to = p->script;
    fprintf(to,
            "set terminal svg size %d,%d dynamic noenhanced background '%s' font 'sans-serif,14'\n",
            width, height, PLOT_PAPER);
    fprintf(to, "set output '");
    harness__plot_words(to, p->name);
    fprintf(to, ".svg'\nset datafile separator '\\t'\nset datafile commentschars ''\n");
    write_title(to, title, width, height);
    fprintf(to, "set border 3 linecolor rgb '%s'\nset tics nomirror scale 0.6 textcolor rgb '%s'\n",
            PLOT_AXIS, PLOT_INK);
    fprintf(to, "set grid linecolor rgb '%s' linetype 1 linewidth 0.7\n", PLOT_GRID);
    fprintf(to, "set key top right textcolor rgb '%s' samplen 1.5\n", PLOT_INK);
}

/* Returns -1 if gnuplot is not installed. */
static int run_gnuplot(const char *folder, const char *script)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {"gnuplot", (char *)(uintptr_t)script, NULL};
    pid_t child;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return 1;
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return failed == ENOENT ? -1 : 1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -1 : status != 0;
}

static ag_status close_part(FILE *file, const plot_files *p, ag_failure *why)
{
    if (!file) return AG_OK;
    int bad = ferror(file);
    if ((fclose(file) != 0) | bad)
        return ag_fail(why, AG_EFILE,
                       "%.150s/%.50s cannot be written: %s; make room or choose another --out",
                       ag_path_tail(p->folder), p->name, strerror(errno));
    return AG_OK;
}

static void draw(const plot_files *p)
{
    static int told;
    char *script = harness_text("%s.gp", p->name);
    int result = run_gnuplot(p->folder, script);
    if (result < 0 && !told++)
        harness_say("gnuplot is not installed, so %s has the data and the scripts of the plots, "
                    "but no pictures",
                    p->folder);
    if (result > 0 && !harness_interrupted())
        harness_warn("gnuplot could not draw %s/%s", p->folder, script);
    harness_free(script);
}

ag_status harness__plot_end(plot_files *p, int drawable, ag_failure *why)
{
    ag_status status = close_part(p->data, p, why);
    if (close_part(p->script, p, why) != AG_OK) status = AG_EFILE;
    if (status == AG_OK && drawable && why->status == AG_OK) draw(p);
    harness_free(p->folder);
    harness_free(p->name);
    return status;
}
