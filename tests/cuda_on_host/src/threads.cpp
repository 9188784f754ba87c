/* SPDX-License-Identifier: MIT */
/* Threads of a block are fibers of one processor: one runs until it has to wait for others, and
   then another one does, in random order. Therefore assumptions of a kernel (that lanes run in
   lockstep, that a neighbour's write is visible) fail unless it synchronises. */
#include "threads.hpp"

#include "stack.hpp"

#include <fenv.h>
#include <stdio.h>
#include <unistd.h>

#include <numeric>
#include <utility>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_host
{

place now;
block the_block;
static void *scheduler;

/* In the section of the shared variables, so that there is one, and that the checker sees it. */
__attribute__((section("cuda_shared"), used, aligned(256))) char dynamic_memory[MOST_SHARED];

void *dynamic_shared() { return dynamic_memory; }

void switch_to_scheduler()
{
    thread &t = the_block.threads[the_block.current];
    cuda_on_host_switch(&t.sp, scheduler);
}

void make_ready(int thread)
{
    the_block.threads[thread].state = READY;
    the_block.ready.push_back(thread);
}

/* Takes a random one of the threads that could run. */
static int next_thread()
{
    std::vector<int> &ready = the_block.ready;
    std::swap(ready.back(), ready[ready.size() - 1 - draw((uint32_t)ready.size())]);
    const int number = ready.back();
    ready.pop_back();
    return number;
}

/* Says that this thread runs from here on. */
static void begin(int number)
{
    const thread &t = the_block.threads[number];
    const warp &w = the_block.warps[number / 32];
    the_block.current = number;
    threadIdx = t.index;
    now.thread = (uint16_t)number;
    now.warp_epoch = w.epoch;
    now.lane_clock = w.parted ? w.seen[number & 31][number & 31] : 0;
    now.block_epoch = the_block.epoch;
    now.stack = stack_at(t.stack);
    now.stack_end = now.stack + STACK_BYTES;
    now.inside = true;
}

/* The thread that runs has returned. Returns the one that is next; -1: there is none. */
static int leave()
{
    now.inside = false;
    the_block.threads[the_block.current].state = RETURNED;
    the_block.left--;
    returned(the_block.current);
    return the_block.ready.empty() ? -1 : next_thread();
}

/* A thread, and after it those that follow at once and have not begun: they have its stack, one
   after the other, which is faster than a switch for each. */
static void enter()
{
    const bound_kernel &kernel = now.running->bound;
    const int stack = the_block.threads[the_block.current].stack;
    int next;
    for (;;) {
        kernel.call(kernel.function, kernel.arguments.get());
        next = leave();
        if (next < 0 || the_block.threads[next].state != FRESH) break;
        the_block.threads[next].stack = stack;
        the_block.threads[next].state = READY;
        begin(next);
    }
    give_stack(stack);
    the_block.next = next;
    switch_to_scheduler();
    __builtin_unreachable();
}

/* Lets a thread run until it waits, or it and those that follow it have returned. */
static void resume(int number)
{
    thread &t = the_block.threads[number];
    if (t.state == FRESH) {
        t.stack = take_stack();
        t.sp = stack_for(stack_at(t.stack) + STACK_BYTES, enter);
        t.state = READY;
    }
    begin(number);
    cuda_on_host_switch(&scheduler, t.sp);
    now.inside = false;
}

[[noreturn]] static void deadlock()
{
    fflush(stdout);
    fprintf(stderr, "cuda_on_host: threads wait for ever; kernel %s, block %u:\n",
            now.running->name, now.block);
    for (int t = 0, shown = 0; t < the_block.n_threads && shown < 8; t++) {
        const thread &f = the_block.threads[t];
        if (f.state != WAITS) continue;
        fprintf(stderr, "  thread %d in %s, %s:%d, mask %08x\n", t, name_of(f.kind), f.at.file,
                f.at.line, f.mask);
        shown++;
    }
    fflush(stderr);
    _exit(EXIT_MISUSE);
}

/* The checker's epochs begin again; shared memory is filled with garbage. */
static void prepare_block(size_t dynamic)
{
    const int n = the_block.n_threads;
    the_block.left = n;
    the_block.waiting = 0;
    the_block.next = -1;
    the_block.epoch = 0;
    for (int w = 0; w * 32 < n; w++) {
        const int lanes = n - w * 32 < 32 ? n - w * 32 : 32;
        warp &of = the_block.warps[w];
        of.present = lanes == 32 ? ~0u : (1u << lanes) - 1;
        of.waiting = of.returned = 0;
        of.epoch = 0;
        of.parted = false;
    }
    memset(__start_cuda_shared, POISON, (size_t)(dynamic_memory - __start_cuda_shared));
    memset(dynamic_memory, POISON, dynamic);
    memset(dynamic_memory + MOST_SHARED, POISON,
           (size_t)(__stop_cuda_shared - dynamic_memory - MOST_SHARED));
    the_block.ready.resize((size_t)n);
    for (int t = 0; t < n; t++) {
        the_block.threads[t].state = FRESH;
        the_block.ready[(size_t)(n - 1 - t)] = t; /* they are taken from the back */
    }
}

static void run_block(size_t dynamic)
{
    prepare_block(dynamic);
    while (the_block.left) {
        const int chosen = the_block.next;
        the_block.next = -1;
        if (chosen < 0 && the_block.ready.empty()) deadlock();
        resume(chosen < 0 ? next_thread() : chosen);
    }
}

/* Blocks in an order that is random and reaches each once: steps of a length that shares no factor
   with their number. */
static void run_blocks(const kernel &k)
{
    const uint64_t n = (uint64_t)k.grid.x * k.grid.y * k.grid.z;
    uint64_t at = draw((uint32_t)std::min<uint64_t>(n, UINT32_MAX));
    uint64_t step = 1 + draw((uint32_t)std::min<uint64_t>(n, UINT32_MAX));
    while (std::gcd(step, n) != 1) step++;
    for (uint64_t b = 0; b < n; b++, at = (at + step) % n) {
        blockIdx.x = (unsigned)(at % k.grid.x);
        blockIdx.y = (unsigned)(at / k.grid.x % k.grid.y);
        blockIdx.z = (unsigned)(at / k.grid.x / k.grid.y);
        now.block = (uint32_t)at;
        run_block(k.shared);
    }
    counts.threads += (long)n * the_block.n_threads;
}

void run_kernel(const kernel &k)
{
    fenv_t mode; /* a device keeps subnormal numbers, whatever mode the waiting thread has */
    gridDim = k.grid;
    blockDim = k.block;
    the_block.n_threads = (int)(k.block.x * k.block.y * k.block.z);
    for (unsigned t = 0; t < (unsigned)the_block.n_threads; t++)
        the_block.threads[t].index = {t % k.block.x, t / k.block.x % k.block.y,
                                      t / k.block.x / k.block.y};
    now.running = &k;
    now.launch++;
    counts.launches++;
    fegetenv(&mode);
    fesetenv(FE_DFL_ENV);
    run_blocks(k);
    fesetenv(&mode);
    now.running = nullptr;
}

} // namespace cuda_on_host
