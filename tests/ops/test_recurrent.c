/* SPDX-License-Identifier: MIT */
/* LSTM and GRU over sequences of very different lengths, against plain loops in double over one
   sequence at a time. */
#include "recurrent_plain.h"
#include "augur.h"
#include "core/internal.h"
#include "support/device.h"
#include "unseen.h"

static const kind kinds[] = {{4, 0, 0}, {4, 1, 0}, {4, 1, 1}, {3, 0, 0}, {3, 1, 0}, {3, 1, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const kind lstm = {4, 0, 0};

static void setup(problem *p, kind kind, const int *lengths, int sequences, int in, int h)
{
    static const char *const names[] = {"x", "w_input", "w_state", "bias", "b_state"};
    ag_random r = {5, (uint64_t)h, 0};
    *p = (problem){.kind = kind, .in = in, .h = h, .sequences = sequences};
    for (int s = 0; s < sequences; s++) p->starts[s + 1] = p->n += lengths[s];
    p->params = ag_params_new();
    p->wide = kind.gates * h;
    p->parts = kind.gates == 4 ? 4 : 5;
    p->results = kind.states ? p->n : sequences;
    const ag_shape shapes[] = {AG_SHAPE(p->n, in), AG_SHAPE(p->wide, in), AG_SHAPE(p->wide, h),
                               AG_SHAPE(p->wide), AG_SHAPE(p->wide)};
    for (int k = 0; k < p->parts; k++)
        p->part[k] = ag_params_add(p->params, names[k], shapes[k], ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(p->params, 1), AG_OK);
    for (int k = 0; k < p->parts; k++)
        for (int64_t i = 0; i < p->part[k]->count; i++)
            p->part[k]->value[i] = (float)ag_random_normal(&r) / (k ? sqrtf((float)h) : 1);
    p->weight = test_malloc((size_t)(p->results * h + 1) * sizeof *p->weight);
    for (int i = 0; i < p->results * h; i++) p->weight[i] = (float)ag_random_normal(&r);
    p->tape = ag_tape_new(test_device());
}

static void teardown(problem *p)
{
    ag_tape_free(p->tape);
    ag_params_free(p->params);
    test_free(p->weight);
}

/* The rows of highest score, of a pooling, are the starts. */
static ag_tensor *chosen_starts(const problem *p)
{
    static const int32_t rows[2 * MOST], none[2];
    static int32_t whole[2];
    static float score[MOST];
    ag_tensor *pairs = ag_input_i32(p->tape, rows, AG_SHAPE(p->n, 2));
    ag_tensor *no_source = ag_input_i32(p->tape, none, AG_SHAPE(0)),
              *no_target = ag_input_i32(p->tape, none, AG_SHAPE(0, 2));
    whole[1] = p->n;
    for (int i = 0; i < MOST; i++) score[i] = 0;
    for (int s = 0; s <= p->sequences; s++) score[p->starts[s]] = 1;
    const ag_edges edges = {pairs, no_source, pairs, no_target,
                            ag_input_i32(p->tape, whole, AG_SHAPE(2))};
    ag_tensor *x = ag_input(p->tape, score, AG_SHAPE(p->n, 1));
    return ag_sag_pool(x, ag_input(p->tape, score, AG_SHAPE(p->n)), edges,
                       (float)(p->sequences + 1))
        .perm;
}

static ag_tensor *record(const problem *p, ag_tensor *starts, ag_tensor *const *in)
{
    const kind k = p->kind;
    if (k.gates == 4)
        return k.states ? ag_lstm_states(in[0], starts, in[1], in[2], in[3], k.backwards)
                        : ag_lstm(in[0], starts, in[1], in[2], in[3]);
    return k.states ? ag_gru_states(in[0], starts, in[1], in[2], in[3], in[4], k.backwards)
                    : ag_gru(in[0], starts, in[1], in[2], in[3], in[4]);
}

static void run(problem *p)
{
    ag_tensor *in[PARTS];
    ag_tape_reset(p->tape);
    ag_params_reset(p->params);
    assert_int_equal(ag_params_to(p->params, test_device(), NULL), AG_OK);
    const long before = ag__allocations();
    for (int k = 0; k < p->parts; k++) in[k] = ag_parameter(p->tape, p->part[k]);
    ag_tensor *starts = p->chosen ? chosen_starts(p) : unseen(p->tape, p->starts, p->sequences + 1);
    ag_tensor *y = ag_keep(record(p, starts, in));
    ag_tensor *weight = ag_input(p->tape, p->weight, AG_SHAPE(p->results, p->h));
    ag_backward(ag_sum_all(ag_mul(y, weight)));
    assert_string_equal(ag_error(p->tape), "");
    p->allocations = ag__allocations() - before;
    assert_int_equal(ag_params_to(p->params, AG_CPU, NULL), AG_OK);
    p->y = ag_values(y);
}

static void check(kind kind, const int *lengths, int sequences, int in, int h)
{
    problem p;
    setup(&p, kind, lengths, sequences, in, h);
    run(&p);
    compare(&p);
    teardown(&p);
}

static void test_mixed_lengths(void **state)
{
    static const int mixed[] = {2, 1000, 0, 1, 17, 0, 1000, 2, 999, 41, 1, 0};
    check(lstm, mixed, 12, 8, 20);
    check(lstm, mixed, 12, 3, 1);
    check(lstm, mixed, 12, 5, 33);
    for (int k = 1; k < KINDS; k++) check(kinds[k], mixed, 12, 5, 13);
}

/* Many sequences a step and a wide state: every way in which a product is cut. */
static void test_wide(void **state)
{
    int lengths[MOST];
    for (int s = 0; s < MOST; s++) lengths[s] = s % 9;
    for (int k = 0; k < KINDS; k++) check(kinds[k], lengths, MOST, 40, 130);
}

/* The last states are those of the last rows, and the first rows' in the other direction: the
   states of the same sequences turned around. */
static void test_directions(void **state)
{
    static const int lengths[] = {5, 1, 9, 2, 4};
    for (int gates = 3; gates <= 4; gates++) {
        problem last, all, back;
        setup(&last, (kind){gates, 0, 0}, lengths, 5, 6, 10);
        setup(&all, (kind){gates, 1, 0}, lengths, 5, 6, 10);
        setup(&back, (kind){gates, 1, 1}, lengths, 5, 6, 10);
        for (int s = 0; s < 5; s++)
            for (int first = all.starts[s], end = all.starts[s + 1], t = 0; first + t < end; t++)
                memcpy(back.part[0]->value + 6 * (end - 1 - t),
                       all.part[0]->value + 6 * (first + t), 6 * sizeof(float));
        run(&last);
        run(&all);
        run(&back);
        for (int s = 0; s < 5; s++) {
            const int first = all.starts[s], end = all.starts[s + 1];
            assert_memory_equal(last.y + 10 * s, all.y + 10 * (end - 1), 10 * sizeof(float));
            for (int r = first; r < end; r++)
                assert_memory_equal(back.y + 10 * r, all.y + 10 * (first + end - 1 - r),
                                    10 * sizeof(float));
        }
        teardown(&last);
        teardown(&all);
        teardown(&back);
    }
}

/* Order number `rank` of a fixed permutation. */
static int shuffled(int rank, int n) { return (7 * rank + 3) % n; }

/* The same sequences in another order: states and gradients of the rows move with them. */
static void test_order_of_sequences(void **state)
{
    problem p, q;
    int lengths[30], moved[30];
    for (int s = 0; s < 30; s++) lengths[s] = 5 * s % 13;
    for (int s = 0; s < 30; s++) moved[s] = lengths[shuffled(s, 30)];
    setup(&p, lstm, lengths, 30, 12, 48);
    setup(&q, lstm, moved, 30, 12, 48);
    for (int k = 1; k < p.parts; k++)
        memcpy(q.part[k]->value, p.part[k]->value, (size_t)p.part[k]->count * sizeof(float));
    for (int s = 0; s < 30; s++) {
        const int from = shuffled(s, 30);
        memcpy(q.part[0]->value + q.starts[s] * 12, p.part[0]->value + p.starts[from] * 12,
               (size_t)(lengths[from] * 12) * sizeof(float));
        memcpy(q.weight + s * 48, p.weight + from * 48, 48 * sizeof(float));
    }
    run(&p);
    run(&q);
    for (int s = 0; s < 30; s++) {
        const int from = shuffled(s, 30);
        const float *dp = p.part[0]->gradient + p.starts[from] * 12,
                    *dq = q.part[0]->gradient + q.starts[s] * 12;
        for (int u = 0; u < 48; u++)
            assert_true(fabsf(q.y[s * 48 + u] - p.y[from * 48 + u]) <= 1e-6f);
        for (int i = 0; i < lengths[from] * 12; i++) assert_true(fabsf(dq[i] - dp[i]) <= 1e-5f);
    }
    teardown(&p);
    teardown(&q);
}

static void check_threads(kind kind)
{
    static const int lengths[] = {41, 3, 41, 0, 40, 12, 41, 41, 1, 30, 7, 7, 7, 7, 7, 7, 7, 7};
    const int all = ag_threads();
    problem p, q;
    setup(&p, kind, lengths, 18, 96, 192);
    setup(&q, kind, lengths, 18, 96, 192);
    ag_set_threads(1);
    run(&p);
    ag_set_threads(2);
    run(&q);
    ag_set_threads(all);
    assert_memory_equal(p.y, q.y, (size_t)(p.results * 192) * sizeof(float));
    for (int k = 0; k < p.parts; k++)
        assert_memory_equal(p.part[k]->gradient, q.part[k]->gradient,
                            (size_t)p.part[k]->count * sizeof(float));
    teardown(&p);
    teardown(&q);
}

static void test_threads(void **state)
{
    for (int k = 0; k < KINDS; k++) check_threads(kinds[k]);
}

/* Other lengths under the same shapes need neither a plan nor memory; on a device they are another
   run to note. */
static void test_other_lengths(void **state)
{
    static const int lengths[] = {5, 0, 9, 2};
    static const int32_t others[] = {0, 16, 16, 16, 16};
    for (int k = 0; k < KINDS; k++) {
        problem p;
        setup(&p, kinds[k], lengths, 4, 6, 10);
        run(&p);
        compare(&p);
        memcpy(p.starts, others, sizeof others);
        run(&p);
        if (test_device() == AG_CPU) assert_int_equal(p.allocations, 0);
        compare(&p);
        teardown(&p);
    }
}

/* Starts that the host does not know when the step is recorded. */
static void check_starts_of_an_op(kind kind)
{
    static const int lengths[] = {3, 1, 5, 31};
    static const int32_t starts[] = {2, 5, 6, 27, 39};
    problem p;
    float y[400], gradient[PARTS][400];
    setup(&p, kind, lengths, 4, 6, 10);
    const size_t bytes = (size_t)(p.results * 10) * sizeof(float);
    memcpy(p.starts, starts, sizeof starts);
    run(&p);
    memcpy(y, p.y, bytes);
    for (int k = 0; k < p.parts; k++)
        memcpy(gradient[k], p.part[k]->gradient, (size_t)p.part[k]->count * sizeof(float));
    p.chosen = 1;
    run(&p);
    assert_memory_equal(p.y, y, bytes);
    for (int k = 0; k < p.parts; k++)
        assert_memory_equal(p.part[k]->gradient, gradient[k],
                            (size_t)p.part[k]->count * sizeof(float));
    teardown(&p);
}

static void test_starts_of_an_op(void **state)
{
    for (int k = 0; k < KINDS; k++) check_starts_of_an_op(kinds[k]);
}

static void expect_zeros(const float *x, int lo, int hi)
{
    for (int i = lo; i < hi; i++) assert_true(x[i] == 0);
}

/* Starts that are no starts touch only the tensors; rows without a sequence have state and gradient
   0. */
static void check_wild_starts(kind kind)
{
    static const int lengths[] = {3, 3, 3};
    static const int32_t wild[][4] = {{INT32_MAX, INT32_MIN, INT32_MAX, -1},
                                      {INT32_MIN, INT32_MAX, 0, 9},
                                      {5, 4, 4, 2},
                                      {0, 7, 2, 9},
                                      {2, 4, 4, 6}};
    problem p;
    setup(&p, kind, lengths, 3, 5, 7);
    for (int k = 0; k < 5; k++) {
        memcpy(p.starts, wild[k], sizeof wild[k]);
        run(&p);
        for (int i = 0; i < 7 * p.results; i++) assert_true(fabsf(p.y[i]) < 1);
        for (int i = 0; i < 45; i++) assert_true(isfinite(p.part[0]->gradient[i]));
    }
    compare(&p);
    expect_zeros(p.part[0]->gradient, 0, 10);
    expect_zeros(p.part[0]->gradient, 30, 45);
    if (kind.states) {
        expect_zeros(p.y, 0, 14);
        expect_zeros(p.y, 42, 63);
    } else {
        expect_zeros(p.y, 7, 14);
    }
    teardown(&p);
}

static void test_wild_starts(void **state)
{
    for (int k = 0; k < KINDS; k++) check_wild_starts(kinds[k]);
}

/* Values that only backward reads are not kept without a backward pass, and nothing else
   changes. */
static void check_inference(kind kind)
{
    enum { ROWS = 40, H = 32 };
    problem p;
    ag_tensor *in[PARTS];
    setup(&p, kind, (int[]){ROWS - 7, 7}, 2, 8, H);
    const size_t bytes = (size_t)(p.results * H) * sizeof(float);
    float *y = test_malloc(bytes);
    run(&p);
    memcpy(y, p.y, bytes);
    ag_tape_reset(p.tape);
    assert_int_equal(ag_params_to(p.params, test_device(), NULL), AG_OK);
    for (int k = 0; k < p.parts; k++) in[k] = ag_parameter(p.tape, p.part[k]);
    ag_tensor *out = record(&p, ag_input_i32(p.tape, p.starts, AG_SHAPE(3)), in);
    ag_tensor *loss = ag_sum_all(out);
    assert_true(ag_plan_of(loss, 1).slab >= ag_plan_of(out, 0).slab + 2 * ROWS * H * sizeof(float));
    ag_forward(out);
    assert_memory_equal(ag_values(out), y, bytes);
    test_free(y);
    teardown(&p);
}

static void test_inference_keeps_less(void **state)
{
    for (int k = 0; k < KINDS; k++) check_inference(kinds[k]);
}

static void refuse(ag_shape starts, ag_shape w_input, ag_shape w_state, ag_shape bias,
                   const char *want)
{
    static float real[64];
    static int32_t whole[64];
    ag_tape *tape = ag_tape_new(test_device());
    ag_lstm(ag_input(tape, real, AG_SHAPE(3, 5)), ag_input_i32(tape, whole, starts),
            ag_input(tape, real, w_input), ag_input(tape, real, w_state),
            ag_input(tape, real, bias));
    assert_int_equal(ag_failed(tape), *want != 0);
    if (!strstr(ag_error(tape), want)) fail_msg("\"%s\" lacks \"%s\"", ag_error(tape), want);
    ag_tape_free(tape);
}

static void test_errors(void **state)
{
    const ag_shape starts = AG_SHAPE(2), wi = AG_SHAPE(8, 5), ws = AG_SHAPE(8, 2), b = AG_SHAPE(8);
    refuse(starts, wi, ws, b, "");
    refuse(AG_SHAPE(0), wi, ws, b, "starts needs one axis with one element more than sequences");
    refuse(AG_SHAPE(2, 1), wi, ws, b, "starts needs one axis");
    refuse(starts, AG_SHAPE(40), ws, b, "x, w_input and w_state must have two axes");
    refuse(starts, AG_SHAPE(8, 4), ws, b, "w_input must be [8,5] and w_state [8,2]");
    refuse(starts, wi, AG_SHAPE(8, 3), b, "w_input must be [12,5] and w_state [12,3]");
    refuse(starts, wi, ws, AG_SHAPE(2), "bias must have 8 elements");
    refuse(starts, wi, ws, AG_SHAPE(8, 1), "bias must have 8 elements");
}

/* Weights of a GRU have three gates, and one bias alone is refused. */
static void refuse_gru(ag_shape w, int b_input, int b_state, const char *want)
{
    static float real[64];
    static const int32_t starts[] = {0, 3};
    ag_tape *tape = ag_tape_new(test_device());
    ag_tensor *x = ag_input(tape, real, AG_SHAPE(3, 2)), *weight = ag_input(tape, real, w),
              *bias[] = {NULL, ag_input(tape, real, AG_SHAPE(6)),
                         ag_input(tape, real, AG_SHAPE(5))};
    ag_gru(x, ag_input_i32(tape, starts, AG_SHAPE(2)), weight, weight, bias[b_input],
           bias[b_state]);
    assert_int_equal(ag_failed(tape), *want != 0);
    if (!strstr(ag_error(tape), want)) fail_msg("\"%s\" lacks \"%s\"", ag_error(tape), want);
    ag_tape_free(tape);
}

static void test_errors_of_gru(void **state)
{
    refuse_gru(AG_SHAPE(6, 2), 1, 1, "");
    refuse_gru(AG_SHAPE(6, 2), 0, 0, "");
    refuse_gru(AG_SHAPE(8, 2), 0, 0, "w_input must be [6,2] and w_state [6,2]");
    refuse_gru(AG_SHAPE(6, 2), 1, 2, "a bias must have 6 elements");
    refuse_gru(AG_SHAPE(6, 2), 1, 0, "gru: ");
    refuse_gru(AG_SHAPE(6, 2), 0, 1, "gru: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed_lengths),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_order_of_sequences),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_other_lengths),
        cmocka_unit_test(test_starts_of_an_op),
        cmocka_unit_test(test_wild_starts),
        cmocka_unit_test(test_inference_keeps_less),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_of_gru),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
