/* SPDX-License-Identifier: MIT */
#include "infer.h"

#include "probe.h"

#include <stdlib.h>
#include <string.h>

/* Random layouts, packed as a file's are. */
static ag_status make_file(bench_infer_tgraph *b, ag_failure *why)
{
    ag_random random = {9, 0, 0};
    const int64_t width = (int64_t)b->step.graph.configurable * TGRAPH_WORDS;
    float value[TGRAPH_DIGITS];
    b->file = (tgraph_file){.path = "made", .name = "made", .graph = b->step.graph};
    b->file.configs = b->file.file_configs = b->configs;
    b->file.runtime = calloc((size_t)b->configs, sizeof *b->file.runtime);
    uint32_t *row = calloc((size_t)width, sizeof *row);
    if (!tgraph_store_open(&b->file.store, b->configs, width, NULL, "made", why))
        for (int c = 0; c < b->configs; c++) {
            for (int64_t v = 0; v < width; v += TGRAPH_WORDS) {
                for (int d = 0; d < TGRAPH_DIGITS; d++)
                    value[d] = (float)ag_random_below(&random, 7) - 1;
                tgraph_pack(row + v, value);
            }
            tgraph_store_put(&b->file.store, row);
        }
    free(row);
    return why->status;
}

int bench_infer_tgraph_open(bench_infer_tgraph *b, int configs, int nodes)
{
    ag_failure why = {0};
    const tgraph_options options = tgraph_paper_options();
    memset(b, 0, sizeof *b);
    b->configs = configs;
    b->score = calloc((size_t)configs, sizeof *b->score);
    if (bench_step_open(&b->step, 1, nodes, &options)) return 1;
    if (make_file(b, &why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 1;
    }
    b->entry = (tgraph_entry){.path = "made",
                              .name = "made",
                              .file = &b->file,
                              .graph = &b->file.graph,
                              .program = b->step.program,
                              .items = configs,
                              .configs = configs};
    b->scorer = (tgraph_scorer){
        .model = &b->step.model, .tape = b->step.tape, .configs = BENCH_TGRAPH_CHUNK};
    return 0;
}

double bench_infer_tgraph_run(void *context)
{
    bench_infer_tgraph *b = context;
    ag_failure why = {0};
    const double start = bench_now();
    if (tgraph_score(&b->scorer, &b->entry, NULL, b->configs, b->score, &why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        exit(1);
    }
    return bench_now() - start;
}

ag_plan_summary bench_infer_tgraph_plan(bench_infer_tgraph *b)
{
    ag_tape *tape = b->step.tape;
    const int chunk = b->scorer.batch.configs;
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    return ag_plan_of(
        tgraph_forward(&b->step.model, tape, &b->entry.program, b->scorer.batch.digit, chunk), 0);
}

void bench_infer_tgraph_close(bench_infer_tgraph *b)
{
    tgraph_scorer_close(&b->scorer);
    tgraph_store_close(&b->file.store, NULL);
    free(b->file.runtime);
    free(b->score);
    bench_step_close(&b->step);
}
