/* SPDX-License-Identifier: MIT */
/* Base-7 packing: six values -1..5 in one word, so a configuration of a node takes 12 bytes
   instead of 72. */
#include "examples/tgraph/data/data.h"

enum { PER_WORD = TGRAPH_DIGITS / TGRAPH_WORDS };

int tgraph_pack(uint32_t word[TGRAPH_WORDS], const float value[TGRAPH_DIGITS])
{
    for (int w = 0; w < TGRAPH_WORDS; w++) {
        uint32_t sum = 0, power = 1;
        for (int k = 0; k < PER_WORD; k++, power *= 7) {
            float v = value[w * PER_WORD + k];
            if (!(v >= -1 && v <= 5)) return w * PER_WORD + k; /* also refuses NaN */
            int digit = (int)(v + 1);
            if ((float)(digit - 1) != v) return w * PER_WORD + k;
            sum += (uint32_t)digit * power;
        }
        word[w] = sum;
    }
    return -1;
}

void tgraph_unpack(int32_t row[TGRAPH_DIGITS], const uint32_t word[TGRAPH_WORDS])
{
    for (int w = 0; w < TGRAPH_WORDS; w++) {
        uint32_t rest = word[w];
        for (int k = 0; k < PER_WORD; k++, rest /= 7)
            row[w * PER_WORD + k] = (int32_t)(rest % 7) + 1;
    }
}
