/* SPDX-License-Identifier: MIT */
/* The fixed work of measurements. */
#include "examples/lab/measure/measure.h"

/* Eight independent chains fill the units of the core, so that a neighbour on the same core (a
   second hardware thread) slows it as much as one that takes the core away. */
void lab_probe(void)
{
    enum { LANES = 8, STEPS = 2000, WORDS = 1024 };
    static uint32_t word[WORDS];
    static volatile uint32_t sink;
    uint32_t x[LANES], sum = 0;
    for (int k = 0; k < LANES; k++) x[k] = 2463534242u + (uint32_t)k;
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < LANES; k++) {
            x[k] ^= x[k] << 13;
            x[k] ^= x[k] >> 17;
            x[k] ^= x[k] << 5;
            word[(i * LANES + k) % WORDS] += x[k];
        }
    for (int k = 0; k < LANES; k++) sum += x[k] ^ word[x[k] % WORDS];
    sink = sum;
    (void)sink;
}
