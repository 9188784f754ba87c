/* SPDX-License-Identifier: MIT */
/* The contents of a TGraph checkpoint besides its parameters (docs/formats.md). */
#ifndef TGRAPH_CHECKPOINT_H
#define TGRAPH_CHECKPOINT_H

#include "examples/tgraph/data/set.h"

/* How the features that the parameters were trained on were made. */
typedef struct tgraph_features {
    int tile, prune, repad, logs;
} tgraph_features;

tgraph_features tgraph_settings_features(const tgraph_settings *s, int tile);

typedef struct tgraph_checkpoint {
    tgraph_options model;
    tgraph_features features;
    tgraph_tile_scalers scalers; /* layout: node alone */
    harness_state progress;
    double split; /* what the run held out of its files, and how it read them */
    int64_t split_seed;
    int dedup;
    char *configuration, *files; /* JSON: all options, and the training files with their hashes */
} tgraph_checkpoint;

void tgraph_checkpoint_free(tgraph_checkpoint *c);

/* The training files with their hashes: JSON, owned by the caller (harness_free). */
char *tgraph_files_json(const tgraph_set *set);

/* 1 if the JSON names a file with the entry's name and hash; 1 if it names such a file, whatever it
   held. */
int tgraph_files_has(const char *files, const tgraph_entry *entry);
int tgraph_files_name(const char *files, const char *name);
int tgraph_files_count(const char *files); /* how many it names */

/* resume 1: with both moments and the step of the optimizer. Fails: as ag_params_save. */
ag_status tgraph_checkpoint_save(const char *path, const tgraph_model *model,
                                 const tgraph_checkpoint *c, int resume, ag_failure *why);

/* Reads a checkpoint, makes the model that it describes and loads it. Start from {0}; free both in
   any case. Fails: AG_EFILE, AG_EDATA, AG_ESHAPE, AG_EFINITE, AG_EMEMORY. */
ag_status tgraph_checkpoint_load(const char *path, tgraph_model *model, tgraph_checkpoint *c,
                                 ag_failure *why);

/* Loads parameters, moments and progress into a model that is there, for --resume. `c` holds what
   the run would store now: other options, features or files are refused. */
ag_status tgraph_checkpoint_resume(const char *path, tgraph_model *model, tgraph_checkpoint *c,
                                   ag_failure *why);

/* Fails when the features of the checkpoint are not those that the options ask for. */
ag_status tgraph_features_check(const char *path, const tgraph_features *stored,
                                const tgraph_features *wanted, ag_failure *why);

#endif
