/* SPDX-License-Identifier: MIT */
/* Prints the contents of files and the memory that a model needs for them. */
#include "examples/tgraph/program.h"

#include <jansson.h>
#include <string.h>

enum { STEP_CONFIGS = 64, SCORE_CONFIGS = 128 };

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
                                   : tgraph_forward(m, tape, p, digit, configs);
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
    tgraph_options options = tgraph_default_options();
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

static json_t *summary_json(const char *path, const tgraph_summary *s, const inspected *memory)
{
    json_t *j = json_object();
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {{"nodes", s->nodes},
                  {"edges", s->edges},
                  {"kept_nodes", s->kept_nodes},
                  {"kept_edges", s->kept_edges},
                  {"configurable", s->configurable},
                  {"configs", s->configs},
                  {"unique", s->unique},
                  {"fastest_ns", s->fastest},
                  {"slowest_ns", s->slowest},
                  {"packed_bytes", (int64_t)s->packed},
                  {"step_bytes", (int64_t)memory->step},
                  {"score_bytes", (int64_t)memory->score}};
    json_object_set_new(j, "file", harness_json_name(path));
    json_object_set_new(j, "kind", json_string(s->tile ? "tile" : "layout"));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set_new(j, fields[i].name, json_integer(fields[i].value));
    json_object_set_new(j, "has_runtimes", json_boolean(s->has_runtimes));
    json_object_set_new(j, "spread", json_real(s->spread));
    return j;
}

static ag_status inspect(const char *path, int64_t ram_limit, json_t *list, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = (size_t)ram_limit};
    tgraph_summary s;
    inspected memory = {0};
    if (tgraph_summarise(&s, path, &budget, why) || plan_memory(&memory, &s, why))
        return why->status;
    if (list) {
        json_array_append_new(list, summary_json(path, &s, &memory));
        return AG_OK;
    }
    tgraph_summary_print(stdout, path, &s);
    printf("  memory          %.1f MB in a step of %d configurations, %.1f MB to score %d (256 "
           "channels)\n",
           (double)memory.step / 1e6, memory.configs, (double)memory.score / 1e6,
           s.configs < SCORE_CONFIGS ? s.configs : SCORE_CONFIGS);
    return AG_OK;
}

/* A file that cannot be read is reported, and the inspection continues with the next one. */
ag_status tgraph_inspect_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    harness_files paths = {0};
    json_t *list = s->shell.common.json ? json_array() : NULL;
    int bad = 0;
    harness_files_read(&paths, &s->shell.common.data, "data", why);
    for (int i = 0; i < paths.count && harness_go_on(why); i++) {
        ag_failure mine = {0};
        inspect(paths.path[i], s->shell.common.ram_limit, list, &mine);
        if (mine.status && (paths.count == 1 || mine.status == AG_EMEMORY))
            ag_fail(why, mine.status, "%s", mine.sentence);
        else if (mine.status) {
            harness_error(mine.sentence);
            bad++;
        }
    }
    if (list && !why->status)
        harness_json_print(list, why);
    else
        json_decref(list);
    if (!why->status && bad)
        ag_fail(why, AG_EDATA, "%d of %d files cannot be read; see above", bad, paths.count);
    harness_files_free(&paths);
    return why->status;
}
