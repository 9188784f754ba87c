/* SPDX-License-Identifier: MIT */
#include "core/io/io.h"
#include "examples/harness/harness.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

void harness_warn_lacks(void)
{
    static const struct {
        int what;
        const char *call, *danger;
    } lack[] = {
        {AG_LACKS_SYNC, "flush files to the disk (fsync)",
         "a crash of the machine may lose what was saved last"},
        {AG_LACKS_MODES, "set the mode of files (chmod)", "replaced files may get another one"},
        {AG_LACKS_RENAME, "rename files", "a crash while a file is replaced may lose it"}};
    static int told;
    const int lacks = ag_saves_lack() & ~told;
    told |= lacks;
    for (size_t i = 0; i < sizeof lack / sizeof *lack; i++)
        if (lacks & lack[i].what)
            harness_warn("the file system cannot %s: %s", lack[i].call, lack[i].danger);
}

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
