/* SPDX-License-Identifier: MIT */
/* Counts operations and bytes of a kernel, node by node. */
#include "examples/tpu/data/hlo.h"
#include "examples/harness/harness.h"

#include <math.h>

static void add_node(tpu_static *s, const tpu_hlo *h, int u)
{
    const int opcode = h->kernel->opcode[u], in = tpu_hlo_largest(h, u);
    const double n = tpu_hlo_elements(h, u);
    const tpu_elementwise each = tpu_elementwise_of(opcode);
    if (each == TPU_ARITHMETIC) s->flops += n;
    if (each == TPU_SPECIAL) s->special += n;
    if (opcode == TPUGRAPHS_DOT || opcode == TPUGRAPHS_CONVOLUTION)
        s->flops += n * (2 * tpu_hlo_taken_in(h, u));
    if (opcode == TPUGRAPHS_REDUCE && in >= 0) s->flops += fmax(0, tpu_hlo_elements(h, in) - n);
    if (opcode == TPUGRAPHS_REDUCE_WINDOW) s->flops += n * (tpu_hlo_taken_in(h, u) - 1);
}

tpu_type tpu_type_of(int opcode)
{
    switch (opcode) {
    case TPUGRAPHS_CONVOLUTION: return TPU_TYPE_CONVOLUTION;
    case TPUGRAPHS_DOT: return TPU_TYPE_DOT;
    case TPUGRAPHS_REDUCE:
    case TPUGRAPHS_REDUCE_WINDOW: return TPU_TYPE_REDUCE;
    default: return TPU_TYPE_OTHER;
    }
}

/* Bytes of every parameter that are read: `part` of those that only slices and gathers read. The
   parameters of a computation that is called are values of the caller. */
static double bytes_read(const tpu_hlo *h)
{
    const tpu_kernel *k = h->kernel;
    double *part = HARNESS_NEW(part, k->nodes), sum = 0;
    char *whole = HARNESS_NEW(whole, k->nodes);
    for (int e = 0; e < k->edges; e++) {
        const int u = k->edge[2 * e], v = k->edge[2 * e + 1], op = k->opcode[u];
        if (op == TPUGRAPHS_SLICE || op == TPUGRAPHS_DYNAMIC_SLICE || op == TPUGRAPHS_GATHER)
            part[v] += tpu_hlo_bytes(h, u);
        else
            whole[v] = 1;
    }
    for (int v = 0; v < k->nodes; v++) {
        if (k->opcode[v] != TPUGRAPHS_PARAMETER || h->called[v]) continue;
        const double all = tpu_hlo_bytes(h, v);
        sum += whole[v] ? all : fmin(all, part[v]);
    }
    harness_free(part);
    harness_free(whole);
    return sum;
}

/* A tuple counts as one result per operand. */
static double bytes_written(const tpu_hlo *h)
{
    if (!tpu_hlo_is_tuple(h, h->root)) return tpu_hlo_bytes(h, h->root);
    double sum = 0;
    for (int i = h->start[h->root]; i < h->start[h->root + 1]; i++)
        sum += tpu_hlo_bytes(h, h->operand[i]);
    return sum;
}

void tpu_analyse(tpu_static *s, const tpu_kernel *kernel)
{
    tpu_hlo h = {0};
    tpu_hlo_open(&h, kernel);
    *s = (tpu_static){.type = TPU_TYPE_OTHER};
    for (int u = 0; u < kernel->nodes; u++) {
        const tpu_type type = tpu_type_of(kernel->opcode[u]);
        if (type < s->type) s->type = type;
        add_node(s, &h, u);
    }
    s->read = bytes_read(&h);
    s->written = bytes_written(&h);
    tpu_hlo_close(&h);
}

void tpu_static_features(float out[TPU_STATIC], const tpu_kernel *kernel)
{
    tpu_static s;
    tpu_analyse(&s, kernel);
    out[0] = (float)s.flops;
    out[1] = (float)s.read;
    out[2] = (float)s.written;
    out[3] = (float)s.special;
}
