/* SPDX-License-Identifier: MIT */
/* metrics.jsonl, metrics.csv and timing.jsonl: rows appended, flushed, and cut back when a run is
 * resumed. */
#define _GNU_SOURCE
#include "examples/harness/run/run_internal.h"

#include "core/io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"metrics.jsonl", "metrics.csv", "timing.jsonl"};

static ag_status cannot_write(harness_run *run, int which, ag_failure *why)
{
    return ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; make room or choose another --out",
                   ag_path_tail(harness_run_path(run, names[which])), strerror(errno));
}

static FILE **stream(harness_run *run, int which)
{
    return which == 0 ? &run->jsonl : which == 1 ? &run->csv : &run->timing;
}

static ag_status flush(harness_run *run, int which, ag_failure *why)
{
    FILE *file = *stream(run, which);
    if (fflush(file) != 0 || ferror(file)) return cannot_write(run, which, why);
    return AG_OK;
}

static ag_status csv_header(harness_run *run, ag_failure *why)
{
    fputs("step", run->csv);
    for (int i = 0; i < bag_count(run->columns); i++) fprintf(run->csv, ",%s", run->columns[i]);
    fputc('\n', run->csv);
    return flush(run, 1, why);
}

static ag_status open_stream(harness_run *run, int which, ag_failure *why)
{
    FILE *file = *stream(run, which) = fopen(harness_run_path(run, names[which]), "abe");
    return file ? AG_OK : cannot_write(run, which, why);
}

ag_status harness__open_metrics(harness_run *run, ag_failure *why)
{
    for (int i = 0; i < 3; i++)
        if (open_stream(run, i, why)) return why->status;
    fseek(run->csv, 0, SEEK_END);
    return ftell(run->csv) == 0 ? csv_header(run, why) : AG_OK;
}

ag_status harness__close_metrics(harness_run *run, ag_failure *why)
{
    ag_status status = AG_OK;
    for (int i = 0; i < 3; i++) {
        FILE **file = stream(run, i);
        if (*file && fclose(*file) != 0 && status == AG_OK) status = cannot_write(run, i, why);
        *file = NULL;
    }
    return status;
}

ag_status harness_run_metrics(harness_run *run, int64_t step, const double *values, ag_failure *why)
{
    fprintf(run->jsonl, "{\"step\": %" PRId64, step);
    fprintf(run->csv, "%" PRId64, step);
    for (int i = 0; i < bag_count(run->columns); i++) {
        fputc(',', run->csv);
        if (!isfinite(values[i])) continue;
        fprintf(run->jsonl, ", \"%s\": %.9g", run->columns[i], values[i]);
        fprintf(run->csv, "%.9g", values[i]);
    }
    fputs("}\n", run->jsonl);
    fputc('\n', run->csv);
    ag_status status = flush(run, 0, why);
    return status == AG_OK ? flush(run, 1, why) : status;
}

ag_status harness_run_timing(harness_run *run, int64_t step, const char *name, double seconds,
                             ag_failure *why)
{
    fprintf(run->timing, "{\"step\": %" PRId64 ", \"%s\": %.6f}\n", step, name, seconds);
    return flush(run, 2, why);
}

ag_status harness_run_sync(harness_run *run, ag_failure *why)
{
    for (int i = 0; i < 3; i++) {
        ag_status status = flush(run, i, why);
        if (status != AG_OK) return status;
        if (ag_save_sync(fileno(*stream(run, i))) != 0) return cannot_write(run, i, why);
    }
    return AG_OK;
}

/* The step of a row, or -1 for the header of metrics.csv, or -2 when the row is not ours. */
static int64_t step_of(const char *row, int csv)
{
    static const char start[] = "{\"step\": ";
    char *end;
    if (csv && strncmp(row, "step", 4) == 0) return -1;
    if (!csv && strncmp(row, start, sizeof start - 1) != 0) return -2;
    if (!csv) row += sizeof start - 1;
    if (*row < '0' || *row > '9') return -2;
    long long step = strtoll(row, &end, 10);
    return end != row && (*end == ',' || *end == '}') ? step : -2;
}

/* Bytes of the rows up to `step`. A last row without its end was cut off by a kill and is dropped,
   too. */
static ag_status kept_bytes(size_t *kept, const char *path, const char *text, size_t bytes,
                            int64_t step, int csv, ag_failure *why)
{
    int line = 1;
    *kept = 0;
    for (const char *row = text, *end; (end = memchr(row, '\n', bytes - (size_t)(row - text)));
         row = end + 1, line++) {
        int64_t at = step_of(row, csv);
        if (at == -2)
            return ag_fail(
                why, AG_EDATA,
                "%.200s line %d does not begin with a step, so it is no file of this run; move "
                "it away or choose another --out",
                ag_path_tail(path), line);
        if (at > step) break;
        *kept = (size_t)(end + 1 - text);
    }
    return AG_OK;
}

typedef struct rows {
    const char *text;
    size_t bytes;
} rows;

static ag_status put_rows(FILE *to, void *context)
{
    const rows *kept = context;
    fwrite(kept->text, 1, kept->bytes, to);
    return AG_OK;
}

/* Writes the file anew, since not every file system can truncate one. */
static ag_status keep_rows(harness_run *run, int which, rows kept, ag_failure *why)
{
    FILE **file = stream(run, which);
    fclose(*file); /* it was flushed */
    *file = NULL;
    if (ag_save_file(harness_run_path(run, names[which]), put_rows, &kept, why)) return why->status;
    return open_stream(run, which, why);
}

static ag_status rewind_file(harness_run *run, int which, int64_t step, ag_failure *why)
{
    const char *path = harness_run_path(run, names[which]);
    size_t bytes, kept;
    char *text = harness__read_file(path, (size_t)1 << 30, &bytes, why);
    if (!text) return why->status;
    ag_status status = kept_bytes(&kept, path, text, bytes, step, which == 1, why);
    if (status == AG_OK && kept < bytes) status = keep_rows(run, which, (rows){text, kept}, why);
    harness_free(text);
    return status;
}

ag_status harness_run_rewind(harness_run *run, int64_t step, ag_failure *why)
{
    ag_status status = AG_OK;
    for (int i = 0; i < 3 && status == AG_OK; i++) {
        status = flush(run, i, why);
        if (status == AG_OK) status = rewind_file(run, i, step, why);
    }
    return status;
}

ag_status harness_run_column(const char *path, const char *column, double **steps, double **values,
                             int64_t *n, ag_failure *why)
{
    size_t bytes;
    char *text = harness__read_file(path, (size_t)1 << 30, &bytes, why), *row = text, *end;
    size_t room = 0;
    *steps = *values = NULL;
    *n = 0;
    if (!text) return why->status;
    for (; (end = strchr(row, '\n')); row = end + 1) {
        json_t *object = harness_json_loadb(row, (size_t)(end - row), NULL);
        const json_t *step = json_object_get(object, "step"),
                     *value = json_object_get(object, column);
        if (json_is_number(step) && json_is_number(value)) {
            if ((size_t)*n == room) {
                room = room ? 2 * room : 64;
                *steps = harness_grow(*steps, room * sizeof **steps);
                *values = harness_grow(*values, room * sizeof **values);
            }
            (*steps)[*n] = json_number_value(step);
            (*values)[(*n)++] = json_number_value(value);
        }
        json_decref(object);
    }
    harness_free(text);
    return AG_OK;
}
