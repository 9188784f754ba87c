/* SPDX-License-Identifier: MIT */
/* Files that are written whole or not at all. */
#define _GNU_SOURCE /* fdopen, fsync, fchmod, flock */
#include "core/internal.h"
#include "core/error.h"
#include "core/io/io.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX_BYTES = 64, TRIES = 100 };

const char *ag_path_tail(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    return !path ? "" : n > 200 ? path + n - 200 : path;
}

static const char *advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "make room on the disk or choose another folder";
    case EFBIG: return "raise the limit on the size of files (ulimit -f) or choose another disk";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may read and write";
    case ENOENT:
    case ENOTDIR: return "make its folder first or choose another name";
    case ENAMETOOLONG: return "choose a shorter name";
    case EMFILE:
    case ENFILE: return "close other files and try again";
    default: return "check the disk and try again";
    }
}

static ag_status refuse(ag_failure *why, const char *path, const char *verb, int error)
{
    if (error == ENOMEM)
        return ag_fail(why, AG_EMEMORY,
                       "cannot write %s: there is no memory for it; free some and try again",
                       ag_path_tail(path));
    return ag_fail(why, AG_EFILE, "cannot %s %s: %s; %s", verb, ag_path_tail(path),
                   error ? strerror(error) : "the write was cut short", advice(error));
}

/* ---- calls that a file system does not have: a save does without them ---- */

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

/* Whether a call failed with this error because the file system lacks the call, and not because the
   disk is full or broken; `what` (AG_LACKS_...) is then noted. refused 1: EPERM, EACCES, EBADF and
   EISDIR also count as a lack. */
static int lacks(int what, int error, int refused)
{
    if (!says_lacking(error) && !(refused && says_refused(error))) return 0;
    atomic_fetch_or(&lacking, what);
    return 1;
}

int ag_save_sync(int fd) { return fsync(fd) == 0 || lacks(AG_LACKS_SYNC, errno, 0) ? 0 : -1; }

/* ---- a second file that takes the place of the first ---- */

/* Opens a new file in the folder of path. A name that exists was left by a killed process that had
 * our id: take the next. */
static int open_beside(char *name, const char *path, mode_t mode)
{
    static atomic_uint ordinal;
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        snprintf(name, strlen(path) + SUFFIX_BYTES, "%s.%ld.%u.tmp", path, (long)getpid(),
                 atomic_fetch_add(&ordinal, 1));
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB); /* for ag_remove_leftovers */
    return fd;
}

/* The folder of a file whose name the caller holds in memory that may be written to. */
static int open_folder(char *path)
{
    char *slash = strrchr(path, '/');
    const char *folder = slash == path ? "/" : slash ? path : ".";
    if (slash && slash != path) *slash = 0;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (slash) *slash = '/';
    return fd;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Writes, flushes and closes; the stream is closed on every way out. */
static ag_status fill(int fd, const char *path, ag_status (*write)(FILE *, void *), void *context,
                      ag_failure *why)
{
    FILE *file = fdopen(fd, "wb");
    if (!file) {
        ag_status status = refuse(why, path, "write", errno);
        close(fd);
        return status;
    }
    errno = 0;
    ag_status status = write(file, context);
    if (ferror(file))
        status = refuse(why, path, "write", errno);
    else if (status != AG_OK)
        ag_fail(why, status,
                "cannot write %s: its contents could not be made; what was there stays, try again",
                ag_path_tail(path));
    else if (fflush(file) || ag_save_sync(fd))
        status = refuse(why, path, "write", errno);
    if (fclose(file) && status == AG_OK && !lacks(AG_LACKS_SYNC, errno, 0))
        status = refuse(why, path, "write", errno);
    return status;
}

static ag_status put_copy(FILE *to, void *from)
{
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, from)) > 0;) fwrite(part, 1, n, to);
    return ferror(from) ? AG_EFILE : AG_OK;
}

/* For a file system that cannot rename. */
static ag_status copy(const char *name, const char *path, mode_t mode, ag_failure *why)
{
    FILE *from = fopen(name, "rbe");
    if (!from) return refuse(why, name, "read", errno);
    unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const ag_status status =
        fd < 0 ? refuse(why, path, "write", errno) : fill(fd, path, put_copy, from, why);
    fclose(from);
    unlink(name);
    return status;
}

static ag_status rename_or_copy(const char *name, const char *path, mode_t mode, ag_failure *why)
{
    if (rename(name, path) == 0) return AG_OK;
    return lacks(AG_LACKS_RENAME, errno, 0) ? copy(name, path, mode, why)
                                            : refuse(why, path, "replace", errno);
}

/* Fills a temporary file and renames it. folder: for its fsync, -1 if it cannot be opened. */
static ag_status replace(char *name, const char *path, const struct stat *old, int folder,
                         ag_status (*write)(FILE *, void *), void *context, ag_failure *why)
{
    const mode_t mode = old ? old->st_mode & 0777 : 0644;
    const int fd = open_beside(name, path, mode);
    if (fd < 0) return refuse(why, path, "write", errno);
    ag_status status;
    if (old && fchmod(fd, mode) && !lacks(AG_LACKS_MODES, errno, 1)) {
        status = refuse(why, path, "set the mode of", errno);
        close(fd);
    } else {
        status = fill(fd, path, write, context, why);
    }
    if (status == AG_OK) status = rename_or_copy(name, path, mode, why);
    if (status != AG_OK)
        unlink(name);
    else if (fsync(folder) && !lacks(AG_LACKS_SYNC, errno, 1))
        status = refuse(why, path, "sync the folder of", errno);
    return status;
}

ag_status ag_save_file(const char *path, ag_status (*write)(FILE *file, void *context),
                       void *context, ag_failure *why)
{
    struct stat old;
    if (!path || !write) return ag__refuse_null(why, "ag_save_file", path ? "write" : "path");
    const int exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return ag_fail(why, AG_EFILE,
                       "cannot write %s: it is not a regular file; choose another name",
                       ag_path_tail(path));
    char *name = ag_alloc(ag_size_add(strlen(path), SUFFIX_BYTES));
    if (!name) return refuse(why, path, "write", ENOMEM);
    strcpy(name, path);
    const int folder = open_folder(name);
    ag_remove_leftovers(folder, last_part(path));
    const ag_status status = replace(name, path, exists ? &old : NULL, folder, write, context, why);
    if (folder >= 0) close(folder);
    ag_free(name);
    return status;
}
