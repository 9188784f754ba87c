/* SPDX-License-Identifier: MIT */
/* The floating-point mode of a thread: its rounding, which exceptions end the process, and whether
   subnormal numbers (in float those below 1.2e-38) are kept. On most processors each operation on a
   subnormal number costs a hundred cycles or more, and gradients that fade along a sequence become
   subnormal: with them the backward run of an LSTM took ten times as long. */
#ifndef AG_CORE_FLOAT_MODE_H
#define AG_CORE_FLOAT_MODE_H

#include <stdint.h>

#ifdef __SSE2__
# include <xmmintrin.h>
#endif

/* The mode of the calling thread. */
static inline uint64_t ag__float_mode(void)
{
    uint64_t mode = 0;
#if defined(__SSE2__)
    mode = _mm_getcsr();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
#endif
    return mode;
}

static inline void ag__float_mode_set(uint64_t mode)
{
#if defined(__SSE2__)
    _mm_setcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}

/* Sets the library's own mode, whatever the program has set: it rounds to nearest, and no exception
   raises a signal. Returns the mode before the call. A number that is computed in this mode must be
   stored in memory before the mode is set back, or be volatile: otherwise the compiler might
   compute it later. */
static inline uint64_t ag__float_mode_enter(void)
{
    const uint64_t before = ag__float_mode();
#if defined(__SSE2__)
    ag__float_mode_set(0x1f80); /* all exceptions masked */
#elif defined(__aarch64__)
    ag__float_mode_set(0);
#endif
    return before;
}

/* Does the same, and makes subnormal operands and results 0. */
static inline uint64_t ag__float_mode_flush(void)
{
    const uint64_t before = ag__float_mode_enter();
#if defined(__SSE2__)
    ag__float_mode_set(0x1f80 | 1 << 15 | 1 << 6); /* results, operands */
#elif defined(__aarch64__)
    ag__float_mode_set(1 << 24);
#endif
    return before;
}

#endif
