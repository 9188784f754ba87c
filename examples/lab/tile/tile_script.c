/* SPDX-License-Identifier: MIT */
/* Writes and reads the numbers of a step. */
#include "examples/lab/tile/tile_script.h"

#include "core/core.h"

#include <string.h>

int tile_room(int **list, int *have, int want)
{
    if (want <= *have) return 1;
    int *grown = want > INT_MAX / 8 ? NULL : ag_grow(*list, 2 * (size_t)want * sizeof *grown);
    if (!grown) return 0;
    *list = grown;
    *have = 2 * want;
    return 1;
}

int64_t tile_place_start(const tile_place *place, const tile_box *box, int rank)
{
    int64_t at = place->at;
    for (int a = 0; a < rank; a++) at += box->lo[a] * place->stride[a];
    return at;
}

/* The offset, or 0 when the base is outside: the offset then becomes a move. */
static int settle(tile_script *s, const tile_items *t, int base, int64_t at)
{
    if (t->item[base].role != TILE_EXTERNAL && base != t->root) return (int)at;
    s->moves[s->n_moves++] = (int)at;
    return 0;
}

/* The part of a command that is used. */
static int words_of(const tile_command *c)
{
    return TILE_COMMAND_HEAD + c->n_loops * (int)(sizeof *c->loop / sizeof(int));
}

void tile_script_add(tile_script *s, const tile_items *t, const tile_command *command,
                     const int64_t *at)
{
    tile_command c = *command;
    const int words = words_of(&c);
    if (!tile_room(&s->words, &s->words_room, s->n_words + words) ||
        !tile_room(&s->moves, &s->moves_room, s->n_moves + 1 + NEST_INPUTS)) {
        s->failed = 1;
        return;
    }
    c.out_at = settle(s, t, c.out, at[0]);
    for (int k = 0; k < c.n_inputs; k++) c.in_at[k] = settle(s, t, c.in[k], at[1 + k]);
    memcpy(s->words + s->n_words, &c, (size_t)words * sizeof(int));
    s->n_words += words;
}

int tile_script_read(tile_command *c, const int *words)
{
    memcpy(c, words, TILE_COMMAND_HEAD * sizeof *words);
    memcpy(c->loop, words + TILE_COMMAND_HEAD,
           (size_t)(words_of(c) - TILE_COMMAND_HEAD) * sizeof *words);
    return words_of(c);
}

void tile_script_free(tile_script *s)
{
    ag_free(s->words);
    ag_free(s->moves);
}
