/* SPDX-License-Identifier: MIT */
/* The model of examples/tgraph in double (in float it comes from the program's library), and a look
   at its first layer. */
#include "examples/tgraph/model/model.h"

#ifdef AG_DOUBLE
# include "examples/tgraph/model/model.c"
# include "examples/tgraph/model/model_new.c"

ag_tensor *ag__first_linear(const tgraph_model *m, ag_tape *tape, const tgraph_program *p,
                            const int32_t *digit, int configs);

ag_tensor *ag__first_linear(const tgraph_model *m, ag_tape *tape, const tgraph_program *p,
                            const int32_t *digit, int configs)
{
    return first_linear(m, tape, p, digit, configs);
}
#endif
