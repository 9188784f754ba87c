/* SPDX-License-Identifier: MIT */
/* A program: its options and its commands. */
#ifndef HARNESS_PROGRAM_H
#define HARNESS_PROGRAM_H

#include "examples/harness/cli/options.h"

struct harness_command;

typedef struct harness_call {
    const struct harness_program *program;
    const struct harness_command *command;
    harness_options *options;
    void *values;             /* the program's struct of options, filled */
    const char *command_line; /* as typed, quoted for a shell */
    struct ag_ranks *ranks;   /* of training under a launcher of MPI; NULL: one process */
    bool agreed;              /* all ranks know that one was interrupted */
} harness_call;

typedef struct harness_command {
    const char *name;
    unsigned bit;
    const char *help;       /* one sentence without full stop */
    const char *positional; /* the option that takes bare arguments ("data"), or NULL */
    ag_status (*run)(harness_call *call, ag_failure *why);
} harness_command;

typedef struct harness_program {
    const char *name, *version;
    const char *help; /* a description of the program: one or two sentences */
    const harness_option *options;
    int option_count;
    const harness_command *commands;
    int command_count;
    size_t options_bytes;
    const struct harness_model *model; /* of a program with the commands of model.h; else NULL */
    const char *moved;    /* for runs of earlier versions: where their models are now; or NULL */
    const char *examples; /* lines "PROGRAM COMMAND ...", at most three of a command; or NULL */
} harness_program;

/* Fills a program's tables from two arrays. */
#define HARNESS_TABLES(OPTIONS, COMMANDS)                                     \
 .options = OPTIONS, .option_count = (int)(sizeof OPTIONS / sizeof *OPTIONS), \
 .commands = COMMANDS, .command_count = (int)(sizeof COMMANDS / sizeof *COMMANDS)

#endif
