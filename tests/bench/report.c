/* SPDX-License-Identifier: MIT */
/* Samples and the rows that are made of them. */
#include "bench.h"

#include "examples/harness/rank/scores.h"

#include "device.h"
#include "probe.h"

#include <string.h>

bench_machine bench_best;

double bench_probe(void)
{
    const double rate = bench_device == AG_CPU ? bench_fma_rate() : bench_device_product_rate();
    if (rate > bench_best.fma) bench_best.fma = rate;
    return rate;
}

void bench_evict(void)
{
    const double rate = bench_device == AG_CPU ? bench_memory_rate() : bench_device_copy_rate();
    if (rate > bench_best.copy) bench_best.copy = rate;
}

void bench_sample(bench_samples *s, double seconds, double probe)
{
    if (s->n == BENCH_MOST_ROUNDS) return;
    s->seconds[s->n] = seconds;
    s->probe[s->n++] = probe;
}

/* The times of the undisturbed rounds in ascending order; all of them when those are too few. */
static int sorted(double times[BENCH_MOST_ROUNDS], const bench_samples *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (s->probe[i] >= 0.8 * bench_best.fma) times[n++] = s->seconds[i];
    if (2 * n < s->n) {
        n = s->n;
        memcpy(times, s->seconds, (size_t)n * sizeof *times);
    }
    harness_sort(times, n);
    return n;
}

int bench_kept(const bench_samples *s)
{
    double times[BENCH_MOST_ROUNDS];
    return sorted(times, s);
}

double bench_least(const bench_samples *s)
{
    double times[BENCH_MOST_ROUNDS];
    return sorted(times, s) ? times[0] : 0;
}

double bench_median(const bench_samples *s)
{
    double times[BENCH_MOST_ROUNDS];
    const int n = sorted(times, s);
    return n ? (times[(n - 1) / 2] + times[n / 2]) / 2 : 0;
}

/* The operations of a run as a percentage of those that the probe of its round would have done in
   the same time. */
double bench_percent(const bench_samples *s, double flops)
{
    bench_samples share = {.n = s->n};
    for (int i = 0; i < s->n; i++) {
        share.seconds[i] = 100 * flops / (s->seconds[i] * s->probe[i]);
        share.probe[i] = s->probe[i];
    }
    return bench_median(&share);
}

double bench_percent_least(const bench_samples *s, double flops)
{
    double best = 0;
    for (int i = 0; i < s->n; i++) best = s->probe[i] > best ? s->probe[i] : best;
    return 100 * flops / (bench_least(s) * best);
}

int bench_wanted(const bench_options *options, const char *name, const char *shape)
{
    return !options->only || strstr(name, options->only) || strstr(shape, options->only);
}

int bench_rounds(const bench_options *options, int otherwise)
{
    return options->quick ? 1 : options->rounds ? options->rounds : otherwise;
}

static double floor_of(const bench_row *row)
{
    const double compute = row->flops / bench_best.fma, memory = row->bytes / bench_best.copy;
    return compute > memory ? compute : memory;
}

void bench_head(const char *title, const char *peer_name)
{
    printf("\n%s\n%-28s %-18s %9s %9s %8s %7s %9s %7s %9s %9s\n", title, "name", "shape", "min ms",
           "median ms", "GFLOP/s", "GB/s", "floor ms", "x floor", peer_name, "by min");
}

void bench_print(const bench_row *row)
{
    const double least = bench_least(row->ours), median = bench_median(row->ours);
    const double lowest = floor_of(row);
    printf("%-28s %-18s %9.3f %9.3f %8.1f %7.1f %9.3f %7.2f", row->name, row->shape, least * 1e3,
           median * 1e3, row->flops / median * 1e-9, row->bytes / median * 1e-9, lowest * 1e3,
           median / lowest);
    if (row->peer)
        printf(" %9.2f %9.2f", bench_median(row->peer) / median, bench_least(row->peer) / least);
    printf("\n");
    fflush(stdout);
}

json_t *bench_json(const bench_row *row, const char *part, const char *peer_name)
{
    const double least = bench_least(row->ours), median = bench_median(row->ours);
    json_t *json = json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f}", "part", part, "name",
                             row->name, "shape", row->shape, "rounds", bench_kept(row->ours),
                             "min_ms", least * 1e3, "median_ms", median * 1e3, "flops", row->flops,
                             "bytes", row->bytes, "floor_ms", floor_of(row) * 1e3);
    if (row->peer)
        json_object_set_new(json, peer_name,
                            json_pack("{s:f, s:f}", "min_ms", bench_least(row->peer) * 1e3,
                                      "median_ms", bench_median(row->peer) * 1e3));
    return json;
}
