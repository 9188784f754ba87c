/* SPDX-License-Identifier: MIT */
/* The header of a safetensors file: u64 length, JSON, then the bytes of the tensors. */
#ifndef AG_CORE_IO_SAFETENSORS_INTERNAL_H
#define AG_CORE_IO_SAFETENSORS_INTERNAL_H

#include "core/internal.h"
#include "core/io/io.h"

#include <jansson.h>

enum { AG__HEADER_LIMIT = 100000000, AG__QUOTE = 64, AG__DIGITS = 17 };

/* A type of the format. `bytes` are those of a value in the file; F16 and BF16 become float32. */
typedef struct ag__tensor_type {
    const char *name;
    ag_dtype dtype;
    unsigned bytes;
} ag__tensor_type;

/* A tensor of a file: its bytes are begin..end-1 after the header; `order` is its place in the
 * header. */
typedef struct ag__entry {
    ag_checkpoint_item item;
    const ag__tensor_type *type;
    uint64_t begin, end;
    int order;
} ag__entry;

struct ag_checkpoint {
    char path[208]; /* for sentences */
    json_t *root;   /* the header; owns names and metadata */
    ag__entry *entries;
    int count, verified;
    unsigned char *data;
    size_t size;
    float *widened; /* the values of F16 and BF16 */
};

/* Text from a file as it may appear in a sentence: at most 60 printable characters. */
const char *ag__quote(char out[AG__QUOTE], const char *text);

/* The format's name of a type ("F32"). NULL: it has none. */
const char *ag__tensor_type_name(ag_dtype dtype);

/* 1: a value of two bytes, which is read as float32. */
int ag__is_half(const ag__entry *e);

/* Fills c->root and c->entries (sorted by place) from the text of a header for c->size bytes of
   tensors. Nothing that the header claims is allocated before it is checked. */
ag_status ag__header_parse(ag_checkpoint *c, const char *text, size_t length, ag_failure *why);

/* XXH3-64 as 16 digits. */
void ag__checksum(char digits[AG__DIGITS], const void *data, size_t bytes);

/* The metadata key of a tensor's checksum; free with ag_free; NULL: no memory. */
char *ag__checksum_key(const char *tensor);

/* The checksum of a header: that of its JSON, compact and with sorted keys. The caller has removed
   "xxh3" and "data_offsets" from it. */
ag_status ag__checksum_header(char digits[AG__DIGITS], const json_t *root, ag_failure *why);

/* Reads and checks a whole file of `size` bytes; `path` is for sentences. */
ag_checkpoint *ag__checkpoint_read_file(FILE *file, uint64_t size, const char *path,
                                        ag_failure *why);

#endif
