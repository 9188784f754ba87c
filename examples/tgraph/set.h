/* SPDX-License-Identifier: MIT */
/* The files of one call of the program: opened, split, standardised, ready for the model. */
#ifndef TGRAPH_SET_H
#define TGRAPH_SET_H

#include "examples/tgraph/program.h"

typedef struct tgraph_entry {
    tgraph_file *file;
    tgraph_program program;
    uint64_t hash;       /* of the configurations and run times, after de-duplication */
    int train;           /* 1: trained on */
    int score;           /* 1: scored */
    const int32_t *item; /* [items] configurations to score; NULL: all */
    int items;
} tgraph_entry;

/* Start from {0}; the set must not move afterwards. */
typedef struct tgraph_set {
    bool rows;   /* 1: files are opened with the operations that rows are made of */
    bool warned; /* of files with rows that are a guess */
    tpugraphs_budget budget;
    harness_files paths;
    tgraph_entry *entry;
    int count, trained; /* trained: how many are trained on */
} tgraph_set;

/* Adds the files that an option names, with room for their entries, before any is opened. Fails: as
   harness_files_read. */
ag_status tgraph_set_name(tgraph_set *set, const harness_paths *given, const char *option,
                          ag_failure *why);

/* Opens one file as the set's next entry. Fails: as tgraph_file_open. */
tgraph_entry *tgraph_set_open(tgraph_set *set, const char *path, const tgraph_data_options *options,
                              ag_failure *why);
/* Opens a file to score all of its configurations. known: their run times must be known. NULL: it
   failed, or they are not known, and a warning says so. */
tgraph_entry *tgraph_set_open_whole(tgraph_set *set, const char *path, tgraph_data_options options,
                                    bool known, ag_failure *why);
/* Closes the entry that was opened last, and says why (NULL: says nothing). */
void tgraph_set_leave_out(tgraph_set *set, const char *what);

/* Prepares all data of a training run: files and held-out parts. Files that cannot be trained on or
   scored are left out with a warning. Fails if none is left. */
ag_status tgraph_set_train(tgraph_set *set, const tgraph_settings *s, ag_failure *why);

/* Splits the configurations of a file, of which the held-out ones are to be scored. */
ag_status tgraph_entry_hold_out(tgraph_entry *entry, const tgraph_settings *s, ag_failure *why);

/* Makes the model's inputs for each file; may be called again. */
ag_status tgraph_set_programs(tgraph_set *set, const tgraph_options *options, ag_failure *why);

/* Adds rows of the training configurations to the scale, and ends it. */
ag_status tgraph_set_fit_rows(const tgraph_set *set, nests_scale *scale, ag_failure *why);

/* tgraph_set_fit fits a scaler to the training files; tgraph_set_scale standardises all files with
   one. */
void tgraph_set_fit(const tgraph_set *set, tgraph_scaler *scaler);
void tgraph_set_scale(tgraph_set *set, const tgraph_scaler *scaler);

void tgraph_set_close(tgraph_set *set);

/* 1: a part of the file's configurations is for training, and the others are scored. */
static inline int tgraph_entry_split(const tgraph_entry *e) { return e->file->train != NULL; }

/* The configuration at position i of those to score. */
static inline int tgraph_entry_item(const tgraph_entry *e, int i)
{
    return e->item ? e->item[i] : i;
}

#endif
