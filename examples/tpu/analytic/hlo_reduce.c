/* SPDX-License-Identifier: MIT */
/* Nodes that reduce: how much, and along which axes. */
#include "examples/tpu/analytic/hlo.h"

#include <math.h>

static const tpugraphs_operation *operand_of(const tpu_hlo *h, const tpugraphs_operation *o, int k)
{
    return &h->operation[o->operand[k]];
}

int tpu_hlo_readings(const tpu_hlo *h, int u)
{
    enum { READINGS = 4 };
    const tpugraphs_operation *o = &h->operation[u];
    tpugraphs_dot_axes axes[READINGS];
    if (!o->operands) return 0;
    if (o->known || o->kind != TPUGRAPHS_DOT) return 1;
    const tpugraphs_operation *a = operand_of(h, o, 0), *b = operand_of(h, o, 1);
    const int n = tpugraphs_dot_readings(axes, READINGS, o, a, b);
    return n +
           (tpu_hlo_operands(h, u) > 1 ? tpugraphs_dot_readings(axes, READINGS - n, o, b, a) : 0);
}

/* |left| |right| / |out| is batch inner^2. The size of the batch is that of the leading axes that
   all three share, as many as give an integer. */
static double inner_of_elements(const tpu_hlo *h, int u)
{
    const tpugraphs_operation *o = &h->operation[u], *left = operand_of(h, o, 0);
    const double elements = tpu_hlo_elements(h, u);
    if (elements == 0) return 0;
    const double both = tpu_hlo_elements(h, o->operand[0]) * tpu_hlo_elements(h, o->operand[1]);
    double batch = 1, all = both / elements, inner = sqrt(all);
    for (int a = 0; a < o->rank && a < left->rank; a++) {
        if (fabs(inner - round(inner)) < 1e-6 * inner) break;
        if (o->size[a] != left->size[a]) break;
        batch *= o->size[a];
        inner = sqrt(all / batch);
    }
    return inner;
}

double tpu_hlo_taken_in(const tpu_hlo *h, int u)
{
    const tpugraphs_operation *o = &h->operation[u];
    double all = 1;
    for (int i = 0; i < TPUGRAPHS_AXES; i++) all *= o->window[i].size;
    switch (o->opcode) {
    case TPUGRAPHS_DOT:
        if (o->kind == TPUGRAPHS_DOT) return operand_of(h, o, 0)->size[o->dot.left];
        return o->operands ? inner_of_elements(h, u) : 0;
    case TPUGRAPHS_CONVOLUTION:
        if (o->kind == TPUGRAPHS_CONVOLUTION) all *= operand_of(h, o, 1)->size[o->conv.kernel_in];
        return all;
    case TPUGRAPHS_REDUCE:
        if (!o->operands) return 1;
        return tpu_hlo_elements(h, o->operand[0]) / fmax(1, tpu_hlo_elements(h, u));
    case TPUGRAPHS_REDUCE_WINDOW: return all;
    default: return 1;
    }
}

const tpugraphs_operation *tpu_hlo_sum(tpugraphs_space *space, const tpu_hlo *h, int u)
{
    const tpugraphs_operation *o = &h->operation[u];
    if (!o->operands || (o->opcode == TPUGRAPHS_CONVOLUTION && o->kind == TPUGRAPHS_MAP))
        return NULL;
    if (o->opcode == TPUGRAPHS_DOT && o->kind == TPUGRAPHS_MAP)
        *space = (tpugraphs_space){
            1, {{.sum = 1, .in = {-1, -1}, .step = 1, .size = fmax(1, tpu_hlo_taken_in(h, u))}}};
    else
        *space = tpugraphs_space_of(o, operand_of(h, o, 0), operand_of(h, o, 1));
    return o;
}
