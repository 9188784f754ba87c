/* SPDX-License-Identifier: MIT */
/* The kinds of files. */
#include "examples/nests/maker.h"

const nests_maker *const nests_makers[] = {&nests_from_layout, &nests_from_tile,
                                           &nests_from_fusion, &nests_from_schedule,
                                           &nests_from_rows,   NULL};
