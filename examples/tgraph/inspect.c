/* SPDX-License-Identifier: MIT */
/* `tgraph inspect`: the contents of a file and the memory that a model needs for it. */
#include "examples/harness/run/inspect.h"
#include "examples/tgraph/shell.h"

#include <jansson.h>
#include <string.h>

enum { STEP_CONFIGS = 32, SCORE_CONFIGS = 128 };

typedef struct inspected {
    size_t step, score; /* bytes of the tape with the default options; 0: unknown */
    int configs;        /* of a step */
} inspected;

/* Makes a graph of the same sizes, since a plan depends on sizes alone. */
static void stand_in(tgraph_graph *g, ag_arena **memory, const tgraph_summary *s)
{
    const size_t nodes = (size_t)s->kept_nodes, edges = (size_t)s->kept_edges;
    *g = (tgraph_graph){
        .nodes = s->kept_nodes, .edges = s->kept_edges, .configurable = s->configurable};
    g->feature = harness_take(memory, nodes * TGRAPH_NUMERIC * sizeof *g->feature);
    g->layout = harness_take(memory, nodes * TGRAPH_LAYOUT * sizeof *g->layout);
    g->opcode = harness_take(memory, nodes * sizeof *g->opcode);
    g->edge = harness_take(memory, 2 * edges * sizeof *g->edge + 1);
    g->config_node = harness_take(memory, (size_t)s->configurable * sizeof *g->config_node + 1);
    for (int k = 0; k < s->configurable; k++) g->config_node[k] = k;
}

static size_t plan_bytes(const tgraph_model *m, const tgraph_program *p, int configs, int training)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    const size_t n = (size_t)configs;
    const size_t rows = (size_t)(p->graph->configurable > 0 ? p->graph->configurable : 1);
    int32_t *digit = harness_alloc(rows * n * TGRAPH_DIGITS * sizeof *digit);
    ag_real *feature = harness_alloc(n * TPUGRAPHS_TILE_FEATURES * sizeof *feature);
    int32_t *rank = harness_alloc(n * sizeof *rank);
    ag_tape_training(tape, training);
    ag_tensor *y = m->options.tile ? tgraph_tile_forward(m, tape, p, feature, configs)
                                   : tgraph_forward(m, tape, p, digit, NULL, configs);
    if (training) y = ag_pairwise_hinge(y, ag_input_i32(tape, rank, AG_SHAPE(configs)), 1, AG_MEAN);
    const ag_plan_summary plan = ag_plan_of(y, training);
    const size_t bytes = ag_failed(tape) ? 0 : plan.slab;
    ag_tape_free(tape);
    harness_free(digit);
    harness_free(feature);
    harness_free(rank);
    return bytes;
}

static ag_status plan_memory(inspected *out, const tgraph_summary *s, ag_failure *why)
{
    tgraph_options options = tgraph_defaults();
    tgraph_model model = {0};
    tgraph_program program = {0};
    tgraph_graph graph;
    ag_arena *memory = NULL;
    options.tile = s->tile;
    out->configs = s->tile || s->configs < STEP_CONFIGS ? s->configs : STEP_CONFIGS;
    const int scored = s->configs < SCORE_CONFIGS ? s->configs : SCORE_CONFIGS;
    stand_in(&graph, &memory, s);
    if (!tgraph_model_add(&model, ag_params_new(), &options, why) &&
        !tgraph_program_new(&program, &graph, &options, why)) {
        if (ag_params_build(model.params, 0)) harness_no_memory((size_t)model.params->size);
        out->step = plan_bytes(&model, &program, out->configs, 1);
        out->score = plan_bytes(&model, &program, scored, 0);
    }
    tgraph_program_free(&program);
    tgraph_model_free(&model);
    ag_arena_free(memory);
    return why->status;
}

static void add_row(harness_inspection *to, const char *path, const tgraph_summary *s,
                    const inspected *memory)
{
    harness_inspect_row(to);
    harness_inspect_text(to, "file", NULL, path);
    harness_inspect_text(to, "kind", NULL, s->tile ? "tile" : "layout");
    harness_inspect_count(to, "nodes", NULL, s->nodes);
    harness_inspect_count(to, "edges", NULL, s->edges);
    harness_inspect_count(to, "kept_nodes", NULL, s->kept_nodes);
    harness_inspect_count(to, "kept_edges", NULL, s->kept_edges);
    harness_inspect_count(to, "configurable", NULL, s->configurable);
    harness_inspect_count(to, "configs", NULL, s->configs);
    harness_inspect_count(to, "unique", NULL, s->unique);
    harness_inspect_count(to, "fastest_ns", NULL, s->fastest);
    harness_inspect_count(to, "slowest_ns", NULL, s->slowest);
    harness_inspect_count(to, "packed_bytes", NULL, (int64_t)s->packed);
    harness_inspect_count(to, "step_bytes", NULL, (int64_t)memory->step);
    harness_inspect_count(to, "score_bytes", NULL, (int64_t)memory->score);
    json_object_set_new(to->row, "has_runtimes", json_boolean(s->has_runtimes));
    harness_inspect_number(to, "spread", NULL, s->spread, 0);
}

ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = (size_t)to->settings->common.ram_limit};
    tgraph_summary s;
    inspected memory = {0};
    if (tgraph_summarise(&s, path, &budget, why) || plan_memory(&memory, &s, why))
        return why->status;
    add_row(to, path, &s, &memory);
    char *summary = tgraph_summary_text(path, &s);
    to->text = harness_text(
        "%s  memory          %.1f MB in a step of %d configurations, %.1f MB to score %d\n",
        summary, (double)memory.step / 1e6, memory.configs, (double)memory.score / 1e6,
        s.configs < SCORE_CONFIGS ? s.configs : SCORE_CONFIGS);
    harness_free(summary);
    return AG_OK;
}
