/* SPDX-License-Identifier: MIT */
/* attend on a device: the kernels of channel attention and of cross attention, on arguments of
   their own, and what is new between them. */
#include "ops/attend.h"
#include "ops/attend_parts.h"
#include "ops/channel_cuda.h"
#include "ops/softmax_middle.h"

/* Scratch: v [rows,f]; backward then its gradient, that of GELU's input [rows,2f], the slopes of
   cross attention, and what channel attention wants. */
static int64_t room_for(const ag_args *a) { return whole_lines(ag_shape_count(a->xs[X_])); }
static ag_real *dv_of(const ag_args *a) { return a->scratch + room_for(a); }
static ag_real *dz_of(const ag_args *a) { return a->scratch + 2 * room_for(a); }
static ag_real *slopes_of(const ag_args *a) { return a->scratch + 4 * room_for(a); }

/* v = channel attention of x. */
static ag_args channel_args(const ag_args *a)
{
    ag_args own = *a;
    own.n_in = B2 + 1;
    own.y[0] = a->scratch;
    own.ys[0] = a->xs[X_];
    own.dy[0] = dv_of(a);
    own.scratch = slopes_of(a) + slopes_size(sizes_of(a));
    return own;
}

/* [v, v softmax(v / t)], cross attention of v with v on its left. */
static ag_args cross_args(const ag_args *a)
{
    ag_args own = *a;
    own.n_in = 2;
    own.attr.i[0] = 1;
    own.x[0] = a->scratch;
    own.x[1] = X(T), own.xs[1] = a->xs[T];
    own.y[1] = Y(2), own.ys[1] = a->ys[2];
    own.dy[0] = dz_of(a);
    own.scratch = slopes_of(a);
    return own;
}

static int64_t scratch(const ag_args *a, int backward)
{
    const ag_args own = channel_args(a);
    return backward ? 4 * room_for(a) + slopes_size(sizes_of(a)) +
                          ag__channel_attention_cuda.scratch(&own, 1)
                    : room_for(a);
}

DEVICE(attend_channels)
{
    const ag_args own = channel_args(a);
    for (int k = 0; k < AG_MAX_KERNELS && ag__channel_attention_cuda.forward[k]; k++)
        ag__channel_attention_cuda.forward[k]->cuda(&own);
}

DEVICE(attend_cross)
{
    const ag_args own = cross_args(a);
    cross_attention_forward_kernel.cuda(&own);
}

/* v again: the last two kernels of channel attention make it from the hidden rows. */
DEVICE(attend_channels_again)
{
    const ag_args own = channel_args(a);
    ag__channel_attention_cuda.forward[2]->cuda(&own);
    ag__channel_attention_cuda.forward[3]->cuda(&own);
}

DEVICE(attend_all_back_x)
{
    ag_args cross = cross_args(a);
    const ag_args channel = channel_args(a);
    attend_start_back_kernel.cuda(a);
    cross.dx = dv_of(a);
    cross.add = 0;
    cross_attention_backward_x_kernel.cuda(&cross);
    ag__channel_attention_cuda.prepare[0]->cuda(&channel);
    ag__channel_attention_cuda.backward[0]->cuda(&channel);
}

/* Of a weight or a bias. */
DEVICE(attend_all_back_w)
{
    const ag_args own = channel_args(a);
    ag__channel_attention_cuda.backward[a->which]->cuda(&own);
}

DEVICE(attend_all_back_t)
{
    const ag_args own = cross_args(a);
    cross_attention_backward_t_kernel.cuda(&own);
}

const ag_kernels ag__attend_cuda = {
    .forward = {&attend_channels_kernel, &attend_cross_kernel, &attend_finish_kernel},
    .prepare = {&attend_channels_again_kernel},
    .backward = {&attend_all_back_x_kernel, &attend_all_back_w_kernel, &attend_all_back_w_kernel,
                 &attend_all_back_w_kernel, &attend_all_back_w_kernel, &attend_all_back_t_kernel,
                 &attend_all_back_x_kernel},
    .scratch = scratch,
};
