/* SPDX-License-Identifier: MIT */
/* JSON texts with other values. */
#ifndef TEST_JSON_MERGE_H
#define TEST_JSON_MERGE_H

#include <jansson.h>

/* The object `text` with the values of another one, until the next call. */
static inline const char *json_merge(const char *text, const char *values)
{
    static char merged[8192];
    json_t *all = json_loads(text, 0, NULL), *some = json_loads(values, 0, NULL);
    json_object_update(all, some);
    merged[json_dumpb(all, merged, sizeof merged - 1, 0)] = 0;
    json_decref(all);
    json_decref(some);
    return merged;
}

#endif
