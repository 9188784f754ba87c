/* SPDX-License-Identifier: MIT */
/* All that the library computes depends on this: NaN and infinity are found where they are, and
   sums are added in the order that is written. */
#ifndef AG_CORE_STRICT_H
#define AG_CORE_STRICT_H

#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__FAST_MATH__) || \
    defined(__ASSOCIATIVE_MATH__)
# error "Augur finds no NaN with -ffast-math or -Ofast: add -fno-fast-math after them"
#endif

#endif
