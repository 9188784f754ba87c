/* SPDX-License-Identifier: MIT */
/* Nodes and computations as they are read. Lists grow, and memory is counted before it is taken,
   since two bytes of a message may be an instruction with 560 bytes of features. */
#define _GNU_SOURCE /* memmem */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"

#include <string.h>

/* The places of the lists in hlo_module.room. */
enum { FEATURE, OPCODE, NODE, REFERENCE, COMPUTATION, DOT, SPLIT };

void *hlo_take(hlo_module *m, size_t *bytes, int64_t count, size_t size)
{
    return tpugraphs_take(m->budget, bytes, (size_t)count + !count, size, m->name, m->why);
}

/* Room for one more than count. */
static int grow(hlo_module *m, size_t *bytes, void *list, int which, int count, size_t size)
{
    void **at = list;
    void *grown =
        tpugraphs_grow(m->budget, bytes, *at, &m->room[which], (int64_t)count + 1, size, m->why);
    if (!grown) return 0;
    *at = grown;
    return 1;
}

ag_status hlo_add_reference(hlo_module *m, int is_call, uint64_t id)
{
    if (!grow(m, &m->bytes, &m->reference, REFERENCE, m->references, sizeof *m->reference))
        return m->why->status;
    m->reference[m->references++] = (hlo_reference){id, m->g->nodes, is_call};
    return AG_OK;
}

/* dot_axes tells of dots whose batch axes come first and that contract one axis: others have no
   row there. */
static ag_status add_dot(hlo_module *m, const hlo_instruction *x)
{
    hlo_graph *g = m->g;
    const float *left = hlo_axes(x, HLO_LEFT_AXES), *right = hlo_axes(x, HLO_RIGHT_AXES);
    const int64_t n = x->list[HLO_LEFT_BATCH].n;
    int pairs = 0, fits = n < TPUGRAPHS_AXES && n == x->list[HLO_RIGHT_BATCH].n &&
                          x->list[HLO_LEFT_AXES].n == 1 && x->list[HLO_RIGHT_AXES].n == 1;
    for (int64_t i = 0; i < n && fits; i++)
        fits = hlo_axes(x, HLO_LEFT_BATCH)[i] == (float)i &&
               hlo_axes(x, HLO_RIGHT_BATCH)[i] == (float)i;
    const float last = TPUGRAPHS_AXES - 1, first = (float)n;
    if (!fits || !(*left >= first && *left <= last && *right >= first && *right <= last))
        return AG_OK;
    for (int i = m->references; i-- && m->reference[i].node == g->nodes; pairs++)
        if (m->reference[i].is_call) return AG_OK;
    if (pairs != 2) return AG_OK;
    if (!grow(m, &g->bytes, &g->dot, DOT, g->dots, sizeof *g->dot)) return m->why->status;
    memcpy(g->dot[g->dots++], (int64_t[]){g->nodes, n, (int64_t)*left, (int64_t)*right},
           sizeof *g->dot);
    return AG_OK;
}

/* Notes the axes of an operand of a dot, if they are among those that layouts can name. */
static void bind(hlo_node *node, const hlo_instruction *x, int k)
{
    node->contracted[k] = -1;
    for (int i = 0; i < 2 * TPUGRAPHS_AXES; i++) {
        const int batch = i >= TPUGRAPHS_AXES, at = i % TPUGRAPHS_AXES;
        const int list = (batch ? HLO_LEFT_BATCH : HLO_LEFT_AXES) + k;
        const float axis = hlo_axes(x, list)[at];
        if (at >= x->list[list].n || !(axis >= 0 && axis < TPUGRAPHS_AXES)) continue;
        node->bound[k] |= (uint8_t)(1 << (int)axis);
        if (!batch && axis > node->contracted[k]) node->contracted[k] = (signed char)axis;
    }
}

static ag_status check_sizes(hlo_module *m, const hlo_instruction *x)
{
    for (int i = 0; i < TPUGRAPHS_AXES; i++)
        if (x->row[TPUGRAPHS_SIZES + i] < 0)
            return ag_fail(m->why, AG_EDATA,
                           "%s: node %d has an axis of size %.0f, but sizes are 0 or more; make "
                           "the file again, with fixed shapes",
                           m->name, m->g->nodes, (double)x->row[TPUGRAPHS_SIZES + i]);
    return AG_OK;
}

ag_status hlo_add_instruction(hlo_module *m, hlo_instruction *x)
{
    hlo_graph *g = m->g;
    const int opcode = hlo_opcode(m, x->opcode);
    const int64_t rank = x->list[HLO_SIZES].n;
    if (opcode < 0 || hlo_set_type(m, x) || check_sizes(m, x)) return m->why->status;
    if (g->nodes == INT32_MAX / TPUGRAPHS_FEATURES)
        return ag_fail(m->why, AG_EDATA, "%s: there are more than %d instructions", m->name,
                       g->nodes);
    if (!grow(m, &g->bytes, &g->feature, FEATURE, g->nodes, sizeof *g->feature) ||
        !grow(m, &g->bytes, &g->opcode, OPCODE, g->nodes, sizeof *g->opcode) ||
        !grow(m, &m->bytes, &m->node, NODE, g->nodes, sizeof *m->node) ||
        (opcode == TPUGRAPHS_DOT && add_dot(m, x)))
        return m->why->status;
    hlo_features(x);
    memcpy(g->feature[g->nodes], x->row, sizeof *g->feature);
    g->opcode[g->nodes] = (uint8_t)opcode;
    m->node[g->nodes] = (hlo_node){
        .id = x->id, .computation = m->computations, .rank = (uint8_t)(rank < 255 ? rank : 255)};
    for (int k = 0; k < 2; k++) bind(&m->node[g->nodes], x, k);
    g->nodes++;
    return AG_OK;
}

/* Whether the name has one of the words at which TpuGraphs splits its nodes. */
static int splits(hlo_span name)
{
    const size_t n = (size_t)(name.end - name.at);
    return n && (memmem(name.at, n, "cluster", 7) || memmem(name.at, n, "while", 5) ||
                 memmem(name.at, n, "cond", 4));
}

static ag_status add_split(hlo_module *m, int64_t at)
{
    hlo_graph *g = m->g;
    if (!grow(m, &g->bytes, &g->split, SPLIT, g->splits, sizeof *g->split)) return m->why->status;
    g->split[g->splits++] = at;
    return AG_OK;
}

ag_status hlo_add_computation(hlo_module *m, uint64_t id, uint64_t root, hlo_span name)
{
    const int nodes = m->g->nodes;
    if (!grow(m, &m->bytes, &m->computation, COMPUTATION, m->computations,
              sizeof *m->computation) ||
        (!m->computations && add_split(m, 0)))
        return m->why->status;
    m->computation[m->computations++] = (hlo_computation){id, root, nodes, m->references, 0};
    return splits(name) ? add_split(m, nodes) : AG_OK;
}

ag_status hlo_end_splits(hlo_module *m)
{
    const hlo_graph *g = m->g;
    return g->split[g->splits - 1] < g->nodes ? add_split(m, g->nodes) : AG_OK;
}
