/* SPDX-License-Identifier: MIT */
/* The values that a tile needs on both sides of the reduction. */
#include "examples/tpu/rows/tiling.h"

#include <math.h>
#include <string.h>

double nests_volume(const double box[TPUGRAPHS_AXES])
{
    double all = 1;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) all *= box[a];
    return all;
}

int nests_is_product(const tpu_hlo *h, int u)
{
    return h->kernel->opcode[u] == TPUGRAPHS_DOT || h->kernel->opcode[u] == TPUGRAPHS_CONVOLUTION;
}

/* The smallest region of node v around the one that is wanted and another. */
static void join(nests_tiling *t, int v, const double *start, const double *in)
{
    double *box = t->box[v], *lo = t->lo[v];
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        const double first = t->want[v] ? fmin(lo[a], start[a]) : start[a];
        const double end = t->want[v] ? fmax(lo[a] + box[a], start[a] + in[a]) : start[a] + in[a];
        lo[a] = first;
        box[a] = fmin(t->hlo.operation[v].size[a], fmax(1, end - first));
    }
}

/* Marks what node u reads, as large as its readers need together. */
static void want_operands(nests_tiling *t, int u, const double *block)
{
    const tpu_hlo *h = &t->hlo;
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i];
        double in[TPUGRAPHS_AXES], start[TPUGRAPHS_AXES];
        if (v >= u) continue; /* the order is checked when files are read */
        nests_tiling_operand(start, in, t, u, v, block);
        join(t, v, start, in);
        t->want[v] = 1;
    }
}

static void follow(nests_tiling *t, int last, int stop)
{
    double block[TPUGRAPHS_AXES];
    for (int u = last; u >= 0; u--) {
        if (!t->want[u] || u == stop) continue;
        nests_tiling_blocked(block, &t->hlo, u);
        want_operands(t, u, block);
    }
}

void nests_want_after(nests_tiling *t)
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    t->want[t->hlo.root] = 1;
    memset(t->lo[t->hlo.root], 0, sizeof *t->lo);
    follow(t, t->hlo.root, t->reduction);
}

void nests_want_before(nests_tiling *t, const double block[TPUGRAPHS_AXES])
{
    memset(t->want, 0, (size_t)t->hlo.kernel->nodes);
    want_operands(t, t->reduction, block);
    follow(t, t->reduction - 1, -1);
}

int nests_padded(double box[TPUGRAPHS_AXES], double every[TPUGRAPHS_AXES], const nests_tiling *t,
                 int u, int v, const double block[TPUGRAPHS_AXES])
{
    tpu_sum r;
    const int *in = t->hlo.operation[v].size, *size = t->hlo.operation[u].size;
    const double *out = t->box[u];
    int padded = 0;
    if (!tpu_hlo_sum(&r, &t->hlo, u) || v != r.operand[0]) return 0;
    memcpy(box, t->box[v], TPUGRAPHS_AXES * sizeof *box);
    for (int a = 0; a < TPUGRAPHS_AXES; a++) every[a] = 1;
    for (int i = 0; i < r.space.n; i++) {
        const tpugraphs_index *x = &r.space.index[i];
        if (!x->window || x->sum) continue;
        const tpugraphs_window *w = &r.window[x->window - 1];
        const int a = x->in[0], o = x->axis;
        padded |= tpugraphs_leaves(w, size[o], in[a]);
        box[a] = tpugraphs_covered(w, out[o], block[x->window - 1]);
        every[a] = w->base_dilation;
    }
    return padded;
}
