/* SPDX-License-Identifier: MIT */
/* The threads of the library. One caller at a time has them; they sleep in between. */
#ifndef AG_CORE_POOL_H
#define AG_CORE_POOL_H

enum { AG__MOST_THREADS = 1024 };

typedef void ag__pool_work(void *context, int thread);

/* Takes the pool and starts what it lacks of `threads`, the caller's among them. Returns how many
   there are, at most `threads`; 1, without the pool, when it has none or somebody has it: another
   thread, or the block that this call is made from. */
int ag__pool_take(int threads);

/* Gives it back unused. */
void ag__pool_give(void);

/* Calls work(context, 0) here and work(context, 1..threads-1) on those of the other threads that
   come before it returned; waits for these and gives the pool back. `threads` is at most what
   ag__pool_take returned, which came before this. */
void ag__pool_run(ag__pool_work *work, void *context, int threads);

#endif
