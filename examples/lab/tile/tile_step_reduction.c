/* SPDX-License-Identifier: MIT */
/* The commands of a dot, convolution, reduce or reduce-window over a block of the reduction. */
#include "examples/lab/tile/tile_step.h"

typedef struct reduction {
    tile_step *s;
    const lab_node *node;
    const tile_box *out;
    const int64_t *to, *from[2]; /* strides of the output and of the operands */
    tile_command c;
} reduction;

static void loop(tile_command *c, int size, int reduce, int64_t out, int64_t left, int64_t right)
{
    c->loop[c->n_loops++] = (tile_loop){size, reduce, (int)out, {(int)left, (int)right, 0}};
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
            loop(&r->c, r->s->blocked->n[x->axis], 1, 0, left, right);
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
    c.out_at += (int)(first * to);
    c.in_at[0] += (int)(in_group * x);
    c.in_at[1] += (int)(first * kernel);
    loop(&c, groups, 0, each * to, r->s->t->blocked[d->spatial] * x, each * kernel);
    loop(&c, each, 0, to, 0, kernel);
    tile_command_add(r->s, c);
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

void tile_step_reduction(tile_step *s)
{
    const tile_items *t = s->t;
    const int i = t->reduction;
    const tile_item *item = &t->item[i];
    const lab_node *node = item->node;
    const int product = node->op == LAB_DOT || node->op == LAB_CONVOLUTION;
    const nest_kind kind = product ? NEST_DOT : node->reducer == LAB_MAX ? NEST_MAX : NEST_SUM;
    reduction r = {.s = s, .node = node, .out = &s->box[i], .to = s->place[i].stride};
    r.c = tile_command_of(s, i, kind, item->n_inputs);
    r.c.accumulate = s->later;
    for (int k = 0; k < item->n_inputs; k++) {
        tile_box in;
        tile_reduction_box(&in, t, k, &s->box[i], s->blocked);
        r.from[k] = tile_command_read(&r.c, k, s, item->input[k], &in);
    }
    loops(&r);
    if (node->op == LAB_CONVOLUTION)
        convolution(&r);
    else
        tile_command_add(s, r.c);
}
