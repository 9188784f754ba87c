/* SPDX-License-Identifier: MIT */
/* Durable replacement of a file, for every writer of the library. */
#ifndef AG_CORE_SAVE_H
#define AG_CORE_SAVE_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `path` hold what write(file, context) writes, or leaves it as it was: a temporary file in
   the same folder, fsync, rename, fsync of the folder. After a crash the old or the new contents
   are there, never a mixture. The mode of an existing file is kept (else 0644 less the umask); a
   symbolic link is replaced, not followed. `write` returns a status; write errors of the stream
   itself (a full disk) are found here. When `write` fails for a reason of its own it fills the same
   `why` through its context. Fails: AG_EFILE, AG_EMEMORY, or what `write` returned; the temporary
   file is removed. A killed process leaves its PATH.PID.N.tmp; the next save removes it. */
ag_status ag__save_file(const char *path, ag_status (*write)(FILE *file, void *context),
                        void *context, ag_failure *why);

/* Removes the files NAME.PID.N.tmp in an open folder whose writers are gone: no process here has
   that id, and nobody anywhere holds the lock that a writer has. name NULL: those of any name. */
void ag__remove_leftovers(int folder, const char *name);

/* The last 200 characters of a path: what fits into a sentence. */
const char *ag__path_tail(const char *path);

#ifdef __cplusplus
}
#endif

#endif
