/* SPDX-License-Identifier: MIT */
/* The library computes right only if the compiler lets it detect NaN and infinity, and adds sums in
   the order of the source. */
#ifndef AG_CORE_STRICT_H
#define AG_CORE_STRICT_H

#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__FAST_MATH__) || \
    defined(__ASSOCIATIVE_MATH__)
# error "Augur finds no NaN with -ffast-math or -Ofast: add -fno-fast-math after them"
#endif

#endif
