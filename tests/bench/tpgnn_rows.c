/* SPDX-License-Identifier: MIT */
/* The training step of TPGNN: its floor, its memory, and the same in PyTorch in turn. */
#include "beside.h"
#include "tpgnn_step.h"

typedef struct result {
    bench_beside times;
    double floor; /* seconds */
    double flops;
    ag_plan_summary plan;
} result;

static double run(void *tpgnn) { return bench_tpgnn_run(tpgnn); }

static void add_json(const result *r, const char *name, json_t *rows)
{
    json_t *json = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "part", "tpgnn", "name", name,
                             "floor_ms", r->floor * 1e3, "flops", r->flops, "slab_mb",
                             (double)r->plan.slab / 1e6, "saved_mb", (double)r->plan.saved / 1e6);
    bench_beside_json(json, &r->times);
    json_array_append_new(rows, json);
}

static void print(const result *r, const char *name)
{
    const bench_samples *ours = &r->times.ours;
    const double median = bench_median(ours), least = bench_least(ours);
    printf("%-13s %8.2f ms median, %8.2f min; floor %.2f; %.2f x floor (%.2f by min); %.1f "
           "GFLOP/s; %d rounds\n",
           name, median * 1e3, least * 1e3, r->floor * 1e3, median / r->floor, least / r->floor,
           r->flops / median * 1e-9, bench_kept(ours));
    printf("%-13s slab %.1f MB (%.1f saved for backward); resident memory grew by %.1f MB\n", "",
           (double)r->plan.slab / 1e6, (double)r->plan.saved / 1e6, r->times.growth / 1e6);
    bench_beside_print(&r->times, 13);
    fflush(stdout);
}

static int measure(const bench_options *options, int graphs, json_t *rows)
{
    const int nodes = options->quick ? 20 : BENCH_TREE_NODES, hidden = options->quick ? 8 : 128;
    char name[32];
    bench_tpgnn b;
    result r = {.times.name = {"pyg", "best"}};
    snprintf(name, sizeof name, "tpgnn %dx%d", graphs, nodes);
    if (!bench_wanted(options, name, name)) return 0;
    int bad = bench_tpgnn_open(&b, graphs, nodes, hidden);
    for (int k = 0; options->peer && !bad && k < BENCH_PEERS; k++)
        bad = bench_peer_open(&r.times.peer[k], options->peer, k == 0 ? "tpgnn-plain" : "tpgnn",
                              graphs, nodes, ag_threads());
    if (!bad) {
        bench_beside_warm(&r.times, run, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.tape, 1);
        bad = bench_beside_run(&r.times, run, &b, bench_rounds(options, options->peer ? 9 : 25));
        r.plan = ag_plan_of(bench_tpgnn_record(&b), 1);
    }
    bench_beside_close(&r.times);
    if (bad) {
        fprintf(stderr, "bench: %s broke off: %s\n", name, ag_error(b.tape));
    } else {
        r.flops = bench_tpgnn_flops(&b);
        r.floor = r.flops / bench_best.fma;
        print(&r, name);
        add_json(&r, name, rows);
        if (options->profile) ag_profile_print(b.tape, stdout);
    }
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
