/* SPDX-License-Identifier: MIT */
/* The layers of the calls of test_null.c. */
static const int null_widths[] = {6, 3, 2};

#define LAYER(name, type, ...) ag_##type##_layer name;
typedef struct null_layers {
#include "null_layers.def"
} null_layers;
#undef LAYER

#define WIDTHS(k)                 null_widths
#define LAYER(name, type, n, ...) .name = ag_layer_##name(params, #name, __VA_ARGS__),
static null_layers make_layers(ag_params *params)
{
    return (null_layers){
#include "null_layers.def"
    };
}
#undef LAYER
#undef WIDTHS
