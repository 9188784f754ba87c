/* SPDX-License-Identifier: MIT */
/* Growing arrays of the harness's own bookkeeping (stb_ds); a failed growth ends the program with
 * exit 5. */
#ifndef HARNESS_BAG_H
#define HARNESS_BAG_H

#include "examples/harness/harness.h"

#define STBDS_NO_SHORT_NAMES
#define STBDS_REALLOC(context, block, bytes) harness_grow(block, bytes)
#define STBDS_FREE(context, block)           harness_free(block)
#include <stb/stb_ds.h>

#define bag_add(bag, item) stbds_arrput(bag, item)
#define bag_count(bag)     ((int)stbds_arrlen(bag))
#define bag_free(bag)      stbds_arrfree(bag)

#endif
