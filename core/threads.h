/* SPDX-License-Identifier: MIT */
/* Threads, the instruction set, and switches in environment variables. */
#ifndef AG_CORE_THREADS_H
#define AG_CORE_THREADS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the number of threads, the caller's included; 0 means one per processor. Before the first
   call the number is the first one in OMP_NUM_THREADS, or 0 if there is none. A number above the
   limit becomes the limit, which is the number of processors, but at least 8 and at most 1024.
   ag_threads returns the number in use. No result depends on it. If the system refuses a thread,
   the others do its work. The library's threads start with the first parallel work, receive no
   signals, and sleep after 50 us without work. Several threads of a program may run tapes at once:
   the library's threads help one of these threads at a time, and the others work without help.
   After fork, the child starts its own threads and inherits no lock; it must not use the CUDA
   device, or objects that another thread was changing at the fork. */
AG_API void ag_set_threads(int n);
AG_API int ag_threads(void);

/* The most bytes of stack that a call of the library takes in an optimized build, not counting
   callbacks. A thread with a stack of 64 KiB can make every call. The library's own threads have 1
   MiB, or the system's default if that is more. */
enum { AG_STACK = 40 << 10 };

/* Starts the threads now instead of at the first parallel work. Returns their number, the caller's
   included: ag_threads(), or fewer if the system refuses some. */
AG_API int ag_start_threads(void);

/* Runs body(context, block, thread) for each block of 0..blocks-1 and returns when all are done.
   thread is 0..ag_threads()-1; blocks that run at the same time have different numbers. If a block
   itself makes this call, or if the threads are helping another thread of the program, only the
   caller runs the blocks. A block must not wait for another, and its results should not depend on
   the thread. body NULL: no work is done. */
typedef void ag_block(void *context, int64_t block, int thread);
AG_API void ag_parallel(int64_t blocks, ag_block *body, void *context);

/* The instruction set of the matrix products: "avx512", "avx2", "sse2", "neon" or "plain". It is
   the best that this processor has, or a smaller one that the environment variable AUGUR_ISA
   names. */
AG_API const char *ag_isa(void);

/* Returns whether an environment variable (AUGUR_FUSE, AUGUR_NCCL and others of docs/cuda.md) is
   on. 0, off, no and false are off; 1, on, yes and true are on; case does not matter. If it is not
   set or has another value, `usual` is returned. */
AG_API int ag_switch(const char *variable, int usual);

#ifdef __cplusplus
}
#endif

#endif
