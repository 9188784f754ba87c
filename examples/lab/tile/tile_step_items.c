/* SPDX-License-Identifier: MIT */
/* The commands that compute items: elementwise, pad, concatenate, gather. */
#include "examples/lab/tile/tile_step.h"

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

/* The offset in a base that is outside becomes a move. */
static void settle(tile_step *s, int base, int *at)
{
    if (!tile_is_outside(s->t, base)) return;
    bag_add(s->moves, *at);
    *at = 0;
}

void tile_command_add(tile_step *s, tile_command c)
{
    settle(s, c.out, &c.out_at);
    for (int k = 0; k < c.n_inputs; k++) settle(s, c.in[k], &c.in_at[k]);
    bag_add(s->commands, c);
}

/* A command of an elementwise nest with a loop for each axis. */
static tile_command begin(const tile_step *s, int i, int n_inputs)
{
    tile_command c = tile_command_of(s, i, NEST_MAP, n_inputs);
    c.n_loops = s->t->item[i].rank;
    for (int a = 0; a < c.n_loops; a++)
        c.loop[a] = (tile_loop){s->box[i].n[a], 0, (int)s->place[i].stride[a], {0}};
    return c;
}

static void map(tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_command c = begin(s, i, item->n_inputs);
    for (int k = 0; k < item->n_inputs; k++) {
        const int64_t *stride = tile_command_read(&c, k, s, item->input[k], &s->box[i]);
        for (int a = 0; a < item->rank; a++) c.loop[a].in[k] = (int)stride[a];
    }
    tile_command_add(s, c);
}

/* Fills the box with the scalar, unless elements of the input cover all of it. */
static void fill(tile_step *s, int i, const tile_box *part)
{
    const tile_item *item = &s->t->item[i];
    if (part->some &&
        tile_box_elements(part, item->rank) == tile_box_elements(&s->box[i], item->rank))
        return;
    tile_command c = begin(s, i, 1);
    tile_command_read(&c, 0, s, item->input[1], &s->box[i]);
    tile_command_add(s, c);
}

/* Copies the part of input k, whose element e is at shift[a] + step[a] * e along axis a. */
static void place_part(tile_step *s, int i, int k, const tile_box *part, const int *shift)
{
    const tile_item *item = &s->t->item[i];
    int64_t at = s->place[i].at;
    if (!part->some) return;
    tile_command c = begin(s, i, 1);
    const int64_t *stride = tile_command_read(&c, 0, s, item->input[k], part);
    for (int a = 0; a < item->rank; a++) {
        const int64_t along = s->place[i].stride[a];
        at += (shift[a] + (int64_t)item->step[a] * part->lo[a]) * along;
        c.loop[a] = (tile_loop){part->n[a], 0, (int)(along * item->step[a]), {(int)stride[a]}};
    }
    c.out_at = (int)at;
    tile_command_add(s, c);
}

static void pad(tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box part;
    tile_part_box(&part, s->t, item, 0, &s->box[i]);
    fill(s, i, &part);
    place_part(s, i, 0, &part, item->at);
}

static void concatenate(tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    int shift[LAB_RANK] = {0};
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box part;
        tile_part_box(&part, s->t, item, k, &s->box[i]);
        place_part(s, i, k, &part, shift);
        shift[item->from[0]] += s->t->item[item->input[k]].size[item->from[0]];
    }
}

static void gather(tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box columns = s->box[i];
    tile_command c = begin(s, i, 2);
    columns.lo[0] = 0;
    const int64_t *table = tile_command_read(&c, 0, s, item->input[0], &columns);
    const int64_t *rows = tile_command_read(&c, 1, s, item->input[1], &s->box[i]);
    c.gather = s->t->item[item->input[0]].size[0];
    for (int a = 0; a < 2; a++) c.loop[a].in[0] = (int)table[a];
    c.loop[0].in[1] = (int)rows[0];
    tile_command_add(s, c);
}

void tile_step_items(tile_step *s, int first, int last)
{
    for (int i = first; i <= last; i++) {
        if (!s->box[i].some) continue;
        switch (s->t->item[i].role) {
        case TILE_MAP: map(s, i); break;
        case TILE_PAD: pad(s, i); break;
        case TILE_CONCATENATE: concatenate(s, i); break;
        case TILE_GATHER: gather(s, i); break;
        case TILE_REDUCTION:
            if (s->blocked) tile_step_reduction(s);
            break;
        default: break; /* a view, not computed */
        }
    }
}
