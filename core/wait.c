/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread that sleeps is woken by a system call of about 4 us and is there after 10 to 50 us; one
   that is awake is there after 0.2 us. Regions of a step follow each other within a few
   microseconds, so 50 us awake will do: between 20, 50, 100 and 200 us no difference was seen in
   steps of a millisecond, three runs of each.

   Where programs want more processors than there are, a thread that is awake loses its processor
   for milliseconds. That does the least harm while it waits, so it then offers the processor after
   every few looks. If it comes back late, and had lost the processor, other programs want it, and
   for a while all waits are asleep. Where a host has taken the processor from a virtual machine, a
   thread is late without having lost it; that is no reason to sleep, since waking takes longest
   there. Next to two programs that never wait, on two processors, a step of 1 ms takes 8 ms on two
   threads (median of 8 runs, from 2 to 23) and 12 ms on one (9 to 24); 50 to 80 ms with OpenMP's
   way of waiting (one run). */
enum {
    LOOKS = 50, /* about 2 us */
    AWAKE = 50 * 1000,
    LATE = 100 * 1000,
    BUSY = 20 * 1000 * 1000
}; /* ns */

static atomic_llong busy_until;

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How often this thread lost its processor without going to sleep. */
static long losses(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) ? 0 : used.ru_nivcsw;
}

static int changed(atomic_uint *word, unsigned value)
{
    return atomic_load_explicit(word, memory_order_acquire) != value;
}

int ag__wait_awake(atomic_uint *word, unsigned value)
{
    const int64_t start = now();
    int64_t before = start, after;
    long lost = -1;
    if (start < atomic_load_explicit(&busy_until, memory_order_relaxed))
        return changed(word, value);
    for (;; before = after) {
        for (int i = 0; i < LOOKS; i++) {
            if (changed(word, value)) return 1;
            pause_briefly();
        }
        if (lost < 0) lost = losses();
        sched_yield();
        after = now();
        const int late = after - before > LATE && losses() != lost;
        if (late) atomic_store_explicit(&busy_until, after + BUSY, memory_order_relaxed);
        if (late || after - start > AWAKE) return changed(word, value);
    }
}

void ag__wait_asleep(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void ag__wake(atomic_uint *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }
