/* SPDX-License-Identifier: MIT */
/* The messages between the nodes that stay. Inputs: rows [n,2], sources [p], rows_t [n,2], targets
   [p,2], perm [k], place [n]; outputs: the first four of the new graph. There may be fewer messages
   than places: after the last message there is -1. Scratch: the number of each message among those
   of its receiver that stay, int32 [p]. */
#include "core/kernel.h"

AG_BOTH int32_t *order_of(const ag_args *a) { return (int32_t *)(void *)a->scratch; }

/* Counts the messages into and out of a node that stay, and numbers those into it. */
KERNEL void count_of_node(const ag_args *a, int64_t r)
{
    const int v = XI(4)[r], *row = XI(0) + 2 * (int64_t)v, *row_t = XI(2) + 2 * (int64_t)v;
    int in = 0, out = 0;
    for (int p = row[0]; p < row[0] + row[1]; p++)
        if (XI(5)[XI(1)[p]] >= 0) order_of(a)[p] = in++;
    for (int q = row_t[0]; q < row_t[0] + row_t[1]; q++) out += XI(5)[XI(3)[2 * (int64_t)q]] >= 0;
    YI(0)[2 * r + 1] = in;
    YI(2)[2 * r + 1] = out;
}
ELEMENTS(topk_edges_count, a->xs[4].size[0])
{
    for (int64_t r = lo; r < hi; r++) count_of_node(a, r);
}

KERNEL void fill_of_node(const ag_args *a, int64_t r)
{
    const int v = XI(4)[r], *row = XI(0) + 2 * (int64_t)v, *row_t = XI(2) + 2 * (int64_t)v;
    int at = YI(0)[2 * r];
    for (int p = row[0]; p < row[0] + row[1]; p++) {
        const int u = XI(5)[XI(1)[p]];
        if (u >= 0) YI(1)[at++] = u;
    }
    at = YI(2)[2 * r];
    for (int q = row_t[0]; q < row_t[0] + row_t[1]; q++) {
        const int *target = XI(3) + 2 * (int64_t)q, w = XI(5)[target[0]];
        if (w < 0) continue;
        YI(3)[2 * (int64_t)at] = w;
        YI(3)[2 * (int64_t)at++ + 1] = YI(0)[2 * (int64_t)w] + order_of(a)[target[1]];
    }
}
ELEMENTS(topk_edges_fill, a->xs[4].size[0])
{
    for (int64_t r = lo; r < hi; r++) fill_of_node(a, r);
}

/* ---- on a device ---- */

/* The place of a row is the sum of the numbers before it. Scratch, after the order: the numbers [2,
 * k+1] of messages into and out of the nodes that stay, then their sums [2, k+1]. */

AG_BOTH int32_t *numbers_of(const ag_args *a) { return order_of(a) + a->xs[1].size[0]; }

ELEMENTS(topk_edges_numbers, 2 * ((int64_t)a->xs[4].size[0] + 1))
{
    const int64_t k = a->xs[4].size[0];
    for (int64_t i = lo; i < hi; i++) {
        const int64_t v = i % (k + 1);
        const int32_t *rows = i > k ? YI(2) : YI(0);
        numbers_of(a)[i] = v < k ? rows[2 * v + 1] : 0;
    }
}

/* Writes the places of the rows, and -1 after the last message. */
ELEMENTS(topk_edges_places, 2 * ((int64_t)a->xs[4].size[0] + a->xs[1].size[0]))
{
    const int64_t k = a->xs[4].size[0], p = a->xs[1].size[0];
    const int32_t *sums = numbers_of(a) + 2 * (k + 1);
    for (int64_t i = lo; i < hi; i++) {
        const int out = i >= k + p;
        const int64_t v = out ? i - k - p : i, at = v - k;
        const int32_t *sum = sums + (out ? k + 1 : 0);
        if (v < k) {
            (out ? YI(2) : YI(0))[2 * v] = sum[v];
        } else if (at >= sum[k]) {
            if (out)
                YI(3)[2 * at] = YI(3)[2 * at + 1] = -1;
            else
                YI(1)[at] = -1;
        }
    }
}
