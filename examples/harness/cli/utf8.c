/* SPDX-License-Identifier: MIT */
#include "examples/harness/cli/options_internal.h"

/* 1 if the text is well-formed UTF-8 (Unicode 15, table 3-7). */
int harness__utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        int more = *c < 0x80                 ? 0
                   : *c >= 0xC2 && *c < 0xE0 ? 1
                   : *c >= 0xE0 && *c < 0xF0 ? 2
                   : *c >= 0xF0 && *c < 0xF5 ? 3
                                             : -1;
        if (more < 0) return 0;
        if ((*c == 0xE0 && c[1] < 0xA0) || (*c == 0xED && c[1] > 0x9F)) return 0;
        if ((*c == 0xF0 && c[1] < 0x90) || (*c == 0xF4 && c[1] > 0x8F)) return 0;
        for (c++; more > 0; more--, c++)
            if ((*c & 0xC0) != 0x80) return 0;
    }
    return 1;
}
