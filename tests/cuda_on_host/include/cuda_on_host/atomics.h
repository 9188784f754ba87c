/* SPDX-License-Identifier: MIT */
/* Atomic sums of integers do not depend on the order. Sums of floats do, and
   are deleted. */
#ifndef CUDA_ON_HOST_ATOMICS_H
#define CUDA_ON_HOST_ATOMICS_H

namespace cuda_on_host
{

/* Reports to the checker that this thread accesses *p atomically. Compiled into the runtime: its
   own accesses are not checked. */
unsigned add(unsigned *p, unsigned v);

} // namespace cuda_on_host

inline int atomicAdd(int *p, int v) { return (int)cuda_on_host::add((unsigned *)p, (unsigned)v); }
template <class T, class V> T atomicAdd(T *, V) = delete;

#endif
