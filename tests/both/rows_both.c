/* SPDX-License-Identifier: MIT */
/* Rows, and how they join graph networks, in double (in float they come from the library of the
   programs). */
#include "examples/rows/joined.h"

#ifdef AG_DOUBLE
# include "examples/rows/joined.c"
# include "examples/rows/joined_batch.c"
# include "examples/rows/bins.c"
# include "examples/rows/rows.c"
# include "examples/rows/scale.c"
#endif
