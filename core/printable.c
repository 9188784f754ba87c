/* SPDX-License-Identifier: MIT */
/* Names of files, columns and tensors come from outside, and sentences quote them. */
#include "core/internal.h"
#include "core/error.h"

#include <string.h>

int ag__utf8(uint32_t *code, const unsigned char *s)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const int more = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : -1;
    if (more < 0) return 0;
    *code = more ? *s & (0x3fu >> more) : *s;
    for (int i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2) return 0; /* the end of the text, too */
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return *code < least[more] || *code > 0x10ffff || *code >> 11 == 0x1b ? 0 : more + 1;
}

static int is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

char *ag_printable(char *out, size_t size, const char *text)
{
    size_t at = 0;
    if (!out || !size) return out;
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        char shown[8];
        uint32_t code = 0;
        const int n = ag__utf8(&code, s);
        size_t bytes = (size_t)n;
        if (n && !is_hidden(code))
            memcpy(shown, s, bytes);
        else
            bytes = (size_t)snprintf(shown, sizeof shown, n && code > 0x7f ? "\\u%04x" : "\\x%02x",
                                     n ? (unsigned)code : (unsigned)*s);
        if (at + bytes >= size) break;
        memcpy(out + at, shown, bytes);
        at += bytes;
        s += n ? n : 1;
    }
    out[at] = 0;
    return out;
}

int ag__plain_name(const char *text, int limit, char least)
{
    int n = 0;
    if (!text) return 0;
    for (; text[n]; n++)
        if (n == limit || text[n] < least || text[n] > '~') return 0;
    return n > 0;
}

int ag__begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}
