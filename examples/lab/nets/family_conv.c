/* SPDX-License-Identifier: MIT */
/* Convolution nets that classify: AlexNet- and ResNet-like. */
#include "examples/lab/nets/net.h"

/* x divided by a power of the local sum of squares over neighbouring features. */
static int local_norm(lab_net *net, int x, int reach)
{
    lab_program *p = net->p;
    lab_shape s = lab_net_shape(net, x);
    lab_window window[LAB_RANK] = {{0}};
    for (int i = 0; i < s.rank; i++) window[i] = (lab_window){1, 1, 0, 0, 1, 1, 0};
    int axis = lab_net_feature_axis(net, x);
    if (s.rank > 0) window[axis] = (lab_window){2 * reach + 1, 1, reach, reach, 1, 1, 0};
    int square = lab_binary(p, LAB_MULTIPLY, x, x);
    int sum = lab_net_scaled(net, lab_reduce_window(p, square, LAB_SUM, window), 0.1f);
    int root = lab_unary(p, LAB_RSQRT, lab_net_plus(net, sum, 1));
    return lab_binary(p, LAB_MULTIPLY, x, root);
}

static int biased(lab_net *net, int x, lab_conv c)
{
    return lab_net_activate(net, lab_net_biased(net, x, c));
}

int lab_net_alexnet(lab_net *net)
{
    int batch = lab_net_batch(net, 8), side = 15 + lab_net_width(net, 1, 64);
    int high = lab_net_chance(net, 70) ? side : side + 1 + lab_net_below(net, 8);
    int width = lab_net_width(net, 4, 48), local = lab_net_chance(net, 50);
    int middle = lab_net_count(net, 1, 5), dense = lab_net_count(net, 1, 3);
    int first = 3 + 2 * lab_net_below(net, 5), stride = 1 + lab_net_below(net, 4);
    int hidden = lab_net_width(net, 16, 512), pool = 2 + lab_net_below(net, 2);
    int classes = lab_net_width(net, 4, 100), valid = lab_net_chance(net, 50);
    int x = lab_net_image(net, batch, high, side, lab_net_chance(net, 60) ? 3 : 1);
    x = biased(net, x,
               (lab_conv){.features = width, .size = first, .stride = stride, .valid = valid});
    if (local) x = local_norm(net, x, 2);
    x = lab_net_pool(net, x, pool, 2, LAB_MAX, 0);
    for (int i = 0; i < middle; i++) {
        lab_net_block(net, i + 1);
        int size = lab_net_chance(net, 30) ? 5 : 3;
        x = biased(net, x, (lab_conv){.features = lab_net_width(net, 6, 96), .size = size});
        if (i == 0 && local) x = local_norm(net, x, 2);
        if (i == 0 || i == middle - 1) x = lab_net_pool(net, x, pool, 2, LAB_MAX, 1);
    }
    x = lab_net_flat(net, x, batch);
    for (int i = 0; i < dense; i++) {
        lab_net_block(net, i + 20);
        x = lab_net_activate(net, lab_net_dense(net, x, hidden));
    }
    return lab_net_head(net, x, classes);
}

typedef struct style {
    int bottleneck, separable, gate, early; /* early: norm and activation before the convolution */
} style;

/* Squeeze and excitation: each feature is scaled by a gate that is computed from the whole
   image. */
static int gated(lab_net *net, int x)
{
    lab_program *p = net->p;
    int axis = lab_net_feature_axis(net, x), width = lab_net_size(net, x, axis);
    int y = lab_net_activate(net, lab_net_dense(net, lab_net_global_pool(net, x), width / 4 + 1));
    y = lab_unary(p, LAB_LOGISTIC, lab_net_dense(net, y, width));
    lab_shape s = lab_net_shape(net, x);
    y = lab_broadcast(p, y, (int[]){0, axis}, s.rank, s.size);
    return lab_binary(p, LAB_MULTIPLY, x, y);
}

static int layer(lab_net *net, int x, style s, lab_conv c)
{
    if (!s.early) return lab_net_unit(net, x, c);
    return lab_net_conv(net, lab_net_activate(net, lab_net_batch_norm(net, x)), c);
}

/* The branch of a block, without the last activation. */
static int branch(lab_net *net, int x, style s, int width, int stride)
{
    if (s.separable || s.bottleneck) {
        int in = lab_net_size(net, x, lab_net_feature_axis(net, x));
        int inner = s.separable ? 2 * in : width / 2 + 1, groups = s.separable ? inner : 1;
        x = layer(net, x, s, (lab_conv){.features = inner, .size = 1});
        x = layer(net, x, s, (lab_conv){.size = 3, .stride = stride, .groups = groups});
        x = lab_net_conv(net, x, (lab_conv){.features = width, .size = 1});
    } else {
        x = layer(net, x, s, (lab_conv){.features = width, .size = 3, .stride = stride});
        x = lab_net_conv(net, x, (lab_conv){.features = width, .size = 3});
    }
    if (!s.early) x = lab_net_batch_norm(net, x);
    return s.gate ? gated(net, x) : x;
}

static int block(lab_net *net, int x, style s, int width, int stride)
{
    int y = branch(net, x, s, width, stride), straight = x;
    if (stride > 1 || lab_net_size(net, x, lab_net_feature_axis(net, x)) != width)
        straight = lab_net_conv(net, x, (lab_conv){.features = width, .size = 1, .stride = stride});
    y = lab_binary(net->p, LAB_ADD, y, straight);
    return s.early ? y : lab_net_activate(net, y);
}

int lab_net_resnet(lab_net *net)
{
    int batch = lab_net_batch(net, 8), side = lab_net_width(net, 8, 48);
    int width = lab_net_width(net, 4, 40), stages = 2 + lab_net_below(net, 2);
    int kind = lab_net_below(net, 3), stem = 3 + 2 * lab_net_below(net, 3);
    int stride = 1 + lab_net_chance(net, 40), blocks = lab_net_count(net, 1, 2);
    style s = {.bottleneck = kind == 1, .separable = kind == 2};
    s.gate = lab_net_chance(net, 30);
    s.early = lab_net_chance(net, 25);
    int classes = lab_net_width(net, 4, 100);
    int x = lab_net_image(net, batch, side, side, 3);
    x = lab_net_unit(net, x, (lab_conv){.features = width, .size = stem, .stride = stride});
    if (lab_net_chance(net, 40)) x = lab_net_pool(net, x, 3, 2, LAB_MAX, 1);
    for (int i = 0; i < stages; i++) {
        lab_net_block(net, i + 1);
        int grown = i > 0 && lab_net_chance(net, 70);
        if (grown) width = width * 2;
        for (int k = 0; k < blocks; k++) x = block(net, x, s, width, k == 0 && i > 0 ? 2 : 1);
    }
    if (s.early) x = lab_net_activate(net, lab_net_batch_norm(net, x));
    return lab_net_head(net, lab_net_global_pool(net, x), classes);
}
