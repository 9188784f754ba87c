/* SPDX-License-Identifier: MIT */
#include "beside.h"

#include "memory.h"

#include <string.h>

static int form_wanted(const bench_options *options, const char *form)
{
    const size_t n = strlen(form);
    for (const char *at = options->forms; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, form, n) == 0 && (at[n] == ',' || !at[n])) return 1;
    }
    return !options->forms;
}

int bench_beside_open(bench_beside *b, const bench_options *options, const bench_peer_call *call,
                      const char *forms)
{
    bench_peer_call one = *call;
    const char *rest = forms;
    while (options->peer && *rest && b->peers < BENCH_PEERS) {
        const size_t n = strcspn(rest, ",");
        snprintf(b->form[b->peers], sizeof *b->form, "%.*s", (int)n, rest);
        rest += n + (rest[n] == ',');
        if (!form_wanted(options, b->form[b->peers])) continue;
        one.form = b->form[b->peers];
        if (bench_peer_open(&b->peer[b->peers++], options->peer, &one)) return 1;
    }
    return 0;
}

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

/* The worse of the probes before and after: someone may have come in between. */
static void sample(bench_samples *s, double seconds, double *probe)
{
    const double before = *probe;
    *probe = bench_probe();
    bench_sample(s, seconds, before < *probe ? before : *probe);
}

int bench_beside_run(bench_beside *b, bench_work run, void *context, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (b->peers) bench_pause();
        double probe = bench_probe();
        bench_evict();
        sample(&b->ours, ours(b, run, context), &probe);
        for (int k = 0; k < b->peers; k++) {
            if (!b->peer[k].pid) continue;
            bench_pause();
            const double seconds = theirs(b, k);
            if (seconds < 0) return 1;
            sample(&b->theirs[k], seconds, &probe);
        }
    }
    return 0;
}

void bench_beside_close(bench_beside *b)
{
    for (int k = 0; k < b->peers; k++) bench_peer_close(&b->peer[k]);
}

void bench_beside_free(bench_beside *b)
{
    for (int k = 0; k < b->peers; k++) json_decref(b->peer[k].about);
}

static const char *failure_of(const bench_beside *b, int k)
{
    return json_string_value(json_object_get(b->peer[k].about, "failed"));
}

static void print_peer(const bench_beside *b, int k, const bench_counted *what, int width)
{
    const double median = bench_median(&b->theirs[k]), least = bench_least(&b->theirs[k]);
    printf("%-*s %-14s ", width, "", b->form[k]);
    if (failure_of(b, k)) {
        printf("cannot run: %s\n", failure_of(b, k));
        return;
    }
    printf("%8.1f ms median, %8.1f min: %.2f x ours (%.2f by min); %.1f MB, ours is %.2f of that",
           median * 1e3, least * 1e3, median / bench_median(&b->ours),
           least / bench_least(&b->ours), b->peer[k].peak * 1e-6, b->growth / b->peer[k].peak);
    if (what->items) printf("; %.1f configurations/s", what->items / median);
    printf("\n");
}

static void add_times(json_t *json, const bench_samples *s, int items)
{
    json_object_set_new(json, "min_ms", json_real(bench_least(s) * 1e3));
    json_object_set_new(json, "median_ms", json_real(bench_median(s) * 1e3));
    if (items) json_object_set_new(json, "per_second", json_real(items / bench_median(s)));
}

static json_t *peer_json(const bench_beside *b, int k, int items)
{
    json_t *peer = json_object();
    if (failure_of(b, k)) {
        json_object_set_new(peer, "failed", json_string(failure_of(b, k)));
        return peer;
    }
    const bench_samples *s = &b->theirs[k];
    json_object_set_new(peer, "rounds", json_integer(bench_kept(s)));
    add_times(peer, s, items);
    json_object_set_new(peer, "ratio", json_real(bench_median(s) / bench_median(&b->ours)));
    json_object_set_new(peer, "ratio_least", json_real(bench_least(s) / bench_least(&b->ours)));
    json_object_set_new(peer, "peak_mb", json_real(b->peer[k].peak * 1e-6));
    if (b->peer[k].peak > 0)
        json_object_set_new(peer, "memory_ratio", json_real(b->growth / b->peer[k].peak));
    json_object_set(peer, "about", b->peer[k].about);
    return peer;
}

static json_t *row_json(const bench_beside *b, const bench_counted *what, double lowest)
{
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "part", what->part, "name",
                  what->name, "rounds", bench_kept(&b->ours), "flops", what->flops, "floor_ms",
                  lowest * 1e3, "x_floor", bench_median(&b->ours) / lowest, "x_floor_least",
                  bench_least(&b->ours) / lowest, "slab_mb", (double)what->plan.slab / 1e6,
                  "saved_mb", (double)what->plan.saved / 1e6, "growth_mb", b->growth * 1e-6);
    json_t *peers = json_object();
    add_times(json, &b->ours, what->items);
    for (int k = 0; k < b->peers; k++)
        json_object_set_new(peers, b->form[k], peer_json(b, k, what->items));
    json_object_set_new(json, "peers", peers);
    return json;
}

json_t *bench_beside_tell(const bench_beside *b, const bench_counted *what, int width, int digits,
                          json_t *rows)
{
    const double median = bench_median(&b->ours), least = bench_least(&b->ours),
                 lowest = what->floor > 0 ? what->floor : what->flops / bench_best.fma;
    printf("%-*s %8.*f ms median, %8.*f min; floor %.*f; %.2f x floor (%.2f by min); %.1f "
           "GFLOP/s; %d rounds",
           width, what->name, digits, median * 1e3, digits, least * 1e3, digits, lowest * 1e3,
           median / lowest, least / lowest, what->flops / median * 1e-9, bench_kept(&b->ours));
    if (what->items) printf("; %.1f configurations/s", what->items / median);
    printf("\n%-*s slab %.1f MB (%.1f saved for backward); resident memory grew by %.1f MB\n",
           width, "", (double)what->plan.slab / 1e6, (double)what->plan.saved / 1e6,
           b->growth / 1e6);
    for (int k = 0; k < b->peers; k++) print_peer(b, k, what, width);
    fflush(stdout);
    json_t *json = row_json(b, what, lowest);
    json_array_append_new(rows, json);
    return json;
}
