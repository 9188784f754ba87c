/* SPDX-License-Identifier: MIT */
/* The files that a call names. Functions return AG_OK, or record the first failure in `why` (not
   NULL, {0} at the call) and return its status. */
#ifndef HARNESS_FILES_H
#define HARNESS_FILES_H

#include "core/types.h"

#include <stdbool.h>

/* The paths that an option gives. */
typedef struct harness_paths {
    const char **list;
    int count;
} harness_paths;

typedef struct harness_files {
    char **path;
    int count;
} harness_files;

/* Appends a file, every .npz below a folder (all levels, sorted by path), or the paths of a list: a
   file whose name ends in .txt, with a path per line, relative to its folder. Start from {0}.
   Fails: AG_EFILE (no such path, a folder or list that cannot be read or gives no file). */
ag_status harness_files_add(harness_files *paths, const char *path, ag_failure *why);
/* Appends a name as it is. */
void harness_files_name(harness_files *paths, const char *path);
void harness_files_free(harness_files *paths);

/* Appends the files that an option names. A file that is named several times, or by several paths,
   is appended once, with a warning unless `option` (its name) is NULL. Fails: as above. */
ag_status harness_files_read(harness_files *paths, const harness_paths *given, const char *option,
                             ag_failure *why);

/* The I-th of N shares, as --part I/N gives it; text NULL: 1/1. Fails: AG_EUSE. */
typedef struct harness_part {
    int index, count;
} harness_part;
ag_status harness_part_read(harness_part *part, const char *text, ag_failure *why);
/* Lists the files of a share, which is an interval of all files. The lengths of two shares differ
   by at most one. The texts are those of `all`, the list is harness_lasting. Fails: AG_EUSE (a
   share without files). */
ag_status harness_part_cut(harness_paths *to, const harness_files *all, harness_part part,
                           ag_failure *why);

/* Whether the path leads to this file, also by another name or a link. */
struct stat;
bool harness_files_is(const char *path, const struct stat *file);

/* Appends the files of --data in a run of this configuration (the JSON in its checkpoints). A file
   that no longer exists is appended by its name. */
void harness_files_recall(harness_files *paths, const char *configuration);
/* Warns when files of an option have the names (without folders) of files that were trained on. */
void harness_files_warn_trained(const char *option, char *const *path, int count,
                                char *const *trained, int trained_count);

/* harness_files_short: the path, or its end if it is too long for a sentence. harness_files_base:
   the path without folders. */
const char *harness_files_short(const char *path);
const char *harness_files_base(const char *path);
/* Names [count] in the arena: the shortest end of each path (the file, with folders if needed) that
   tells it from the others, without `end` (".npz", or ""). */
char **harness_files_names(ag_arena **arena, char *const *path, int count, const char *end);
/* Fails with AG_EMEMORY: there is no memory for `bytes` bytes of what `name` says. */
ag_status harness_files_no_memory(const char *name, size_t bytes, ag_failure *why);

/* Files of a run folder. */
#define HARNESS_CONFIG "config.json"
#define HARNESS_LAST   "last.safetensors"
#define HARNESS_BEST   "best.safetensors"
#define HARNESS_REPORT "report.html"

#endif
