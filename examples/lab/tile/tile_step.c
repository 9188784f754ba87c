/* SPDX-License-Identifier: MIT */
/* The commands that compute items: elementwise, pad, concatenate, gather, and a dot, convolution,
   reduce or reduce-window over a block of the reduction. */
#include "examples/lab/tile/tile_step.h"

#include <string.h>
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
static tile_command command_of(const tile_steps *s, int i, nest_kind kind, int n_inputs)
{
    tile_command c = {.item = i, .kind = (int)kind, .n_inputs = n_inputs};
    set_place(&c, 0, s, i, &s->box[i]);
    return c;
}

/* The number of a command; one that is new gets the next. */
static int number_of(tile_steps *s, const tile_command *c)
{
    const uint64_t hash = XXH3_64bits(c, sizeof *c);
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
    for (int k = 0; k <= c.n_inputs; k++) {
        if (!tile_is_outside(s->t, c.base[k])) continue;
        move[moves++] = c.at[k];
        c.at[k] = 0;
    }
    bag_add(s->steps, number_of(s, &c));
    for (int k = 0; k < moves; k++) bag_add(s->steps, move[k]);
}

/* ---- elementwise nests: a loop for each axis ---- */

static tile_command begin(const tile_steps *s, int i, int n_inputs)
{
    tile_command c = command_of(s, i, NEST_MAP, n_inputs);
    c.n_loops = s->t->item[i].rank;
    for (int a = 0; a < c.n_loops; a++)
        c.loop[a] = (tile_loop){s->box[i].n[a], 0, {(int)s->place[i].stride[a]}};
    return c;
}

static void map(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_command c = begin(s, i, item->n_inputs);
    for (int k = 0; k < item->n_inputs; k++) {
        const int64_t *stride = set_place(&c, k + 1, s, item->input[k], &s->box[i]);
        for (int a = 0; a < item->rank; a++) c.loop[a].move[k + 1] = (int)stride[a];
    }
    add(s, c);
}

/* Fills the box with the scalar, unless elements of the input cover all of it. */
static void fill(tile_steps *s, int i, const tile_box *part)
{
    const tile_item *item = &s->t->item[i];
    if (part->some &&
        tile_box_elements(part, item->rank) == tile_box_elements(&s->box[i], item->rank))
        return;
    tile_command c = begin(s, i, 1);
    set_place(&c, 1, s, item->input[1], &s->box[i]);
    add(s, c);
}

/* Copies the part of input k, whose element e is at first + step * e along each axis. */
static void place_part(tile_steps *s, int i, int k, const tile_box *part, const lab_moved *to)
{
    const tile_item *item = &s->t->item[i];
    int64_t at = s->place[i].at;
    if (!part->some) return;
    tile_command c = begin(s, i, 1);
    const int64_t *stride = set_place(&c, 1, s, item->input[k], part);
    for (int a = 0; a < item->rank; a++) {
        const int64_t along = s->place[i].stride[a];
        at += (to[a].first + (int64_t)to[a].step * part->lo[a]) * along;
        c.loop[a] = (tile_loop){part->n[a], 0, {(int)(along * to[a].step), (int)stride[a]}};
    }
    c.at[0] = (int)at;
    add(s, c);
}

static void pad(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box part;
    tile_part_box(&part, s->t, item, 0, &s->box[i]);
    fill(s, i, &part);
    place_part(s, i, 0, &part, item->moved);
}

static void concatenate(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    const int axis = item->node->dims[0];
    lab_moved to[LAB_RANK];
    memcpy(to, item->moved, sizeof to);
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box part;
        tile_part_box(&part, s->t, item, k, &s->box[i]);
        place_part(s, i, k, &part, to);
        to[axis].first += s->t->item[item->input[k]].size[axis];
    }
}

static void gather(tile_steps *s, int i)
{
    const tile_item *item = &s->t->item[i];
    tile_box columns = s->box[i];
    tile_command c = begin(s, i, 2);
    columns.lo[0] = 0;
    const int64_t *table = set_place(&c, 1, s, item->input[0], &columns);
    const int64_t *rows = set_place(&c, 2, s, item->input[1], &s->box[i]);
    c.gather = s->t->item[item->input[0]].size[0];
    for (int a = 0; a < 2; a++) c.loop[a].move[1] = (int)table[a];
    c.loop[0].move[2] = (int)rows[0];
    add(s, c);
}

/* ---- the reduction ---- */

typedef struct reduction {
    tile_steps *s;
    const lab_node *node;
    const tile_box *out, *block;
    const int64_t *to, *from[2]; /* strides of the output and of the operands */
    tile_command c;
} reduction;

static void loop(tile_command *c, int size, int reduce, int64_t out, int64_t left, int64_t right)
{
    c->loop[c->n_loops++] = (tile_loop){size, reduce, {(int)out, (int)left, (int)right}};
}

/* The loops of all indices but the features that a convolution makes. */
static void loops(reduction *r)
{
    const tpugraphs_space *space = &r->s->t->space;
    for (int i = 0; i < space->n; i++) {
        const tpugraphs_index *x = &space->index[i];
        const int64_t left = x->in[0] < 0 ? 0 : x->step * r->from[0][x->in[0]];
        const int64_t right = x->in[1] < 0 ? 0 : r->from[1][x->in[1]];
        if (x->split) continue;
        if (x->sum)
            loop(&r->c, r->block->n[x->axis], 1, 0, left, right);
        else
            loop(&r->c, r->out->n[x->axis], 0, r->to[x->axis], left, right);
    }
}

/* Adds the loops of `groups` groups of `each` output features, from feature `first` of the box
   on. */
static void feature_loops(const reduction *r, int first, int groups, int each, int64_t in_group)
{
    const lab_conv_dims *d = &r->node->conv;
    const int64_t to = r->to[d->out_feature], kernel = r->from[1][d->kernel_out];
    const int64_t x = r->from[0][d->in_feature];
    tile_command c = r->c;
    c.at[0] += (int)(first * to);
    c.at[1] += (int)(in_group * x);
    c.at[2] += (int)(first * kernel);
    loop(&c, groups, 0, each * to, r->s->t->blocked[d->spatial] * x, each * kernel);
    loop(&c, each, 0, to, 0, kernel);
    add(r->s, c);
}

/* Whole groups are one nest; each part of a group is a nest of its own. */
static void convolution(const reduction *r)
{
    const lab_conv_dims *c = &r->node->conv;
    const int each = r->node->shape.size[c->out_feature] / c->groups;
    const int lo = r->out->lo[c->out_feature], n = r->out->n[c->out_feature];
    for (int done = 0; done < n;) {
        const int inside = (lo + done) % each, left = n - done;
        const int64_t in_group =
            (int64_t)((lo + done) / each - lo / each) * r->s->t->blocked[c->spatial];
        int groups = 1, features = each - inside < left ? each - inside : left;
        if (!inside && left >= each) groups = left / each;
        feature_loops(r, done, groups, features, in_group);
        done += groups * features;
    }
}

static void reduce(tile_steps *s, int i, const tile_box *block, int later)
{
    const tile_item *item = &s->t->item[i];
    const lab_node *node = item->node;
    reduction r = {s,
                   node,
                   &s->box[i],
                   block,
                   s->place[i].stride,
                   {NULL},
                   command_of(s, i, nest_node_kind(node), item->n_inputs)};
    r.c.accumulate = later;
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box in;
        tile_reduction_box(&in, s->t, k, &s->box[i], block);
        r.from[k] = set_place(&r.c, k + 1, s, item->input[k], &in);
    }
    loops(&r);
    if (node->op == LAB_CONVOLUTION)
        convolution(&r);
    else
        add(s, r.c);
}

void tile_steps_add(tile_steps *s, int first, int last, const tile_box *block, int later)
{
    for (int i = first; i <= last; i++) {
        if (!s->box[i].some) continue;
        switch (s->t->item[i].role) {
        case TILE_MAP: map(s, i); break;
        case TILE_PAD: pad(s, i); break;
        case TILE_CONCATENATE: concatenate(s, i); break;
        case TILE_GATHER: gather(s, i); break;
        case TILE_REDUCTION:
            if (block) reduce(s, i, block, later);
            break;
        default: break; /* a view, not computed */
        }
    }
}
