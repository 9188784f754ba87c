/* SPDX-License-Identifier: MIT */
/* The words that kinds of nodes are made of, field by field, so that a model can look them up. */
#ifndef TPGNN_VOCABULARY_H
#define TPGNN_VOCABULARY_H

#include "core/types.h"

struct json_t;

typedef enum tpgnn_field {
    TPGNN_TYPE,  /* "Call.exp" */
    TPGNN_CLASS, /* the part before its first dot: "Call" */
    TPGNN_LOOP,  /* "serial", ...; "-" where a node has none, here and below */
    TPGNN_DTYPE,
    TPGNN_SCOPE,
    TPGNN_FIELDS
} tpgnn_field;
extern const char *const tpgnn_field_names[TPGNN_FIELDS]; /* "type", "class", ... */

/* Word 0 is "?", for every word that is not in the vocabulary; the others ascend (strcmp). */
typedef struct tpgnn_vocabulary {
    char **word[TPGNN_FIELDS];
    int words[TPGNN_FIELDS]; /* with word 0 */
} tpgnn_vocabulary;

/* Fills an empty field with the distinct words among `count` words, which it sorts. */
void tpgnn_vocabulary_fill(tpgnn_vocabulary *v, tpgnn_field field, const char **word, int count);
/* Index of a word; 0: it is not there. */
int tpgnn_vocabulary_find(const tpgnn_vocabulary *v, tpgnn_field field, const char *word);
void tpgnn_vocabulary_free(tpgnn_vocabulary *v); /* leaves it empty */

/* An object with a list of words for each field, word 0 included; owned by the caller. */
struct json_t *tpgnn_vocabulary_json(const tpgnn_vocabulary *v);
/* Reads the JSON of tpgnn_vocabulary_json into an empty vocabulary; name: its name in sentences.
   Fails, and leaves it empty: AG_EDATA (a field is not a list, or its words do not ascend). */
ag_status tpgnn_vocabulary_read(tpgnn_vocabulary *v, const struct json_t *json, const char *name,
                                ag_failure *why);

/* ---- vectors.c: vectors of node classes, which a file brings (docs/formats/tpgnn.md) ---- */

enum { TPGNN_VECTOR = 18 }; /* numbers of a vector */

/* The file of examples/data/schedules, which is built in. */
extern const unsigned char tpgnn_vectors_file[];
extern const size_t tpgnn_vectors_bytes;

/* vector [words of class,18] gets, for each class of the vocabulary, its vector in the file (path
   NULL: in the one that is built in). Word 0 gets zeros, and so do classes that the file lacks,
   with a warning. Fails: AG_EFILE, AG_EDATA (an array, a word or a number that is not as
   documented), AG_EMEMORY. */
ag_status tpgnn_vectors_read(ag_real *vector, const tpgnn_vocabulary *v, const char *path,
                             ag_failure *why);

#endif
