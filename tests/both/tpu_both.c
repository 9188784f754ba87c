/* SPDX-License-Identifier: MIT */
/* The model, loss and batches of examples/tpu in double (in float they come from the program's
   library). */
#include "examples/tpu/model/model.h"

#ifdef AG_DOUBLE
# include "examples/tpu/loss.c"
# include "examples/tpu/model/batch.c"
# include "examples/tpu/model/model.c"
# include "examples/tpu/model/model_new.c"
# include "examples/tpu/data/scale.c"
#endif
