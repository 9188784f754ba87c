/* SPDX-License-Identifier: MIT */
/* Parses and checks the header of a safetensors file. The rules are those of the format's README:
   no duplicate keys, spans that equal type x shape, exact tiling without holes. */
#include "core/io/safetensors_internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/shape.h"

#include <stdlib.h>
#include <string.h>

/* The last two are read and never written. */
static const ag__tensor_type tensor_types[] = {
    {"F32", AG_F32, 4}, {"F64", AG_F64, 8}, {"U8", AG_U8, 1},   {"I8", AG_I8, 1},
    {"I32", AG_I32, 4}, {"I64", AG_I64, 8}, {"F16", AG_F32, 2}, {"BF16", AG_F32, 2}};
enum { TENSOR_TYPES = sizeof tensor_types / sizeof *tensor_types };

const char *ag__tensor_type_name(ag_dtype dtype)
{
    for (int i = 0; i < TENSOR_TYPES; i++)
        if (tensor_types[i].dtype == dtype) return tensor_types[i].name;
    return NULL;
}

int ag__is_half(const ag__entry *e) { return e->type->bytes == 2; }

const char *ag__quote(char out[AG__QUOTE], const char *text)
{
    int n = 0;
    for (; n < 60 && text[n]; n++) out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    memcpy(out + n, text[n] ? "..." : "", text[n] ? 4 : 1);
    return out;
}

static ag_status parse_shape(ag_shape *shape, const json_t *list, const char *where,
                             ag_failure *why)
{
    size_t rank = json_array_size(list);
    if (!json_is_array(list) || rank > AG_MAX_AXES)
        return ag_fail(
            why, AG_EDATA,
            "%s: the shape has %zu axes or is not a list; a list of up to 4 sizes can be read",
            where, rank);
    *shape = AG_SCALAR;
    shape->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        const json_t *size = json_array_get(list, i);
        json_int_t n = json_integer_value(size);
        if (!json_is_integer(size) || n < 0 || n > INT_MAX)
            return ag_fail(why, AG_EDATA, "%s: size %zu of the shape is %lld; it must be 0 to %d",
                           where, i, (long long)n, INT_MAX);
        shape->size[i] = (int)n;
    }
    if (ag_shape_count(*shape) < 0)
        return ag_fail(why, AG_EDATA, "%s: the shape has more than 2^40 elements", where);
    return AG_OK;
}

static ag_status parse_span(ag__entry *e, const json_t *list, uint64_t size, const char *where,
                            ag_failure *why)
{
    const json_t *first = json_array_get(list, 0), *last = json_array_get(list, 1);
    if (json_array_size(list) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return ag_fail(why, AG_EDATA, "%s: data_offsets must be two integers", where);
    json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || (uint64_t)end > size)
        return ag_fail(
            why, AG_EDATA,
            "%s: data_offsets are [%lld,%lld]; they must lie in 0 to %llu, the bytes after the "
            "header",
            where, (long long)begin, (long long)end, (unsigned long long)size);
    uint64_t need = (uint64_t)ag_shape_count(e->item.shape) * e->type->bytes;
    if ((uint64_t)(end - begin) != need)
        return ag_fail(why, AG_EDATA,
                       "%s: data_offsets span %lld bytes, but type and shape need %llu", where,
                       (long long)(end - begin), (unsigned long long)need);
    e->begin = (uint64_t)begin;
    e->end = (uint64_t)end;
    return AG_OK;
}

static ag_status parse_tensor(ag__entry *e, const ag_checkpoint *c, const char *name,
                              const json_t *info, ag_failure *why)
{
    char quoted[AG__QUOTE], where[sizeof c->path + AG__QUOTE + 16], kind[AG__QUOTE];
    snprintf(where, sizeof where, "%s: tensor \"%s\"", c->path, ag__quote(quoted, name));
    const char *type = json_string_value(json_object_get(info, "dtype"));
    const json_t *shape = json_object_get(info, "shape");
    const json_t *span = json_object_get(info, "data_offsets");
    if (!json_is_object(info) || json_object_size(info) != 3 || !type || !shape || !span)
        return ag_fail(why, AG_EDATA, "%s: it must have exactly dtype, shape and data_offsets",
                       where);
    e->item.name = name;
    for (int i = 0; i < TENSOR_TYPES; i++)
        if (strcmp(tensor_types[i].name, type) == 0) e->type = &tensor_types[i];
    if (!e->type)
        return ag_fail(
            why, AG_EDATA,
            "%s: its type is \"%s\"; F16, BF16, F32, F64, U8, I8, I32 and I64 can be read", where,
            ag__quote(kind, type));
    e->item.dtype = e->type->dtype;
    ag_status status = parse_shape(&e->item.shape, shape, where, why);
    return status != AG_OK ? status : parse_span(e, span, c->size, where, why);
}

static ag_status check_metadata(const ag_checkpoint *c, json_t *metadata, ag_failure *why)
{
    char quoted[AG__QUOTE];
    const char *key;
    json_t *value;
    if (!json_is_object(metadata))
        return ag_fail(why, AG_EDATA, "%s: __metadata__ must be an object of strings", c->path);
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return ag_fail(why, AG_EDATA, "%s: the metadata \"%s\" must be a string", c->path,
                           ag__quote(quoted, key));
    }
    return AG_OK;
}

static int by_place(const void *x, const void *y)
{
    const ag__entry *a = x, *b = y;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return a->order - b->order;
}

/* The tensors must cover the bytes after the header exactly. */
static ag_status check_tiling(const ag_checkpoint *c, ag_failure *why)
{
    char quoted[AG__QUOTE];
    uint64_t at = 0;
    for (int i = 0; i < c->count; i++) {
        const ag__entry *e = &c->entries[i];
        if (e->begin != at)
            return ag_fail(
                why, AG_EDATA,
                "%s: tensor \"%s\" begins at byte %llu, but the one before it ends at %llu; "
                "holes and overlaps are not allowed",
                c->path, ag__quote(quoted, e->item.name), (unsigned long long)e->begin,
                (unsigned long long)at);
        at = e->end;
    }
    if (at != c->size)
        return ag_fail(
            why, AG_EDATA,
            "%s: the tensors end at byte %llu, but %zu bytes follow the header; the file is cut "
            "short or has something appended",
            c->path, (unsigned long long)at, c->size);
    return AG_OK;
}

/* Parses twice, because jansson takes lack of memory for a syntax error or drops characters of a
   word when its buffer cannot grow: what two parses agree on is what the text says. */
static ag_status load_json(ag_checkpoint *c, const char *text, size_t length, ag_failure *why)
{
    char quoted[AG__QUOTE];
    json_error_t error = {0}, error2 = {0};
    if (text[0] != '{')
        return ag_fail(
            why, AG_EDATA,
            "%s: the header must begin with {; this is not a safetensors file or its first bytes "
            "are damaged",
            c->path);
    const char *deep = ag_json_too_deep(text, length);
    if (deep)
        return ag_fail(why, AG_EDATA,
                       "%s: the header has more than %d lists and objects within one another at "
                       "byte %zu, where safetensors files have 3; take another checkpoint",
                       c->path, AG_JSON_DEPTH, (size_t)(deep - text));
    c->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    json_t *again = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error2);
    int agree = c->root && again && json_equal(c->root, again);
    void *probe = c->root || again ? NULL : ag_alloc(length);
    int refused = probe && error.text[0] && error2.text[0] && error.position == error2.position;
    json_decref(again);
    ag_free(probe);
    if (agree) return AG_OK;
    if (refused)
        return ag_fail(why, AG_EDATA, "%s: the header is not valid JSON at byte %d (%s)", c->path,
                       error.position, ag__quote(quoted, error.text));
    return ag_fail(why, AG_EMEMORY, "%s: there is no memory for the header", c->path);
}

ag_status ag__header_parse(ag_checkpoint *c, const char *text, size_t length, ag_failure *why)
{
    const char *name;
    json_t *info;
    ag_status status = load_json(c, text, length, why);
    if (status != AG_OK) return status;
    c->entries = ag_alloc(ag_size_mul(json_object_size(c->root), sizeof *c->entries));
    if (!c->entries)
        return ag_fail(why, AG_EMEMORY, "%s: there is no memory for a table of %zu tensors",
                       c->path, json_object_size(c->root));
    json_object_foreach(c->root, name, info)
    {
        if (strcmp(name, "__metadata__") == 0) {
            status = check_metadata(c, info, why);
        } else {
            ag__entry *e = &c->entries[c->count];
            *e = (ag__entry){.order = c->count++};
            status = parse_tensor(e, c, name, info, why);
        }
        if (status != AG_OK) return status;
    }
    qsort(c->entries, (size_t)c->count, sizeof *c->entries, by_place);
    return check_tiling(c, why);
}
