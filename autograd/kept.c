/* SPDX-License-Identifier: MIT */
/* Arrays of graphs stay on the device. They are known by the serial number of the graph and by
   where they are on the host; the place is not enough, since memory is used again. The first time,
   an array is only noted, since many batches of graphs are used only once. */
#include "autograd/tape.h"
#include "core/memory.h"

static ag_kept *find_kept(ag_tape *tape, const ag_tensor *x)
{
    for (int i = 0; x->serial && i < tape->n_kept; i++)
        if (tape->kept[i].serial == x->serial && tape->kept[i].data == x->data)
            return &tape->kept[i];
    return NULL;
}

void *ag__kept_find(ag_tape *tape, const ag_tensor *x)
{
    ag_kept *k = find_kept(tape, x);
    if (k) k->used = tape->generation;
    return k ? k->there : NULL;
}

/* Room for one more: a new one, or that of the one not used for longest. NULL: all are in use. */
static ag_kept *make_place(ag_tape *tape)
{
    if (!tape->kept) tape->kept = ag_alloc(AG_KEPT * sizeof *tape->kept);
    if (!tape->kept) return NULL;
    if (tape->n_kept < AG_KEPT) return &tape->kept[tape->n_kept++];
    ag_kept *oldest = &tape->kept[0];
    for (int i = 1; i < AG_KEPT; i++)
        if (tape->kept[i].used < oldest->used) oldest = &tape->kept[i];
    if (oldest->used == tape->generation) return NULL;
    ag__device_give(oldest->there);
    return oldest;
}

void ag__kept_sent(ag_tape *tape, const ag_tensor *x, const void *place, size_t bytes)
{
    if (!x->serial || !bytes) return;
    ag_kept *k = find_kept(tape, x);
    if (!k) {
        k = make_place(tape);
        if (k) *k = (ag_kept){x->serial, tape->generation, x->data, NULL};
        return;
    }
    if (!k->there) k->there = ag__device_take(bytes); /* without memory it is sent every time */
    if (k->there) ag__device_copy(k->there, place, bytes);
}

void ag__kept_free(ag_tape *tape)
{
    for (int i = 0; i < tape->n_kept; i++) ag__device_give(tape->kept[i].there);
    ag_free(tape->kept);
}
