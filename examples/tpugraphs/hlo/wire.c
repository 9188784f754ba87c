/* SPDX-License-Identifier: MIT */
/* Reads fields of protocol buffers in place. */
#include "examples/tpugraphs/hlo/parts.h"

int hlo_varint(hlo_span *s, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 70 && s->at < s->end; shift += 7) {
        const unsigned char byte = (unsigned char)*s->at++;
        if (shift < 64) *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return 1;
    }
    return 0;
}

/* Moves on by a field's bytes. */
static int take(hlo_span *s, hlo_field *field, uint64_t n)
{
    if (n > (uint64_t)(s->end - s->at)) return -1;
    field->bytes = (hlo_span){s->at, s->at + n};
    s->at += n;
    return 1;
}

int hlo_next(hlo_span *s, hlo_field *field)
{
    enum { EIGHT_BYTES = 1, FOUR_BYTES = 5, MOST_NUMBER = 0x1fffffff };
    uint64_t tag, n;
    if (s->at == s->end) return 0;
    if (!hlo_varint(s, &tag) || tag >> 3 == 0 || tag >> 3 > MOST_NUMBER) return -1;
    *field = (hlo_field){.number = (int)(tag >> 3), .form = (int)(tag & 7)};
    switch (field->form) {
    case HLO_VARINT: return hlo_varint(s, &field->value) ? 1 : -1;
    case HLO_BYTES: return hlo_varint(s, &n) ? take(s, field, n) : -1;
    case EIGHT_BYTES: return take(s, field, 8);
    case FOUR_BYTES: return take(s, field, 4);
    default: return -1; /* groups ended with proto2 */
    }
}
