/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "core/io/npz_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

golden *golden_open(const char *path) { return (golden *)zip_open(path, ZIP_RDONLY, NULL); }

void golden_close(golden *g)
{
    if (g) zip_discard((zip_t *)g);
}

const char *golden_name(golden *g, int64_t i, char name[100])
{
    const char *file = zip_get_name((zip_t *)g, (zip_uint64_t)i, 0);
    if (file) snprintf(name, 100, "%.*s", (int)strlen(file) - 4, file); /* .npy */
    return file ? name : NULL;
}

int64_t golden_find(golden *g, const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "%s.npy", name);
    return zip_name_locate((zip_t *)g, file, 0);
}

/* The whole member and 7 bytes; NULL: no such member. */
static char *inflate(zip_t *zip, const char *name, size_t *bytes)
{
    const int64_t at = golden_find((golden *)zip, name);
    zip_stat_t about;
    if (at < 0 || zip_stat_index(zip, (zip_uint64_t)at, 0, &about)) return NULL;
    zip_file_t *in = zip_fopen_index(zip, (zip_uint64_t)at, 0);
    *bytes = (size_t)about.size;
    char *text = calloc(*bytes + 7, 1);
    const int whole = zip_fread(in, text, *bytes) == (zip_int64_t)*bytes;
    zip_fclose(in);
    if (whole) return text;
    free(text);
    return NULL;
}

/* Of an array in memory, which begins at *at. */
static int64_t take(void *at, void *out, size_t n)
{
    memcpy(out, *(char **)at, n);
    *(char **)at += n;
    return (int64_t)n;
}

golden_array golden_read(golden *g, const char *format, ...)
{
    char name[128];
    golden_array a = {0};
    ag_array_info info;
    size_t bytes = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    char *text = inflate((zip_t *)g, name, &bytes), *values = text;
    if (!text) return a;
    if (!ag__npy_read_header(&info, &bytes, take, &values, name, NULL)) {
        a.rank = info.rank;
        a.count = info.count;
        memcpy(a.size, info.size, sizeof a.size);
        a.value = calloc((size_t)a.count + 1, sizeof(double));
        ag__npz_convert(a.value, AG_F64, values, &info, 0, a.count, name, NULL);
    }
    free(text);
    return a;
}

void golden_free(golden_array *a)
{
    free(a->value);
    a->value = NULL;
}

int32_t *golden_ints(golden *g, int64_t *n, const char *name, const char *what)
{
    golden_array a = golden_read(g, "%s.%s", name, what);
    int32_t *v = a.value ? calloc((size_t)a.count + 1, sizeof *v) : NULL;
    for (int64_t i = 0; v && i < a.count; i++) v[i] = (int32_t)a.value[i];
    *n = a.count;
    golden_free(&a);
    return v;
}

double golden_uniform(uint32_t stream, uint32_t i)
{
    uint32_t x = i * 2654435769u + stream * 2246822519u;
    x ^= x >> 16;
    x *= 2146121005u;
    x ^= x >> 15;
    x *= 2221713035u;
    x ^= x >> 16;
    return (x >> 8) / 8388608.0 - 1;
}
