/* SPDX-License-Identifier: MIT */
/* The threads of the library. One caller at a time uses them; they sleep in between. */
#ifndef AG_CORE_POOL_H
#define AG_CORE_POOL_H

enum { AG__MOST_THREADS = 1024 };

typedef void ag__pool_work(void *context, int thread);

/* Takes the pool and starts the threads that it lacks; `threads` includes the caller. Returns how
   many there are, at most `threads`. Returns 1 without taking the pool if it has no threads or is
   taken: by another thread, or by the block that makes this call. */
int ag__pool_take(int threads);

/* Gives the pool back unused. */
void ag__pool_give(void);

/* Calls work(context, 0) here and work(context, 1..threads-1) on the other threads. A thread that
   wakes only after work(context, 0) has returned makes no call. Waits for the calls and gives the
   pool back. Call ag__pool_take before; `threads` is at most what it returned. */
void ag__pool_run(ag__pool_work *work, void *context, int threads);

#endif
