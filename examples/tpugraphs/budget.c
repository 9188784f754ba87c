/* SPDX-License-Identifier: MIT */
/* The limit on memory. */
#include "examples/tpugraphs/tpugraphs.h"
#include "core/error.h"
#include "core/memory.h"

#include <string.h>

size_t tpugraphs_rest(const tpugraphs_budget *b)
{
    return b->limit > b->used ? b->limit - b->used
                              : b->limit > 0; /* a limit of 0 would mean no limit */
}

int tpugraphs_exceeds(const tpugraphs_budget *budget, size_t bytes)
{
    return budget && budget->limit && ag_size_add(budget->used, bytes) > budget->limit;
}

ag_status tpugraphs_fits(const tpugraphs_budget *budget, size_t bytes, const char *name,
                         const char *what, ag_failure *why)
{
    if (!tpugraphs_exceeds(budget, bytes)) return AG_OK;
    return ag_fail(why, AG_EMEMORY,
                   "%s: %s needs %zu bytes in memory, but %zu of the limit of %zu are taken; raise "
                   "--ram-limit or "
                   "use fewer files",
                   name, what, bytes, budget->used, budget->limit);
}

void *tpugraphs_alloc(size_t bytes, const char *name, ag_failure *why)
{
    void *block = ag_alloc(bytes);
    if (!block) harness_files_no_memory(name, bytes, why);
    return block;
}

void *tpugraphs_take(tpugraphs_budget *budget, size_t *bytes, size_t count, size_t size,
                     const char *name, ag_failure *why)
{
    size_t wanted = ag_size_mul(count, size);
    if (tpugraphs_fits(budget, wanted, name, "its graph", why)) return NULL;
    void *block = tpugraphs_alloc(wanted, name, why);
    if (!block) return NULL;
    *bytes += wanted;
    if (budget) budget->used += wanted;
    return block;
}

char *tpugraphs_take_name(tpugraphs_budget *budget, size_t *bytes, const char *path,
                          ag_failure *why)
{
    const char *base = harness_files_base(path);
    const size_t length = strlen(base);
    char *name = tpugraphs_take(budget, bytes, length + 1, 1, harness_files_short(path), why);
    if (!name) return NULL;
    memcpy(name, base, length + 1);
    if (length > 4 && !strcmp(base + length - 4, ".npz")) name[length - 4] = 0;
    return name;
}

void *tpugraphs_grow(tpugraphs_budget *budget, size_t *bytes, void *list, int *room, int64_t count,
                     size_t size, ag_failure *why)
{
    if (count <= *room) return list;
    const int64_t wanted = count > 2 * (int64_t)*room ? count : 2 * (int64_t)*room;
    const size_t more = ag_size_mul((size_t)(wanted - *room), size);
    if (tpugraphs_fits(budget, more, "data", "a list", why)) return NULL;
    void *grown = wanted > INT32_MAX ? NULL : ag_grow(list, ag_size_mul((size_t)wanted, size));
    if (!grown) {
        harness_files_no_memory("data", ag_size_mul((size_t)wanted, size), why);
        return NULL;
    }
    *room = (int)wanted;
    *bytes += more;
    budget->used += more;
    return grown;
}

void *tpugraphs_lay(char *block, size_t *at, int64_t count, size_t size)
{
    enum { ALIGN = 64 };
    void *array = block ? block + *at : NULL;
    const size_t bytes = ag_size_mul((size_t)count, size);
    *at = ag_size_add(*at, ag_size_add(bytes, ALIGN - 1) / ALIGN * ALIGN);
    return array;
}
