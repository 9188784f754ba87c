/* SPDX-License-Identifier: MIT */
/* Names, sizes, and NULL in the place of a layer, for all layers. */
#include "layers/internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { NAME_BYTES = 128 };

const char *ag_layer_name(char text[128], const char *name, const char *format, ...)
{
    static const char refused[] = " ";
    if (!text) return refused;
    const char *dot = name && *name ? "." : "";
    int n = snprintf(text, NAME_BYTES, "%s%s", name ? name : "", dot);
    if (format && n >= 0 && n < NAME_BYTES) {
        va_list list;
        va_start(list, format);
        const int rest = vsnprintf(text + n, (size_t)(NAME_BYTES - n), format, list);
        va_end(list);
        n = rest < 0 ? rest : n + rest;
    }
    return format && n >= 0 && n < NAME_BYTES ? text : strcpy(text, refused);
}

ag_param *ag__layer_param(ag_params *params, const char *name, const char *what, ag_shape shape,
                          ag_init init)
{
    char text[NAME_BYTES];
    return ag_params_add(params, ag_layer_name(text, name, "%s", what), shape, init, 1);
}

int ag__size_product(int a, int b)
{
    const int64_t n = (int64_t)a * b;
    return a < 0 || b < 0 || n > INT32_MAX ? -1 : (int)n;
}

int ag__size_sum(int a, int b) { return a < 0 || b < 0 || a > INT32_MAX - b ? -1 : a + b; }

ag_init ag__init_torch(void) { return ag_init_kaiming_uniform(sqrt(5)); }

ag_linear_layer ag__layer_part(ag_params *params, const char *name, const char *part, int in,
                               int out, int bias)
{
    char text[NAME_BYTES];
    return ag_layer_linear(params, ag_layer_name(text, name, "%s", part), in, out, bias);
}

ag_tape *ag__layer_tape(const ag_tensor *x, const ag_tensor *other)
{
    return x ? ag_tape_of(x) : ag_tape_of(other);
}

int ag__has_layer(const void *layer, ag_tape *tape, const char *who)
{
    if (!layer)
        ag_tape_fail(tape, AG_EUSE, "%s: layer is NULL; give it the address of a made layer", who);
    return layer != NULL;
}
