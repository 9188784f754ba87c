/* SPDX-License-Identifier: MIT */
/* Reads files into kernels: recognises the kind of a file, and decides which memory stays. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/tpu/data/hlo.h"
#include "examples/tpu/data/data_internal.h"

#include <math.h>

/* Room for `more` kernels at the end of data->kernel. */
static ag_status make_kernels(tpu_data *data, int more, ag_failure *why)
{
    tpu_kernel *kernel =
        tpugraphs_grow(&data->budget, &data->list_bytes, data->kernel, &data->kernel_room,
                       data->kernels + more, sizeof *kernel, why);
    if (kernel) data->kernel = kernel;
    return why->status;
}

/* The sizes, node_feat and dots of file->all; op codes and edges move there from raw. */
static ag_status read_graph(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const size_t nodes = (size_t)raw->nodes, values = nodes * TPUGRAPHS_FEATURES;
    const size_t codes = raw->reducer ? 2 * nodes : nodes;
    const size_t moved = (codes + 2 * (size_t)raw->edges) * sizeof(int32_t);
    tpu_kernel *all = &file->all;
    if (tpugraphs_fits(&data->budget, moved, raw->name, "its graph", why)) return why->status;
    all->dot = tpugraphs_dots_read(&all->dots, raw, why);
    if (why->status) return why->status;
    const size_t bytes = moved + (size_t)all->dots * sizeof *all->dot;
    all->nodes = raw->nodes;
    all->edges = raw->edges;
    all->opcode = raw->opcode;
    all->reducer = raw->reducer;
    all->edge = raw->edge;
    raw->opcode = raw->reducer = raw->edge = NULL;
    file->bytes += bytes;
    data->budget.used += bytes;
    all->feature =
        tpugraphs_take(&data->budget, &file->bytes, values, sizeof *all->feature, raw->name, why);
    if (!all->feature) return why->status;
    return tpugraphs_raw_finite(raw, "node_feat", all->feature, nodes, TPUGRAPHS_FEATURES, why);
}

/* ---- tile files: one kernel, 24 numbers and a run time per tile size ---- */

static ag_status count_configs(tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, "config_feat", AG_SHAPE(-1, TPUGRAPHS_TILE_FEATURES),
                         "24 features per tile configuration", why);
    if (!info) return why->status;
    if (info->size[0] < 1 || info->size[0] > INT32_MAX / TPUGRAPHS_TILE_FEATURES)
        return ag_fail(why, AG_EDATA,
                       "%s: config_feat has %lld configurations, but a file needs 1 to %d",
                       raw->name, (long long)info->size[0], INT32_MAX / TPUGRAPHS_TILE_FEATURES);
    raw->configs = (int)info->size[0];
    tpugraphs_member(raw, "config_runtime_normalizers", AG_SHAPE(raw->configs),
                     "one run time of the default tile per configuration", why);
    return why->status;
}

static ag_status read_configs(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    static const char normalizers[] = "config_runtime_normalizers";
    const size_t n = (size_t)raw->configs, values = n * TPUGRAPHS_TILE_FEATURES;
    tpugraphs_budget *budget = &data->budget;
    tpu_kernel *all = &file->all;
    all->configs = raw->configs;
    all->tile = tpugraphs_take(budget, &file->bytes, values, sizeof(float), raw->name, why);
    if (all->tile)
        all->runtime = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (all->runtime)
        file->normalizer = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (!file->normalizer ||
        tpugraphs_raw_finite(raw, "config_feat", all->tile, n, TPUGRAPHS_TILE_FEATURES, why) ||
        tpugraphs_raw_runtimes(raw, all->runtime, why) ||
        ag_npz_read(raw->npz, normalizers, AG_I64, file->normalizer, why))
        return why->status;
    return tpugraphs_raw_positive(raw, normalizers, file->normalizer, why);
}

static ag_status read_tile(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    if (count_configs(raw, why) || tpugraphs_operands_check(raw, 0, NULL, NULL, why) ||
        read_graph(data, file, raw, why) || read_configs(data, file, raw, why) ||
        make_kernels(data, 1, why))
        return why->status;
    tpu_kernel *k = &data->kernel[data->kernels];
    *k = file->all;
    if (!raw->has_runtimes) k->runtime = NULL;
    file->kernels = 1;
    return tpu_order(k, raw->name, &data->budget, why);
}

/* ---- fusion files: the graphs of a program's kernels, concatenated, a run time each ---- */

/* Reads the run times, one for each kernel. */
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

static ag_status read_fusion(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    if (read_runtimes(data, file, raw, why)) return why->status;
    static const char means[] = "where each kernel begins, and the end of the last";
    int64_t *edge = NULL, *node = tpugraphs_raw_offsets(raw, "node_offset", raw->configs,
                                                        raw->nodes, 1, means, why);
    if (node)
        edge = tpugraphs_raw_offsets(raw, "edge_offset", raw->configs, raw->edges, 0, means, why);
    if (edge && !tpugraphs_operands_check(raw, raw->configs, node, edge, why) &&
        !read_graph(data, file, raw, why) && !make_kernels(data, raw->configs, why) &&
        !cut_kernels(data, file, raw, node, edge, why))
        file->kernels = raw->configs;
    ag_free(node);
    ag_free(edge);
    return why->status;
}

/* ---- all of it ---- */

void tpu_kernel_free(tpu_kernel *k)
{
    void *const block[] = {k->feature, k->tile, k->opcode, k->reducer, k->edge, k->dot, k->runtime};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) ag_free(block[i]);
    *k = (tpu_kernel){0};
}

static void free_file(tpu_data *data, tpu_file *file)
{
    data->budget.used -= file->bytes;
    ag_free(file->name);
    tpu_kernel_free(&file->all);
    ag_free(file->normalizer);
}

const char *const tpu_task_name[] = {"tile", "fusion"};

static ag_status find_task(const tpu_data *data, tpu_file *file, const tpugraphs_raw *raw,
                           ag_failure *why)
{
    const int tile = tpugraphs_has(raw, "config_feat", why);
    if (!tile && tpugraphs_has(raw, "node_config_feat", why))
        return ag_fail(why, AG_EDATA,
                       "%s: this is a layout file (it has node_config_feat), which only tgraph "
                       "reads; name tile or fusion files",
                       raw->name);
    if (!tile && !tpugraphs_has(raw, "kernel_runtime", why))
        return ag_fail(why, AG_EDATA,
                       "%s: there is neither config_feat (a tile file) nor kernel_runtime (a "
                       "fusion file) in it",
                       raw->name);
    file->task = tile ? TPU_TILE : TPU_FUSION;
    if (data->files && file->task != data->task)
        return ag_fail(why, AG_EUSE,
                       "%s is a %s file, but %.160s.npz is a %s file; the two kinds are different "
                       "tasks: name files of one kind",
                       raw->name, tpu_task_name[file->task], data->file[0].name,
                       tpu_task_name[data->task]);
    return AG_OK;
}

static ag_status read_file(tpu_data *data, tpu_file *file, const char *path, ag_failure *why)
{
    static const char *const read[] = {
        [TPU_TILE] = "node_feat node_opcode node_reducer edge_index operand_index dot_axes "
                     "config_feat config_runtime config_runtime_normalizers",
        [TPU_FUSION] = "node_feat node_opcode node_reducer edge_index operand_index dot_axes "
                       "node_offset edge_offset kernel_runtime"};
    tpugraphs_raw raw = {0};
    file->name = tpugraphs_take_name(&data->budget, &file->bytes, path, why);
    if (file->name && !tpugraphs_raw_open(&raw, path, &data->budget, TPU_OPCODES, why) &&
        !find_task(data, file, &raw, why) &&
        !(file->task == TPU_TILE ? read_tile : read_fusion)(data, file, &raw, why))
        tpugraphs_raw_verify(&raw, read[file->task], why);
    tpugraphs_raw_close(&raw);
    return why->status;
}

/* Everything was read, so the kernels get their program and count from now on. */
static void keep_file(tpu_data *data, const tpu_file *file)
{
    int program, family;
    tpu_name(data, file->name, file->task, &program, &family);
    data->task = file->task;
    data->file[data->files++] = *file;
    for (int i = 0; i < file->kernels; i++) {
        tpu_kernel *k = &data->kernel[data->kernels++];
        k->program = program;
        k->family = family;
        k->name = file->task == TPU_TILE ? file->name : data->program[program];
        data->hash = tpu_hash(data->hash, data, k, file->normalizer);
        tpu_static_features(k->analysis, k);
    }
}

static ag_status add_file(tpu_data *data, const char *path, ag_failure *why)
{
    tpu_file file = {0};
    tpu_file *list = tpugraphs_grow(&data->budget, &data->list_bytes, data->file, &data->file_room,
                                    data->files + 1, sizeof file, why);
    if (!list) return why->status;
    data->file = list;
    if (read_file(data, &file, path, why))
        free_file(data, &file);
    else
        keep_file(data, &file);
    return why->status;
}

ag_status tpu_data_add(tpu_data *data, const harness_files *paths, ag_failure *why)
{
    harness_reading r = {.path = paths->path, .count = paths->count};
    for (const char *path; (path = harness_reading_next(&r, why));) add_file(data, path, why);
    return why->status;
}

ag_status tpu_data_read(void *files, const harness_paths *given, const char *option,
                        ag_failure *why)
{
    tpu_data *data = files;
    if (harness_files_read(&data->paths, given, option, why)) return why->status;
    return tpu_data_add(data, &data->paths, why);
}

int tpu_data_known(const tpu_data *data)
{
    int n = 0;
    for (int i = 0; i < data->kernels; i++) n += data->kernel[i].runtime != NULL;
    return n;
}

double tpu_data_mean_log(const tpu_data *data)
{
    double sum = 0;
    int64_t n = 0;
    for (int i = 0; i < data->kernels; i++) {
        const tpu_kernel *k = &data->kernel[i];
        for (int c = 0; k->runtime && c < k->configs; c++, n++) sum += log((double)k->runtime[c]);
    }
    return n ? sum / (double)n : 0;
}

int tpu_kernel_teaches(const tpu_kernel *k)
{
    if (!k->runtime || !k->tile) return k->runtime != NULL;
    for (int i = 1; i < k->configs; i++)
        if (k->runtime[i] != k->runtime[0]) return 1;
    return 0;
}

void tpu_data_free(void *files)
{
    tpu_data *data = files;
    for (int i = 0; i < data->files; i++) free_file(data, &data->file[i]);
    ag_free(data->file);
    data->budget.used -= data->list_bytes;
    harness_names_free(data->program, data->program_at);
    harness_names_free(data->family, data->family_at);
    ag_free(data->kernel);
    harness_files_free(&data->paths);
    *data = (tpu_data){.budget = data->budget};
}
