/* SPDX-License-Identifier: MIT */
/* Threads, and what the environment says of how to compute. */
#ifndef AG_CORE_THREADS_H
#define AG_CORE_THREADS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the number of threads, the caller's included; 0: one per processor. Before the first call it
   is the first number of OMP_NUM_THREADS, else 0. It is limited to the number of processors, or to
   eight if there are fewer, and to 1024; ag_threads returns it. Results do not depend on it. If the
   system refuses a thread, the others do its work. The library's threads start with the first
   parallel work, receive no signals, and sleep after a wait of 50 us.
   Several threads of a program may run tapes at once: the library's threads help one of them at a
   time, the others work alone. After fork, the child starts its own threads and inherits no lock;
   it must not use the CUDA device, or objects that another thread was changing. */
AG_API void ag_set_threads(int n);
AG_API int ag_threads(void);

/* The most bytes of stack that a call of the library takes in an optimized build, without
   callbacks: a thread needs no more than 64 KiB. The library's own threads have 1 MiB, or the
   system's default if that is more. */
enum { AG_STACK = 40 << 10 };

/* Starts the threads now instead of with the first work. Returns their number, the caller's
   included: ag_threads(), or fewer if the system refuses some. */
AG_API int ag_start_threads(void);

/* Runs body(context, block, thread) for each block of 0..blocks-1 and returns when all are done.
   thread is 0..ag_threads()-1; blocks that run at the same time have different ones. A call from a
   block, or while the threads help another thread of the program, runs only on its caller.
   A block may not wait for another, and its results should not depend on the thread.
   body NULL: no work is done. */
typedef void ag_block(void *context, int64_t block, int thread);
AG_API void ag_parallel(int64_t blocks, ag_block *body, void *context);

/* The instruction set of the matrix products: "avx512", "avx2", "sse2", "neon" or "plain". The best
   of this processor, or a lesser one that the environment variable AUGUR_ISA names. */
AG_API const char *ag_isa(void);

/* Whether an environment variable (AUGUR_FUSE, AUGUR_NCCL and others of docs/cuda.md) is on: 0,
   off, no and false are off; 1, on, yes and true are on, in upper or lower case; anything else
   gives `usual`. */
AG_API int ag_switch(const char *variable, int usual);

#ifdef __cplusplus
}
#endif

#endif
