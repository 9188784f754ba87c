/* SPDX-License-Identifier: MIT */
/* Whole calls of the programs tgraph, tpu, tpgnn, nests and lab, and of one of the test's own, each
   in a child of its own. */
#ifndef TEST_PROGRAM_CALL_H
#define TEST_PROGRAM_CALL_H

#include "core/types.h"

#include <sys/types.h>

typedef struct program_outcome {
    int code; /* -1: it was killed */
    char out[98304], err[16384];
} program_outcome;

/* 1: the children find gnuplot; it is 0 at first, which is quicker. */
extern int program_pictures;

/* A function that each child calls first, e.g. to limit itself; NULL: none. */
extern void (*program_before)(void);

/* Where the children's stdout goes, e.g. /dev/full; program_outcome has what "stdout" holds. */
extern const char *program_stdout;

/* A program of the test, by its name; NULL: none. */
extern const struct harness_program *program_own;

/* Group set-up: makes test_folder (tgraph_npz.h), which test_folder_remove removes, and goes there.
 */
int program_folder_make(void **state);

/* Words are separated by single spaces, the first is the program; it runs in test_folder. */
program_outcome program_call(const char *line);

/* fork, in a sanitized test as soon as all other threads sleep: a lock of the sanitizer's allocator
   that another thread holds would stay taken in the child. */
pid_t program_fork(void);

/* Starts a call that runs while the test continues. */
pid_t program_start(const char *line);

/* Starts a call and sends it a signal as soon as a file in test_folder has so many bytes. */
program_outcome program_call_signal(const char *line, int signal, const char *name, long bytes);

/* Calls and fails the test unless the exit code is `code` and stdout and stderr contain these
   texts. */
program_outcome program_expect(const char *line, int code, const char *out, const char *err);

/* The same with a line of a format. */
program_outcome program_expect_line(int code, const char *out, const char *err, const char *format,
                                    ...) __attribute__((format(printf, 4, 5)));

/* The JSON that a call prints, which must succeed; the caller frees it (json_decref). */
struct json_t *program_json(const char *line, const char *err);
/* The numbers `key` (scores, measured_ns, predicted_ns) of all items that a call of predict gives;
   fails the test unless these are n, in their order. */
void program_scores(double *number, int n, const char *key, const char *line);
/* The member `key`, which is a number. */
double program_number(const struct json_t *j, const char *key);

/* The means of a method in the JSON of train and eval. */
struct json_t *program_mean(const struct json_t *j, const char *method);
/* How often a text has a part. */
int program_count(const char *text, const char *part);

/* XXH3 of a file in test_folder. */
uint64_t program_hash_of(const char *name);
/* Fails the test unless two run folders in test_folder hold the same bytes (times and pages aside).
 */
void program_expect_same(const char *one, const char *two);
/* The whole file and a terminating 0; the caller frees it. */
char *program_text_of(const char *name);
/* Fails the test unless the file, named by a format, is there and has the part. */
void program_expect_in(const char *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void program_write_text(const char *name, const char *text);

/* The call with every `stride`th allocation failing (AUGUR_STRIDE=1 in the environment: every one)
   exits 5 and speaks of memory; more than `least` of them fail. After each, `check` is called
   (NULL: nothing is). */
void program_each_fails(const char *line, int stride, int least, void (*check)(void));

/* A generator that AUGUR_SEED=n in the environment repeats; prints its seed. */
ag_random program_random(void);

#endif
