/* SPDX-License-Identifier: MIT */
/* XXH3 of tensors and of the header, so that damaged files are noticed: the format itself has no
 * checksum. */
#include "core/io/safetensors_internal.h"
#include "core/error.h"
#include "core/memory.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

void ag__checksum(char digits[AG__DIGITS], const void *data, size_t bytes)
{
    snprintf(digits, AG__DIGITS, "%016" PRIx64, (uint64_t)XXH3_64bits(data, bytes));
}

char *ag__checksum_key(const char *tensor)
{
    static const char prefix[] = "xxh3:";
    size_t n = strlen(tensor);
    char *key = ag_alloc(n + sizeof prefix);
    if (!key) return NULL;
    memcpy(key, prefix, sizeof prefix - 1);
    memcpy(key + sizeof prefix - 1, tensor, n + 1);
    return key;
}

ag_status ag__checksum_header(char digits[AG__DIGITS], const json_t *root, ag_failure *why)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
    size_t bytes = json_dumpb(root, NULL, 0, flags);
    char *text = bytes ? ag_alloc(bytes) : NULL;
    ag_status status = AG_OK;
    if (text && json_dumpb(root, text, bytes, flags) == bytes)
        ag__checksum(digits, text, bytes);
    else
        status = ag_fail(why, AG_EMEMORY, "there is no memory for the checksum of a header");
    ag_free(text);
    return status;
}
