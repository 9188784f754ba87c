/* SPDX-License-Identifier: MIT */
/* metrics.jsonl, metrics.csv and timing.jsonl: rows appended, flushed, and cut back when a run is
   resumed. */
#define _GNU_SOURCE
#include "examples/harness/run/run_internal.h"
#include "core/error.h"
#include "examples/harness/base/file.h"
#include "examples/harness/report/report.h"

#include "core/io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[HARNESS_ROWS] = {"metrics.jsonl", "metrics.csv", "timing.jsonl"};

static ag_status cannot_write(harness_run *run, int which, ag_failure *why)
{
    return ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; make room or choose another --out",
                   ag_path_tail(harness_run_path(run, names[which])), strerror(errno));
}

static ag_status flush(harness_run *run, int which, ag_failure *why)
{
    FILE *file = run->rows[which];
    return fflush(file) != 0 || ferror(file) ? cannot_write(run, which, why) : AG_OK;
}

static ag_status open_rows(harness_run *run, int which, ag_failure *why)
{
    FILE *file = run->rows[which] = fopen(harness_run_path(run, names[which]), "abe");
    return file ? AG_OK : cannot_write(run, which, why);
}

ag_status harness__open_metrics(harness_run *run, ag_failure *why)
{
    for (int i = 0; i < HARNESS_ROWS; i++)
        if (open_rows(run, i, why)) return why->status;
    FILE *csv = run->rows[HARNESS_CSV];
    fseek(csv, 0, SEEK_END);
    if (ftell(csv)) return AG_OK;
    fputs("step", csv);
    for (int i = 0; i < bag_count(run->columns); i++) fprintf(csv, ",%s", run->columns[i]);
    fputc('\n', csv);
    return flush(run, HARNESS_CSV, why);
}

ag_status harness__close_metrics(harness_run *run, ag_failure *why)
{
    ag_status status = AG_OK;
    for (int i = 0; i < HARNESS_ROWS; i++) {
        FILE *file = run->rows[i];
        if (file && fclose(file) != 0 && status == AG_OK) status = cannot_write(run, i, why);
    }
    return status;
}

ag_status harness_run_metrics(harness_run *run, int64_t step, const double *values, ag_failure *why)
{
    if (!run) return AG_OK;
    FILE *jsonl = run->rows[HARNESS_JSONL], *csv = run->rows[HARNESS_CSV];
    fprintf(jsonl, "{\"step\": %" PRId64, step);
    fprintf(csv, "%" PRId64, step);
    for (int i = 0; i < bag_count(run->columns); i++) {
        fputc(',', csv);
        if (!isfinite(values[i])) continue;
        fprintf(jsonl, ", \"%s\": %.9g", run->columns[i], values[i]);
        fprintf(csv, "%.9g", values[i]);
    }
    fputs("}\n", jsonl);
    fputc('\n', csv);
    return flush(run, HARNESS_JSONL, why) ? why->status : flush(run, HARNESS_CSV, why);
}

ag_status harness_run_timing(harness_run *run, int64_t step, const char *name, double seconds,
                             ag_failure *why)
{
    if (!run) return AG_OK;
    fprintf(run->rows[HARNESS_TIMING], "{\"step\": %" PRId64 ", \"%s\": %.6f}\n", step, name,
            seconds);
    return flush(run, HARNESS_TIMING, why);
}

ag_status harness_run_sync(harness_run *run, ag_failure *why)
{
    if (!run) return AG_OK;
    for (int i = 0; i < HARNESS_ROWS; i++) {
        if (flush(run, i, why)) return why->status;
        if (ag_save_sync(fileno(run->rows[i])) != 0) return cannot_write(run, i, why);
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
                "%.200s line %d does not begin with a step, so it is not a file of this run; move "
                "it away or choose another --out",
                ag_path_tail(path), line);
        if (at > step) break;
        *kept = (size_t)(end + 1 - text);
    }
    return AG_OK;
}

typedef struct rows {
    const char *text;
    size_t bytes; /* after a crash there may be zeros in the text */
} rows;

static ag_status put(FILE *to, void *context)
{
    const rows *kept = context;
    fwrite(kept->text, 1, kept->bytes, to);
    return AG_OK;
}

/* Rewrites the file, since not every file system can truncate one. */
static ag_status keep_rows(harness_run *run, int which, rows kept, ag_failure *why)
{
    fclose(run->rows[which]); /* it was flushed */
    run->rows[which] = NULL;
    if (ag_save_file(harness_run_path(run, names[which]), put, &kept, why)) return why->status;
    return open_rows(run, which, why);
}

static ag_status rewind_file(harness_run *run, int which, int64_t step, ag_failure *why)
{
    const char *path = harness_run_path(run, names[which]);
    size_t bytes, kept;
    char *text = harness__read_file(path, (size_t)1 << 30, &bytes, why);
    if (!text) return why->status;
    if (!kept_bytes(&kept, path, text, bytes, step, which == HARNESS_CSV, why) && kept < bytes)
        keep_rows(run, which, (rows){text, kept}, why);
    harness_free(text);
    return why->status;
}

ag_status harness_run_rewind(harness_run *run, int64_t step, ag_failure *why)
{
    if (!run) return AG_OK;
    for (int i = 0; i < HARNESS_ROWS; i++)
        if (flush(run, i, why) || rewind_file(run, i, step, why)) break;
    return why->status;
}

ag_status harness_run_column(harness_curve *curve, const char *path, const char *column,
                             ag_failure *why)
{
    size_t bytes, room = 0;
    char *text = harness__read_file(path, (size_t)1 << 30, &bytes, why), *end;
    curve->n = 0;
    curve->x = curve->y = NULL;
    if (!text) return why->status;
    for (const char *c = text; *c; c++) room += *c == '\n';
    curve->x = HARNESS_NEW(curve->x, 2 * room);
    curve->y = curve->x + room;
    for (const char *row = text; (end = strchr(row, '\n')); row = end + 1) {
        json_t *object = harness_json_loadb(row, (size_t)(end - row), NULL);
        const json_t *step = json_object_get(object, "step"),
                     *value = json_object_get(object, column);
        if (json_is_number(step) && json_is_number(value)) {
            curve->x[curve->n] = json_number_value(step);
            curve->y[curve->n++] = json_number_value(value);
        }
        json_decref(object);
    }
    harness_free(text);
    return AG_OK;
}
