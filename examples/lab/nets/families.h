/* SPDX-License-Identifier: MIT */
/* Families of programs with random sizes; split-family keeps each family together. */
#ifndef LAB_FAMILIES_H
#define LAB_FAMILIES_H

#include "examples/lab/program/program.h"

struct lab_net;

typedef struct lab_family {
    const char *name;                  /* "mlp", "alexnet", ... */
    const char *text;                  /* one line for --help */
    int (*build)(struct lab_net *net); /* returns the output node */
} lab_family;

extern const lab_family lab_families[];
extern const int lab_n_families;

const lab_family *lab_family_find(const char *name); /* NULL: there is none */

/* The work that is assumed to take a millisecond (2e9 a second), on one thread with some unlucky
   layouts. */
enum { LAB_WORK_PER_MS = 2000000 };

/* Builds program `number` of a family, named FAMILY_NUMBER. Its work is enough for `milliseconds`
   at most, and for a quarter of that at least. The same arguments give the same program on any
   machine. p is cleared first. Fails: AG_EUSE (no such family, a number below 0, or no program of
   the family is that small or large). */
ag_status lab_family_program(lab_program *p, const char *family, int number, double milliseconds,
                             ag_failure *why);

#endif
