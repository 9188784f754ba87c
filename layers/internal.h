/* SPDX-License-Identifier: MIT */
/* Parameters of layers: names, sizes and initial values. */
#ifndef AG_LAYERS_INTERNAL_H
#define AG_LAYERS_INTERNAL_H

#include "gnn/edges.h"
#include "layers/layers.h"

/* Declares a parameter "NAME.WHAT". */
ag_param *ag__layer_param(ag_params *params, const char *name, const char *what, ag_shape shape,
                          ag_init init);

/* a b and a + b; -1, which ag_params_add refuses, if the result is not a valid size. */
int ag__size_product(int a, int b);
int ag__size_sum(int a, int b);

/* U(+-1 / sqrt(inputs)) for weights [out,in]. */
ag_init ag__init_torch(void);

/* A linear layer "NAME.PART". */
ag_linear_layer ag__layer_part(ag_params *params, const char *name, const char *part, int in,
                               int out, int bias);

/* The tape of x, or of another input if x is NULL. */
ag_tape *ag__layer_tape(const ag_tensor *x, const ag_tensor *other);

/* 1: layer is not NULL; otherwise the tape fails. */
int ag__has_layer(const void *layer, ag_tape *tape, const char *who);

#endif
