/* SPDX-License-Identifier: MIT */
/* The manifests of folders and of all folders below them. */
#ifndef LAB_FOLDERS_H
#define LAB_FOLDERS_H

#include "examples/harness/harness.h"
#include "examples/lab/measure/manifest.h"

typedef struct lab_folders {
    lab_manifest **list; /* in the order of their paths */
    int count;
} lab_folders;

/* Fails: AG_EFILE (a path without any manifest), AG_EDATA. Free with lab_folders_free, also after a
   failure. */
ag_status lab_folders_load(lab_folders *f, const harness_paths *paths, ag_failure *why);
void lab_folders_free(lab_folders *f);

#endif
