/* SPDX-License-Identifier: MIT */
#include "core/room.h"

static _Thread_local ag_room *current;

ag_room *ag__room(void) { return current; }

ag_room *ag__room_use(ag_room *room)
{
    ag_room *before = current;
    current = room;
    return before;
}
