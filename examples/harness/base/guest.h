/* SPDX-License-Identifier: MIT */
/* The harness calls these functions. They do nothing unless a call of harness_guest runs on this
   thread. */
#ifndef HARNESS_GUEST_H
#define HARNESS_GUEST_H

#include "core/types.h"

#include <stdbool.h>

/* Ends the call with this failure, and does not return. */
void harness__guest_end(ag_status status, const char *sentence);
/* Keeps a warning (kind "" is none) for harness_guest_warnings, and drops other messages. False:
   there is no such call. */
bool harness__guest_hears(const char *kind, const char *text);

/* When no memory is left: harness__guest_spends frees what was kept for this case and records the
   failure; the call goes on until it checks for failures, and then frees everything in order.
   False: nothing is kept any more, or there is no such call. */
bool harness__guest_spends(size_t bytes);

/* Replaces the arena of harness_lasting; returns the one before. */
ag_arena *harness__lasting_swap(ag_arena *other);

#endif
