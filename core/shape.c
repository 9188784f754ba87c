/* SPDX-License-Identifier: MIT */
#include "core/shape.h"

int64_t ag_shape_count(ag_shape shape)
{
    const int64_t limit = (int64_t)1 << 40;
    int64_t count = 1;
    int empty = 0;
    if (shape.rank < 0 || shape.rank > AG_MAX_AXES) return -1;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.size[i] < 0) return -1;
        if (shape.size[i] == 0)
            empty = 1;
        else if (count > limit / shape.size[i])
            return -1;
        else
            count *= shape.size[i];
    }
    return empty ? 0 : count;
}

int ag_shape_equal(ag_shape a, ag_shape b)
{
    if (a.rank != b.rank) return 0;
    for (int i = 0; i < a.rank; i++)
        if (a.size[i] != b.size[i]) return 0;
    return 1;
}

const char *ag_shape_text(char text[64], ag_shape shape)
{
    if (!text) return "";
    int at = snprintf(text, 64, "[");
    for (int i = 0; i < shape.rank && i < AG_MAX_AXES; i++)
        at += snprintf(text + at, 64 - (size_t)at, i ? ",%d" : "%d", shape.size[i]);
    snprintf(text + at, 64 - (size_t)at, "]");
    return text;
}
