/* SPDX-License-Identifier: MIT */
/* Two accesses of a word by different threads, one of them a write, race unless a barrier is
   between them: __syncthreads for threads of a block, __syncwarp for lanes that both pass it.
   Shuffles order no memory, and nothing orders the blocks of a launch. Atomics do not race with
   each other. */
#include "check.hpp"

#include <sys/mman.h>

namespace cuda_on_host
{

enum { WORD = 4, PART = 4096 };

struct cell {
    access write, read[2];
    uint32_t launch, block; /* shared memory: the launch and block of the cell */
    uint8_t written;        /* shared memory: bytes that have been, a bit each */
};

/* Of each word of the device: */
enum { LIVE = 0x80, FREED = 0x40, WRITTEN = 0x0f };
static uint8_t *state;
static bool *unwritten; /* of each PART of these: all words are LIVE and nothing more */
static cell *of_device, *of_shared;
bool checking;

static void *shadow(size_t bytes)
{
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        misuse("there is no address space for the checker; make the device smaller with "
               "CUDA_ON_HOST_BYTES, which is %zu",
               device_size);
    return p;
}

static size_t word_of(const void *p) { return (size_t)((const char *)p - device_base) / WORD; }
static size_t words_of(size_t bytes) { return (bytes + WORD - 1) / WORD; }

/* Sets the states. Each product takes its 32 MiB of workspace again, which hardly anything writes:
   what is LIVE is left as it is. */
static void mark(const void *p, size_t bytes, uint8_t as)
{
    size_t at = word_of(p);
    for (const size_t end = at + words_of(bytes); at < end;) {
        const size_t part = at / PART, n = std::min(end, (part + 1) * PART) - at;
        if (as != LIVE || !unwritten[part]) {
            memset(state + at, as, n);
            unwritten[part] = as == LIVE && n == PART;
        }
        at += n;
    }
}

extern "C" {

void cuda_on_host_check_map()
{
    checking = option().check;
    if (!checking) return;
    state = (uint8_t *)shadow(device_size / WORD);
    unwritten = (bool *)shadow(device_size / WORD / PART + 1);
    of_device = (cell *)shadow(device_size / WORD * sizeof(cell));
    of_shared = (cell *)shadow(words_of((size_t)(__stop_cuda_shared - __start_cuda_shared) + WORD) *
                               sizeof(cell));
}

void cuda_on_host_check_taken(const void *p, size_t bytes)
{
    if (checking) mark(p, bytes, LIVE);
}

void cuda_on_host_check_given(const void *p, size_t bytes)
{
    if (checking) mark(p, bytes, FREED);
}

void cuda_on_host_check_wrote(const void *p, size_t bytes)
{
    if (!checking) return;
    mark(p, bytes, LIVE | WRITTEN);
    count_access(bytes, true, false);
}

void cuda_on_host_check_copied(const void *to, const void *from, size_t bytes)
{
    if (!checking) return;
    const size_t at = word_of(to), n = words_of(bytes);
    memmove(state + at, state + word_of(from), n);
    for (size_t part = at / PART; part * PART < at + n; part++) unwritten[part] = false;
    count_access(bytes, false, false);
    count_access(bytes, true, false);
}

void cuda_on_host_check_reads(const void *p, size_t bytes, const char *who)
{
    if (!checking) return;
    count_access(bytes, false, false);
    for (size_t i = word_of(p), n = words_of(bytes); n; n--, i++)
        if (state[i] != (LIVE | WRITTEN)) {
            bad(who, nullptr, nullptr);
            return;
        }
}

void cuda_on_host_check_atomic(const void *p, size_t bytes, void *pc)
{
    if (checking) look(p, bytes, true, ATOMIC, pc);
}
}

static access here(access_kind kind, uint8_t bytes)
{
    return {now.launch,     now.block,       now.thread, now.warp_epoch,
            now.lane_clock, now.block_epoch, kind,       bytes};
}

/* 1: nothing is between that access and the one that is made now. */
static bool races(const access &a, access_kind kind, uint8_t bytes)
{
    if (!a.kind || a.launch != now.launch || !(a.bytes & bytes)) return false;
    if (a.kind == ATOMIC && kind == ATOMIC) return false;
    if (a.block != now.block) return true;
    if (a.thread == now.thread || a.block_epoch != now.block_epoch) return false;
    if (a.thread / 32 != now.thread / 32) return true;
    return a.warp_epoch == now.warp_epoch && !lane_has_settled(a.thread % 32, a.lane_clock);
}

/* Of the last two threads. */
static void remember_read(cell &c, const access &a)
{
    const access &r = c.read[0];
    if (r.launch != a.launch || r.block != a.block || r.thread != a.thread) c.read[1] = r;
    c.read[0] = a;
}

static void look_at(cell &c, const access &a, bool writes, void *pc)
{
    if (races(c.write, a.kind, a.bytes))
        bad(writes ? "writes where another thread writes" : "reads where another thread writes", pc,
            &c.write);
    if (!writes) {
        remember_read(c, a);
        return;
    }
    for (const access &r : c.read)
        if (races(r, a.kind, a.bytes)) bad("writes where another thread reads", pc, &r);
    c.write = a;
}

/* 1: the launch has written it before, or, for one that reads, has read it. */
static bool was_touched(const cell &c, bool writes)
{
    bool touched = c.write.kind && c.write.launch == now.launch;
    for (const access &r : c.read) touched |= !writes && r.kind && r.launch == now.launch;
    return touched;
}

static void look_at_device(size_t word, const access &a, bool writes, void *pc)
{
    uint8_t &s = state[word];
    if (!(s & LIVE)) {
        bad(s & FREED ? "touches memory that is freed" : "touches memory outside of allocations",
            pc, nullptr);
        return;
    }
    if ((!writes || a.kind == ATOMIC) && a.bytes & ~s) bad("reads what nobody wrote", pc, nullptr);
    if (counting)
        count_access((size_t)__builtin_popcount(a.bytes), writes,
                     was_touched(of_device[word], writes));
    look_at(of_device[word], a, writes, pc);
    if (!writes) return;
    s |= a.bytes;
    unwritten[word / PART] = false;
}

static void look_at_shared(const char *p, const access &a, bool writes, void *pc)
{
    cell &c = of_shared[(size_t)(p - __start_cuda_shared) / WORD];
    if (c.launch != now.launch || c.block != now.block) {
        c = {};
        c.launch = now.launch;
        c.block = now.block;
    }
    const char *const dynamic_end = dynamic_memory + now.running->shared;
    if (p >= dynamic_end && p < dynamic_memory + MOST_SHARED)
        bad("touches shared memory beyond what the launch gave", pc, nullptr);
    if ((!writes || a.kind == ATOMIC) && a.bytes & ~c.written)
        bad("reads shared memory that nobody wrote", pc, nullptr);
    look_at(c, a, writes, pc);
    if (writes) c.written |= a.bytes;
}

extern "C" char __executable_start[], _end[];

/* Arguments of the kernel, its own stack, and data of the compiler's own. */
static bool is_own(const char *p)
{
    const bound_kernel &k = now.running->bound;
    const char *arguments = (const char *)k.arguments.get();
    return (p >= now.stack && p < now.stack_end) || (p >= __executable_start && p < _end) ||
           (p >= arguments && p < arguments + k.bytes);
}

void look(const void *at, size_t bytes, bool writes, access_kind kind, void *pc)
{
    const char *p = (const char *)at;
    if (!now.inside) return;
    const bool device = on_device(p), shared = p >= __start_cuda_shared && p < __stop_cuda_shared;
    if (!device && !shared) {
        if (!is_own(p)) bad("touches memory of the host", pc, nullptr);
        return;
    }
    while (bytes) { /* word by word */
        const size_t within = (size_t)p % WORD, n = std::min(bytes, WORD - within);
        const access a = here(kind, (uint8_t)(((1u << n) - 1) << within));
        if (device)
            look_at_device(word_of(p), a, writes, pc);
        else
            look_at_shared(p, a, writes, pc);
        p += n;
        bytes -= n;
    }
}

} // namespace cuda_on_host
