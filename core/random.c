/* SPDX-License-Identifier: MIT */
#include "core/random.h"
#include "core/float_mode.h"
#include "core/philox.h"

#include <math.h>

void ag_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    if (!out || !counter || !key) return;
    ag__philox_four(out, counter[0] | (uint64_t)counter[1] << 32, 0, counter[2], counter[3],
                    key[0] | (uint64_t)key[1] << 32);
}

uint32_t ag_random_bits(ag_random *r)
{
    if (!r) return 0;
    const uint64_t at = r->position++;
    return ag__philox_word(at / 4, 0, (uint32_t)r->stream, (uint32_t)(r->stream >> 32), r->seed,
                           (int)(at % 4));
}

double ag_random_uniform(ag_random *r)
{
    return r ? (ag_random_bits(r) + 0.5) * 0x1p-32 : (double)NAN;
}

double ag_random_normal(ag_random *r)
{
    const double two_pi = 6.283185307179586;
    const uint64_t mode = ag__float_mode_enter();
    const double radius = sqrt(-2.0 * log(ag_random_uniform(r)));
    const volatile double normal = radius * cos(two_pi * ag_random_uniform(r));
    ag__float_mode_set(mode);
    return normal;
}

uint32_t ag_random_below(ag_random *r, uint32_t n)
{
    if (n == 0 || !r) return 0;
    uint32_t surplus = (0u - n) % n; /* 2^32 mod n: the words that would favour small results */
    uint32_t bits;
    do bits = ag_random_bits(r);
    while (bits < surplus);
    return bits % n;
}

void ag_random_shuffle(ag_random *r, int32_t *items, int64_t n)
{
    if (!r || !items) return;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = ag_random_below(r, (uint32_t)(i + 1));
        int32_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* ---- one of several ---- */

static int first_largest(const ag_real *x, int n)
{
    int best = 0;
    for (int i = 1; i < n && !isnan(x[best]); i++)
        if (!(x[i] <= x[best])) best = i;
    return best;
}

/* e^((x - most) / t), for x up to most; never NaN, though t may be anything above 0. */
static double share(double x, double most, double t)
{
    return x == most ? 1 : isinf(x) ? 0 : exp((x - most) / t);
}

static int sample(const ag_real *logits, int n, double temperature, ag_random *random)
{
    if (n < 1 || !(temperature >= 0)) return -1;
    int chosen = first_largest(logits, n);
    const double most = (double)logits[chosen];
    double total = 0;
    if (temperature == 0 || !isfinite(most)) return chosen;
    for (int i = 0; i < n; i++) total += share((double)logits[i], most, temperature);
    double left = total * ag_random_uniform(random);
    for (int i = 0; i < n && left >= 0; i++) {
        const double part = share((double)logits[i], most, temperature);
        if (part > 0) chosen = i;
        left -= part;
    }
    return chosen;
}

int ag_sample_softmax(const ag_real *logits, int n, double temperature, ag_random *random)
{
    if (!logits || !random) return -1;
    const uint64_t mode = ag__float_mode_enter();
    const volatile int chosen = sample(logits, n, temperature, random);
    ag__float_mode_set(mode);
    return chosen;
}
