/* SPDX-License-Identifier: MIT */
/* The values of parameters: numbers that follow from the node and the element alone. */
#include "examples/lab/run/run_internal.h"

#include <math.h>

/* Element i is offset + scale * u with u uniform in [0, 1), rounded down when whole is set. */
typedef struct law {
    float offset, scale;
    int whole;
} law;

/* The number of terms in the sums that a weight takes part in; scaling by it keeps results near
   one. */
static double fan_in(const lab_program *p, int user)
{
    int size[LAB_RANK];
    const int n = lab_sum_axes(size, p, user);
    double terms = 1;
    for (int i = 0; i < n; i++) terms *= size[i];
    return terms;
}

/* Variance one, less for weights of dots and convolutions; row numbers are valid rows of the
   table. */
static law law_of(const lab_program *p, int node)
{
    const lab_type type = p->nodes[node].shape.type;
    int rows = 0;
    double terms = 1;
    for (int i = p->n - 1; i > node; i--) {
        const lab_node *user = &p->nodes[i];
        if (user->n_operands < 2 || user->operand[1] != node) continue;
        if (user->op == LAB_GATHER) {
            const int height = p->nodes[user->operand[0]].shape.size[0];
            if (!rows || height < rows) rows = height;
        } else if (user->op == LAB_DOT || user->op == LAB_CONVOLUTION)
            terms = fan_in(p, i);
    }
    if (type == LAB_PRED) return (law){0, 2, 1};
    if (type == LAB_S32) return (law){0, rows ? (float)rows : 16, 1};
    const double half = sqrt(3 / terms);
    return (law){(float)-half, (float)(2 * half), 0};
}

static float value(law l, int node, int64_t i)
{
    /* SplitMix64's finalizer */
    uint64_t x = ((uint64_t)node << 40) + (uint64_t)i + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    const float u = (float)(x >> 40) * 0x1p-24f, y = l.offset + l.scale * u;
    if (!l.whole) return y;
    return floorf(y) < l.scale ? floorf(y) : l.scale - 1;
}

void lab__parameter_values(float *elements, const lab_program *p, int node)
{
    const law l = law_of(p, node);
    const int64_t n = lab_elements(p->nodes[node].shape);
    for (int64_t i = 0; i < n; i++) elements[i] = value(l, node, i);
}
