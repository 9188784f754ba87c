/* SPDX-License-Identifier: MIT */
/* A set of names. */
#include "examples/lab/text/text_internal.h"
#include "core/core.h"

#include <stdio.h>
#include <string.h>

/* The slot that has the name, or the free one where it belongs. */
static int slot_of(const lab_names *names, const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    int at = (int)(hash & (uint32_t)(names->slots - 1));
    while (names->slot[at] && strcmp(names->name[names->slot[at] - 1], name) != 0)
        at = (at + 1) & (names->slots - 1);
    return at;
}

int lab__names_find(const lab_names *names, const char *name)
{
    return names->slots ? names->slot[slot_of(names, name)] - 1 : -1;
}

/* Twice the room; at most half of the slots are taken. */
static ag_status grow(lab_names *names, ag_failure *why)
{
    int slots = names->slots ? 2 * names->slots : 256;
    size_t bytes = (size_t)slots * sizeof *names->slot;
    void *name = ag_grow(names->name, (size_t)(slots / 2) * sizeof *names->name);
    if (name) names->name = name;
    int *slot = name ? ag_alloc(bytes) : NULL;
    if (!slot) return ag_fail(why, AG_EMEMORY, "There is no memory for %d names", slots / 2);
    ag_free(names->slot);
    memset(slot, 0, bytes);
    names->slot = slot;
    names->slots = slots;
    for (int i = 0; i < names->n; i++) slot[slot_of(names, names->name[i])] = i + 1;
    return AG_OK;
}

ag_status lab__names_add(lab_names *names, const char *name, ag_failure *why)
{
    if (2 * (names->n + 1) > names->slots && grow(names, why)) return AG_EMEMORY;
    names->slot[slot_of(names, name)] = names->n + 1;
    snprintf(names->name[names->n++], LAB_NAME, "%s", name);
    return AG_OK;
}

void lab__names_clear(lab_names *names)
{
    ag_free(names->name);
    ag_free(names->slot);
    memset(names, 0, sizeof *names);
}
