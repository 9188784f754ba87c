/* SPDX-License-Identifier: MIT */
/* Rows of items. The time of an item is a sum over its rows: how often it counts the row, times the
   work of the row, times a factor that a model learns from the row's columns. */
#ifndef NESTS_ROWS_H
#define NESTS_ROWS_H

#include "examples/tpugraphs/tpugraphs.h"

/* The rows of some items of one group. Items may share rows. Start from {0}; a maker fills it again
   and again and reuses its memory. */
typedef struct nests_rows {
    int rows, items;
    float *x;      /* [rows, nests_data.columns] */
    int *word;     /* [rows] below nests_data.words: what is looked up in a table; NULL: nothing */
    double *work;  /* [rows] above 0: iterations, cycles or ns */
    float *always; /* [rows] how often every item counts the row; NULL: none does */
    int *first;    /* [items + 1] */
    int *row;      /* [first[items]] */
    float *times;  /* [first[items]] how often the item counts the row; NULL: once each */
    int *node;     /* [first[items]] the row's node of the graph; NULL: it is not known */
    void *memory;  /* of the maker, who sets `drop` to free it */
    void (*drop)(void *memory);
} nests_rows;

/* For rows whose arrays are bags (harness/base/bag.h). nests_rows_clear empties them, for a maker
   to add rows; nests_rows_free frees them and the maker's memory. */
void nests_rows_clear(nests_rows *rows);
void nests_rows_free(nests_rows *rows);

/* How often an entry counts its row. */
static inline double nests_times(const nests_rows *rows, int entry)
{
    return rows->times ? (double)rows->times[entry] : 1;
}
/* The next multiple of `piece`, for sizes of batches, which then have few shapes. */
static inline int nests_rounded(int64_t n, int piece)
{
    return (int)((n + piece - 1) / piece * piece);
}
/* ln of the sum of times x work of an item and of `alike`, the work that all items count; 0 if
   there is none. */
double nests_log_work(const nests_rows *rows, int item, double alike);
/* The ns of a score that is ln(ns): above 0 and finite, since the scores of an untrained model may
   be of any size. A score that is not finite stays, to be refused. */
double nests_nanoseconds(double score);
/* The work that all items of the group count alike. */
double nests_alike_work(const nests_rows *rows);

#endif
