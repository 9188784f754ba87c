/* SPDX-License-Identifier: MIT */
/* Whole calls of the program lab, each in a child of its own, in a fresh folder. */
#ifndef TEST_LAB_CALL_H
#define TEST_LAB_CALL_H

#include "core/core.h"

#include <sys/types.h>

typedef struct lab_outcome {
    int code; /* -1: it was killed */
    char out[262144], err[16384];
} lab_outcome;

/* Group set-up and tear-down: makes the folder and goes there; removes all of it. */
int lab_folder_make(void **state);
int lab_folder_remove(void **state);

/* Words are separated by single spaces. The result lives until the next call. */
const lab_outcome *lab_call(const char *line);

/* Calls and fails the test unless the exit code is `code` and stdout and stderr contain these
   texts. */
const lab_outcome *lab_expect(const char *line, int code, const char *out, const char *err);

/* Starts a call that runs while the test continues. */
pid_t lab_start(const char *line);

/* The bytes of a file and a terminating 0; the caller frees. NULL: there is no such file. */
char *lab_file(const char *path, size_t *n);
void lab_file_put(const char *path, const char *text);

#endif
