/* SPDX-License-Identifier: MIT */
/* The makers of rows. */
#ifndef NESTS_MAKERS_H
#define NESTS_MAKERS_H

#include "examples/nests/maker.h"

extern const nests_maker nests_from_layout, nests_from_tile, nests_from_fusion, nests_from_schedule;
extern const nests_maker nests_from_rows; /* docs/formats/nests.md */

#endif
