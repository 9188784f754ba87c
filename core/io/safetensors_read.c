/* SPDX-License-Identifier: MIT */
/* Reads safetensors files and verifies their checksums. */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/io/npz_internal.h"
#include "core/io/safetensors_internal.h"
#include "core/memory.h"
#include "core/shape.h"

#include <errno.h>
#include <string.h>

static json_t *metadata_of(const ag_checkpoint *c)
{
    return json_object_get(c->root, "__metadata__");
}

static ag_status read_bytes(const ag_checkpoint *c, void *out, size_t bytes, FILE *file,
                            ag_failure *why)
{
    if (bytes == 0 || fread(out, 1, bytes, file) == bytes) return AG_OK;
    return ag_fail(why, AG_EFILE, "%s: the file cannot be read (%s)", c->path,
                   ferror(file) ? strerror(errno) : "it became shorter while it was read");
}

/* Reads the length of the header and the header itself. */
static ag_status read_header(ag_checkpoint *c, FILE *file, uint64_t size, ag_failure *why)
{
    unsigned char first[8];
    uint64_t length = 0;
    if (size < 10)
        return ag_fail(
            why, AG_EDATA,
            "%s: the file has %llu bytes, a safetensors file at least 10; it is cut short or no "
            "checkpoint",
            c->path, (unsigned long long)size);
    if (read_bytes(c, first, 8, file, why) != AG_OK) return AG_EFILE;
    for (int i = 7; i >= 0; i--) length = length << 8 | first[i];
    if (length < 2 || length > AG__HEADER_LIMIT || length > size - 8)
        return ag_fail(
            why, AG_EDATA,
            "%s: the first 8 bytes say that the header has %llu bytes; it must have 2 to "
            "100,000,000 and fit into the file of %llu bytes",
            c->path, (unsigned long long)length, (unsigned long long)size);
    if (size - 8 - length > SIZE_MAX / 2)
        return ag_fail(why, AG_EMEMORY, "%s: the file is too large for this machine", c->path);
    c->size = (size_t)(size - 8 - length);
    char *text = ag_alloc((size_t)length);
    if (!text)
        return ag_fail(why, AG_EMEMORY, "%s: there is no memory for a header of %llu bytes",
                       c->path, (unsigned long long)length);
    ag_status status = read_bytes(c, text, (size_t)length, file, why);
    if (status == AG_OK) status = ag__header_parse(c, text, (size_t)length, why);
    ag_free(text);
    return status;
}

static ag_status read_data(ag_checkpoint *c, FILE *file, ag_failure *why)
{
    c->data = ag_alloc(c->size);
    if (!c->data)
        return ag_fail(why, AG_EMEMORY, "%s: there is no memory for %zu bytes of tensors", c->path,
                       c->size);
    for (int i = 0; i < c->count; i++) c->entries[i].item.data = c->data + c->entries[i].begin;
    return read_bytes(c, c->data, c->size, file, why);
}

/* Compares the header with its checksum `stored`. Takes what the checksum leaves out off the
 * header. */
static ag_status verify_header(ag_checkpoint *c, const char *stored, ag_failure *why)
{
    char digits[AG__DIGITS], given[AG__DIGITS];
    snprintf(given, sizeof given, "%s", stored);
    int same_length = strlen(stored) == AG__DIGITS - 1;
    json_object_del(metadata_of(c), "xxh3"); /* `stored` ends here */
    for (int i = 0; i < c->count; i++)
        json_object_del(json_object_get(c->root, c->entries[i].item.name), "data_offsets");
    ag_status status = ag__checksum_header(digits, c->root, why);
    if (status != AG_OK) return status;
    if (!same_length || strcmp(digits, given) != 0)
        return ag_fail(why, AG_EDATA,
                       "%s: the header is damaged (its checksum differs); take another checkpoint",
                       c->path);
    return AG_OK;
}

static ag_status verify_tensor(const ag_checkpoint *c, const ag__entry *e, ag_failure *why)
{
    char digits[AG__DIGITS], quoted[AG__QUOTE];
    char *key = ag__checksum_key(e->item.name);
    if (!key) return ag_fail(why, AG_EMEMORY, "%s: there is no memory for a checksum", c->path);
    const char *stored = json_string_value(json_object_get(metadata_of(c), key));
    ag_free(key);
    ag__checksum(digits, e->item.data, (size_t)(e->end - e->begin));
    if (stored && strcmp(stored, digits) == 0) return AG_OK;
    return ag_fail(why, AG_EDATA, "%s: tensor \"%s\" %s; take another checkpoint", c->path,
                   ag__quote(quoted, e->item.name),
                   stored ? "is damaged (its checksum differs)"
                          : "has no checksum although the file has checksums");
}

/* Files of other programs have no checksums; a file of ours has all of them. */
static ag_status verify(ag_checkpoint *c, ag_failure *why)
{
    const char *key;
    json_t *value, *metadata = metadata_of(c);
    const char *stored = json_string_value(json_object_get(metadata, "xxh3"));
    if (!stored) {
        json_object_foreach(metadata, key, value)
        {
            if (ag__begins_with(key, "xxh3:"))
                return ag_fail(why, AG_EDATA,
                               "%s: the header is damaged (its checksum is missing); take another "
                               "checkpoint",
                               c->path);
        }
        return AG_OK;
    }
    ag_status status = verify_header(c, stored, why);
    for (int i = 0; i < c->count && status == AG_OK; i++)
        status = verify_tensor(c, &c->entries[i], why);
    c->verified = status == AG_OK;
    return status;
}

/* Converts the values of F16 and BF16 to float32. */
static ag_status widen(ag_checkpoint *c, ag_failure *why)
{
    size_t count = 0;
    for (int i = 0; i < c->count; i++)
        if (ag__is_half(&c->entries[i]))
            count += (size_t)(c->entries[i].end - c->entries[i].begin) / 2;
    if (!count) return AG_OK;
    float *at = c->widened = ag_alloc(ag_size_mul(count, sizeof *at));
    if (!at)
        return ag_fail(why, AG_EMEMORY, "%s: there is no memory for %zu values as float32", c->path,
                       count);
    for (int i = 0; i < c->count; i++) {
        ag__entry *e = &c->entries[i];
        if (!ag__is_half(e)) continue;
        const unsigned char *half = e->item.data;
        e->item.data = at;
        for (uint64_t k = e->begin; k < e->end; k += 2, half += 2, at++) {
            uint16_t low = (uint16_t)(half[0] | half[1] << 8);
            uint32_t bits = (uint32_t)low << 16; /* BF16 is the upper half of F32 */
            memcpy(at, &bits, sizeof *at);
            if (e->type->name[0] == 'F') *at = ag__from_half(low);
        }
    }
    return AG_OK;
}

ag_checkpoint *ag__checkpoint_read_file(FILE *file, uint64_t size, const char *path,
                                        ag_failure *why)
{
    ag_checkpoint *c = ag_alloc(sizeof *c);
    if (!c) {
        ag_fail(why, AG_EMEMORY, "%s: there is no memory to open a checkpoint", ag_path_tail(path));
        return NULL;
    }
    *c = (ag_checkpoint){0};
    snprintf(c->path, sizeof c->path, "%s", ag_path_tail(path));
    ag_status status = read_header(c, file, size, why);
    if (status == AG_OK) status = read_data(c, file, why);
    if (status == AG_OK) status = verify(c, why);
    if (status == AG_OK) status = widen(c, why);
    if (status == AG_OK) return c;
    ag_checkpoint_close(c);
    return NULL;
}

ag_checkpoint *ag_checkpoint_open(const char *path, ag_failure *why)
{
    if (!path) {
        ag__refuse_null(why, "ag_checkpoint_open", "path");
        return NULL;
    }
    int64_t size;
    FILE *file = ag__open_regular(path, &size, why);
    if (!file) return NULL;
    ag_failure here = {0};
    const uint64_t mode = ag__float_mode_enter(); /* a header may have any number */
    ag_checkpoint *c = ag__checkpoint_read_file(file, (uint64_t)size, path, &here);
    ag__float_mode_set(mode);
    fclose(file);
    if (here.status == AG_EDATA) ag__say_mistaken(&here, path, "is a safetensors file");
    if (!c) ag_fail(why, here.status, "%s", here.sentence);
    return c;
}

void ag_checkpoint_close(ag_checkpoint *c)
{
    if (!c) return;
    json_decref(c->root);
    ag_free(c->entries);
    ag_free(c->data);
    ag_free(c->widened);
    ag_free(c);
}

int ag_checkpoint_verified(const ag_checkpoint *c) { return c && c->verified; }
int ag_checkpoint_count(const ag_checkpoint *c) { return c ? c->count : 0; }

const ag_checkpoint_item *ag_checkpoint_at(const ag_checkpoint *c, int index)
{
    return c && index >= 0 && index < c->count ? &c->entries[index].item : NULL;
}

const ag_checkpoint_item *ag_checkpoint_find(const ag_checkpoint *c, const char *name)
{
    for (int i = 0; c && name && i < c->count; i++)
        if (strcmp(c->entries[i].item.name, name) == 0) return &c->entries[i].item;
    return NULL;
}

ag_status ag_checkpoint_read(const ag_checkpoint *c, const char *name, ag_dtype dtype,
                             ag_shape shape, void *out, ag_failure *why)
{
    char have[64], want[64], quoted[AG__QUOTE];
    if (!c || !name) return ag__refuse_null(why, "ag_checkpoint_read", c ? "name" : "checkpoint");
    const ag_checkpoint_item *item = ag_checkpoint_find(c, name);
    ag__quote(quoted, name);
    if (!item) return ag_fail(why, AG_EDATA, "%s: there is no tensor \"%s\"", c->path, quoted);
    if (item->dtype != dtype)
        return ag_fail(why, AG_EDATA, "%s: tensor \"%s\" is %s; %s is wanted", c->path, quoted,
                       ag_dtype_name(item->dtype), ag_dtype_name(dtype));
    if (!ag_shape_equal(item->shape, shape))
        return ag_fail(why, AG_ESHAPE, "%s: tensor \"%s\" has shape %s; %s is wanted", c->path,
                       quoted, ag_shape_text(have, item->shape), ag_shape_text(want, shape));
    size_t bytes = (size_t)ag_shape_count(shape) * ag_dtype_bytes(dtype);
    if (bytes && !out) return ag__refuse_null(why, "ag_checkpoint_read", "out");
    if (bytes) memcpy(out, item->data, bytes);
    return AG_OK;
}

const char *ag_checkpoint_metadata(const ag_checkpoint *c, const char *key)
{
    return c && key ? json_string_value(json_object_get(metadata_of(c), key)) : NULL;
}

int ag_checkpoint_metadata_at(const ag_checkpoint *c, int index, ag_checkpoint_pair *pair)
{
    const char *key;
    json_t *value;
    if (!c || !pair) return 0;
    json_object_foreach(metadata_of(c), key, value)
    {
        if (ag__begins_with(key, "xxh3")) continue;
        if (index-- > 0) continue;
        *pair = (ag_checkpoint_pair){key, json_string_value(value)};
        return 1;
    }
    return 0;
}
