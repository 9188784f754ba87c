/* SPDX-License-Identifier: MIT */
/* Files of results must not replace what the call reads. */
#define _GNU_SOURCE
#include "examples/harness/base/base.h"
#include "core/error.h"
#include "examples/harness/run/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ag_status refuse(const char *option, const char *output, const char *what, const char *of,
                        ag_failure *why)
{
    return ag_fail(why, AG_EUSE,
                   "--%s: %.200s is %s %.160s, which would be lost; choose another name", option,
                   harness_files_short(output), what, of);
}

static ag_status check_data(const char *option, const char *output, const struct stat *about,
                            const harness_paths *data, ag_failure *why)
{
    harness_files files = {0};
    for (int i = 0; i < data->count && !why->status; i++)
        if (harness_files_is(data->list[i], about)) /* it may be a list */
            refuse(option, output, "a file of", "--data", why);
        else
            harness_files_add(&files, data->list[i], why);
    for (int i = 0; i < files.count && !why->status; i++)
        if (harness_files_is(files.path[i], about))
            refuse(option, output, "a file of", "--data", why);
    harness_files_free(&files);
    return why->status;
}

/* Whether the file can be written when all is computed: in place, or by a new file in its folder
   that takes its name. */
static ag_status check_place(const char *option, const char *output, ag_failure *why)
{
    struct stat about;
    const bool there = stat(output, &about) == 0;
    const char *slash = strrchr(output, '/'),
               *folder = slash ? harness_format("%.*s/.", (int)(slash - output), output) : ".";
    int reason = 0;
    if (there && S_ISDIR(about.st_mode))
        reason = EISDIR;
    else if (there && !S_ISREG(about.st_mode) ? access(output, W_OK) : access(folder, W_OK | X_OK))
        reason = errno;
    if (!reason) return AG_OK;
    return ag_fail(why, AG_EFILE, "--%s: %.200s cannot be written: %s; %schoose another place",
                   option, harness_files_short(output), strerror(reason),
                   reason == ENOENT ? "make its folder first, or " : "");
}

ag_status harness_files_check_output(const char *option, const char *output,
                                     const harness_paths *data, const char *run,
                                     const harness_paths *more_runs, ag_failure *why)
{
    struct stat about;
    if (!output || check_place(option, output, why)) return why->status;
    if (stat(output, &about) || !S_ISREG(about.st_mode)) return AG_OK;
    for (int i = -1; i < more_runs->count && !why->status; i++) {
        const char *folder = i < 0 ? run : more_runs->list[i];
        if (harness_run_holds(folder, &about))
            refuse(option, output, "a file of the run", folder, why);
    }
    return why->status ? why->status : check_data(option, output, &about, data, why);
}
