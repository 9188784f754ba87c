/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/tile_work.h"
#include "examples/harness/harness.h"
#include "examples/tpu/analytic/places.h"
#include "examples/tpu/analytic/sides.h"

#include <math.h>
#include <string.h>

static int is_reduction(int opcode)
{
    return opcode == TPU_DOT || opcode == TPU_CONVOLUTION || opcode == TPU_REDUCE ||
           opcode == TPU_REDUCE_WINDOW;
}

/* ---- axes of the reduction that are blocked ---- */

/* The blocked axes of a node's reduction; returns their number. */
int tpu_tiling_blocked(double size[TPU_RANK], const tpu_hlo *h, int u)
{
    tpu_window window[TPU_RANK];
    tpu_convolution c;
    tpu_dot d;
    double in[TPU_RANK];
    int n = 0;
    for (int a = 0; a < TPU_RANK; a++) size[a] = 1;
    switch (h->kernel->opcode[u]) {
    case TPU_DOT:
        if (tpu_hlo_dot(&d, h, u)) size[n++] = fmax(1, d.inner);
        return n;
    case TPU_REDUCE: {
        const int v = tpu_hlo_largest(h, u);
        const int rank = v < 0 ? 0 : tpu_hlo_shape(in, h, v);
        const int dims = rank - tpu_hlo_shape(NULL, h, u);
        for (int i = 0; i < dims; i++) {
            const int axis = tpu_hlo_dim(h, u, i);
            if (axis >= 0 && axis < rank) size[i] = in[axis];
        }
        return dims > 0 ? dims : 0;
    }
    case TPU_REDUCE_WINDOW:
        n = tpu_hlo_windows(window, h, u);
        for (int i = 0; i < n; i++) size[i] = window[i].size;
        return n;
    case TPU_CONVOLUTION:
        if (!tpu_hlo_convolution(&c, h, u)) return 0;
        for (; n < c.spatial; n++) {
            size[n] = c.window[n].size;
            c.inner /= c.window[n].size;
        }
        size[n++] = fmax(1, c.inner);
        return n;
    default: return 0;
    }
}

/* ---- copied views ---- */

static int is_reshape(int opcode) { return opcode == TPU_RESHAPE || opcode == TPU_BITCAST; }

/* Memory outside under any shape: a reshape of it is a view of the same memory. */
static int is_outside(const tpu_hlo *h, int u)
{
    while (is_reshape(h->kernel->opcode[u]) && h->start[u] < h->start[u + 1] &&
           h->operand[h->start[u]] < u)
        u = h->operand[h->start[u]];
    return h->kernel->opcode[u] == TPU_PARAMETER || h->kernel->opcode[u] == TPU_CONSTANT;
}

static int wide_axes(double wide[TPU_RANK], const tpu_hlo *h, int u)
{
    double size[TPU_RANK];
    const int rank = tpu_hlo_shape(size, h, u);
    int n = 0;
    for (int a = 0; a < rank; a++)
        if (size[a] > 1) wide[n++] = size[a];
    return n;
}

/* 1 if several axes of v become one of its reshape u. */
static int merges(const tpu_hlo *h, int u, int v)
{
    double in[TPU_RANK], out[TPU_RANK];
    const int n_in = wide_axes(in, h, v), n_out = wide_axes(out, h, u);
    for (int i = 0, o = 0; i < n_in && o < n_out; i++, o++) {
        double left = in[i];
        if (left < out[o]) return 1;
        for (double all = out[o]; all < left && o + 1 < n_out; all *= out[o]) o++;
    }
    return 0;
}

static void mark_copied(tpu_tiling *t, int u)
{
    const tpu_hlo *h = &t->hlo;
    if (!is_reshape(h->kernel->opcode[u]) || h->start[u] == h->start[u + 1]) return;
    const int v = h->operand[h->start[u]];
    if (v < u && tpu_is_view(h->kernel->opcode[v]) && !is_outside(h, v) && merges(h, u, v))
        t->copied[v] = 1;
}

int tpu_tiling_computes(const tpu_tiling *t, int u)
{
    return t->want[u] &&
           (u == t->hlo.root || t->copied[u] || !tpu_is_view(t->hlo.kernel->opcode[u]));
}

void tpu_tiling_open(tpu_tiling *t, const tpu_kernel *kernel)
{
    const size_t nodes = (size_t)kernel->nodes;
    *t = (tpu_tiling){.reduction = -1};
    tpu_hlo_open(&t->hlo, kernel);
    t->box = harness_alloc(nodes * TPU_RANK * sizeof *t->box);
    t->lo = harness_alloc(nodes * TPU_RANK * sizeof *t->lo);
    t->copied = harness_alloc(nodes);
    t->want = harness_alloc(nodes);
    for (int u = 0; u < kernel->nodes; u++)
        if (is_reduction(kernel->opcode[u])) t->reduction = u;
    for (int u = 0; u < kernel->nodes; u++) mark_copied(t, u);
    if (t->reduction >= 0) t->n_blocked = tpu_tiling_blocked(t->blocked, &t->hlo, t->reduction);
}

void tpu_tiling_close(tpu_tiling *t)
{
    tpu_hlo_close(&t->hlo);
    harness_free(t->box);
    harness_free(t->lo);
    harness_free(t->copied);
    harness_free(t->want);
    *t = (tpu_tiling){.reduction = -1};
}

/* ---- regions ---- */

/* The number of elements of the region along the most minor axis of node u. */
static double run(const tpu_tiling *t, int u, const double box[TPU_RANK])
{
    const int rank = tpu_hlo_shape(NULL, &t->hlo, u);
    return rank > 0 ? box[rank - 1] : 1;
}

/* The length of a contiguous piece of memory in the region. */
static double contiguous(const tpu_tiling *t, int u, const double box[TPU_RANK])
{
    double size[TPU_RANK], all = 1;
    for (int a = tpu_hlo_shape(size, &t->hlo, u) - 1; a >= 0; a--) {
        all *= box[a];
        if (box[a] < size[a]) break;
    }
    return all;
}

/* Adds the counts of node u in `times` tiles or steps. */
static void add_node(double *work, const tpu_tiling *t, int u, double times)
{
    const double *box = t->box + (size_t)u * TPU_RANK, n = tpu_volume(box) * times;
    const int opcode = t->hlo.kernel->opcode[u];
    if (opcode == TPU_PARAMETER) {
        const double elements = tpu_hlo_elements(&t->hlo, u);
        const double width = elements > 0 ? tpu_hlo_bytes(&t->hlo, u) / elements : 0;
        work[TPU_WORK_READ] += n * width;
        work[TPU_WORK_RUNS] += n / contiguous(t, u, box);
    }
    if (!tpu_tiling_computes(t, u)) return;
    work[TPU_WORK_ELEMENTS] += n;
    work[TPU_WORK_LOOPS] += n / run(t, u, box);
    if (tpu_elementwise_of(opcode) == TPU_SPECIAL) work[TPU_WORK_SPECIAL] += n;
}

/* Elements along the most minor axis of both operands if it is a blocked one, else 1. */
static double fold_length(const tpu_tiling *t, int u)
{
    const tpu_hlo *h = &t->hlo;
    const int in = tpu_hlo_largest(h, u);
    tpu_convolution c;
    tpu_dot d;
    int left = in, right = in, same = 0;
    if (in < 0) return 1;
    if (h->kernel->opcode[u] == TPU_DOT && tpu_hlo_dot(&d, h, u)) {
        left = d.left;
        right = d.right;
        same = d.left_axis == tpu_hlo_shape(NULL, h, left) - 1 &&
               d.right_axis == tpu_hlo_shape(NULL, h, right) - 1;
    } else if (h->kernel->opcode[u] == TPU_CONVOLUTION && tpu_hlo_convolution(&c, h, u)) {
        const int minor = tpu_hlo_shape(NULL, h, u) - 1;
        left = c.input;
        right = c.kernel;
        same = c.in_feature == minor && c.kernel_in == minor;
        for (int i = 0; i < c.spatial; i++)
            same |= c.in_spatial[i] == minor && c.kernel_spatial[i] == minor &&
                    c.window[i].dilation == 1;
    } else if (h->kernel->opcode[u] == TPU_REDUCE)
        for (int i = 0; i < t->n_blocked; i++)
            same |= tpu_hlo_dim(h, u, i) == tpu_hlo_shape(NULL, h, in) - 1;
    /* A convolution's input is larger than its window: the kernel tells how far the loop runs. */
    return same ? fmin(run(t, left, t->box + (size_t)left * TPU_RANK),
                       run(t, right, t->box + (size_t)right * TPU_RANK))
                : 1;
}

static void add_reduction(double *work, tpu_tiling *t, const double block[TPU_RANK], double steps)
{
    const int u = t->reduction, opcode = t->hlo.kernel->opcode[u];
    const double *box = t->box + (size_t)u * TPU_RANK,
                 n = tpu_volume(box) * tpu_volume(block) * steps;
    const double fold = fold_length(t, u);
    work[opcode == TPU_DOT || opcode == TPU_CONVOLUTION ? TPU_WORK_PRODUCTS : TPU_WORK_SUMS] += n;
    if (fold > 1)
        work[TPU_WORK_FOLDS] += n / fold;
    else {
        double longest = 1;
        for (int a = 0; a < t->n_blocked; a++) longest = fmax(longest, block[a]);
        work[TPU_WORK_ROWS] += n / run(t, u, box);
        work[TPU_WORK_PASSES] += n / run(t, u, box) / longest;
    }
    work[TPU_WORK_PARTIAL] += tpu_volume(box) * 4 * steps;
}

/* Adds the wanted nodes up to `last`, except for the reduction. */
static void add_side(double *work, const tpu_tiling *t, int last, double times)
{
    for (int u = last; u >= 0; u--)
        if (t->want[u] && u != t->reduction) add_node(work, t, u, times);
}

/* ---- a tile ---- */

/* Reads bounds of axes of these sizes; returns the number of blocks. */
static double read_bounds(double bound[TPU_RANK], const float *part, const double *size, int rank)
{
    double blocks = 1;
    for (int a = 0; a < TPU_RANK; a++) {
        const double whole = a < rank ? size[a] : 1;
        bound[a] = part[a] >= 1 && (double)part[a] < whole ? (double)part[a] : whole;
        blocks *= ceil(whole / bound[a]);
    }
    return blocks;
}

void tpu_tiling_work(double work[TPU_WORKS], tpu_tiling *t, const float *tile)
{
    const int root = t->hlo.root, r = t->reduction;
    double size[TPU_RANK], block[TPU_RANK], *box = t->box + (size_t)root * TPU_RANK;
    const int rank = tpu_hlo_shape(size, &t->hlo, root);
    const double tiles = read_bounds(box, tile + 8, size, rank);
    const double blocks = read_bounds(block, tile, t->blocked, t->n_blocked);
    memset(work, 0, TPU_WORKS * sizeof *work);
    work[TPU_WORK_TILES] = tiles;
    work[TPU_WORK_STEPS] = tiles;
    work[TPU_WORK_WRITTEN] = tpu_hlo_bytes(&t->hlo, root);
    tpu_want_after(t);
    add_side(work, t, root, tiles);
    if (r < 0 || !t->want[r]) return;
    work[TPU_WORK_STEPS] = tiles * blocks;
    tpu_want_before(t, block);
    add_reduction(work, t, block, tiles * blocks);
    add_side(work, t, r - 1, tiles * blocks);
}
