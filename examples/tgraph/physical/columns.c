/* SPDX-License-Identifier: MIT */
/* The columns that describe a loop nest. */
#include "examples/tgraph/physical/physical.h"

#include <math.h>
#include <string.h>

enum { COPY = 27 };

static float logged(double size) { return (float)log2(size); }
static float stride_of(double stride) { return (float)log2(1 + fabs(stride)); }

/* The innermost loops of the output, or of the reduction. */
static void put_loops(float *x, const tpugraphs_loop *loop, int count, int reduce)
{
    for (int i = 0; i < TGRAPH_INNER && i < count; i++) {
        const tpugraphs_loop *l = &loop[count - 1 - i];
        *x++ = logged(l->size);
        if (!reduce) *x++ = stride_of(l->out);
        for (int k = 0; k < TGRAPH_INPUTS; k++) *x++ = stride_of(l->in[k]);
    }
}

static void put_window(float *x, const tgraph_operation *o)
{
    double elements = 1;
    int step = 1;
    for (int i = 0; i < TGRAPH_AXES; i++) {
        elements *= o->window[i];
        if (o->step[i] > step) step = o->step[i];
    }
    x[0] = logged(elements);
    x[1] = logged(step);
    x[2] = (float)o->padded;
}

static void put_gap(float *x, const tgraph_operation *o)
{
    int gap = 1;
    for (int i = 0; i < TGRAPH_AXES; i++)
        if (o->gap[i] > gap) gap = o->gap[i];
    *x = logged(gap);
}

void tgraph_row_columns(float x[TGRAPH_ROW_COLUMNS], const tgraph_operation *o,
                        const tgraph_nest *nest, const double elements[1 + TGRAPH_INPUTS])
{
    const tpugraphs_loop *loop = nest->loop;
    const int loops = nest->loops;
    int free = 0;
    memset(x, 0, TGRAPH_ROW_COLUMNS * sizeof *x);
    while (free < loops && !loop[free].reduce) free++;
    x[TGRAPH_ROW_OPCODE] = (float)(o ? o->opcode : COPY);
    x[TGRAPH_ROW_WORK] = (float)log(nest->work);
    put_loops(x + TGRAPH_ROW_FREE, loop, free, 0);
    put_loops(x + TGRAPH_ROW_SUM, loop + free, loops - free, 1);
    x[TGRAPH_ROW_DEPTH] = (float)free;
    x[TGRAPH_ROW_DEPTH + 1] = (float)(loops - free);
    for (int k = 0; k < 1 + TGRAPH_INPUTS; k++)
        if (elements[k] > 0) x[TGRAPH_ROW_SIZES + k] = logged(elements[k]);
    if (o) put_window(x + TGRAPH_ROW_WINDOW, o);
    if (o) x[TGRAPH_ROW_GROUPS] = logged(o->groups);
    if (o) put_gap(x + TGRAPH_ROW_GAP, o);
    x[TGRAPH_ROW_FOLDS] = (float)nest->folds;
    for (int part = 0; part < 2; part++) { /* the row, the reduction next to it */
        if (part ? free == loops : !free) continue;
        const tpugraphs_loop *l = &loop[(part ? loops : free) - 1];
        x[TGRAPH_ROW_JUMPS + part] = (float)tpugraphs_loop_jumps(l);
        x[TGRAPH_ROW_CUT + part] = (float)(l->window != 0);
        x[TGRAPH_ROW_LEFT + 2 * part] = tpugraphs_left_over(l->size, 8);
        x[TGRAPH_ROW_LEFT + 2 * part + 1] = tpugraphs_left_over(l->size, 16);
        if (part) x[TGRAPH_ROW_LEFT + 4] = tpugraphs_left_over(l->size, 4);
    }
}
