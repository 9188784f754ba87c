/* SPDX-License-Identifier: MIT */
/* Calls that a file system does not have: a save does without them, and a program can ask which. */
#define _GNU_SOURCE /* fsync */
#include "core/io/save_internal.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

enum { KERNEL_ENOTSUPP = 524 }; /* it has no name here, but network file systems let it out */

static atomic_int lacking;

int ag_saves_lack(void) { return atomic_load(&lacking); }

static int says_lacking(int error)
{
    switch (error) {
    case EINVAL:
    case EOPNOTSUPP:
    case ENOSYS:
    case ENOTTY:
    case KERNEL_ENOTSUPP: return 1;
    default: return 0;
    }
}

static int says_refused(int error)
{
    return error == EPERM || error == EACCES || error == EBADF || error == EISDIR;
}

int ag__save_lacks(int what, int error, int refused)
{
    if (!says_lacking(error) && !(refused && says_refused(error))) return 0;
    atomic_fetch_or(&lacking, what);
    return 1;
}

int ag_save_sync(int fd)
{
    return fsync(fd) == 0 || ag__save_lacks(AG_LACKS_SYNC, errno, 0) ? 0 : -1;
}
