/* SPDX-License-Identifier: MIT */
/* Reads the committed golden values: npz files of ours with any number of members, which
   ag_npz_open would refuse. */
#ifndef AG_TESTS_GOLDEN_H
#define AG_TESTS_GOLDEN_H

#include <stdint.h>

typedef struct golden golden;

typedef struct golden_array {
    int rank;
    int64_t size[4], count;
    double *value; /* free with golden_free */
} golden_array;

golden *golden_open(const char *path); /* NULL: not there */
void golden_close(golden *g);

/* Name of member i, without its ending; NULL after the last. */
const char *golden_name(golden *g, int64_t i, char name[100]);
int64_t golden_find(golden *g, const char *name); /* the number of a member; -1: there is none */

/* The member of this name, which is a format, as doubles (stored as float64, float32, int64 or
   int32); value NULL: no such member. */
golden_array golden_read(golden *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void golden_free(golden_array *a);
/* The same as whole numbers, *n of them, to be freed; NULL: no such member. */
int32_t *golden_ints(golden *g, int64_t *n, const char *name, const char *what);

/* Number i of a stream, in [-1,1) and exact in float: inputs and parameters that are not stored
   (tests/golden/README.md). */
double golden_uniform(uint32_t stream, uint32_t i);

#endif
