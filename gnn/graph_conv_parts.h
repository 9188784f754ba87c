/* SPDX-License-Identifier: MIT */
/* How graph_conv cuts its nodes into blocks, and its scratch. */
#ifndef AG_GNN_GRAPH_CONV_PARTS_H
#define AG_GNN_GRAPH_CONV_PARTS_H

#include "gnn/graph_conv.h"

#include "autograd/op.h"
#include "core/panels.h"

/* The most nodes of a block, which are whole tiles of the product's micro-kernels, and the most
   parts among which the blocks are divided. */
enum { BLOCK = 126, PARTS = 8 };

typedef struct sizes {
    int nodes, in, out, block, blocks, parts;
} sizes;

/* All blocks except the last have the same size, and their number is nearly always even. */
static inline sizes sizes_of(const ag_args *a)
{
    sizes s = {a->xs[0].size[0], a->xs[1].size[1], a->xs[1].size[0], BLOCK, 0, 0};
    if (s.nodes == 0) return s;
    const int pairs = (s.nodes + 2 * BLOCK - 1) / (2 * BLOCK);
    s.block = (s.nodes + 2 * pairs - 1) / (2 * pairs);
    s.blocks = (s.nodes + s.block - 1) / s.block;
    s.parts = s.blocks < PARTS ? s.blocks : PARTS;
    return s;
}

/* Scratch: the weights in panels, then the rows of each part and, in backward, its sums. */
static inline int64_t whole_lines(int64_t n) { return (n + 15) / 16 * 16; }

static inline int64_t weight_size(const sizes *s) { return (int64_t)s->in * s->out; }

static inline int64_t panel_size(const sizes *s, int backward)
{
    return whole_lines((int64_t)s->block * (s->in + s->out) * (backward ? 2 : 1));
}

static inline int64_t part_size(const sizes *s, int backward)
{
    return panel_size(s, backward) + (backward ? whole_lines(2 * weight_size(s) + s->out) : 0);
}

static inline int64_t weight_panels(const sizes *s, int backward)
{
    return whole_lines(backward ? ag__panels_size(s->in, s->out) : ag__panels_size(s->out, s->in));
}

static inline int64_t parts_at(const sizes *s, int backward)
{
    return 2 * weight_panels(s, backward);
}

/* Panels of a weight: `which` is 0 for w, 1 for root. Forward has panels of the transposed weight,
   backward of the weight itself. */
static inline ag_real *weight_of(const ag_args *a, const sizes *s, int which, int backward)
{
    return a->scratch + which * weight_panels(s, backward);
}

static inline void pack_weights(const ag_args *a, const sizes *s, int backward)
{
    for (int which = 0; which < 2; which++)
        ag__panels_pack(weight_of(a, s, which, backward), X(1 + which), !backward,
                        backward ? s->in : s->out, backward ? s->out : s->in);
}

static inline ag_real *part_of(const ag_args *a, const sizes *s, int64_t part, int backward)
{
    return a->scratch + parts_at(s, backward) + part * part_size(s, backward);
}

/* The first node of block k, and how many it has. */
static inline int block_of(const sizes *s, int64_t k, int *count)
{
    const int lo = (int)k * s->block, left = s->nodes - lo;
    *count = left < s->block ? left : s->block;
    return lo;
}

typedef void block_body(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds);

/* The blocks of a part. */
static inline void each_block(const ag_args *a, const sizes *s, int64_t part, int backward,
                              block_body *body)
{
    const int64_t first = part * s->blocks / s->parts, end = (part + 1) * s->blocks / s->parts;
    for (int64_t k = first; k < end; k++) body(a, s, part_of(a, s, part, backward), k, k > first);
}

/* The sum over the messages into v; returns 0 if there are none. */
static inline int message_row(ag_real *to, const ag_args *a, const sizes *s, int v)
{
    const int first = XI(4)[2 * (int64_t)v], n = XI(4)[2 * (int64_t)v + 1];
    return gather_rows(to, X(0), XI(5) + first, 1, n, s->nodes, s->in);
}

extern const ag_kernels ag__graph_conv_cuda; /* graph_conv_cuda.c */
extern const ag_kernel ag__graph_conv_backward_x, ag__graph_conv_backward_w,
    ag__graph_conv_backward_b;

#endif
