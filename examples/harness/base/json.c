/* SPDX-License-Identifier: MIT */
/* JSON as text and back, and the names of files in it. */
#include "examples/harness/base/base.h"
#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

char *harness_json_text(json_t *value)
{
    const size_t how = JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17),
                 bytes = json_dumpb(value, NULL, 0, how);
    char *text = harness_alloc(bytes + 1); /* json_dumps takes it from where a host wants it */
    const bool whole = bytes && json_dumpb(value, text, bytes, how) == bytes;
    json_decref(value);
    if (!whole) harness_no_memory(1);
    return text;
}

json_t *harness_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *harness_json_hash(uint64_t hash) { return json_sprintf("%016" PRIx64, hash); }

json_t *harness_json_name(const char *name)
{
    json_t *j = json_string(name);
    if (j) return j;
    char *copy = harness_copy(name);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 128) *c = '?';
    j = json_string(copy);
    harness_free(copy);
    return j;
}

int harness__utf8(const char *text)
{
    json_t *j = json_string(text); /* NULL where it is not */
    json_decref(j);
    return j != NULL;
}

ag_status harness__refuse_stdout(ag_failure *why)
{
    return ag_fail(why, AG_EFILE,
                   "the results cannot be written to stdout: %s; check where it leads",
                   strerror(errno));
}

ag_status harness_json_print(json_t *results, ag_failure *why)
{
    int bad = json_dumpf(results, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0;
    json_decref(results);
    bad |= putchar('\n') == EOF;
    bad |= fflush(stdout) != 0;
    return bad ? harness__refuse_stdout(why) : AG_OK;
}

json_t *harness_json_loadb(const char *text, size_t bytes, json_error_t *error)
{
    const char *deep = ag_json_too_deep(text, bytes);
    if (!deep) return json_loadb(text, bytes, JSON_REJECT_DUPLICATES, error);
    if (!error) return NULL;
    *error = (json_error_t){.line = 1, .position = (int)(deep - text)};
    for (const char *c = text; c < deep; c++) error->line += *c == '\n';
    snprintf(error->text, sizeof error->text, "more than %d lists and objects within one another",
             AG_JSON_DEPTH);
    return NULL;
}

json_t *harness_json_loads(const char *text, json_error_t *error)
{
    return harness_json_loadb(text, text ? strlen(text) : 0, error);
}
