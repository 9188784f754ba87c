/* SPDX-License-Identifier: MIT */
/* A maker of rows turns files of one kind into groups of items: the layout configurations of a
   program, the tile sizes of a kernel, fused kernels, the schedules of a task, or the items of a
   file of rows. Only the maker knows what the columns mean; the model knows nothing of loops. */
#ifndef NESTS_MAKER_H
#define NESTS_MAKER_H

#include "examples/harness/cli/options.h"
#include "examples/rows/rows.h"
#include "examples/tpugraphs/tpugraphs.h"

typedef struct nests_group {
    const char *name; /* of the file, without .npz */
    int items, family;
    int program;            /* of nests_data.program, where there are any */
    const int *number;      /* [items] numbers in the file; NULL: 0, 1, ... */
    const int64_t *runtime; /* [items] ns; NULL: not known */
    /* [items] ns, of a second measurement, and of the one that it is compared with. NULL: there is
       none; if a group is a file, manifest.json says how noisy its run times are. */
    const int64_t *second, *first;
    const void *source; /* of the maker */
    int start;          /* the first item in the source, if that has several groups */
} nests_group;

/* Files of one kind in memory. Start from {0}; budget.limit and distinct may be set before they are
   read. */
typedef struct nests_data {
    const struct nests_maker *maker; /* NULL: nothing was read yet */
    tpugraphs_budget budget;
    bool distinct; /* of equal items of a group only the first is kept, if the maker can compare
                      them */
    nests_group *group;
    int groups, families, programs;
    int columns, words; /* of a row, of the table of words */
    int64_t items;      /* of all groups */
    char **family;      /* names */
    char **program;     /* names; NULL: each group is a row of its own of the results */
    uint64_t hash;      /* of all that was read */
    harness_files paths;
    void *own; /* of the maker */
} nests_data;

typedef struct nests_maker {
    const char *name;  /* "layout", "tile", "fusion", "schedule", "rows" */
    const char *items; /* "configurations", "tile sizes", "kernels", "schedules", "items" */
    const char *array; /* which only files of this kind have: "config_feat" */
    bool absolute;     /* 1: run times of different groups are compared, in ns */

    /* Reads files, all of this kind; sets everything but maker, distinct, paths and budget.limit.
       Fails: AG_EFILE, AG_EDATA, AG_EMEMORY, AG_ESTOPPED. */
    ag_status (*read)(nests_data *data, const harness_files *paths, ag_failure *why);
    void (*drop)(nests_data *data);
    /* The rows of n items, item [n] ascending. What `always` counts must not depend on the choice
       of items. Called by one thread at a time for one `rows`; other threads may use others. Fails:
       AG_EDATA, AG_EMEMORY. */
    ag_status (*rows)(nests_rows *rows, const nests_data *data, int group, const int *item, int n,
                      ag_failure *why);
} nests_maker;

extern const nests_maker nests_from_layout, nests_from_tile, nests_from_fusion, nests_from_schedule;
extern const nests_maker nests_from_rows; /* docs/formats/nests.md */

#endif
