/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* fdopen, fsync, fchmod */
#include "core/internal.h"
#include "core/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX_BYTES = 64, TRIES = 100 };

const char *ag__path_tail(const char *path)
{
    size_t n = strlen(path);
    return n > 200 ? path + n - 200 : path;
}

static ag_status refuse(ag_failure *why, const char *path, const char *verb, int error)
{
    if (error == ENOMEM)
        return ag_fail(why, AG_EMEMORY, "no memory to save %s", ag__path_tail(path));
    return ag_fail(why, AG_EFILE, "cannot %s %s: %s", verb, ag__path_tail(path),
                   error ? strerror(error) : "the write was cut short");
}

/* Opens a new file beside path. A name that exists was left by a killed process that had our id:
 * take the next. */
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
    return fd;
}

/* Makes the rename itself durable. A file system that cannot sync a folder says EINVAL; it has
 * nothing better. */
static int sync_folder(char *name)
{
    char *slash = strrchr(name, '/');
    const char *folder = ".";
    if (slash == name)
        folder = "/";
    else if (slash) {
        *slash = 0;
        folder = name;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    int error = fsync(fd) && errno != EINVAL ? errno : 0;
    close(fd);
    errno = error;
    return error ? -1 : 0;
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
        ag_fail(why, status, "cannot write %s", ag__path_tail(path));
    else if (fflush(file) || fsync(fd))
        status = refuse(why, path, "write", errno);
    if (fclose(file) && status == AG_OK) status = refuse(why, path, "write", errno);
    return status;
}

ag_status ag__save_file(const char *path, ag_status (*write)(FILE *file, void *context),
                        void *context, ag_failure *why)
{
    struct stat old;
    int exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return ag_fail(why, AG_EFILE,
                       "cannot write %s: it is not a regular file; choose another name",
                       ag__path_tail(path));
    char *name = ag__alloc(ag__add(strlen(path), SUFFIX_BYTES));
    if (!name) return refuse(why, path, "write", ENOMEM);
    int fd = open_beside(name, path, 0644);
    ag_status status = AG_OK;
    if (fd < 0) {
        status = refuse(why, path, "write", errno);
        ag__free(name);
        return status;
    }
    if (exists && fchmod(fd, old.st_mode & 0777)) {
        status = refuse(why, path, "set the mode of", errno);
        close(fd);
    } else {
        status = fill(fd, path, write, context, why);
    }
    if (status == AG_OK && rename(name, path)) status = refuse(why, path, "replace", errno);
    if (status != AG_OK)
        unlink(name);
    else if (sync_folder(name))
        status = refuse(why, path, "sync the folder of", errno);
    ag__free(name);
    return status;
}
