/* SPDX-License-Identifier: MIT */
/* The nests that compute items: elementwise, pad, concatenate, gather. */
#include "examples/lab/tile/tile_script.h"

#include <string.h>

static tile_command begin(const tile_step *s, int i, int n_inputs, int64_t *at)
{
    const tile_item *item = &s->t->item[i];
    tile_command c = {.item = i, .kind = NEST_MAP, .n_inputs = n_inputs, .out = s->place[i].base};
    at[0] = tile_place_start(&s->place[i], &s->box[i], item->rank);
    return c;
}

/* Input k of the command reads from item `input`; returns the strides. */
static const int64_t *reads(tile_command *c, int k, const tile_step *s, int input)
{
    c->in[k] = s->place[input].base;
    return s->place[input].stride;
}

static void map(const tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    const int64_t *stride[NEST_INPUTS];
    int64_t at[1 + NEST_INPUTS];
    tile_command c = begin(s, i, item->n_inputs, at);
    for (int k = 0; k < item->n_inputs; k++) {
        stride[k] = reads(&c, k, s, item->input[k]);
        at[1 + k] = tile_place_start(&s->place[item->input[k]], &s->box[i], item->rank);
    }
    c.n_loops = item->rank;
    for (int a = 0; a < item->rank; a++) {
        c.loop[a] = (tile_loop){s->box[i].n[a], 0, (int)s->place[i].stride[a], {0}};
        for (int k = 0; k < item->n_inputs; k++) c.loop[a].in[k] = (int)stride[k][a];
    }
    tile_script_add(s->out, s->t, &c, at);
}

/* Fills the box with the scalar, unless elements of the input cover all of it. */
static void fill(const tile_step *s, int i, const tile_box *part)
{
    const tile_item *item = &s->t->item[i];
    int64_t at[1 + NEST_INPUTS];
    if (part->some &&
        tile_box_elements(part, item->rank) == tile_box_elements(&s->box[i], item->rank))
        return;
    tile_command c = begin(s, i, 1, at);
    reads(&c, 0, s, item->input[1]);
    at[1] = s->place[item->input[1]].at;
    c.n_loops = item->rank;
    for (int a = 0; a < item->rank; a++)
        c.loop[a] = (tile_loop){s->box[i].n[a], 0, (int)s->place[i].stride[a], {0}};
    tile_script_add(s->out, s->t, &c, at);
}

/* Copies the part of input k, whose element e is at shift[a] + step[a] * e along axis a. */
static void place_part(const tile_step *s, int i, int k, const tile_box *part, const int *shift,
                       const int *every)
{
    const tile_item *item = &s->t->item[i];
    const int input = item->input[k];
    int64_t at[1 + NEST_INPUTS];
    if (!part->some) return;
    tile_command c = begin(s, i, 1, at);
    const int64_t *stride = reads(&c, 0, s, input);
    at[0] = s->place[i].at;
    at[1] = tile_place_start(&s->place[input], part, item->rank);
    c.n_loops = item->rank;
    for (int a = 0; a < item->rank; a++) {
        const int64_t along = s->place[i].stride[a];
        at[0] += (shift[a] + (int64_t)every[a] * part->lo[a]) * along;
        c.loop[a] = (tile_loop){part->n[a], 0, (int)(along * every[a]), {(int)stride[a]}};
    }
    tile_script_add(s->out, s->t, &c, at);
}

static void pad(const tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box part;
    tile_part_box(&part, s->t, item, 0, &s->box[i]);
    fill(s, i, &part);
    place_part(s, i, 0, &part, item->at, item->step);
}

static void concatenate(const tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    const int axis = item->from[0];
    int shift[LAB_RANK] = {0}, every[LAB_RANK] = {1, 1, 1, 1, 1, 1};
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box part;
        tile_part_box(&part, s->t, item, k, &s->box[i]);
        place_part(s, i, k, &part, shift, every);
        shift[axis] += s->t->item[item->input[k]].size[axis];
    }
}

static void gather(const tile_step *s, int i)
{
    const tile_item *item = &s->t->item[i];
    const tile_box *box = &s->box[i];
    int64_t at[1 + NEST_INPUTS];
    tile_command c = begin(s, i, 2, at);
    const int64_t *table = reads(&c, 0, s, item->input[0]);
    const int64_t *rows = reads(&c, 1, s, item->input[1]), *to = s->place[i].stride;
    c.gather = s->t->item[item->input[0]].size[0];
    at[1] = s->place[item->input[0]].at + box->lo[1] * table[1];
    at[2] = tile_place_start(&s->place[item->input[1]], box, 1);
    c.n_loops = 2;
    c.loop[0] = (tile_loop){box->n[0], 0, (int)to[0], {(int)table[0], (int)rows[0]}};
    c.loop[1] = (tile_loop){box->n[1], 0, (int)to[1], {(int)table[1]}};
    tile_script_add(s->out, s->t, &c, at);
}

void tile_step_items(const tile_step *s, int first, int last)
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
