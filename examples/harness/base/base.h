/* SPDX-License-Identifier: MIT */
/* The base of the programs: exit codes, interruption, messages, JSON, files, memory, numbers. */
#ifndef HARNESS_BASE_H
#define HARNESS_BASE_H

#include "core/types.h"

#include <stdbool.h>

struct json_t;
struct json_error_t;

/* ---- exit codes ---- */

enum {
    HARNESS_EXIT_OK = 0,
    HARNESS_EXIT_FAILED = 1,
    HARNESS_EXIT_USAGE = 2,
    HARNESS_EXIT_DATA = 3,   /* a file or folder is missing, damaged or cannot be written */
    HARNESS_EXIT_FINITE = 4, /* a loss or gradient is not finite */
    HARNESS_EXIT_MEMORY = 5,
    HARNESS_EXIT_DEVICE = 6,
    HARNESS_EXIT_INTERRUPTED = 130
};
/* ---- interruption ---- */

/* The first SIGINT, SIGTERM or SIGHUP (unless SIGHUP was ignored) sets a flag; a SIGINT or SIGTERM
   after it ends the program at once with 130. A write beyond the system's limit fails instead of
   killing the program. */
void harness_catch_signals(void);
int harness_interrupted(void);
/* Whether nothing has failed and no such signal came. A signal becomes the failure AG_ESTOPPED,
   after which the program ends with 130 and prints no sentence. For loops over files, groups or
   steps. */
bool harness_go_on(ag_failure *why);

/* ---- calls from another program's process ---- */

/* Runs call(context, why), then always close(context), for a library in a process that must not
   end. Where the harness would end the program (no memory, a default that its own row does not
   allow), the call fails instead. A little memory is kept for that; when it is used up, the call
   ends at once, and its memory of harness_alloc is freed, but not its memory of libaugur. Nothing
   is printed; harness_guest_warnings returns the warnings. This holds only for this thread, so a
   loader works on it, too. Such a call must not contain another one. */
ag_status harness_guest(ag_status (*call)(void *context, ag_failure *why),
                        void (*close)(void *context), void *context, ag_failure *why);
bool harness_is_guest(void);
/* The warnings of this thread's last such call, a line each; "": none. */
char *harness_guest_warnings(void);

/* ---- messages ---- */

/* Messages go to stderr as "PROGRAM: sentence", in colour only on a terminal and without NO_COLOR.
 */
void harness_log_start(const char *program, bool quiet);
void harness_say(const char *format, ...) AG_PRINTF(1, 2);  /* dropped by --quiet */
void harness_warn(const char *format, ...) AG_PRINTF(1, 2); /* dropped by --quiet */
void harness_error(const char *sentence);

/* harness_log writes a line that takes the place of a bar where stderr is a log (neither a terminal
   nor quiet). harness_silence: the seconds since the last line of any kind. */
void harness_log(const char *format, ...) AG_PRINTF(1, 2);
double harness_silence(void);
enum { HARNESS_LONG_SILENCE = 30 }; /* seconds of silence after which a log gets a line */

/* A bar on stderr: label, share done, rate, time left and a note; drawn at most ten times a second
   and only on a terminal without --quiet. harness_say and its kin clear it before they print. A log
   gets a line after a long silence and, with `tenths`, after each tenth. */
typedef struct harness_progress {
    const char *label;
    int64_t total, first; /* first: where a resumed run starts, for the rate */
    double started, drawn;
    bool shown, logged, tenths;
    int64_t done;
} harness_progress;
void harness_progress_start(harness_progress *p, const char *label, int64_t first, int64_t total);
void harness_progress_update(harness_progress *p, int64_t done, const char *note);
void harness_progress_end(harness_progress *p);

/* The same for files that are read; start from {path, count}. At the end a log gets the number of
   files, except for a single file that was read at once. */
typedef struct harness_reading {
    char *const *path;
    int count, next; /* next: how many were begun */
    harness_progress bar;
} harness_reading;
/* The next path. NULL: there is none, `why` has a failure, or a signal came, which becomes a
   failure. */
const char *harness_reading_next(harness_reading *r, ag_failure *why);

/* The time that is left, as mm:ss; fresh: as for harness_progress_text. */
void harness_time_left(char text[32], int64_t done, int64_t total, int64_t fresh, double seconds);

/* The text of the bar, for a terminal of `width` columns; fresh: how many of `done` this call has
   done, in `seconds`. */
void harness_progress_text(char *out, size_t bytes, int width, const char *label, int64_t done,
                           int64_t total, int64_t fresh, double seconds, const char *note);

/* Prints results on stdout and frees them. Fails: AG_EFILE when stdout cannot be written. */
ag_status harness_json_print(struct json_t *results, ag_failure *why);

/* A JSON value as compact text with sorted keys. Frees the value; the caller frees the text
   (harness_free). */
char *harness_json_text(struct json_t *value);

/* Parses JSON from a file, with json_loads or json_loadb. A key that occurs twice is refused, and
   so is nesting deeper than AG_JSON_DEPTH. error may be NULL. */
struct json_t *harness_json_loads(const char *text, struct json_error_t *error);
struct json_t *harness_json_loadb(const char *text, size_t bytes, struct json_error_t *error);

/* A number; null where it is not finite. */
struct json_t *harness_json_number(double number);

/* A hash as text: programs that read JSON numbers as doubles would lose bits. */
struct json_t *harness_json_hash(uint64_t hash);

/* The name of a file as a JSON string. If it is not UTF-8, bytes beyond ASCII become '?'. */
struct json_t *harness_json_name(const char *name);

/* Writes a file of results: a regular one is replaced atomically, a device or a pipe is written in
   place. Fails: AG_EFILE, and as `write` does. */
ag_status harness_write(const char *path, ag_status (*write)(FILE *to, void *context),
                        void *context, ag_failure *why);

/* Warns, once for each thing, of what the file systems of the files saved so far lack
   (ag_saves_lack). */
void harness_warn_lacks(void);

/* ---- memory and text ---- */

/* Never returns NULL: without memory it prints a sentence, and the program exits with 5. */
void *harness_alloc(size_t bytes);                                             /* zeroed */
#define HARNESS_NEW(x, n) harness_alloc(ag_size_mul((size_t)(n), sizeof *(x))) /* n of *x */
/* The same for arrays that ag_arena_free frees at once; *arena is NULL at first. */
void *harness_take(ag_arena **arena, size_t bytes);
#define HARNESS_TAKE(arena, x, n) harness_take(arena, ag_size_mul((size_t)(n), sizeof *(x)))
/* The same, kept until harness_forget, which ends a call. For small blocks, on the main thread, and
   not in each step. */
void *harness_lasting(size_t bytes);
void harness_forget(void);
void *harness_grow(void *block, size_t bytes);
void harness_free(void *block);
char *harness_copy(const char *text);
char *harness_text(const char *format, ...) AG_PRINTF(1, 2);
/* harness_text in the memory of harness_lasting, for paths, titles and parts of sentences. */
char *harness_format(const char *format, ...) AG_PRINTF(1, 2);

/* A copy that is safe to show: control characters, bytes that are not UTF-8 and marks that turn the
   direction of writing are shown as \x1b or \u202e. Every name from outside passes through this on
   its way to a terminal, a picture or a page; files for programs (CSV, JSON) get it unchanged. */
char *harness_printable(const char *text);
/* Writes such a copy to a stream. */
void harness_show(FILE *to, const char *text);
_Noreturn void harness_no_memory(size_t bytes);
double harness_seconds(void); /* of a monotonic clock */

/* ---- numbers ---- */

/* Sorts in ascending order; no value may be NaN. */
void harness_sort(double *x, int64_t n);

/* Of the values that are not NaN; NaN if there are none. The spread is the standard deviation (n -
   1), NaN also of one value. The geometric mean is NaN if a value is below 0, and 0 if one is 0. */
typedef struct harness_averages {
    double mean, spread, median, geometric;
    int count;
} harness_averages;
harness_averages harness_average(const double *values, int64_t n);

#endif
