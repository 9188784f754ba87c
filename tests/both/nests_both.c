/* SPDX-License-Identifier: MIT */
/* Model, loss and batches of examples/nests in double (in float they come from the program's
   library). */
#include "examples/nests/model.h"

#ifdef AG_DOUBLE
# include "examples/nests/batch.c"
# include "examples/nests/loss.c"
# include "examples/nests/model.c"
# include "examples/nests/model_new.c"
#endif
