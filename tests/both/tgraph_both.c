/* SPDX-License-Identifier: MIT */
/* The model of examples/tgraph in double; in float it comes from the program's library. */
#include "examples/tgraph/model/model.h"

#ifdef AG_DOUBLE
# include "examples/tgraph/model/model.c"
# include "examples/tgraph/model/model_new.c"
#endif
