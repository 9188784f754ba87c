/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_RUN_INTERNAL_H
#define HARNESS_RUN_INTERNAL_H

#include "examples/harness/cli/options_internal.h"

enum { HARNESS_JSONL, HARNESS_CSV, HARNESS_TIMING, HARNESS_ROWS };

struct harness_run {
    const char *folder;
    harness_run_mode mode;
    const char **columns;     /* stb_ds array */
    FILE *rows[HARNESS_ROWS]; /* metrics.jsonl, metrics.csv, timing.jsonl */
    int lock;                 /* of the folder */
    bool made;                /* the folder, which was not there */
};

/* Makes a folder and those above it. Fails: AG_EFILE. */
ag_status harness__make_folder(const char *folder, ag_failure *why);

/* Makes a folder within one of ours. A symbolic link in its place is refused: files written there,
   and files that --force removes, would be somewhere else. */
ag_status harness__make_inner(const char *folder, ag_failure *why);

/* Whether a folder that is there can be written to. Fails: AG_EFILE. */
ag_status harness__check_writable(const char *folder, ag_failure *why);

/* Locks the folder for programs that write to it; *lock is -1 when this fails. how: as flock
   (LOCK_EX | LOCK_NB: for one program). No file is made, and the lock ends with the program,
   however that ends. File systems without such locks keep nobody out, which a warning says. Fails:
   AG_EUSE (another program has it), AG_EFILE. */
ag_status harness__lock_folder(int *lock, const char *folder, int how, ag_failure *why);
/* The same with a file, which it makes and the caller removes while it has the lock: NFS has locks
   between machines for files alone. *lock is also -1 where another program has it, which is no
   failure. Fails: AG_EFILE. */
ag_status harness__lock_file(int *lock, const char *path, ag_failure *why);
/* Fails with AG_EFILE if the locked folder is no longer the one of that name: what is there now
   belongs to somebody else. Call it before files are written by name. */
ag_status harness__folder_stays(int lock, const char *folder, ag_failure *why);
void harness__unlock(int *lock);

ag_status harness__open_metrics(harness_run *run, ag_failure *why);
ag_status harness__close_metrics(harness_run *run, ag_failure *why);

/* Writes the object atomically and frees it; reads one of at most 16 MiB (NULL: AG_EFILE,
   AG_EDATA). */
ag_status harness__save_json(const char *path, struct json_t *object, ag_failure *why);
struct json_t *harness__load_json(const char *path, ag_failure *why);

#endif
