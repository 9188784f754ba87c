/* SPDX-License-Identifier: MIT */
/* Nests that copy: parts that are put together, borders, operands of the reduction. */
#include "examples/tpu/rows/job.h"
#include "examples/tpugraphs/cut.h"

#include <math.h>
#include <string.h>

/* Writes all of a box that a copy of v then fills in part. */
static void add_fill(nests_side *s, int v, const double *box, const double *to, int rank)
{
    nests_job w = nests_job_begin(s, v, NESTS_TILE_FILL);
    w.written = nests_volume(box);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
}

/* Copies operand v of the reduction to scratch, with borders where they are given: it is then read
   there. */
static void add_copy(nests_side *s, int v, const double *padded, const double *every)
{
    const int rank = s->h->operation[v].rank;
    double *box = s->t->box[v], to[TPUGRAPHS_AXES], dense[TPUGRAPHS_AXES];
    nests_job w = nests_job_begin(s, v, NESTS_TILE_MOVES);
    nests_place_dense(dense, padded ? padded : box, rank);
    memcpy(to, dense, sizeof to);
    if (padded) {
        add_fill(s, v, padded, dense, rank);
        for (int a = 0; a < rank; a++) to[a] *= every[a];
    }
    nests_job_read(&w, s, v);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
    memcpy(s->place[v].stride, dense, sizeof dense);
    s->place[v].base = s->t->reduction;
    if (padded) memcpy(box, padded, TPUGRAPHS_AXES * sizeof *box);
}

void nests_copy_operands(nests_side *s, int u, const double *block)
{
    const tpu_hlo *h = s->h;
    const int product = nests_is_product(h, u);
    const double all = nests_volume(s->t->box[u]) * nests_volume(block);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i], base = s->place[v].base;
        double box[TPUGRAPHS_AXES], every[TPUGRAPHS_AXES];
        const int padded = nests_padded(box, every, s->t, u, v, block);
        const int scratch = base == v && h->kernel->opcode[v] != TPUGRAPHS_PARAMETER;
        if (padded ||
            (product && !scratch && all >= TPUGRAPHS_TILE_USES * nests_volume(s->t->box[v])))
            add_copy(s, v, padded ? box : NULL, every);
    }
}

/* ---- parts that are put together ---- */

/* Of each operand the part that a tile needs, in the tiles that need one. */
void nests_add_concatenate(nests_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const double *out = s->t->box[u];
    const int rank = h->operation[u].rank, axis = tpu_hlo_dim(h, u, 0);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        double box[TPUGRAPHS_AXES];
        const int v = h->operand[i];
        nests_job w = nests_job_begin(s, u, NESTS_TILE_MOVES);
        nests_job_read(&w, s, v);
        memcpy(box, out, sizeof box);
        if (axis >= 0 && axis < rank) {
            const int size = h->operation[v].size[axis];
            box[axis] = fmin(out[axis], size);
            w.share = out[axis] * size / h->operation[u].size[axis] / box[axis];
        }
        w.written = nests_volume(box);
        nests_map_loops(&w, to, box, rank);
        nests_tile_add(s, &w);
    }
}

void nests_add_pad(nests_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const int v = tpu_hlo_largest(h, u), rank = h->operation[u].rank;
    const double *out = s->t->box[u];
    if (v < 0) return;
    const double *box = s->t->box[v];
    nests_job w = nests_job_begin(s, u, NESTS_TILE_MOVES);
    if (nests_volume(box) < nests_volume(out)) add_fill(s, u, out, to, rank);
    nests_job_read(&w, s, v);
    w.written = nests_volume(box);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
}
