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

int bench_beside_run(bench_beside *b, bench_work run, void *context, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (b->peer[0].pid) bench_pause();
        const double probe = bench_probe();
        bench_evict();
        bench_sample(&b->ours, run(context), probe);
        for (int k = 0; k < BENCH_PEERS; k++) {
            if (!b->peer[k].pid) continue;
            bench_pause();
            const double seconds = bench_peer_run(&b->peer[k]);
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
