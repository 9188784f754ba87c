/* SPDX-License-Identifier: MIT */
/* The training step of TGraph: its floor, its memory, what recording costs, and the same step in
   PyTorch in turn. */
#include "bench.h"
#include "memory.h"
#include "peer.h"
#include "probe.h"
#include "step.h"

/* docs/bench.md derives both: 38.6 GFLOP for 32 configurations of 1,000 nodes, and 78 transfers of
   T = C N 128 floats when each block is fused as far as it can be. */
static double step_flops(int configs, int nodes) { return 38.6e9 * configs * nodes / 32000; }
static double step_bytes(int configs, int nodes) { return 78.0 * configs * nodes * 128 * 4; }

enum { PEERS = 2 };
static const char *const forms[PEERS] = {"pyg", "node"};

typedef struct step_result {
    bench_samples ours, peer[PEERS];
    bench_peer about[PEERS];
    double record, found, made; /* seconds */
    double resident, peak;      /* bytes, before the first step and at most */
    ag_plan_summary plan;
    double parameters; /* bytes of weights, gradients and moments */
} step_result;

static double least(double a, double b) { return a && a < b ? a : b; }

/* Recording; finding the plan that a step left; making it on a tape that has none. */
static int measure_recording(step_result *r, bench_step *s, int times)
{
    ag_tape *known = s->tape;
    int bad = 0;
    for (int i = 0; !bad && i < times; i++) {
        const double start = bench_now();
        ag_tensor *loss = bench_step_record(s);
        const double recorded = bench_now();
        r->plan = ag_plan_of(loss, 1);
        bad = ag_failed(s->tape);
        r->found = least(r->found, bench_now() - recorded);
        r->record = least(r->record, recorded - start);
        s->tape = ag_tape_new(AG_CPU);
        if (s->tape) {
            loss = bench_step_record(s);
            const double before = bench_now();
            ag_plan_of(loss, 1);
            r->made = least(r->made, bench_now() - before);
        }
        bad = bad || ag_failed(s->tape);
        ag_tape_free(s->tape);
        s->tape = known;
    }
    ag_tape_reset(s->tape);
    return bad;
}

static int alternate(step_result *r, bench_step *s, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        const double probe = bench_probe();
        bench_evict();
        bench_sample(&r->ours, bench_step_run(s), probe);
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

static json_t *to_json(const step_result *r, int configs, int nodes, double lowest)
{
    const double median = bench_median(&r->ours);
    json_t *json = json_pack(
        "{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "part", "step",
        "configs", configs, "nodes", nodes, "rounds", bench_kept(&r->ours), "min_ms",
        bench_least(&r->ours) * 1e3, "median_ms", median * 1e3, "floor_ms", lowest * 1e3, "slab_mb",
        (double)r->plan.slab / 1e6, "saved_mb", (double)r->plan.saved / 1e6, "parameters_mb",
        r->parameters / 1e6, "growth_mb", (r->peak - r->resident) / 1e6, "record_ms",
        r->record * 1e3, "plan_found_ms", r->found * 1e3, "plan_made_ms", r->made * 1e3);
    for (int k = 0; k < PEERS; k++)
        if (r->peer[k].n)
            json_object_set_new(json, forms[k],
                                json_pack("{s:f, s:f, s:f, s:s}", "min_ms",
                                          bench_least(&r->peer[k]) * 1e3, "median_ms",
                                          bench_median(&r->peer[k]) * 1e3, "peak_mb",
                                          r->about[k].peak, "about", r->about[k].about));
    return json;
}

static void print(const step_result *r, const char *name, int configs, int nodes, double lowest)
{
    const double median = bench_median(&r->ours), least = bench_least(&r->ours);
    const double growth = (r->peak - r->resident) / 1e6;
    printf(
        "%-13s %9.1f ms median, %9.1f min; floor %.1f; %.2f x floor (%.2f by min); %.1f GFLOP/s; "
        "%d rounds\n",
        name, median * 1e3, least * 1e3, lowest * 1e3, median / lowest, least / lowest,
        step_flops(configs, nodes) / median * 1e-9, bench_kept(&r->ours));
    printf("%-13s slab %.1f MB (%.1f saved for backward), parameters %.1f MB; resident memory grew "
           "by %.1f MB\n",
           "", (double)r->plan.slab / 1e6, (double)r->plan.saved / 1e6, r->parameters / 1e6,
           growth);
    printf("%-13s recording %.0f us, finding the plan %.0f us: %.2f %% of a step; making it %.0f "
           "us: %.2f %%; %d ops, %d launches\n",
           "", r->record * 1e6, r->found * 1e6, 100 * (r->record + r->found) / median,
           r->made * 1e6, 100 * (r->record + r->made) / median, r->plan.nodes, r->plan.steps);
    for (int k = 0; k < PEERS; k++)
        if (r->peer[k].n)
            printf(
                "%-13s %-4s %9.1f ms median, %9.1f min: %.2f x ours (%.2f by min); %.1f MB, ours "
                "is %.2f of that\n",
                "", forms[k], bench_median(&r->peer[k]) * 1e3, bench_least(&r->peer[k]) * 1e3,
                bench_median(&r->peer[k]) / median, bench_least(&r->peer[k]) / least,
                r->about[k].peak * 1.048576, growth / (r->about[k].peak * 1.048576));
    fflush(stdout);
}

static int measure(const bench_options *options, int configs, int nodes, json_t *rows)
{
    char name[32];
    const tgraph_options model = tgraph_default_options();
    bench_step s;
    step_result r = {.record = 0};
    if (options->quick) configs /= 16, nodes /= 20;
    snprintf(name, sizeof name, "step %dx%d", configs, nodes);
    if (!bench_wanted(options, name, name)) return 0;
    int bad = bench_step_open(&s, configs, nodes, &model);
    for (int k = 0; options->peer && !bad && k < PEERS; k++)
        bad = bench_peer_open(&r.about[k], options->peer, forms[k], configs, nodes, ag_threads());
    if (!bad) {
        r.parameters = 4.0 * (double)s.model.params->size * sizeof(ag_real);
        bench_forget_peak();
        r.resident = bench_resident();
        for (int i = 0; i < (options->quick ? 1 : 2); i++) bench_step_run(&s);
        r.peak = bench_peak();
        if (options->profile) ag_profile(s.tape, 1);
        bad = alternate(&r, &s, bench_rounds(options, options->peer ? 7 : 15)) ||
              measure_recording(&r, &s, options->quick ? 1 : 20);
    }
    for (int k = 0; k < PEERS; k++) bench_peer_close(&r.about[k]);
    if (bad) {
        fprintf(stderr, "bench: the step broke off: %s\n", ag_error(s.tape));
    } else {
        const double lowest = step_flops(configs, nodes) / bench_best.fma +
                              step_bytes(configs, nodes) / bench_best.copy;
        print(&r, name, configs, nodes, lowest);
        json_array_append_new(rows, to_json(&r, configs, nodes, lowest));
        if (options->profile) ag_profile_print(s.tape, stdout);
    }
    bench_step_close(&s);
    return bad;
}

int bench_steps(const bench_options *options, json_t *rows)
{
    printf(
        "\nA training step of TGraph (forward, backward, clipping, AdamW; E = 2N, cross-"
        "configuration attention on)\nfloor = 38.6 GFLOP x C N / 32,000 / FMA rate + 78 T / copy "
        "rate, T = 128 C N floats\n");
    return measure(options, 32, 1000, rows) || measure(options, 64, 1000, rows) ||
           measure(options, 128, 500, rows);
}
