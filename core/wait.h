/* SPDX-License-Identifier: MIT */
/* Waiting for another thread: awake for a moment, then asleep. */
#ifndef AG_CORE_WAIT_H
#define AG_CORE_WAIT_H

#include <stdatomic.h>

/* Looks at `word` until it is no longer `value`; returns 1 when it changed. Gives up with 0 after a
   moment, or at once if other programs need the processors. */
int ag__wait_awake(atomic_uint *word, unsigned value);

/* Sleeps while `word` is `value`; may return early. */
void ag__wait_asleep(atomic_uint *word, unsigned value);

/* Wakes the one thread that sleeps on `word`, if any. */
void ag__wake(atomic_uint *word);

#endif
