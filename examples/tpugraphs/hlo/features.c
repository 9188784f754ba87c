/* SPDX-License-Identifier: MIT */
/* The 140 features of an instruction, in the order of featurizers.h (tpu_graphs). */
#include "examples/tpugraphs/hlo/parts.h"

enum { SUM = 1, FLAGS = 2 }; /* which two numbers follow the slots of a list */

/* The first feature of each list, and how many of its numbers are one. */
static const struct place {
    short column;
    signed char slots, then;
} places[HLO_LISTS] = {
    [HLO_SIZES] = {TPUGRAPHS_SIZES, 6, SUM},
    [HLO_DIMENSIONS] = {TPUGRAPHS_DIMS, 6, 0},
    [HLO_WINDOW_SIZE] = {TPUGRAPHS_WINDOW_SIZE, 6, SUM},
    [HLO_WINDOW_STRIDE] = {TPUGRAPHS_WINDOW_STRIDE, 6, SUM},
    [HLO_WINDOW_LOW] = {TPUGRAPHS_WINDOW_LOW, 6, SUM},
    [HLO_WINDOW_HIGH] = {TPUGRAPHS_WINDOW_HIGH, 6, SUM},
    [HLO_WINDOW_DILATION] = {TPUGRAPHS_WINDOW_DILATION, 6, SUM},
    [HLO_BASE_DILATION] = {TPUGRAPHS_BASE_DILATION, 6, SUM},
    [HLO_REVERSED] = {TPUGRAPHS_REVERSED, 6, FLAGS},
    [HLO_IN_SPATIAL] = {TPUGRAPHS_IN_BATCH + 2, 4, 0},
    [HLO_KERNEL_SPATIAL] = {TPUGRAPHS_KERNEL_IN + 2, 4, 0},
    [HLO_SLICE_START] = {TPUGRAPHS_SLICE_START, 2, SUM},
    [HLO_SLICE_STRIDE] = {TPUGRAPHS_SLICE_STRIDE, 2, SUM},
    [HLO_SLICE_LIMIT] = {TPUGRAPHS_SLICE_LIMIT, 2, SUM},
    [HLO_DYNAMIC_SIZES] = {TPUGRAPHS_DYNAMIC_SIZES, 2, SUM},
    [HLO_PAD_LOW] = {TPUGRAPHS_PAD_LOW, 2, SUM},
    [HLO_PAD_HIGH] = {TPUGRAPHS_PAD_HIGH, 2, SUM},
    [HLO_LAYOUT] = {TPUGRAPHS_LAYOUT, 6, 0},
    [HLO_LEFT_AXES] = {TPUGRAPHS_FEATURES, 6, 0}, /* as hlo_axes has them */
    [HLO_RIGHT_AXES] = {TPUGRAPHS_FEATURES + 6, 6, 0},
    [HLO_LEFT_BATCH] = {TPUGRAPHS_FEATURES + 12, 6, 0},
    [HLO_RIGHT_BATCH] = {TPUGRAPHS_FEATURES + 18, 6, 0},
};

void hlo_append(hlo_instruction *x, int list, int64_t value)
{
    const struct place *p = &places[list];
    const int64_t n = x->list[list].n++;
    if (n < p->slots) x->row[p->column + n] = (float)value;
    x->list[list].sum += (uint64_t)value;
    x->list[list].product = (n ? x->list[list].product : 1) * (uint64_t)value;
}

void hlo_features(hlo_instruction *x)
{
    for (int i = 0; i < HLO_LISTS; i++) {
        float *then = x->row + places[i].column + places[i].slots;
        const int64_t n = x->list[i].n, sum = (int64_t)x->list[i].sum;
        if (!places[i].then) continue;
        then[0] = (float)sum;
        then[1] = places[i].then == FLAGS ? (float)(n - sum)
                  : n                     ? (float)(int64_t)x->list[i].product
                                          : 1; /* also of nodes that have no such list */
    }
}
