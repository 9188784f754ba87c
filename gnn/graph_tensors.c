/* SPDX-License-Identifier: MIT */
/* Graphs on a tape: their arrays as tensors. */
#include "core/internal.h"
#include "gnn/edges.h"
#include "gnn/graph.h"
#include "ops/ops.h"

ag_edges ag_graph_edges(ag_tape *tape, const ag_graph *g)
{
    static const ag_graph none;
    if (!g) {
        ag_tape_fail(tape, AG_EUSE, "ag_graph_edges: the graph is NULL; look at how it was built");
        g = &none;
    }
    const uint64_t serial = g->serial;
    ag_edges edges = {ag__input_lasting(tape, g->rows, AG_SHAPE(g->nodes, 2), serial),
                      ag__input_lasting(tape, g->sources, AG_SHAPE(g->messages), serial),
                      ag__input_lasting(tape, g->rows_t, AG_SHAPE(g->nodes, 2), serial),
                      ag__input_lasting(tape, g->targets, AG_SHAPE(g->messages, 2), serial),
                      ag__input_lasting(tape, g->starts, AG_SHAPE(g->graphs + 1), serial)};
    ag__set_fit((ag_tensor *const[]){edges.rows, edges.sources, edges.rows_t, edges.targets}, 4);
    return edges;
}

ag_tensor *ag_edge_rows(ag_tensor *x, const ag_graph *g)
{
    static const ag_graph none;
    ag_tape *tape = ag_tape_of(x);
    if (!g)
        ag_tape_fail(tape, AG_EUSE, "ag_edge_rows: the graph is NULL; look at how it was built");
    else if (ag_size(x, 0) != g->edges)
        ag_tape_fail(
            tape, AG_ESHAPE,
            "ag_edge_rows: x has %d rows, but the graph was built from %d edges; give it a "
            "row for each, of a batch those of all graphs",
            ag_size(x, 0), g->edges);
    if (!g) g = &none;
    return ag_gather(x, ag__input_lasting(tape, g->edge, AG_SHAPE(g->messages), g->serial));
}
