/* SPDX-License-Identifier: MIT */
/* Properties of any TPU model, whatever its weights. */
#include "support/test.h"
#include "support/tpu_kernels.h"
#include "support/tpu_runner.h"

enum { KERNELS = 5, CONFIGS = 3, MOST = KERNELS * CONFIGS, COMBINATIONS = 12, HIDDEN = 16 };

static const tpu_api *const both[] = {&ag__tpu, &ag64__tpu};
static tpu_kernel made[2][KERNELS]; /* tile, fusion */
static tpu_scaler scaler;

/* One node; no edges; node 39 of kernel 2 has more operands than are heard. */
static int make(void **state)
{
    static const int nodes[KERNELS] = {1, 6, 40, 9, 17}, edges[KERNELS] = {0, 0, 90, 12, 30};
    for (int k = 0; k < 2 * KERNELS; k++) {
        const int i = k % KERNELS;
        tpu_kernel *m = &made[k / KERNELS][i];
        *m = test_kernel_random(nodes[i], edges[i], k < KERNELS ? CONFIGS : 0, 60 + (uint64_t)i);
        for (int e = 0; i == 2 && e < 30; e++) {
            m->edge[2 * e] = 39;
            m->edge[2 * e + 1] = e;
        }
    }
    scaler = test_unit_scaler();
    return 0;
}

static int drop(void **state)
{
    for (int k = 0; k < 2 * KERNELS; k++) tpu_kernel_free(&made[k / KERNELS][k % KERNELS]);
    return 0;
}

/* GNN and reduction number i. */
static tpu_options combination(int i, tpu_task task)
{
    tpu_options o = test_tpu_defaults(task);
    o.hidden = HIDDEN;
    o.embedding = 8;
    o.gnn = (tpu_gnn)(i / 4);
    o.reduction = (tpu_reduction)(TPU_PER_NODE + i % 4);
    return o;
}

static tpu_net *net_of(const tpu_api *api, const tpu_options *o)
{
    char why[TPU_WHY];
    tpu_net *net = api->create(o, 0, 5, why);
    if (!net) fail_msg("%s", why);
    return net;
}

static void predict(const tpu_api *api, tpu_net *net, const tpu_sample *sample, int n,
                    double *score)
{
    char why[TPU_WHY];
    const tpu_samples s = {sample, n, &scaler};
    api->scores(net, &s, score, why);
    assert_string_equal(why, "");
    for (int i = 0; i < n; i++) assert_true(isfinite(score[i]));
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Largest difference, relative to the largest score. */
static double distance(const double *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst / largest(a, n);
}

static double bound(const tpu_api *api) { return api == both[0] ? 1e-5 : 1e-13; }

/* ---- the nodes ---- */

/* Nodes in another topological order: only the LSTM reads the order. */
static void names_of_nodes_do_not_count(void **state)
{
    tpu_sample sample[MOST], renamed[MOST];
    tpu_kernel other[KERNELS];
    const int n = test_samples(sample, made[0], KERNELS);
    for (int k = 0; k < KERNELS; k++) other[k] = test_kernel_renamed(&made[0][k], 9);
    for (int i = 0; i < n; i++) renamed[i] = (tpu_sample){&other[i / CONFIGS], sample[i].config};
    for (int i = 0; i < 2 * COMBINATIONS; i++) {
        const tpu_api *api = both[i % 2];
        const tpu_options o = combination(i / 2, TPU_TILE);
        double score[MOST], again[MOST];
        tpu_net *net = net_of(api, &o);
        predict(api, net, sample, n, score);
        predict(api, net, renamed, n, again);
        api->destroy(net);
        const double far = distance(score, again, n);
        if (o.reduction == TPU_LSTM ? far < 1e-4 : far > bound(api))
            fail_msg("combination %d in %s: %g", i / 2, api->name, far);
    }
    for (int k = 0; k < KERNELS; k++) tpu_kernel_free(&other[k]);
}

/* ---- dropout ---- */

static void dropout_is_for_training(void **state)
{
    char why[TPU_WHY];
    for (int i = 0; i < COMBINATIONS; i++) {
        tpu_sample sample[MOST];
        double plain[MOST], dropped[MOST], trained[MOST];
        tpu_options o = combination(i, TPU_TILE);
        o.dropout = 0;
        const tpu_samples s = {sample, test_samples(sample, made[0], KERNELS), &scaler};
        tpu_net *net = net_of(both[0], &o);
        predict(both[0], net, sample, s.count, plain);
        both[0]->loss(net, &s, TPU_LOSS_HINGE, 1, trained, why);
        assert_string_equal(why, "");
        assert_true(distance(plain, trained, s.count) <= 1e-6);
        both[0]->destroy(net);
        o.dropout = 0.3;
        net = net_of(both[0], &o);
        predict(both[0], net, sample, s.count, dropped);
        both[0]->loss(net, &s, TPU_LOSS_HINGE, 1, trained, why);
        assert_string_equal(why, "");
        assert_memory_equal(plain, dropped, (size_t)s.count * sizeof *plain);
        assert_true(distance(plain, trained, s.count) > 1e-3);
        both[0]->destroy(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_nodes_do_not_count),
                                       cmocka_unit_test(dropout_is_for_training)};
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, make, drop);
}
