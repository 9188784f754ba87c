/* SPDX-License-Identifier: MIT */
/* The columns that describe a loop nest. */
#include "examples/tgraph/rows/layout.h"

#include <math.h>
#include <string.h>

static float logged(double size) { return (float)log2(size); }
static float stride_of(double stride) { return (float)log2(1 + fabs(stride)); }

/* The innermost loops of the output, or of the reduction. */
static void put_loops(float *x, const tpugraphs_loop *loop, int count, int reduce)
{
    for (int i = 0; i < NESTS_INNER && i < count; i++) {
        const tpugraphs_loop *l = &loop[count - 1 - i];
        *x++ = logged(l->size);
        if (!reduce) *x++ = stride_of(l->out);
        for (int k = 0; k < NESTS_INPUTS; k++) *x++ = stride_of(l->in[k]);
    }
}

static void put_window(float *x, const tpugraphs_operation *o)
{
    double elements = 1;
    int stride = 1, gap = 1, padded = 0;
    for (int i = 0; i < TPUGRAPHS_AXES; i++) {
        const tpugraphs_window *w = &o->window[i];
        elements *= w->size;
        if (w->stride > stride) stride = w->stride;
        if (w->base_dilation > gap) gap = w->base_dilation;
        padded += w->low > 0 || w->high > 0;
    }
    x[NESTS_LAYOUT_WINDOW] = logged(elements);
    x[NESTS_LAYOUT_WINDOW + 1] = logged(stride);
    x[NESTS_LAYOUT_WINDOW + 2] = (float)padded;
    x[NESTS_LAYOUT_GROUPS] = logged(o->conv.groups);
    x[NESTS_LAYOUT_GAP] = logged(gap);
}

void nests_layout_columns(float x[NESTS_LAYOUT_COLUMNS], const tpugraphs_operation *o,
                          const nests_nest *nest, const double elements[1 + NESTS_INPUTS])
{
    const tpugraphs_loop *loop = nest->loop;
    const int loops = nest->loops;
    int free = 0;
    memset(x, 0, NESTS_LAYOUT_COLUMNS * sizeof *x);
    while (free < loops && !loop[free].reduce) free++;
    x[NESTS_LAYOUT_WORK] = (float)log(nest->work);
    put_loops(x + NESTS_LAYOUT_FREE, loop, free, 0);
    put_loops(x + NESTS_LAYOUT_SUM, loop + free, loops - free, 1);
    x[NESTS_LAYOUT_DEPTH] = (float)free;
    x[NESTS_LAYOUT_DEPTH + 1] = (float)(loops - free);
    for (int k = 0; k < 1 + NESTS_INPUTS; k++)
        if (elements[k] > 0) x[NESTS_LAYOUT_SIZES + k] = logged(elements[k]);
    if (o) put_window(x, o);
    x[NESTS_LAYOUT_FOLDS] = (float)nest->folds;
    for (int part = 0; part < 2; part++) { /* the row, the reduction next to it */
        if (part ? free == loops : !free) continue;
        const tpugraphs_loop *l = &loop[(part ? loops : free) - 1];
        x[NESTS_LAYOUT_JUMPS + part] = (float)tpugraphs_loop_jumps(l);
        x[NESTS_LAYOUT_CUT + part] = (float)(l->window != 0);
        x[NESTS_LAYOUT_LEFT + 2 * part] = tpugraphs_left_over(l->size, 8);
        x[NESTS_LAYOUT_LEFT + 2 * part + 1] = tpugraphs_left_over(l->size, 16);
        if (part) x[NESTS_LAYOUT_LEFT + 4] = tpugraphs_left_over(l->size, 4);
    }
}
