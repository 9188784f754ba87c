/* SPDX-License-Identifier: MIT */
/* The nodes with layouts to choose: convolutions, dots and reshapes that are not fused. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/memory.h"

/* Marks a computation that is called, and puts it into the queue, once. */
static void mark(hlo_module *m, int32_t *queue, int *n, const hlo_reference *call)
{
    if (!call->is_call || m->computation[call->id].is_fused) return;
    m->computation[call->id].is_fused = 1;
    queue[(*n)++] = (int32_t)call->id;
}

/* Marks the computations that fusions call, and those that these call. */
static ag_status mark_fused(hlo_module *m)
{
    int32_t *queue = hlo_take(m, &m->bytes, m->computations, sizeof *queue);
    int n = 0;
    if (!queue) return m->why->status;
    for (int i = 0; i < m->references; i++)
        if (m->g->opcode[m->reference[i].node] == TPUGRAPHS_FUSED)
            mark(m, queue, &n, &m->reference[i]);
    for (int k = 0; k < n; k++) {
        const hlo_computation *c = &m->computation[queue[k]];
        for (int i = queue[k] ? c[-1].references_end : 0; i < c->references_end; i++)
            mark(m, queue, &n, &m->reference[i]);
    }
    ag_free(queue);
    return AG_OK;
}

static int is_fused(const hlo_module *m, int node)
{
    return m->computation[m->node[node].computation].is_fused;
}

static int chooses(const hlo_module *m, int node)
{
    const int opcode = m->g->opcode[node];
    return !is_fused(m, node) && (opcode == TPUGRAPHS_CONVOLUTION || opcode == TPUGRAPHS_DOT ||
                                  opcode == TPUGRAPHS_RESHAPE);
}

/* Layouts have been assigned where products are fused, where copies change them, and where a
   bitcast takes the place of a reshape. */
static void look(hlo_module *m)
{
    hlo_graph *g = m->g;
    g->is_after = m->is_scheduled;
    for (int i = 0; i < g->nodes; i++) {
        const int product = g->opcode[i] == TPUGRAPHS_CONVOLUTION || g->opcode[i] == TPUGRAPHS_DOT;
        g->configurable += chooses(m, i);
        g->products += product;
        g->fused_products += product && is_fused(m, i);
        g->is_after |= g->opcode[i] == TPUGRAPHS_BITCAST || g->opcode[i] == TPUGRAPHS_COPY;
    }
    g->is_after |= g->fused_products > 0;
}

/* Two axes of a value, in row-major order; -1: there is none. */
static void set_pair(hlo_slot *slot, int a, int b)
{
    const int axis[2] = {a > b ? a : b, a > b ? b : a};
    for (int i = 0; i < 2; i++)
        if (axis[i] >= 0 && axis[i] < TPUGRAPHS_AXES && (!i || a != b)) {
            slot->group[slot->n] = slot->n;
            slot->axis[slot->n++] = (signed char)axis[i];
        }
}

static void set_convolution(hlo_choosing *x, const float *feature)
{
    static const int pair[3] = {TPUGRAPHS_OUT_BATCH, TPUGRAPHS_IN_BATCH, TPUGRAPHS_KERNEL_IN};
    for (int i = 0; i < 3; i++) {
        const float a = feature[pair[i]], b = feature[pair[i] + 1];
        if (a >= 0 && a < TPUGRAPHS_AXES && b >= 0 && b < TPUGRAPHS_AXES)
            set_pair(&x->slot[i], (int)a, (int)b);
    }
}

/* The last axis of an operand that is neither contracted nor of the batch, and their number. */
static int last_free(int *n, const hlo_node *dot, int rank, int k)
{
    int last = -1;
    *n = 0;
    for (int i = 0; i < rank && i < 8; i++)
        if (!(dot->bound[k] >> i & 1)) {
            last = i;
            ++*n;
        }
    return last;
}

static void set_dot(hlo_choosing *x, const hlo_node *dot, const int rank[3])
{
    int n[2], last[2];
    for (int k = 0; k < 2; k++) {
        last[k] = last_free(&n[k], dot, rank[k + 1], k);
        set_pair(&x->slot[k + 1], last[k], dot->contracted[k]);
    }
    set_pair(&x->slot[0], n[0] ? rank[0] - 1 - n[1] : -1, n[1] ? rank[0] - 1 : -1);
    x->alone = rank[0] == 2 && rank[1] == 2 && rank[2] == 2 && x->slot[0].n == 2;
}

/* Adds the axis before *at to a slot, those of size 1 put off; returns the axis's size, 0: there is
   none. */
static double take_axis(hlo_slot *slot, int *at, const float *size, int group)
{
    while (*at > 0 && size[*at - 1] == 1) --*at;
    if (!*at) return 0;
    slot->group[slot->n] = (signed char)group;
    slot->axis[slot->n++] = (signed char)--*at;
    return (double)size[*at];
}

/* A reshape moves no element where runs of axes with one number of elements keep their order
   inside. */
static void set_reshape(hlo_choosing *x, const float *size[2], const int rank[2])
{
    int at[2] = {rank[0], rank[1]};
    for (x->groups = 0;; x->groups++) {
        double n[2];
        for (int k = 0; k < 2; k++) n[k] = take_axis(&x->slot[k], &at[k], size[k], x->groups);
        if (!n[0] && !n[1]) break;
        while (n[0] != n[1]) {
            const int k = n[0] > n[1];
            const double more = take_axis(&x->slot[k], &at[k], size[k], x->groups);
            if (!more) {
                x->groups = -1; /* sizes that a float does not hold, or of another value */
                return;
            }
            n[k] *= more;
        }
    }
    for (int k = 0; k < 2; k++)
        for (int i = rank[k] - 1; i >= 0; i--)
            if (size[k][i] == 1) {
                x->slot[k].group[x->slot[k].n] = HLO_LAST;
                x->slot[k].axis[x->slot[k].n++] = (signed char)i;
            }
}

/* Fills in what a node may choose; pair: its operands. */
static void fill(const hlo_module *m, hlo_choosing *x, int64_t (*const pair)[2], int pairs)
{
    const hlo_graph *g = m->g;
    const int node[3] = {x->node, pairs > 0 ? (int)pair[0][1] : -1,
                         pairs > 1 ? (int)pair[1][1] : -1};
    int rank[3] = {0};
    for (int i = 0; i < 3 && node[i] >= 0; i++) rank[i] = m->node[node[i]].rank;
    x->groups = -1;
    if (x->opcode == TPUGRAPHS_CONVOLUTION)
        set_convolution(x, g->feature[x->node]);
    else if (x->opcode == TPUGRAPHS_DOT)
        set_dot(x, &m->node[x->node], rank);
    else if (pairs && rank[0] <= TPUGRAPHS_AXES && rank[1] <= TPUGRAPHS_AXES &&
             g->feature[x->node][TPUGRAPHS_ELEMENTS] > 0)
        set_reshape(x,
                    (const float *[]){g->feature[node[0]] + TPUGRAPHS_SIZES,
                                      g->feature[node[1]] + TPUGRAPHS_SIZES},
                    rank);
}

ag_status hlo_choose(hlo_module *m)
{
    hlo_graph *g = m->g;
    if (mark_fused(m)) return m->why->status;
    look(m);
    g->choosing = hlo_take(m, &g->bytes, g->configurable, sizeof *g->choosing);
    for (int i = 0, n = 0, pair = 0; i < g->nodes && g->choosing; i++) {
        while (pair < g->operands && g->operand[pair][0] < i) pair++;
        if (!chooses(m, i)) continue;
        hlo_choosing *x = &g->choosing[n++];
        int pairs = 0;
        while (pair + pairs < g->operands && g->operand[pair + pairs][0] == i) pairs++;
        *x = (hlo_choosing){.node = i, .opcode = g->opcode[i]};
        fill(m, x, g->operand + pair, pairs);
    }
    return m->why->status;
}
