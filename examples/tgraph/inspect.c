/* SPDX-License-Identifier: MIT */
/* `tgraph inspect`: the contents of a file and the memory that a model needs for it. */
#include "examples/harness/run/inspect.h"
#include "examples/tgraph/shell.h"

#include <jansson.h>

enum { STEP_CONFIGS = 32, SCORE_CONFIGS = 128 };

typedef struct inspected {
    size_t step, score; /* bytes of the tape with the default options; 0: unknown */
    int configs;        /* of a step */
} inspected;

static int at_most(int n, int most) { return n < most ? n : most; }

static size_t plan_bytes(const tgraph_model *m, const tgraph_program *p, int configs, int training)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    const size_t n = (size_t)configs;
    const size_t rows = (size_t)(p->graph->configurable > 0 ? p->graph->configurable : 1);
    int32_t *digit = harness_alloc(rows * n * TGRAPH_DIGITS * sizeof *digit);
    int32_t *rank = harness_alloc(n * sizeof *rank);
    ag_tape_training(tape, training);
    ag_tensor *y = tgraph_forward(m, tape, p, digit, NULL, configs);
    if (training) y = ag_pairwise_hinge(y, ag_input_i32(tape, rank, AG_SHAPE(configs)), 1, AG_MEAN);
    const ag_plan_summary plan = ag_plan_of(y, training);
    const size_t bytes = ag_failed(tape) ? 0 : plan.slab;
    ag_tape_free(tape);
    harness_free(digit);
    harness_free(rank);
    return bytes;
}

static ag_status plan_memory(inspected *out, const tgraph_file *f, ag_failure *why)
{
    const tgraph_options options = tgraph_defaults();
    tgraph_model model = {0};
    tgraph_program program = {0};
    out->configs = at_most(f->file_configs, STEP_CONFIGS);
    if (!tgraph_model_add(&model, ag_params_new(), &options, why) &&
        !tgraph_program_new(&program, &f->graph, &options, why)) {
        if (ag_params_build(model.params, 0)) harness_no_memory((size_t)model.params->size);
        out->step = plan_bytes(&model, &program, out->configs, 1);
        out->score = plan_bytes(&model, &program, at_most(f->file_configs, SCORE_CONFIGS), 0);
    }
    tgraph_program_free(&program);
    tgraph_model_free(&model);
    return why->status;
}

static void add_row(harness_inspection *to, const tgraph_file *f, const inspected *memory)
{
    harness_inspect_row(to);
    harness_inspect_text(to, "file", NULL, f->path);
    harness_inspect_text(to, "kind", NULL, "layout");
    harness_inspect_count(to, "nodes", NULL, f->file_nodes);
    harness_inspect_count(to, "edges", NULL, f->file_edges);
    harness_inspect_count(to, "kept_nodes", NULL, f->graph.nodes);
    harness_inspect_count(to, "kept_edges", NULL, f->graph.edges);
    harness_inspect_count(to, "configurable", NULL, f->graph.configurable);
    harness_inspect_count(to, "configs", NULL, f->file_configs);
    harness_inspect_count(to, "unique", NULL, f->configs);
    harness_inspect_count(to, "fastest_ns", NULL, f->fastest);
    harness_inspect_count(to, "slowest_ns", NULL, f->slowest);
    harness_inspect_count(to, "packed_bytes", NULL, (int64_t)tgraph_file_packed(f));
    harness_inspect_count(to, "step_bytes", NULL, (int64_t)memory->step);
    harness_inspect_count(to, "score_bytes", NULL, (int64_t)memory->score);
    json_object_set_new(to->row, "has_runtimes", json_boolean(f->has_runtimes));
    harness_inspect_number(to, "spread", NULL, f->spread, 0);
}

ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = (size_t)to->settings->common.ram_limit};
    inspected memory = {0};
    tgraph_file *f = tgraph_file_inspect(path, &budget, why);
    if (f && !plan_memory(&memory, f, why)) {
        add_row(to, f, &memory);
        char *summary = tgraph_file_text(f);
        to->text = harness_text(
            "%s  memory          %.1f MB in a step of %d configurations, %.1f MB to score %d\n",
            summary, (double)memory.step / 1e6, memory.configs, (double)memory.score / 1e6,
            at_most(f->file_configs, SCORE_CONFIGS));
        harness_free(summary);
    }
    tgraph_file_close(f);
    return why->status;
}
