/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "program_files.h"
#include "tgraph_npz.h"

enum { NODES = 12, EDGES = 11, CONFIGURABLE = 3, MOST = 512, TILE_NODES = 5, MOST_KERNELS = 64 };
enum { LARGEST = 9 }; /* nodes of a fused kernel */

static uint32_t mixed(uint32_t x)
{
    x *= 2654435769u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

/* As in real files most features are 0: ridge regression takes the cube of the others' number. */
static void fill_features(float row[140], int node)
{
    test_fill_features(row, node);
    memset(row + 40, 0, 90 * sizeof *row);
}

/* Nodes with neighbouring codes, each of which but the first reads the one at half its place. */
static void make_tree(float (*node)[140], uint8_t *code, int64_t (*edge)[2], int nodes, int kind,
                      int first)
{
    for (int v = 0; v < nodes; v++) {
        fill_features(node[v], v + kind);
        code[v] = (uint8_t)(first + v);
        if (!v) continue;
        edge[v - 1][0] = v;
        edge[v - 1][1] = (v - 1) / 2;
    }
}

void program_write_layout(const char *name, int configs, int kind)
{
    static float node[NODES][140], config[MOST][CONFIGURABLE][18];
    static int64_t edge[EDGES][2], id[CONFIGURABLE] = {2, 5, 9}, runtime[MOST],
                                   split[2] = {0, NODES};
    uint8_t code[NODES];
    assert_true(configs >= 2 && configs <= MOST);
    make_tree(node, code, edge, NODES, kind, 10);
    for (int c = 0; c < configs; c++) {
        const int from = c == configs - 1 ? 0 : c;
        runtime[c] = 1000 + from % 3;
        for (int v = 0; v < CONFIGURABLE; v++)
            for (int k = 0; k < 18; k++) {
                const int digit = (int)(mixed((uint32_t)(from * 97 + v * 18 + k)) % 7);
                config[c][v][k] = (float)(digit - 1);
                runtime[c] += digit * (k % 5) * (v + 1 + kind);
            }
        if (c == configs - 1) runtime[c] /= 2;
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {NODES, 140}, node},
        {"node_opcode", AG_U8, 1, {NODES}, code},
        {"edge_index", AG_I64, 2, {EDGES, 2}, edge},
        {"node_config_feat", AG_F32, 3, {configs, CONFIGURABLE, 18}, config},
        {"node_config_ids", AG_I64, 1, {CONFIGURABLE}, id},
        {"config_runtime", AG_I64, 1, {configs}, runtime},
        {"node_splits", AG_I64, 2, {1, 2}, split},
        {"operand_index", AG_I64, 2, {EDGES, 2}, edge},
    };
    assert_true(test_arrays_write(test_file(name), array, 8));
}

void program_write_tile(const char *name, int configs, int kind)
{
    static float node[TILE_NODES][140], config[MOST][24];
    static int64_t edge[TILE_NODES - 1][2], runtime[MOST], normalizer[MOST];
    uint8_t code[TILE_NODES];
    make_tree(node, code, edge, TILE_NODES, kind, 60);
    for (int c = 0; c < configs; c++) {
        runtime[c] = 1000;
        normalizer[c] = 2000;
        for (int k = 0; k < 24; k++) {
            const int value = (int)(mixed((uint32_t)(c * 24 + k + kind)) % 9);
            config[c][k] = (float)value;
            runtime[c] += value * (k % 4) * 10;
        }
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {TILE_NODES, 140}, node},
        {"node_opcode", AG_U8, 1, {TILE_NODES}, code},
        {"edge_index", AG_I64, 2, {TILE_NODES - 1, 2}, edge},
        {"config_feat", AG_F32, 2, {configs, 24}, config},
        {"config_runtime", AG_I64, 1, {configs}, runtime},
        {"config_runtime_normalizers", AG_I64, 1, {configs}, normalizer},
    };
    assert_true(test_arrays_write(test_file(name), array, 6));
}

void program_write_fusion(const char *name, int kernels, int kind)
{
    static float node[MOST_KERNELS * LARGEST][140];
    static int64_t edge[MOST_KERNELS * LARGEST][2], node_offset[MOST_KERNELS + 1],
        edge_offset[MOST_KERNELS + 1], runtime[MOST_KERNELS];
    static uint8_t code[MOST_KERNELS * LARGEST];
    int nodes = 0, edges = 0;
    assert_true(kernels >= 1 && kernels <= MOST_KERNELS);
    for (int i = 0; i < kernels; i++) {
        const int n = 1 + (int)(mixed((uint32_t)(i + 100 * kind)) % LARGEST);
        runtime[i] = 800 + 37 * i;
        for (int v = 0; v < n; v++) {
            fill_features(node[nodes + v], v + kind + i);
            code[nodes + v] = (uint8_t)(30 + (v * 5 + i) % 20);
            runtime[i] += 100 * code[nodes + v];
        }
        for (int v = 1; v < n; v++, edges++) {
            edge[edges][0] = v;
            edge[edges][1] = (v - 1) / 2;
        }
        nodes += n;
        node_offset[i + 1] = nodes;
        edge_offset[i + 1] = edges;
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {nodes, 140}, node},
        {"node_opcode", AG_U8, 1, {nodes}, code},
        {"edge_index", AG_I64, 2, {edges, 2}, edge},
        {"node_offset", AG_I64, 1, {kernels + 1}, node_offset},
        {"edge_offset", AG_I64, 1, {kernels + 1}, edge_offset},
        {"kernel_runtime", AG_I64, 1, {kernels}, runtime},
    };
    assert_true(test_arrays_write(test_file(name), array, 6));
}

void program_write_rows(const char *name, int items, int kind)
{
    enum { ROWS = 8, COLUMNS = 3, COUNTED = 3 };
    float column[ROWS][COLUMNS], count[MOST * COUNTED];
    double work[ROWS];
    int32_t row[MOST * COUNTED];
    int64_t offset[MOST + 1] = {0}, group[MOST], runtime[MOST];
    int n = 0;
    assert_true(items >= 2 && items <= MOST);
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < COLUMNS; k++)
            column[r][k] = (float)(mixed((uint32_t)(r * 31 + k * 7 + kind)) % 9) - 4;
        work[r] = 1000 * (1 + r % 4);
    }
    for (int i = 0; i < items; i++) {
        double ns = 0;
        for (int k = 0; k <= i % COUNTED; k++, n++) {
            row[n] = (int32_t)(mixed((uint32_t)(i * 5 + k)) % ROWS);
            count[n] = (float)(1 + k);
            ns += (1 + k) * work[row[n]] * exp(0.2 * (double)column[row[n]][0]);
        }
        offset[i + 1] = n;
        group[i] = 2 * i / items;
        runtime[i] = (int64_t)ns + 10 * i;
    }
    const test_array array[] = {
        {"row_feature", AG_F32, 2, {ROWS, COLUMNS}, column},
        {"row_work", AG_F64, 1, {ROWS}, work},
        {"row_index", AG_I32, 1, {n}, row},
        {"row_count", AG_F32, 1, {n}, count},
        {"row_offset", AG_I64, 1, {items + 1}, offset},
        {"row_group", AG_I64, 1, {items}, group},
        {"config_runtime", AG_I64, 1, {items}, runtime},
    };
    assert_true(test_arrays_write(test_file(name), array, sizeof array / sizeof *array));
}
