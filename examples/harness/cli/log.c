/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "examples/harness/harness.h"

#include <stdarg.h>
#include <stdlib.h>
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

void harness_log_start(const char *program, bool quiet)
{
    write_whole_lines();
    speaker = program;
    silent = quiet;
    spoken = harness_seconds();
}

bool harness_quiet(void) { return silent; }
bool harness_logs(void) { return !silent && !isatty(STDERR_FILENO); }
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
    begin(colour);
    vsnprintf(text, sizeof text, format, list);
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
    if (!harness_logs()) return;
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
