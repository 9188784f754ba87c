/* SPDX-License-Identifier: MIT */
/* LSTM and GRU over sequences of different lengths, against steps that are made of products,
   elementwise ops and slices, over one sequence at a time. */
#include "support/composed.h"
#include "core/internal.h"
#include "unseen.h"

enum { MOST = 64, PARTS = 5 };

typedef struct kind {
    int gates; /* 4: LSTM, 3: GRU */
    int states, backwards;
} kind;

typedef struct problem {
    kind kind;
    int n, in, h, wide, sequences, parts, results;
    int32_t starts[MOST + 1];
    ag_params *params;
    ag_param *part[PARTS]; /* x, w_input, w_state, bias; of a GRU the second bias */
    ag_tape *tape, *plain; /* plain: of the steps, on the CPU */
    float *weight;         /* the loss is <y, weight> */
    const float *y;
    long allocations; /* of the last run */
    int chosen;       /* 1: an op makes the starts */
} problem;

static const kind kinds[] = {{4, 0, 0}, {4, 1, 0}, {4, 1, 1}, {3, 0, 0}, {3, 1, 0}, {3, 1, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void setup(problem *p, kind kind, const int *lengths, int sequences, int in, int h)
{
    static const char *const names[] = {"x", "w_input", "w_state", "bias", "b_state"};
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
    for (int k = 0; k < p->parts; k++) fill_numbers(p->part[k]->value, p->part[k]->count, 7);
    for (int64_t i = p->part[1]->offset; i < p->params->size; i++)
        p->params->value[i] *= 2 / sqrtf((float)h);
    p->weight = test_malloc((size_t)(p->results * h + 1) * sizeof *p->weight);
    fill_numbers(p->weight, p->results * h, 5);
    p->tape = ag_tape_new(test_device());
    p->plain = ag_tape_new(AG_CPU);
}

static void teardown(problem *p)
{
    ag_tape_free(p->tape);
    ag_tape_free(p->plain);
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
    ag_tensor *no_one = ag_input_i32(p->tape, none, AG_SHAPE(0)),
              *no_pair = ag_input_i32(p->tape, none, AG_SHAPE(0, 2));
    whole[1] = p->n;
    memset(score, 0, sizeof score);
    for (int s = 0; s <= p->sequences; s++) score[p->starts[s]] = 1;
    const ag_edges edges = {pairs, no_one, pairs, no_pair,
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

/* ---- the same in steps ---- */

static ag_tensor *gate(ag_tensor *both, int k, int h) { return ag_slice(both, 1, k * h, h); }

/* The state after a row [1,in]; the cell changes. */
static ag_tensor *lstm_step(ag_tensor *const *in, ag_tensor *row, ag_tensor *state,
                            ag_tensor **cell, int h)
{
    ag_tensor *sum = ag_add(ag_linear(row, in[1], in[3]), ag_linear(state, in[2], NULL));
    ag_tensor *fresh = ag_mul(ag_sigmoid(gate(sum, 0, h)), ag_tanh(gate(sum, 2, h)));
    *cell = ag_add(ag_mul(ag_sigmoid(gate(sum, 1, h)), *cell), fresh);
    return ag_mul(ag_sigmoid(gate(sum, 3, h)), ag_tanh(*cell));
}

static ag_tensor *gru_step(ag_tensor *const *in, ag_tensor *row, ag_tensor *state, int h)
{
    ag_tensor *a = ag_linear(row, in[1], in[3]), *b = ag_linear(state, in[2], in[4]);
    ag_tensor *reset = ag_sigmoid(ag_add(gate(a, 0, h), gate(b, 0, h))),
              *update = ag_sigmoid(ag_add(gate(a, 1, h), gate(b, 1, h))),
              *fresh = ag_tanh(ag_add(gate(a, 2, h), ag_mul(reset, gate(b, 2, h))));
    return ag_add(fresh, ag_mul(update, ag_sub(state, fresh)));
}

/* The states of a sequence, one row each in the order of the rows, or its last one. */
static ag_tensor *sequence(const problem *p, ag_tensor *const *in, int s)
{
    static const float zeros[256];
    const int first = p->starts[s], n = p->starts[s + 1] - first;
    ag_tensor *state = ag_input(p->plain, zeros, AG_SHAPE(1, p->h)), *cell = state,
              *all = ag_slice(state, 0, 0, 0);
    for (int t = 0; t < n; t++) {
        ag_tensor *row = ag_slice(in[0], 0, p->kind.backwards ? first + n - 1 - t : first + t, 1);
        state = p->kind.gates == 4 ? lstm_step(in, row, state, &cell, p->h)
                                   : gru_step(in, row, state, p->h);
        all = p->kind.backwards ? ag_concat2(state, all, 0) : ag_concat2(all, state, 0);
    }
    return p->kind.states ? all : state;
}

/* Rows without a sequence come before the first and after the last. */
static ag_tensor *in_steps(const problem *p, ag_tensor *const *in)
{
    static const float zeros[2048];
    const int32_t *starts = p->starts, end = p->starts[p->sequences];
    ag_tensor *y = ag_input(p->plain, zeros, AG_SHAPE(p->kind.states ? starts[0] : 0, p->h)),
              *rest = ag_input(p->plain, zeros, AG_SHAPE(p->kind.states ? p->n - end : 0, p->h));
    for (int s = 0; s < p->sequences; s++) y = ag_concat2(y, sequence(p, in, s), 0);
    return ag_concat2(y, rest, 0);
}

/* ---- runs ---- */

static ag_tensor *by_the_op(const problem *p, ag_tensor *const *in)
{
    ag_tensor *starts = p->chosen ? chosen_starts(p) : unseen(p->tape, p->starts, p->sequences + 1);
    return record(p, starts, in);
}

static void run_by(problem *p, ag_tensor *(*how)(const problem *p, ag_tensor *const *in))
{
    ag_tensor *in[PARTS];
    ag_tape *tape = how == in_steps ? p->plain : p->tape;
    ag_tape_reset(tape);
    ag_params_reset(p->params);
    assert_int_equal(ag_params_to(p->params, ag_tape_device(tape), NULL), AG_OK);
    const long before = ag__allocations();
    for (int k = 0; k < p->parts; k++) in[k] = ag_parameter(tape, p->part[k]);
    ag_tensor *y = ag_keep(how(p, in));
    ag_tensor *weight = ag_input(tape, p->weight, AG_SHAPE(p->results, p->h));
    ag_backward(ag_sum_all(ag_mul(y, weight)));
    assert_string_equal(ag_error(tape), "");
    p->allocations = ag__allocations() - before;
    assert_int_equal(ag_params_to(p->params, AG_CPU, NULL), AG_OK);
    p->y = ag_values(y);
}

static void run(problem *p) { run_by(p, by_the_op); }

/* Values and gradients of a run. */
static float kept_y[1 << 17], kept_gradient[1 << 19];

static void keep(const problem *p)
{
    assert_true(p->results * p->h <= 1 << 17 && p->params->size <= 1 << 19);
    memcpy(kept_y, p->y, (size_t)(p->results * p->h) * sizeof(float));
    memcpy(kept_gradient, p->params->gradient, (size_t)p->params->size * sizeof(float));
}

/* Runs again: the same bits. */
static void expect_again(problem *p)
{
    keep(p);
    run(p);
    assert_memory_equal(p->y, kept_y, (size_t)(p->results * p->h) * sizeof(float));
    assert_memory_equal(p->params->gradient, kept_gradient,
                        (size_t)p->params->size * sizeof(float));
}

/* Steps give the numbers of the last run; their results stay. */
static void compare(problem *p)
{
    const char *name = formatted("%d gates, states %d, backwards %d", p->kind.gates, p->kind.states,
                                 p->kind.backwards);
    keep(p);
    run_by(p, in_steps);
    composed_near(name, "value", kept_y, p->y, p->results * p->h, 1e-5f);
    for (int k = 0; k < p->parts; k++)
        composed_near(name, p->part[k]->name, kept_gradient + p->part[k]->offset,
                      p->part[k]->gradient, p->part[k]->count, 1e-4f);
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
    static const int mixed[] = {2, 14, 0, 1, 9, 0, 14, 2, 13, 5, 1, 0};
    check(kinds[0], mixed, 12, 8, 20);
    check(kinds[0], mixed, 12, 3, 1);
    check(kinds[0], mixed, 12, 5, 33);
    for (int k = 1; k < KINDS; k++) check(kinds[k], mixed, 12, 5, 13);
}

/* Many sequences a step and a wide state: every way in which a product is cut. */
static void test_wide(void **state)
{
    int lengths[MOST];
    for (int s = 0; s < MOST; s++) lengths[s] = s % 3;
    for (int k = 0; k < KINDS; k++) check(kinds[k], lengths, MOST, 40, 130);
}

static void check_threads(kind kind)
{
    static const int lengths[] = {41, 3, 41, 0, 40, 12, 41, 41, 1, 30, 7, 7, 7, 7, 7, 7, 7, 7};
    const int all = ag_threads();
    problem p;
    setup(&p, kind, lengths, 18, 96, 192);
    ag_set_threads(1);
    run(&p);
    ag_set_threads(2);
    expect_again(&p);
    ag_set_threads(all);
    teardown(&p);
}

/* Other lengths under the same shapes need neither a plan nor memory; on a device they are another
   run to note. */
static void check_other_lengths(kind kind)
{
    static const int lengths[] = {5, 0, 9, 2};
    static const int32_t others[] = {0, 16, 16, 16, 16};
    problem p;
    setup(&p, kind, lengths, 4, 6, 10);
    run(&p);
    compare(&p);
    run(&p);
    memcpy(p.starts, others, sizeof others);
    run(&p);
    if (test_device() == AG_CPU) assert_int_equal(p.allocations, 0);
    compare(&p);
    teardown(&p);
}

/* Starts that the host does not know when the step is recorded. */
static void check_starts_of_an_op(kind kind)
{
    static const int lengths[] = {3, 1, 5, 31};
    static const int32_t starts[] = {2, 5, 6, 27, 39};
    problem p;
    setup(&p, kind, lengths, 4, 6, 10);
    memcpy(p.starts, starts, sizeof starts);
    run(&p);
    p.chosen = 1;
    expect_again(&p);
    teardown(&p);
}

static void expect_zeros(const float *x, int lo, int hi)
{
    for (int i = lo; i < hi; i++) assert_true(x[i] == 0);
}

/* Starts that are not starts touch only the tensors; rows without a sequence have state and
   gradient 0. */
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

/* Values that only backward reads are not kept without a backward pass, and nothing else
   changes. */
static void check_inference(kind kind)
{
    enum { ROWS = 40, H = 32 };
    problem p;
    ag_tensor *in[PARTS];
    setup(&p, kind, (int[]){ROWS - 7, 7}, 2, 8, H);
    run(&p);
    keep(&p);
    ag_tape_reset(p.tape);
    assert_int_equal(ag_params_to(p.params, test_device(), NULL), AG_OK);
    for (int k = 0; k < p.parts; k++) in[k] = ag_parameter(p.tape, p.part[k]);
    ag_tensor *out = record(&p, ag_input_i32(p.tape, p.starts, AG_SHAPE(3)), in);
    ag_tensor *loss = ag_sum_all(out);
    assert_true(ag_plan_of(loss, 1).slab >= ag_plan_of(out, 0).slab + 2 * ROWS * H * sizeof(float));
    ag_forward(out);
    assert_memory_equal(ag_values(out), kept_y, (size_t)(p.results * H) * sizeof(float));
    teardown(&p);
}

static void test_each_kind(void **state)
{
    void (*const checks[])(kind) = {check_threads, check_other_lengths, check_starts_of_an_op,
                                    check_wild_starts, check_inference};
    for (int k = 0; k < KINDS; k++)
        for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) checks[c](kinds[k]);
}

/* Of x [3,5]; a bias of the shape [] is none. */
static void refuse(int gates, ag_shape starts, ag_shape w_input, ag_shape w_state, ag_shape b_input,
                   ag_shape b_state, const char *want)
{
    static float real[64];
    static int32_t whole[64];
    ag_tape *tape = ag_tape_new(test_device());
    ag_tensor *x = ag_input(tape, real, AG_SHAPE(3, 5)), *at = ag_input_i32(tape, whole, starts),
              *wi = ag_input(tape, real, w_input), *ws = ag_input(tape, real, w_state),
              *bi = b_input.rank ? ag_input(tape, real, b_input) : NULL,
              *bs = b_state.rank ? ag_input(tape, real, b_state) : NULL;
    gates == 4 ? ag_lstm(x, at, wi, ws, bi) : ag_gru(x, at, wi, ws, bi, bs);
    assert_int_equal(ag_failed(tape), *want != 0);
    if (!strstr(ag_error(tape), want)) fail_msg("\"%s\" lacks \"%s\"", ag_error(tape), want);
    ag_tape_free(tape);
}

static void test_errors(void **state)
{
    const ag_shape at = AG_SHAPE(2), wi = AG_SHAPE(8, 5), ws = AG_SHAPE(8, 2), b = AG_SHAPE(8),
                   none = AG_SCALAR;
    refuse(4, at, wi, ws, b, none, "");
    refuse(4, AG_SHAPE(0), wi, ws, b, none, "starts needs one axis with one element more than");
    refuse(4, at, AG_SHAPE(40), ws, b, none, "x, w_input and w_state must have two axes");
    refuse(4, at, AG_SHAPE(8, 4), ws, b, none, "w_input must be [8,5] and w_state [8,2]");
    refuse(4, at, wi, AG_SHAPE(8, 3), b, none, "w_input must be [12,5] and w_state [12,3]");
    refuse(4, at, wi, ws, AG_SHAPE(2), none, "bias must have 8 elements");
    const ag_shape gi = AG_SHAPE(6, 5), gs = AG_SHAPE(6, 2), c = AG_SHAPE(6); /* three gates */
    refuse(3, at, gi, gs, c, c, "");
    refuse(3, at, wi, gs, none, none, "w_input must be [6,5] and w_state [6,2]");
    refuse(3, at, gi, gs, c, AG_SHAPE(5), "a bias must have 6 elements");
    refuse(3, at, gi, gs, c, none, "gru: ");
    refuse(3, at, gi, gs, none, c, "gru: ");
}

int main(void) { return RUN_TESTS(test_mixed_lengths, test_wide, test_each_kind, test_errors); }
