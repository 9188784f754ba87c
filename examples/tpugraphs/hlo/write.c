/* SPDX-License-Identifier: MIT */
/* A graph and its configurations as a layout file. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/memory.h"

enum { QUICK = 3 }; /* of deflation: twice the bytes of the best, in a twentieth of its time */

ag_status hlo_add_nodes(ag_npz_writer *w, const hlo_graph *g, const uint8_t *reducer,
                        ag_failure *why)
{
    const int64_t n = g->nodes;
    if (ag_npz_add(w, "node_feat", AG_F32, 2, (int64_t[]){n, TPUGRAPHS_FEATURES}, g->feature,
                   why) ||
        ag_npz_add(w, "node_opcode", AG_U8, 1, &n, g->opcode, why) ||
        (reducer && ag_npz_add(w, "node_reducer", AG_U8, 1, &n, reducer, why)) ||
        ag_npz_add(w, "edge_index", AG_I64, 2, (int64_t[]){g->edges, 2}, g->edge, why) ||
        ag_npz_add(w, "operand_index", AG_I64, 2, (int64_t[]){g->operands, 2}, g->operand, why))
        return why->status;
    return ag_npz_add(w, "dot_axes", AG_I64, 2, (int64_t[]){g->dots, 4}, g->dot, why);
}

static ag_status add_configs(ag_npz_writer *w, const hlo_graph *g, const hlo_configs *c,
                             ag_failure *why)
{
    const int64_t configs = c->count, nodes = g->configurable;
    int64_t *id = tpugraphs_alloc(((size_t)nodes + 1) * sizeof *id, g->name, why);
    if (!id) return why->status;
    for (int64_t i = 0; i < nodes; i++) id[i] = g->choosing[i].node;
    if (!ag_npz_add(w, "node_config_feat", AG_F32, 3, (int64_t[]){configs, nodes, 18}, c->digit,
                    why) &&
        !ag_npz_add(w, "node_config_ids", AG_I64, 1, &nodes, id, why))
        ag_npz_add(w, "config_runtime", AG_I64, 1, &configs, c->runtime, why);
    ag_free(id);
    return why->status;
}

ag_status hlo_write(const char *path, const hlo_graph *g, const hlo_configs *c,
                    const tpugraphs_budget *budget, ag_failure *why)
{
    /* The writer holds a copy of all arrays. */
    if (tpugraphs_fits(budget, ag_size_add(g->bytes, c->bytes), harness_files_short(path),
                       "what is written", why))
        return why->status;
    ag_npz_writer *w = ag_npz_create(path, why);
    if (!w) return why->status;
    if (!ag_npz_level(w, QUICK, why) && !hlo_add_nodes(w, g, NULL, why) &&
        !ag_npz_add(w, "node_splits", AG_I64, 2, (int64_t[]){1, g->splits}, g->split, why) &&
        !add_configs(w, g, c, why))
        return ag_npz_finish(w, why);
    ag_npz_cancel(w);
    return why->status;
}
