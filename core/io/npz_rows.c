/* SPDX-License-Identifier: MIT */
/* Reading the values of a member, row after row. */
#include "core/internal.h"
#include "core/error.h"
#include "core/io/npz_file_internal.h"
#include "core/memory.h"

#include <string.h>

enum { BUFFER = 1 << 16, WINDOW = 32 << 20 };

struct ag_rows {
    ag_npz *npz;
    zip_file_t *file;
    const ag_array_info *info;
    int64_t rows, row_values, next; /* next: the first row that was not read yet */
    int verified, broken;
    int64_t first, held; /* the rows in `window`, of type `as`: of an array in Fortran order */
    ag_dtype as;
    char *window;
    unsigned char buffer[BUFFER + 7]; /* stored values that wait for conversion */
};

/* Goes to the first value. */
static ag_status rewind_file(ag_rows *r, ag_failure *why)
{
    char where[AG__WHERE];
    ag__npz_where(where, r->npz, r->info->name);
    if (r->file) zip_fclose(r->file);
    r->file = zip_fopen_index(r->npz->zip, r->npz->entry[r->info - r->npz->info], 0);
    if (!r->file) return ag__zip_fail(zip_get_error(r->npz->zip), where, why);
    size_t n = r->npz->header[r->info - r->npz->info];
    int64_t got = ag__zip_read(r->file, r->buffer, n);
    if (got < 0) return ag__zip_fail(zip_file_get_error(r->file), where, why);
    if ((size_t)got < n) return ag_fail(why, AG_EDATA, "%s ends within its npy header", where);
    return AG_OK;
}

ag_rows *ag_rows_open(ag_npz *npz, const char *name, ag_failure *why)
{
    if (!npz || !name) {
        ag__refuse_null(why, "ag_rows_open", npz ? "name" : "npz");
        return NULL;
    }
    char where[AG__WHERE];
    const ag_array_info *info = ag_npz_find(npz, name);
    ag__npz_where(where, npz, name);
    if (!info) {
        if (ag_npz_check(npz, name, why) == AG_OK) ag_fail(why, AG_EDATA, "%s is missing", where);
        return NULL;
    }
    ag_rows *r = ag_alloc(sizeof *r);
    if (!r) {
        ag_fail(why, AG_EMEMORY, "no memory to read %s", where);
        return NULL;
    }
    r->npz = npz;
    r->info = info;
    r->rows = info->rank ? info->size[0] : 1;
    r->row_values = r->rows ? info->count / r->rows : 0;
    r->next = r->first = r->held = 0;
    r->verified = r->broken = 0;
    r->file = NULL;
    r->as = info->dtype;
    r->window = NULL;
    if (rewind_file(r, why) == AG_OK) return r;
    ag_rows_close(r);
    return NULL;
}

static ag_status read_values(ag_rows *r, void *out, size_t bytes, ag_failure *why)
{
    char where[AG__WHERE];
    int64_t got = ag__zip_read(r->file, out, bytes);
    if (got == (int64_t)bytes) return AG_OK;
    ag__npz_where(where, r->npz, r->info->name);
    if (got < 0) return ag__zip_fail(zip_file_get_error(r->file), where, why);
    return ag_fail(why, AG_EDATA, "%s ends before its last value; copy or download the file again",
                   where);
}

/* libzip compares the CRC when it is asked for more and finds the end. */
static ag_status verify_rows(ag_rows *r, ag_failure *why)
{
    char byte, where[AG__WHERE];
    int64_t got = ag__zip_read(r->file, &byte, 1);
    r->verified = 1;
    if (got == 0) return AG_OK;
    ag__npz_where(where, r->npz, r->info->name);
    if (got < 0) return ag__zip_fail(zip_file_get_error(r->file), where, why);
    return ag_fail(why, AG_EDATA,
                   "%s goes on after its last value; copy or download the file again", where);
}

/* The next `count` values, converted, in the order in which they are stored. */
static ag_status read_portion(ag_rows *r, void *out, ag_dtype as, int64_t first, int64_t count,
                              ag_failure *why)
{
    size_t from = ag__npy_stored_bytes(r->info), to = ag_dtype_bytes(as);
    int64_t most = BUFFER / (int64_t)from;
    char *at = out;
    if (as == r->info->dtype && ag__npy_is_plain(r->info))
        return read_values(r, out, (size_t)count * to, why);
    for (int64_t n; count > 0; count -= n, first += n, at += (size_t)n * to) {
        n = count < most ? count : most;
        ag_status status = read_values(r, r->buffer, (size_t)n * from, why);
        if (status == AG_OK)
            status = ag__npz_convert(at, as, r->buffer, r->info, first, n, r->npz->path, why);
        if (status != AG_OK) return status;
    }
    return AG_OK;
}

/* Rows first..first+n-1 of an array in Fortran order, which lie apart: reads it to its end. */
static ag_status pick_rows(ag_rows *r, char *out, ag_dtype as, int64_t first, int64_t n,
                           ag_failure *why)
{
    int64_t values[512], some;
    ag_status status = rewind_file(r, why);
    for (int64_t at = 0; status == AG_OK && at < r->info->count; at += some) {
        some = r->info->count - at < 512 ? r->info->count - at : 512;
        status = read_portion(r, values, as, at, some, why);
        if (status == AG_OK)
            ag__npz_reorder(out, values, r->info, ag_dtype_bytes(as), at, some, first, n);
    }
    return status == AG_OK ? verify_rows(r, why) : status;
}

/* Makes the window hold rows from the next one on. */
static ag_status move_window(ag_rows *r, ag_dtype as, int64_t room, ag_failure *why)
{
    char where[AG__WHERE];
    const size_t row = (size_t)r->row_values * ag_dtype_bytes(as);
    r->first = r->next;
    r->held = r->rows - r->next < room ? r->rows - r->next : room;
    r->as = as;
    ag_free(r->window);
    r->window = ag_alloc((size_t)r->held * row);
    if (r->window) return pick_rows(r, r->window, as, r->first, r->held, why);
    return ag_fail(why, AG_EMEMORY, "no memory for %zu bytes of %s", (size_t)r->held * row,
                   ag__npz_where(where, r->npz, r->info->name));
}

/* The next n rows of an array in Fortran order. */
static ag_status next_fortran(ag_rows *r, char *out, ag_dtype as, int64_t n, ag_failure *why)
{
    const size_t row = (size_t)r->row_values * ag_dtype_bytes(as);
    const int64_t room = (int64_t)(WINDOW / row);
    ag_status status = AG_OK;
    if (n == r->rows || n >= room) {
        status = pick_rows(r, out, as, r->next, n, why);
        r->next += n;
        return status;
    }
    while (n > 0 && status == AG_OK) {
        int64_t left = r->as == as ? r->first + r->held - r->next : 0;
        if (left <= 0) status = move_window(r, as, room, why);
        if (status != AG_OK) return status;
        left = r->first + r->held - r->next;
        const int64_t some = n < left ? n : left;
        memcpy(out, r->window + (size_t)(r->next - r->first) * row, (size_t)some * row);
        out += (size_t)some * row;
        r->next += some;
        n -= some;
    }
    return status;
}

static ag_status check_request(const ag_rows *r, int64_t n, ag_dtype as, ag_failure *why)
{
    char where[AG__WHERE];
    ag__npz_where(where, r->npz, r->info->name);
    if (!ag_dtype_bytes(as))
        return ag_fail(why, AG_EUSE, "%s is wanted as dtype %d, which is none", where, (int)as);
    if (ag__npz_cannot(as, r->info->dtype))
        return ag_fail(why, AG_EDATA,
                       "%s holds %s, but an integer type is wanted, even of whole numbers; save "
                       "it as %s (run times: round to nanoseconds)",
                       where, ag__npy_stored_name(r->info), ag_dtype_name(as));
    if (n < 0 || n > r->rows - r->next)
        return ag_fail(why, AG_EINDEX, "%s: %lld rows are wanted, but %lld of %lld are left", where,
                       (long long)n, (long long)(r->rows - r->next), (long long)r->rows);
    if (r->broken) return ag_fail(why, AG_EUSE, "%s cannot be read on after a failure", where);
    return AG_OK;
}

ag_status ag_rows_next(ag_rows *rows, int64_t n, ag_dtype as, void *out, ag_failure *why)
{
    if (!rows) return ag__refuse_null(why, "ag_rows_next", "rows");
    ag_status status = check_request(rows, n, as, why);
    if (status != AG_OK) return status;
    int64_t first = rows->next * rows->row_values, count = n * rows->row_values;
    if (count && !out) return ag__refuse_null(why, "ag_rows_next", "out");
    if (rows->info->fortran && rows->info->count) {
        status = next_fortran(rows, out, as, n, why);
    } else {
        status = read_portion(rows, out, as, first, count, why);
        rows->next += n;
    }
    if (status == AG_OK && rows->next == rows->rows && !rows->verified)
        status = verify_rows(rows, why);
    rows->broken = status != AG_OK;
    return status;
}

void ag_rows_close(ag_rows *rows)
{
    if (!rows) return;
    if (rows->file) zip_fclose(rows->file);
    ag_free(rows->window);
    ag_free(rows);
}

ag_status ag_npz_read(ag_npz *npz, const char *name, ag_dtype as, void *out, ag_failure *why)
{
    if (!npz) return ag__refuse_null(why, "ag_npz_read", "npz");
    if (!name) return ag__refuse_null(why, "ag_npz_read", "name");
    ag_failure here = {0};
    ag_rows *rows = ag_rows_open(npz, name, &here);
    if (!rows) return ag_fail(why, here.status, "%s", here.sentence);
    ag_status status = ag_rows_next(rows, rows->rows, as, out, why);
    ag_rows_close(rows);
    return status;
}
