/* SPDX-License-Identifier: MIT */
/* Tile files: one kernel, 24 numbers and a run time per tile size. Fusion files: the graphs of a
   program's kernels, concatenated, with a run time each. */
#include "examples/tpu/data/data_internal.h"

/* ---- tile files ---- */

static ag_status read_configs(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const size_t n = (size_t)raw->configs, values = n * TPUGRAPHS_TILE_FEATURES;
    tpugraphs_budget *budget = &data->budget;
    tpu_kernel *all = &file->all;
    all->configs = raw->configs;
    all->tile = tpugraphs_take(budget, &file->bytes, values, sizeof(float), raw->name, why);
    if (all->tile)
        all->runtime = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (all->runtime)
        file->normalizer = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (!file->normalizer) return why->status;
    return tpugraphs_tiles_read(raw, all->tile, all->runtime, file->normalizer, why);
}

ag_status tpu_read_tile(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, int *kernels,
                        ag_failure *why)
{
    if (tpugraphs_tiles_count(raw, why) || tpugraphs_operands_check(raw, 0, NULL, NULL, why) ||
        tpu_read_graph(data, file, raw, why) || read_configs(data, file, raw, why) ||
        tpu_make_kernels(data, 1, why))
        return why->status;
    tpu_kernel *k = &data->kernel[data->kernels];
    *k = file->all;
    if (!raw->has_runtimes) k->runtime = NULL;
    *kernels = 1;
    return tpu_order(k, raw->name, &data->budget, why);
}

/* ---- fusion files ---- */

/* Reads the run times, whose number is that of the kernels. */
static ag_status read_runtimes(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, "kernel_runtime", AG_SHAPE(-1), "one run time per kernel", why);
    if (!info) return why->status;
    if (info->size[0] < 1 || info->size[0] > raw->nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: kernel_runtime has %lld kernels, but a file of %d nodes has 1 to %d",
                       raw->name, (long long)info->size[0], raw->nodes, raw->nodes);
    raw->configs = (int)info->size[0];
    int64_t *ns = file->all.runtime = tpugraphs_take(
        &data->budget, &file->bytes, (size_t)raw->configs, sizeof *ns, raw->name, why);
    if (!ns || ag_npz_read(raw->npz, "kernel_runtime", AG_I64, ns, why)) return why->status;
    raw->has_runtimes = 0;
    for (int i = 0; i < raw->configs; i++) raw->has_runtimes |= ns[i] != 0;
    return raw->has_runtimes ? tpugraphs_raw_positive(raw, "kernel_runtime", ns, why) : AG_OK;
}

static ag_status check_edges(const tpu_kernel *k, const char *file, int64_t first, ag_failure *why)
{
    for (int e = 0; e < k->edges; e++) {
        const int32_t u = k->edge[2 * e], v = k->edge[2 * e + 1];
        if (u >= k->nodes || v >= k->nodes) /* not negative, which raw has checked */
            return ag_fail(why, AG_EDATA,
                           "%s: edge_index[%lld] = (%d, %d), but the nodes of kernel %d are 0 to "
                           "%d; edges are counted from a kernel's first node",
                           file, (long long)first + e, u, v, k->number, k->nodes - 1);
    }
    return AG_OK;
}

/* The dots of the kernel's nodes, from `*at` on, counted from its first node. */
static void cut_dots(tpu_kernel *k, int *at, const tpu_kernel *all, int64_t first)
{
    const int32_t base = (int32_t)first;
    k->dot = all->dot + *at;
    for (; *at < all->dots && all->dot[*at].node < base + k->nodes; ++*at, k->dots++) {
        tpugraphs_dot *d = &all->dot[*at];
        d->node -= base;
        d->left -= base;
        d->right -= base;
    }
}

static ag_status cut_kernels(tpu_data *data, const tpu_file *file, const tpugraphs_raw *raw,
                             const int64_t *node, const int64_t *edge, ag_failure *why)
{
    const tpu_kernel *all = &file->all;
    int dots = 0;
    for (int i = 0; i < raw->configs; i++) {
        tpu_kernel *k = &data->kernel[data->kernels + i];
        *k = (tpu_kernel){.number = i,
                          .nodes = (int)(node[i + 1] - node[i]),
                          .edges = (int)(edge[i + 1] - edge[i]),
                          .feature = all->feature + node[i] * TPUGRAPHS_FEATURES,
                          .opcode = all->opcode + node[i],
                          .reducer = all->reducer ? all->reducer + node[i] : NULL,
                          .edge = all->edge + 2 * edge[i],
                          .configs = 1,
                          .runtime = raw->has_runtimes ? all->runtime + i : NULL};
        if (all->dots) cut_dots(k, &dots, all, node[i]);
        if (check_edges(k, raw->name, edge[i], why) || tpu_order(k, raw->name, &data->budget, why))
            return why->status;
    }
    return AG_OK;
}

ag_status tpu_read_fusion(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, int *kernels,
                          ag_failure *why)
{
    if (read_runtimes(data, file, raw, why)) return why->status;
    static const char means[] = "where each kernel begins, and the end of the last";
    int64_t *edge = NULL, *node = tpugraphs_raw_offsets(raw, "node_offset", raw->configs,
                                                        raw->nodes, 1, means, why);
    if (node)
        edge = tpugraphs_raw_offsets(raw, "edge_offset", raw->configs, raw->edges, 0, means, why);
    if (edge && !tpugraphs_operands_check(raw, raw->configs, node, edge, why) &&
        !tpu_read_graph(data, file, raw, why) && !tpu_make_kernels(data, raw->configs, why) &&
        !cut_kernels(data, file, raw, node, edge, why))
        *kernels = raw->configs;
    ag_free(node);
    ag_free(edge);
    return why->status;
}
