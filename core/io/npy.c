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
static void name_array(char name[64], const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, 64, "%.63s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && !strcmp(dot, ".npy")) *dot = 0;
}

/* Reads the values and puts them in C order. */
static int read_all(char *out, FILE *file, const ag_array_info *info)
{
    int64_t values[512], n;
    size_t bytes = ag_dtype_bytes(info->dtype);
    if (!info->fortran) return fread(out, bytes, (size_t)info->count, file) == (size_t)info->count;
    for (int64_t first = 0; first < info->count; first += n) {
        n = info->count - first < 512 ? info->count - first : 512;
        if (fread(values, bytes, (size_t)n, file) != (size_t)n) return 0;
        ag__npz_reorder(out, values, info, bytes, first, n);
    }
    return 1;
}

static ag_status load(FILE *file, int64_t bytes, const char *path, size_t limit,
                      ag_array_info *info, void **data, ag_failure *why)
{
    size_t header;
    ag_status status = ag__npy_read_header(info, &header, read_stream, file, path, why);
    if (status != AG_OK) return status;
    size_t values = (size_t)info->count * ag_dtype_bytes(info->dtype);
    if (header + values != (size_t)bytes)
        return ag_fail(why, AG_EDATA,
                       "%s has %lld bytes, but its header of %zu and %lld values of %s make %zu",
                       path, (long long)bytes, header, (long long)info->count,
                       ag_dtype_name(info->dtype), header + values);
    if (values > limit)
        return ag_fail(why, AG_EMEMORY, "%s holds %zu bytes, but the limit is %zu; raise the limit",
                       path, values, limit);
    if (!(*data = ag_alloc(values)))
        return ag_fail(why, AG_EMEMORY, "no memory for the %zu bytes of %s", values, path);
    if (read_all(*data, file, info)) return AG_OK;
    ag_free(*data);
    *data = NULL;
    return ag_fail(why, AG_EFILE, "cannot read %s to its end", path);
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
    name_array(info->name, path);
    ag_status status = load(file, bytes, ag_path_tail(path), byte_limit, info, data, why);
    fclose(file);
    return status;
}

void ag_npy_free(void *data) { ag_free(data); }
