/* SPDX-License-Identifier: MIT */
/* A training run: schedule, optimizer, metrics, validations, checkpoints, interruption and resume.
   A program supplies the loss of a step, the validation scores of its model, and the contents of a
   checkpoint. */
#ifndef HARNESS_TRAINER_H
#define HARNESS_TRAINER_H

#include "examples/harness/machine/device.h"
#include "examples/harness/machine/fits.h"
#include "optim/optim.h"

/* Training settings: the values of options of these names. schedule: as ag_schedule_kind. */
typedef struct harness_training {
    int64_t steps, decay_every, eval_every, save_every, log_every;
    int schedule;
    double learning_rate, warmup, decay_rate, weight_decay, clip;
    bool check_finite;
} harness_training;

/* The state of a run: with parameters and moments, all that the next step depends on. */
typedef struct harness_state {
    int64_t step;
    double best; /* best validation score so far; NaN: none */
    int64_t best_step;
    double loss_sum; /* of the steps since the last row of metrics */
    int64_t loss_count;
} harness_state;

/* The functions and settings of a program that trains. */
typedef struct harness_trainee {
    void *user;
    ag_params *params;
    int64_t seed;              /* of dropout */
    const char *const *scores; /* names; the first one chooses the best checkpoint */
    int score_count;
    bool smaller;   /* true: the smallest is the best */
    bool validates; /* false: nothing is held out */

    /* Records the loss of the step after `step` steps; *what: the work of the step, for sentences.
       NULL: the failure is in `why`. */
    ag_tensor *(*record)(void *user, ag_tape *tape, int64_t step, const char **what,
                         ag_failure *why);
    /* The work of the step just recorded; NULL: a step that does not fit is reported with the
       library's sentence. */
    harness_portion (*portion)(void *user);
    ag_status (*validate)(void *user, double *scores, ag_failure *why);
    ag_status (*save)(void *user, const char *path, int resume, ag_failure *why);
    ag_status (*load)(void *user, const char *path, ag_failure *why); /* for --resume */
} harness_trainee;

enum { HARNESS_MOST_SCORES = 12 };

/* Start from {0}, with the fields of the first group filled. */
typedef struct harness_trainer {
    const harness_training *how;
    const harness_options *options;
    const char *folder;
    harness_trainee of;
    harness_state *state; /* zeroed but for best, NaN */
    ag_tape *tape;        /* of harness_tape_new; the caller's */

    harness_run *run;
    ag_adamw adamw;
    ag_schedule schedule;
    double rate, norm;
    bool done; /* the report is written */
    harness_progress bar;
    char note[96];
} harness_trainer;

/* Makes the run folder, or continues from its last checkpoint; the parameters move to the tape's
   device. Fails: AG_EUSE (options of the schedule; a folder in use; more steps done than asked
   for), and as `load` and ag_params_to. */
ag_status harness_trainer_open(harness_trainer *t, harness_run_mode mode, ag_failure *why);

/* Runs all remaining steps. Fails: AG_ESTOPPED (interrupted; it has saved), AG_EFINITE (a loss or
   gradient; the checkpoints are from before it), and as the program's functions. */
ag_status harness_trainer_run(harness_trainer *t, ag_failure *why);

/* Runs one of them: loss, gradients, clipping, optimizer. */
ag_status harness_trainer_step(harness_trainer *t, ag_failure *why);

/* Saves HARNESS_LAST (everything for --resume) or HARNESS_BEST. */
ag_status harness_trainer_save(harness_trainer *t, const char *name, ag_failure *why);

/* Curves of the loss and of the first score. */
ag_status harness_trainer_plot(const harness_trainer *t, ag_failure *why);

/* Marks the run as done and prints where it is, after its report is written. */
void harness_trainer_done(harness_trainer *t);

/* Closes the run folder; an interrupted run prints how to continue it. */
ag_status harness_trainer_close(harness_trainer *t, ag_failure *why);

#endif
