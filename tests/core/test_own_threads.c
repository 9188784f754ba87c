/* SPDX-License-Identifier: MIT */
/* Threads of the caller's, each with a tape of its own, get the bits of one thread alone. */
#include "support/test.h"
#include "augur.h"

#include <pthread.h>

enum { THREADS = 4, STEPS = 12, NODES = 300, EDGES = 900, F = 40, OUT = 24 };

/* One training: a graph network with dropout, products, segments and a ranking loss. */
typedef struct training {
    uint64_t seed;
    const ag_graph *graph; /* common to all */
    const float *x;
    float loss[STEPS], *weights;
    size_t bytes;
    char error[480];
} training;

static int32_t source[EDGES], target[EDGES], ranks[NODES];
static float features[NODES * F];

static ag_tensor *loss_of(const training *g, ag_tape *tape, const ag_sage_weights *conv,
                          ag_param *w, ag_param *head)
{
    const ag_edges edges = ag_graph_edges(tape, g->graph);
    ag_tensor *x = ag_input(tape, g->x, AG_SHAPE(NODES, F));
    ag_tensor *h = ag_gelu(ag_linear(x, ag_parameter(tape, w), NULL));
    h = ag_dropout(ag_sage(conv, h, edges, AG_AGGREGATE_MEAN, 1), 0.2f);
    h = ag_instance_norm(h, edges.starts, 1e-5f);
    ag_tensor *y = ag_reshape(ag_linear(h, ag_parameter(tape, head), NULL), AG_SHAPE(NODES));
    return ag_pairwise_logistic(y, ag_input_i32(tape, ranks, AG_SHAPE(NODES)), AG_MEAN);
}

static void *train(void *context)
{
    training *g = context;
    ag_failure why = {0};
    const ag_adamw options = ag_adamw_default();
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(F, F), ag_init_xavier_uniform(1), 1);
    ag_sage_weights conv = {
        ag_params_add(params, "neighbour", AG_SHAPE(OUT, F), ag_init_xavier_uniform(1), 1),
        ag_params_add(params, "bias", AG_SHAPE(OUT), ag_init_constant(0), 0),
        ag_params_add(params, "root", AG_SHAPE(OUT, F), ag_init_xavier_uniform(1), 1)};
    ag_param *head = ag_params_add(params, "head", AG_SHAPE(1, OUT), ag_init_normal(0, 1), 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_params_build(params, g->seed);
    for (int step = 0; step < STEPS && why.status == AG_OK; step++) {
        ag_tape_reset(tape);
        ag_tape_seed(tape, g->seed, (uint64_t)step);
        ag_tensor *loss = loss_of(g, tape, &conv, w, head);
        ag_backward(loss);
        g->loss[step] = ag_item(loss);
        ag_clip_norm(params, 1, NULL, &why);
        ag_adamw_step(params, &options, 1e-2, &why);
    }
    snprintf(g->error, sizeof g->error, "%s%s", ag_error(tape), why.sentence);
    g->bytes = (size_t)params->size * sizeof(float);
    g->weights = malloc(g->bytes);
    if (g->weights) memcpy(g->weights, params->value, g->bytes);
    ag_tape_free(tape);
    ag_params_free(params);
    return NULL;
}

/* One thread for each element of an array. */
static void at_once(void *(*work)(void *), void *array, size_t size)
{
    pthread_t thread[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, (char *)array + i * size), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

static void expect_same(const training *have, const training *want)
{
    assert_string_equal(have->error, "");
    assert_non_null(have->weights);
    assert_memory_equal(have->loss, want->loss, sizeof want->loss);
    assert_int_equal(have->bytes, want->bytes);
    assert_memory_equal(have->weights, want->weights, want->bytes);
}

/* All at once, on one and on two threads of the library's own each. */
static void test_same_bits(void **state)
{
    ag_graph *graph = ag_graph_build(NODES, source, target, EDGES, AG_BOTH_WAYS, NULL);
    training alone[THREADS], side[THREADS];
    const int before = ag_threads();
    assert_non_null(graph);
    ag_set_threads(1);
    for (int i = 0; i < THREADS; i++) {
        alone[i] = (training){.seed = (uint64_t)i / 2, .graph = graph, .x = features};
        train(&alone[i]);
        assert_string_equal(alone[i].error, "");
        assert_true(isfinite(alone[i].loss[0]) && alone[i].loss[STEPS - 1] < alone[i].loss[0]);
    }
    assert_memory_not_equal(alone[0].weights, alone[2].weights, alone[0].bytes);
    for (int own = 1; own <= 2; own++) {
        ag_set_threads(own);
        for (int i = 0; i < THREADS; i++)
            side[i] = (training){.seed = (uint64_t)i / 2, .graph = graph, .x = features};
        at_once(train, side, sizeof *side);
        for (int i = 0; i < THREADS; i++) {
            expect_same(&side[i], &alone[i]);
            free(side[i].weights);
        }
    }
    ag_set_threads(before);
    for (int i = 0; i < THREADS; i++) free(alone[i].weights);
    ag_graph_free(graph);
}

typedef struct reader {
    ag_param *w;
    float *out;
    char error[480];
} reader;

static void *infer(void *context)
{
    reader *r = context;
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int i = 0; i < 20; i++) {
        ag_tape_reset(tape);
        ag_tensor *x = ag_input(tape, features, AG_SHAPE(NODES, F));
        ag_tensor *y = ag_softmax(ag_tanh(ag_linear(x, ag_parameter(tape, r->w), NULL)));
        ag_forward(y);
        if (ag_failed(tape)) break;
        memcpy(r->out, ag_values(y), sizeof(float) * NODES * OUT);
    }
    snprintf(r->error, sizeof r->error, "%s", ag_error(tape));
    ag_tape_free(tape);
    return NULL;
}

/* Forward runs on one model. */
static void test_common_parameters(void **state)
{
    static float out[THREADS + 1][NODES * OUT];
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(OUT, F), ag_init_normal(0, 1), 1);
    reader readers[THREADS + 1];
    assert_int_equal(ag_params_build(params, 3), AG_OK);
    for (int i = 0; i <= THREADS; i++) readers[i] = (reader){.w = w, .out = out[i]};
    infer(&readers[THREADS]);
    at_once(infer, readers, sizeof *readers);
    for (int i = 0; i < THREADS; i++) {
        assert_string_equal(readers[i].error, "");
        assert_memory_equal(out[i], out[THREADS], sizeof out[i]);
    }
    ag_params_free(params);
}

int main(void)
{
    ag_random r = {9, 0, 0};
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)ag_random_below(&r, NODES);
        target[i] = (int32_t)ag_random_below(&r, NODES);
    }
    for (int i = 0; i < NODES; i++) ranks[i] = (int32_t)ag_random_below(&r, 50);
    for (int i = 0; i < NODES * F; i++) features[i] = (float)ag_random_normal(&r);
    return RUN_TESTS(test_same_bits, test_common_parameters);
}
