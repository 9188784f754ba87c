/* SPDX-License-Identifier: MIT */
/* Opens files that are not folders, devices or pipes. */
#define _GNU_SOURCE /* fdopen, O_CLOEXEC */
#include "core/io/npz_internal.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *ag__open_regular(const char *path, int64_t *bytes, ag_failure *why)
{
    struct stat about;
    FILE *file = NULL;
    /* O_NONBLOCK: a pipe must not hang us before fstat tells what it is. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about)) {
        ag_fail(why, AG_EFILE, "cannot open %s: %s", ag_path_tail(path), strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        ag_fail(why, AG_EFILE, "cannot read %s: it is %s, not a regular file", ag_path_tail(path),
                S_ISDIR(about.st_mode) ? "a folder" : "a device or a pipe");
    } else if (about.st_size == 0) {
        ag_fail(why, AG_EDATA, "%s is empty; copy or download it again", ag_path_tail(path));
    } else if (!(file = fdopen(fd, "rb"))) {
        ag_fail(why, AG_EMEMORY, "no memory to open %s", ag_path_tail(path));
    }
    if (file)
        *bytes = (int64_t)about.st_size;
    else if (fd >= 0)
        close(fd);
    return file;
}
