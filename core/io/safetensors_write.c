/* SPDX-License-Identifier: MIT */
/* Writes safetensors files with checksums. */
#include "core/io/safetensors_internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/shape.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
# error "checkpoints are written as they lie in memory, which the format wants little-endian"
#endif

/* The contents of a file. order[] has the items by falling size of their elements, so that all are
 * aligned. */
typedef struct job {
    const char *path;
    const ag_checkpoint_item *items;
    int n;
    int *order;
    json_t *root, *metadata;
    char *header; /* the length, the text and its padding */
    size_t header_bytes;
} job;

static size_t item_bytes(const ag_checkpoint_item *item)
{
    return (size_t)ag_shape_count(item->shape) * ag_dtype_bytes(item->dtype);
}

static ag_status no_memory(const job *j, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY, "%s: there is no memory to write the header",
                   ag_path_tail(j->path));
}

static ag_status check_item(const job *j, const ag_checkpoint_item *item, int index,
                            ag_failure *why)
{
    char text[64], quoted[AG__QUOTE];
    const char *path = ag_path_tail(j->path), *name = item->name ? item->name : "(null)";
    ag__quote(quoted, name);
    if (!ag__plain_name(item->name, 255, '!') || strcmp(name, "__metadata__") == 0)
        return ag_fail(
            why, AG_EUSE,
            "%s: the name of tensor %d is \"%s\"; a name has 1 to 255 printable ASCII characters, "
            "no space, and is not __metadata__",
            path, index, quoted);
    if (json_object_get(j->root, name))
        return ag_fail(why, AG_EUSE, "%s: the name \"%s\" is used for two tensors", path, quoted);
    if (!ag__tensor_type_name(item->dtype))
        return ag_fail(why, AG_EUSE, "%s: tensor \"%s\" has the unknown type %d", path, quoted,
                       (int)item->dtype);
    if (ag_shape_count(item->shape) < 0)
        return ag_fail(why, AG_ESHAPE, "%s: tensor \"%s\" has shape %s; sizes must be 0 or more",
                       path, quoted, ag_shape_text(text, item->shape));
    if (!item->data && ag_shape_count(item->shape) > 0)
        return ag_fail(why, AG_EUSE, "%s: tensor \"%s\" has shape %s but no data", path, quoted,
                       ag_shape_text(text, item->shape));
    return AG_OK;
}

/* Adds {"dtype":..,"shape":[..]} and the checksum of one tensor; the place follows in add_offsets.
 */
static ag_status add_item(job *j, const ag_checkpoint_item *item, ag_failure *why)
{
    char digits[AG__DIGITS];
    json_t *info = json_object(), *shape = json_array();
    int bad = 0;
    for (int i = 0; i < item->shape.rank; i++)
        bad |= json_array_append_new(shape, json_integer(item->shape.size[i]));
    bad |= json_object_set_new(info, "dtype", json_string(ag__tensor_type_name(item->dtype)));
    bad |= json_object_set_new(info, "shape", shape);
    bad |= json_object_set_new(j->root, item->name, info);
    char *key = ag__checksum_key(item->name);
    ag__checksum(digits, item->data, item_bytes(item));
    bad |= !key || json_object_set_new(j->metadata, key, json_string(digits));
    ag_free(key);
    return bad ? no_memory(j, why) : AG_OK;
}

static int is_utf8(const char *text)
{
    uint32_t code;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = ag__utf8(&code, s);
        if (!n) return 0;
        s += n;
    }
    return 1;
}

static ag_status add_pair(job *j, const ag_checkpoint_pair *pair, ag_failure *why)
{
    char quoted[AG__QUOTE];
    const char *key = pair->key ? pair->key : "(null)";
    ag__quote(quoted, key);
    if (!ag__plain_name(pair->key, 255, '!') || ag__begins_with(key, "xxh3") || !pair->value)
        return ag_fail(
            why, AG_EUSE,
            "%s: the metadata key \"%s\" is not allowed or has no value; a key has 1 to 255 "
            "printable ASCII characters, no space, and does not begin with xxh3",
            ag_path_tail(j->path), quoted);
    if (json_object_get(j->metadata, key))
        return ag_fail(why, AG_EUSE, "%s: the metadata key \"%s\" is used twice",
                       ag_path_tail(j->path), quoted);
    if (!is_utf8(pair->value))
        return ag_fail(why, AG_EUSE, "%s: the value of metadata \"%s\" is not valid UTF-8",
                       ag_path_tail(j->path), quoted);
    int bad = json_object_set_new(j->metadata, key, json_string(pair->value));
    return bad ? no_memory(j, why) : AG_OK;
}

static ag_status add_all(job *j, const ag_checkpoint_pair *pairs, int n_pairs, ag_failure *why)
{
    ag_status status = AG_OK;
    if (!j->root || json_object_set_new(j->root, "__metadata__", j->metadata))
        return no_memory(j, why);
    for (int i = 0; i < n_pairs && status == AG_OK; i++) status = add_pair(j, &pairs[i], why);
    for (int i = 0; i < j->n && status == AG_OK; i++)
        if ((status = check_item(j, &j->items[j->order[i]], j->order[i], why)) == AG_OK)
            status = add_item(j, &j->items[j->order[i]], why);
    return status;
}

/* The checksum of the header, which leaves the offsets out, and then the offsets. */
static ag_status add_offsets(job *j, ag_failure *why)
{
    char digits[AG__DIGITS];
    uint64_t at = 0;
    int bad = 0;
    ag_status status = ag__checksum_header(digits, j->root, why);
    if (status != AG_OK) return status;
    bad |= json_object_set_new(j->metadata, "xxh3", json_string(digits));
    for (int i = 0; i < j->n; i++) {
        const ag_checkpoint_item *item = &j->items[j->order[i]];
        json_t *span = json_array();
        bad |= json_array_append_new(span, json_integer((json_int_t)at));
        at += item_bytes(item);
        bad |= json_array_append_new(span, json_integer((json_int_t)at));
        bad |= json_object_set_new(json_object_get(j->root, item->name), "data_offsets", span);
    }
    return bad ? no_memory(j, why) : AG_OK;
}

/* Puts length, text and padding to a multiple of 8 together. */
static ag_status make_header(job *j, ag_failure *why)
{
    size_t bytes = json_dumpb(j->root, NULL, 0, JSON_COMPACT);
    size_t padded = (bytes + 7) / 8 * 8;
    if (padded > AG__HEADER_LIMIT)
        return ag_fail(
            why, AG_EUSE,
            "%s: the header has %zu bytes, the format allows 100,000,000; write less metadata",
            ag_path_tail(j->path), padded);
    j->header = bytes ? ag_alloc(8 + padded) : NULL;
    if (!j->header) return no_memory(j, why);
    uint64_t length = padded;
    memcpy(j->header, &length, 8);
    memset(j->header + 8, ' ', padded);
    if (json_dumpb(j->root, j->header + 8, bytes, JSON_COMPACT) != bytes) return no_memory(j, why);
    j->header_bytes = 8 + padded;
    return AG_OK;
}

static void write_bytes(FILE *file, const void *data, size_t bytes)
{
    if (bytes) fwrite(data, 1, bytes, file); /* ag_save_file looks at ferror */
}

static ag_status write_all(FILE *file, void *context)
{
    const job *j = context;
    write_bytes(file, j->header, j->header_bytes);
    for (int i = 0; i < j->n && !ferror(file); i++) {
        const ag_checkpoint_item *item = &j->items[j->order[i]];
        write_bytes(file, item->data, item_bytes(item));
    }
    return AG_OK;
}

/* Stable, by falling element size; unknown types, which check_item refuses, come last. */
static void sort_items(job *j)
{
    int at = 0;
    for (int bytes = 8; bytes >= 0; bytes--)
        for (int i = 0; i < j->n; i++) {
            ag_dtype dtype = j->items[i].dtype;
            int size = ag__tensor_type_name(dtype) ? (int)ag_dtype_bytes(dtype) : 0;
            if (size == bytes) j->order[at++] = i;
        }
}

ag_status ag_checkpoint_save(const char *path, const ag_checkpoint_item *items, int n,
                             const ag_checkpoint_pair *metadata, int pairs, ag_failure *why)
{
    job j = {.path = path, .items = items, .n = n};
    if (n < 0 || pairs < 0)
        return ag_fail(why, AG_EUSE, "ag_checkpoint_save: %d tensors and %d pairs were given", n,
                       pairs);
    if (!path || (n && !items) || (pairs && !metadata))
        return ag__refuse_null(why, "ag_checkpoint_save",
                               !path         ? "path"
                               : n && !items ? "items"
                                             : "metadata");
    j.order = ag_alloc(ag_size_mul((size_t)n, sizeof *j.order));
    if (!j.order) return no_memory(&j, why);
    sort_items(&j);
    j.root = json_object();
    j.metadata = j.root ? json_object() : NULL;
    ag_status status = add_all(&j, metadata, pairs, why);
    if (status == AG_OK) status = add_offsets(&j, why);
    if (status == AG_OK) status = make_header(&j, why);
    if (status == AG_OK) status = ag_save_file(path, write_all, &j, why);
    json_decref(j.root);
    ag_free(j.header);
    ag_free(j.order);
    return status;
}
