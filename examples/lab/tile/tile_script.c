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

/* The offset at which a box of an item starts. */
static int start_of(const tile_step *s, int i, const tile_box *box)
{
    const tile_place *place = &s->place[i];
    int64_t at = place->at;
    for (int a = 0; a < s->t->item[i].rank; a++) at += box->lo[a] * place->stride[a];
    return (int)at;
}

tile_command tile_command_of(const tile_step *s, int i, nest_kind kind, int n_inputs)
{
    return (tile_command){.item = i,
                          .kind = (int)kind,
                          .n_inputs = n_inputs,
                          .out = s->place[i].base,
                          .out_at = start_of(s, i, &s->box[i])};
}

const int64_t *tile_command_read(tile_command *c, int k, const tile_step *s, int input,
                                 const tile_box *box)
{
    c->in[k] = s->place[input].base;
    c->in_at[k] = start_of(s, input, box);
    return s->place[input].stride;
}

/* The offset of a base that is outside becomes a move. */
static void settle(tile_script *s, const tile_items *t, int base, int *at)
{
    if (t->item[base].role != TILE_EXTERNAL && base != t->root) return;
    s->moves[s->n_moves++] = *at;
    *at = 0;
}

/* The part of a command that is used. */
static int words_of(const tile_command *c)
{
    return TILE_COMMAND_HEAD + c->n_loops * (int)(sizeof *c->loop / sizeof(int));
}

void tile_script_add(tile_script *s, const tile_items *t, const tile_command *command)
{
    tile_command c = *command;
    const int words = words_of(&c);
    if (!tile_room(&s->words, &s->words_room, s->n_words + words) ||
        !tile_room(&s->moves, &s->moves_room, s->n_moves + 1 + NEST_INPUTS)) {
        s->failed = 1;
        return;
    }
    settle(s, t, c.out, &c.out_at);
    for (int k = 0; k < c.n_inputs; k++) settle(s, t, c.in[k], &c.in_at[k]);
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
