/* SPDX-License-Identifier: MIT */
/* Scaled features and batches, against plain computations from the kernels' own arrays. */
#include "support/test.h"
#include "examples/tpu/model/batch.h"
#include "support/tpu_kernels.h"

#include <float.h>

enum { KERNELS = 12, SAMPLES = 9 };

/* Of kernels 5, 0 (60 nodes, alone with the cap), 3 and 5 again: a new group. */
static int pick(tpu_sample *sample, const tpu_data *d)
{
    static const int kernel[SAMPLES] = {5, 5, 5, 5, 0, 3, 3, 3, 5};
    static const int config[SAMPLES] = {11, 3, 7, 3, 0, 9, 1, 4, 2};
    for (int i = 0; i < SAMPLES; i++)
        sample[i] =
            (tpu_sample){&d->kernel[kernel[i]], d->task == TPU_TILE ? (int32_t)config[i] : 0};
    return SAMPLES;
}

/* ---- the scale ---- */

static double taken(float x, int logs)
{
    return logs ? (double)copysignf(log1pf(fabsf(x)), x) : (double)x;
}

static void the_training_range_becomes_0_to_1(void **state)
{
    for (int logs = 0; logs < 2; logs++) {
        tpu_data d;
        tpu_scaler s;
        ag_real y[60 * 140];
        double low[140], high[140];
        test_tpu_made(&d, TPU_TILE, KERNELS, NULL, NULL, 1);
        tpu_scaler_fit(&s, &d, logs, 0);
        for (int c = 0; c < 140; c++) low[c] = INFINITY, high[c] = -INFINITY;
        for (int i = 0; i < KERNELS; i++)
            for (int v = 0; v < d.kernel[i].nodes * 140; v++) {
                low[v % 140] = fmin(low[v % 140], taken(d.kernel[i].feature[v], logs));
                high[v % 140] = fmax(high[v % 140], taken(d.kernel[i].feature[v], logs));
            }
        for (int i = 0; i < KERNELS; i++) {
            const tpu_kernel *k = &d.kernel[i];
            tpu_scale(y, &s, &s.node, k->feature, k->nodes);
            for (int v = 0; v < k->nodes * 140; v++) {
                const double l = low[v % 140], h = high[v % 140], x = taken(k->feature[v], logs);
                assert_true(fabs((double)y[v] - (h > l ? (x - l) / (h - l) : 0)) < 1e-7);
                if (x == l) assert_true(y[v] == 0);
                if (x == h && h > l) assert_true(y[v] == 1);
            }
        }
        assert_int_equal(s.tile.rows, 1 + 8 + 3 + 10 + 5 + 12 + 7 + 2 + 9 + 4 + 11 + 6);
        test_tpu_made_free(&d);
    }
}

static void unseen_values_keep_their_distance_or_are_clamped(void **state)
{
    float a[140] = {0}, b[140] = {0}, x[140] = {0};
    ag_real y[140];
    int32_t opcode = 0;
    tpu_scaler s;
    for (int c = 0; c < 8; c++) b[c] = 10;
    a[2] = 1e-45F, b[2] = 0;
    a[3] = -FLT_MAX, b[3] = FLT_MAX;
    x[0] = 100, x[1] = -5, x[2] = FLT_MAX, x[3] = FLT_MAX, x[4] = 5, x[9] = 7;
    for (int clamp = 0; clamp < 2; clamp++) {
        const float expected[10] = {clamp ? 1 : 10, clamp ? 0 : -0.5F, clamp ? 1 : FLT_MAX, 1,
                                    0.5F};
        tpu_scaler_begin(&s, 0, clamp);
        tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = a, .opcode = &opcode});
        tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = b, .opcode = &opcode});
        tpu_scale(y, &s, &s.node, x, 1);
        for (int c = 0; c < 10; c++) assert_true((float)y[c] == expected[c]);
        for (int c = 0; c < 140; c++) assert_true(isfinite(y[c]));
    }
    tpu_scaler_begin(&s, 1, 0); /* nothing was seen: 0 */
    tpu_scale(y, &s, &s.tile, x, 1);
    for (int c = 0; c < 24; c++) assert_true(y[c] == 0);
    tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = a, .opcode = &opcode});
    tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = b, .opcode = &opcode});
    tpu_scale(y, &s, &s.node, x, 1);
    assert_true(fabs((double)y[4] - log(6) / log(11)) < 1e-6);
}

/* ---- contents of a batch ---- */

static void check_sample(const tpu_batch *b, int i, const tpu_sample *sample, const tpu_scaler *s)
{
    const tpu_kernel *k = sample[i].kernel;
    ag_real feature[60 * 140], tile[24];
    assert_ptr_equal(b->kernel[i], k);
    assert_int_equal(b->config[i], sample[i].config);
    assert_int_equal(b->start[i + 1] - b->start[i], k->nodes);
    tpu_scale(feature, s, &s->node, k->feature, k->nodes);
    for (int v = 0; v < k->nodes; v++) {
        const int node = b->start[i] + v, row = b->base[node];
        assert_int_equal(b->sample[node], i);
        assert_int_equal(row, b->base_start[b->group[i]] + v);
        assert_int_equal(b->opcode[row], k->opcode[v]);
        assert_memory_equal(b->feature + row * 140, feature + v * 140, 140 * sizeof(ag_real));
    }
    if (k->tile) {
        tpu_scale(tile, s, &s->tile, k->tile + 24 * sample[i].config, 1);
        assert_memory_equal(b->tile + i * 24, tile, sizeof tile);
    }
    assert_int_equal(b->runtime[i], k->runtime[sample[i].config]);
    assert_true(b->log_runtime[i] == (ag_real)log((double)b->runtime[i]));
}

/* Ranks are dense: one more than the largest of those that are faster. */
static void check_ranks(const tpu_batch *b)
{
    for (int g = 0; g < b->kernels; g++)
        for (int i = b->group_start[g]; i < b->group_start[g + 1]; i++) {
            int rank = 0;
            for (int j = b->group_start[g]; j < b->group_start[g + 1]; j++)
                if (b->runtime[j] < b->runtime[i] && b->rank[j] >= rank) rank = b->rank[j] + 1;
            assert_int_equal(b->group[i], g);
            assert_int_equal(b->rank[i], rank);
        }
}

static void a_batch_holds_its_samples(void **state)
{
    tpu_batch b = {0};
    const tpu_batch_options options = {.way = {1, 1, 1}};
    for (int task = TPU_TILE; task <= TPU_FUSION; task++) {
        tpu_data d;
        tpu_scaler s;
        tpu_sample sample[SAMPLES];
        ag_failure why = {0};
        test_tpu_made(&d, (tpu_task)task, KERNELS, NULL, NULL, 2);
        tpu_scaler_fit(&s, &d, 0, 0);
        assert_int_equal(tpu_batch_fill(&b, sample, pick(sample, &d), &s, &options, &why), AG_OK);
        assert_int_equal(b.samples, SAMPLES);
        assert_int_equal(b.kernels, 4);
        assert_memory_equal(b.group_start, ((int32_t[]){0, 4, 5, 8, 9}), 20);
        assert_int_equal(b.nodes, b.start[SAMPLES]);
        assert_int_equal(b.base_nodes, 60 + 2 * d.kernel[5].nodes + d.kernel[3].nodes);
        assert_int_equal(!b.tile, task == TPU_FUSION);
        for (int i = 0; i < SAMPLES; i++) check_sample(&b, i, sample, &s);
        check_ranks(&b);
        test_tpu_made_free(&d);
    }
    tpu_batch_free(&b);
}

/* ---- messages ---- */

/* Who sends a message to node v of a kernel, in order: the first of its operands, or users, or of
   both, then itself. */
static int senders(int32_t *from, const tpu_kernel *k, int v, int way, int loops)
{
    int n = 0;
    for (int user = way == TPU_USERS; user <= (way != TPU_OPERANDS); user++)
        for (int e = 0; e < k->edges && n < TPU_NEIGHBOURS; e++)
            if (k->edge[2 * e + user] == v) from[n++] = k->edge[2 * e + 1 - user];
    if (loops) from[n++] = v;
    return n;
}

static void check_graph(const tpu_batch *b, int way, int loops)
{
    const ag_graph *g = b->graph[way];
    int cut = 0;
    assert_int_equal(g->nodes, b->nodes);
    assert_memory_equal(g->starts, b->start, sizeof(int32_t) * ((size_t)b->samples + 1));
    for (int v = 0; v < b->nodes; v++) {
        const int first = b->start[b->sample[v]];
        int32_t from[TPU_NEIGHBOURS + 1];
        const int n = senders(from, b->kernel[b->sample[v]], v - first, way, loops);
        assert_int_equal(g->rows[2 * v + 1], n);
        for (int i = 0; i < n; i++)
            assert_int_equal(g->sources[g->rows[2 * v] + i], first + from[i]);
        cut += n == TPU_NEIGHBOURS + loops;
    }
    assert_true(cut > 0);
}

static void nodes_hear_their_first_neighbours(void **state)
{
    tpu_data d;
    tpu_scaler s;
    tpu_batch b = {0};
    tpu_sample sample[SAMPLES];
    ag_failure why = {0};
    test_tpu_made(&d, TPU_TILE, KERNELS, NULL, NULL, 5);
    tpu_scaler_fit(&s, &d, 0, 0);
    const int count = pick(sample, &d);
    for (int loops = 0; loops < 2; loops++) {
        const tpu_batch_options options = {.way = {1, 1, 1}, .loops = loops};
        assert_int_equal(tpu_batch_fill(&b, sample, count, &s, &options, &why), AG_OK);
        for (int way = 0; way < TPU_WAYS; way++) check_graph(&b, way, loops);
    }
    test_tpu_made_free(&d);
    tpu_batch_free(&b);
}

int main(void)
{
    return RUN_TESTS(the_training_range_becomes_0_to_1,
                     unseen_values_keep_their_distance_or_are_clamped, a_batch_holds_its_samples,
                     nodes_hear_their_first_neighbours);
}
