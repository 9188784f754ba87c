/* SPDX-License-Identifier: MIT */
/* Layers on images [batch, spatial..., features] or, with channels first, [batch, features,
   spatial...]. */
#include "examples/lab/nets/net.h"

int lab_net_feature_axis(const lab_net *net, int x)
{
    return net->channels_first ? 1 : lab_net_shape(net, x).rank - 1;
}

int lab_net_image(lab_net *net, int batch, int height, int width, int features)
{
    if (net->channels_first) return lab_net_input(net, 4, (int[]){batch, features, height, width});
    return lab_net_input(net, 4, (int[]){batch, height, width, features});
}

static lab_window window_of(int in, int size, lab_conv c)
{
    lab_window w = {size, c.stride, 0, 0, c.dilation, c.up, 0};
    if (c.valid) return w;
    int reach = (size - 1) * c.dilation + 1;
    int out = (in * c.up + c.stride - 1) / c.stride;
    int total = (out - 1) * c.stride + reach - ((in - 1) * c.up + 1);
    if (total < 0) total = 0;
    w.low = c.up > 1 ? (c.up > reach - 1 ? reach - 1 : (total + 1) / 2) : total / 2;
    w.high = total - w.low;
    return w;
}

static void fill_axes(lab_conv_dims *d, int spatial, int first)
{
    d->spatial = spatial;
    d->in_batch = d->out_batch = 0;
    d->in_feature = d->out_feature = first ? 1 : spatial + 1;
    d->kernel_in = first ? 1 : spatial;
    d->kernel_out = first ? 0 : spatial + 1;
    for (int i = 0; i < spatial; i++) {
        d->in_spatial[i] = d->out_spatial[i] = i + 1 + first;
        d->kernel_spatial[i] = first ? i + 2 : i;
    }
}

static int at_least(int value, int least) { return value > least ? value : least; }

int lab_net_conv(lab_net *net, int x, lab_conv c)
{
    lab_shape s = lab_net_shape(net, x);
    if (s.rank < 3 || s.rank > 5) return x;
    lab_conv_dims d = {0};
    fill_axes(&d, s.rank - 2, net->channels_first);
    int features = s.size[d.in_feature], kernel[LAB_RANK] = {0};
    c.stride = at_least(c.stride, 1);
    c.dilation = at_least(c.dilation, 1);
    c.up = at_least(c.up, 1);
    d.groups = at_least(c.groups, 1);
    kernel[d.kernel_in] = features / d.groups;
    kernel[d.kernel_out] = c.features > 0 ? c.features : features;
    lab_window window[LAB_RANK] = {{0}};
    for (int i = 0; i < d.spatial; i++) {
        int size = at_least(i == d.spatial - 1 && c.width ? c.width : c.size, 1);
        kernel[d.kernel_spatial[i]] = size;
        window[i] = window_of(s.size[d.in_spatial[i]], size, c);
    }
    return lab_convolution(net->p, x, lab_net_input(net, s.rank, kernel), d, window);
}

int lab_net_biased(lab_net *net, int x, lab_conv c)
{
    int y = lab_net_conv(net, x, c);
    return lab_net_bias(net, y, lab_net_feature_axis(net, y));
}

/* Uses running statistics. The parameter is a deviation, which is squared so that the variance is
   not negative whatever its sign. */
int lab_net_batch_norm(lab_net *net, int x)
{
    lab_program *p = net->p;
    int axis = lab_net_feature_axis(net, x);
    if (net->folded) return lab_net_bias(net, x, axis);
    int size = lab_net_size(net, x, axis);
    int mean = lab_net_input(net, 1, &size), deviation = lab_net_input(net, 1, &size);
    int variance = lab_net_plus(net, lab_binary(p, LAB_MULTIPLY, deviation, deviation), 0.25f);
    int gain = lab_net_input(net, 1, &size);
    int factor = lab_binary(p, LAB_MULTIPLY, gain, lab_unary(p, LAB_RSQRT, variance));
    int y = lab_binary(p, LAB_SUBTRACT, x, lab_net_along(net, mean, x, axis));
    y = lab_binary(p, LAB_MULTIPLY, y, lab_net_along(net, factor, y, axis));
    return lab_net_bias(net, y, axis);
}

int lab_net_unit(lab_net *net, int x, lab_conv conv)
{
    int y = lab_net_batch_norm(net, lab_net_conv(net, x, conv));
    return lab_net_activate(net, y);
}

int lab_net_pool(lab_net *net, int x, int size, int stride, lab_reducer reducer, int same)
{
    lab_shape s = lab_net_shape(net, x);
    int feature = lab_net_feature_axis(net, x), area = 1;
    lab_window window[LAB_RANK] = {{0}};
    for (int i = 0; i < s.rank; i++) {
        window[i] = (lab_window){1, 1, 0, 0, 1, 1, 0};
        if (i == 0 || i == feature) continue;
        int reach = s.size[i] < size ? s.size[i] : size;
        window[i] = window_of(s.size[i], reach,
                              (lab_conv){.stride = stride, .dilation = 1, .up = 1, .valid = !same});
        area *= reach;
    }
    int y = lab_reduce_window(net->p, x, reducer, window);
    return reducer == LAB_SUM ? lab_net_scaled(net, y, 1 / (float)area) : y;
}

int lab_net_global_pool(lab_net *net, int x)
{
    int axis = lab_net_feature_axis(net, x), axes[LAB_RANK], n = 0;
    lab_shape s = lab_net_shape(net, x);
    float each = 1;
    for (int i = 1; i < s.rank; i++) {
        if (i == axis) continue;
        axes[n++] = i;
        each /= (float)s.size[i];
    }
    return lab_net_scaled(net, lab_reduce(net->p, x, LAB_SUM, n, axes), each);
}

int lab_net_twice(lab_net *net, int x)
{
    lab_shape s = lab_net_shape(net, x);
    int wide[LAB_RANK] = {0}, whole[LAB_RANK] = {0}, dims[LAB_RANK] = {0}, rank = 0;
    int feature = lab_net_feature_axis(net, x);
    for (int i = 0; i < s.rank; i++) {
        dims[i] = rank;
        wide[rank++] = whole[i] = s.size[i];
        if (i == 0 || i == feature) continue;
        wide[rank++] = 2;
        whole[i] *= 2;
    }
    return lab_reshape(net->p, lab_broadcast(net->p, x, dims, rank, wide), 4, whole);
}
