/* SPDX-License-Identifier: MIT */
/* Keeps the outputs of networks in files, and takes them from there. */
#include "examples/harness/model/outputs.h"

#include "autograd/autograd.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* ---- what the values depend on ---- */

static void mix(harness_outputs *o, const void *bytes, size_t count)
{
    o->key = (int64_t)XXH3_64bits_withSeed(bytes, count, (uint64_t)o->key);
}

static void mix_text(harness_outputs *o, const char *text)
{
    mix(o, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* A file that cannot be read as a whole gives another key. */
static ag_status mix_run(harness_outputs *o, const char *path, ag_failure *why)
{
    char block[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return ag_fail(why, AG_EFILE, "%.200s cannot be opened again; was it moved?",
                       harness_files_short(path));
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) mix(o, block, n);
    fclose(file);
    return AG_OK;
}

/* Its name and size, since a call reads only the files of its own share. */
static void mix_file(harness_outputs *o, const char *path)
{
    struct stat about = {0};
    stat(path, &about);
    mix_text(o, path);
    mix(o, &about.st_size, sizeof about.st_size);
}

ag_status harness_outputs_open(harness_outputs *o, const harness_runs *runs,
                               const harness_program *program, const harness_options *options,
                               const harness_files *all, ag_failure *why)
{
    mix_text(o, program->name);
    mix_text(o, program->version);
    for (int i = 0; i < runs->count && !why->status; i++) mix_run(o, runs->run[i].path, why);
    for (int i = 0; i < all->count; i++) mix_file(o, all->path[i]);
    for (int i = 0; i < program->option_count; i++) {
        const harness_option *option = &program->options[i];
        if (strcmp(harness_option_group(option), "Scores") == 0 &&
            option->commands & HARNESS_PREDICT)
            mix_text(o, harness_option_text(options, option));
    }
    return why->status;
}

/* Room for `count` values, of which the new ones are 0. */
static void make_room(harness_outputs *o, int64_t count)
{
    if (o->value && count <= o->room) return;
    o->value = harness_grow(o->value, ag_size_mul(2 * (size_t)count, sizeof *o->value));
    memset(o->value + o->room, 0, (size_t)(2 * count - o->room) * sizeof *o->value);
    o->room = 2 * count;
}

static void append(harness_outputs *o, const ag_real *value, int64_t count)
{
    make_room(o, o->count + count);
    memcpy(o->value + o->count, value, (size_t)count * sizeof *value);
    o->count += count;
}

const ag_real *harness_outputs_of(harness_outputs *o, ag_tape *tape, ag_tensor *y, int64_t count)
{
    if (o && !o->to) {
        make_room(o, o->taken + count); /* harness_outputs_check refuses more than there are */
        o->taken += count;
        return ag_failed(tape) ? NULL : o->value + (o->taken - count);
    }
    ag_forward(y);
    const ag_real *value = ag_values(y);
    if (o && value) append(o, value, count);
    return value;
}

ag_status harness_outputs_check(const harness_outputs *o, ag_failure *why)
{
    if (o->to || o->taken == o->count) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "--scores: the files hold %lld scores, but --data has %lld items to score; make "
                   "them again, since the data have changed",
                   (long long)o->count, (long long)o->taken);
}

void harness_outputs_free(harness_outputs *o)
{
    ag_npz_cancel(o->to);
    harness_free(o->value);
    *o = (harness_outputs){0};
}

/* ---- files: `share`, which says of what they are, and an array per run ---- */

static const char *name_of(int run) { return harness_format("run-%d", run + 1); }

ag_status harness_outputs_keep(harness_outputs *o, const char *path, harness_part part,
                               ag_failure *why)
{
    const int64_t share[] = {o->key, part.index, part.count}, three = 3;
    o->to = ag_npz_create(path, why);
    return o->to ? ag_npz_add(o->to, "share", AG_I64, 1, &three, share, why) : why->status;
}

ag_status harness_outputs_end_run(harness_outputs *o, int run, ag_failure *why)
{
    const int64_t count = o->count;
    if (!o->to) return AG_OK;
    for (int64_t i = 0; i < count; i++)
        if (!isfinite((double)o->value[i]) && !o->spoiled) o->spoiled = run + 1;
    o->count = 0;
    return ag_npz_add(o->to, name_of(run), AG_F32, 1, &count, o->value, why);
}

ag_status harness_outputs_save(harness_outputs *o, ag_failure *why)
{
    ag_npz_writer *to = o->to;
    if (o->spoiled)
        return ag_fail(why, AG_EFINITE,
                       "--scores: run %d of this call gives scores that are not finite to items "
                       "that scores are calibrated by; it is of no use, choose another checkpoint",
                       o->spoiled);
    o->to = NULL;
    if (!ag_npz_finish(to, why)) harness_warn_lacks();
    return why->status;
}

/* Puts the file into the place of its share, of `count`. */
static ag_status place(const char **file, int count, const char *path, int64_t key, ag_failure *why)
{
    ag_shape three = AG_SHAPE(3);
    int64_t *share = ag_npz_load(path, "share", AG_I64, &three, why);
    if (!share) return why->status;
    const long long index = share[1], of = share[2];
    if (share[0] != key || index < 1 || index > of)
        ag_fail(why, AG_EUSE,
                "--scores: %.200s was made with another --run, --data or option of the scores, or "
                "another version; make all shares with those of this call",
                harness_files_short(path));
    else if (of != count)
        ag_fail(why, AG_EUSE,
                "--scores: %.200s is share %lld/%lld, but %d file%s named; name one of each share",
                harness_files_short(path), index, of, count, count == 1 ? " is" : "s are");
    else if (file[index - 1])
        ag_fail(why, AG_EUSE, "--scores: %.160s and %.160s are both share %lld/%lld; name one",
                harness_files_short(file[index - 1]), harness_files_short(path), index, of);
    else
        file[index - 1] = path;
    ag_free(share);
    return why->status;
}

static ag_status read_run(harness_outputs *o, const char *path, int run, ag_failure *why)
{
    ag_shape any = AG_SHAPE(0);
    ag_real *value = ag_npz_load(path, name_of(run), AG_F32, &any, why);
    for (int i = 0; value && i < any.size[0] && !why->status; i++)
        if (!isfinite((double)value[i]))
            ag_fail(why, AG_EDATA, "--scores: %.200s: value %d of %s is %g; make the file again",
                    harness_files_short(path), i, name_of(run), (double)value[i]);
    if (!why->status) append(o, value, any.size[0]);
    ag_free(value);
    return why->status;
}

ag_status harness_outputs_take(harness_outputs *o, const harness_paths *given, int runs,
                               ag_failure *why)
{
    const char **file = HARNESS_NEW(file, given->count);
    for (int i = 0; i < given->count && !why->status; i++)
        place(file, given->count, given->list[i], o->key, why);
    for (int r = 0; r < runs; r++)
        for (int i = 0; i < given->count && !why->status; i++) read_run(o, file[i], r, why);
    harness_free(file);
    return why->status;
}
