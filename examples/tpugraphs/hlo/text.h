/* SPDX-License-Identifier: MIT */
/* HLO text as a stream of words; ends of lines count only at its top level. */
#ifndef TPUGRAPHS_HLO_TEXT_H
#define TPUGRAPHS_HLO_TEXT_H

#include "examples/tpugraphs/hlo/parts.h"

typedef struct hlo_text {
    const char *at, *end;
    hlo_module *m;
    uint64_t computation; /* the hash of its name, from which those of its instructions go on */
} hlo_text;

/* "FILE:LINE: WHAT is expected, but there is ..." */
ag_status hlo_expected(const hlo_text *t, const char *what);
/* The next character after blanks and comments, 0 at the end. */
int hlo_peek(hlo_text *t);
/* 1: the text goes on with `what`, which is passed. */
int hlo_accept(hlo_text *t, const char *what);
ag_status hlo_expect(hlo_text *t, const char *what);
/* Letters, digits, _ . and -, at least one. */
ag_status hlo_word(hlo_text *t, hlo_span *word, const char *what);
ag_status hlo_name(hlo_text *t, hlo_span *word, const char *what); /* with or without a % */
ag_status hlo_number(hlo_text *t, int64_t *value);
/* Passes a bracket and all that is in it; *members, if not NULL: how many parts its commas
   separate. */
ag_status hlo_pass(hlo_text *t, int64_t *members);
/* Passes the value of an attribute. */
ag_status hlo_pass_value(hlo_text *t);

/* Ids are hashes: those of instructions begin with that of their computation. */
uint64_t hlo_hash(hlo_span name, uint64_t from);

/* The attributes after the operands of an instruction, "," first; x NULL: of a module or a
   computation. */
ag_status hlo_attributes(hlo_text *t, hlo_instruction *x);

#endif
