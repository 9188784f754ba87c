/* SPDX-License-Identifier: MIT */
/* For the files of cli/, while a call of harness_guest runs on this thread; else these have nothing
   to do. */
#ifndef HARNESS_GUEST_H
#define HARNESS_GUEST_H

#include "core/types.h"

#include <stdbool.h>

/* Ends the call with this failure, and does not return. */
void harness__guest_end(ag_status status, const char *sentence);
/* Whether the message is kept for harness_guest_warnings, or dropped where it is no warning. */
bool harness__guest_hears(const char *kind, const char *text);

/* When memory is at its end: frees what was kept for this, once, and records the failure, so that
   the call goes on to where it looks for one and gives everything back in order. False: there is
   nothing left, or no such call. Then tries again; NULL: in vain. */
bool harness__guest_spends(size_t bytes);
void *harness__guest_retry(void *block, size_t bytes);

/* Room to note one more block; false: there is no memory. Then a block is noted, in place of an
   earlier one or NULL. */
bool harness__guest_room(void);
void harness__guest_keep(void *block, const void *earlier);
/* Whether the block is still there: a call that has ended may have freed it just before. */
bool harness__guest_frees(const void *block);

/* The arena of harness_lasting, in exchange for another. */
ag_arena *harness__lasting_swap(ag_arena *other);

#endif
