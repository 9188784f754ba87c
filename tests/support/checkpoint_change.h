/* SPDX-License-Identifier: MIT */
/* Checkpoints with one thing changed. */
#ifndef TEST_CHECKPOINT_CHANGE_H
#define TEST_CHECKPOINT_CHANGE_H

#include "support/test.h"
#include "core/io/io.h"

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

/* Writes the checkpoint to `to` with another text under a key of the metadata (values of the
   configuration are put into it; text NULL: without the key), and with other numbers in a tensor
   (data NULL: laid down, its two axes changed or its only one followed by another of size 1); key,
   tensor NULL: as they are. */
static inline void checkpoint_change(const char *to, const char *from, const char *key,
                                     const char *text, const char *tensor, const void *data)
{
    ag_checkpoint_item item[400];
    ag_checkpoint_pair pair[20];
    int n = 0, pairs = 0;
    ag_checkpoint *file = expect_made(ag_checkpoint_open(from, new_failure()));
    assert_in_range(ag_checkpoint_count(file), 1, 400);
    for (; n < ag_checkpoint_count(file); n++) {
        item[n] = *ag_checkpoint_at(file, n);
        if (!tensor || strcmp(item[n].name, tensor) != 0) continue;
        const int *size = item[n].shape.size;
        if (data)
            item[n].data = data;
        else
            item[n].shape =
                item[n].shape.rank == 2 ? AG_SHAPE(size[1], size[0]) : AG_SHAPE(size[0], 1);
    }
    for (int i = 0; ag_checkpoint_metadata_at(file, i, &pair[pairs]); i++) {
        ag_checkpoint_pair *p = &pair[pairs];
        const int other = key && !strcmp(p->key, key);
        if (other && text && !strcmp(key, "configuration") && !strncmp(text, "{\"", 2))
            p->value = json_merge(p->value, text);
        else if (other)
            p->value = text;
        pairs += p->value != NULL;
        assert_in_range(pairs, 0, 19);
    }
    expect_ok(ag_checkpoint_save(to, item, n, pair, pairs, new_failure()));
    ag_checkpoint_close(file);
}

#endif
