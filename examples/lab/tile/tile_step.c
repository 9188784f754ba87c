/* SPDX-License-Identifier: MIT */
/* The commands that compute items: elementwise, pad, concatenate, gather, and a dot, convolution,
   reduce or reduce-window over a block of the reduction. */
#include "examples/harness/base/bag.h"
#include "examples/lab/tile/tile_plan.h"

#include <stddef.h>
#include <xxhash.h>

/* The place k of a command is item i, from the start of the box on; returns the strides. */
static const int64_t *set_place(tile_command *c, int k, const tile_steps *s, int i,
                                const tile_box *box)
{
    const tile_place *place = &s->place[i];
    int64_t at = place->at;
    for (int a = 0; a < s->t->item[i].rank; a++) at += box->lo[a] * place->stride[a];
    c->base[k] = place->base;
    c->at[k] = (int)at;
    return place->stride;
}

/* A command that writes the box of item i, without loops. */
static tile_command command_of(const tile_steps *s, int i, nest_kind kind, int inputs)
{
    tile_command c = {.inputs = inputs, .nest = {.kind = kind, .op = LAB_COPY}};
    set_place(&c, 0, s, i, &s->box[i]);
    return c;
}

/* The number of a command; one that is new gets the next. Its nest has no windows, so what is
   before them and the loops describe it. */
static int number_of(tile_steps *s, const tile_command *c)
{
    const uint64_t head = XXH3_64bits(c, offsetof(tile_command, nest.n_windows));
    const uint64_t hash =
        XXH3_64bits_withSeed(c->nest.given, (size_t)c->nest.n_given * sizeof *c->nest.given, head);
    int i = 0;
    while (i < bag_count(s->hash) && s->hash[i] != hash) i++;
    if (i < bag_count(s->hash)) return i;
    bag_add(s->hash, hash);
    bag_add(s->commands, *c);
    return i;
}

/* An offset outside becomes a move of the step. */
static void add(tile_steps *s, tile_command c)
{
    int move[TILE_PLACES], moves = 0;
    for (int k = 0; k <= c.inputs; k++) {
        if (!tile_is_outside(s->t, c.base[k])) continue;
        move[moves++] = c.at[k];
        c.at[k] = 0;
    }
    bag_add(s->steps, number_of(s, &c));
    for (int k = 0; k < moves; k++) bag_add(s->steps, move[k]);
}

static void map(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    const int64_t *stride[NEST_INPUTS];
    tile_command c = command_of(s, i, NEST_MAP, item->n_inputs);
    if (item->node) {
        c.nest.op = item->node->op;
        c.nest.type = item->node->shape.type;
    }
    for (int k = 0; k < item->n_inputs; k++)
        stride[k] = set_place(&c, k + 1, s, item->input[k], &s->box[i]);
    nest_axes_add(&c.nest, item->rank, s->box[i].n, s->place[i].stride, stride, item->n_inputs);
    add(s, c);
}

/* Fills the box of a pad with the scalar, unless elements of the input cover all of it. */
static void fill(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    lab_moved to[LAB_RANK];
    tile_box part;
    tile_part_box(&part, to, s->t, item, 0, &s->box[i]);
    if (tile_box_elements(&part, item->rank) == tile_box_elements(&s->box[i], item->rank)) return;
    tile_command c = command_of(s, i, NEST_MAP, 1);
    set_place(&c, 1, s, item->input[1], &s->box[i]);
    nest_axes_add(&c.nest, item->rank, s->box[i].n, s->place[i].stride, NULL, 0);
    add(s, c);
}

/* Copies the part that comes from input k. */
static void place_part(tile_steps *s, int i, int k)
{
    const tile_item *item = &s->t->item[i];
    int64_t at = s->place[i].at, out[LAB_RANK];
    lab_moved to[LAB_RANK];
    tile_box part;
    tile_part_box(&part, to, s->t, item, k, &s->box[i]);
    if (!part.some) return;
    tile_command c = command_of(s, i, NEST_MAP, 1);
    const int64_t *stride = set_place(&c, 1, s, item->input[k], &part);
    for (int a = 0; a < item->rank; a++) {
        const int64_t along = s->place[i].stride[a];
        at += (to[a].first + (int64_t)to[a].step * part.lo[a]) * along;
        out[a] = along * to[a].step;
    }
    c.at[0] = (int)at;
    nest_axes_add(&c.nest, item->rank, part.n, out, &stride, 1);
    add(s, c);
}

static void gather(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box columns = s->box[i];
    tile_command c = command_of(s, i, NEST_MAP, 2);
    columns.lo[0] = 0;
    const int64_t *out = s->place[i].stride;
    const int64_t *table = set_place(&c, 1, s, item->input[0], &columns);
    const int64_t *rows = set_place(&c, 2, s, item->input[1], &s->box[i]);
    c.table_rows = s->t->item[item->input[0]].size[0];
    c.rows = columns.n[0];
    c.stride[0] = (int)out[0];
    c.stride[1] = (int)table[0];
    c.stride[2] = (int)rows[0];
    nest_loop_add(&c.nest, columns.n[1], 0, out[1], table[1], 0, 0);
    add(s, c);
}

/* Of a convolution, whole groups of features are one nest; each part of a group is a nest of its
   own. */
static void features(tile_steps *s, const tile_command *all, nest_reduction *r, const tile_box *out)
{
    const lab_conv_dims *d = &r->node->conv;
    const int size = r->node->shape.size[d->out_feature] / d->groups;
    const int lo = out->lo[d->out_feature], n = out->n[d->out_feature];
    for (int done = 0; done < n; done += r->groups * r->each) {
        const int inside = (lo + done) % size, left = n - done;
        const int group = (lo + done) / size - lo / size;
        tile_command c = *all;
        r->groups = inside || left < size ? 1 : left / size;
        r->each = size - inside < left ? size - inside : left;
        c.at[0] += (int)(done * r->to[d->out_feature]);
        c.at[1] += (int)((int64_t)group * s->t->blocked[d->spatial] * r->from[0][d->in_feature]);
        c.at[2] += (int)(done * r->from[1][d->kernel_out]);
        nest_reduction_add(&c.nest, r);
        add(s, c);
    }
}

static void reduce(tile_steps *s, int i, const tile_box *block, int later)
{
    const tile_item *item = &s->t->item[i];
    const tile_box *out = &s->box[i];
    nest_reduction r = {.node = item->node,
                        .space = &s->t->space,
                        .out = out->n,
                        .sum = block->n,
                        .to = s->place[i].stride};
    tile_command c = command_of(s, i, nest_node_kind(item->node), item->n_inputs);
    c.nest.accumulate = later;
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box in;
        tile_reduction_box(&in, s->t, k, out, block);
        r.from[k] = set_place(&c, k + 1, s, item->input[k], &in);
    }
    if (item->node->op == LAB_CONVOLUTION) {
        features(s, &c, &r, out);
        return;
    }
    nest_reduction_add(&c.nest, &r);
    add(s, c);
}

void tile_steps_add(tile_steps *s, int first, int last, const tile_box *block, int later)
{
    for (int i = first; i <= last; i++) {
        if (!s->box[i].some) continue;
        switch (s->t->item[i].role) {
        case TILE_MAP: map(s, i); break;
        case TILE_PAD:
            fill(s, i);
            place_part(s, i, 0);
            break;
        case TILE_CONCATENATE:
            for (int k = 0; k < s->t->item[i].n_inputs; k++) place_part(s, i, k);
            break;
        case TILE_GATHER: gather(s, i); break;
        case TILE_REDUCTION:
            if (block) reduce(s, i, block, later);
            break;
        default: break; /* a view, not computed */
        }
    }
}
