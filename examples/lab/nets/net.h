/* SPDX-License-Identifier: MIT */
/* The layers that the families are made of, as a compiler for neural nets sees them: a bias is a
   broadcast and an addition, softmax is five nodes. Nodes are returned by number. In each call, at
   most one argument may append nodes or draw numbers: C does not define in which order arguments
   are computed, and a program must be the same with every compiler. */
#ifndef LAB_NET_H
#define LAB_NET_H

#include "core/random.h"
#include "examples/lab/program/program.h"

enum { LAB_SCALE = 256 };

typedef enum lab_activation {
    LAB_RELU,
    LAB_TANH_UNIT,
    LAB_SWISH,
    LAB_GELU,
    LAB_LEAKY,
    LAB_RELU6
} lab_activation;

/* A net under construction. */
typedef struct lab_net {
    lab_program *p;
    ag_random random;
    int scale;          /* 1..LAB_SCALE: how large the sizes are within their ranges */
    int grain;          /* rounding of sizes: 0 powers of two, 1 multiples of 8, 2 any */
    int channels_first; /* features are axis 1 of an image, else the last */
    int folded;         /* norms of inference are folded into the kernels: only a bias is left */
    lab_activation activation;
} lab_net;

/* Starts a net: draws the properties of the whole net. */
void lab_net_start(lab_net *net, lab_program *p, int scale, uint64_t seed);

/* The numbers of block `index` come from a stream of their own, so that more blocks leave the
   others unchanged. */
void lab_net_block(lab_net *net, int index);

int lab_net_below(lab_net *net, int n);             /* 0..n-1 */
int lab_net_chance(lab_net *net, int percent);      /* 1 with a probability of `percent` */
int lab_net_width(lab_net *net, int low, int high); /* a size that grows with the scale, rounded */
int lab_net_batch(lab_net *net, int most); /* 1..most, mostly powers of two, at any scale */
int lab_net_count(lab_net *net, int low, int high); /* a number of layers, not rounded */

/* lab_shape_of a node, so that sizes can be read without a check. */
lab_shape lab_net_shape(const lab_net *net, int x);
int lab_net_size(const lab_net *net, int x, int axis); /* 1 when there is no such axis */

/* net_shape.c: values and shapes */
int lab_net_input(lab_net *net, int rank, const int *size);      /* weights are inputs, too */
int lab_net_fill(lab_net *net, float value, lab_shape like);     /* a constant, broadcast; reused */
int lab_net_rows(lab_net *net, int count, int words, int width); /* of a table [words, width] */
int lab_net_scaled(lab_net *net, int x, float factor);
int lab_net_plus(lab_net *net, int x, float term);
int lab_net_spread(lab_net *net, int x, int like, int axis); /* x lacks the axis: spread along it */
int lab_net_along(lab_net *net, int x, int like, int axis);  /* x [size], spread along an axis */
int lab_net_flat(lab_net *net, int x, int rows);             /* [rows, the rest] */
int lab_net_part(lab_net *net, int x, int axis, int start, int limit); /* a slice of one axis */
int lab_net_pair(lab_net *net, int a, int b, int axis);                /* concatenate */

/* net_layers.c */
int lab_net_activate(lab_net *net, int x);
int lab_net_bias(lab_net *net, int x, int axis);
int lab_net_dense(lab_net *net, int x, int width); /* of the last axis, with bias */
int lab_net_softmax(lab_net *net, int x, int axis);
int lab_net_norm(lab_net *net, int x);              /* layer norm over the last axis */
int lab_net_head(lab_net *net, int x, int classes); /* dense, then softmax or logistic */

/* net_image.c. Members of a conv that are 0 count as 1 (features: as many as the input has). */
typedef struct lab_conv {
    int features, size, width; /* width of the window along the last spatial axis; 0: size */
    int stride, dilation, up;  /* up: a transposed convolution, that many times as large */
    int groups;
    int valid; /* no padding; else the output is as large as the input / stride * up */
} lab_conv;

int lab_net_feature_axis(const lab_net *net, int x);
int lab_net_image(lab_net *net, int batch, int height, int width, int features);
int lab_net_conv(lab_net *net, int x, lab_conv conv); /* no bias */
int lab_net_biased(lab_net *net, int x, lab_conv conv);
int lab_net_batch_norm(lab_net *net, int x);
int lab_net_unit(lab_net *net, int x, lab_conv conv); /* convolution, norm, activation */
int lab_net_pool(lab_net *net, int x, int size, int stride, lab_reducer reducer, int same);
int lab_net_global_pool(lab_net *net, int x); /* mean over the spatial axes: [batch, features] */
int lab_net_twice(lab_net *net, int x);       /* enlarges each pixel to four */

/* family_*.c: the nets; each returns its output node. */
typedef int lab_net_maker(lab_net *net);
lab_net_maker lab_net_mlp, lab_net_mixer, lab_net_alexnet, lab_net_resnet, lab_net_inception,
    lab_net_unet, lab_net_wavenet, lab_net_lstm, lab_net_transformer, lab_net_pooling,
    lab_net_recommender, lab_net_autoencoder;

#endif
