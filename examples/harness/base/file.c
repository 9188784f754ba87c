/* SPDX-License-Identifier: MIT */
/* Whole files: text that is read, and results that are written whole or not at all. */
#define _GNU_SOURCE
#include "examples/harness/base/file.h"

#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/base/base.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

char *harness__read_file(const char *path, size_t limit, size_t *bytes, ag_failure *why)
{
    FILE *file = fopen(path, "rb");
    size_t room = 2048, n = 0;
    char *text = NULL;
    if (!file) {
        ag_fail(why, AG_EFILE, "%.200s cannot be opened: %s; check the path", path,
                strerror(errno));
        return NULL;
    }
    do {
        room *= 2;
        text = harness_grow(text, room + 1);
        n += fread(text + n, 1, room - n, file);
    } while (n == room && n <= limit);
    text[n] = 0;
    *bytes = n;
    int bad = ferror(file), reason = errno;
    fclose(file);
    const char *mistaken = ag_file_mistaken(path);
    if (mistaken)
        ag_fail(why, AG_EDATA, "%.200s %s", path, mistaken);
    else if (bad)
        ag_fail(why, AG_EFILE, "%.200s cannot be read: %s; name a readable file", path,
                strerror(reason));
    else if (n > limit)
        ag_fail(why, AG_EDATA,
                "%.200s has more than %zu bytes, which no such file needs; check the path", path,
                limit);
    else
        return text;
    harness_free(text);
    return NULL;
}

static ag_status dump(FILE *file, void *context)
{
    /* a failed write shows in ferror, which the caller looks at */
    json_dumpf(context, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', file);
    return AG_OK;
}

ag_status harness__save_json(const char *path, json_t *object, ag_failure *why)
{
    ag_status status = ag_save_file(path, dump, object, why);
    json_decref(object);
    return status;
}

json_t *harness__load_json(const char *path, ag_failure *why)
{
    size_t bytes;
    json_error_t error;
    char *text = harness__read_file(path, (size_t)16 << 20, &bytes, why);
    if (!text) return NULL;
    json_t *object = harness_json_loadb(text, bytes, &error);
    if (!object)
        ag_fail(why, AG_EDATA, "%.200s line %d is not JSON: %.120s; mend or delete the file",
                ag_path_tail(path), error.line, error.text);
    harness_free(text);
    return object;
}

void harness_warn_lacks(void)
{
    static const struct {
        int what;
        const char *call, *danger;
    } lack[] = {
        {AG_LACKS_SYNC, "flush files to the disk (fsync)",
         "a crash of the machine may lose what was saved last"},
        {AG_LACKS_MODES, "set the mode of files (chmod)", "replaced files may get another one"},
        {AG_LACKS_RENAME, "rename files", "a crash while a file is replaced may lose it"}};
    static int warned;
    const int lacks = ag_saves_lack() & ~warned;
    warned |= lacks;
    for (size_t i = 0; i < sizeof lack / sizeof *lack; i++)
        if (lacks & lack[i].what)
            harness_warn("the file system cannot %s: %s", lack[i].call, lack[i].danger);
}

ag_status harness_write(const char *path, ag_status (*write)(FILE *to, void *context),
                        void *context, ag_failure *why)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        return ag_save_file(path, write, context, why);
    FILE *to = fopen(path, "w");
    int bad = !to;
    if (to) {
        const ag_status status = write(to, context);
        bad = ferror(to) != 0;
        bad |= fclose(to) != 0;
        if (status) return status;
    }
    if (bad)
        ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; choose another place",
                ag_path_tail(path), strerror(errno));
    return why->status;
}
