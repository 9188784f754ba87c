/* SPDX-License-Identifier: MIT */
/* Opening npz files: every claim of the directory and of the npy headers is checked before any
 * value is read. */
#define _GNU_SOURCE /* fdopen */
#include "core/internal.h"
#include "core/io/npz_file_internal.h"

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

ag_status ag__zip_fail(zip_error_t *error, const char *where, ag_failure *why)
{
    int code = zip_error_code_zip(error);
    if (code == ZIP_ER_MEMORY) return ag_fail(why, AG_EMEMORY, "no memory to read %s", where);
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

int ag__npz_name_fits(const char *name)
{
    size_t n = strlen(name);
    if (n < 1 || n > 63) return 0;
    for (size_t i = 0; i < n; i++)
        if (name[i] < ' ' || name[i] > '~') return 0;
    return 1;
}

static ag_status name_member(ag_npz *npz, const char *file_name, ag_failure *why)
{
    const char *path = ag_path_tail(npz->path);
    char name[AG__NPZ_NAME_MOST + 1] = "";
    size_t n = file_name ? strlen(file_name) : 0;
    if (n > 4 && n - 4 <= AG__NPZ_NAME_MOST && !strcmp(file_name + n - 4, ".npy"))
        memcpy(name, file_name, n - 4);
    if (!ag__npz_name_fits(name))
        return ag_fail(why, AG_EDATA,
                       "%s: the name of member number %d is not 1 to 63 printable ASCII characters "
                       "followed by .npy",
                       path, npz->count);
    if (ag_npz_find(npz, name))
        return ag_fail(why, AG_EDATA, "%s holds two members named %s", path, name);
    memcpy(npz->info[npz->count].name, name, sizeof name);
    return AG_OK;
}

/* The entry of a member in the directory, before it is opened. */
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

static ag_status read_header(ag_npz *npz, int index, uint64_t bytes, const char *where,
                             ag_failure *why)
{
    ag_array_info *info = &npz->info[index];
    zip_file_t *file = zip_fopen_index(npz->zip, (zip_uint64_t)index, 0);
    if (!file) return ag__zip_fail(zip_get_error(npz->zip), where, why);
    ag_status status =
        ag__npy_read_header(info, &npz->header[index], ag__zip_read, file, where, why);
    zip_fclose(file);
    if (status != AG_OK) return status;
    uint64_t wanted = npz->header[index] + (uint64_t)info->count * ag_dtype_bytes(info->dtype);
    if (wanted != bytes)
        return ag_fail(why, AG_EDATA,
                       "%s has %llu bytes, but its header of %zu and %lld values of %s make %llu",
                       where, (unsigned long long)bytes, npz->header[index], (long long)info->count,
                       ag_dtype_name(info->dtype), (unsigned long long)wanted);
    return AG_OK;
}

static ag_status read_directory(ag_npz *npz, size_t limit, ag_failure *why)
{
    int64_t count = zip_get_num_entries(npz->zip, 0);
    if (count > AG__NPZ_MEMBERS)
        return ag_fail(why, AG_EDATA, "%s has %lld members, but at most %d are read",
                       ag_path_tail(npz->path), (long long)count, AG__NPZ_MEMBERS);
    for (int i = 0; i < count; i++) {
        zip_stat_t stat;
        char where[AG__WHERE];
        ag_status status =
            name_member(npz, zip_get_name(npz->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW), why);
        if (status != AG_OK) return status;
        ag__npz_where(where, npz, npz->info[i].name);
        if (zip_stat_index(npz->zip, (zip_uint64_t)i, 0, &stat))
            return ag__zip_fail(zip_get_error(npz->zip), where, why);
        status = check_claims(&stat, limit, where, why);
        if (status == AG_OK) status = read_header(npz, i, stat.size, where, why);
        if (status != AG_OK) return status;
        npz->count++;
    }
    return AG_OK;
}

/* Hands the stream to libzip, which closes it from here on. */
static zip_t *open_zip(FILE *file, const char *path, ag_failure *why)
{
    zip_t *zip = NULL;
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_filep_create(file, 0, -1, &error);
    if (!source)
        fclose(file);
    else if (!(zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error)))
        zip_source_free(source);
    if (!zip) ag__zip_fail(&error, ag_path_tail(path), why);
    zip_error_fini(&error);
    return zip;
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
    ag_npz *npz = NULL;
    if (ag__npz_check_end(file, bytes, path, why) != AG_OK) {
        fclose(file);
        return NULL;
    }
    if (!(npz = ag_alloc(ag_size_add(sizeof *npz, strlen(path) + 1)))) {
        ag_fail(why, AG_EMEMORY, "no memory to open %s", ag_path_tail(path));
        fclose(file);
        return NULL;
    }
    npz->count = 0;
    npz->path = (char *)(npz + 1);
    strcpy(npz->path, path);
    npz->zip = open_zip(file, path, why);
    if (npz->zip && read_directory(npz, byte_limit, why) == AG_OK) return npz;
    ag_npz_close(npz);
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
