/* SPDX-License-Identifier: MIT */
/* The threads of the block that runs. */
#ifndef CUDA_ON_HOST_THREADS_HPP
#define CUDA_ON_HOST_THREADS_HPP

#include "inside.hpp"

#include <vector>

namespace cuda_on_host
{

enum thread_state : uint8_t { FRESH, READY, WAITS, RETURNED };

struct thread {
    void *sp; /* while it does not run */
    uint3 index;
    int stack;
    thread_state state;
    /* where it waits */
    meeting kind;
    unsigned mask;
    int with, width;
    uint64_t value;
    site at;
};

/* Lanes are bits. After a __syncwarp of all, nobody has anything to settle: the epoch counts those.
   Between two of them, __syncwarps of some lanes are followed by vector clocks: `seen[i][j]` is how
   far lane i knows lane j to have come. */
struct warp {
    uint32_t present, waiting, returned;
    uint16_t epoch;
    bool parted;
    uint16_t seen[32][32];
};

struct block {
    int n_threads, left, current, waiting; /* waiting: at __syncthreads */
    int next;                              /* that the last thread chose; -1: none */
    uint16_t epoch;
    std::vector<int> ready;
    thread threads[MOST_THREADS];
    warp warps[MOST_THREADS / 32];
};
extern block the_block;

void switch_to_scheduler(); /* from the thread that runs */
void make_ready(int thread);
/* Those that wait for the thread that has just returned. */
void returned(int thread);
const char *name_of(meeting kind);

} // namespace cuda_on_host

#endif
