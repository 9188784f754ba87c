/* SPDX-License-Identifier: MIT */
/* Folders that a program writes to: makes them, and keeps other programs out. */
#define _GNU_SOURCE /* flock */
#include "examples/harness/files/folder.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include "core/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static ag_status cannot_make(const char *folder, int reason, ag_failure *why)
{
    return ag_fail(why, AG_EFILE, "the folder %.200s cannot be made: %s; choose another --out",
                   ag_path_tail(folder), strerror(reason));
}

/* Makes one folder whose parent exists. mkdir's errors for an existing folder differ (a read-only
   disk, a folder that may not be written to), so this looks for the folder first. */
static ag_status make_one(const char *folder, int last, ag_failure *why)
{
    struct stat about;
    if (mkdir(folder, 0777) == 0) return AG_OK;
    const int reason = errno;
    if (stat(folder, &about) != 0)
        return cannot_make(folder, reason == EEXIST ? errno : reason, why);
    return !last || S_ISDIR(about.st_mode) ? AG_OK : cannot_make(folder, reason, why);
}

ag_status harness__make_folder(const char *folder, ag_failure *why)
{
    char *path = harness_format("%s", folder), *slash = path;
    while (!why->status && *slash && (slash = strchr(slash + 1, '/'))) {
        *slash = 0;
        make_one(path, 0, why);
        *slash = '/';
    }
    return why->status ? why->status : make_one(path, 1, why);
}

ag_status harness__make_inner(const char *folder, ag_failure *why)
{
    struct stat about;
    if (lstat(folder, &about) == 0 && S_ISLNK(about.st_mode))
        return ag_fail(why, AG_EUSE,
                       "%.200s is a symbolic link, but this program makes that folder itself; "
                       "remove the link, or choose another --out",
                       ag_path_tail(folder));
    return harness__make_folder(folder, why);
}

ag_status harness__check_writable(const char *folder, ag_failure *why)
{
    if (access(folder, W_OK | X_OK) == 0) return AG_OK;
    return ag_fail(why, AG_EFILE,
                   "the folder %.200s cannot be written to: %s; choose another --out",
                   ag_path_tail(folder), strerror(errno));
}

/* Locks what is open; closes it, with *lock -1, if another program has it. */
static void take_lock(int *lock, const char *path, int how)
{
    static bool warned;
    int failed;
    while ((failed = flock(*lock, how)) != 0 && errno == EINTR) {} /* while it waits */
    if (failed && errno == EWOULDBLOCK) {
        harness__unlock(lock);
    } else if (failed && !warned) {
        harness_warn("the file system of %.200s has no locks (%s); start no other program that "
                     "writes to that folder",
                     ag_path_tail(path), strerror(errno));
        warned = true;
    }
}

ag_status harness__lock_folder(int *lock, const char *folder, int how, ag_failure *why)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return ag_fail(why, AG_EFILE,
                       "the folder %.200s cannot be opened: %s; choose another --out",
                       ag_path_tail(folder), strerror(errno));
    take_lock(lock, folder, how);
    if (*lock >= 0) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "another program is writing to the folder %.200s; wait until it has ended, or "
                   "choose another --out",
                   ag_path_tail(folder));
}

/* An open file keeps its inode, so one that is made under its name later has another. Its count of
   links says less: NFS renames a file that is removed while it is open. */
static bool has_name(int file, const char *path)
{
    struct stat held, named;
    if (fstat(file, &held) != 0) return true;
    if (stat(path, &named) != 0) return errno != ENOENT && errno != ENOTDIR;
    return named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

ag_status harness__lock_file(int *lock, const char *path, int how, ag_failure *why)
{
    *lock = -1;
    do { /* again, where the program that had it removed it meanwhile */
        harness__unlock(lock);
        *lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*lock < 0)
            return ag_fail(why, AG_EFILE,
                           "the file %.200s cannot be made: %s; choose another --out",
                           ag_path_tail(path), strerror(errno));
        take_lock(lock, path, how);
    } while (*lock >= 0 && !has_name(*lock, path));
    return AG_OK;
}

ag_status harness__folder_stays(int lock, const char *folder, ag_failure *why)
{
    if (has_name(lock, folder)) return AG_OK;
    return ag_fail(why, AG_EFILE,
                   "the folder %.200s was removed, moved or replaced while this program wrote to "
                   "it; nothing more is written, start again with another --out",
                   ag_path_tail(folder));
}

void harness__unlock(int *lock)
{
    if (*lock >= 0) close(*lock);
    *lock = -1;
}
