/* SPDX-License-Identifier: MIT */
/* The model, loss and batches of examples/tpu in double (in float they come from the program's
   library). */
#include "examples/tpu/model.h"

#ifdef AG_DOUBLE
# include "examples/tpu/batch.c"
# include "examples/tpu/batch_graph.c"
# include "examples/tpu/loss.c"
# include "examples/tpu/model.c"
# include "examples/tpu/model_new.c"
# include "examples/tpu/scale.c"
#endif
