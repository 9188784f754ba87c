/* SPDX-License-Identifier: MIT */
/* Reads a kernel's nodes from their features. Columns: featurizers.h (tpu_graphs). */
#include "examples/tpu/data/hlo.h"
#include "core/memory.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

enum { TYPES = 19, TUPLE = 16 };

tpu_elementwise tpu_elementwise_of(int opcode)
{
    /* abs, add, ceil, clamp, compare, complex, floor, is-finite, and, not, or, xor, maximum,
       minimum, multiply, negate, popcnt, round, select, shifts, sign, subtract, round-even */
    static const unsigned char arithmetic[] = {1,  2,  15, 17, 20, 21, 40, 49, 52, 53, 54, 55, 57,
                                               58, 59, 60, 65, 80, 83, 87, 88, 89, 90, 95, 118};
    /* atan2, cosine, divide, exponential, ... -minus-one, log, log-plus-one, power, remainder,
       rsqrt, sine, sqrt, tanh, cbrt, logistic, tan */
    static const unsigned char special[] = {7,  30, 32, 37, 38, 50,  51,  66,
                                            73, 81, 91, 94, 96, 103, 107, 120};
    if (opcode < 1 || opcode >= TPU_OPCODES) return TPU_MOVES;
    if (memchr(special, opcode, sizeof special)) return TPU_SPECIAL;
    return memchr(arithmetic, opcode, sizeof arithmetic) ? TPU_ARITHMETIC : TPU_MOVES;
}

const float *tpu_hlo_row(const tpu_hlo *h, int u)
{
    return h->kernel->feature + (size_t)u * TPUGRAPHS_FEATURES;
}

static int is_root(const tpu_hlo *h, int u) { return tpu_hlo_row(h, u)[TPUGRAPHS_IS_ROOT] > 0; }

int tpu_hlo_is_tuple(const tpu_hlo *h, int u)
{
    return tpu_hlo_row(h, u)[TPUGRAPHS_TYPE + TUPLE] > 0;
}

int tpu_hlo_shape(double size[TPUGRAPHS_AXES], const tpu_hlo *h, int u)
{
    for (int a = 0; a < TPUGRAPHS_AXES; a++) size[a] = h->operation[u].size[a];
    return h->operation[u].rank;
}

/* The product in the file is of all axes, also of those after the sixth, but rounded. */
double tpu_hlo_elements(const tpu_hlo *h, int u)
{
    double product = 1;
    const double all = fmax(0, (double)tpu_hlo_row(h, u)[TPUGRAPHS_ELEMENTS]);
    const int rank = h->operation[u].rank;
    for (int a = 0; a < rank; a++) product *= h->operation[u].size[a];
    return rank > 0 && fabs(product - all) <= 1e-6 * all ? product : all;
}

double tpu_hlo_bytes(const tpu_hlo *h, int u)
{
    /* invalid, pred, s8 to s64, u8 to u64, f16, f32, f64, bf16, c64, c128, tuple, opaque, token */
    static const unsigned char width[TYPES] = {0, 1, 1, 2, 4, 8,  1, 2, 4, 8,
                                               2, 4, 8, 2, 8, 16, 0, 0, 0};
    const float *type = tpu_hlo_row(h, u) + TPUGRAPHS_TYPE;
    for (int t = 0; t < TYPES; t++)
        if (type[t] > 0) return width[t] * tpu_hlo_elements(h, u);
    return 0;
}

int tpu_hlo_dim(const tpu_hlo *h, int u, int i)
{
    if (i < 0 || i >= TPUGRAPHS_AXES) return -1;
    const int dim = h->operation[u].dims[i];
    return dim >= 0 && dim < TPUGRAPHS_AXES ? dim : -1;
}

int tpu_hlo_largest(const tpu_hlo *h, int u)
{
    int best = -1;
    for (int i = h->start[u]; i < h->start[u + 1]; i++)
        if (best < 0 || tpu_hlo_elements(h, h->operand[i]) > tpu_hlo_elements(h, best))
            best = h->operand[i];
    return best;
}

static void operands(tpu_hlo *h)
{
    const tpu_kernel *k = h->kernel;
    for (int e = 0; e < k->edges; e++) h->start[k->edge[2 * e] + 1]++;
    for (int u = 0; u < k->nodes; u++) h->start[u + 1] += h->start[u];
    for (int e = 0; e < k->edges; e++) h->operand[h->start[k->edge[2 * e]]++] = k->edge[2 * e + 1];
    for (int u = k->nodes; u > 0; u--) h->start[u] = h->start[u - 1];
    h->start[0] = 0;
}

/* Operands are sorted in the file; the lab's files name those of dots, and their axes. */
static void operations(tpu_hlo *h)
{
    const tpu_kernel *k = h->kernel;
    for (int u = 0; u < k->nodes; u++) {
        tpugraphs_operation *o = &h->operation[u];
        *o = tpugraphs_operation_read(k->opcode[u], tpu_hlo_row(h, u));
        const int *operand = h->operand + h->start[u], n = tpu_hlo_operands(h, u);
        if (o->opcode == TPUGRAPHS_DOT || o->opcode == TPUGRAPHS_CONVOLUTION)
            for (; o->operands < n && o->operands < 2; o->operands++)
                o->operand[o->operands] = operand[o->operands];
        else if (n && (o->opcode == TPUGRAPHS_REDUCE || o->opcode == TPUGRAPHS_REDUCE_WINDOW))
            o->operand[o->operands++] = tpu_hlo_largest(h, u);
    }
    tpugraphs_name_dots(h->operation, k->dot, k->dots);
    for (int u = 0; u < k->nodes; u++) tpugraphs_settle(&h->operation[u], h->operation, 0);
}

/* A root that another node consumes belongs to a called computation, and so does everything that it
   consumes. Leaves the roots of the kernel itself at 0, and the last of them in h->root. */
static void computations(tpu_hlo *h)
{
    const tpu_kernel *k = h->kernel;
    enum { CALLED = 1, CONSUMED = 2 };
    h->root = -1;
    for (int e = 0; e < k->edges; e++) h->called[k->edge[2 * e + 1]] = CONSUMED;
    for (int u = k->nodes - 1; u >= 0; u--) {
        const int root = is_root(h, u);
        if (root && h->called[u] == 0 && h->root < 0) h->root = u;
        if (root && h->called[u] & CONSUMED) h->called[u] |= CALLED;
        for (int i = h->start[u]; h->called[u] & CALLED && i < h->start[u + 1]; i++)
            h->called[h->operand[i]] |= CALLED;
    }
    for (int u = 0; u < k->nodes; u++) h->called[u] &= CALLED;
    if (h->root < 0) h->root = k->nodes - 1;
}

/* A fusion's result is computed by the computation that it calls. */
static void enter(tpu_hlo *h)
{
    while (h->kernel->opcode[h->root] == TPUGRAPHS_FUSED) {
        int inside = -1;
        for (int i = h->start[h->root]; i < h->start[h->root + 1]; i++)
            if (is_root(h, h->operand[i]) && h->called[h->operand[i]]) inside = h->operand[i];
        if (inside < 0) return;
        h->root = inside;
    }
}

void tpu_hlo_open(tpu_hlo *h, const tpu_kernel *kernel)
{
    const size_t nodes = (size_t)kernel->nodes, edges = (size_t)kernel->edges;
    ag_arena_reset(h->memory);
    *h = (tpu_hlo){.kernel = kernel, .memory = h->memory};
    h->operation = HARNESS_TAKE(&h->memory, h->operation, nodes);
    h->start = HARNESS_TAKE(&h->memory, h->start, nodes + 1);
    h->operand = HARNESS_TAKE(&h->memory, h->operand, edges + 1);
    h->called = harness_take(&h->memory, nodes);
    operands(h);
    operations(h);
    computations(h);
    enter(h);
}

void tpu_hlo_close(tpu_hlo *h)
{
    ag_arena_free(h->memory);
    *h = (tpu_hlo){0};
}

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
