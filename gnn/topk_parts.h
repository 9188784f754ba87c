/* SPDX-License-Identifier: MIT */
/* The parts that the poolings share: scores of the nodes, and which of them stay. For the CPU. */
#ifndef AG_GNN_TOPK_PARTS_H
#define AG_GNN_TOPK_PARTS_H

#include "autograd/op.h"
#include "core/cuda/device.h"
#include "gnn/topk_cut.h"
#include "gnn/topk.h"

/* Rows of x that backward processes at a time; they share a part of dp. */
enum { TOPK_BLOCK = 128 };

static inline int64_t pool_graphs(const ag_args *a) { return a->xs[2].size[0] - 1; }

static inline int64_t topk_blocks(const ag_args *a)
{
    return (a->xs[0].size[0] + (int64_t)TOPK_BLOCK - 1) / TOPK_BLOCK;
}

static inline ag_real topk_unit(const ag_args *a) { return pool_unit(X(1), row_width(a->xs[0])); }

static inline void pool_tanh(ag_real *to, const ag_real *from, int first, int end)
{
    for (int v = first; v < end; v++) to[v] = v_tanh(from[v]);
}

/* Chooses the nodes of graph g that stay, by their scores. */
static inline void choose_nodes(const ag_args *a, int64_t g)
{
    const int first = XI(2)[g], end = XI(2)[g + 1];
    int j = XI(3)[g];
    score_cut cut = cut_at(Y(1) + first, end - first, XI(3)[g + 1] - j);
    for (int v = first; v < end; v++) {
        const int stays = keeps(&cut, Y(1)[v]);
        YI(3)[v] = stays ? j : -1;
        if (stays) YI(2)[j++] = v;
    }
}

/* The same for all graphs, on a device. */
static inline void choose_there(const ag_args *a)
{
    ag__device_largest(YI(3), YI(2), Y(1), XI(2), XI(3), pool_graphs(a));
}

/* dp from the parts that backward_x leaves in the scratch. */
extern const ag_kernel ag__topk_backward_p;

#endif
