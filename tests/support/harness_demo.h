/* SPDX-License-Identifier: MIT */
/* The small program that the tests of the harness use. */
#ifndef HARNESS_DEMO_H
#define HARNESS_DEMO_H

#include "examples/harness/harness.h"

typedef struct demo_options {
    harness_common common;
    double learning_rate;
    int steps, loss, size, depth;
    bool edges;
    const char *note;
} demo_options;

enum { DEMO_TRAINS = HARNESS_TRAIN | HARNESS_ABLATE };

static const char demo_sizes[] = "steps = 5000\n"
                                 "[small]\nsteps = 5\nedges = false\ndepth = 4\n"
                                 "[large]\nloss = listmle\n";

static const harness_option demo_table[] = {
    HARNESS_COMMON_OPTIONS(demo_options, common),
    {"learning-rate", HARNESS_FIELD(demo_options, learning_rate), "1e-3", 1e-9, 10, DEMO_TRAINS,
     .group = "Training", .help = "step size after the warm-up"},
    {"steps", HARNESS_FIELD(demo_options, steps), "100", 1, 1e9, DEMO_TRAINS,
     .flags = HARNESS_MAY_CHANGE, .often = true, .group = "Training", .help = "optimizer steps"},
    {"loss", HARNESS_WORD(demo_options, loss), "hinge", .choices = "hinge|logistic|listmle",
     .commands = DEMO_TRAINS, .group = "Training",
     .help = "what training makes small, over all ordered pairs of configurations of one graph"},
    {"edges", HARNESS_FIELD(demo_options, edges), "true", .commands = DEMO_TRAINS, .group = "Model",
     .help = "pass messages along the edges"},
    {"depth", HARNESS_FIELD(demo_options, depth), "2", 1, 9, DEMO_TRAINS, .group = "Model",
     .needs = "--edges and --loss=hinge|logistic or no --edges and tile files",
     .help = "layers that pass messages"},
    {"size", HARNESS_WORD(demo_options, size), "own", .choices = "own|small|large",
     .presets = demo_sizes, .commands = DEMO_TRAINS, .flags = HARNESS_LOCAL, .group = "Training",
     .help = "several options at once"},
    {"note", HARNESS_FIELD(demo_options, note), .commands = HARNESS_TRAIN | HARNESS_EVAL,
     .group = "Run", .help = "text that is kept with the run"},
};

/* The folder of a run that has begun. */
static inline harness_run *demo_run(const char *folder, harness_run_mode mode,
                                    const char *const *columns, int count, ag_failure *why)
{
    harness_run *run = harness_run_open(folder, mode, why);
    if (run && !harness_run_begin(run, columns, count, why)) return run;
    harness_run_close(run, &(ag_failure){0});
    return NULL;
}

/* DEMO_COMMANDS: the test has commands of its own; else they do nothing. */
#ifdef DEMO_COMMANDS
static ag_status demo_train(harness_call *call, ag_failure *why);
static ag_status demo_eval(harness_call *call, ag_failure *why);
#else
static ag_status demo_train(harness_call *call, ag_failure *why) { return why->status; }
static ag_status demo_eval(harness_call *call, ag_failure *why) { return why->status; }
#endif

static const harness_command demo_commands[] = {
    {"train", HARNESS_TRAIN, "train a model", NULL, demo_train},
    {"eval", HARNESS_EVAL, "score a model", NULL, demo_eval},
    {"inspect", HARNESS_INSPECT, "say what files hold", "data", demo_eval},
    {"ablate", HARNESS_ABLATE, "train the variants of a study", NULL, demo_train},
};

static const harness_program demo = {.name = "demo",
                                     .version = "1.2",
                                     .help = "a program for the tests",
                                     HARNESS_TABLES(demo_table, demo_commands),
                                     .options_bytes = sizeof(demo_options),
                                     .examples = "demo train --data d --out r\n"
                                                 "demo eval --run r --data e\n"};

#endif
