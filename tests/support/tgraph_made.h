/* SPDX-License-Identifier: MIT */
/* Layout files made in memory, whose run times follow from their columns, and a run of the
   baselines. */
#ifndef TEST_TGRAPH_MADE_H
#define TEST_TGRAPH_MADE_H

#include "support/test.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/measures.h"
#include "examples/tgraph/baseline/baseline_internal.h"

enum { RANDOM, RIDGE, BOOSTING, NODES = 4 };

static char made_name[] = "made.npz";

/* The held-out part of a layout file after tgraph_file_split; without a split the whole file. */
static inline tgraph_baseline_part held_part(const tgraph_file *f)
{
    return (tgraph_baseline_part){
        .file = f, .config = f->held, .count = f->held ? f->held_count : f->configs};
}

/* The effect of a value of a digit on the log run time, the same in every file. */
static inline double effect(int digit, int value) { return 0.01 * ((digit * 5 + value * 3) % 11); }

/* Convolutions whose first three digits vary; the log run time is the sum of their effects. */
static inline tgraph_file *make_file(int configs, uint64_t seed, int alike)
{
    tgraph_file *f = harness_alloc(sizeof *f);
    ag_failure why = {0};
    ag_random r = {seed, 9, 0};
    f->path = f->name = made_name;
    f->configs = configs;
    f->has_runtimes = 1;
    char *block = harness_alloc(NODES * (TGRAPH_NUMERIC + 2) * sizeof(float));
    f->graph = (tgraph_graph){.nodes = NODES, .configurable = NODES, .block = block};
    f->graph.opcode = (int32_t *)(void *)block;
    f->graph.config_node = f->graph.opcode + NODES;
    f->graph.raw = (float *)(void *)(f->graph.config_node + NODES);
    f->runtime = harness_alloc((size_t)configs * sizeof *f->runtime);
    assert_int_equal(
        tgraph_store_open(&f->store, configs, NODES * TGRAPH_WORDS, NULL, made_name, &why), AG_OK);
    for (int v = 0; v < NODES; v++) {
        f->graph.opcode[v] = 26;
        f->graph.config_node[v] = v;
        f->graph.raw[v * TGRAPH_NUMERIC + 28] = 100;
    }
    for (int c = 0; c < configs; c++) {
        uint32_t row[NODES * TGRAPH_WORDS];
        double time = 14;
        for (int v = 0; v < NODES; v++) {
            float value[TGRAPH_DIGITS] = {0};
            for (int k = 0; k < 3 && !alike; k++) {
                int digit = (int)ag_random_below(&r, 4);
                value[k] = (float)digit;
                time += effect(k, digit);
            }
            tgraph_pack(row + v * TGRAPH_WORDS, value);
        }
        tgraph_store_put(&f->store, row);
        f->runtime[c] = (int64_t)exp(time);
    }
    return f;
}

static inline void run(tgraph_baseline_result *r, const tgraph_baseline_part *train, int trains,
                       const tgraph_baseline_part *part, int count,
                       const tgraph_baseline_options *o)
{
    ag_failure why = {0};
    if (tgraph_baselines_run(r, train, trains, part, count, o, &why)) fail_msg("%s", why.sentence);
}

/* A measure of a baseline's scores of a part with run times. */
static inline double measured(const tgraph_baseline *b, const tgraph_baseline_part *part,
                              harness_measure measure)
{
    int64_t *actual = harness_alloc((size_t)part->count * sizeof *actual);
    harness_measured m;
    ag_failure why = {0};
    for (int i = 0; i < part->count; i++)
        actual[i] = part->file->runtime[tgraph_part_config(part, i)];
    const harness_items items = {
        .name = made_name, .count = part->count, .score = b->score, .actual = actual};
    if (harness_measure_items(&m, &items, &why)) fail_msg("%s", why.sentence);
    ag_free(actual);
    return m.of[measure];
}

static inline void split(tgraph_file *f)
{
    ag_failure why = {0};
    assert_int_equal(tgraph_file_split(f, 0.8, 1, &why), AG_OK);
}

#endif
