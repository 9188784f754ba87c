/* SPDX-License-Identifier: MIT */
/* A training run: schedule, optimizer, metrics, validations, checkpoints, interruption and resume.
   A program says what the loss of a step is, how good its model is, and what a checkpoint holds. */
#ifndef HARNESS_TRAINER_H
#define HARNESS_TRAINER_H

#include "examples/harness/device.h"
#include "examples/harness/fits.h"
#include "optim/optim.h"

/* How to train: the values of options of these names. schedule: as ag_schedule_kind. */
typedef struct harness_training {
    int64_t steps, decay_every, eval_every, save_every, log_every;
    int schedule;
    double learning_rate, warmup, decay_rate, weight_decay, clip;
    bool check_finite;
} harness_training;

/* Where a run stands: with parameters and moments, all that the next step depends on. */
typedef struct harness_state {
    int64_t step;
    double best; /* best validation score so far; NaN: none */
    int64_t best_step;
    double loss_sum; /* of the steps since the last row of metrics */
    int64_t loss_count;
} harness_state;

/* What a program trains. */
typedef struct harness_trainee {
    void *user;
    ag_params *params;
    int64_t seed;              /* of dropout */
    const char *const *scores; /* names of what a validation gives; the first one chooses the best
                                  checkpoint */
    int score_count;
    bool smaller;   /* true: the smallest is the best */
    bool validates; /* false: nothing is held out */

    /* Records the loss of the step after `step` steps; *what: what the step works on, for
       sentences. NULL: `why` says what failed. */
    ag_tensor *(*record)(void *user, ag_tape *tape, int64_t step, const char **what,
                         ag_failure *why);
    /* What the step just recorded works on; NULL: a step without room is told with the library's
       sentence. */
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

/* Makes the run folder, or goes on where its last checkpoint stands; the parameters go to the
   tape's device. Fails: AG_EUSE (options of the schedule; a folder in use; more steps done than
   asked for), and as `load` and ag_params_to. */
ag_status harness_trainer_open(harness_trainer *t, harness_run_mode mode, ag_failure *why);

/* All steps that are left. AG_OK, too, when interrupted (after saving). Fails: AG_EFINITE (a loss
   or gradient; the checkpoints are from before it), and as the program's functions. */
ag_status harness_trainer_run(harness_trainer *t, ag_failure *why);

/* One of them: loss, gradients, clipping, optimizer. */
ag_status harness_trainer_step(harness_trainer *t, ag_failure *why);

/* Saves HARNESS_LAST (everything for --resume) or HARNESS_BEST. */
ag_status harness_trainer_save(harness_trainer *t, const char *name, ag_failure *why);

/* Curves of the loss and of the first score. */
ag_status harness_trainer_plot(const harness_trainer *t, ag_failure *why);

/* Says where the run is, when its report is written. */
void harness_trainer_done(harness_trainer *t);

/* Closes the run folder; a run that was interrupted before it was done says how to go on. */
ag_status harness_trainer_close(harness_trainer *t, ag_failure *why);

#endif
