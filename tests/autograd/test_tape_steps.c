/* SPDX-License-Identifier: MIT */
/* The state of one step of a tape: its tensors, the random numbers of its dropouts, and the data
   that it borrows. */
#include "support/test.h"
#include "augur.h"
#include "support/tape.h"

enum { N = 1000 };
static float ones[N], masks[3][N];
static const int32_t starts[] = {0, 2, 4};

/* ---- random numbers ---- */

static void draw(float *out, ag_tape *tape)
{
    ag_tensor *y = ag_dropout(ag_input(tape, ones, AG_SHAPE(N)), 0.5f);
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    memcpy(out, ag_values(y), sizeof ones);
}

static void test_unseeded_steps_differ(void **state)
{
    ag_tape *again = ag_tape_new(AG_CPU);
    for (int i = 0; i < 3; i++) {
        draw(masks[i], tape);
        ag_tape_reset(tape);
        ag_tape_reset(tape); /* nothing ran: the same step */
    }
    assert_memory_not_equal(masks[0], masks[1], sizeof ones);
    assert_memory_not_equal(masks[0], masks[2], sizeof ones);
    assert_memory_not_equal(masks[1], masks[2], sizeof ones);
    for (int i = 0; i < 3; i++) { /* the draws of steps 0, 1, 2 of seed 0 */
        float seeded[N];
        ag_tape_seed(again, 0, (uint64_t)i);
        draw(seeded, again);
        ag_tape_reset(again);
        assert_memory_equal(seeded, masks[i], sizeof ones);
    }
    ag_tape_free(again);
}

static void test_seeded_steps_stay(void **state)
{
    ag_tape_seed(tape, 3, 4);
    for (int i = 0; i < 3; i++) {
        draw(masks[i], tape);
        ag_tape_reset(tape);
        assert_memory_equal(masks[i], masks[0], sizeof ones);
    }
}

/* Each step says whether it trains, and a failure ends with its step. */
static void test_begin_and_compute(void **state)
{
    for (int training = 0; training < 2; training++) {
        ag_tape_begin(tape, training);
        assert_int_equal(ag_is_training(tape), training);
        const ag_real *y =
            ag_compute(ag_dropout(ag_input(tape, ones, AG_SHAPE(N)), 0.5f), new_failure());
        expect_ok(last_failure()->status);
        assert_int_equal(memcmp(y, ones, sizeof ones) != 0, training);
        expect_null(ag_compute(ag_input_i32(tape, starts, AG_SHAPE(3)), new_failure()), AG_EUSE,
                    "");
        assert_string_equal(last_failure()->sentence, ag_error(tape));
    }
}

static ag_tensor *dropped(ag_tape *tape, void *context)
{
    return ag_sum_all(ag_square(ag_dropout(ag_parameter(tape, context), 0.5f)));
}

/* The differences of a check need one mask. */
static void test_gradcheck_keeps_the_mask(void **state)
{
    char where[200];
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(20), ag_init_uniform(1, 2), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    const ag_gradcheck_options options = {.step = 1e-2};
    assert_true(ag_gradcheck(dropped, w, params, &options, where) < 1e-2);
    ag_params_free(params);
}

/* ---- tensors of an earlier step ---- */

static ag_tensor *input(ag_tape *tape) { return ag_input(tape, ones, AG_SHAPE(4, 2)); }

static void expect_stale(ag_tape *tape, const char *who)
{
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    if (strncmp(ag_error(tape), who, strlen(who)) != 0 || !strstr(ag_error(tape), "earlier step"))
        fail_msg("%s instead of %s...", ag_error(tape), who);
    ag_tape_reset(tape);
}

/* The square of an input, of a step that ran or not; the next step has `inputs` already. */
static ag_tensor *earlier(ag_tape *tape, int inputs, int ran)
{
    ag_tensor *y = ag_square(input(tape));
    if (ran) ag_forward(y);
    ag_tape_reset(tape);
    for (int k = 0; k < inputs; k++) input(tape);
    return y;
}

/* Every use of it is refused, among them after as many tensors as the step before had. */
#define STALE(who, use)                         \
 for (int k = 0; k < 12; k++) {                 \
  ag_tensor *old = earlier(tape, k / 2, k & 1); \
  use;                                          \
  expect_stale(tape, who);                      \
 }

static void test_earlier_steps_are_found(void **state)
{
    STALE("mul: z (input 1)", ag_mul(input(tape), old));
    STALE("mul: x (input 0)", ag_mul(old, input(tape)));
    STALE("concat: x (input 1)", ag_concat2(input(tape), old, 0));
    STALE("ag_backward:", ag_backward(old));
    STALE("ag_forward:", ag_forward(old));
    STALE("ag_keep:", ag_keep(old));
    STALE("ag_name:", ag_name(old, "late"));
    STALE("ag_values:", assert_null(ag_values(old)));
    STALE("ag_values_i32:", assert_null(ag_values_i32(old)));
    STALE("ag_item:", assert_true(isnan(ag_item(old))));
    STALE("ag_shape_of:", assert_int_equal(ag_shape_of(old).rank, 0));
    STALE("ag_size:", assert_int_equal(ag_size(old, 0), 1));
    STALE("A plan:", assert_int_equal(ag_plan_of(old, 1).steps, 0));
}

/* The documented seven steps, of a tape whose steps are of one size. */
static void test_seven_steps_later(void **state)
{
    for (int width = 1; width < 200; width += 33)
        for (int later = 1; later <= 7; later++) {
            ag_tape *own = ag_tape_new(AG_CPU);
            ag_tensor *old[200];
            for (int step = 0; step < later; step++) {
                for (int k = 0; k < width; k++) {
                    ag_tensor *x = input(own);
                    if (step == 0) old[k] = x;
                }
                ag_tape_reset(own);
            }
            for (int k = 0; k < width; k++) { /* the last of the seven is half recorded */
                ag_tape_reset(own);
                ag_relu(old[k]);
                expect_stale(own, "relu: x (input 0)");
            }
            ag_tape_free(own);
        }
}

/* A model that keeps its parameter's tensor, as it should not. */
static void test_a_kept_parameter(void **state)
{
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(3, 2), ag_init_constant(1), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    ag_tensor *kept = ag_parameter(tape, w);
    ag_backward(ag_sum_all(ag_linear(input(tape), kept, NULL)));
    assert_string_equal(ag_error(tape), "");
    ag_tape_reset(tape);
    ag_params_reset(params);
    ag_tensor *loss = ag_sum_all(ag_linear(input(tape), kept, NULL));
    ag_backward(loss);
    assert_string_equal(ag_error(tape),
                        "linear: w (input 1) is a tensor of an earlier step, which ag_tape_reset "
                        "ended (op 0); record inputs and parameters again in every step");
    assert_true(isnan(ag_item(loss)));
    assert_int_equal(params->state, AG_EMPTY);
    ag_tape_reset(tape);
    ag_relu(loss); /* poison ends, too */
    expect_stale(tape, "relu: x (input 0)");
    ag_params_free(params);
}

/* The starts of a pooling are read while it is recorded: those of an earlier step may be freed. */
static void test_earlier_edges(void **state)
{
    static const int32_t rows[8], none[1];
    int32_t *given = malloc(sizeof starts);
    memcpy(given, starts, sizeof starts);
    ag_edges edges = {
        ag_input_i32(tape, rows, AG_SHAPE(4, 2)), ag_input_i32(tape, none, AG_SHAPE(0)),
        ag_input_i32(tape, rows, AG_SHAPE(4, 2)), ag_input_i32(tape, none, AG_SHAPE(0, 2)),
        ag_input_i32(tape, given, AG_SHAPE(3))};
    ag_topk(input(tape), ag_input(tape, ones, AG_SHAPE(2)), edges, 0.5f);
    assert_string_equal(ag_error(tape), "");
    ag_tape_reset(tape);
    free(given);
    ag_topk(input(tape), ag_input(tape, ones, AG_SHAPE(2)), edges, 0.5f);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    ag_tape_reset(tape);
    ag_spmm(input(tape), edges, AG_AGGREGATE_SUM);
    expect_stale(tape, "spmm_sum: rows (input 1)");
}

/* ---- borrowed data, which a debug build watches ---- */

static void expect_change(ag_tape *tape, const char *what)
{
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_string_equal(ag_error(tape),
                        formatted("%s; borrowed data must stay as it is until ag_forward or "
                                  "ag_backward returns, so record after a change or give the tape "
                                  "a copy",
                                  what));
    ag_tape_reset(tape);
}

/* A change between record and the end of the run is named. */
static void test_borrowed_data_is_watched(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6};
    int32_t where[2] = {0, 1};
#ifdef NDEBUG
    skip();
#endif
    ag_params *params = ag_params_new();
    ag_param *p = ag_params_add(params, "w", AG_SHAPE(3, 2), ag_init_normal(0, 1), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    ag_tensor *table = ag_name(ag_input(tape, x, AG_SHAPE(3, 2)), "table");
    ag_tensor *y = ag_gather(table, ag_input_i32(tape, where, AG_SHAPE(2)));
    x[5] = 7;
    ag_forward(y);
    expect_change(tape, "input 0, \"table\": its data [3,2] changed between recording and the run");
    table = ag_input(tape, x, AG_SHAPE(3, 2));
    y = ag_gather(table, ag_input_i32(tape, where, AG_SHAPE(2)));
    where[1] = 2;
    ag_backward(ag_sum_all(ag_mul(y, y)));
    expect_change(tape, "input 1: its data [2] changed between recording and the run");
    ag_tensor *w = ag_parameter(tape, p), *own = ag_input(tape, p->gradient, AG_SHAPE(3, 2));
    ag_backward(ag_sum_all(ag_square(ag_sub(w, own))));
    assert_int_equal(params->state, AG_BAD);
    expect_change(tape, "input 1: its data [3,2] changed during the run");
    ag_params_reset(params);
    ag_tensor *loss = ag_sum_all(ag_mul(ag_parameter(tape, p), ag_input(tape, x, AG_SHAPE(3, 2))));
    p->value[0] += 1; /* parameters are not inputs: an optimizer may come in between */
    ag_backward(loss);
    x[0] += 1; /* the run is over */
    assert_true(isfinite(ag_item(loss)));
    assert_string_equal(ag_error(tape), "");
    ag_params_free(params);
}

/* ---- two tapes ---- */

static void test_both_tapes_fail(void **state)
{
    for (int swap = 0; swap < 2; swap++)
        for (int failed = 0; failed < 2; failed++) {
            ag_tape *a = ag_tape_new(AG_CPU), *b = ag_tape_new(AG_CPU);
            ag_tensor *x = input(a), *z = input(b);
            if (failed) ag_tape_fail(a, AG_EDATA, "Another failure");
            ag_add(swap ? z : x, swap ? x : z);
            assert_int_equal(ag_tape_status(a), failed ? AG_EDATA : AG_EUSE);
            assert_int_equal(ag_tape_status(b), AG_EUSE);
            assert_string_equal(ag_error(b),
                                "add: z (input 1) belongs to another tape than the inputs before "
                                "it (op 0); record all inputs of an op on one tape");
            ag_tape_free(a);
            ag_tape_free(b);
        }
}

int main(void)
{
    for (int i = 0; i < N; i++) ones[i] = 1;
    return RUN_TESTS_EACH(tape_make, tape_drop, test_unseeded_steps_differ, test_seeded_steps_stay,
                          test_begin_and_compute, test_gradcheck_keeps_the_mask,
                          test_earlier_steps_are_found, test_seven_steps_later,
                          test_a_kept_parameter, test_earlier_edges, test_borrowed_data_is_watched,
                          test_both_tapes_fail);
}
