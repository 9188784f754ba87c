/* SPDX-License-Identifier: MIT */
/* A file that brings its own rows, read and checked (docs/formats/nests.md). */
#ifndef NESTS_ROWS_FILE_H
#define NESTS_ROWS_FILE_H

#include "examples/nests/maker.h"

/* The arrays of a file; all but `group` and `runtime` as they are in it. */
typedef struct nests_rows_file {
    int rows, items;
    int64_t entries;
    float *x;         /* [rows, columns] */
    double *work;     /* [rows] */
    int64_t *first;   /* [items + 1] */
    int32_t *index;   /* [entries] row; NULL: entry e counts row e */
    float *times;     /* [entries] or NULL */
    int64_t *group;   /* [items] or NULL: one group */
    int64_t *runtime; /* [items] or NULL */
} nests_rows_file;

/* Reads raw->path into a zeroed file; always free it. *columns: of its rows; if it is not 0,
   the file must have as many. Fails: AG_EFILE, AG_EDATA, AG_EMEMORY. */
ag_status nests_rows_file_read(nests_rows_file *file, int *columns, tpugraphs_raw *raw,
                               ag_failure *why);
void nests_rows_file_free(nests_rows_file *file);

/* nests_maker.rows of groups whose source is such a file: the rows that items count,
   in that order, each once. */
ag_status nests_table_take(nests_rows *rows, const nests_data *data, int group, const int *item,
                           int n, ag_failure *why);

#endif
