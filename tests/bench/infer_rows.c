/* SPDX-License-Identifier: MIT */
/* Configurations a second: scoring as `predict` does it, and the same in PyTorch in turn. */
#include "beside.h"
#include "infer.h"
#include "probe.h"

/* The multiply-adds of a node and configuration, as in docs/bench.md: the second input layer, two
   blocks, four channel attentions. Of the first layer only sums of rows of a table depend on the
   configuration. */
static double tgraph_flops(int configs, int nodes)
{
    const double layer = 256.0 * 128, block = 2.0 * 256 * 128, channel = 2.0 * 128 * 16;
    return 2 * (layer + 2 * block + 4 * channel) * configs * nodes;
}

static double tpgnn_flops(const tpgnn_paper_options *o, double nodes)
{
    double sum = 0;
    for (int k = 0; k < o->layers; k++, nodes *= o->ratio)
        sum += nodes * 2 * o->hidden * (k ? o->hidden : o->inputs);
    return 2 * sum;
}

static int tgraph_row(const bench_options *options, int nodes, json_t *rows)
{
    const int configs = options->quick ? 6 : 2 * BENCH_TGRAPH_CHUNK;
    bench_infer_tgraph b;
    bench_beside times = {0};
    char name[40];
    if (options->quick) nodes /= 20;
    snprintf(name, sizeof name, "score tgraph %d", nodes);
    if (!bench_wanted(options, name, name)) return 0;
    const bench_peer_call call = {
        .model = "tgraph", .configs = configs, .nodes = nodes, .chunk = BENCH_TGRAPH_CHUNK};
    int bad =
        bench_infer_tgraph_open(&b, configs, nodes) ||
        bench_beside_open(&times, options, &call, "pyg,pyg-tuned,pyg-compiled,best,best-compiled");
    if (!bad) {
        bench_beside_warm(&times, bench_infer_tgraph_run, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.step.tape, 1);
        bad = bench_beside_run(&times, bench_infer_tgraph_run, &b,
                               bench_rounds(options, options->peer ? 7 : 15));
    }
    bench_beside_close(&times);
    if (!bad) {
        const bench_counted what = {.part = "infer",
                                    .name = name,
                                    .flops = tgraph_flops(configs, nodes),
                                    .items = configs,
                                    .plan = bench_infer_tgraph_plan(&b)};
        bench_beside_tell(&times, &what, 21, 1, rows);
        if (options->profile) ag_profile_print(b.step.tape, stdout);
    }
    bench_beside_free(&times);
    bench_infer_tgraph_close(&b);
    return bad;
}

static int tpgnn_row(const bench_options *options, json_t *rows)
{
    const int trees = options->quick ? 4 : 256, nodes = options->quick ? 20 : 500,
              hidden = options->quick ? 8 : 128;
    bench_infer_tpgnn b;
    bench_beside times = {0};
    char name[40];
    snprintf(name, sizeof name, "score tpgnn %d", nodes);
    if (!bench_wanted(options, name, name)) return 0;
    const bench_peer_call call = {
        .model = "tpgnn", .configs = trees, .nodes = nodes, .chunk = BENCH_TPGNN_NODES / nodes};
    int bad = bench_infer_tpgnn_open(&b, trees, nodes, hidden) ||
              bench_beside_open(&times, options, &call, "pyg,best,best-compiled");
    if (!bad) {
        bench_beside_warm(&times, bench_infer_tpgnn_run, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.tape, 1);
        bad = bench_beside_run(&times, bench_infer_tpgnn_run, &b,
                               bench_rounds(options, options->peer ? 9 : 25));
    }
    bench_beside_close(&times);
    if (!bad) {
        const bench_counted what = {.part = "infer",
                                    .name = name,
                                    .flops =
                                        tpgnn_flops(&b.model.options.paper, (double)trees * nodes),
                                    .items = trees,
                                    .plan = bench_infer_tpgnn_plan(&b)};
        bench_beside_tell(&times, &what, 21, 1, rows);
        if (options->profile) ag_profile_print(b.tape, stdout);
    }
    bench_beside_free(&times);
    bench_infer_tpgnn_close(&b);
    return bad;
}

int bench_infer(const bench_options *options, json_t *rows)
{
    printf("\nScores as `predict` makes them, batches included: TGraph, 256 configurations of a "
           "graph in chunks of 128; the TPU\nmodel, 1,000 tile sizes of a kernel of 41 nodes; "
           "TPGNN, 256 trees\nfloor = operations of the products that cannot be left out / FMA "
           "rate\n");
    return tgraph_row(options, 1000, rows) || bench_tpu_ranks_all(options, rows) ||
           tpgnn_row(options, rows);
}
