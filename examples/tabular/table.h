/* SPDX-License-Identifier: MIT */
/* Tables of run times: a CSV file per group, with a line of names, then a line of numbers per item.
   The column "ns", if there is one, is the measured run time; the others are features. Numbers have
   the seven digits of ag_csv_load. */
#ifndef TABULAR_TABLE_H
#define TABULAR_TABLE_H

#include "examples/harness/files/files.h"

typedef struct tabular_table {
    char *name; /* of the file, without folder and .csv */
    int items;
    float *feature; /* [items, features], sign(x) ln(1 + |x|) of the file's numbers */
    int64_t *ns;    /* [items]; NULL: the file has no run times */
    int32_t *rank;  /* [items] dense ranks of ns, or NULL */
} tabular_table;

typedef struct tabular_tables {
    harness_files paths;
    int count, features;
    tabular_table *table; /* [count] */
    char *names;          /* of the features, "unroll,vector" */
    uint64_t hash;        /* of the files' numbers */
} tabular_tables;

/* Reads the files that an option names into zeroed tables; always free them. Fails: AG_EFILE,
   AG_EDATA (contents; files with different features), AG_EMEMORY. */
ag_status tabular_read(tabular_tables *tables, const harness_paths *given, const char *option,
                       ag_failure *why);
void tabular_free(tabular_tables *tables);

/* The files in JSON, for the metadata of a checkpoint; the caller frees it (harness_free). */
char *tabular_json(const tabular_tables *tables);

#endif
