/* SPDX-License-Identifier: MIT */
/* Adam, AdamW and SGD, clipping. */
#include "optim/internal.h"

#include "core/threads.h"
#include "support/device.h"
#include "support/test.h"

/* PyTorch 2.15 in float64: w = [0.5,-1.25,2,0] with weight_decay 0.2, b = [0.75,-0.3] without,
   betas (0.9,0.99), eps 0.1; step t = 0..9: lr = 0.1/(1+t), grad w_i = 2 sin(1+t+3i), grad b_i =
   cos(t/2+i); the values after the last step. Adam's weight_decay is L2. */
enum { ADAM, ADAMW, SGD, MOMENTUM, NESTEROV };
static const double golden[][6] = {
    [ADAM] = {0.31554182134642605, -1.0511937009594297, 1.7891102044846556, 0.18429371908044953,
              0.570701514859423, -0.3612465930439662},
    [ADAMW] = {0.29815427672188183, -1.0014673080999792, 1.706038425596103, 0.18053764113978008,
               0.570701514859423, -0.3612465930439662},
    [SGD] = {0.25469003908634547, -0.96262504750606, 1.6748809962885558, 0.20136736254089319,
             0.6432368187602716, -0.2865252639748253},
    [MOMENTUM] = {-0.06546286621799198, -0.5636882278598672, 1.202692435354986, 0.47170265164394015,
                  0.4735651872124961, -0.1816483121359416},
    [NESTEROV] = {-0.2220646856620444, -0.37998916021467355, 0.9946568880876263, 0.6006952959249082,
                  0.39444548725151796, -0.1800087448971727},
};

/* ---- steps ---- */

/* Ten steps of one of them. */
static void check_steps(int which)
{
    static const double start[6] = {0.5, -1.25, 2.0, 0.0, 0.75, -0.3};
    const ag_adamw adam = {0.9, 0.99, 0.1, 0.2};
    const ag_sgd sgd = {
        .momentum = which == SGD ? 0 : 0.9, .decay = 0.2, .nesterov = which == NESTEROV};
    ag_params *params = ag_params_new();
    ag_param *p[] = {ag_params_add(params, "w", AG_SHAPE(4), ag_init_constant(0), 1),
                     ag_params_add(params, "b", AG_SHAPE(2), ag_init_constant(0), 0)};
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    for (int i = 0; i < 6; i++) p[i / 4]->value[i % 4] = (ag_real)start[i];
    for (int t = 0; t < 10; t++) {
        for (int i = 0; i < 4; i++) p[0]->gradient[i] = (ag_real)(2 * sin(1.0 + t + 3 * i));
        for (int i = 0; i < 2; i++) p[1]->gradient[i] = (ag_real)cos(0.5 * t + i);
        params->state = AG_READY;
        const double lr = 0.1 / (1 + t);
        assert_int_equal(which == ADAM    ? adam_there(params, &adam, lr, NULL)
                         : which == ADAMW ? step_there(params, &adam, lr, NULL)
                                          : sgd_there(params, &sgd, lr, NULL),
                         AG_OK);
    }
    for (int i = 0; i < 6; i++) {
        const double got = (double)p[i / 4]->value[i % 4];
        if (!(fabs(got - golden[which][i]) <= 1e-6))
            fail_msg("%d, number %d: %.9g, PyTorch %.9g", which, i, got, golden[which][i]);
    }
    ag_params_free(params);
}

static void steps_are_those_of_pytorch(void **state)
{
    for (int which = ADAM; which <= NESTEROV; which++) check_steps(which);
}

static void defaults_are_those_of_pytorch(void **state)
{
    ag_adamw w = ag_adamw_default();
    ag_adam a = ag_adam_default();
    assert_true(w.beta1 == 0.9 && w.beta2 == 0.999 && w.epsilon == 1e-8 && w.decay == 0.01);
    assert_true(a.beta1 == 0.9 && a.beta2 == 0.999 && a.epsilon == 1e-8 && a.decay == 0);
}

static ag_params *small_model(void)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(3), ag_init_constant(1), 1);
    ag_params_add(params, "b", AG_SHAPE(2), ag_init_constant(1), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    return params;
}

/* A model of only trees trains like any other. */
static void no_parameters_lack_nothing(void **state)
{
    ag_adamw options = ag_adamw_default();
    ag_params *params = ag_params_new();
    double norm = 1;
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    expect_ok(ag_clip_norm(params, 1, &norm, new_failure()));
    expect_ok(ag_adamw_step(params, &options, 0.1, new_failure()));
    assert_true(norm == 0 && params->step == 1);
    ag_params_free(params);
}

static void a_step_needs_fresh_gradients(void **state)
{
    ag_adamw options = ag_adamw_default();
    ag_params *params = small_model();
    expect_status(step_there(params, &options, 0.1, new_failure()), AG_EUSE,
                  "hold no gradients; before every step run ag_backward");
    params->list[0]->gradient[0] = 1;
    params->state = AG_READY;
    assert_int_equal(step_there(params, &options, 0.1, NULL), AG_OK);
    assert_int_equal(params->step, 1);
    assert_int_equal(params->state, AG_EMPTY);
    ag_real after = params->list[0]->value[0];
    assert_true(after < 1);
    assert_int_equal(adam_there(params, &options, 0.1, NULL), AG_EUSE);
    params->state = AG_BAD;
    expect_status(step_there(params, &options, 0.1, new_failure()), AG_EUSE,
                  "left the gradients bad");
    assert_int_equal(params->step, 1);
    assert_true(params->list[0]->value[0] == after);
    ag_params_reset(params);
    assert_int_equal(params->state, AG_EMPTY);
    ag_params_free(params);

    params = ag_params_new();
    expect_status(step_there(params, &options, 0.1, new_failure()), AG_EUSE,
                  "call ag_params_build first");
    ag_params_free(params);
}

static void options_out_of_range_are_refused(void **state)
{
    const struct {
        ag_adamw options;
        double lr;
        const char *sentence;
    } bad[] = {
        {{0.9, 0.999, 1e-8, 0}, -1, "learning rate is -1"},
        {{0.9, 0.999, 1e-8, 0}, NAN, "must be finite"},
        {{1, 0.999, 1e-8, 0}, 0.1, "beta1 is 1"},
        {{0.9, -0.1, 1e-8, 0}, 0.1, "beta2 is -0.1"},
        {{0.9, 0.999, 0, 0}, 0.1, "epsilon is 0"},
        {{0.9, 0.999, 1e-60, 0}, 0.1, "at least 1.2e-38"},
        {{0.9, 0.999, 1e-8, -2}, 0.1, "weight decay is -2"},
    };
    ag_params *params = small_model();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        params->state = AG_READY;
        expect_status(step_there(params, &bad[i].options, bad[i].lr, new_failure()), AG_EUSE,
                      bad[i].sentence);
        assert_int_equal(params->state, AG_READY);
        assert_int_equal(params->step, 0);
    }
    ag_params_free(params);
}

static void sgd_has_the_rules_of_adam(void **state)
{
    const struct {
        ag_sgd options;
        double lr;
        const char *sentence;
    } bad[] = {
        {{0}, INFINITY, "ag_sgd_step: the learning rate is inf"},
        {{.momentum = 1}, 0.1, "momentum is 1; it must be in [0,1)"},
        {{.momentum = NAN}, 0.1, "momentum is nan"},
        {{.decay = -2}, 0.1, "weight decay is -2"},
    };
    const ag_sgd plain = {0};
    ag_params *params = small_model();
    expect_status(sgd_there(params, &plain, 0.1, new_failure()), AG_EUSE,
                  "ag_sgd_step: the parameters hold no gradients");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        params->state = AG_READY;
        expect_status(sgd_there(params, &bad[i].options, bad[i].lr, new_failure()), AG_EUSE,
                      bad[i].sentence);
        assert_true(params->state == AG_READY && params->step == 0);
    }
    params->list[0]->gradient[0] = 4;
    assert_int_equal(sgd_there(params, &plain, 0.125, NULL), AG_OK);
    assert_true(params->list[0]->value[0] == 0.5 && params->list[0]->value[1] == 1);
    assert_true(params->state == AG_EMPTY && params->step == 1);
    ag_params_free(params);
}

/* All elements start equal and get equal gradients, so they stay equal, in any block: of as many
   pieces of the norm as there can be, the last one short, and of longer ones; of fewer where the
   host execution would need long. */
static void every_element_is_clipped_and_updated_once(void **state)
{
    static const int sizes[] = {1048003, 1100003};
    const ag_adamw options = ag_adamw_default();
    for (int size = 0; size < 2; size++) {
        const int many = test_device() == AG_CPU ? sizes[size] : sizes[size] / 10;
        ag_params *params = ag_params_new();
        double norm = 0;
        ag_params_add(params, "a", AG_SHAPE(3), ag_init_constant(1), 1);
        ag_params_add(params, "b", AG_SHAPE(many), ag_init_constant(1), 1);
        ag_params_add(params, "c", AG_SHAPE(5), ag_init_constant(1), 1);
        assert_int_equal(ag_params_build(params, 5), AG_OK);
        for (int i = 0; i < 3; i++)
            for (int64_t k = 0; k < params->list[i]->count; k++) params->list[i]->gradient[k] = 1;
        params->state = AG_READY;
        assert_int_equal(clip_there(params, sqrt(many + 8) / 2, &norm, NULL), AG_OK);
        assert_true(norm == sqrt(many + 8));
        for (int i = 0; i < 3; i++)
            for (int64_t k = 0; k < params->list[i]->count; k++)
                assert_true(fabs((double)params->list[i]->gradient[k] - 0.5) < 1e-6);
        assert_int_equal(step_there(params, &options, 0.1, NULL), AG_OK);
        for (int i = 0; i < 3; i++)
            for (int64_t k = 0; k < params->list[i]->count; k++)
                assert_true(fabs((double)params->list[i]->value[k] - 0.899) < 1e-6);
        ag_params_free(params);
    }
}

/* 20 clipped steps on 0.2 M numbers in odd sizes, 3 on a device; the last norm comes back, too. */
static ag_params *train(int threads, int with_sgd, double *norm)
{
    const ag_adamw options = {0.9, 0.999, 1e-8, 0.1};
    const ag_sgd sgd = {.momentum = 0.9, .decay = 0.1};
    const int sizes[] = {1, 100003, 64, 4096, 16385, 90001, 7};
    ag_params *params = ag_params_new();
    ag_set_threads(threads);
    for (int i = 0; i < 7; i++)
        ag_params_add(params, formatted("p%d", i), AG_SHAPE(sizes[i]), ag_init_normal(0, 1), i % 2);
    assert_int_equal(ag_params_build(params, 5), AG_OK);
    for (uint64_t t = 0; t < (test_device() == AG_CPU ? 20u : 3u); t++) {
        for (int i = 0; i < 7; i++)
            fill_numbers(params->list[i]->gradient, sizes[i], (uint32_t)(7 * t + (uint32_t)i));
        params->state = AG_READY;
        long allocations = ag__allocations();
        assert_int_equal(clip_there(params, 1, norm, NULL), AG_OK);
        assert_int_equal(with_sgd ? sgd_there(params, &sgd, 0.01, NULL)
                                  : step_there(params, &options, 0.01, NULL),
                         AG_OK);
        if (test_device() == AG_CPU && t) /* the first step starts threads */
            assert_int_equal(ag__allocations(), allocations);
    }
    ag_set_threads(0);
    return params;
}

static void results_do_not_depend_on_threads(void **state)
{
    for (int sgd = 0; sgd < 2; sgd++) {
        double norm[3];
        ag_params *one = train(1, sgd, &norm[0]);
        for (int threads = 2; threads <= (test_device() == AG_CPU ? 3 : 2); threads++) {
            ag_params *more = train(threads, sgd, &norm[threads - 1]);
            size_t bytes = 4 * (size_t)one->size * sizeof(ag_real); /* all four arrays */
            assert_memory_equal(one->value, more->value, bytes);
            assert_memory_equal(&norm[0], &norm[threads - 1], sizeof *norm);
            ag_params_free(more);
        }
        const ag_param *p = one->list[4]; /* 16,385: a gap follows */
        for (int64_t i = p->offset + p->count; i < one->list[5]->offset; i++)
            assert_true(one->value[i] == 0 && one->m[i] == 0 && one->v[i] == 0);
        ag_params_free(one);
    }
}

/* ---- clipping ---- */

/* torch.nn.utils.clip_grad_norm_ on these gradients with 2.5, in float64. */
static void clipping_is_that_of_pytorch(void **state)
{
    const double gradient[5] = {3, -4, 12, 84, 0.5};
    const double want[5] = {0.08823376655705426, -0.11764502207607234, 0.352935066228217,
                            2.470545463597519, 0.014705627759509043};
    for (int clip = 0; clip < 2; clip++) {
        ag_params *params = small_model();
        double norm = 0;
        for (int i = 0; i < 5; i++) params->list[i / 3]->gradient[i % 3] = (ag_real)gradient[i];
        params->state = AG_READY;
        assert_int_equal(clip_there(params, clip ? 2.5 : INFINITY, &norm, NULL), AG_OK);
        assert_true(fabs(norm - 85.00147057551416) < 1e-12);
        for (int i = 0; i < 5; i++) {
            double x = (double)params->list[i / 3]->gradient[i % 3];
            assert_true(fabs(x - (clip ? want[i] : gradient[i])) <= (clip ? 3e-7 : 0));
        }
        assert_int_equal(params->state, AG_READY);
        ag_params_free(params);
    }
}

/* 1e-6 is added to the norm: 2e-6 / (3e-6 + 1e-6) = 1/2. */
static void clipping_adds_a_little_to_the_norm(void **state)
{
    ag_params *params = small_model();
    params->list[0]->gradient[1] = (ag_real)3e-6;
    params->state = AG_READY;
    assert_int_equal(clip_there(params, 2e-6, NULL, NULL), AG_OK);
    assert_true(fabs((double)params->list[0]->gradient[1] - 1.5e-6) < 1e-12);
    ag_params_free(params);
}

static void bad_gradients_are_named_and_stop_the_step(void **state)
{
    const ag_adamw options = ag_adamw_default();
    ag_params *params = small_model();
    assert_int_equal(clip_there(params, 1, NULL, new_failure()), AG_EUSE); /* still empty */
    expect_sentence(last_failure(), AG_EUSE, "ag_clip_norm: the parameters hold no gradients");
    params->state = AG_READY;
    expect_status(clip_there(params, 0, NULL, new_failure()), AG_EUSE, "largest norm is 0");
    const ag_real values[] = {NAN, INFINITY, -INFINITY};
    const char *const texts[] = {"nan at element 1 of 2", "inf at element 1 of 2",
                                 "-inf at element 1 of 2"};
    for (int i = 0; i < 3; i++) {
        params->state = AG_READY;
        params->list[1]->gradient[1] = values[i];
        expect_status(clip_there(params, 1, NULL, new_failure()), AG_EFINITE, "parameter \"b\"");
        expect_sentence(last_failure(), AG_EFINITE, texts[i]);
        assert_int_equal(params->state, AG_BAD);
        assert_int_equal(step_there(params, &options, 0.1, NULL), AG_EUSE);
    }
    ag_params_free(params);
}

int main(void)
{
    return RUN_TESTS(steps_are_those_of_pytorch, defaults_are_those_of_pytorch,
                     no_parameters_lack_nothing, a_step_needs_fresh_gradients,
                     options_out_of_range_are_refused, sgd_has_the_rules_of_adam,
                     every_element_is_clipped_and_updated_once, results_do_not_depend_on_threads,
                     clipping_is_that_of_pytorch, clipping_adds_a_little_to_the_norm,
                     bad_gradients_are_named_and_stop_the_step);
}
