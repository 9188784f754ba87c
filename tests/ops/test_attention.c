/* SPDX-License-Identifier: MIT */
/* Attention against products and softmaxes of each graph: graphs of 0 to 300 nodes in one batch,
   scores that overflow an exponential, starts that are none; its memory, and its sentences. */
#include "support/composed.h"
#include "unseen.h"

enum { MOST_GRAPHS = 7 };

typedef struct problem {
    int graphs, heads, d, n;
    int32_t starts[MOST_GRAPHS + 1];
    ag_params *params;
    ag_param *qkv;
    float *weight; /* the loss is <y, weight> */
    float dropout;
    ag_tape *tape;
} problem;

static void setup(problem *p, const int *nodes, int graphs, int heads, int d, float spread)
{
    ag_random r = {9, (uint64_t)d, 0};
    *p = (problem){.graphs = graphs, .heads = heads, .d = d, .params = ag_params_new()};
    for (int g = 0; g < graphs; g++) p->starts[g + 1] = p->starts[g] + nodes[g];
    p->n = p->starts[graphs];
    p->qkv = ag_params_add(p->params, "qkv", AG_SHAPE(p->n, 3 * heads * d), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(p->params, 1), AG_OK);
    p->weight = test_malloc((size_t)(p->n * heads * d) * sizeof *p->weight + 1);
    for (int i = 0; i < p->n * heads * d; i++) p->weight[i] = (float)ag_random_normal(&r);
    for (int i = 0; i < 3 * p->n * heads * d; i++)
        p->qkv->value[i] = spread * (float)ag_random_normal(&r);
    p->tape = ag_tape_new(test_device());
}

static void teardown(problem *p)
{
    ag_tape_free(p->tape);
    ag_params_free(p->params);
    test_free(p->weight);
}

/* The values, until the next reset; the gradient is in qkv. */
static const float *run(const problem *p, const int32_t *starts)
{
    ag_tape_reset(p->tape);
    ag_params_reset(p->params);
    assert_int_equal(ag_params_to(p->params, test_device(), NULL), AG_OK);
    ag_tensor *at = unseen(p->tape, starts, p->graphs + 1);
    ag_tensor *y = ag_keep(ag_attention(ag_parameter(p->tape, p->qkv), at, p->heads, p->dropout));
    ag_tensor *weight = ag_input(p->tape, p->weight, AG_SHAPE(p->n, p->heads * p->d));
    ag_backward(ag_sum_all(ag_mul(y, weight)));
    assert_string_equal(ag_error(p->tape), "");
    assert_int_equal(ag_params_to(p->params, AG_CPU, NULL), AG_OK);
    return ag_values(y);
}

static const problem *composed; /* what the two expressions are about */

static ag_tensor *whole(ag_tensor *const *p)
{
    ag_tensor *at = unseen(ag_tape_of(p[0]), composed->starts, composed->graphs + 1);
    return ag_attention(p[0], at, composed->heads, 0);
}

/* softmax(Q K' / sqrt d) V of some rows and one head. */
static ag_tensor *head(ag_tensor *rows, int h)
{
    const int d = composed->d, heads = composed->heads;
    ag_tensor *query = ag_slice(rows, 1, h * d, d), *key = ag_slice(rows, 1, (heads + h) * d, d);
    ag_tensor *scores = ag_scale(ag_matmul_t(query, key, 0, 1), 1 / sqrtf((float)d));
    return ag_matmul(ag_softmax(scores), ag_slice(rows, 1, (2 * heads + h) * d, d));
}

static ag_tensor *by_graphs(ag_tensor *const *p)
{
    ag_tensor *all = ag_slice(ag_slice(p[0], 1, 0, composed->heads * composed->d), 0, 0, 0);
    for (int g = 0; g < composed->graphs; g++) {
        const int first = composed->starts[g], n = composed->starts[g + 1] - first;
        ag_tensor *rows = ag_slice(p[0], 0, first, n), *y = head(rows, 0);
        for (int h = 1; h < composed->heads; h++) y = ag_concat2(y, head(rows, h), 1);
        all = ag_concat2(all, y, 0);
    }
    return all;
}

static void check(const int *nodes, int graphs, int heads, int d, float spread)
{
    problem p;
    setup(&p, nodes, graphs, heads, d, spread);
    composed = &p;
    composed_compare("attention", p.params, whole, by_graphs, 3e-5f);
    teardown(&p);
}

/* Blocks of one size and of several, features in one part and in two. */
static void test_graphs(void **state)
{
    static const int single[] = {1}, long_one[] = {1000};
    const int longer = test_device() == AG_CPU ? 300 : 100; /* several blocks of keys */
    const int mixed[] = {0, 1, 2, 41, longer, 0, 65};
    check(mixed, 7, 2, 16, 1);
    check(mixed, 7, 1, 100, 1);
    check(single, 1, 3, 5, 1);
    if (test_device() == AG_CPU) /* nothing new there, and slow where the host executes CUDA */
        check(long_one, 1, 1, 8, 2);
}

/* Products of thousands: the weights are 0 and 1, and nothing overflows on the way. */
static void test_large_scores(void **state)
{
    const int nodes[] = {5, test_device() == AG_CPU ? 150 : 70};
    problem p;
    setup(&p, nodes, 2, 2, 16, 40);
    const float *y = run(&p, p.starts);
    for (int i = 0; i < p.n * 32; i++) assert_true(isfinite(y[i]));
    for (int i = 0; i < p.n * 96; i++) assert_true(isfinite(p.qkv->gradient[i]));
    teardown(&p);
}

/* A graph's nodes do not depend on other graphs, not even on a NaN there. */
static void test_apart(void **state)
{
    static const int nodes[] = {3, 70, 4};
    problem p;
    setup(&p, nodes, 3, 2, 4, 1);
    p.qkv->value[20 * 24 + 8 + 4 + 2] = NAN; /* row 20, key of head 1, number 2 */
    const float *y = run(&p, p.starts);
    for (int v = 0; v < p.n; v++)
        for (int i = 0; i < 8; i++)
            assert_int_equal(isnan(y[8 * v + i]), i >= 4 && v >= 3 && v < 73);
    teardown(&p);
}

/* Weights are dropped: the mean over many steps is the value without. */
static void test_dropout(void **state)
{
    enum { STEPS = 2000, VALUES = 8 * 6 };
    static const int nodes[] = {1, 5, 2};
    double sum[VALUES] = {0};
    float whole[VALUES];
    problem p;
    setup(&p, nodes, 3, 2, 3, 1);
    memcpy(whole, run(&p, p.starts), sizeof whole);
    p.dropout = 0.5f;
    for (int step = 0; step < STEPS; step++) {
        ag_tape_seed(p.tape, 1, (uint64_t)step);
        const float *y = run(&p, p.starts);
        for (int i = 0; i < VALUES; i++) sum[i] += (double)y[i] / STEPS;
        for (int i = 0; i < 6; i++) /* one weight of 1 per head: doubled, or nothing */
            assert_true(y[i] == 0 || y[i] == 2 * whole[i]);
    }
    for (int i = 0; i < VALUES; i++) assert_true(fabs(sum[i] - (double)whole[i]) < 0.2);
    ag_tape_training(p.tape, 0);
    assert_memory_equal(run(&p, p.starts), whole, sizeof whole);
    teardown(&p);
}

static void test_threads(void **state)
{
    static const int nodes[] = {0, 1, 2, 41, 300};
    const int threads = ag_threads();
    problem p;
    if (test_device() != AG_CPU) skip();
    setup(&p, nodes, 5, 4, 16, 1);
    const size_t bytes = (size_t)(p.n * 64) * sizeof(float);
    float *y = test_malloc(bytes), *gradient = test_malloc(3 * bytes);
    for (int i = 0; i < 2; i++) {
        p.dropout = i ? 0.4f : 0;
        ag_set_threads(1);
        ag_tape_seed(p.tape, 0, 0);
        memcpy(y, run(&p, p.starts), bytes);
        memcpy(gradient, p.qkv->gradient, 3 * bytes);
        ag_set_threads(2);
        ag_tape_seed(p.tape, 0, 0);
        assert_memory_equal(run(&p, p.starts), y, bytes);
        assert_memory_equal(p.qkv->gradient, gradient, 3 * bytes);
    }
    ag_set_threads(threads);
    test_free(y);
    test_free(gradient);
    teardown(&p);
}

/* Starts that are not starts touch only the tensors, and every row gets a value. */
static void test_wild_starts(void **state)
{
    static const int nodes[] = {4, 3, 2};
    static const int32_t wild[][4] = {{INT32_MAX, INT32_MIN, INT32_MAX, -1}, {5, 4, 4, 2}};
    const int threads = ag_threads();
    problem p;
    ag_set_threads(1); /* two graphs may claim a row */
    setup(&p, nodes, 3, 2, 5, 1);
    for (int k = 0; k < 2; k++) {
        const float *y = run(&p, wild[k]);
        for (int i = 0; i < p.n * 10; i++) assert_true(fabsf(y[i]) < 9);
        for (int i = 0; i < p.n * 30; i++) assert_true(isfinite(p.qkv->gradient[i]));
    }
    ag_set_threads(threads);
    teardown(&p);
}

/* Memory grows with the rows: one graph of 1,000 nodes needs as much as 25 of 40, less than one
   head's scores. */
static void test_memory(void **state)
{
    static const int nodes[] = {1000};
    int32_t starts[26];
    problem p;
    setup(&p, nodes, 1, 8, 4, 1);
    assert_int_equal(ag_params_to(p.params, test_device(), NULL), AG_OK);
    size_t slab[2];
    for (int k = 0; k < 2; k++) {
        const int graphs = k ? 25 : 1;
        for (int g = 0; g <= graphs; g++) starts[g] = 1000 / graphs * g;
        ag_tape_reset(p.tape);
        ag_tensor *at = ag_input_i32(p.tape, starts, AG_SHAPE(graphs + 1));
        ag_tensor *y = ag_attention(ag_parameter(p.tape, p.qkv), at, 8, 0);
        slab[k] = ag_plan_of(ag_sum_all(ag_square(y)), 1).slab;
    }
    assert_int_equal(slab[0], slab[1]);
    assert_in_range(slab[0], 1, 1000 * 1000 * sizeof(float));
    teardown(&p);
}

static void test_sentences(void **state)
{
    static const float x[60];
    static const int32_t starts[3];
    const struct {
        int heads;
        ag_shape qkv, starts;
        const char *sentence;
    } wrong[] = {
        {0, AG_SHAPE(5, 12), AG_SHAPE(3),
         "qkv is [5,12], starts is [3]: there are 0 heads, but there must be 1 or more (op 0)"},
        {3, AG_SHAPE(5, 12), AG_SHAPE(3),
         "qkv is [5,12], starts is [3]: 12 features do not split into query, key and value of 3 "
         "heads (op 0)"},
        {1, AG_SHAPE(5, 10), AG_SHAPE(3),
         "qkv is [5,10], starts is [3]: 10 features do not split into query, key and value of 1 "
         "head (op 0)"},
        {2, AG_SHAPE(5, 12), AG_SHAPE(1),
         "qkv is [5,12], starts is [1]: there are 5 rows, but no graph (op 0)"},
        {2, AG_SHAPE(12), AG_SHAPE(3),
         "qkv is [12], starts is [3]: qkv needs axes of rows and features, starts one element "
         "more than there are graphs (op 0)"},
    };
    ag_tape *tape = ag_tape_new(test_device());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ag_tape_reset(tape);
        ag_tensor *at = ag_input_i32(tape, starts, wrong[i].starts);
        ag_attention(ag_input(tape, x, wrong[i].qkv), at, wrong[i].heads, 0);
        assert_memory_equal(ag_error(tape), "attention: ", 11);
        assert_string_equal(ag_error(tape) + 11, wrong[i].sentence);
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
    }
    ag_tape_free(tape);
}

int main(void)
{
    return RUN_TESTS(test_graphs, test_large_scores, test_apart, test_threads, test_wild_starts,
                     test_memory, test_sentences, test_dropout);
}
