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

void tile_script_add(tile_script *s, const tile_items *t, const tile_command *c, const int64_t *at)
{
    const int loops = c->n_loops * (int)(sizeof *c->loop / sizeof(int));
    if (!tile_room(&s->words, &s->words_room, s->n_words + TILE_COMMAND_HEAD + loops) ||
        !tile_room(&s->moves, &s->moves_room, s->n_moves + 1 + NEST_INPUTS)) {
        s->failed = 1;
        return;
    }
    int *w = s->words + s->n_words;
    memset(w, 0, TILE_COMMAND_HEAD * sizeof *w);
    const int head[] = {c->item,     c->kind,    c->accumulate, c->gather,
                        c->n_inputs, c->n_loops, c->out};
    memcpy(w, head, sizeof head);
    w[7] = settle(s, t, c->out, at[0]);
    for (int k = 0; k < c->n_inputs; k++) {
        w[8 + k] = c->in[k];
        w[8 + NEST_INPUTS + k] = settle(s, t, c->in[k], at[1 + k]);
    }
    memcpy(w + TILE_COMMAND_HEAD, c->loop, (size_t)loops * sizeof *w);
    s->n_words += TILE_COMMAND_HEAD + loops;
}

int tile_script_read(tile_command *c, const int *w)
{
    *c = (tile_command){.item = w[0],
                        .kind = w[1],
                        .accumulate = w[2],
                        .gather = w[3],
                        .n_inputs = w[4],
                        .n_loops = w[5],
                        .out = w[6],
                        .out_at = w[7]};
    for (int k = 0; k < NEST_INPUTS; k++) {
        c->in[k] = w[8 + k];
        c->in_at[k] = w[8 + NEST_INPUTS + k];
    }
    const int loops = c->n_loops * (int)(sizeof *c->loop / sizeof(int));
    memcpy(c->loop, w + TILE_COMMAND_HEAD, (size_t)loops * sizeof *w);
    return TILE_COMMAND_HEAD + loops;
}

void tile_script_free(tile_script *s)
{
    ag_free(s->words);
    ag_free(s->moves);
}
