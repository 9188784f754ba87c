/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_RANK_INTERNAL_H
#define HARNESS_RANK_INTERNAL_H

#include "examples/harness/rank/rank.h"

static inline const harness_rank_form *harness__form(const harness_rank *r)
{
    return r->form.row ? &r->form : &harness_rank_plain;
}

/* The number of its measures, `wanted` at most where that is not 0. */
int harness__count(const harness_rank_form *form, int wanted);

/* Means over the rows of a family, and over the families, which weigh alike. */
double harness__mean_of_family(const harness_rank *r, int method, harness_measure measure,
                               int family);
double harness__mean_over_families(const harness_rank *r, int method, harness_measure measure);

/* The methods whose columns are next to each other: the model, and the one that it is compared
   with, if there is any. Returns their number. */
int harness__sides(int side[2], const harness_rank *r);

#endif
