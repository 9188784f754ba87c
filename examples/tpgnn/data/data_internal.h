/* SPDX-License-Identifier: MIT */
/* Declarations for the files that read schedules. The model does not see them. */
#ifndef TPGNN_DATA_PARTS_H
#define TPGNN_DATA_PARTS_H

#include "examples/tpgnn/data/data.h"

/* A file, or arrays instead of one, while it is read. */
typedef struct tpgnn_reading {
    tpugraphs_raw raw;
    tpgnn_task task; /* as it is kept */
    int64_t nodes, stores;
    uint64_t hash;
    uint16_t *kind; /* these are in the task's block */
    float *value, *feature;
    int32_t *parent, *position, *depth, *refers, *store;
    tpgnn_kind *line; /* [lines] of `kinds` */
    uint16_t *number; /* [lines] in the data's list, once they are merged */
    int lines;
    int64_t *offset;                     /* [schedules + 1] first node of each */
    int32_t *given, *children, *scratch; /* [nodes] given: the line of its kind */
    tpgnn_schedule *schedule;            /* [schedules]: borrowed, to be filled */
} tpgnn_reading;

/* Appends what was read as a task; its kinds must have been settled. Fails, and adds nothing:
   AG_EMEMORY. */
ag_status tpgnn_reading_keep(tpgnn_data *data, tpgnn_reading *r, ag_failure *why);
/* Frees what is not kept. */
void tpgnn_reading_end(tpgnn_data *data, tpgnn_reading *r);
/* Makes r->schedule, the arrays of the task and of the reading; schedules, nodes, stores and rows
   of the file must be set. */
ag_status tpgnn_reading_room(tpgnn_data *data, tpgnn_reading *r, ag_failure *why);

/* Cuts a text into lines, and checks them. Fails: AG_EDATA. */
ag_status tpgnn_kinds_cut(const tpgnn_data *data, tpgnn_reading *r, const char *text, int64_t bytes,
                          ag_failure *why);
/* Moves new kinds into the data's list; the file's nodes get indices into that list. */
void tpgnn_kinds_merge(tpgnn_data *data, tpgnn_reading *r);
/* Makes the vocabulary if none is given, and looks up the words of all kinds. */
void tpgnn_kinds_settle(tpgnn_data *data);

/* Finds parents, positions, depths and declarations of the nodes, and gives them to their
   schedules. Fails: AG_EDATA (no tree). */
ag_status tpgnn_trees_find(tpgnn_reading *r, ag_failure *why);

#endif
