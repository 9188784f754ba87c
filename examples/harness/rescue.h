/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_RESCUE_H
#define HARNESS_RESCUE_H

#include "examples/harness/harness.h"

#include <jansson.h>

/* Calls work(context). Where harness_alloc and its kin would end the program, in this thread, they
   end the work instead: everything that they gave it and that it did not free is freed, and held
   JSON is released. What else the work took must stand in its context, for the caller to release.
   Not to be nested. Returns why->status; fails: AG_EMEMORY. */
ag_status harness_without_exit(void (*work)(void *context), void *context, ag_failure *why);

/* JSON that would be lost when an allocation fails before it is dropped; at most 4 at a time. NULL
   is allowed. */
json_t *harness_hold_json(json_t *j);
void harness_drop_json(json_t *j); /* and releases it */

/* For harness_alloc and its kin. */
void harness__rescue_out_of_memory(size_t bytes); /* returns where nobody rescues */
void harness__rescue_take(void *block);
void harness__rescue_give(const void *block);

#endif
