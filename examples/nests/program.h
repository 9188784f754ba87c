/* SPDX-License-Identifier: MIT */
/* The options and commands of the program `nests`. */
#ifndef NESTS_PROGRAM_H
#define NESTS_PROGRAM_H

#include "examples/harness/model/model.h"
#include "examples/nests/maker.h"

#define NESTS_VERSION "0.1.0"

/* A choice of yes or no that is left to the kind of the files. */
enum { NESTS_OPEN, NESTS_YES, NESTS_NO };

enum { NESTS_MOST_LAYERS = 8, NESTS_MOST_MEMBERS = 16, NESTS_MOST_BAGS = 16 };

/* --fit: the choice for the kind of the files, or one of the choices themselves. */
enum { NESTS_BY_KIND, NESTS_BOTH, NESTS_NETWORK, NESTS_TREES };

typedef struct nests_settings {
    harness_settings harness; /* the options that the harness reads */
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
    int eval_items;
} nests_settings;

extern const harness_program nests_program_table;
extern const harness_model nests_hooks; /* hooks.c: nests as the harness sees it */

extern const char nests_presets[], nests_preset_words[]; /* of studies/presets.ini, by CMake */

/* Sets the options that were left to the kind of the files, as presets.ini says. Fails: AG_EUSE. */
ag_status nests_settle(nests_settings *s, const char *kind, ag_failure *why);

/* Fails with AG_EUSE, for numbers that no command line could give: those of a damaged checkpoint.
 */
ag_status nests_settings_check(const nests_settings *s, ag_failure *why);

#endif
