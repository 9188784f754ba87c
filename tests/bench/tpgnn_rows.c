/* SPDX-License-Identifier: MIT */
/* The training step of TPGNN: its floor, its memory, and the same in PyTorch in turn. */
#include "beside.h"
#include "tpgnn_step.h"

/* A step of one tree takes a millisecond; a single one would mostly measure how fast threads and
   caches wake up. */
enum { SMALL_STEPS = 20 };

static double run(void *tpgnn) { return bench_tpgnn_run(tpgnn); }

static int measure(const bench_options *options, int graphs, json_t *rows)
{
    const int nodes = options->quick ? 20 : BENCH_TREE_NODES, hidden = options->quick ? 8 : 128;
    char name[32];
    bench_tpgnn b;
    bench_beside times = {.in_a_row = graphs == 1 ? SMALL_STEPS : 1};
    snprintf(name, sizeof name, "tpgnn %dx%d", graphs, nodes);
    if (!bench_wanted(options, name, name)) return 0;
    int bad = bench_tpgnn_open(&b, graphs, nodes, hidden);
    const bench_peer_call call = {.model = "tpgnn", .configs = graphs, .nodes = nodes};
    bad = bad || bench_beside_open(&times, options, &call, "pyg,best,best-compiled");
    if (!bad) {
        bench_beside_warm(&times, run, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.tape, 1);
        bad = bench_beside_run(&times, run, &b, bench_rounds(options, options->peer ? 9 : 25));
    }
    bench_beside_close(&times);
    if (bad) {
        fprintf(stderr, "bench: %s broke off: %s\n", name, ag_error(b.tape));
    } else {
        const bench_counted what = {.part = "tpgnn",
                                    .name = name,
                                    .flops = bench_tpgnn_flops(&b),
                                    .plan = ag_plan_of(bench_tpgnn_record(&b), 1)};
        bench_beside_tell(&times, &what, 13, 2, rows);
        if (options->profile) ag_profile_print(b.tape, stdout);
    }
    bench_beside_free(&times);
    bench_tpgnn_close(&b);
    return bad;
}

int bench_tpgnns(const bench_options *options, json_t *rows)
{
    printf(
        "\nA training step of TPGNN's network (forward, backward, Adam), hidden 128, TopK pooling "
        "to 0.8, trees of 500 nodes\nfloor = operations of the products / FMA rate\n");
    return measure(options, 64, rows) || measure(options, 1, rows);
}
