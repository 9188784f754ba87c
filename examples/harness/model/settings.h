/* SPDX-License-Identifier: MIT */
/* Options that mean the same in all programs, as rows for their tables of options. */
#ifndef HARNESS_SETTINGS_H
#define HARNESS_SETTINGS_H

#include "examples/harness/model/model.h"

/* Rows of training, of the struct of options S. Defaults follow a model's paper, and HELP may quote
   it. */
/* clang-format off */
#define HARNESS_STEPS_OPTION(S, DEFAULT, HELP) \
    {"steps", HARNESS_FIELD(S, harness.training.steps), DEFAULT, 1, 1e9, \
     HARNESS_TRAINS, .flags = HARNESS_MAY_GROW, .often = true, .group = "Training", .help = HELP}
#define HARNESS_RATE_OPTIONS(S, RATE, HELP, WARMUP) \
    {"learning-rate", HARNESS_FIELD(S, harness.training.learning_rate), RATE, 0, 10, \
     HARNESS_TRAINS, .flags = HARNESS_IF_GROWN, .often = true, .group = "Training", .help = HELP}, \
    {"warmup", HARNESS_FIELD(S, harness.training.warmup), WARMUP, 0, 1, \
     HARNESS_TRAINS, .group = "Training", \
     .help = "share of the steps in which the learning rate rises"}
#define HARNESS_SCHEDULE_OPTION(S, DEFAULT, CHOICES) \
    {"schedule", HARNESS_WORD(S, harness.training.schedule), DEFAULT, .choices = CHOICES, \
     .commands = HARNESS_TRAINS, .flags = HARNESS_IF_GROWN, .group = "Training", \
     .help = "the learning rate after the warm-up"}
#define HARNESS_DECAY_OPTIONS(S, RATE, EVERY, HELP) \
    {"decay-rate", HARNESS_FIELD(S, harness.training.decay_rate), RATE, 1e-9, 1, \
     HARNESS_TRAINS, .flags = HARNESS_IF_GROWN, .group = "Training", \
     .needs = "--schedule=exponential", \
     .help = "factor of the learning rate for every --decay-every steps"}, \
    {"decay-every", HARNESS_FIELD(S, harness.training.decay_every), EVERY, 1, 1e9, \
     HARNESS_TRAINS, .flags = HARNESS_IF_GROWN, .group = "Training", .needs = "--schedule=exponential", .help = HELP}
#define HARNESS_WEIGHT_DECAY_OPTION(S, DEFAULT, HELP) \
    {"weight-decay", HARNESS_FIELD(S, harness.training.weight_decay), DEFAULT, 0, 10, \
     HARNESS_TRAINS, .group = "Training", .help = "decoupled weight decay, " HELP}
/* NEEDS: the options that hold something out. */
#define HARNESS_EVAL_EVERY_OPTION(S, DEFAULT, NEEDS, HELP) \
    {"eval-every", HARNESS_FIELD(S, harness.training.eval_every), DEFAULT, 1, 1e9, \
     HARNESS_TRAINS, .often = true, .group = "Scores", .needs = NEEDS, .help = "steps between validations" HELP}

#define HARNESS_SCHEDULES "constant|cosine|linear|exponential" /* with HARNESS_DECAY_OPTIONS */
#define HARNESS_ON_VALID  "; the best one's checkpoint is kept"

/* All rows of training, for a small program. With HARNESS_COMMON_OPTIONS and HARNESS_MODEL_OPTIONS
   they fill all of harness_settings but the baselines. */
#define HARNESS_TRAINING_OPTIONS(S) \
    HARNESS_STEPS_OPTION(S, "1000", "optimizer steps"), \
    HARNESS_RATE_OPTIONS(S, "1e-2", "learning rate of AdamW, after the warm-up", "0"), \
    HARNESS_SCHEDULE_OPTION(S, "cosine", "constant|cosine|linear"), \
    HARNESS_WEIGHT_DECAY_OPTION(S, "0", "as in AdamW"), \
    HARNESS_EVAL_EVERY_OPTION(S, "100", "--valid", HARNESS_ON_VALID)

/* The commands of a ranking model; EVAL and PREDICT say what they score. */
#define HARNESS_RUN_COMMANDS(EVAL, PREDICT) \
    {"train", HARNESS_TRAIN, "train a model", NULL, harness_train_command}, \
    {"eval", HARNESS_EVAL, "score a trained model on " EVAL, NULL, harness_eval_command}, \
    {"predict", HARNESS_PREDICT, "score " PREDICT, NULL, harness_predict_command}
#define HARNESS_INSPECT_COMMAND(FILES) \
    {"inspect", HARNESS_INSPECT, "describe " FILES, "data", harness_inspect_command}
#define HARNESS_ABLATE_COMMAND \
    {"ablate", HARNESS_ABLATE, "train the variants of a study and compare them", NULL, \
     harness_ablate_command}
/* Examples of these commands and of doctor, for --help. LISTS: the beginning of the names of three
   lists of files (train, valid and test); FILE: a file to predict; MODEL: a model that ships, for
   such files; STUDY: a study file. */
#define HARNESS_EXAMPLES(PROGRAM, LISTS, FILE, MODEL, STUDY) \
    PROGRAM " train --data " LISTS ".train.txt --valid " LISTS ".valid.txt --out runs/a\n" \
    PROGRAM " train --out runs/a --resume\n" \
    PROGRAM " train --data " LISTS ".train.txt --valid " LISTS ".valid.txt --out runs/b --seed 1 " \
            "--patience 5\n" \
    PROGRAM " eval --run runs/a --data " LISTS ".test.txt\n" \
    PROGRAM " eval --run runs/a --run runs/b --data " LISTS ".test.txt\n" \
    PROGRAM " eval --model " MODEL " --data " LISTS ".test.txt --no-baselines --json\n" \
    PROGRAM " predict --model " MODEL " --data " FILE "\n" \
    PROGRAM " predict --run runs/a --data " LISTS ".test.txt --csv scores.csv\n" \
    PROGRAM " predict --run runs/a --data " FILE " --json --device auto\n" \
    PROGRAM " inspect " FILE "\n" \
    PROGRAM " inspect " LISTS ".test.txt\n" \
    PROGRAM " inspect --json " FILE "\n" \
    PROGRAM " ablate --study " STUDY " --data " LISTS ".train.txt --valid " LISTS \
            ".valid.txt --out study\n" \
    PROGRAM " ablate --study " STUDY " --data " LISTS ".train.txt --valid " LISTS \
            ".valid.txt --out quick --steps 500\n" \
    PROGRAM " ablate --study " STUDY " --data " LISTS ".train.txt --valid " LISTS \
            ".valid.txt --out study --json --quiet\n" \
    PROGRAM " doctor\n" \
    PROGRAM " doctor --device cuda\n" \
    PROGRAM " doctor --json\n"
/* clang-format on */

#endif
