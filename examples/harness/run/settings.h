/* SPDX-License-Identifier: MIT */
/* Rows of the tables of a small program. Larger ones write the options of training themselves,
   since their defaults follow a paper (examples/tpu/options.c). */
#ifndef HARNESS_SETTINGS_H
#define HARNESS_SETTINGS_H

#include "examples/harness/run/model.h"

/* Rows of the struct of options S; with HARNESS_COMMON_OPTIONS and HARNESS_MODEL_OPTIONS they fill
   all of harness_settings but the baselines. */
/* clang-format off */
#define HARNESS_TRAINING_OPTIONS(S) \
    {"steps", HARNESS_FIELD(S, shell.training.steps), "1000", 1, 1e9, \
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Training", .help = "optimizer steps"}, \
    {"learning-rate", HARNESS_FIELD(S, shell.training.learning_rate), "1e-2", 0, 10, \
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Training", .help = "of AdamW, after the warm-up"}, \
    {"warmup", HARNESS_FIELD(S, shell.training.warmup), "0", 0, 1, \
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Training", \
     .help = "share of the steps in which the learning rate rises"}, \
    {"schedule", HARNESS_WORD(S, shell.training.schedule), "cosine", \
     .choices = "constant|cosine|linear", .commands = HARNESS_TRAIN | HARNESS_ABLATE, \
     .group = "Training", .help = "the learning rate after that"}, \
    {"weight-decay", HARNESS_FIELD(S, shell.training.weight_decay), "0", 0, 10, \
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Training", .help = "decoupled, as in AdamW"}, \
    {"eval-every", HARNESS_FIELD(S, shell.training.eval_every), "100", 1, 1e9, \
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Scores", \
     .help = "steps between validations on --valid; the best one's checkpoint is kept"}

/* The commands of a ranking model. */
#define HARNESS_MODEL_COMMANDS \
    {"train", HARNESS_TRAIN, "train a model", NULL, harness_train_command}, \
    {"eval", HARNESS_EVAL, "score a trained model on files with run times", NULL, \
     harness_eval_command}, \
    {"predict", HARNESS_PREDICT, "score items", NULL, harness_predict_command}, \
    {"ablate", HARNESS_ABLATE, "train the variants of a study and compare them", NULL, \
     harness_ablate_command}
/* clang-format on */

#endif
