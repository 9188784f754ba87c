/* SPDX-License-Identifier: MIT */
/* Folders that a search has visited, by device and inode, since links may lead to one in many
   ways. */
#ifndef HARNESS_VISITED_H
#define HARNESS_VISITED_H

#include <sys/stat.h>

typedef struct harness_visited harness_visited; /* NULL: none yet */

enum { HARNESS_VISIT_FIRST, HARNESS_VISIT_AGAIN, HARNESS_VISIT_CIRCLE };

/* Enters a folder: for the first time, again, or while the search is still in it or below it. Only
   after HARNESS_VISIT_FIRST must the folder be searched, and left at its end. */
int harness_visit(harness_visited **visited, const struct stat *folder);
void harness_visit_end(harness_visited *visited, const struct stat *folder);
void harness_visited_free(harness_visited *visited);

#endif
