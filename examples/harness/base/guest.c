/* SPDX-License-Identifier: MIT */
/* Calls from the process of another program, which lives on when they fail, and their memory. */
#include "examples/harness/base/guest.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <setjmp.h>
#include <string.h>

enum { WARNINGS = 2048, SPARE = 1 << 20 };

/* The call that runs on this thread, which nothing here is shared with. */
static _Thread_local struct {
    jmp_buf back;
    ag_failure *why;
    void **block; /* all of harness_alloc that are not freed yet */
    size_t blocks, room;
    void *spare; /* freed when there is no more memory */
    bool runs, ended;
} now;
static _Thread_local char warnings[WARNINGS];

bool harness_is_guest(void) { return now.runs; }
char *harness_guest_warnings(void) { return warnings; }

ag_status harness_guest(ag_status (*call)(void *context, ag_failure *why),
                        void (*close)(void *context), void *context, ag_failure *why)
{
    ag_arena *const before = harness__lasting_swap(NULL);
    memset(&now, 0, sizeof now);
    now.why = why;
    now.runs = true;
    now.spare = ag_alloc(SPARE);
    warnings[0] = 0;
    if (!now.spare)
        ag_fail(why, AG_EMEMORY, "out of memory: a call needs %d bytes more; free some", SPARE);
    else if (!setjmp(now.back))
        call(context, why);
    if (!setjmp(now.back)) close(context);
    while (now.ended && now.blocks) ag_free(now.block[--now.blocks]);
    ag_free(now.block);
    ag_free(now.spare);
    now.runs = false;
    harness_forget();
    harness__lasting_swap(before);
    return why->status;
}

void harness__guest_end(ag_status status, const char *sentence)
{
    if (!now.runs) return;
    ag_fail(now.why, status, "%s", sentence);
    now.ended = true;
    longjmp(now.back, 1);
}

bool harness__guest_hears(const char *kind, const char *text)
{
    const size_t said = strlen(warnings), bytes = strlen(text) + 2;
    if (!now.runs) return false;
    if (*kind && said + bytes < WARNINGS)
        snprintf(warnings + said, bytes, "%s%s", said ? "\n" : "", text);
    return true;
}

bool harness__guest_spends(size_t bytes)
{
    if (!now.runs || !now.spare) return false;
    ag_free(now.spare);
    now.spare = NULL;
    ag_fail(now.why, AG_EMEMORY, "out of memory: %zu more bytes are not to be had; free some",
            bytes);
    return true;
}

/* ---- the memory of harness_alloc, which is noted while such a call runs ---- */

/* Makes room to note one more block; false: there is no memory. */
static bool make_room(void)
{
    if (!now.runs || now.blocks < now.room) return true;
    const size_t room = 2 * now.room + 64;
    void **grown = ag_grow(now.block, room * sizeof *grown);
    if (!grown) return false;
    now.block = grown;
    now.room = room;
    return true;
}

/* The last are the first to be freed. */
static size_t find(const void *block)
{
    size_t i = now.blocks;
    while (i && now.block[i - 1] != block) i--;
    return i;
}

void *harness_grow(void *block, size_t bytes)
{
    const size_t at = now.runs && block ? find(block) : 0;
    void *grown = make_room() ? ag_grow(block, bytes) : NULL;
    if (!grown && harness__guest_spends(bytes) && make_room()) grown = ag_grow(block, bytes);
    if (!grown) harness_no_memory(bytes);
    if (at)
        now.block[at - 1] = grown;
    else if (now.runs && !block)
        now.block[now.blocks++] = grown;
    return grown;
}

/* A call that has ended may have freed the block just before. */
void harness_free(void *block)
{
    const size_t at = now.runs && block ? find(block) : 0;
    if (at) now.block[at - 1] = now.block[--now.blocks];
    if (at || !now.ended || !now.runs) ag_free(block);
}
