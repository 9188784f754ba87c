/* SPDX-License-Identifier: MIT */
#ifndef AG_TESTS_CONV_LAYERS_H
#define AG_TESTS_CONV_LAYERS_H

#include "gnn/gnn.h"
#include "support/convolution_runner.h"

/* The problem as the library holds it. */
typedef struct conv {
    const conv_problem *p;
    ag_params *params;
    ag_param *part[CONV_PARTS];
    ag_graph *along, *against; /* against: directed GraphSAGE */
    ag_real *cotangent;
} conv;

/* Records the problem's layer or net; `pooled` is filled by a pooling. */
ag_tensor *ag__conv_layer(const conv *c, ag_tape *tape, ag_pooled *pooled);

#endif
