/* SPDX-License-Identifier: MIT */
/* Messages, and the progress bar. */
#define _GNU_SOURCE
#include "examples/harness/base/guest.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const char *speaker = "harness";
static bool silent;
static double spoken; /* when the last line was begun */

/* A line is written at once, so that it stays whole when several programs write to one file. */
static void write_whole_lines(void)
{
    static char room[8192];
    static bool done;
    if (!done) setvbuf(stderr, room, _IOLBF, sizeof room);
    done = true;
}

void harness_log_start(const char *program, bool hushed)
{
    write_whole_lines();
    speaker = program;
    silent = hushed;
    spoken = harness_seconds();
}

static bool quiet(void) { return silent || harness_is_guest(); }
static bool is_logged(void) { return !quiet() && !isatty(STDERR_FILENO); }
double harness_silence(void) { return harness_seconds() - spoken; }

static int colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) &&
           !(term && term[0] == 'd' && term[1] == 'u'); /* dumb */
}

/* Flushes stdout first, so that earlier output comes first where both go to one place (2>&1). A
   failure to write it is noticed at the end. */
static void begin(const char *colour)
{
    fflush(stdout);
    spoken = harness_seconds();
    int terminal = isatty(STDERR_FILENO), paint = *colour && colours();
    fprintf(stderr, "%s%s%s:%s ", terminal ? "\r\033[K" : "", paint ? colour : "", speaker,
            paint ? "\033[0m" : "");
}

/* Prints a line whose names are made safe for the terminal, without --quiet. */
static void say(const char *colour, const char *kind, const char *format, va_list list)
{
    char text[4096], safe[8192];
    if (silent) return;
    vsnprintf(text, sizeof text, format, list);
    if (harness__guest_hears(kind, text)) return;
    begin(colour);
    fprintf(stderr, "%s%s\n", kind, ag_printable(safe, sizeof safe, text));
}

void harness_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("", "", format, list);
    va_end(list);
}

void harness_log(const char *format, ...)
{
    va_list list;
    if (!is_logged()) return;
    va_start(list, format);
    say("", "", format, list);
    va_end(list);
}

void harness_warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("\033[33m", "warning: ", format, list);
    va_end(list);
}

void harness_error(const char *sentence)
{
    char safe[8192];
    begin("\033[31m");
    fprintf(stderr, "%s\n", ag_printable(safe, sizeof safe, sentence));
}

double harness_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- bars, and lines that take their place in a log ---- */

static void clock_text(char text[32], double seconds)
{
    long long s = seconds < 0 || seconds > 3.6e8 ? -1 : (long long)(seconds + 0.5);
    if (s < 0)
        snprintf(text, 32, "--:--");
    else if (s < 3600)
        snprintf(text, 32, "%02lld:%02lld", s / 60, s % 60);
    else
        snprintf(text, 32, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

void harness_time_left(char text[32], int64_t done, int64_t total, int64_t fresh, double seconds)
{
    const double speed = fresh > 0 && seconds > 0 ? (double)fresh / seconds : 0;
    clock_text(text, speed > 0 ? (double)(total - done) / speed : -1);
}

static void rate_text(char text[32], double rate)
{
    if (rate <= 0)
        snprintf(text, 32, "-- s/it");
    else if (rate < 1)
        snprintf(text, 32, "%.2f s/it", 1 / rate);
    else
        snprintf(text, 32, "%.*f it/s", rate < 100, rate);
}

void harness_progress_text(char *out, size_t bytes, int width, const char *label, int64_t done,
                           int64_t total, int64_t fresh, double seconds, const char *note)
{
    static const char full[] = "########################################",
                      empty[] = "........................................";
    char spent[32], left[32], rate[32], tail[200], head[120];
    double speed = fresh > 0 && seconds > 0 ? (double)fresh / seconds : 0;
    double part = total > 0 ? fmin((double)done / (double)total, 1) : 0;
    clock_text(spent, seconds);
    harness_time_left(left, done, total, fresh, seconds);
    rate_text(rate, speed);
    int h = snprintf(head, sizeof head, "%.40s %3d%% ", label, (int)(part * 100));
    int t =
        snprintf(tail, sizeof tail, " %lld/%lld [%s<%s, %s]%s%.80s", (long long)done,
                 (long long)total, spent, left, rate, note && *note ? " " : "", note ? note : "");
    int bar = width - 1 - h - t;
    if (bar > 40) bar = 40;
    if (bar < 4) bar = 0;
    const int drawn = (int)(part * bar);
    snprintf(out, bytes, "%s%.*s%.*s%s", head, drawn, full, bar - drawn, empty, tail);
    if (width > 0 && strlen(out) > (size_t)width - 1)
        out[width - 1] = 0; /* a terminal wraps at its last column */
}

static int columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
    return 80;
}

void harness_progress_start(harness_progress *p, const char *label, int64_t first, int64_t total)
{
    *p = (harness_progress){.label = label,
                            .total = total,
                            .first = first,
                            .started = harness_seconds(),
                            .shown = !quiet() && isatty(STDERR_FILENO),
                            .logged = is_logged(),
                            .done = first};
}

static void draw(harness_progress *p, int64_t done, const char *note, double now)
{
    char text[512], safe[2048];
    int width = columns();
    if (width > (int)sizeof text) width = sizeof text;
    harness_progress_text(text, sizeof text, width, p->label, done, p->total, done - p->first,
                          now - p->started, note);
    fprintf(stderr, "\r%s\033[K", ag_printable(safe, sizeof safe, text));
    fflush(stderr);
    p->drawn = now;
}

static void log_line(harness_progress *p, int64_t done, const char *note)
{
    char left[32];
    const bool full = p->tenths && done * 10 / p->total > p->done * 10 / p->total;
    if (!full && harness_silence() < HARNESS_LONG_SILENCE) return;
    harness_time_left(left, done, p->total, done - p->first, harness_seconds() - p->started);
    harness_log("%s: %lld %% done, %s left%s%.80s", p->label, (long long)(done * 100 / p->total),
                left, note && *note ? ", " : "", note ? note : "");
}

void harness_progress_update(harness_progress *p, int64_t done, const char *note)
{
    if (p->logged && p->total > 0) log_line(p, done, note);
    p->done = done;
    if (!p->shown) return;
    double now = harness_seconds();
    if (now - p->drawn >= 0.1 || done >= p->total) draw(p, done, note, now);
}

void harness_progress_end(harness_progress *p)
{
    if (p->shown && p->drawn > 0) fputc('\n', stderr);
    p->shown = p->logged = false;
}

/* A second more or less is no news, and would differ from run to run. */
static void say_read(const harness_reading *r)
{
    enum { LONG = 5 };
    const double seconds = harness_seconds() - r->bar.started;
    if (seconds >= LONG)
        harness_log("read %d file%s in %.0f s", r->count, r->count == 1 ? "" : "s", seconds);
    else if (r->count > 1)
        harness_log("read %d files", r->count);
}

const char *harness_reading_next(harness_reading *r, ag_failure *why)
{
    if (r->next)
        harness_progress_update(&r->bar, r->next, r->path[r->next - 1]);
    else
        harness_progress_start(&r->bar, "read", 0, r->count);
    r->bar.shown = false; /* a terminal has no bar of it */
    if (r->next < r->count && harness_go_on(why)) return r->path[r->next++];
    if (!why->status) say_read(r);
    return NULL;
}
