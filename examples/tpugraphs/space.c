/* SPDX-License-Identifier: MIT */
/* Finds the iteration space of an op that reduces. */
#include "examples/tpugraphs/space.h"

static tpugraphs_index *add(tpugraphs_space *s, int sum, int axis, int left, int right)
{
    s->index[s->n] = (tpugraphs_index){.sum = sum, .axis = axis, .in = {left, right}, .step = 1};
    return &s->index[s->n++];
}

/* The indices of window i: along axis `out` of the result and axis `sum` of the reduction. */
static void add_window(tpugraphs_space *s, const tpugraphs_window *window, int i, int out, int left,
                       int right)
{
    tpugraphs_index *free = add(s, 0, out, left, -1), *taps = add(s, 1, i, left, right);
    free->window = taps->window = 1 + i;
    free->step = window[i].stride;
    taps->step = window[i].dilation;
    taps->size = window[i].size;
}

tpugraphs_space tpugraphs_dot_space(tpugraphs_dot_axes d, const int *size, int rank, int right_rank)
{
    tpugraphs_space s = {0};
    int axis = 0;
    for (; axis < d.batch; axis++) add(&s, 0, axis, axis, axis);
    for (int a = d.batch; a < rank; a++)
        if (a != d.left) add(&s, 0, axis++, a, -1);
    for (int a = d.batch; a < right_rank; a++)
        if (a != d.right) add(&s, 0, axis++, -1, a);
    add(&s, 1, 0, d.left, d.right)->size = size[d.left];
    return s;
}

tpugraphs_space tpugraphs_reduce_space(const int *dims, int n_dims, const int *size, int rank)
{
    tpugraphs_space s = {0};
    for (int a = 0, kept = 0; a < rank; a++) {
        int sum = n_dims - 1;
        while (sum >= 0 && dims[sum] != a) sum--;
        if (sum < 0)
            add(&s, 0, kept++, a, -1);
        else
            add(&s, 1, sum, a, -1)->size = size[a];
    }
    return s;
}

tpugraphs_space tpugraphs_window_space(const tpugraphs_window *window, int rank)
{
    tpugraphs_space s = {0};
    for (int a = 0; a < rank; a++) add_window(&s, window, a, a, a, -1);
    return s;
}

tpugraphs_space tpugraphs_conv_space(const tpugraphs_conv_axes *c, const tpugraphs_window *window,
                                     const int *kernel)
{
    tpugraphs_space s = {0};
    add(&s, 0, c->out_batch, c->in_batch, -1);
    add(&s, 0, c->out_feature, c->in_feature, c->kernel_out)->split = 1;
    add(&s, 1, c->spatial, c->in_feature, c->kernel_in)->size = kernel[c->kernel_in];
    for (int i = 0; i < c->spatial; i++)
        add_window(&s, window, i, c->out_spatial[i], c->in_spatial[i], c->kernel_spatial[i]);
    return s;
}
