/* SPDX-License-Identifier: MIT */
/* graph_conv on a device: sums over messages, then products of the whole. */
#include "core/columns.h"
#include "core/gemm.h"
#include "gnn/graph_conv_parts.h"

static int64_t scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return backward ? (int64_t)s.nodes * s.out + ag__column_scratch(s.nodes, s.out)
                    : (int64_t)s.nodes * s.in;
}

DEVICE(graph_conv_products)
{
    const sizes s = sizes_of(a);
    ag__gemm(AG_CUDA, Y(0), a->scratch, X(1), 0, 1, s.nodes, s.out, s.in, 0, NULL);
    ag__gemm(AG_CUDA, Y(0), X(0), X(2), 0, 1, s.nodes, s.out, s.in, 1, NULL);
}

/* Without DX this gradient is not wanted. */
DEVICE(graph_conv_products_back_x)
{
    const sizes s = sizes_of(a);
    if (!DX) return;
    ag__gemm(AG_CUDA, DX, a->scratch, X(1), 0, 0, s.nodes, s.in, s.out, a->add, NULL);
    ag__gemm(AG_CUDA, DX, DY(0), X(2), 0, 0, s.nodes, s.in, s.out, 1, NULL);
}

/* Of w, or of root. */
DEVICE(graph_conv_products_back_w)
{
    const sizes s = sizes_of(a);
    ag__gemm(AG_CUDA, DX, a->which == 1 ? a->scratch : DY(0), X(0), 1, 0, s.out, s.in, s.nodes,
             a->add, NULL);
}

DEVICE(graph_conv_columns_back)
{
    const sizes s = sizes_of(a);
    ag__column_sums(AG_CUDA, DX, DY(0), NULL, s.nodes, s.out, a->add,
                    a->scratch + (int64_t)s.nodes * s.out);
}

const ag_kernels ag__graph_conv_cuda = {
    .forward = {&graph_conv_messages_kernel, &graph_conv_products_kernel,
                &graph_conv_finish_kernel},
    .prepare = {&graph_conv_messages_back_kernel},
    .backward = {&graph_conv_products_back_x_kernel, &graph_conv_products_back_w_kernel,
                 &graph_conv_products_back_w_kernel, &graph_conv_columns_back_kernel},
    .scratch = scratch,
};
