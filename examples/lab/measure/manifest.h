/* SPDX-License-Identifier: MIT */
/* manifest.json in a folder of measured files: it says on which machine, how and when each file was
   measured. */
#ifndef LAB_MANIFEST_H
#define LAB_MANIFEST_H

#include "examples/harness/harness.h"

#define LAB_MANIFEST "manifest.json"
#define LAB_VERSION  "0.1.0" /* which manifests name */

typedef struct lab_manifest {
    char *folder;
    struct json_t *root; /* kind, machines, programs, files: docs/formats/lab.md */
    int machine;         /* index of this machine and way of measuring */
    int lock;            /* of the folder; -1: it is only read */
} lab_manifest;

/* Facts about this machine, this build and the way of measuring: a JSON object. */
struct json_t *lab_machine(int core, int repeats, int redo, double threshold);
const char *lab_date(char text[32]); /* "2026-11-21T13:49:54Z" */

/* Opens the manifest of a folder, which is made if it does not exist; takes over `machine`. kind:
   "layout", "tile", "fusion"; plan: that of --plan. Until it is freed no other program gets the
   folder. Unfinished files of a killed program are removed. Free it also after a failure.
   Fails: AG_EUSE (a folder with files of another kind or plan, another program), AG_EFILE,
   AG_EDATA. */
lab_manifest *lab_manifest_open(const char *folder, const char *kind, int plan,
                                struct json_t *machine, ag_failure *why);
/* Loads an existing manifest for reading; free it also after a failure. */
lab_manifest *lab_manifest_load(const char *folder, ag_failure *why);
/* The manifests of all folders with .npz files in these folders, each once, in the order of their
   paths: a bag for lab_manifests_free, also after a failure. Fails: AG_EFILE (a file, a path
   without any manifest), AG_EDATA. */
lab_manifest **lab_manifests_load(const harness_paths *paths, ag_failure *why);
void lab_manifests_free(lab_manifest **list);
ag_status lab_manifest_save(const lab_manifest *m, ag_failure *why);
void lab_manifest_free(lab_manifest *m);

const char *lab_manifest_kind(const lab_manifest *m);
/* The value of --plan by which all files of the folder were measured. */
int lab_manifest_plan(const lab_manifest *m);

/* 1 when a file was not dropped and exists; facts: those of the file. */
int lab_manifest_there(const lab_manifest *m, const char *name, const struct json_t *facts);
/* The number of files of a program: of all, of those that were dropped, of those that are there. */
typedef struct lab_files {
    int all, dropped, there;
} lab_files;
lab_files lab_manifest_files(const lab_manifest *m, const char *program);
/* 1 when a program was finished and all its files exist, except those that were dropped. */
int lab_manifest_done(const lab_manifest *m, const char *program);
/* Takes over and records facts of a file, in place of older ones. "program", "machine" and "date"
   are added. */
void lab_manifest_record(lab_manifest *m, const char *name, const char *program,
                         struct json_t *facts);
/* 1 when a file has this hash in its facts. */
int lab_manifest_has(const lab_manifest *m, const char *hash);
/* Forgets a program that was not finished, and its files that no longer exist. */
void lab_manifest_forget(lab_manifest *m, const char *program);

/* Refuses, with AG_EUSE, a program whose files in the folder were made with other options than
   these. The options of the files are in "options" of the program's facts, or directly in these
   facts. */
ag_status lab_manifest_same(const lab_manifest *m, const char *program, struct json_t *options,
                            ag_failure *why);

/* A number rounded to four digits, as JSON; null when it is not finite. */
struct json_t *lab_real(double x);

/* "FOLDER/NAMEtail", until the call ends. */
char *lab_manifest_path(const lab_manifest *m, const char *name, const char *tail);

#endif
