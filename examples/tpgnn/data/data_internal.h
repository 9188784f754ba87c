/* SPDX-License-Identifier: MIT */
/* Declarations that the files that read schedules share and the model does not see. */
#ifndef TPGNN_DATA_PARTS_H
#define TPGNN_DATA_PARTS_H

#include "examples/tpgnn/data/data.h"

/* The memory of a file; its schedules point into these arrays. */
typedef struct tpgnn_file {
    char *name; /* without .npz */
    uint16_t *kind;
    float *value, *feature;
    int32_t *parent, *position, *depth, *refers, *store;
    int64_t nodes, stores;
    uint64_t hash;
    size_t bytes; /* taken from the budget */
} tpgnn_file;

/* Kinds by their text: a table with a power of two of slots, -1: free. */
typedef struct tpgnn_index {
    int32_t *slot;
    size_t room;
} tpgnn_index;

struct tpgnn_data_parts {
    tpgnn_file *file; /* [tasks] */
    tpgnn_index
        kinds;     /* with the scratch small compared with the arrays of a file, so in no budget */
    void *scratch; /* scratch of the functions that add and sort kinds */
    size_t scratch_bytes;
    int file_room, task_room, schedule_room;
    size_t bytes; /* of the lists, taken from the budget */
};

/* The kinds of one file, line by line. */
typedef struct tpgnn_kind_lines {
    tpgnn_kind *kind;
    int count;
} tpgnn_kind_lines;

/* A file that is being read. Its offsets and the arrays of `tree` are freed at its end. */
typedef struct tpgnn_reading {
    tpugraphs_raw raw;
    tpgnn_file *file;
    tpgnn_kind_lines lines;
    int schedules;
    int64_t nodes;
    int64_t *node_offset, *store_offset; /* [schedules + 1] */
    tpgnn_schedule *schedule;            /* [schedules]: borrowed, to be filled */
} tpgnn_reading;

/* The nodes of schedules as they were given, [nodes] each; those of a schedule are consecutive and
   count from its first. */
typedef struct tpgnn_nodes {
    const char *name;                  /* of the file, for sentences */
    const tpgnn_kind *kinds;           /* the file's lines */
    int32_t *line, *children, *refers; /* as given; refers then turns into a node, -1: none */
    float *value;
    int32_t *parent, *position, *depth;
    int32_t *scratch;
} tpgnn_nodes;

/* Reads a file, or arrays instead of one, into r; `from` is the caller's argument. */
typedef ag_status tpgnn_read(tpgnn_data *data, tpgnn_reading *r, const void *from, ag_failure *why);
/* Adds the schedules that `read` gives as one more task, or leaves the data unchanged. The kinds
   must be settled afterwards. */
ag_status tpgnn_data_take(tpgnn_data *data, tpgnn_reading *r, tpgnn_read *read, const void *from,
                          ag_failure *why);
/* data->parts, made at the first call. Fails: AG_EMEMORY. */
ag_status tpgnn_data_parts_make(tpgnn_data *data, ag_failure *why);
/* Room for r->schedules more, in r->schedule. */
ag_status tpgnn_schedules_make(tpgnn_data *data, tpgnn_reading *r, ag_failure *why);
/* Fails when the kinds of all files become too many. */
ag_status tpgnn_kinds_check(const tpgnn_data *data, const tpgnn_reading *r, ag_failure *why);

/* Lines of a text, checked; name: what sentences call its file. Fails: AG_EDATA, AG_EMEMORY. */
ag_status tpgnn_kinds_cut(tpgnn_kind_lines *lines, const char *text, int64_t bytes,
                          const char *name, ag_failure *why);
/* The array `kinds`, checked. Fails: AG_EDATA, AG_EMEMORY. */
ag_status tpgnn_kinds_read(tpgnn_kind_lines *lines, const tpugraphs_raw *raw, ag_failure *why);
void tpgnn_kinds_drop(tpgnn_kind_lines *lines);
/* Reserves room for merge and settle, which cannot fail then. Fails: AG_EMEMORY, and nothing is
   changed. */
ag_status tpgnn_kinds_reserve(tpgnn_data *data, const tpgnn_kind_lines *lines, ag_failure *why);
/* Room for the kinds `most` altogether; 1: no memory. fill: makes the table from the list. */
int tpgnn_index_room(tpgnn_index *index, const tpgnn_kind *kind, int kinds, size_t most);
void tpgnn_index_fill(tpgnn_index *index, const tpgnn_kind *kind, int kinds);
void tpgnn_index_add(tpgnn_index *index, const tpgnn_kind *kind, int i);
int tpgnn_index_find(const tpgnn_index *index, const tpgnn_kind *kind,
                     const char *text); /* -1: it is not there */
/* Moves new kinds into the data's list; the file's nodes then have indices into that list. */
void tpgnn_kinds_merge(tpgnn_data *data, tpgnn_kind_lines *lines, tpgnn_file *file);
/* Sorts the kinds, makes the vocabulary where none is given, and looks up their words. Fails:
   AG_EMEMORY, where none is given; a failure that is in `why` already stays. */
ag_status tpgnn_kinds_settle(tpgnn_data *data, ag_failure *why);
void tpgnn_kinds_look_up(tpgnn_data *data);
void tpgnn_kinds_free(tpgnn_data *data);

/* The nodes from `first` on. */
tpgnn_nodes tpgnn_nodes_part(const tpgnn_nodes *all, int64_t first);
/* Makes room for the results for r->nodes nodes. Fails: AG_EMEMORY. */
ag_status tpgnn_nodes_room(tpgnn_nodes *t, const tpgnn_reading *r, ag_failure *why);
void tpgnn_nodes_free(tpgnn_nodes *t); /* the arrays */
/* Parents, positions, depths and declarations of one schedule. Fails: AG_EDATA (no tree). */
ag_status tpgnn_tree_find(tpgnn_nodes *t, int schedule, int nodes, ag_failure *why);
/* Moves the results, whose arrays become those of the file, to the schedules' nodes. */
ag_status tpgnn_trees_keep(tpgnn_data *data, tpgnn_nodes *t, tpgnn_reading *r, ag_failure *why);

/* The trees: arrays of the file, nodes of the schedules. */
ag_status tpgnn_trees_read(tpgnn_data *data, tpgnn_reading *r, ag_failure *why);
/* The stores: rows, and which of them belong to each schedule. */
ag_status tpgnn_stores_read(tpgnn_data *data, tpgnn_reading *r, ag_failure *why);
/* Run times and the other numbers of the schedules. */
ag_status tpgnn_times_read(tpgnn_reading *r, ag_failure *why);

/* tpugraphs_raw_offsets of the schedules. */
int64_t *tpgnn_offsets_read(const tpgnn_reading *r, const char *name, int64_t end, int least,
                            ag_failure *why);
/* An array of so many integers, each 0 to `most`, as int32. NULL with a sentence; ag_free. */
int32_t *tpgnn_integers_read(const tpugraphs_raw *raw, const char *name, int64_t count,
                             int64_t most, const char *means, ag_failure *why);
/* Fails at the first that is not finite. */
ag_status tpgnn_check_finite(const tpugraphs_raw *raw, const char *name, const float *x,
                             int64_t count, ag_failure *why);
uint64_t tpgnn_hash(uint64_t before, const void *x, size_t count, size_t size);

#endif
