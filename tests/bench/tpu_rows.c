/* SPDX-License-Identifier: MIT */
/* The TPU performance model: its training step and the ranking of configurations, their floors,
   their memory, and the same in PyTorch in turn. */
#include "bench.h"
#include "memory.h"
#include "peer.h"
#include "tpu_step.h"

static const bench_tpu_work rows_of_table[] = {
    {"tpu lstm shared 16", "tpu-lstm-shared", TPU_LSTM, TPU_SHARED, TPU_NOWHERE, 16},
    {"tpu lstm shared 64", "tpu-lstm-shared", TPU_LSTM, TPU_SHARED, TPU_NOWHERE, 64},
    {"tpu lstm separate 16", "tpu-lstm", TPU_LSTM, TPU_SEPARATE, TPU_NOWHERE, 16},
    {"tpu lstm separate 64", "tpu-lstm", TPU_LSTM, TPU_SEPARATE, TPU_NOWHERE, 64},
    {"tpu transformer 16", "tpu-transformer", TPU_TRANSFORMER, TPU_SEPARATE, TPU_NOWHERE, 16},
    {"tpu rank nodes 1000", "tpu-rank-nodes", TPU_LSTM, TPU_SEPARATE, TPU_AT_NODES, 1000},
    {"tpu rank kernel 1000", "tpu-rank-kernel", TPU_LSTM, TPU_SEPARATE, TPU_AT_KERNEL, 1000},
};

enum { PEERS = 2 };
static const char *const ways[PEERS] = {"plain", "best"};

typedef struct result {
    bench_samples ours, peer[PEERS];
    bench_peer about[PEERS];
    double growth; /* bytes: peak above what was resident before the first step */
    double floor;  /* seconds */
    double flops;
    ag_plan_summary plan;
} result;

static int alternate(result *r, bench_tpu *b, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (r->about[0].pid) bench_pause();
        const double probe = bench_probe();
        bench_evict();
        bench_sample(&r->ours, bench_tpu_run(b), probe);
        for (int k = 0; k < PEERS; k++) {
            if (!r->about[k].pid) continue;
            bench_pause();
            const double seconds = bench_peer_run(&r->about[k]);
            if (seconds < 0) return 1;
            bench_sample(&r->peer[k], seconds, probe);
        }
    }
    return 0;
}

static void warm_up(result *r, bench_tpu *b, int times)
{
    bench_forget_peak();
    const double before = bench_resident();
    for (int i = 0; i < times; i++) bench_tpu_run(b);
    r->growth = bench_peak() - before;
}

static void add_json(const result *r, const char *name, json_t *rows)
{
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "part", "tpu", "name", name,
                  "rounds", bench_kept(&r->ours), "min_ms", bench_least(&r->ours) * 1e3,
                  "median_ms", bench_median(&r->ours) * 1e3, "floor_ms", r->floor * 1e3, "flops",
                  r->flops, "slab_mb", (double)r->plan.slab / 1e6, "saved_mb",
                  (double)r->plan.saved / 1e6, "growth_mb", r->growth / 1e6);
    for (int k = 0; k < PEERS; k++)
        if (r->peer[k].n)
            json_object_set_new(json, ways[k],
                                json_pack("{s:f, s:f, s:f, s:s}", "min_ms",
                                          bench_least(&r->peer[k]) * 1e3, "median_ms",
                                          bench_median(&r->peer[k]) * 1e3, "peak_mb",
                                          r->about[k].peak * 1.048576, "about", r->about[k].about));
    json_array_append_new(rows, json);
}

static void print(const result *r, const char *name)
{
    const double median = bench_median(&r->ours), least = bench_least(&r->ours);
    printf("%-21s %8.1f ms median, %8.1f min; floor %.1f; %.2f x floor (%.2f by min); %.1f "
           "GFLOP/s; %d rounds\n",
           name, median * 1e3, least * 1e3, r->floor * 1e3, median / r->floor, least / r->floor,
           r->flops / median * 1e-9, bench_kept(&r->ours));
    printf("%-21s slab %.1f MB (%.1f saved for backward); resident memory grew by %.1f MB\n", "",
           (double)r->plan.slab / 1e6, (double)r->plan.saved / 1e6, r->growth / 1e6);
    for (int k = 0; k < PEERS; k++)
        if (r->peer[k].n)
            printf(
                "%-21s %-5s %8.1f ms median, %8.1f min: %.2f x ours (%.2f by min); %.1f MB, ours "
                "is %.2f of that\n",
                "", ways[k], bench_median(&r->peer[k]) * 1e3, bench_least(&r->peer[k]) * 1e3,
                bench_median(&r->peer[k]) / median, bench_least(&r->peer[k]) / least,
                r->about[k].peak * 1.048576, r->growth / 1e6 / (r->about[k].peak * 1.048576));
    fflush(stdout);
}

static int measure(const bench_options *options, bench_tpu_work work, json_t *rows)
{
    const int hidden = options->quick ? 16 : 512;
    char form[64];
    bench_tpu b;
    result r = {.growth = 0};
    if (!bench_wanted(options, work.name, work.name)) return 0;
    if (options->quick) work.samples = 2;
    int bad = bench_tpu_open(&b, &work, hidden);
    for (int k = 0; options->peer && !bad && k < PEERS; k++) {
        snprintf(form, sizeof form, "%s%s", work.peer, k == 0 ? "-plain" : "");
        bad = bench_peer_open(&r.about[k], options->peer, form, work.samples, BENCH_KERNEL_NODES,
                              ag_threads());
    }
    if (!bad) {
        warm_up(&r, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.tape, 1);
        bad = alternate(&r, &b, bench_rounds(options, options->peer ? 7 : 15));
        r.plan = ag_plan_of(bench_tpu_record(&b), !bench_tpu_ranks(&b));
    }
    for (int k = 0; k < PEERS; k++) bench_peer_close(&r.about[k]);
    if (bad) {
        fprintf(stderr, "bench: %s broke off: %s\n", work.name, ag_error(b.tape));
    } else {
        r.flops = bench_tpu_flops(&b);
        r.floor = r.flops / bench_best.fma;
        print(&r, work.name);
        add_json(&r, work.name, rows);
        if (options->profile) ag_profile_print(b.tape, stdout);
    }
    bench_tpu_close(&b);
    return bad;
}

int bench_tpus(const bench_options *options, json_t *rows)
{
    printf("\nThe TPU performance model, hidden 512, kernels of 41 nodes: training steps (forward, "
           "backward, clipping, Adam)\nof GraphSAGE with LSTM or Transformer, ranking of 1,000 "
           "configurations of one kernel (forward)\nfloor = operations of the products / FMA "
           "rate\n");
    for (size_t i = 0; i < sizeof rows_of_table / sizeof *rows_of_table; i++)
        if (measure(options, rows_of_table[i], rows)) return 1;
    return 0;
}
