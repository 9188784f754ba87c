/* SPDX-License-Identifier: MIT */
/* Writing npz files. libzip deflates when the archive is closed, so members are copied until then.
 */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/io/npz_file_internal.h"
#include "core/memory.h"

#include <string.h>

typedef struct member {
    char name[AG__NPZ_NAME_MOST + 1 + 4]; /* with .npy */
    char *block;                          /* header and values */
    size_t bytes;
} member;

struct ag_npz_writer {
    char *path;
    int count, level; /* level: libzip's; 0: its default, which is 9 */
    ag_failure *why;  /* of ag_npz_finish */
    member members[AG__NPZ_MEMBERS];
};

ag_npz_writer *ag_npz_create(const char *path, ag_failure *why)
{
    if (!path) {
        ag__refuse_null(why, "ag_npz_create", "path");
        return NULL;
    }
    ag_npz_writer *writer = ag_alloc(ag_size_add(sizeof *writer, strlen(path) + 1));
    if (!writer) {
        ag_fail(why, AG_EMEMORY, "no memory to write %s", ag_path_tail(path));
        return NULL;
    }
    writer->count = writer->level = 0;
    writer->path = (char *)(writer + 1);
    strcpy(writer->path, path);
    return writer;
}

static ag_status check_name(const ag_npz_writer *writer, const char *name, ag_failure *why)
{
    const char *path = ag_path_tail(writer->path);
    if (!ag__plain_name(name, AG__NPZ_NAME_MOST, ' '))
        return ag_fail(why, AG_EUSE,
                       "%s: the name of member number %d is not 1 to 63 printable ASCII characters",
                       path, writer->count);
    for (int i = 0; i < writer->count; i++)
        if (!strncmp(writer->members[i].name, name, strlen(name)) &&
            !strcmp(writer->members[i].name + strlen(name), ".npy"))
            return ag_fail(why, AG_EUSE, "%s: member %s was added before; choose another name",
                           path, name);
    if (writer->count == AG__NPZ_MEMBERS)
        return ag_fail(why, AG_EUSE, "%s: member %s is one too many, at most %d fit", path, name,
                       AG__NPZ_MEMBERS);
    return AG_OK;
}

ag_status ag_npz_add(ag_npz_writer *writer, const char *name, ag_dtype dtype, int rank,
                     const int64_t *size, const void *data, ag_failure *why)
{
    if (!writer) return ag__refuse_null(why, "ag_npz_add", "writer");
    if (!name) return ag__refuse_null(why, "ag_npz_add", "name");
    ag_status status = check_name(writer, name, why);
    if (status != AG_OK) return status;
    char header[AG__NPY_WRITTEN_MOST], where[AG__WHERE];
    snprintf(where, sizeof where, "%s: member %.63s", ag_path_tail(writer->path), name);
    int64_t count;
    status = ag__npy_count(&count, dtype, rank, size, where, why);
    if (status != AG_OK) return status;
    if (count && !data)
        return ag_fail(why, AG_EUSE, "%s: there is no data for its %lld values", where,
                       (long long)count);
    size_t n = ag__npy_format(header, dtype, rank, size);
    size_t values = (size_t)count * ag_dtype_bytes(dtype);
    member *m = &writer->members[writer->count];
    m->bytes = n + values;
    if (!(m->block = ag_alloc(m->bytes)))
        return ag_fail(why, AG_EMEMORY, "%s: no memory for its %zu bytes", where, m->bytes);
    memcpy(m->block, header, n);
    if (values) memcpy(m->block + n, data, values);
    snprintf(m->name, sizeof m->name, "%s.npy", name);
    writer->count++;
    return AG_OK;
}

ag_status ag_npz_level(ag_npz_writer *writer, int level, ag_failure *why)
{
    if (!writer) return ag__refuse_null(why, "ag_npz_level", "writer");
    if (level < 1 || level > 9)
        return ag_fail(why, AG_EUSE, "%s: the level of deflation is %d, but it is 1 to 9",
                       ag_path_tail(writer->path), level);
    writer->level = level;
    return AG_OK;
}

/* The date is always 1980-01-01, so that the same arrays give the same bytes. */
static int add_member(zip_t *zip, const member *m, int level)
{
    zip_source_t *source = zip_source_buffer(zip, m->block, m->bytes, 0);
    if (!source) return 0;
    zip_int64_t index = zip_file_add(zip, m->name, source, 0);
    if (index < 0) {
        zip_source_free(source);
        return 0;
    }
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE,
                                    (zip_uint32_t)level) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, 0, 1 << 5 | 1, 0) == 0;
}

static ag_status refuse_zip(zip_error_t *error, const char *path, ag_failure *why)
{
    return ag_fail(why, zip_error_code_zip(error) == ZIP_ER_MEMORY ? AG_EMEMORY : AG_EFILE,
                   "cannot write %s: %s", ag_path_tail(path), zip_error_strerror(error));
}

/* Packs all members into the memory that starts at `archive`. */
static ag_status pack(zip_source_t *archive, const ag_npz_writer *writer)
{
    zip_error_t error;
    ag_status status = AG_OK;
    zip_error_init(&error);
    zip_source_keep(archive); /* the zip drops a reference of its own */
    zip_t *zip = zip_open_from_source(archive, ZIP_TRUNCATE, &error);
    if (!zip) {
        zip_source_free(archive);
        status = refuse_zip(&error, writer->path, writer->why);
    }
    zip_error_fini(&error);
    for (int i = 0; zip && status == AG_OK && i < writer->count; i++)
        if (!add_member(zip, &writer->members[i], writer->level))
            status = refuse_zip(zip_get_error(zip), writer->path, writer->why);
    if (zip && status == AG_OK && zip_close(zip) == 0) return AG_OK;
    if (zip && status == AG_OK) status = refuse_zip(zip_get_error(zip), writer->path, writer->why);
    if (zip) zip_discard(zip);
    return status;
}

static ag_status copy_out(FILE *file, zip_source_t *archive, const ag_npz_writer *writer)
{
    char buffer[1 << 13];
    int64_t n = 0;
    if (zip_source_open(archive))
        return refuse_zip(zip_source_error(archive), writer->path, writer->why);
    while ((n = zip_source_read(archive, buffer, sizeof buffer)) > 0)
        if (fwrite(buffer, 1, (size_t)n, file) != (size_t)n) break; /* ag_save_file sees why */
    ag_status status =
        n < 0 ? refuse_zip(zip_source_error(archive), writer->path, writer->why) : AG_OK;
    zip_source_close(archive);
    return status;
}

/* libzip makes no file of an archive without members; numpy writes the bare end record. */
static ag_status write_empty(FILE *file)
{
    static const char end[22] = "PK\5\6";
    fwrite(end, 1, sizeof end, file);
    return AG_OK;
}

static ag_status write_archive(FILE *file, void *context)
{
    const ag_npz_writer *writer = context;
    if (writer->count == 0) return write_empty(file);
    zip_source_t *archive = zip_source_buffer_create(NULL, 0, 0, NULL);
    if (!archive)
        return ag_fail(writer->why, AG_EMEMORY, "no memory to write %s",
                       ag_path_tail(writer->path));
    ag_status status = pack(archive, writer);
    if (status == AG_OK) status = copy_out(file, archive, writer);
    zip_source_free(archive);
    return status;
}

ag_status ag_npz_write(ag_npz_writer *writer, FILE *file, ag_failure *why)
{
    if (!writer) return ag__refuse_null(why, "ag_npz_write", "writer");
    if (!file) return ag__refuse_null(why, "ag_npz_write", "file");
    writer->why = why;
    const uint64_t mode = ag__float_mode_enter();
    const ag_status status = write_archive(file, writer);
    ag__float_mode_set(mode);
    return status;
}

ag_status ag_npz_finish(ag_npz_writer *writer, ag_failure *why)
{
    if (!writer) return ag__refuse_null(why, "ag_npz_finish", "writer");
    writer->why = why;
    const uint64_t mode = ag__float_mode_enter(); /* libzip divides for its progress */
    ag_status status = ag_save_file(writer->path, write_archive, writer, why);
    ag__float_mode_set(mode);
    ag_npz_cancel(writer);
    return status;
}

void ag_npz_cancel(ag_npz_writer *writer)
{
    if (!writer) return;
    for (int i = 0; i < writer->count; i++) ag_free(writer->members[i].block);
    ag_free(writer);
}
