/* SPDX-License-Identifier: MIT */
/* Work of the harness inside somebody else's process: a failed allocation, which ends a program,
   ends the work alone. */
#include "examples/harness/rescue.h"

#include "core/internal.h"

#include <setjmp.h>
#include <stdbool.h>

enum { JSONS = 4 };

/* Of this thread; what it holds is given back when an allocation fails. */
static _Thread_local struct {
    bool active;
    jmp_buf back;
    void **block;
    size_t count, room, wanted;
    json_t *json[JSONS];
} rescue;

ag_status harness_without_exit(void (*work)(void *context), void *context, ag_failure *why)
{
    if (!setjmp(rescue.back)) {
        rescue.active = true;
        work(context);
    } else {
        while (rescue.count) ag__free(rescue.block[--rescue.count]);
        for (int i = 0; i < JSONS; i++) json_decref(rescue.json[i]);
        ag_fail(why, AG_EMEMORY, "no memory for %zu more bytes; free some and call again",
                rescue.wanted);
    }
    rescue.active = false;
    rescue.count = rescue.room = 0;
    ag__free(rescue.block);
    rescue.block = NULL;
    for (int i = 0; i < JSONS; i++) rescue.json[i] = NULL;
    return why->status;
}

void harness__rescue_out_of_memory(size_t bytes)
{
    if (!rescue.active) return;
    rescue.wanted = bytes;
    longjmp(rescue.back, 1);
}

void harness__rescue_take(void *block)
{
    if (!rescue.active) return;
    if (rescue.count == rescue.room) {
        const size_t room = rescue.room ? 2 * rescue.room : 64;
        void **list = ag__grow(rescue.block, room * sizeof *list);
        if (!list) {
            ag__free(block);
            harness__rescue_out_of_memory(room * sizeof *list);
        }
        rescue.block = list;
        rescue.room = room;
    }
    rescue.block[rescue.count++] = block;
}

void harness__rescue_give(const void *block)
{
    if (!rescue.active || !block) return;
    for (size_t i = rescue.count; i-- > 0;)
        if (rescue.block[i] == block) {
            rescue.block[i] = rescue.block[--rescue.count];
            return;
        }
}

json_t *harness_hold_json(json_t *j)
{
    for (int i = 0; rescue.active && i < JSONS; i++)
        if (!rescue.json[i]) {
            rescue.json[i] = j;
            break;
        }
    return j;
}

void harness_drop_json(json_t *j)
{
    for (int i = 0; rescue.active && i < JSONS; i++)
        if (rescue.json[i] == j) rescue.json[i] = NULL;
    json_decref(j);
}
