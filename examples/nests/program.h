/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `nests`. */
#ifndef NESTS_PROGRAM_H
#define NESTS_PROGRAM_H

#include "examples/harness/run/model.h"
#include "examples/nests/maker.h"

#define NESTS_VERSION "0.1.0"

enum { NESTS_PART_AUTO, NESTS_PART_ALL };
/* A choice of yes or no that is left to the kind of the files. */
enum { NESTS_OPEN, NESTS_YES, NESTS_NO };

enum { NESTS_MOST_LAYERS = 8, NESTS_MOST_MEMBERS = 16, NESTS_MOST_BAGS = 16 };

/* Options whose default depends on the kind of the files are NESTS_AUTO, until nests_settle has put
   a value in their place. */
enum { NESTS_AUTO = -1 };

typedef struct nests_settings {
    harness_settings shell; /* the options that the harness reads */
    int fit;
    /* the network */
    int hidden, layers, members, flags;
    double dropout;
    /* the trees */
    int trees, bags, depth, least_leaf;
    double tree_columns, tree_rate, share;
    /* training */
    int groups, items, spread;
    double huber, order, top;
    /* data and scores */
    double split;
    int64_t split_seed, least;
    int part, eval_items;
} nests_settings;

extern const harness_program nests_program_table;
extern const harness_model nests_shell; /* shell.c: nests as the harness sees it */

/* Chooses what was left to the kind of the files. */
void nests_settle(nests_settings *s, const nests_defaults *d);

/* Fails with AG_EUSE, for numbers that no command line could give: those of a damaged checkpoint.
 */
ag_status nests_settings_check(const nests_settings *s, ag_failure *why);

#endif
