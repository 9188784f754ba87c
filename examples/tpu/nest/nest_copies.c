/* SPDX-License-Identifier: MIT */
/* Nests that copy: parts that are put together, borders, operands of the reduction. */
#include "examples/tpu/nest/nest_job.h"

#include "examples/tpu/analytic/sides.h"

#include <math.h>
#include <string.h>

enum {
    USES = 16 /* operands of products whose elements a block uses this often are copied first */
};

/* Writes all of a box that a copy of v then fills in part. */
static void add_fill(tpu_side *s, int v, const double *box, const double *to, int rank)
{
    tpu_job w = {.node = v,
                 .kind = TPU_NEST_FILL,
                 .in = {-1, -1, -1},
                 .share = 1,
                 .out = v,
                 .written = tpu_volume(box)};
    tpu_map_loops(&w, to, box, rank);
    tpu_nest_add(s, &w);
}

/* Copies operand v of the reduction to scratch, with borders where they are given: it is then read
   there. */
static void add_copy(tpu_side *s, int v, const double *padded, const double *every)
{
    const int rank = tpu_hlo_shape(NULL, s->h, v);
    double *box = tpu_box_of(s, v), to[TPU_RANK], dense[TPU_RANK];
    tpu_job w = {.node = v,
                 .kind = TPU_NEST_MOVES,
                 .in = {-1, -1, -1},
                 .share = 1,
                 .out = v,
                 .written = tpu_volume(box)};
    tpu_place_dense(dense, padded ? padded : box, rank);
    memcpy(to, dense, sizeof to);
    if (padded) {
        add_fill(s, v, padded, dense, rank);
        for (int a = 0; a < rank; a++) to[a] *= every[a];
    }
    tpu_job_read(&w, s, v);
    tpu_map_loops(&w, to, box, rank);
    tpu_nest_add(s, &w);
    memcpy(s->place[v].stride, dense, sizeof dense);
    s->place[v].base = s->t->reduction;
    if (padded) memcpy(box, padded, TPU_RANK * sizeof *box);
}

void tpu_copy_operands(tpu_side *s, int u, const double *block)
{
    const tpu_hlo *h = s->h;
    const int opcode = h->kernel->opcode[u],
              product = opcode == TPU_DOT || opcode == TPU_CONVOLUTION;
    const double all = tpu_volume(tpu_box_of(s, u)) * tpu_volume(block);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i], base = s->place[v].base;
        double box[TPU_RANK], every[TPU_RANK];
        const int padded = tpu_padded(box, every, s->t, u, v, block);
        const int scratch = base == v && h->kernel->opcode[v] != TPU_PARAMETER;
        if (padded || (product && !scratch && all >= USES * tpu_volume(tpu_box_of(s, v))))
            add_copy(s, v, padded ? box : NULL, every);
    }
}

/* ---- parts that are put together ---- */

/* Of each operand the part that a tile needs, in the tiles that need one. */
void tpu_add_concatenate(tpu_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const double *out = tpu_box_of(s, u);
    const int rank = tpu_hlo_shape(NULL, h, u), axis = tpu_hlo_dim(h, u, 0);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        double size[TPU_RANK], box[TPU_RANK];
        const int v = h->operand[i];
        tpu_job w = tpu_job_begin(s, u, TPU_NEST_MOVES);
        tpu_job_read(&w, s, v);
        tpu_hlo_shape(size, h, v);
        memcpy(box, out, sizeof box);
        if (axis >= 0 && axis < rank) {
            double whole[TPU_RANK];
            tpu_hlo_shape(whole, h, u);
            box[axis] = fmin(out[axis], size[axis]);
            w.share = out[axis] * size[axis] / whole[axis] / box[axis];
        }
        w.written = tpu_volume(box);
        tpu_map_loops(&w, to, box, rank);
        tpu_nest_add(s, &w);
    }
}

void tpu_add_pad(tpu_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const int v = tpu_hlo_largest(h, u), rank = tpu_hlo_shape(NULL, h, u);
    const double *out = tpu_box_of(s, u);
    if (v < 0) return;
    const double *box = tpu_box_of(s, v);
    tpu_job w = tpu_job_begin(s, u, TPU_NEST_MOVES);
    if (tpu_volume(box) < tpu_volume(out)) add_fill(s, u, out, to, rank);
    tpu_job_read(&w, s, v);
    w.written = tpu_volume(box);
    tpu_map_loops(&w, to, box, rank);
    tpu_nest_add(s, &w);
}
