/* SPDX-License-Identifier: MIT */
/* Finds the index of a kind in the list of all kinds by its text. Reserving room may fail; adding
   to it cannot. */
#include "examples/tpgnn/data/data_internal.h"

#include <string.h>
#include <xxhash.h>

static size_t slot_of(const tpgnn_index *x, const tpgnn_kind *kind, const char *text)
{
    size_t at = (size_t)XXH3_64bits(text, strlen(text)) & (x->room - 1);
    while (x->slot[at] >= 0 && strcmp(kind[x->slot[at]].text, text) != 0)
        at = (at + 1) & (x->room - 1);
    return at;
}

int tpgnn_index_find(const tpgnn_index *x, const tpgnn_kind *kind, const char *text)
{
    return x->room ? x->slot[slot_of(x, kind, text)] : -1;
}

void tpgnn_index_add(tpgnn_index *x, const tpgnn_kind *kind, int i)
{
    x->slot[slot_of(x, kind, kind[i].text)] = i;
}

void tpgnn_index_fill(tpgnn_index *x, const tpgnn_kind *kind, int kinds)
{
    for (size_t i = 0; i < x->room; i++) x->slot[i] = -1;
    for (int i = 0; i < kinds; i++) tpgnn_index_add(x, kind, i);
}

int tpgnn_index_room(tpgnn_index *x, const tpgnn_kind *kind, int kinds, size_t most)
{
    size_t room = 64;
    while (room < 2 * most) room *= 2;
    if (room <= x->room) return 0;
    int32_t *slot = ag_alloc(room * sizeof *slot);
    if (!slot) return 1;
    ag_free(x->slot);
    *x = (tpgnn_index){slot, room};
    tpgnn_index_fill(x, kind, kinds);
    return 0;
}
