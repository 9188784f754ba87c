/* SPDX-License-Identifier: MIT */
#include "beside.h"
#include "memory.h"

void bench_beside_warm(bench_beside *b, bench_work run, void *context, int times)
{
    bench_forget_peak();
    const double before = bench_resident();
    for (int i = 0; i < times; i++) run(context);
    b->growth = bench_peak() - before;
}

static double ours(const bench_beside *b, bench_work run, void *context)
{
    double sum = run(context);
    for (int i = 1; i < b->in_a_row; i++) sum += run(context);
    return b->in_a_row ? sum / b->in_a_row : sum;
}

/* Below 0: the peer is gone. */
static double theirs(bench_beside *b, int k)
{
    double sum = bench_peer_run(&b->peer[k]);
    for (int i = 1; i < b->in_a_row && sum >= 0; i++) {
        const double seconds = bench_peer_run(&b->peer[k]);
        sum = seconds < 0 ? seconds : sum + seconds;
    }
    return b->in_a_row ? sum / b->in_a_row : sum;
}

int bench_beside_run(bench_beside *b, bench_work run, void *context, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (b->peer[0].pid) bench_pause();
        const double probe = bench_probe();
        bench_evict();
        bench_sample(&b->ours, ours(b, run, context), probe);
        for (int k = 0; k < BENCH_PEERS; k++) {
            if (!b->peer[k].pid) continue;
            bench_pause();
            const double seconds = theirs(b, k);
            if (seconds < 0) return 1;
            bench_sample(&b->theirs[k], seconds, probe);
        }
    }
    return 0;
}

void bench_beside_close(bench_beside *b)
{
    for (int k = 0; k < BENCH_PEERS; k++) bench_peer_close(&b->peer[k]);
}

void bench_beside_print(const bench_beside *b, int width)
{
    for (int k = 0; k < BENCH_PEERS; k++)
        if (b->theirs[k].n)
            printf("%-*s %-5s %8.1f ms median, %8.1f min: %.2f x ours (%.2f by min); %.1f MB, ours "
                   "is %.2f of that\n",
                   width, "", b->name[k], bench_median(&b->theirs[k]) * 1e3,
                   bench_least(&b->theirs[k]) * 1e3,
                   bench_median(&b->theirs[k]) / bench_median(&b->ours),
                   bench_least(&b->theirs[k]) / bench_least(&b->ours), b->peer[k].peak * 1e-6,
                   b->growth / b->peer[k].peak);
}

static void add_times(json_t *json, const bench_samples *s)
{
    json_object_set_new(json, "min_ms", json_real(bench_least(s) * 1e3));
    json_object_set_new(json, "median_ms", json_real(bench_median(s) * 1e3));
}

void bench_beside_json(json_t *json, const bench_beside *b)
{
    json_object_set_new(json, "rounds", json_integer(bench_kept(&b->ours)));
    add_times(json, &b->ours);
    json_object_set_new(json, "growth_mb", json_real(b->growth * 1e-6));
    for (int k = 0; k < BENCH_PEERS; k++) {
        if (!b->theirs[k].n) continue;
        json_t *peer =
            json_pack("{s:f, s:s}", "peak_mb", b->peer[k].peak * 1e-6, "about", b->peer[k].about);
        add_times(peer, &b->theirs[k]);
        json_object_set_new(json, b->name[k], peer);
    }
}

void bench_beside_tell(const bench_beside *b, const bench_counted *what, int width, int digits,
                       json_t *rows)
{
    const double median = bench_median(&b->ours), least = bench_least(&b->ours),
                 lowest = what->flops / bench_best.fma, slab = (double)what->plan.slab / 1e6,
                 saved = (double)what->plan.saved / 1e6;
    printf("%-*s %8.*f ms median, %8.*f min; floor %.*f; %.2f x floor (%.2f by min); %.1f "
           "GFLOP/s; %d rounds\n",
           width, what->name, digits, median * 1e3, digits, least * 1e3, digits, lowest * 1e3,
           median / lowest, least / lowest, what->flops / median * 1e-9, bench_kept(&b->ours));
    printf("%-*s slab %.1f MB (%.1f saved for backward); resident memory grew by %.1f MB\n", width,
           "", slab, saved, b->growth / 1e6);
    bench_beside_print(b, width);
    fflush(stdout);
    json_t *json = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "part", what->part, "name",
                             what->name, "floor_ms", lowest * 1e3, "flops", what->flops, "slab_mb",
                             slab, "saved_mb", saved);
    bench_beside_json(json, b);
    json_array_append_new(rows, json);
}
