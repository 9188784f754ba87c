/* SPDX-License-Identifier: MIT */
/* Makes the baselines' columns: one-hot digits of a file, equal columns only once, or counts. */
#include "examples/tgraph/baseline/fit.h"

#include "core/error.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A candidate: two columns with equal counts and equal sums of hashes of their rows are equal (but
   for a chance of 2^-64, which costs a column). */
typedef struct column {
    uint64_t hash;
    int32_t ones, key, copies;
} column;

static void count_ones(column *all, const tgraph_file *file, const int32_t *config, int rows)
{
    int32_t digit[TGRAPH_DIGITS];
    for (int r = 0; r < rows; r++) {
        const uint32_t *word = tgraph_file_words(file, config[r]);
        const uint64_t hash = XXH3_64bits(&r, sizeof r);
        for (int v = 0; v < file->graph.configurable; v++) {
            column *node = all + (size_t)v * TGRAPH_KEYS;
            tgraph_unpack(digit, word + (size_t)v * TGRAPH_WORDS);
            for (int k = 0; k < TGRAPH_DIGITS; k++) {
                column *c = node + k * TGRAPH_LAYOUT_ROWS + digit[k];
                c->ones++;
                c->hash += hash;
            }
        }
    }
}

static int by_key(const void *a, const void *b)
{
    return ((const column *)a)->key - ((const column *)b)->key;
}

static int by_hash(const void *a, const void *b)
{
    const column *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->ones != y->ones ? x->ones - y->ones : by_key(a, b);
}

/* Sorts the column whose copies have the largest summed variance first. `hash` holds that variance
   by then. */
static int by_variance(const void *a, const void *b)
{
    const column *x = a, *y = b;
    if (x->hash != y->hash) return x->hash > y->hash ? -1 : 1;
    return by_key(a, b);
}

/* Moves the distinct columns that vary to the front and returns their number. */
static int distinct(column *all, size_t count, int rows)
{
    int kept = 0;
    for (size_t i = 0; i < count; i++) {
        all[i].key = (int32_t)i;
        all[i].copies = 1;
        if (all[i].ones > 0 && all[i].ones < rows) all[kept++] = all[i];
    }
    qsort(all, (size_t)kept, sizeof *all, by_hash);
    int n = 0;
    for (int i = 0; i < kept; i++)
        if (n && all[i].hash == all[n - 1].hash && all[i].ones == all[n - 1].ones)
            all[n - 1].copies++;
        else
            all[n++] = all[i];
    return n;
}

static int most_varied(column *all, int count, int most, int rows)
{
    if (count > most) {
        for (int i = 0; i < count; i++)
            all[i].hash =
                (uint64_t)all[i].ones * (uint64_t)(rows - all[i].ones) * (uint64_t)all[i].copies;
        qsort(all, (size_t)count, sizeof *all, by_variance);
        count = most;
    }
    qsort(all, (size_t)count, sizeof *all, by_key);
    return count;
}

int32_t *tgraph_onehot_keys(int *columns, int *found, const tgraph_file *file,
                            const int32_t *config, int rows, int most, ag_failure *why)
{
    const size_t count = (size_t)file->graph.configurable * TGRAPH_KEYS;
    if (count > INT32_MAX) {
        ag_fail(why, AG_EUSE,
                "%s: %d configurable nodes are too many for one-hot columns; at most %d",
                harness_files_short(file->path), file->graph.configurable, INT32_MAX / TGRAPH_KEYS);
        return NULL;
    }
    column *all = HARNESS_NEW(all, count);
    count_ones(all, file, config, rows);
    *found = distinct(all, count, rows);
    *columns = most_varied(all, *found, most, rows);
    int32_t *key = HARNESS_NEW(key, *columns);
    for (int i = 0; i < *columns; i++) key[i] = all[i].key;
    harness_free(all);
    return key;
}

void tgraph_onehot_row(float *x, const int32_t *key, int columns, const tgraph_file *file,
                       int config)
{
    const uint32_t *word = tgraph_file_words(file, config);
    int32_t digit[TGRAPH_DIGITS] = {0};
    for (int i = 0, unpacked = -1; i < columns; i++) {
        const int node = key[i] / TGRAPH_KEYS, rest = key[i] % TGRAPH_KEYS;
        if (node != unpacked) tgraph_unpack(digit, word + (size_t)node * TGRAPH_WORDS);
        unpacked = node;
        x[i] = (float)(digit[rest / TGRAPH_LAYOUT_ROWS] == rest % TGRAPH_LAYOUT_ROWS);
    }
}

static float small(float v) { return copysignf(log1pf(fabsf(v)), v); }

void tgraph_pool(float pooled[TGRAPH_POOLED], const tgraph_graph *g)
{
    for (int k = 0; k < TGRAPH_NUMERIC; k++) {
        double sum = 0;
        float most = g->nodes ? -INFINITY : 0;
        for (int v = 0; v < g->nodes; v++) {
            float x = small(g->raw[(size_t)v * TGRAPH_NUMERIC + (size_t)k]);
            sum += (double)x;
            most = x > most ? x : most;
        }
        pooled[k] = g->nodes ? (float)(sum / g->nodes) : 0;
        pooled[TGRAPH_NUMERIC + k] = most;
    }
}

static int kind_of(int32_t opcode)
{
    switch (opcode) {
    case TPUGRAPHS_CONVOLUTION: return 0;
    case TPUGRAPHS_DOT: return 1;
    case TPUGRAPHS_RESHAPE: return 2;
    default: return 3;
    }
}

void tgraph_count_row(float x[TGRAPH_COUNT_COLUMNS], const tgraph_file *file, int config,
                      const float pooled[TGRAPH_POOLED])
{
    const tgraph_graph *g = &file->graph;
    const uint32_t *word = tgraph_file_words(file, config);
    int32_t digit[TGRAPH_DIGITS];
    memset(x, 0, 2 * TGRAPH_COUNTS * sizeof *x);
    for (int i = 0; i < g->configurable; i++) {
        size_t v = (size_t)g->config_node[i];
        float size = small(g->raw[v * TGRAPH_NUMERIC + TPUGRAPHS_ELEMENTS]);
        float *out = x + kind_of(g->opcode[v]) * TGRAPH_KEYS;
        tgraph_unpack(digit, word + (size_t)i * TGRAPH_WORDS);
        for (int k = 0; k < TGRAPH_DIGITS; k++) {
            out[k * TGRAPH_LAYOUT_ROWS + digit[k]] += 1;
            out[TGRAPH_COUNTS + k * TGRAPH_LAYOUT_ROWS + digit[k]] += size;
        }
    }
    memcpy(x + 2 * TGRAPH_COUNTS, pooled, TGRAPH_POOLED * sizeof *x);
}
