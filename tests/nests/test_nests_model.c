/* SPDX-License-Identifier: MIT */
/* The model of nests against sums in double: scores, losses and their gradients, scales, trees, and
   what is drawn in a step. */
#include "support/test.h"
#include "examples/nests/steps.h"
#include "nests_fake.h"
#include "support/nests_runner.h"

/* ---- a model on the batch of all items of the first groups ---- */

typedef struct net {
    nests_set set;
    nests_settings settings;
    nests_model model;
    nests_batch batch;
    int groups;
} net;

static void fill(net *n, int group, int first, int count)
{
    nests_pick pick[FAKE_GROUPS];
    const int groups = group < 0 ? n->groups : 1;
    for (int g = 0; g < groups; g++)
        pick[g] = (nests_pick){group < 0 ? g : group, count, fake_item + first};
    expect_ok(nests_batch_fill(&n->batch, &n->set.data, &n->model.scale, pick, groups,
                               n->settings.spread, new_failure()));
}

static net make(bool absolute, nests_settings settings)
{
    net n = {.set = fake_set(absolute), .settings = settings, .groups = 3};
    expect_ok(nests_model_add(&n.model, ag_params_new(), &n.settings, FAKE_COLUMNS, FAKE_WORDS,
                              absolute, new_failure()));
    expect_ok(nests_scale_fit(&n.model.scale, &n.set, new_failure()));
    assert_int_equal(ag_params_build(n.model.params, 5), AG_OK);
    fill(&n, -1, 0, FAKE_ITEMS);
    return n;
}

static void drop(net *n)
{
    nests_batch_free(&n->batch);
    ag_params_free(n->model.params);
    nests_model_free(&n->model);
}

/* ---- the same in double ---- */

static double at(const ag_param *p, int i) { return (double)p->value[i]; }

/* Layers with relu between them, on [word, columns, signs]. */
static double factor(const net *n, const nests_member *net, int g, int row)
{
    ag_real in[2 * FAKE_COLUMNS];
    double x[64], y[64];
    int width = NESTS_EMBEDDING + 2 * FAKE_COLUMNS;
    nests_scale_apply(in, &n->model.scale, fake_x[g][row]);
    for (int k = 0; k < NESTS_EMBEDDING; k++)
        x[k] = at(net->table, fake_word[g][row] * NESTS_EMBEDDING + k);
    for (int k = 0; k < 2 * FAKE_COLUMNS; k++) x[NESTS_EMBEDDING + k] = (double)in[k];
    for (int l = 0; l <= n->model.layers; l++) {
        const int last = l == n->model.layers, out = last ? 1 : n->settings.hidden;
        const ag_linear_layer *layer = last ? &net->output : &net->layer[l];
        for (int o = 0; o < out; o++) {
            y[o] = layer->bias ? at(layer->bias, o) : 0;
            for (int k = 0; k < width; k++) y[o] += at(layer->weight, o * width + k) * x[k];
            if (!last) y[o] = fmax(y[o], 0);
        }
        memcpy(x, y, sizeof x);
        width = out;
    }
    return x[0];
}

/* The time of an item by one network (NULL: the work alone), without the offset. */
static double time_of(const net *n, const nests_member *net, int g, int item)
{
    double sum = 0, cost[FAKE_ROWS];
    for (int r = 0; r < FAKE_ROWS; r++) {
        cost[r] = fake_work[g][r] * (net ? exp(factor(n, net, g, r)) : 1);
        if (g < 2) sum += (double)fake_always[g][r] * cost[r];
    }
    for (int k = 0; k < 2 && !fake_is_empty(g, item); k++)
        sum += (double)fake_times[g][item][k] * cost[fake_row[g][item][k]];
    return sum;
}

static void scores_are_sums(void **state)
{
    net n = make(false, fake_settings());
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *out = nests_forward(&n.model, tape, &n.batch);
    ag_forward(out);
    const ag_real *y = ag_values(out);
    if (!y) fail_msg("%s", ag_error(tape));
    for (int g = 0; g < n.groups; g++)
        for (int i = 0; i < FAKE_ITEMS; i++) {
            const int k = g * FAKE_ITEMS + i;
            if (fake_is_empty(g, i)) {
                assert_true(fabs((double)y[k] + 46) < 1e-4);
                continue;
            }
            const double work = log(time_of(&n, NULL, g, i));
            double mean = 0;
            for (int m = 0; m < 2; m++)
                mean += log(time_of(&n, &n.model.member[m], g, i)) / 2 - work / 2;
            assert_true(fabs(n.batch.base[k] - work - n.model.scale.offset) < 1e-12);
            assert_true(fabs((double)y[k] - mean) < 1e-5);
        }
    ag_tape_free(tape);
    drop(&n);
}

/* ---- losses ---- */

static double squares(double e, double limit)
{
    return limit > 0 && fabs(e) > limit ? limit * (2 * fabs(e) - limit) : e * e;
}

/* Pairs of a group whose scores are z: their mean over all n * n, and LambdaRank's sum. */
static double pairs(const double *z, const int64_t *ns, double top)
{
    double gain[FAKE_ITEMS], place[FAKE_ITEMS], best = 0, sum = 0, rank = 0, fastest = 1e30;
    for (int i = 0; i < FAKE_ITEMS; i++) fastest = fmin(fastest, (double)ns[i]);
    for (int i = 0; i < FAKE_ITEMS; i++) {
        int by_z = 0, by_ns = 0;
        for (int j = 0; j < FAKE_ITEMS; j++) {
            by_z += z[j] < z[i];
            by_ns += ns[j] < ns[i];
        }
        gain[i] = exp2(fastest / (double)ns[i]) - 1;
        place[i] = 1 / log2(by_z + 2);
        best += gain[i] / log2(by_ns + 2);
    }
    for (int i = 0; i < FAKE_ITEMS; i++)
        for (int j = 0; j < FAKE_ITEMS; j++) {
            if (ns[i] <= ns[j]) continue; /* i is the slower one */
            const double wrong = log1p(exp(-4 * (z[i] - z[j])));
            sum += wrong / FAKE_ITEMS / FAKE_ITEMS;
            rank += fabs(gain[i] - gain[j]) / best * fabs(place[i] - place[j]) * wrong / log(2);
        }
    return sum + top * rank;
}

/* The loss of one network's scores. */
static double plain_loss(const net *n, int member, bool absolute)
{
    const nests_settings *s = &n->settings;
    double sum = 0;
    for (int g = 0; g < n->groups; g++) {
        double z[FAKE_ITEMS], y[FAKE_ITEMS], error = 0, mean = 0, variance = 0;
        for (int i = 0; i < FAKE_ITEMS; i++) {
            z[i] = (fake_is_empty(g, i) ? -46 : log(time_of(n, &n->model.member[member], g, i))) +
                   n->model.scale.offset;
            y[i] = log((double)fake_runtime[g][i]);
            error += (z[i] - y[i]) / FAKE_ITEMS;
            mean += y[i] / FAKE_ITEMS;
        }
        for (int i = 0; i < FAKE_ITEMS; i++) variance += pow(y[i] - mean, 2) / FAKE_ITEMS;
        for (int i = 0; i < FAKE_ITEMS; i++)
            sum += squares(z[i] - y[i] - (absolute ? 0 : error), s->huber) / n->groups /
                   FAKE_ITEMS / (s->spread == NESTS_YES ? variance + 1e-3 : 1);
        if (s->order > 0) sum += s->order * pairs(z, fake_runtime[g], s->top) / n->groups;
    }
    return sum;
}

typedef struct recorded {
    const net *net;
    bool absolute;
} recorded;

static ag_tensor *record(ag_tape *tape, void *context)
{
    const recorded *r = context;
    return nests_loss_of_members(&r->net->model, tape, &r->net->batch, r->absolute,
                                 &r->net->settings);
}

static void losses(void **state)
{
    static const struct {
        bool absolute;
        int spread;
        double huber, order, top;
    } how[] = {{false, NESTS_YES, 0, 0, 0},   {false, NESTS_NO, 0.3, 0, 0},
               {true, NESTS_NO, 0.1, 0, 0},   {true, NESTS_NO, 0, 0, 0},
               {false, NESTS_YES, 0, 1, 0.3}, {false, NESTS_YES, 2, 0.5, 0}};
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        nests_settings s = fake_settings();
        s.spread = how[k].spread;
        s.huber = how[k].huber;
        s.order = how[k].order;
        s.top = how[k].top;
        net n = make(how[k].absolute, s);
        n.groups = 2; /* without the empty item: its error would hide all others */
        fill(&n, -1, 0, FAKE_ITEMS);
        recorded r = {&n, how[k].absolute};
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_tensor *loss = record(tape, &r);
        ag_forward(loss);
        const double plain = plain_loss(&n, 0, r.absolute) + plain_loss(&n, 1, r.absolute);
        if (!(fabs((double)ag_item(loss) - plain) < 1e-5 * plain))
            fail_msg("loss %d: %.9g, in double %.9g", (int)k, (double)ag_item(loss), plain);
        char where[200] = "";
        const double worst =
            ag64__nests.gradcheck(&n.set, &n.settings, FAKE_COLUMNS, FAKE_WORDS, n.groups, where);
        if (!(worst < 1e-5)) fail_msg("loss %d: gradients are off by %g, %s", (int)k, worst, where);
        ag_tape_free(tape);
        drop(&n);
    }
}

/* ---- scale, trees, steps ---- */

static void scale_of_columns(void **state)
{
    net n = make(false, fake_settings());
    const nests_scale *s = &n.model.scale;
    double mean = 0, square = 0, offset = 0;
    for (int g = 0; g < FAKE_GROUPS; g++) {
        for (int r = 0; r < FAKE_ROWS; r++) mean += (double)fake_x[g][r][0] / 20;
        for (int i = 0; i < FAKE_ITEMS; i++)
            offset += (log((double)fake_runtime[g][i]) -
                       (fake_is_empty(g, i) ? 0 : log(time_of(&n, NULL, g, i)))) /
                      (FAKE_GROUPS * FAKE_ITEMS);
    }
    for (int g = 0; g < FAKE_GROUPS; g++)
        for (int r = 0; r < FAKE_ROWS; r++) square += pow((double)fake_x[g][r][0] - mean, 2) / 20;
    assert_true(fabs(s->mean[0] - mean) < 1e-12);
    assert_true(fabs(s->deviation[0] - sqrt(square)) < 1e-12);
    assert_true(fabs(s->offset - offset) < 1e-12);
    ag_real out[2 * FAKE_COLUMNS];
    nests_scale_apply(out, s, (float[]){1e9F, -1e9F, 0});
    assert_true(out[0] == 5 && out[1] == -5 && out[2] == 0); /* column 2 is constant */
    assert_true(out[3] == 0 && out[4] == 1 && out[5] == 1);
    drop(&n);
}

/* One tree that asks for the word: rows with words 2 and 3 take twice as long. */
static void trees_scale_rows(void **state)
{
    nests_settings s = fake_settings();
    s.fit = NESTS_TREES;
    net n = make(false, s);
    double value[3 * FAKE_ITEMS + 16];
    assert_int_equal(n.model.members, 0);
    for (int k = 0; k < 3; k++) {
        n.model.trees.column[k] = FAKE_COLUMNS;
        n.model.trees.limit[k] = 1.5F;
    }
    for (int k = 2; k < 4; k++) n.model.trees.leaf[k] = (float)log(2);
    nests_trees_score(value, &n.model, &n.batch);
    for (int g = 0; g < n.groups; g++)
        for (int i = 0; i < FAKE_ITEMS; i++) {
            double before = 0, after = 0;
            for (int r = 0; r < FAKE_ROWS; r++) {
                double times = g < 2 ? (double)fake_always[g][r] : 0;
                for (int k = 0; k < 2 && !fake_is_empty(g, i); k++)
                    if (fake_row[g][i][k] == r) times += (double)fake_times[g][i][k];
                before += times * fake_work[g][r];
                after += times * fake_work[g][r] * (fake_word[g][r] >= 2 ? 2 : 1);
            }
            const double wanted = before > 0 ? log(after / before) : 0;
            assert_true(fabs(value[g * FAKE_ITEMS + i] - wanted) < 1e-6);
        }
    drop(&n);
}

static void draws_of_steps(void **state)
{
    net n = make(false, fake_settings());
    nests_sampler s;
    n.settings.groups = 2;
    n.settings.items = 4;
    expect_ok(nests_sampler_open(&s, &n.set, &n.model.scale, &n.settings, new_failure()));
    assert_int_equal(s.groups, 3); /* not the one whose run times are equal */
    int seen[FAKE_GROUPS] = {0}, items[FAKE_ITEMS] = {0}, first[4];
    for (int step = 0; step < 30; step++) {
        assert_int_equal(nests_sampler_draw(&s, step), 2);
        for (int g = 0; g < 2; g++) {
            seen[s.pick[g].group]++;
            assert_int_equal(s.pick[g].count, 4);
            for (int i = 0; i < 4; i++) {
                assert_true(!i || s.pick[g].item[i] > s.pick[g].item[i - 1]);
                items[s.pick[g].item[i]]++;
            }
        }
        if (step == 7) memcpy(first, s.pick[1].item, sizeof first);
    }
    for (int g = 0; g < 3; g++) assert_int_equal(seen[g], 20); /* each once in an epoch */
    for (int i = 0; i < FAKE_ITEMS; i++) assert_in_range(items[i], 20, 60);
    nests_sampler_draw(&s, 7);
    assert_memory_equal(first, s.pick[1].item, sizeof first);
    nests_sampler_close(&s);
    for (int g = 0; g < FAKE_GROUPS; g++)
        for (int i = 0; i < FAKE_ITEMS; i++) fake_runtime[g][i] = 5;
    expect_status(nests_sampler_open(&s, &n.set, &n.model.scale, &n.settings, new_failure()),
                  AG_EUSE, "none of the 4 groups has two items with different");
    nests_sampler_close(&s);
    drop(&n);
}

int main(void)
{
    return RUN_TESTS(scores_are_sums, losses, scale_of_columns, trees_scale_rows, draws_of_steps);
}
