/* SPDX-License-Identifier: MIT */
/* One array of an npz file in one call. */
#include "core/io/npz_internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/shape.h"

static void *load(ag_npz *npz, const char *name, ag_dtype as, ag_shape *shape, const char *path,
                  ag_failure *why)
{
    const ag_array_info *info = ag_npz_find(npz, name);
    if (!info) {
        if (ag_npz_check(npz, name, why) == AG_OK)
            ag_fail(why, AG_EDATA, "%s: there is no array \"%s\"", path, name);
        return NULL;
    }
    const ag_shape wanted = *shape;
    int fits = wanted.rank == 0 || wanted.rank == info->rank;
    *shape = (ag_shape){info->rank, {1, 1, 1, 1}};
    for (int i = 0; i < info->rank; i++) {
        if (info->size[i] > INT32_MAX) {
            ag_fail(why, AG_ESHAPE, "%s: axis %d of \"%s\" has %lld elements; at most 2^31 - 1 fit",
                    path, i, name, (long long)info->size[i]);
            return NULL;
        }
        shape->size[i] = (int)info->size[i];
        if (i < wanted.rank && wanted.size[i] && wanted.size[i] != shape->size[i]) fits = 0;
    }
    if (!fits) {
        char have[64], want[64];
        ag_fail(why, AG_EDATA, "%s: \"%s\" is %s, but must be %s (0: any size); take another file",
                path, name, ag_shape_text(have, *shape), ag_shape_text(want, wanted));
        return NULL;
    }
    void *values = ag_alloc(ag_size_mul((size_t)info->count, ag_dtype_bytes(as)));
    if (!values) ag_fail(why, AG_EMEMORY, "no memory for \"%s\" of %s", name, path);
    if (!values || ag_npz_read(npz, name, as, values, why) == AG_OK) return values;
    ag_free(values);
    return NULL;
}

void *ag_npz_load(const char *path, const char *name, ag_dtype as, ag_shape *shape, ag_failure *why)
{
    if (!path || !name || !shape) {
        ag__refuse_null(why, "ag_npz_load", !path ? "path" : !name ? "name" : "shape");
        return NULL;
    }
    ag_npz *npz = ag_npz_open(path, SIZE_MAX, why);
    void *values = npz ? load(npz, name, as, shape, ag_path_tail(path), why) : NULL;
    ag_npz_close(npz);
    return values;
}
