/* SPDX-License-Identifier: MIT */
/* Atomics of integers, whose result does not depend on the order. Those of floats are deleted:
   their bits would. */
#ifndef CUDA_ON_HOST_ATOMICS_H
#define CUDA_ON_HOST_ATOMICS_H

#include "cuda_on_host/language.h"

#include <type_traits>

namespace cuda_on_host
{

/* Reports to the checker that this thread accesses n bytes at p atomically. Compiled into the
   runtime, whose own accesses are not checked. */
enum atomic_kind {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_OR,
    ATOMIC_AND,
    ATOMIC_SWAP,
    ATOMIC_CAS
};
int64_t atomic32(atomic_kind kind, void *p, bool is_signed, int64_t v, int64_t compare);
int64_t atomic64(atomic_kind kind, void *p, bool is_signed, int64_t v, int64_t compare);

template <class T> T atomic(atomic_kind kind, T *p, T v, T compare = 0)
{
    static_assert(std::is_integral<T>::value, "atomics of floats have no fixed order");
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics have 4 or 8 bytes");
    const bool is_signed = std::is_signed<T>::value;
    return (T)(sizeof(T) == 4 ? atomic32(kind, p, is_signed, (int64_t)v, (int64_t)compare)
                              : atomic64(kind, p, is_signed, (int64_t)v, (int64_t)compare));
}

} // namespace cuda_on_host

#define CUDA_ON_HOST_ATOMIC(name, kind, T) \
 inline T name(T *p, T v) { return cuda_on_host::atomic<T>(cuda_on_host::kind, p, v); }
#define CUDA_ON_HOST_ATOMICS(name, kind)             \
 CUDA_ON_HOST_ATOMIC(name, kind, int)                \
 CUDA_ON_HOST_ATOMIC(name, kind, unsigned)           \
 CUDA_ON_HOST_ATOMIC(name, kind, unsigned long long) \
 template <class T, class V> T name(T *, V) = delete;

CUDA_ON_HOST_ATOMICS(atomicAdd, ATOMIC_ADD)
CUDA_ON_HOST_ATOMICS(atomicOr, ATOMIC_OR)
CUDA_ON_HOST_ATOMICS(atomicAnd, ATOMIC_AND)
CUDA_ON_HOST_ATOMIC(atomicMin, ATOMIC_MIN, long long)
CUDA_ON_HOST_ATOMICS(atomicMin, ATOMIC_MIN)
CUDA_ON_HOST_ATOMIC(atomicMax, ATOMIC_MAX, long long)
CUDA_ON_HOST_ATOMICS(atomicMax, ATOMIC_MAX)
CUDA_ON_HOST_ATOMICS(atomicExch, ATOMIC_SWAP)
template <class T> T atomicCAS(T *p, T compare, T v)
{
    return cuda_on_host::atomic<T>(cuda_on_host::ATOMIC_CAS, p, v, compare);
}

#endif
