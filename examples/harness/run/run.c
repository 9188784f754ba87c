/* SPDX-License-Identifier: MIT */
/* The run folder and its config.json. */
#define _GNU_SOURCE
#include "examples/harness/run/run_internal.h"
#include "core/error.h"
#include "examples/harness/base/file.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/files/folder.h"

#include "core/io/io.h"
#include "examples/harness/files/files.h"
#include "examples/harness/machine/device.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the folder has entries: 0 empty, 1 not, -1 it cannot be listed. */
static int occupied(const char *folder)
{
    DIR *dir = opendir(folder);
    int found = 0;
    if (!dir) return -1;
    for (struct dirent *e; !found && (e = readdir(dir));)
        found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return found;
}

/* The files that programs write to a run folder, plots excepted. */
static const char *const files[] = {HARNESS_CONFIG, HARNESS_LAST,    HARNESS_BEST,
                                    HARNESS_REPORT, "metrics.jsonl", "metrics.csv",
                                    "timing.jsonl", "result.json",   "autotune.json"};
enum { FILES = sizeof files / sizeof *files };

bool harness_run_holds(const char *folder, const struct stat *file)
{
    bool found = false;
    for (int i = 0; i < FILES && !found; i++)
        found = harness_files_is(harness_format("%s/%s", folder, files[i]), file);
    return found;
}

/* Removes the files of a run; other files stay. */
static void clear(const char *folder, const char *pictures)
{
    static const char *const plots[] = {"curves", "order", "methods", "times",
                                        "parts",  "tiles", "fusion"};
    static const char *const endings[] = {".tsv", ".gp", ".svg", ".pdf"};
    for (int i = 0; i < FILES; i++) unlink(harness_format("%s/%s", folder, files[i]));
    for (int r = 1; unlink(harness_format("%s/rank-%d.log", folder, r)) == 0;) r++; /* ranks.h */
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
        for (int k = 0; k < 4; k++)
            unlink(harness_format("%s/%s%s", pictures, plots[i], endings[k]));
}

static int has_config(const char *folder)
{
    return access(harness_format("%s/" HARNESS_CONFIG, folder), R_OK) == 0;
}

/* In a folder that held no run, a file with a name of ours may belong to another program. */
static void remove_leftovers(int lock, int was_run)
{
    if (was_run) ag_remove_leftovers(lock, NULL);
    for (int i = 0; !was_run && i < FILES; i++) ag_remove_leftovers(lock, files[i]);
}

/* Whether the contents of the folder fit the mode. */
static ag_status check_contents(const char *folder, harness_run_mode mode, ag_failure *why)
{
    const char *tail = ag_path_tail(folder);
    const int state = occupied(folder);
    if (state < 0)
        return ag_fail(why, AG_EFILE,
                       "the folder %.200s cannot be listed: %s; choose another --out", tail,
                       strerror(errno));
    if (mode == HARNESS_NEW && state > 0)
        return ag_fail(
            why, AG_EUSE,
            "the folder %.200s is not empty; go on with --resume, replace the run with --force, "
            "or choose another --out",
            tail);
    if (mode == HARNESS_RESUME && !has_config(folder))
        return ag_fail(why, AG_EFILE,
                       "the folder %.200s has no readable " HARNESS_CONFIG
                       ", so there is no run to resume; "
                       "check --out, or omit --resume",
                       tail);
    return AG_OK;
}

/* A link or a folder in which pictures cannot be written is found now, but plots/ is made when the
   run begins: a folder that is empty until then can be used again. */
static ag_status check_pictures(const char *folder, ag_failure *why)
{
    struct stat about;
    const char *pictures = harness_format("%s/plots", folder);
    if (lstat(pictures, &about) != 0 || harness__make_inner(pictures, why)) return why->status;
    return harness__check_writable(pictures, why);
}

harness_run_mode harness_mode(const harness_common *common)
{
    return common->resume ? HARNESS_RESUME : common->force ? HARNESS_FORCE : HARNESS_NEW;
}

harness_run *harness_run_open(const char *folder, harness_run_mode mode, ag_failure *why)
{
    int lock = -1;
    const bool made = access(folder, F_OK) != 0;
    if (mode == HARNESS_RESUME && made)
        ag_fail(why, AG_EFILE,
                "the folder %.200s does not exist, so there is no run to resume; "
                "check --out, or omit --resume",
                ag_path_tail(folder));
    if (why->status || harness__make_folder(folder, why) || harness__check_writable(folder, why) ||
        harness__lock_folder(&lock, folder, LOCK_EX | LOCK_NB, why) ||
        check_contents(folder, mode, why) || check_pictures(folder, why)) {
        harness__unlock(&lock);
        return NULL;
    }
    harness_run *run = harness_alloc(sizeof *run);
    *run = (harness_run){
        .folder = harness_format("%s", folder), .mode = mode, .lock = lock, .made = made};
    return run;
}

ag_status harness_run_begin(harness_run *run, const char *const *columns, int count,
                            ag_failure *why)
{
    if (!run) return AG_OK;
    const char *pictures = harness_run_path(run, "plots");
    if (harness_run_stays(run, why) || harness__make_inner(pictures, why)) return why->status;
    remove_leftovers(run->lock, has_config(run->folder));
    if (run->mode == HARNESS_FORCE) clear(run->folder, pictures);
    for (int i = 0; i < count; i++) bag_add(run->columns, columns[i]);
    return harness__open_metrics(run, why);
}

void harness_run_undo(const harness_run *run)
{
    ag_failure gone = {0};
    const char *pictures = harness_run_path(run, "plots");
    if (!run->columns || harness_run_stays(run, &gone)) return;
    clear(run->folder, pictures);
    rmdir(pictures);
}

ag_status harness_run_close(harness_run *run, ag_failure *why)
{
    if (!run) return AG_OK;
    ag_status status = harness__close_metrics(run, why);
    ag_failure gone = {0};
    if (run->made && !harness_run_stays(run, &gone))
        rmdir(run->folder); /* nothing began in it; one that is not empty stays */
    harness__unlock(&run->lock);
    bag_free(run->columns);
    harness_free(run);
    return status;
}

ag_status harness_run_stays(const harness_run *run, ag_failure *why)
{
    return run ? harness__folder_stays(run->lock, run->folder, why) : AG_OK;
}

const char *harness_run_path(const harness_run *run, const char *name)
{
    return harness_format("%s/%s", run->folder, name);
}

ag_status harness_run_config(const harness_run *run, const harness_options *o, ag_failure *why)
{
    if (!run) return AG_OK;
    const char *path = harness_run_path(run, HARNESS_CONFIG);
    const bool goes_on = run->mode == HARNESS_RESUME;
    json_t *config = goes_on ? harness__load_json(path, why)
                             : json_pack("{s:s, s:s, s:s}", "program", o->program->name, "version",
                                         o->program->version, "command",
                                         harness__command_name(o->program, o->command));
    if (!config) return why->status;
    if (!goes_on) harness_device_to_config(config, o);
    json_object_set_new(config, "options", harness_options_json(o));
    const ag_status status = harness__save_json(path, config, why);
    harness_warn_lacks();
    return status;
}

ag_status harness_run_read_config(const char *folder, harness_options *o, int resume,
                                  ag_failure *why)
{
    const char *path = harness_format("%s/" HARNESS_CONFIG, folder);
    json_t *config = harness__load_json(path, why);
    const char *program = json_string_value(json_object_get(config, "program"));
    if (config && (!program || strcmp(program, o->program->name) != 0))
        ag_fail(why, AG_EDATA, "%.200s was not made by %s but by %.40s; name a run folder of %s",
                ag_path_tail(path), o->program->name, program ? program : "something else",
                o->program->name);
    else if (config)
        harness_options_from_json(o, json_object_get(config, "options"), path, resume, why);
    json_decref(config);
    return why->status;
}
