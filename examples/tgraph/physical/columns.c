/* SPDX-License-Identifier: MIT */
/* The columns that describe a loop nest. */
#include "examples/tgraph/physical/physical.h"

#include <math.h>
#include <string.h>

enum { COPY = 27 };

static float logged(double size) { return (float)log2(size); }
static float stride_of(double stride) { return (float)log2(1 + fabs(stride)); }

static int jumps(const tgraph_loop *l)
{
    int n = l->out != 0 && l->out != 1;
    for (int k = 0; k < TGRAPH_INPUTS; k++) n += l->in[k] != 0 && l->in[k] != 1;
    return n;
}

/* The innermost loops of the output, or of the reduction. */
static void put_loops(float *x, const tgraph_loop *loop, int count, int reduce)
{
    for (int i = 0; i < TGRAPH_INNER && i < count; i++) {
        const tgraph_loop *l = &loop[count - 1 - i];
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

void tgraph_row_columns(float x[TGRAPH_ROW_COLUMNS], const tgraph_operation *o,
                        const tgraph_loop *loop, int loops, double work,
                        const double elements[1 + TGRAPH_INPUTS])
{
    int free = 0;
    memset(x, 0, TGRAPH_ROW_COLUMNS * sizeof *x);
    while (free < loops && !loop[free].reduce) free++;
    x[TGRAPH_ROW_OPCODE] = (float)(o ? o->opcode : COPY);
    x[TGRAPH_ROW_WORK] = (float)log(work);
    put_loops(x + TGRAPH_ROW_FREE, loop, free, 0);
    put_loops(x + TGRAPH_ROW_SUM, loop + free, loops - free, 1);
    if (free) x[TGRAPH_ROW_JUMPS] = (float)jumps(&loop[free - 1]);
    if (loops > free) x[TGRAPH_ROW_JUMPS + 1] = (float)jumps(&loop[loops - 1]);
    x[TGRAPH_ROW_DEPTH] = (float)free;
    x[TGRAPH_ROW_DEPTH + 1] = (float)(loops - free);
    for (int k = 0; k < 1 + TGRAPH_INPUTS; k++)
        if (elements[k] > 0) x[TGRAPH_ROW_SIZES + k] = logged(elements[k]);
    if (o) put_window(x + TGRAPH_ROW_WINDOW, o);
    if (o) x[TGRAPH_ROW_GROUPS] = logged(o->groups);
}
