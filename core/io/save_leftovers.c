/* SPDX-License-Identifier: MIT */
/* The temporary files of writers that were killed. */
#define _GNU_SOURCE /* openat, fdopendir, flock */
#include "core/io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number as printf writes it, up to INT_MAX; -1 for any other text. Moves *at past it. */
static int number(const char **at)
{
    const char *digit = *at;
    long n = 0;
    while (*digit >= '0' && *digit <= '9' && n <= INT_MAX) n = 10 * n + *digit++ - '0';
    const long digits = digit - *at, zero = digits > 0 && **at == '0';
    *at = digit;
    return digits == 0 || (zero && digits > 1) || n > INT_MAX ? -1 : (int)n;
}

/* The process that wrote NAME.PID.N.tmp, where NAME has n characters; 0 for other names. */
static pid_t writer_at(const char *file, size_t n)
{
    if (file[n] != '.') return 0;
    const char *at = file + n + 1;
    const int pid = number(&at);
    if (pid < 1 || *at++ != '.') return 0;
    const int ordinal = number(&at);
    return ordinal >= 0 && strcmp(at, ".tmp") == 0 ? (pid_t)pid : 0;
}

/* The same for a file of this name, or of any (NULL), which PID.N.tmp then is cut off from. */
static pid_t writer_of(const char *file, const char *name)
{
    if (name) return strncmp(file, name, strlen(name)) == 0 ? writer_at(file, strlen(name)) : 0;
    size_t n = strlen(file);
    for (int dots = 0; dots < 3; dots += file[n] == '.')
        if (n-- == 0) return 0;
    return n > 0 ? writer_at(file, n) : 0;
}

/* A writer holds a lock on its file: one whose id means nothing here may live on another machine or
 * in a container. */
static int abandoned(int folder, const char *file, pid_t writer)
{
    struct stat about;
    if (kill(writer, 0) == 0 || errno != ESRCH) return 0;
    if (fstatat(folder, file, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode)) return 0;
    const int fd = openat(folder, file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return 0;
    const int free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return free;
}

void ag_remove_leftovers(int folder, const char *name)
{
    const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = own < 0 ? NULL : fdopendir(own);
    if (!list) {
        if (own >= 0) close(own);
        return;
    }
    for (struct dirent *e; (e = readdir(list));) {
        const pid_t writer = writer_of(e->d_name, name);
        if (writer && abandoned(folder, e->d_name, writer)) unlinkat(folder, e->d_name, 0);
    }
    closedir(list);
}
