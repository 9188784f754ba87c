/* SPDX-License-Identifier: MIT */
/* The models of tgraph, tpu, tpgnn and nests, with small files for each: what a test of programs/
   does for one of them it does for all. */
#ifndef TEST_PROGRAM_MODELS_H
#define TEST_PROGRAM_MODELS_H

#include "examples/harness/model/model.h"
#include "program_call.h"

typedef struct program_model {
    const char *name;
    const harness_program *program;
    const char *train;          /* options: files, sizes, items of a step */
    const char *data;           /* a file that is not the first to train on */
    const char *pieces;         /* an option of predict: more or fewer items at a time */
    const char *option, *value; /* of another model */
} program_model;

enum { PROGRAM_MODELS = 9 };
extern const program_model program_models[PROGRAM_MODELS + 1]; /* the last has no name */

#define PROGRAM_QUIET " --threads 1 --quiet --no-baselines"
/* Of a run that is stopped and goes on. */
#define PROGRAM_LONG \
 " --steps 60 --eval-every 20 --save-every 13 --log-every 4 --learning-rate 1e-3" PROGRAM_QUIET

/* Group set-up: test_folder with the files of all models. */
int program_models_make(void **state);

/* The same, with a short run of each model, of its name; goes to test_folder. */
int program_models_train(void **state);

/* The name of the first file that the model trains on; until the next call. */
const char *program_model_first(const program_model *m);

/* Its options after the files. */
const char *program_model_sizes(const program_model *m);

/* 1: the model before it in the table has the same program. */
int program_model_again(const program_model *m);

/* Trains m with more options, and fails the test unless the exit code is `code`. */
program_outcome program_train(const program_model *m, const char *run, const char *more, int code);
/* Goes on with the run to its end. */
void program_resume(const program_model *m, const char *run, const char *more);

/* The options of a command (its bit), read from a line with single blanks between them; the caller
   frees them (harness_options_free). */
harness_options *program_options(const program_model *m, unsigned command, const char *line);

#endif
