/* SPDX-License-Identifier: MIT */
/* Fused groups on a device: the ops that they join, the memory of their values, and that they
   change no bit. */
#include "support/device_tape.h"

/* ---- the same bits ---- */

enum { PARAMS = 2, MADE = 24, MOST = 4097 };
static float x_data[MOST];

static ag_tensor *random_op(ag_random *r, ag_tensor *const *made, int n)
{
    ag_tensor *x = made[n - 1 - (int)ag_random_below(r, n < 3 ? (uint32_t)n : 3)],
              *z = made[ag_random_below(r, (uint32_t)n)];
    switch (ag_random_below(r, 26)) {
    case 0: return ag_neg(x);
    case 1: return ag_exp(ag_clamp(x, -3, 1));
    case 2: return ag_log(ag_shift(ag_abs(x), 1));
    case 3: return ag_sqrt(ag_shift(ag_square(x), 0.5f));
    case 4: return ag_square(ag_tanh(x));
    case 5: return ag_reciprocal(ag_shift(ag_abs(x), 1));
    case 6: return ag_abs(x);
    case 7: return ag_tanh(x);
    case 8: return ag_sigmoid(x);
    case 9: return ag_relu(x);
    case 10: return ag_softplus(x);
    case 11: return ag_silu(x);
    case 12: return ag_gelu(x);
    case 13: return ag_gelu_tanh(x);
    case 14: return ag_scale(x, 0.75f);
    case 15: return ag_shift(x, -0.25f);
    case 16: return ag_leaky_relu(x, 0.1f);
    case 17: return ag_elu(x, 0.7f);
    case 18: return ag_clamp(x, -1, 1);
    case 19: return ag_add(x, z);
    case 20: return ag_sub(x, z);
    case 21: return ag_mul(ag_tanh(x), z);
    case 22: return ag_div(x, ag_shift(ag_square(z), 1));
    case 23: return ag_dropout(x, 0.3f);
    case 24: return ag_dropout(ag_reshape(x, AG_SHAPE((int)ag_size(x, 0))), 0.5f);
    default: return ag_reshape(x, AG_SHAPE((int)ag_size(x, 0)));
    }
}

typedef struct result {
    float y[MOST], gradient[PARAMS * MOST];
    float loss;
    int steps;
} result;

/* Adds up two backward runs over a random tape that follows from the seed. */
static void run_random(result *out, uint64_t seed, int n, ag_device device, const char *fuse)
{
    ag_params *params = ag_params_new();
    ag_param *w[PARAMS];
    ag_tape *tape = ag_tape_new(device);
    setenv("AUGUR_FUSE", fuse, 1);
    for (int i = 0; i < PARAMS; i++)
        w[i] = ag_params_add(params, i ? "v" : "w", AG_SHAPE(n), ag_init_uniform(-1.5, 1.5), 1);
    assert_int_equal(ag_params_build(params, seed), AG_OK);
    assert_int_equal(ag_params_to(params, device, NULL), AG_OK);
    ag_tensor *last = NULL;
    for (int run = 0; run < 2; run++) {
        ag_random r = {seed, 3, 0};
        ag_tensor *made[MADE];
        int count = 0;
        ag_tape_reset(tape);
        ag_tape_seed(tape, seed, 7);
        for (int i = 0; i < PARAMS; i++) made[count++] = ag_parameter(tape, w[i]);
        made[count++] = ag_input(tape, x_data, AG_SHAPE(n));
        while (count < MADE) {
            made[count] = random_op(&r, made, count);
            if (ag_random_below(&r, 6) == 0) ag_keep(made[count]);
            count++;
        }
        last = ag_keep(made[MADE - 1]);
        ag_tensor *loss = ag_add(ag_sum_all(last), ag_sum_all(ag_tanh(made[MADE / 2])));
        out->steps = ag_plan_of(loss, 1).steps;
        ag_backward(loss);
        out->loss = ag_item(loss);
    }
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_params_fetch(params, NULL), AG_OK);
    memcpy(out->y, ag_values(last), (size_t)n * sizeof(float));
    for (int i = 0; i < PARAMS; i++)
        memcpy(out->gradient + i * n, w[i]->gradient, (size_t)n * sizeof(float));
    unsetenv("AUGUR_FUSE");
    ag_tape_free(tape);
    ag_params_free(params);
}

static void expect_near(const float *have, const float *want, int n, const char *what, int seed)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(have[i] - want[i]) <= 1e-4f * (1 + fabsf(want[i]))))
            fail_msg("tape %d: %s %d is %.9g, on the CPU %.9g", seed, what, i, (double)have[i],
                     (double)want[i]);
}

static void groups_change_no_bit(void **state)
{
    static const int sizes[] = {0, 1, 31, 33, 127, 1023, 1024, 1025, 2100, MOST};
    static result with, without, here;
    int joined = 0;
    for (int seed = 0; seed < 60; seed++) {
        const int n = sizes[seed % 10];
        run_random(&with, (uint64_t)seed, n, AG_CUDA, "1");
        run_random(&without, (uint64_t)seed, n, AG_CUDA, "0");
        run_random(&here, (uint64_t)seed, n, AG_CPU, "1");
        if (memcmp(&with.loss, &without.loss, sizeof with.loss) != 0 ||
            memcmp(with.y, without.y, (size_t)n * sizeof(float)) != 0)
            fail_msg("tape %d: groups give other values", seed);
        if (memcmp(with.gradient, without.gradient, (size_t)(PARAMS * n) * sizeof(float)) != 0)
            fail_msg("tape %d: groups give other gradients", seed);
        expect_near(with.y, here.y, n, "value", seed);
        expect_near(with.gradient, here.gradient, PARAMS * n, "gradient", seed);
        joined += without.steps - with.steps;
    }
    assert_true(joined > 60 * MADE / 2);
}

/* ---- joined ops, and their memory ---- */

static const ag_plan *plan_of(ag_tensor *y) { return ag__plan_find(y->tape, y, 0); }

/* A launch has 16 jobs; their values take turns in two tiles. */
static void a_chain_is_cut(void **state)
{
    static const struct {
        int ops, steps;
    } lengths[] = {{1, 1}, {2, 1}, {16, 1}, {17, 2}, {32, 2}, {33, 3}};
    for (int i = 0; i < 6; i++) {
        ag_tape_reset(tape);
        ag_tensor *y = chain(input(tape), lengths[i].ops);
        const ag_plan *plan = plan_of(y);
        assert_int_equal(plan->n_steps, lengths[i].steps);
        assert_int_equal(plan->steps[0].tile_bytes, lengths[i].ops == 1   ? 0
                                                    : lengths[i].ops == 2 ? 4096
                                                                          : 2 * 4096);
        ag_forward(y);
        for (int k = 0; k < 1000; k++) {
            float v = data[k];
            for (int n = 0; n < lengths[i].ops; n++) v = tanhf(v);
            assert_true(fabsf(ag_values(y)[k] - v) < 1e-5f);
        }
    }
}

/* There are eight tiles; values that find none stay in the slab. */
static void more_values_than_tiles(void **state)
{
    enum { LIVE = 11 };
    ag_tensor *v[LIVE], *sum;
    ag_tensor *x = input(tape);
    for (int i = 0; i < LIVE; i++) v[i] = ag_scale(x, (float)(i + 1));
    sum = ag_add(v[0], v[1]);
    for (int i = 2; i < 6; i++) sum = ag_add(sum, v[i]); /* 16 jobs */
    for (int i = 6; i < LIVE; i++) sum = ag_add(sum, v[i]);
    const ag_plan *plan = plan_of(sum);
    assert_int_equal(plan->n_steps, 2);
    assert_int_equal(plan->steps[0].n, 16);
    assert_int_equal(plan->steps[0].tile_bytes, 7 * 4096); /* five values live on after it */
    ag_forward(sum);
    for (int k = 0; k < 1000; k++) assert_true(fabsf(ag_values(sum)[k] - 66 * data[k]) < 1e-3f);
    ag_tape_reset(tape);
    x = input(tape);
    for (int i = 0; i < 10; i++) v[i] = ag_scale(x, (float)(i + 1));
    sum = ag_add(ag_add(ag_add(v[9], v[8]), ag_add(v[7], v[6])), ag_add(v[5], v[4]));
    sum = ag_add(sum, v[0]); /* 1, 2 and 3 are dead */
    plan = plan_of(sum);
    assert_int_equal(plan->n_steps, 1);
    ag_forward(sum);
    for (int k = 0; k < 1000; k++) assert_true(fabsf(ag_values(sum)[k] - 46 * data[k]) < 1e-3f);
    ag_tape_reset(tape);
    x = input(tape);
    for (int i = 0; i < 8; i++) v[i] = ag_shift(x, (float)i);
    sum = v[0];
    for (int i = 1; i < 8; i++) sum = ag_add(sum, v[i]); /* nine at once with a sum */
    plan = plan_of(sum);
    assert_int_equal(plan->n_steps, 1);
    assert_int_equal(plan->steps[0].tile_bytes, 8 * 4096);
    int in_slab = 0;
    for (int k = 0; k < 14; k++) in_slab += plan->jobs[k].y[0].place == AT_SLAB;
    assert_int_equal(in_slab, 1);
    ag_forward(sum);
    for (int k = 0; k < 1000; k++) assert_true(fabsf(ag_values(sum)[k] - 8 * data[k] - 28) < 1e-3f);
}

/* An input that only the first group reads is alive in one step, too, but nobody writes it there.
 */
static void inputs_stay_in_the_slab(void **state)
{
    ag_tensor *y = ag_neg(ag_neg(input(tape)));
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    assert_memory_equal(ag_values(y), data, 1000 * sizeof(float));
}

/* ---- kernels that no group knows ---- */

static void (*of_neg)(const ag_args *a);
static void as_neg(const ag_args *a) { of_neg(a); }

static void strangers_run_alone(void **state)
{
    ag_tensor *x = input(tape);
    ag_neg(x);
    const ag_op *neg = tape->nodes[0].op;
    ag_kernel kernel = *neg->forward[0];
    ag_op stranger = *neg;
    of_neg = kernel.cuda;
    kernel.cuda = as_neg;
    stranger.forward[0] = &kernel;
    ag_tensor *y = ag_tanh(ag_tanh(ag__record1(&stranger, ag_tanh(ag_tanh(x)), NULL)));
    assert_int_equal(plan_of(y)->n_steps, 3);
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    for (int k = 0; k < 1000; k++)
        assert_true(fabsf(ag_values(y)[k] + tanhf(tanhf(tanhf(tanhf(data[k]))))) < 1e-5f);
}

int main(void)
{
    for (int i = 0; i < MOST; i++) x_data[i] = (float)((i * 29 % 113) - 56) / 40;
    return run_there(groups_change_no_bit, a_chain_is_cut, more_values_than_tiles,
                     inputs_stay_in_the_slab, strangers_run_alone);
}
