/* SPDX-License-Identifier: MIT */
/* The kernels of an op where the tape is, and folding: on a device a kernel may also compute the
   elementwise op that reads its result, in the same pass (ag_kernels.folds), as a product does with
   its ReLU. The result itself is then not stored, so nothing else may read it: no other op, no
   backward kernel, and not the caller. */
#include "autograd/plan.h"

#include <string.h>

ag_kernels ag__kernels_of(const ag_builder *b, const ag_op *op)
{
    ag_kernels all = {.scratch = op->scratch};
    if (b->tape->device == AG_CUDA && op->cuda) {
        all = *op->cuda;
    } else {
        memcpy(all.forward, op->forward, sizeof all.forward);
        memcpy(all.prepare, op->prepare, sizeof all.prepare);
        memcpy(all.backward, op->backward, sizeof all.backward);
    }
    if (op->also) all.also = op->also;
    return all;
}

/* ---- folding ---- */

static int root_of(const ag_builder *b, int tensor) { return b->tape->tensors[tensor]->root; }

/* The caller may read it after the run, perhaps under another shape. */
static int is_result(const ag_builder *b, int root)
{
    for (int i = 0; i < b->tape->n_tensors; i++) {
        const ag_tensor *t = b->tape->tensors[i];
        if (t->root == root && (t == b->wanted || t->kept)) return 1;
    }
    return 0;
}

/* The one input of the one node that runs and reads it; -1: there are more, or none. */
static int only_reader(const ag_builder *b, int root, int from)
{
    int reader = -1;
    for (int k = from; k < b->tape->n_nodes; k++) {
        const ag_node *node = &b->tape->nodes[k];
        if (!b->plan->live[k] || node->op->view) continue;
        for (int i = 0; i < node->n_in; i++) {
            if (root_of(b, node->in[i]) != root) continue;
            if (reader >= 0) return -1;
            reader = k;
        }
    }
    return reader;
}

int ag__folds(const ag_builder *b, int k)
{
    const ag_node *node = &b->tape->nodes[k];
    const ag_kernels own = ag__kernels_of(b, node->op);
    if (!b->fuse || !own.folds || (node->op->saves & SAVE_Y(0)) || is_result(b, node->out[0]))
        return -1;
    const int reader = only_reader(b, node->out[0], k + 1);
    const ag_op *op = reader < 0 ? NULL : b->tape->nodes[reader].op;
    return op && strcmp(op->name, own.folds) == 0 && !(op->saves & SAVE_X(0)) ? reader : -1;
}

int ag__is_folded(const ag_builder *b, int k)
{
    const ag_node *node = &b->tape->nodes[k];
    const int maker = node->op->elementwise && node->n_in == 1
                          ? b->tape->tensors[root_of(b, node->in[0])]->node
                          : -1;
    return maker >= 0 && ag__folds(b, maker) == k;
}
