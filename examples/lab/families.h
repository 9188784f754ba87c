/* SPDX-License-Identifier: MIT */
/* Families of programs with random sizes: the unit of the "manual" split. */
#ifndef LAB_FAMILIES_H
#define LAB_FAMILIES_H

#include "examples/lab/program.h"

typedef struct lab_family {
    const char *name; /* "mlp", "alexnet", ... */
    const char *text; /* one line for --help */
    /* size 0..1 scales widths and depths, seed draws them. */
    void (*build)(lab_program *p, double size, uint64_t seed);
} lab_family;

extern const lab_family lab_families[];
extern const int lab_n_families;

/* Program `number` of a family: its name is FAMILY_NUMBER; work is held between the limits (sum
   over nodes of elements touched and multiply-adds), so that a run takes about `milliseconds`. 0 or
   a sentence in why. */
ag_status lab_family_program(lab_program *p, const char *family, int number, double milliseconds,
                             ag_failure *why);

#endif
