/* SPDX-License-Identifier: MIT */
/* The work and traffic of a kernel under its tiles, from its features alone. */
#include "examples/tpu/baseline/roofline.h"

#include <math.h>

/* Bytes of the operands of a product that are read beyond the first time, where the result has so
   many parts along each axis. */
static double read_again(const tpu_hlo *h, int u, const double parts[TPUGRAPHS_AXES], double tiles)
{
    const tpugraphs_operation *o = &h->operation[u];
    const int conv = o->kind == TPUGRAPHS_CONVOLUTION;
    if (!conv && (o->opcode != TPUGRAPHS_DOT || o->rank < 2 || !o->operands)) return 0;
    const double left = parts[conv ? o->conv.out_feature : o->rank - 1];
    const double right = conv ? tiles / left : parts[o->rank - 2];
    return tpu_hlo_bytes(h, o->operand[0]) * (left - 1) +
           tpu_hlo_bytes(h, o->operand[1]) * (right - 1);
}

/* Adds what a tile changes. A bound is 0 where the axis is not there; a tile without bounds of the
   reduction does not block it. */
static void cut(tpu_load *load, const tpu_hlo *h, int reduction, const float *tile)
{
    const int *size = h->shape[h->root].size;
    double parts[TPUGRAPHS_AXES], tiles = 1, block = 0;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        const double bound = (double)tile[8 + a];
        parts[a] = bound >= 1 && bound < size[a] ? ceil(size[a] / bound) : 1;
        tiles *= parts[a];
        if (tile[a] >= 1) block = fmax(1, block) * (double)tile[a];
    }
    load->steps = tiles;
    if (reduction < 0) return;
    if (block >= 1) load->steps *= fmax(1, ceil(tpu_hlo_taken_in(h, reduction) / block));
    if (tpu_hlo_elements(h, reduction) == tpu_hlo_elements(h, h->root) &&
        h->shape[reduction].rank == h->shape[h->root].rank)
        load->bytes += read_again(h, reduction, parts, tiles);
}

void tpu_loads(tpu_load *load, const tpu_kernel *k)
{
    tpu_hlo h = {0};
    tpu_static s;
    int reduction = -1;
    tpu_hlo_open(&h, k);
    tpu_analyse_hlo(&s, &h);
    for (int u = 0; u < k->nodes; u++)
        if (tpu_hlo_taken_in(&h, u) > 1) reduction = u;
    for (int c = 0; c < k->configs; c++) {
        load[c] = (tpu_load){s.flops, s.special, s.read + s.written, 1, s.type};
        if (k->tile) cut(&load[c], &h, reduction, k->tile + (size_t)c * TPUGRAPHS_TILE_FEATURES);
    }
    tpu_hlo_close(&h);
}
