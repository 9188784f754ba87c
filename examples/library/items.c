/* SPDX-License-Identifier: MIT */
/* The items of a call: arrays become an npz file in memory, which is read as any other. */
#define _GNU_SOURCE /* memfd_create, locks */
#include "core/io/io.h"
#include "core/error.h"
#include "examples/harness/files/files.h"
#include "examples/library/handle.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char in_memory[] = "items";

ag_status library_items_check(const augur_models_items *g, const char *call, ag_failure *why)
{
    if (!g || (!g->path && (!g->array || g->arrays < 1 || g->arrays > 64)))
        return ag_fail(why, AG_EUSE, "%s: %s; give a path, or 1 to 64 arrays", call,
                       g ? "the items have neither a path nor such a number of arrays"
                         : "the items are NULL");
    for (int64_t i = 0; !g->path && i < g->arrays; i++) {
        const augur_models_array *a = &g->array[i];
        if (!a->name || !a->dtype || (a->rank && !a->size) || a->rank < 0 || a->rank > AG_MAX_AXES)
            return ag_fail(
                why, AG_EUSE,
                "%s: array %lld lacks a name, a dtype or sizes, or has %d axes; give all "
                "of them, and 0 to %d axes",
                call, (long long)i, a->rank, AG_MAX_AXES);
    }
    return AG_OK;
}

static ag_status add(ag_npz_writer *to, const augur_models_array *a, ag_failure *why)
{
    static const char words[][3] = {"f4", "f8", "u1", "i1", "i4", "i8"};
    static const ag_dtype types[] = {AG_F32, AG_F64, AG_U8, AG_I8, AG_I32, AG_I64};
    const int count = (int)(sizeof types / sizeof *types);
    int k = 0;
    while (k < count && strcmp(words[k], a->dtype) != 0) k++;
    if (k == count)
        return ag_fail(why, AG_EUSE,
                       "array %.63s: there is no dtype %.20s; give f4, f8, u1, i1, i4 or i8",
                       a->name, a->dtype);
    return ag_npz_add(to, a->name, types[k], a->rank, a->size, a->data, why);
}

static ag_status write_arrays(ag_npz_writer *npz, const augur_models_items *given, FILE *to,
                              ag_failure *why)
{
    ag_npz_level(npz, 1, why);
    for (int64_t i = 0; i < given->arrays && !why->status; i++) add(npz, &given->array[i], why);
    if (why->status || ag_npz_write(npz, to, why) || !(fflush(to) || ferror(to)))
        return why->status;
    return ag_fail(why, AG_EMEMORY, "%s: no memory for a copy of the arrays", in_memory);
}

static ag_status make_file(library_items *items, ag_failure *why)
{
    const int file = memfd_create(in_memory, MFD_CLOEXEC);
    items->file = file < 0 ? NULL : fdopen(file, "w");
    if (!items->file) {
        ag_fail(why, AG_EMEMORY, "%s: no file in memory can be made for the arrays: %s", in_memory,
                strerror(errno));
        if (file >= 0) close(file);
        return why->status;
    }
    snprintf(items->path, sizeof items->path, "/proc/self/fd/%d", file);
    ag_npz_writer *npz = ag_npz_create(in_memory, why);
    if (npz) write_arrays(npz, items->given, items->file, why);
    ag_npz_cancel(npz);
    return why->status;
}

ag_status library_items_open(library_items *items, harness_options *options, ag_failure *why)
{
    const char *path = items->given->path;
    if (!path && make_file(items, why)) return why->status;
    return harness_options_set(options, "items", "data", path ? path : items->path, why);
}

void library_items_close(library_items *items)
{
    if (items->file) fclose(items->file);
    items->file = NULL;
}

/* A group has the name of its file, or that with "/7" after it. */
const char *library_items_name(const library_items *items, const char *group)
{
    const char *base = harness_files_base(items->path);
    const size_t n = strlen(base);
    const bool named = !strncmp(group, base, n) && (!group[n] || group[n] == '/');
    return items->given->path || !named ? group : harness_format("%s%s", in_memory, group + n);
}

static void rename_in(char *text, const library_items *items)
{
    const size_t length = strlen(items->path);
    for (char *at = text; length && (at = strstr(at, items->path)); at++) {
        memmove(at + sizeof in_memory - 1, at + length, strlen(at + length) + 1);
        memcpy(at, in_memory, sizeof in_memory - 1);
    }
}

void library_items_rename(const library_items *items, ag_failure *why)
{
    rename_in(why->sentence, items);
    rename_in(harness_guest_warnings(), items);
}
