/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include "examples/harness/base/base.h"

#include <string.h>

void bench_sample(bench_samples *s, double seconds)
{
    if (s->n < BENCH_MOST_ROUNDS) s->seconds[s->n++] = seconds;
}

double bench_least(const bench_samples *s)
{
    double least = s->n ? s->seconds[0] : 0;
    for (int i = 1; i < s->n; i++) least = s->seconds[i] < least ? s->seconds[i] : least;
    return least;
}

double bench_median(const bench_samples *s) { return harness_average(s->seconds, s->n).median; }

int bench_wanted(const bench_options *options, const char *name, const char *shape)
{
    return !options->only || strstr(name, options->only) || strstr(shape, options->only);
}

int bench_rounds(const bench_options *options, int otherwise)
{
    return options->quick ? 1 : options->rounds ? options->rounds : otherwise;
}
