/* SPDX-License-Identifier: MIT */
/* Nets whose branches are joined: Inception-like, U-Net-like, WaveNet-like. */
#include "examples/lab/nets/net.h"

static int sized(lab_net *net, int x, int features, int height, int width)
{
    return lab_net_unit(net, x, (lab_conv){.features = features, .size = height, .width = width});
}

static int wide_branch(lab_net *net, int x, int features)
{
    int kind = lab_net_below(net, 3);
    x = sized(net, x, features / 2 + 1, 1, 1);
    if (kind == 0) return sized(net, x, features, 5, 5);
    if (kind == 1) return sized(net, sized(net, x, features, 3, 3), features, 3, 3);
    int reach = 3 + 2 * lab_net_below(net, 3);
    return sized(net, sized(net, x, features, 1, reach), features, reach, 1);
}

static int module(lab_net *net, int x)
{
    int part[4], n = 0;
    part[n++] = sized(net, x, lab_net_width(net, 2, 32), 1, 1);
    int y = sized(net, x, lab_net_width(net, 2, 24), 1, 1);
    part[n++] = sized(net, y, lab_net_width(net, 2, 48), 3, 3);
    if (lab_net_chance(net, 80)) part[n++] = wide_branch(net, x, lab_net_width(net, 2, 32));
    y = lab_net_pool(net, x, 3, 1, lab_net_chance(net, 50) ? LAB_MAX : LAB_SUM, 1);
    part[n++] = sized(net, y, lab_net_width(net, 2, 32), 1, 1);
    return lab_concatenate(net->p, n, part, lab_net_feature_axis(net, x));
}

int lab_net_inception(lab_net *net)
{
    int batch = lab_net_batch(net, 8), side = lab_net_width(net, 7, 40);
    int width = lab_net_width(net, 4, 40), modules = lab_net_count(net, 1, 4);
    int stride = 1 + lab_net_chance(net, 50), classes = lab_net_width(net, 4, 100);
    int x = lab_net_image(net, batch, side, side, lab_net_chance(net, 60) ? 3 : 8);
    x = lab_net_unit(net, x, (lab_conv){.features = width, .size = 3, .stride = stride});
    for (int i = 0; i < modules; i++) {
        lab_net_block(net, i + 1);
        if (i > 0 && lab_net_chance(net, 40)) x = lab_net_pool(net, x, 3, 2, LAB_MAX, 1);
        x = module(net, x);
    }
    return lab_net_head(net, lab_net_global_pool(net, x), classes);
}

/* Twice as large, by copies of each pixel or by a transposed convolution. */
static int enlarged(lab_net *net, int x, int features, int learned)
{
    if (learned) return lab_net_conv(net, x, (lab_conv){.features = features, .size = 2, .up = 2});
    return lab_net_conv(net, lab_net_twice(net, x), (lab_conv){.features = features, .size = 3});
}

/* Crops the skip connection to the shape of `like`. */
static int cropped(lab_net *net, int x, int like)
{
    lab_shape s = lab_net_shape(net, like);
    for (int i = 1; i < s.rank; i++)
        if (i != lab_net_feature_axis(net, x) && lab_net_size(net, x, i) > s.size[i])
            x = lab_net_part(net, x, i, 0, s.size[i]);
    return x;
}

int lab_net_unet(lab_net *net)
{
    int batch = lab_net_batch(net, 4), side = lab_net_width(net, 8, 64), skip[4];
    int width = lab_net_width(net, 2, 24), levels = 1 + lab_net_count(net, 1, 2);
    int twice = lab_net_chance(net, 50), learned = lab_net_chance(net, 50);
    int strided = lab_net_chance(net, 30), classes = 1 + lab_net_below(net, 5);
    int x = lab_net_image(net, batch, side, side, 1 + lab_net_below(net, 4));
    for (int i = 0; i < levels; i++) {
        lab_net_block(net, i + 1);
        x = sized(net, x, width << i, 3, 3);
        skip[i] = x = twice ? sized(net, x, width << i, 3, 3) : x;
        x = strided ? lab_net_conv(net, x, (lab_conv){.size = 3, .stride = 2})
                    : lab_net_pool(net, x, 2, 2, LAB_MAX, 1);
    }
    x = sized(net, x, width << levels, 3, 3);
    for (int i = levels - 1; i >= 0; i--) {
        lab_net_block(net, i + 11);
        x = cropped(net, enlarged(net, x, width << i, learned), skip[i]);
        x = lab_net_pair(net, skip[i], x, lab_net_feature_axis(net, x));
        x = sized(net, x, width << i, 3, 3);
        if (twice) x = sized(net, x, width << i, 3, 3);
    }
    int y = lab_net_biased(net, x, (lab_conv){.features = classes, .size = 1});
    if (classes < 3) return lab_unary(net->p, LAB_LOGISTIC, y);
    return lab_net_softmax(net, y, lab_net_feature_axis(net, y));
}

/* A causal convolution: zeros are padded in front only. */
static int causal(lab_net *net, int x, int features, int size, int dilation)
{
    int low[LAB_RANK] = {0}, high[LAB_RANK] = {0};
    low[net->channels_first ? 2 : 1] = (size - 1) * dilation;
    int zero = lab_net_fill(net, 0, (lab_shape){LAB_F32, 0, {0}});
    int wide = lab_pad(net->p, x, zero, low, high);
    return lab_net_biased(
        net, wide,
        (lab_conv){.features = features, .size = size, .dilation = dilation, .valid = 1});
}

int lab_net_wavenet(lab_net *net)
{
    lab_program *p = net->p;
    int batch = lab_net_batch(net, 8), time = lab_net_width(net, 16, 256), sum = -1;
    int width = lab_net_width(net, 4, 64), inner = lab_net_width(net, 4, 64);
    int size = 2 + lab_net_below(net, 2), deep = 2 + lab_net_count(net, 1, 8);
    int in = lab_net_below(net, 3) + 1, classes = lab_net_width(net, 2, 64);
    int first = net->channels_first;
    int x = lab_net_input(net, 3, (int[]){batch, first ? in : time, first ? time : in});
    x = causal(net, x, width, size, 1);
    for (int i = 0; i < deep; i++) {
        lab_net_block(net, i + 1);
        int reach = 1 << i % 4;
        int y = lab_unary(p, LAB_TANH, causal(net, x, inner, size, reach));
        int gate = lab_unary(p, LAB_LOGISTIC, causal(net, x, inner, size, reach));
        y = causal(net, lab_binary(p, LAB_MULTIPLY, y, gate), width, 1, 1);
        sum = sum < 0 ? y : lab_binary(p, LAB_ADD, sum, y);
        if (i < deep - 1) x = lab_binary(p, LAB_ADD, x, y);
    }
    return causal(net, lab_net_activate(net, sum), classes, 1, 1);
}
