/* SPDX-License-Identifier: MIT */
/* The operations of a layout file. */
#include "examples/tgraph/rows/layout.h"

#include "core/memory.h"
#include "examples/harness/harness.h"

/* Settles a node whose operands are settled, and whether its loops depend on the configuration. */
static void settle(nests_layout *p, int node, int ordered)
{
    tpugraphs_operation *o = &p->operation[node];
    if (o->opcode == TPUGRAPHS_IOTA || o->opcode == TPUGRAPHS_PARAMETER ||
        o->opcode == TPUGRAPHS_CONSTANT)
        o->operands = 0;
    tpugraphs_settle(o, p->operation, ordered);
    o->varying = o->config >= 0;
    for (int k = 0; k < o->operands; k++) o->varying |= p->operation[o->operand[k]].varying;
}

/* Constants, parameters and what is spread out of them are rarely the first operand. */
static int leads(const tpugraphs_operation *o)
{
    return o->opcode != TPUGRAPHS_PARAMETER && o->opcode != TPUGRAPHS_CONSTANT &&
           o->opcode != TPUGRAPHS_BROADCAST;
}

/* Scalars and a third operand are left out. */
static void add_operand(nests_layout *p, int node, int operand, int ordered)
{
    tpugraphs_operation *o = &p->operation[node];
    const int lead = !ordered && leads(&p->operation[operand]);
    if (p->operation[operand].rank == 0) return;
    if (o->operands && lead && !leads(&p->operation[o->operand[0]])) {
        o->operand[1] = o->operand[0];
        o->operand[0] = operand;
    } else if (o->operands < NESTS_INPUTS || (lead && !leads(&p->operation[o->operand[1]])))
        o->operand[o->operands ? 1 : 0] = operand;
    else
        return;
    if (o->operands < NESTS_INPUTS) o->operands++;
}

static ag_status read_operands(nests_layout *p, const tpugraphs_raw *raw, ag_failure *why)
{
    const int ordered = p->ordered = tpugraphs_has(raw, "operand_index", why);
    int count = raw->edges;
    if (why->status) return why->status;
    int32_t *pair = ordered ? tpugraphs_raw_pairs(&count, raw, "operand_index", why) : raw->edge;
    if (!pair) return why->status;
    for (int e = 0; e < count; e++)
        if (pair[2 * e + 1] < pair[2 * e]) add_operand(p, pair[2 * e], pair[2 * e + 1], ordered);
    if (ordered) ag_free(pair);
    tpugraphs_dot *dot = tpugraphs_dots_read(&count, raw, why);
    tpugraphs_name_dots(p->operation, dot, count);
    ag_free(dot);
    for (int v = 0; v < raw->nodes; v++) settle(p, v, ordered);
    return why->status;
}

static ag_status read_nodes(nests_layout *p, const tpugraphs_raw *raw, ag_failure *why)
{
    enum { STEP = 256 };
    ag_rows *rows = ag_rows_open(raw->npz, "node_feat", why);
    if (!rows) return why->status;
    float *feature = HARNESS_NEW(feature, STEP * TPUGRAPHS_FEATURES);
    for (int first = 0; first < raw->nodes && !why->status; first += STEP) {
        const int n = raw->nodes - first < STEP ? raw->nodes - first : STEP;
        if (ag_rows_next(rows, n, AG_F32, feature, why)) break;
        for (int i = 0; i < n; i++)
            p->operation[first + i] = tpugraphs_operation_read(
                raw->opcode[first + i], feature + (size_t)i * TPUGRAPHS_FEATURES);
    }
    harness_free(feature);
    ag_rows_close(rows);
    return why->status;
}

ag_status nests_layout_read(nests_layout *p, const tpugraphs_raw *raw, size_t *bytes,
                            ag_failure *why)
{
    const size_t count = (size_t)raw->nodes;
    *p = (nests_layout){.count = raw->nodes, .configurable = raw->configurable};
    p->operation = tpugraphs_take(raw->budget, bytes, count, sizeof *p->operation, raw->name, why);
    if (!p->operation || read_nodes(p, raw, why)) return why->status;
    for (int i = 0; i < raw->nodes; i++) p->operation[i].config = -1;
    for (int i = 0; i < raw->configurable; i++) p->operation[raw->config_node[i]].config = i;
    return read_operands(p, raw, why);
}

void nests_layout_free(nests_layout *p) { ag_free(p->operation); }
