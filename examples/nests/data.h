/* SPDX-License-Identifier: MIT */
/* The files of a call, as their maker reads them, and the items that are trained on or scored. */
#ifndef NESTS_DATA_H
#define NESTS_DATA_H

#include "examples/nests/program.h"

/* Chosen items of each group: those of group g are item[first[g]] to item[first[g + 1] - 1],
   ascending. */
typedef struct nests_items {
    int64_t *first; /* [groups + 1] */
    int *item;
} nests_items;

typedef struct nests_set {
    nests_data data;
    nests_items train, score;
    ag_arena *memory; /* of these */
} nests_set;

/* The data of training and of scores; with --split one set is both. */
typedef struct nests_files {
    nests_set train, other;
    nests_set *scored; /* one of the two; NULL: nothing is scored */
} nests_files;

/* Reads the session's --data and --valid, and splits them; chooses the options that are left to the
   kind of the files. Fails: AG_EUSE (nothing to learn from; kinds that differ), and as
   harness_files_read and the maker. */
ag_status nests_files_train(nests_files *files, nests_settings *settings, ag_failure *why);

/* Reads --data to be scored by the runs: all items of a group or, if the first run was trained on
   it with --split, those that were held out. Fails: as above. */
ag_status nests_files_score(void *files, const harness_runs *runs, const harness_settings *settings,
                            bool known, ag_failure *why);
void nests_files_close(void *files);

/* The function harness_model.files: by the first file of --data. */
const char *nests_files_kind(const harness_settings *settings);
const nests_maker *nests_kind_named(const char *name); /* NULL: there is none */

/* A hash of the group's name and run times, which tells groups apart. */
uint64_t nests_group_hash(const nests_group *group);

static inline int nests_count(const nests_items *items, int group)
{
    return (int)(items->first[group + 1] - items->first[group]);
}
static inline const int *nests_list(const nests_items *items, int group)
{
    return items->item + items->first[group];
}

#endif
