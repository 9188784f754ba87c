/* SPDX-License-Identifier: MIT */
/* The room of a thread holds arrays that kernels need on that thread and that are too large for its
   stack. Each thread of the library has its own room; the room of a caller belongs to the tape that
   it runs. The next product, or the next unit of an op, overwrites the contents. */
#ifndef AG_CORE_ROOM_H
#define AG_CORE_ROOM_H

#include "core/types.h"

/* Sizes in elements: packed parts of B and A (core/blocks.c), and intermediate values of an op. */
enum { AG_ROOM_B = 128 * 256, AG_ROOM_A = (256 + 14) * 128, AG_ROOM_OP = 2 * 64 * 64 };

typedef struct ag_room {
    _Alignas(64) ag_real b[AG_ROOM_B];
    ag_real a[AG_ROOM_A], op[AG_ROOM_OP];
} ag_room;

/* The room of the calling thread; never NULL in a block of a run. */
ag_room *ag__room(void);

/* Gives the calling thread another room; returns the one before. */
ag_room *ag__room_use(ag_room *room);

#endif
