/* SPDX-License-Identifier: MIT */
/* The wire format of protocol buffers, read in place: a message is a range of bytes, as is each of
   its fields. Nothing is copied, and unknown fields are passed over. */
#ifndef TPUGRAPHS_HLO_WIRE_H
#define TPUGRAPHS_HLO_WIRE_H

#include "examples/tpugraphs/hlo/parts.h"

enum { HLO_VARINT = 0, HLO_BYTES = 2 }; /* forms of a field; others are passed over */

typedef struct hlo_field {
    int number, form;
    uint64_t value; /* of a varint */
    hlo_span bytes;
} hlo_field;

/* Reads a number of at most ten bytes; bits beyond the 64th are dropped. Returns 0 if there is
   none. */
int hlo_varint(hlo_span *s, uint64_t *value);
/* 1: the next field. 0: the end. -1: damage at s->at. */
int hlo_next(hlo_span *s, hlo_field *field);

#endif
