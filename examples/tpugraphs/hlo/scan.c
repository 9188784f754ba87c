/* SPDX-License-Identifier: MIT */
/* The words, numbers and brackets of HLO text. */
#include "examples/tpugraphs/hlo/text.h"
#include "core/error.h"

#include <ctype.h>
#include <string.h>
#include <xxhash.h>

ag_status hlo_expected(const hlo_text *t, const char *what)
{
    int line = 1;
    const int64_t left = t->end - t->at;
    for (const char *c = t->m->begin; c < t->at; c++) line += *c == '\n';
    if (!left)
        return ag_fail(t->m->why, AG_EDATA,
                       "%s:%d: %s is expected, but the text ends; it may be cut off", t->m->name,
                       line, what);
    return ag_fail(t->m->why, AG_EDATA, "%s:%d: %s is expected, but there is `%.*s`", t->m->name,
                   line, what, (int)(left < 24 ? left : 24), t->at);
}

static int begins(const hlo_text *t, const char *what)
{
    const size_t n = strlen(what);
    return *t->at == *what && (size_t)(t->end - t->at) >= n && !memcmp(t->at, what, n);
}

int hlo_peek(hlo_text *t)
{
    for (; t->at < t->end; t->at++) {
        const int comment = begins(t, "/*");
        if (comment || begins(t, "//")) {
            while (t->at < t->end && !begins(t, comment ? "*/" : "\n")) t->at++;
            t->at += comment;
        } else if (*t->at != ' ' && (*t->at < '\t' || *t->at > '\r'))
            return (unsigned char)*t->at;
    }
    t->at = t->end;
    return 0;
}

int hlo_accept(hlo_text *t, const char *what)
{
    if (!hlo_peek(t) || !begins(t, what)) return 0;
    t->at += strlen(what);
    return 1;
}

ag_status hlo_expect(hlo_text *t, const char *what)
{
    return hlo_accept(t, what) ? AG_OK : hlo_expected(t, what);
}

static int is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

ag_status hlo_word(hlo_text *t, hlo_span *word, const char *what)
{
    hlo_peek(t);
    word->at = t->at;
    while (t->at < t->end && is_letter(*t->at)) t->at++;
    word->end = t->at;
    return word->at < word->end ? AG_OK : hlo_expected(t, what);
}

ag_status hlo_name(hlo_text *t, hlo_span *word, const char *what)
{
    hlo_accept(t, "%");
    return hlo_word(t, word, what);
}

ag_status hlo_number(hlo_text *t, int64_t *value)
{
    const int minus = hlo_accept(t, "-");
    const char *begin = t->at;
    for (*value = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (*value > (INT64_MAX - 9) / 10) return hlo_expected(t, "a number of at most 18 digits");
        *value = 10 * *value + (*t->at - '0');
    }
    if (minus) *value = -*value;
    return t->at > begin ? AG_OK : hlo_expected(t, "a number");
}

/* Moves to the closing quote, or to the last byte. */
static void pass_quotes(hlo_text *t)
{
    const char *c = t->at + 1;
    while (c < t->end && *c != '"') c += 1 + (*c == '\\' && c + 1 < t->end);
    t->at = c < t->end ? c : t->end - 1;
}

ag_status hlo_pass(hlo_text *t, int64_t *members)
{
    int64_t depth = 0, commas = 0;
    int some = 0;
    for (int c; (c = hlo_peek(t)) != 0; t->at++) {
        if (c == '"') pass_quotes(t);
        if (strchr(")]}", c) && !--depth) {
            t->at++;
            if (members) *members = some ? commas + 1 : 0;
            return AG_OK;
        }
        some |= depth > 0;
        depth += strchr("([{", c) != NULL;
        commas += c == ',' && depth == 1;
    }
    t->at = t->end;
    return hlo_expected(t, "a closing bracket");
}

ag_status hlo_pass_value(hlo_text *t)
{
    for (int c; t->at < t->end && !strchr(", \t\r\n)}]", c = *t->at); t->at++) {
        if (strchr("([{", c)) {
            if (hlo_pass(t, NULL)) return t->m->why->status;
            t->at--;
        }
        if (c == '"') pass_quotes(t);
    }
    return AG_OK;
}

uint64_t hlo_hash(hlo_span name, uint64_t from)
{
    return XXH3_64bits_withSeed(name.at, (size_t)(name.end - name.at), from);
}
