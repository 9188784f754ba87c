/* SPDX-License-Identifier: MIT */
/* Vectors of node classes, which a file brings (docs/formats/tpgnn.md). */
#ifndef TPGNN_VECTORS_H
#define TPGNN_VECTORS_H

#include "examples/tpgnn/data/vocabulary.h"

#include <stddef.h>

enum { TPGNN_VECTOR = 18 }; /* numbers of a vector */

/* The file of examples/data/schedules, which is built in. */
extern const unsigned char tpgnn_vectors_file[];
extern const size_t tpgnn_vectors_bytes;

/* vector [words of class,18]: of each class of the vocabulary its vector in the file; path NULL:
   in the one that is built in. Word 0 gets zeros, and classes that the file does not have do with a
   warning. Fails: AG_EFILE, AG_EDATA (an array, a word or a number that is not as documented),
   AG_EMEMORY. */
ag_status tpgnn_vectors_read(ag_real *vector, const tpgnn_vocabulary *v, const char *path,
                             ag_failure *why);

#endif
