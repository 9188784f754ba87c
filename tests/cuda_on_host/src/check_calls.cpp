/* SPDX-License-Identifier: MIT */
/* The functions that code compiled with -fsanitize=thread calls before each memory access. They are
   ours: nothing of the sanitizer's own library is linked. */
#include "check.hpp"

using namespace cuda_on_host;

#define PC __builtin_return_address(0)

static inline void see(const void *p, size_t bytes, bool writes, void *pc)
{
    if (checking) look(p, bytes, writes, PLAIN, pc);
}

#define CHECK_CALLS(n)                                            \
 void __tsan_read##n(void *p) { see(p, n, false, PC); }           \
 void __tsan_write##n(void *p) { see(p, n, true, PC); }           \
 void __tsan_unaligned_read##n(void *p) { see(p, n, false, PC); } \
 void __tsan_unaligned_write##n(void *p) { see(p, n, true, PC); }

extern "C" {
CHECK_CALLS(1)
CHECK_CALLS(2)
CHECK_CALLS(4)
CHECK_CALLS(8)
CHECK_CALLS(16)
void __tsan_read_range(void *p, size_t n) { see(p, n, false, PC); }
void __tsan_write_range(void *p, size_t n) { see(p, n, true, PC); }
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}

/* The counters of std::shared_ptr, in host code of .cu files; kernels have the atomics of CUDA. */
int32_t __tsan_atomic32_fetch_add(volatile int32_t *p, int32_t v, int)
{
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
int8_t __tsan_atomic8_load(const volatile int8_t *p, int)
{
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
}
