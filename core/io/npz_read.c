/* SPDX-License-Identifier: MIT */
/* Opening npz files: every claim of the directory and of the npy headers is checked before any
 * value is read. */
#define _GNU_SOURCE /* fmemopen */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/io/npz_file_internal.h"
#include "core/memory.h"

#include <string.h>

ag_status ag__zip_fail(zip_error_t *error, const char *where, ag_failure *why)
{
    int code = zip_error_code_zip(error);
    if (code == ZIP_ER_MEMORY) return ag_fail(why, AG_EMEMORY, "no memory to read %s", where);
    if (code == ZIP_ER_EXISTS)
        return ag_fail(why, AG_EDATA, "%s holds two members of one name; write the file again",
                       where);
    return ag_fail(why, code == ZIP_ER_READ || code == ZIP_ER_SEEK ? AG_EFILE : AG_EDATA,
                   "%s is damaged: %s; copy or download the file again", where,
                   zip_error_strerror(error));
}

int64_t ag__zip_read(void *file, void *out, size_t n)
{
    size_t got = 0;
    while (got < n) {
        int64_t more = zip_fread(file, (char *)out + got, n - got);
        if (more < 0) return more;
        if (more == 0) break;
        got += (size_t)more;
    }
    return (int64_t)got;
}

const char *ag__npz_where(char text[AG__WHERE], const ag_npz *npz, const char *name)
{
    snprintf(text, AG__WHERE, "%s: member %.63s", ag_path_tail(npz->path), name);
    return text;
}

/* The name of an array, if that of the entry is one to which a reader could ask for it. */
static int name_array(char name[AG__NPZ_NAME_MOST + 1], const char *entry)
{
    const size_t n = entry ? strlen(entry) : 0;
    if (n < 5 || n - 4 > AG__NPZ_NAME_MOST || strcmp(entry + n - 4, ".npy")) return 0;
    memcpy(name, entry, n - 4);
    name[n - 4] = 0;
    return ag__plain_name(name, AG__NPZ_NAME_MOST, ' ');
}

/* The claims of the directory, before a member is opened. */
static ag_status check_claims(const zip_stat_t *stat, size_t limit, const char *where,
                              ag_failure *why)
{
    const zip_uint64_t need =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
    if ((stat->valid & need) != need)
        return ag_fail(why, AG_EDATA, "%s: the directory does not tell its size", where);
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
        return ag_fail(why, AG_EDATA,
                       "%s is packed by method %d, but 0 (stored) or 8 (deflated) can be read",
                       where, stat->comp_method);
    if (stat->valid & ZIP_STAT_ENCRYPTION_METHOD && stat->encryption_method != ZIP_EM_NONE)
        return ag_fail(why, AG_EDATA, "%s is encrypted; save it without a password", where);
    if (stat->size / AG__DEFLATE_MOST + (stat->size % AG__DEFLATE_MOST != 0) > stat->comp_size)
        return ag_fail(why, AG_EDATA,
                       "%s claims %llu bytes in %llu packed ones, but at most %d times as many fit",
                       where, (unsigned long long)stat->size, (unsigned long long)stat->comp_size,
                       AG__DEFLATE_MOST);
    if (stat->size > limit)
        return ag_fail(why, AG_EMEMORY, "%s has %llu bytes, but the limit is %zu; raise the limit",
                       where, (unsigned long long)stat->size, limit);
    return AG_OK;
}

static ag_status read_array_header(ag_array_info *info, size_t *header, const ag_npz *npz,
                                   const zip_stat_t *stat, const char *where, ag_failure *why)
{
    zip_file_t *file = zip_fopen_index(npz->zip, stat->index, 0);
    if (!file) return ag__zip_fail(zip_get_error(npz->zip), where, why);
    ag_status status = ag__npy_read_header(info, header, ag__zip_read, file, where, why);
    zip_fclose(file);
    if (status != AG_OK) return status;
    uint64_t wanted = *header + (uint64_t)info->count * ag__npy_stored_bytes(info);
    if (wanted != stat->size)
        return ag_fail(why, AG_EDATA,
                       "%s has %llu bytes, but its header of %zu and %lld values of %s make %llu",
                       where, (unsigned long long)stat->size, *header, (long long)info->count,
                       ag__npy_stored_name(info), (unsigned long long)wanted);
    return AG_OK;
}

/* Reads a member that is passed over, for its CRC: a damaged array must not look like none. */
static ag_status verify_member(const ag_npz *npz, const zip_stat_t *stat, const char *where,
                               ag_failure *why)
{
    char buffer[4096];
    zip_file_t *file = zip_fopen_index(npz->zip, stat->index, 0);
    if (!file) return ag__zip_fail(zip_get_error(npz->zip), where, why);
    int64_t got = 1;
    for (uint64_t at = 0; got > 0 && at <= stat->size; at += (uint64_t)got)
        got = ag__zip_read(file, buffer, sizeof buffer);
    ag_status status = AG_OK;
    if (got < 0) status = ag__zip_fail(zip_file_get_error(file), where, why);
    if (got > 0) status = ag_fail(why, AG_EDATA, "%s is longer than the directory says", where);
    zip_fclose(file);
    return status;
}

/* Takes the member at a place of the directory into the list if it is an array that can be read. */
static ag_status take_member(ag_npz *npz, zip_uint64_t index, size_t limit, ag_failure *why)
{
    char where[AG__WHERE], name[AG__NPZ_NAME_MOST + 1];
    const char *entry = zip_get_name(npz->zip, index, ZIP_FL_ENC_RAW);
    ag_array_info info;
    size_t header;
    zip_stat_t stat;
    if (!name_array(name, entry)) return AG_OK;
    ag__npz_where(where, npz, name);
    if (zip_name_locate(npz->zip, entry, ZIP_FL_ENC_RAW) != (zip_int64_t)index)
        return ag_fail(why, AG_EDATA, "%s holds two members named %s", ag_path_tail(npz->path),
                       name);
    if (zip_stat_index(npz->zip, index, 0, &stat))
        return ag__zip_fail(zip_get_error(npz->zip), where, why);
    ag_failure here = {0};
    ag_status status = check_claims(&stat, limit, where, why);
    if (status != AG_OK) return status;
    status = read_array_header(&info, &header, npz, &stat, where, &here);
    if (status == AG_EDATA) return verify_member(npz, &stat, where, why);
    if (status != AG_OK) return ag_fail(why, status, "%s", here.sentence);
    if (npz->count == AG__NPZ_MEMBERS)
        return ag_fail(why, AG_EDATA, "%s has more than the %d arrays that are read",
                       ag_path_tail(npz->path), AG__NPZ_MEMBERS);
    memcpy(info.name, name, sizeof name);
    npz->info[npz->count] = info;
    npz->entry[npz->count] = index;
    npz->header[npz->count++] = header;
    return AG_OK;
}

ag_status ag_npz_check(ag_npz *npz, const char *name, ag_failure *why)
{
    char where[AG__WHERE], entry[AG__NPZ_NAME_MOST + 5];
    ag_array_info info;
    size_t header;
    zip_stat_t stat;
    if (!npz || !name) return ag__refuse_null(why, "ag_npz_check", npz ? "name" : "npz");
    if (ag_npz_find(npz, name) || !ag__plain_name(name, AG__NPZ_NAME_MOST, ' ')) return AG_OK;
    snprintf(entry, sizeof entry, "%s.npy", name);
    zip_int64_t index = zip_name_locate(npz->zip, entry, ZIP_FL_ENC_RAW);
    if (index < 0 || zip_stat_index(npz->zip, (zip_uint64_t)index, 0, &stat)) return AG_OK;
    return read_array_header(&info, &header, npz, &stat, ag__npz_where(where, npz, name), why);
}

/* Hands the stream to libzip, which closes it from here on, or the bytes that it reads. */
static zip_t *open_zip(FILE *file, const void *memory, int64_t bytes, const char *path,
                       ag_failure *why)
{
    zip_t *zip = NULL;
    zip_error_t error;
    zip_error_init(&error);
    const uint64_t mode = ag__float_mode_enter(); /* libzip divides for its table of names */
    zip_source_t *source = memory ? zip_source_buffer_create(memory, (zip_uint64_t)bytes, 0, &error)
                                  : zip_source_filep_create(file, 0, -1, &error);
    if (memory || !source) fclose(file);
    if (source && !(zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error)))
        zip_source_free(source);
    ag__float_mode_set(mode);
    if (!zip) ag__zip_fail(&error, ag_path_tail(path), why);
    zip_error_fini(&error);
    return zip;
}

/* memory: the bytes of the stream, or NULL: it is one of a file. */
static ag_npz *open_file(FILE *file, const void *memory, int64_t bytes, const char *path,
                         size_t byte_limit, ag_failure *why)
{
    ag_npz *npz = NULL;
    if (ag__npz_check_end(file, bytes, path, why) == AG_OK) {
        npz = ag_alloc(ag_size_add(sizeof *npz, strlen(path) + 1));
        if (!npz) ag_fail(why, AG_EMEMORY, "no memory to open %s", ag_path_tail(path));
    }
    if (!npz) {
        fclose(file);
        return NULL;
    }
    npz->count = 0;
    npz->path = (char *)(npz + 1);
    strcpy(npz->path, path);
    npz->zip = open_zip(file, memory, bytes, path, why);
    ag_status status = npz->zip ? AG_OK : why->status;
    const zip_int64_t count = npz->zip ? zip_get_num_entries(npz->zip, 0) : 0;
    for (zip_int64_t i = 0; status == AG_OK && i < count; i++)
        status = take_member(npz, (zip_uint64_t)i, byte_limit, why);
    if (status == AG_OK) return npz;
    ag_npz_close(npz);
    return NULL;
}

ag_npz *ag_npz_open(const char *path, size_t byte_limit, ag_failure *why)
{
    if (!path) {
        ag__refuse_null(why, "ag_npz_open", "path");
        return NULL;
    }
    int64_t bytes;
    FILE *file = ag__open_regular(path, &bytes, why);
    if (!file) return NULL;
    ag_failure here = {0};
    ag_npz *npz = open_file(file, NULL, bytes, path, byte_limit, &here);
    if (here.status == AG_EDATA) ag__say_mistaken(&here, path, "is a zip archive");
    if (!npz) ag_fail(why, here.status, "%s", here.sentence);
    return npz;
}

ag_npz *ag_npz_open_bytes(const void *bytes, size_t count, const char *name, size_t byte_limit,
                          ag_failure *why)
{
    if (!bytes || !name) {
        ag__refuse_null(why, "ag_npz_open_bytes", bytes ? "name" : "bytes");
        return NULL;
    }
    FILE *file = fmemopen((void *)(uintptr_t)bytes, count ? count : 1, "rb");
    if (file) return open_file(file, bytes, (int64_t)count, name, byte_limit, why);
    ag_fail(why, AG_EMEMORY, "no memory to open %s", ag_path_tail(name));
    return NULL;
}

void ag_npz_close(ag_npz *npz)
{
    if (!npz) return;
    if (npz->zip) zip_discard(npz->zip);
    ag_free(npz);
}

int ag_npz_count(const ag_npz *npz) { return npz ? npz->count : 0; }

const ag_array_info *ag_npz_info(const ag_npz *npz, int index)
{
    return npz && index >= 0 && index < npz->count ? &npz->info[index] : NULL;
}

const ag_array_info *ag_npz_find(const ag_npz *npz, const char *name)
{
    for (int i = 0; npz && name && i < npz->count; i++)
        if (!strcmp(npz->info[i].name, name)) return &npz->info[i];
    return NULL;
}
