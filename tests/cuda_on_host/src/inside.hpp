/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the runtime share. */
#ifndef CUDA_ON_HOST_INSIDE_HPP
#define CUDA_ON_HOST_INSIDE_HPP

#include "cuda_on_host.h"
#include "cuda_runtime.h"

#include <memory>
#include <string>

namespace cuda_on_host
{

/* ---- options.cpp ---- */

struct options {
    uint64_t seed; /* CUDA_ON_HOST_SEED: of all random orders; 0: threads and blocks in order,
                      streams against it */
    size_t bytes;  /* CUDA_ON_HOST_BYTES: memory of the device */
    int devices;   /* CUDA_ON_HOST_DEVICES: how many this process sees; each has all of `bytes` */
    bool print;    /* CUDA_ON_HOST_PRINT=1: a line for each piece of work */
    bool count;    /* CUDA_ON_HOST_COUNT=1: a table of the bytes that kernels move (the checker) */
    bool mprotect; /* CUDA_ON_HOST_MPROTECT=1: no protection keys */
    bool check; /* CUDA_ON_HOST_CHECK=0: the checker, where it is compiled in, looks at nothing */
};
const options &option();
uint32_t draw(uint32_t n); /* 0..n-1; 0 with seed 0 */
extern cuda_on_host_counts counts;

/* How the process ends when the runtime finds a mistake, and when the checker does. */
enum { EXIT_MISUSE = 96, EXIT_CHECKER = 97 };

/* ---- threads.cpp, blocks.cpp ---- */

struct kernel {
    const char *name;
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    bound_kernel bound;
};
void run_kernel(const kernel &k);

/* Where the program is: who touches memory, for the checker and for messages. */
struct place {
    const kernel *running; /* NULL: none */
    bool inside;           /* a thread of it runs, not the scheduler */
    uint32_t launch, block;
    uint16_t thread, warp_epoch, lane_clock, block_epoch;
    const char *stack, *stack_end;
};
extern place now;

/* Shared variables, and the dynamic part of them. */
extern "C" char __start_cuda_shared[], __stop_cuda_shared[];
enum { MOST_SHARED = 227 << 10, PLAIN_SHARED = 48 << 10, MOST_THREADS = 1024 };
extern char dynamic_memory[MOST_SHARED];

/* 1: lane `other` of the running thread's warp did what it did at this clock before a __syncwarp of
   some lanes that this thread knows of. */
bool lane_has_settled(int other, uint16_t clock);

/* ---- guard.cpp: the device's memory, which host code cannot touch ---- */

extern char *device_base;
extern size_t device_size;
void map_device();
bool on_device(const void *p);
void open_device(); /* for kernels and copies; calls nest */
void close_device();
struct opened {
    opened() { open_device(); }
    ~opened() { close_device(); }
};
/* Whole pages of the device: they begin or stop to be memory. */
void lend_pages(size_t at, size_t bytes);
void take_pages(size_t at, size_t bytes);
enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* ---- memory.cpp ---- */

bool is_pinned(const void *p);
void check_fences(const char *last); /* of all allocations, after the kernel `last` */
/* Ends the process unless all of it is in one allocation. */
void check_range(const void *p, size_t bytes, const char *what);
enum { POISON = 0xFF, FENCE_BYTE = 0xFC, FENCE = 512 };

/* ---- errors.cpp ---- */

cudaError_t fail(cudaError_t error); /* remembers it and returns it */
/* The error that a call has to return before it does anything: the device is lost, or a test wants
   it to fail. */
cudaError_t refused(const char *call);
void kernel_fails(const char *name); /* the device is lost if a test wants this kernel to fail */
bool lost();
#define BEGIN_CALL(name)                                    \
 do {                                                       \
  const cudaError_t refused_ = cuda_on_host::refused(name); \
  if (refused_ != cudaSuccess) return refused_;             \
 } while (0)

/* ---- streams.cpp, capture.cpp ---- */

struct work {
    std::string name;
    std::function<void()> body;
    std::shared_ptr<struct event> awaits = nullptr;
    long version = 0; /* of the event */
    long issued = 0;  /* how many were issued before it */
};
struct event {
    long recorded = 0, done = 0;
    double when = 0;
    bool timed = true;
};
void carry_out(const work &w);
cudaError_t add_work(cudaStream_t stream, work w);
cudaError_t wait_for_all();

struct capture;
bool capturing(cudaStream_t stream);
bool any_capture();
void spoil_captures();     /* a call was made that a capture cannot hold */
bool refuses_in_capture(); /* 1: such a call, while there is a capture */
void capture_work(cudaStream_t stream, work w);

/* ---- the checker; these are NULL where it is not compiled in ---- */

extern "C" {
void cuda_on_host_check_map() __attribute__((weak));
void cuda_on_host_check_begins(const char *work) __attribute__((weak));
void cuda_on_host_check_taken(const void *p, size_t bytes) __attribute__((weak));
void cuda_on_host_check_given(const void *p, size_t bytes) __attribute__((weak));
void cuda_on_host_check_wrote(const void *p, size_t bytes) __attribute__((weak));
void cuda_on_host_check_reads(const void *p, size_t bytes, const char *who) __attribute__((weak));
void cuda_on_host_check_copied(const void *to, const void *from, size_t bytes)
    __attribute__((weak));
void cuda_on_host_check_report() __attribute__((weak)); /* ends the process if there is something */
void cuda_on_host_check_atomic(const void *p, size_t bytes, void *pc) __attribute__((weak));
}

} // namespace cuda_on_host

#endif
