/* SPDX-License-Identifier: MIT */
/* Whether a folder of results can be written, found out before the work and without making it. */
#define _GNU_SOURCE
#include "examples/harness/run/run_internal.h"

#include "core/io/io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ag_status harness__check_writable(const char *folder, ag_failure *why)
{
    if (access(folder, W_OK | X_OK) == 0) return AG_OK;
    return ag_fail(why, AG_EFILE,
                   "the folder %.200s cannot be written to: %s; choose another --out",
                   ag_path_tail(folder), strerror(errno));
}

/* Cuts the last part of a path off; 0: there is nothing above it. */
static int cut(char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    while (n && path[n - 1] != '/') n--;
    if (!n && strcmp(path, ".") == 0) return 0;
    if (!n)
        strcpy(path, "."); /* a path that is not empty has room */
    else
        path[n > 1 ? n - 1 : 1] = 0;
    return 1;
}

/* The reason why the nearest folder above that exists takes no new folder; 0: it does. */
static int refusal(char *path)
{
    struct stat about;
    while (stat(path, &about) != 0)
        if (errno != ENOENT || !cut(path)) return errno;
    if (!S_ISDIR(about.st_mode)) return ENOTDIR;
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

static ag_status check_makeable(const char *folder, ag_failure *why)
{
    char *path = harness_copy(folder);
    const int reason = refusal(path);
    harness_free(path);
    return reason ? harness__cannot_make(folder, reason, why) : AG_OK;
}

ag_status harness__check_folder(const char *folder, ag_failure *why)
{
    struct stat about;
    if (lstat(folder, &about) != 0) return check_makeable(folder, why);
    return harness__make_folder(folder, why) ? why->status : harness__check_writable(folder, why);
}
