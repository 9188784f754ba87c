/* SPDX-License-Identifier: MIT */
/* Lists of names, each of which is there once. */
#ifndef HARNESS_NAMES_H
#define HARNESS_NAMES_H

#include <stddef.h>

/* An entry of a map (bag.h) from names to numbers, such as their places in a list. */
typedef struct harness_name_at {
    char *key;
    int value;
} harness_name_at;

/* The place in a list (a bag) of the first `length` letters of a name, which is added if it is not
   there. at: the map of the list; both are NULL at first. */
int harness_name_place(char ***list, harness_name_at **at, const char *name, size_t length);
void harness_names_free(char **list, harness_name_at *at);

#endif
