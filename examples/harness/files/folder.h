/* SPDX-License-Identifier: MIT */
/* Folders that a program writes to. */
#ifndef HARNESS_FOLDER_H
#define HARNESS_FOLDER_H

#include "core/types.h"

/* Makes a folder and those above it. Fails: AG_EFILE. */
ag_status harness__make_folder(const char *folder, ag_failure *why);

/* Makes a folder within one of ours. A symbolic link in its place is refused: files written there,
   and files that --force removes, would be somewhere else. */
ag_status harness__make_inner(const char *folder, ag_failure *why);

/* Whether a folder that is there can be written to. Fails: AG_EFILE. */
ag_status harness__check_writable(const char *folder, ag_failure *why);

/* Locks the folder for programs that write to it; *lock is -1 when this fails. how: as flock
   (LOCK_EX | LOCK_NB: for one program). No file is made, and the lock ends with the program,
   however that ends. A file system without such locks keeps nobody out, and a warning says so.
   Fails: AG_EUSE (another program has it), AG_EFILE. */
ag_status harness__lock_folder(int *lock, const char *folder, int how, ag_failure *why);
/* The same with a file, since NFS has locks between machines only for files. This makes the file,
   and the caller removes it while it has the lock. If another program has the lock, LOCK_NB gives
   -1 in *lock, which is not a failure; without LOCK_NB the call waits. Fails: AG_EFILE. */
ag_status harness__lock_file(int *lock, const char *path, int how, ag_failure *why);
/* Fails with AG_EFILE if the locked folder is no longer the one of that name: what is there now
   belongs to somebody else. Call it before files are written by name. */
ag_status harness__folder_stays(int lock, const char *folder, ag_failure *why);
void harness__unlock(int *lock);

#endif
