/* SPDX-License-Identifier: MIT */
/* The training step of TGraph: its floor, its memory, the cost of recording, and the same step in
   PyTorch in turn. */
#include "beside.h"
#include "device.h"
#include "probe.h"
#include "step.h"

/* docs/bench.md derives both: 38.6 GFLOP for 32 configurations of 1,000 nodes, and 78 transfers of
   T = C N 128 floats when each block is fused as far as it can be. */
static double step_flops(int configs, int nodes) { return 38.6e9 * configs * nodes / 32000; }
static double step_bytes(int configs, int nodes) { return 78.0 * configs * nodes * 128 * 4; }

static const char forms[] = "pyg,pyg-tuned,pyg-compiled,best,best-compiled";

typedef struct step_result {
    bench_beside times;
    double record, found, made; /* seconds */
    ag_plan_summary plan;
    double parameters; /* bytes of weights, gradients and moments */
} step_result;

static double run(void *step) { return bench_step_run(step); }

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
        s->tape = bench_tape();
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

/* The line and the keys that this row has besides the usual ones. */
static void tell_recording(const step_result *r, json_t *json)
{
    const double median = bench_median(&r->times.ours);
    printf("%-13s recording %.0f us, finding the plan %.0f us: %.2f %% of a step; making it %.0f "
           "us: %.2f %%; %d ops, %d launches; parameters %.1f MB\n",
           "", r->record * 1e6, r->found * 1e6, 100 * (r->record + r->found) / median,
           r->made * 1e6, 100 * (r->record + r->made) / median, r->plan.nodes, r->plan.steps,
           r->parameters / 1e6);
    json_object_set_new(json, "parameters_mb", json_real(r->parameters / 1e6));
    json_object_set_new(json, "record_ms", json_real(r->record * 1e3));
    json_object_set_new(json, "plan_found_ms", json_real(r->found * 1e3));
    json_object_set_new(json, "plan_made_ms", json_real(r->made * 1e3));
}

static void tell(const step_result *r, const char *name, int configs, int nodes, json_t *rows)
{
    const double flops = step_flops(configs, nodes);
    const double lowest = flops / bench_best.fma + step_bytes(configs, nodes) / bench_best.copy;
    const bench_counted what = {
        .part = "step", .name = name, .flops = flops, .floor = lowest, .plan = r->plan};
    tell_recording(r, bench_beside_tell(&r->times, &what, 13, 1, rows));
}

static int measure(const bench_options *options, int configs, int nodes, json_t *rows)
{
    char name[32];
    const tgraph_options model = tgraph_paper_options();
    bench_step s;
    step_result r = {0};
    if (options->quick) configs /= 16, nodes /= 20;
    snprintf(name, sizeof name, "step %dx%d", configs, nodes);
    if (!bench_wanted(options, name, name)) return 0;
    int bad = bench_step_open(&s, configs, nodes, &model);
    const bench_peer_call call = {.model = "tgraph", .configs = configs, .nodes = nodes};
    bad = bad || bench_beside_open(&r.times, options, &call, forms);
    if (!bad) {
        r.parameters = 4.0 * (double)s.model.params->size * sizeof(ag_real);
        bench_beside_warm(&r.times, run, &s, options->quick ? 1 : 2);
        if (options->profile) ag_profile(s.tape, 1);
        bad = bench_beside_run(&r.times, run, &s, bench_rounds(options, options->peer ? 7 : 15)) ||
              measure_recording(&r, &s, options->quick ? 1 : 20);
    }
    bench_beside_close(&r.times);
    if (bad) {
        fprintf(stderr, "bench: the step broke off: %s\n", ag_error(s.tape));
    } else {
        tell(&r, name, configs, nodes, rows);
        if (options->profile) ag_profile_print(s.tape, stdout);
    }
    bench_beside_free(&r.times);
    bench_step_close(&s);
    return bad;
}

int bench_steps(const bench_options *options, json_t *rows)
{
    printf(
        "\nA training step of TGraph (forward, backward, clipping, AdamW; E = 2N, cross-"
        "configuration attention on)\nfloor = 38.6 GFLOP x C N / 32,000 / FMA rate + 78 T / copy "
        "rate, T = 128 C N floats\n");
    if (bench_device != AG_CPU && measure(options, 128, 2000, rows)) return 1;
    return measure(options, 32, 1000, rows) || measure(options, 64, 1000, rows) ||
           measure(options, 128, 500, rows);
}
