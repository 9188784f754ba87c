/* SPDX-License-Identifier: MIT */
/* Tests whether a program is the same after it is printed and read. */
#ifndef TESTS_LAB_SAME_H
#define TESTS_LAB_SAME_H

#include "examples/lab/text/text.h"

#include <stdlib.h>
#include <string.h>

/* The text of a program; the caller frees. */
static inline char *lab_text_of(const lab_program *p)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    lab_text_print(out, p);
    fclose(out);
    return text;
}

/* Compares every byte of a node: fields that an op does not use are zero. Names need not be
   equal. */
static inline int lab_same_nodes(const lab_program *a, const lab_program *b)
{
    if (a->n != b->n) return 0;
    for (int i = 0; i < a->n; i++) {
        lab_node x = a->nodes[i], y = b->nodes[i];
        memset(x.name, 0, sizeof x.name);
        memset(y.name, 0, sizeof y.name);
        if (memcmp(&x, &y, sizeof x) != 0) return 0;
    }
    return 1;
}

/* 1 when reading the printed text gives the program and the text again. */
static inline int lab_comes_back(const lab_program *p)
{
    lab_program back;
    char *text = lab_text_of(p), *again = NULL;
    int same = lab_text_read(&back, text, strlen(text), "printed") == AG_OK &&
               lab_same_nodes(p, &back) && !strcmp(p->name, back.name) &&
               !strcmp(p->family, back.family);
    if (same) again = lab_text_of(&back);
    same = same && !strcmp(text, again);
    lab_program_clear(&back);
    free(again);
    free(text);
    return same;
}

#endif
