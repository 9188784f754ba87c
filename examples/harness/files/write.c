/* SPDX-License-Identifier: MIT */
#include "core/io/io.h"
#include "examples/harness/harness.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

ag_status harness_write(const char *path, ag_status (*write)(FILE *to, void *context),
                        void *context, ag_failure *why)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        return ag_save_file(path, write, context, why);
    FILE *to = fopen(path, "w");
    int bad = !to;
    if (to) {
        const ag_status status = write(to, context);
        bad = ferror(to) != 0;
        bad |= fclose(to) != 0;
        if (status) return status;
    }
    if (bad)
        ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; choose another place",
                ag_path_tail(path), strerror(errno));
    return why->status;
}
