/* SPDX-License-Identifier: MIT */
/* Training steps: forward, backward, clipping and AdamW, their memory, and the same step in PyTorch
   in turn. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "steps.h"

#include "bench.h"
#include "peer.h"

#include "examples/harness/base/base.h"
#include "examples/harness/machine/processor.h"

#include <math.h>
#include <time.h>

typedef struct row {
    const char *model; /* as peer.py calls it */
    ag_status (*open)(bench_network *network, int count, int nodes, int hidden, ag_failure *why);
    int count, nodes, hidden;
    int in_a_row; /* steps of a round; their mean is its sample: of a single short one the most is
                     the time in which threads and caches wake up */
    int device;   /* 1: only there */
} row;

static const row table[] = {
    {"tgraph", bench_tgraph, 128, 2000, 0, 1, 1},
    {"tgraph", bench_tgraph, 32, 1000, 0, 1, 0},
    {"tgraph", bench_tgraph, 64, 1000, 0, 1, 0},
    {"tpu-lstm", bench_tpu_lstm, 16, 41, 512, 1, 0},
    {"tpu-lstm", bench_tpu_lstm, 64, 41, 512, 1, 0},
    {"tpu-transformer", bench_tpu_transformer, 16, 41, 512, 1, 0},
    {"tpgnn", bench_tpgnn, 64, 500, 128, 1, 0},
    {"tpgnn", bench_tpgnn, 1, 500, 128, 20, 0},
};

/* One that is measured. */
typedef struct step {
    row row;
    char name[32];
    bench_network network;
    ag_tape *tape;
    uint64_t steps;
    bench_samples ours, theirs;
    bench_peer peer;
    double growth; /* bytes: peak above the memory that was resident before the first step */
} step;

static int open_step(step *s, const bench_options *options)
{
    ag_failure why = {0};
    const row *r = &s->row;
    s->tape = bench_tape();
    if (s->tape && !r->open(&s->network, r->count, r->nodes, r->hidden, &why) &&
        !ag_params_build(s->network.params, 1) &&
        !ag_params_to(s->network.params, bench_device, &why))
        return options->peer &&
               bench_peer_open(&s->peer, options->peer, r->model, r->count, r->nodes);
    fprintf(stderr, "bench: %s: %s\n", s->name, why.sentence);
    return 1;
}

static ag_tensor *record(step *s)
{
    ag_tape_reset(s->tape);
    ag_tape_seed(s->tape, 1, s->steps++);
    return s->network.record(s->network.data, s->tape);
}

/* Seconds; below 0 after an error that has been printed. */
static double run(step *s)
{
    const ag_adamw adamw = {0.9, 0.999, 1e-8, 1e-5};
    ag_failure why = {0};
    const double start = harness_seconds();
    ag_backward(record(s));
    if (ag_failed(s->tape) || ag_clip_norm(s->network.params, 1, NULL, &why) ||
        ag_adamw_step(s->network.params, &adamw, 1e-3, &why)) {
        fprintf(stderr, "bench: %s: %s%s\n", s->name, ag_error(s->tape), why.sentence);
        return -1;
    }
    bench_device_wait();
    return harness_seconds() - start;
}

/* A sample of ours or of the peer's; 1: it broke off. Threads that wait for work spin for a while:
   before a change of sides they get the time to fall asleep. */
static int sample(step *s, int peer)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};
    double sum = 0;
    if (s->peer.pid) nanosleep(&pause, NULL);
    for (int i = 0; i < s->row.in_a_row; i++) {
        const double seconds = peer ? bench_peer_run(&s->peer) : run(s);
        if (seconds < 0) return 1;
        sum += seconds;
    }
    bench_sample(peer ? &s->theirs : &s->ours, sum / s->row.in_a_row);
    return 0;
}

static int rounds(step *s, const bench_options *options)
{
    int bad = 0;
    harness_peak_begin();
    const double before = 1024 * (double)harness_kib("/proc/self/status", "VmRSS");
    for (int i = 0; !bad && i < 2; i++) bad = run(s) < 0;
    /* the kernel counts pages in batches, or tells nothing */
    s->growth = fmax(0, 1048576 * harness_peak_mib() - before);
    if (options->profile) ag_profile(s->tape, 1);
    for (int i = 0; !bad && i < bench_rounds(options, s->peer.pid ? 7 : 15); i++)
        bad = sample(s, 0) || (s->peer.pid && sample(s, 1));
    return bad;
}

/* Its line, and its part of the row. */
static json_t *tell_peer(const step *s)
{
    const char *failed = json_string_value(json_object_get(s->peer.about, "failed"));
    printf("%-20s PyG ", "");
    if (failed) {
        printf("cannot run: %s\n", failed);
        return json_pack("{s:s}", "failed", failed);
    }
    const double median = bench_median(&s->theirs), ratio = median / bench_median(&s->ours);
    printf("%.2f ms median: %.2f x ours; ", median * 1e3, ratio);
    if (bench_device == AG_CPU)
        printf("memory grew by %.1f MB, ours by %.2f of that\n", s->peer.peak * 1e-6,
               s->growth / s->peer.peak);
    else
        printf("it allocates at most %.1f MB of the device\n", s->peer.peak * 1e-6);
    return json_pack("{s:f, s:f, s:f, s:f, s:O}", "min_ms", bench_least(&s->theirs) * 1e3,
                     "median_ms", median * 1e3, "ratio", ratio, "growth_mb", s->peer.peak * 1e-6,
                     "about", s->peer.about);
}

static void tell(step *s, json_t *rows)
{
    const double least = bench_least(&s->ours), median = bench_median(&s->ours),
                 start = harness_seconds();
    ag_tensor *loss = record(s);
    const double recording = harness_seconds() - start;
    const ag_plan_summary plan = ag_plan_of(loss, 1);
    printf("%-20s %9.2f ms median, %9.2f least; slab %.1f MB, %.1f of it saved for backward; "
           "resident memory grew by %.1f MB; %d ops, %d launches, recorded in %.2f ms\n",
           s->name, median * 1e3, least * 1e3, (double)plan.slab / 1e6, (double)plan.saved / 1e6,
           s->growth / 1e6, plan.nodes, plan.steps, recording * 1e3);
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "part", "steps", "name", s->name,
                  "rounds", s->ours.n, "min_ms", least * 1e3, "median_ms", median * 1e3, "slab_mb",
                  (double)plan.slab / 1e6, "saved_mb", (double)plan.saved / 1e6, "growth_mb",
                  s->growth / 1e6, "record_ms", recording * 1e3);
    if (s->peer.about) json_object_set_new(json, "peer", tell_peer(s));
    json_array_append_new(rows, json);
    fflush(stdout);
}

static int measure(const bench_options *options, row r, json_t *rows)
{
    if (options->quick) {
        r.count = (r.count + 15) / 16;
        r.nodes = r.nodes > 60 ? r.nodes / 20 : r.nodes;
        r.hidden /= 16;
    }
    step s = {.row = r};
    snprintf(s.name, sizeof s.name, "%s %dx%d", r.model, r.count, r.nodes);
    if (!bench_wanted(options, s.name, "")) return 0;
    int bad = open_step(&s, options);
    bad = bad || rounds(&s, options);
    bench_peer_close(&s.peer);
    if (!bad) tell(&s, rows);
    if (!bad && options->profile) ag_profile_print(s.tape, stdout);
    if (s.network.close) s.network.close(s.network.data);
    ag_tape_free(s.tape);
    json_decref(s.peer.about);
    return bad;
}

int bench_steps(const bench_options *options, json_t *rows)
{
    printf(
        "\nTraining steps (forward, backward, clipping, AdamW): configurations, kernels or trees "
        "x nodes\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((!table[i].device || bench_device != AG_CPU) && measure(options, table[i], rows))
            return 1;
    return 0;
}
