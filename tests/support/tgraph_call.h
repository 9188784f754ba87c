/* SPDX-License-Identifier: MIT */
/* Whole calls of the program tgraph, each in a child of its own, on small files. */
#ifndef TEST_TGRAPH_CALL_H
#define TEST_TGRAPH_CALL_H

#include "core/core.h"

typedef struct tgraph_outcome {
    int code; /* -1: it was killed */
    char out[65536], err[16384];
} tgraph_outcome;

/* 0: the children find no gnuplot, which is quicker. */
extern int tgraph_pictures;

/* Words are separated by single spaces; the program runs in test_folder. */
tgraph_outcome tgraph_call(const char *line);

/* The same with the nth allocation failing; 0: none. */
tgraph_outcome tgraph_call_without_memory(const char *line, long nth);

/* Starts a call and sends it a signal as soon as a file in test_folder has so many bytes. */
tgraph_outcome tgraph_call_signal(const char *line, int signal, const char *name, long bytes);

/* Calls and fails the test unless the exit code is `code` and stdout and stderr contain these
   texts. */
tgraph_outcome tgraph_expect(const char *line, int code, const char *out, const char *err);

/* A layout file "name" in test_folder: 12 nodes, 3 of them configurable, `configs` configurations
   (the last repeats the first, in less time) whose run times depend on their digits. kind moves
   the times. */
void tgraph_write_layout(const char *name, int configs, int kind);
/* A tile file with 5 nodes. */
void tgraph_write_tile(const char *name, int configs, int kind);

/* XXH3 of a file in test_folder. */
uint64_t tgraph_hash_of(const char *name);
/* Fails the test unless two run folders in test_folder hold the same bytes (times and pages aside).
 */
void tgraph_expect_same(const char *one, const char *two);
/* The whole file, with a 0 behind it; the caller frees it. */
char *tgraph_text_of(const char *name);

#endif
