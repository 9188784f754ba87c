/* SPDX-License-Identifier: MIT */
/* Model, loss and batches of examples/tpgnn in double (in float they come from the program's
   library). */
#include "examples/tpgnn/model/model.h"

#ifdef AG_DOUBLE
# include "examples/tpgnn/model/batch.c"
# include "examples/tpgnn/loss.c"
# include "examples/tpgnn/model/model.c"
# include "examples/tpgnn/model/model_new.c"
#endif
