/* SPDX-License-Identifier: MIT */
/* Runs that the device repeats have the same bits as runs that are launched op by op. They are
   repeated only if everything that the launches depend on is the same. Without a device there is
   nothing to test. */
#include "support/device_tape.h"

#include "autograd/op.h"

enum { NODES = 24, CONFIGS = 3, WIDTH = 16, PARTS = 8 };

typedef struct net {
    ag_params *params;
    ag_param *w[PARTS];
    ag_tape *tape;
    ag_graph *graph;
} net;

static net make(ag_device device)
{
    static const ag_shape shapes[PARTS] = {{2, {WIDTH, WIDTH}},     {1, {WIDTH}},
                                           {2, {WIDTH, WIDTH}},     {1, {1}},
                                           {2, {4 * WIDTH, WIDTH}}, {2, {4 * WIDTH, WIDTH}},
                                           {1, {4 * WIDTH}},        {2, {1, WIDTH}}};
    net n = {.params = ag_params_new(), .tape = ag_tape_new(device)};
    int32_t from[2 * NODES], to[2 * NODES];
    for (int i = 0; i < PARTS; i++)
        n.w[i] = ag_params_add(n.params, formatted("w%d", i), shapes[i], ag_init_uniform(0.1, 0.3),
                               i % 2);
    for (int e = 0; e < 2 * NODES; e++) from[e] = e % NODES, to[e] = (e * 7 + 1) % NODES;
    n.graph = ag_graph_build(NODES, from, to, 2 * NODES, AG_ALONG, NULL);
    assert_int_equal(ag_params_build(n.params, 3), AG_OK);
    assert_int_equal(ag_params_to(n.params, device, NULL), AG_OK);
    return n;
}

static void end(net *n)
{
    ag_tape_free(n->tape);
    ag_params_free(n->params);
    ag_graph_free(n->graph);
}

static ag_tensor *part(const net *n, int i) { return ag_parameter(n->tape, n->w[i]); }

static float x[64 * NODES * CONFIGS * WIDTH];

static void fill(int step)
{
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (float)((int)(i * 31 + (size_t)step * 17) % 101 - 50) / 50;
}

/* Configurations of a graph: products, norm, attention, neighbours, dropout, ranks. */
static ag_tensor *configurations(const net *n, int configs)
{
    static const int32_t rank[64] = {3, 1, 2, 5, 4};
    const ag_edges edges = ag_graph_edges(n->tape, n->graph);
    ag_tensor *h = ag_input(n->tape, x, AG_SHAPE(NODES, configs, WIDTH));
    h = ag_linear(h, part(n, 0), part(n, 1));
    h = ag_instance_norm(h, edges.starts, 1e-5f);
    h = ag_dropout(ag_gelu(ag_cross_attention(h, part(n, 3))), 0.25f);
    h = ag_spmm(ag_reshape(h, AG_SHAPE(NODES, configs * WIDTH)), edges, AG_AGGREGATE_SUM);
    h = ag_linear(ag_reshape(h, AG_SHAPE(NODES, configs, WIDTH)), part(n, 2), NULL);
    h = ag_dropout(ag_gelu(h), 0.25f);
    h = ag_segment_mean(ag_reshape(h, AG_SHAPE(NODES, configs * WIDTH)), edges.starts);
    h = ag_linear(ag_reshape(h, AG_SHAPE(configs, WIDTH)), part(n, 7), NULL);
    return ag_pairwise_logistic(ag_reshape(h, AG_SHAPE(configs)),
                                ag_input_i32(n->tape, rank, AG_SHAPE(configs)), AG_MEAN);
}

/* Sequences of rows: embedding, LSTM, ranks. */
static ag_tensor *sequences(const net *n, const int32_t *starts)
{
    static const int32_t rank[4] = {3, 1, 2, 5};
    ag_tensor *h = ag_input(n->tape, x, AG_SHAPE(NODES, WIDTH));
    h = ag_dropout(ag_relu(ag_linear(h, part(n, 0), part(n, 1))), 0.1f);
    h = ag_lstm(h, ag_input_i32(n->tape, starts, AG_SHAPE(5)), part(n, 4), part(n, 5), part(n, 6));
    h = ag_reshape(ag_linear(h, part(n, 7), NULL), AG_SHAPE(4));
    return ag_pairwise_logistic(h, ag_input_i32(n->tape, rank, AG_SHAPE(4)), AG_MEAN);
}

static const int32_t lengths[2][5] = {{0, 3, 10, 18, 24}, {0, 6, 9, 20, 24}};

typedef struct outcome {
    float loss[64];
    int n;
    float value[1 << 16];
    int64_t size;
} outcome;

/* The event of step s, besides the step. */
typedef enum story { PLAIN, TWICE, GROWS, MOVES, LENGTHS, FORWARD } story;

static ag_tensor *record(net *n, story how, int sequence, int step, int part_of)
{
    fill(step + 100 * part_of);
    ag_tape_reset(n->tape);
    ag_tape_seed(n->tape, 5, (uint64_t)(2 * step + part_of));
    if (sequence) return sequences(n, lengths[how == LENGTHS && step % 4 == 3]);
    return configurations(n, how == GROWS && step == 4 ? 4 * CONFIGS : CONFIGS);
}

static long train(outcome *o, story how, int sequence, int steps)
{
    const ag_adamw options = ag_adamw_default();
    net n = make(AG_CUDA);
    o->n = 0;
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k <= (how == TWICE); k++) {
            ag_tensor *loss = record(&n, how, sequence, s, k);
            ag_backward(loss);
            o->loss[o->n++] = ag_item(loss);
            assert_string_equal(ag_error(n.tape), "");
        }
        assert_int_equal(ag_clip_norm(n.params, 0.5, NULL, NULL), AG_OK);
        assert_int_equal(ag_adamw_step(n.params, &options, 0.01, NULL), AG_OK);
        if (how == FORWARD) {
            ag_tensor *loss = record(&n, how, sequence, s, 2);
            ag_forward(loss);
            o->loss[o->n++] = ag_item(loss);
        }
        if (how == MOVES && s == 3) {
            assert_int_equal(ag_params_to(n.params, AG_CPU, NULL), AG_OK);
            for (int i = 0; i < PARTS; i++) n.w[i]->value[0] += 0.125f;
            assert_int_equal(ag_params_to(n.params, AG_CUDA, NULL), AG_OK);
        }
    }
    assert_int_equal(ag_params_fetch(n.params, NULL), AG_OK);
    o->size = 4 * n.params->size; /* gradients and moments, too */
    assert_true(o->size <= 1 << 16);
    memcpy(o->value, n.params->value, (size_t)o->size * sizeof(float));
    const long replayed = n.tape->replayed;
    end(&n);
    return replayed;
}

/* Repeats so many runs; parameters that move may come back to where they were, or not. */
static void compare(story how, int sequence, int steps, long repeated)
{
    static outcome plain, again;
    setenv("AUGUR_GRAPHS", "0", 1);
    assert_int_equal(train(&plain, how, sequence, steps), 0);
    unsetenv("AUGUR_GRAPHS");
    const long replayed = train(&again, how, sequence, steps);
    assert_true(how == MOVES ? replayed >= repeated : replayed == repeated);
    assert_int_equal(plain.n, again.n);
    assert_memory_equal(plain.loss, again.loss, (size_t)plain.n * sizeof(float));
    assert_memory_equal(plain.value, again.value, (size_t)plain.size * sizeof(float));
    for (int i = 1; i < plain.n; i++) assert_true(plain.loss[i] != plain.loss[i - 1]);
}

static void steps_are_repeated(void **state)
{
    compare(PLAIN, 0, 6, 5);
    compare(PLAIN, 1, 6, 5);
}

/* The first run of a step stores gradients, the second one adds. */
static void gradients_add_up(void **state)
{
    compare(TWICE, 0, 4, 6);
    compare(TWICE, 1, 4, 6);
}

static void forward_runs_are_repeated(void **state) { compare(FORWARD, 0, 4, 6); }

/* Step 4 is larger: 3 repeated before, and afterwards the second one of the new slab on. */
static void a_new_slab_is_another_run(void **state) { compare(GROWS, 0, 9, 3 + 3); }

static void parameters_may_move(void **state) { compare(MOVES, 0, 8, 3 + 3); }

/* Steps 3, 7, 11 have other lengths, of one plan. */
static void lengths_decide_what_is_launched(void **state) { compare(LENGTHS, 1, 12, 12 - 2); }

/* ---- calls that are not repeated ---- */

static void run_three(net *n)
{
    for (int s = 0; s < 3; s++) {
        ag_tensor *loss = record(n, PLAIN, 0, s, 0);
        ag_params_reset(n->params);
        ag_backward(loss);
        assert_true(isfinite(ag_item(loss)));
        assert_string_equal(ag_error(n->tape), "");
    }
}

static void some_runs_are_launched(void **state)
{
    net n = make(AG_CUDA);
    ag_check_finite(n.tape, 1);
    run_three(&n);
    ag_check_finite(n.tape, 0);
    ag_profile(n.tape, 1);
    run_three(&n);
    ag_profile(n.tape, 0);
    setenv("AUGUR_GRAPHS", "0", 1);
    run_three(&n);
    unsetenv("AUGUR_GRAPHS");
    assert_int_equal(n.tape->replayed, 0);
    run_three(&n);
    assert_int_equal(n.tape->replayed, 2);
    end(&n);
}

static ag__timer *timer;

static int as_x(ag_call *call)
{
    call->ys[0] = call->xs[0];
    return 0;
}
CALL(mark)
{
    ag__device_fill(Y(0), 0, (size_t)ag_shape_count(a->ys[0]) * sizeof *Y(0));
    ag__timer_mark(timer);
}
static const ag_op mark_op = {
    .name = "mark", .inputs = "x", .shape = as_x, .forward = {&mark_kernel}};

/* An op that sets a mark of a timer does so in each run. */
static void marks_are_set_in_each_run(void **state)
{
    timer = ag__timer_new();
    for (int s = 0; s < 4; s++) {
        ag_tape_reset(tape);
        ag_tensor *x[] = {input(tape)};
        ag__timer_start(timer);
        ag_forward(ag_tanh(ag__record(&mark_op, x, 1, NULL)));
        ag__timer_mark(timer);
        assert_true(ag__timer_seconds(timer, 1) > 0); /* between the op's mark and the last */
        assert_string_equal(ag_error(tape), "");
    }
    assert_int_equal(tape->replayed, 0);
    ag__timer_free(timer);
}

/* More runs than are kept, over and over: each is launched again. A few are repeated. */
static void few_are_kept(void **state)
{
    for (int pass = 0; pass < 3; pass++)
        for (int n = AG_REPLAYS + 1; n > 0; n--) {
            ag_tape_reset(tape);
            ag_tensor *sum = ag_sum_all(ag_shift(ag_input(tape, data, AG_SHAPE(n)), 1));
            float want = 0;
            for (int i = 0; i < n; i++) want += data[i] + 1;
            ag_forward(sum);
            assert_true(fabsf(ag_item(sum) - want) <= 1e-4f);
        }
    assert_int_equal(tape->replayed, 0);
    for (int pass = 0; pass < 3; pass++)
        for (int n = 1; n < 4; n++) {
            ag_tape_reset(tape);
            ag_tensor *sum = ag_sum_all(ag_shift(ag_input(tape, data, AG_SHAPE(n)), 1));
            ag_forward(sum);
            assert_true(isfinite(ag_item(sum)));
        }
    assert_true(tape->replayed >= 3);
}

/* ---- failures, which the host execution makes ---- */

/* If recording the launches fails for any reason, the run is launched as before. */
static void what_cannot_be_noted_is_launched(void **state)
{
    static const struct {
        const char *call;
        int error, nth;
        long repeated;
    } all[] = {{"cudaStreamBeginCapture", 900, 1, 3},
               {"cudaLaunchKernelExC", 9, 3, 0},
               {"cudaGraphInstantiate", 2, 1, 0}};
    if (!cuda_on_host_fail) skip();
    for (int i = 0; i < 3; i++) {
        ag_tape *tape = ag_tape_new(AG_CUDA);
        for (int s = 0; s < 5; s++) {
            ag_tape_reset(tape);
            ag_tensor *sum = ag_sum_all(ag_tanh(ag_tanh(input(tape))));
            if (s == 1) cuda_on_host_fail(all[i].call, all[i].error, all[i].nth);
            ag_forward(sum);
            if (s == 1) cuda_on_host_fail(NULL, 0, 0);
            assert_true(isfinite(ag_item(sum)));
            assert_string_equal(ag_error(tape), "");
        }
        assert_int_equal(tape->replayed, all[i].repeated);
        ag_tape_free(tape);
    }
}

static void a_refused_repetition_says_so(void **state)
{
    if (!cuda_on_host_fail) skip();
    for (int s = 0; s < 4; s++) {
        ag_tape_reset(tape);
        ag_tensor *sum = ag_sum_all(ag_tanh(input(tape)));
        if (s == 2) cuda_on_host_fail("cudaGraphLaunch", 2, 1);
        ag_forward(sum);
        assert_int_equal(ag_tape_status(tape), s == 2 ? AG_EMEMORY : AG_OK);
        if (s == 2) expect(ag_error(tape), "no memory for a repeated run");
    }
}

int main(void)
{
    return run_there(steps_are_repeated, gradients_add_up, forward_runs_are_repeated,
                     a_new_slab_is_another_run, parameters_may_move,
                     lengths_decide_what_is_launched, some_runs_are_launched,
                     marks_are_set_in_each_run, few_are_kept, what_cannot_be_noted_is_launched,
                     a_refused_repetition_says_so);
}
