/* SPDX-License-Identifier: MIT */
/* One array in a file of its own. */
#include "core/internal.h"
#include "core/io/npz_file_internal.h"

#include <string.h>

typedef struct array {
    ag_dtype dtype;
    int rank;
    const int64_t *size;
    const void *data;
    int64_t count;
} array;

static ag_status write_array(FILE *file, void *context)
{
    const array *a = context;
    char header[AG__NPY_WRITTEN_MOST];
    fwrite(header, 1, ag__npy_format(header, a->dtype, a->rank, a->size), file);
    if (a->count) fwrite(a->data, ag_dtype_bytes(a->dtype), (size_t)a->count, file);
    return AG_OK;
}

ag_status ag_npy_save(const char *path, ag_dtype dtype, int rank, const int64_t *size,
                      const void *data, ag_failure *why)
{
    if (!path) return ag__refuse_null(why, "ag_npy_save", "path");
    array a = {dtype, rank, size, data, 0};
    ag_status status = ag__npy_count(&a.count, dtype, rank, size, ag_path_tail(path), why);
    if (status != AG_OK) return status;
    if (a.count && !data)
        return ag_fail(why, AG_EUSE, "%s: there is no data for its %lld values", ag_path_tail(path),
                       (long long)a.count);
    return ag_save_file(path, write_array, &a, why);
}

static int64_t read_stream(void *file, void *out, size_t n)
{
    return (int64_t)fread(out, 1, n, file);
}

/* The file's name without folder and ".npy", cut to what fits. */
static void name_by_path(char name[64], const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, 64, "%.63s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && !strcmp(dot, ".npy")) *dot = 0;
}

/* Reads the values as info->dtype, in C order. */
static ag_status read_all(char *out, FILE *file, const ag_array_info *info, const char *path,
                          ag_failure *why)
{
    enum { PORTION = 512 };
    const size_t bytes = ag_dtype_bytes(info->dtype), from = ag__npy_stored_bytes(info);
    const int64_t most = ag__npy_is_plain(info) && !info->fortran ? info->count : PORTION;
    int64_t stored[PORTION], values[PORTION], n;
    for (int64_t first = 0; first < info->count; first += n) {
        n = info->count - first < most ? info->count - first : most;
        char *to = info->fortran ? (char *)values : out + (size_t)first * bytes;
        void *raw = ag__npy_is_plain(info) ? (void *)to : stored;
        if (fread(raw, from, (size_t)n, file) != (size_t)n)
            return ag_fail(why, AG_EFILE, "cannot read %s to its end", path);
        ag_status status = AG_OK;
        if (raw == stored)
            status = ag__npz_convert(to, info->dtype, raw, info, first, n, path, why);
        if (status != AG_OK) return status;
        if (info->fortran) ag__npz_reorder(out, to, info, bytes, first, n, 0, info->size[0]);
    }
    return AG_OK;
}

static ag_status load_array(FILE *file, int64_t bytes, const char *path, size_t limit,
                            ag_array_info *info, void **data, ag_failure *why)
{
    size_t header;
    ag_status status = ag__npy_read_header(info, &header, read_stream, file, path, why);
    if (status != AG_OK) return status;
    char type[12];
    size_t stored = (size_t)info->count * ag__npy_stored_bytes(info);
    size_t values = (size_t)info->count * ag_dtype_bytes(info->dtype);
    if (header + stored != (size_t)bytes)
        return ag_fail(why, AG_EDATA,
                       "%s has %lld bytes, but its header of %zu and %lld values of %s make %zu",
                       path, (long long)bytes, header, (long long)info->count,
                       ag__npy_stored_name(type, info), header + stored);
    if (values > limit)
        return ag_fail(why, AG_EMEMORY, "%s holds %zu bytes, but the limit is %zu; raise the limit",
                       path, values, limit);
    if (!(*data = ag_alloc(values)))
        return ag_fail(why, AG_EMEMORY, "no memory for the %zu bytes of %s", values, path);
    status = read_all(*data, file, info, path, why);
    if (status == AG_OK) return AG_OK;
    ag_free(*data);
    *data = NULL;
    return status;
}

ag_status ag_npy_load(const char *path, size_t byte_limit, ag_array_info *info, void **data,
                      ag_failure *why)
{
    if (data) *data = NULL;
    int64_t bytes;
    if (!path || !info || !data)
        return ag__refuse_null(why, "ag_npy_load", !path ? "path" : !info ? "info" : "data");
    ag_failure here = {0};
    FILE *file = ag__open_regular(path, &bytes, &here);
    if (!file) return ag_fail(why, here.status, "%s", here.sentence);
    name_by_path(info->name, path);
    ag_status status = load_array(file, bytes, ag_path_tail(path), byte_limit, info, data, &here);
    fclose(file);
    if (status == AG_EDATA) ag__say_mistaken(&here, path, "is a single array");
    return status == AG_OK ? AG_OK : ag_fail(why, status, "%s", here.sentence);
}

void ag_npy_free(void *data) { ag_free(data); }
