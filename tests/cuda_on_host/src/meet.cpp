/* SPDX-License-Identifier: MIT */
/* Warp functions and barriers: a thread waits until all that it names are at the same place. */
#include "threads.hpp"

namespace cuda_on_host
{

const char *name_of(meeting kind)
{
    static const char *const names[] = {"__shfl_sync", "__shfl_xor_sync", "__syncwarp",
                                        "__syncthreads"};
    return names[kind];
}

static bool differ(const site &a, const site &b)
{
    return a.line != b.line || (a.file != b.file && strcmp(a.file, b.file) != 0);
}

/* ---- lanes ---- */

static void refuse_missing(const warp &w, const thread &by)
{
    const unsigned missing = by.mask & (w.returned | ~w.present);
    if (!missing) return;
    const int lane = __builtin_ctz(missing);
    misuse("%s:%d: %s names lane %d, which %s", by.at.file, by.at.line, name_of(by.kind), lane,
           w.returned >> lane & 1 ? "has returned" : "is not there");
}

static void refuse_apart(const thread &a, const thread &b)
{
    if (a.mask != b.mask)
        misuse("%s:%d: lanes of a warp meet with different masks, %08x and %08x", a.at.file,
               a.at.line, a.mask, b.mask);
    if (a.kind != b.kind || differ(a.at, b.at))
        misuse("lanes of a warp are apart: %s at %s:%d and %s at %s:%d", name_of(a.kind), a.at.file,
               a.at.line, name_of(b.kind), b.at.file, b.at.line);
}

/* The lane that lane `me` gets its value from. */
static int source_of(const thread &t, int me)
{
    const int first = me / t.width * t.width, from = (me - first) ^ t.with;
    if (t.kind == SHFL) return first + (t.with & (t.width - 1));
    return from >= 0 && from < t.width ? first + from : me;
}

static void exchange(thread *lanes, unsigned mask)
{
    uint64_t given[32];
    for (unsigned left = mask; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        given[l] = lanes[l].value;
    }
    for (unsigned left = mask; left; left &= left - 1) {
        const int l = __builtin_ctz(left), from = source_of(lanes[l], l);
        if (!(mask >> from & 1))
            misuse("%s:%d: %s takes the value of lane %d, which mask %08x does not name",
                   lanes[l].at.file, lanes[l].at.line, name_of(lanes[l].kind), from, mask);
        lanes[l].value = given[from];
    }
}

/* All that lanes of `mask` wrote before is now known to each of them. */
static void settle(warp &w, unsigned mask)
{
    if (mask == w.present) {
        w.epoch++;
        w.parted = false;
        return;
    }
    if (!w.parted) memset(w.seen, 0, sizeof w.seen);
    if (!w.parted)
        for (int l = 0; l < 32; l++) w.seen[l][l] = 1;
    w.parted = true;
    uint16_t all[32] = {0};
    for (unsigned left = mask; left; left &= left - 1)
        for (int l = 0; l < 32; l++) all[l] = std::max(all[l], w.seen[__builtin_ctz(left)][l]);
    for (unsigned left = mask; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        memcpy(w.seen[l], all, sizeof all);
        w.seen[l][l]++; /* other lanes do not know what it does from here on */
    }
}

bool lane_has_settled(int other, uint16_t clock)
{
    const warp &w = the_block.warps[the_block.current / 32];
    return w.parted && w.seen[the_block.current & 31][other] >= std::max<uint16_t>(clock, 1);
}

static void release_lanes(int first, warp &w, unsigned mask)
{
    thread *lanes = the_block.threads + first;
    const thread &one = lanes[__builtin_ctz(mask)];
    for (unsigned left = mask; left; left &= left - 1)
        refuse_apart(one, lanes[__builtin_ctz(left)]);
    if (one.kind == SYNCWARP)
        settle(w, mask);
    else
        exchange(lanes, mask);
    w.waiting &= ~mask;
    for (unsigned left = mask; left; left &= left - 1) make_ready(first + __builtin_ctz(left));
}

/* ---- the block ---- */

static void release_block()
{
    const thread *one = nullptr;
    if (the_block.waiting < the_block.left) return;
    for (int t = 0; t < the_block.n_threads; t++) {
        const thread &f = the_block.threads[t];
        if (f.state != WAITS) continue;
        if (!one) one = &f;
        if (differ(one->at, f.at))
            misuse("threads of a block wait at two __syncthreads, %s:%d and %s:%d", one->at.file,
                   one->at.line, f.at.file, f.at.line);
    }
    the_block.epoch++;
    the_block.waiting = 0;
    for (int t = 0; t < the_block.n_threads; t++)
        if (the_block.threads[t].state == WAITS) make_ready(t);
}

void returned(int number)
{
    warp &w = the_block.warps[number / 32];
    w.returned |= 1u << (number & 31);
    for (unsigned left = w.waiting; left; left &= left - 1)
        refuse_missing(w, the_block.threads[number / 32 * 32 + __builtin_ctz(left)]);
    if (the_block.left && the_block.waiting) release_block();
}

uint64_t meet(meeting kind, unsigned mask, uint64_t value, int with, int width, site at)
{
    if (!now.inside) misuse("%s:%d: %s outside of a kernel", at.file, at.line, name_of(kind));
    const int me = the_block.current;
    thread &t = the_block.threads[me];
    warp &w = the_block.warps[me / 32];
    t.kind = kind;
    t.mask = mask;
    t.value = value;
    t.with = with;
    t.width = width;
    t.at = at;
    t.state = WAITS;
    if (kind == SYNCTHREADS) {
        the_block.waiting++;
        release_block();
    } else {
        if (!(mask >> (me & 31) & 1))
            misuse("%s:%d: a lane calls %s with mask %08x, which does not name it", at.file,
                   at.line, name_of(kind), mask);
        if (width < 1 || width > 32 || (width & (width - 1)))
            misuse("%s:%d: %s has width %d, but it must be a power of two up to 32", at.file,
                   at.line, name_of(kind), width);
        w.waiting |= 1u << (me & 31);
        refuse_missing(w, t);
        if ((w.waiting & mask) == mask) release_lanes(me & ~31, w, mask);
    }
    switch_to_scheduler();
    return t.value;
}

} // namespace cuda_on_host
