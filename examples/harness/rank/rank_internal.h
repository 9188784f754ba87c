/* SPDX-License-Identifier: MIT */
/* Numbers, groups and columns of results, for the files of rank/ that compute or write them. */
#ifndef HARNESS_RANK_INTERNAL_H
#define HARNESS_RANK_INTERNAL_H

#include "examples/harness/rank/rank.h"

/* The number of measures of the form; at most `wanted`, if that is not 0. */
int harness__count(const harness_rank *r, int wanted);

/* Which number: the one of row `of`; an average over all rows; the mean over the rows of family
   `of`; the mean over the families, which weigh alike. */
typedef enum harness_mean {
    HARNESS_ROW,
    HARNESS_MEAN,
    HARNESS_MEDIAN,
    HARNESS_GEOMETRIC,
    HARNESS_FAMILY,
    HARNESS_FAMILIES
} harness_mean;
double harness__number(const harness_rank *r, int method, harness_measure measure,
                       harness_mean mean, int of);

/* How many groups with run times the method has no scores for. */
int harness__lacking(const harness_rank *r, int method);

/* The sum of the rows of a family (-1: of all). */
harness_rank_row harness__sum_rows(const harness_rank *r, int family);

/* The groups that means leave out, as a list, which may be empty. */
struct json_t *harness__left_json(const harness_rank *r);

/* Whether the method is the model, as it is or in part ("TGraph, calibrated"), and no other one. */
bool harness__is_own(const harness_rank *r, int method);
/* The sentence that names the best baseline, if one is better than the model in the first measure;
   else NULL. */
const char *harness__winner(const harness_rank *r);

/* The methods whose columns are next to each other: the model, and the one that it is compared
   with, if there is any. Returns their number. */
int harness__sides(int side[2], const harness_rank *r);

#endif
