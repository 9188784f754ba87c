/* SPDX-License-Identifier: MIT */
/* A training step on a device: it waits once, clips as the CPU does, and stops at gradients that
   are not finite, though the host learns that later. Where there is no device there is nothing to
   see. */
#include "support/device_tape.h"

typedef struct model {
    ag_params *params;
    ag_param *w, *b;
    ag_tape *tape;
} model;

static model make(ag_device device)
{
    model m = {.params = ag_params_new(), .tape = ag_tape_new(device)};
    m.w = ag_params_add(m.params, "w", AG_SHAPE(33, 10), ag_init_normal(0, 1), 1);
    m.b = ag_params_add(m.params, "b", AG_SHAPE(33), ag_init_normal(0, 1), 0);
    assert_int_equal(ag_params_build(m.params, 3), AG_OK);
    assert_int_equal(ag_params_to(m.params, device, NULL), AG_OK);
    return m;
}

static void end(model *m)
{
    ag_tape_free(m->tape);
    ag_params_free(m->params);
}

/* The loss of a small network, recorded and run; `scale` of the inputs. */
static ag_tensor *run(model *m, float scale)
{
    static float x[100 * 10];
    for (int i = 0; i < 1000; i++) x[i] = scale * data[i];
    ag_tape_reset(m->tape);
    ag_tensor *in = ag_input(m->tape, x, AG_SHAPE(100, 10));
    ag_tensor *y = ag_linear(in, ag_parameter(m->tape, m->w), ag_parameter(m->tape, m->b));
    ag_tensor *loss = ag_mean_all(ag_square(ag_dropout(y, 0.25f)));
    ag_backward(loss);
    assert_string_equal(ag_error(m->tape), "");
    return loss;
}

/* 1: steps are those of SGD, not of AdamW. */
static int sgd;

static ag_status step(model *m, ag_failure *why)
{
    const ag_adamw options = ag_adamw_default();
    const ag_sgd momentum = {.momentum = 0.9, .decay = 0.01};
    if (sgd) return ag_sgd_step(m->params, &momentum, 0.01, why);
    return ag_adamw_step(m->params, &options, 0.01, why);
}

static void expect_near(const ag_real *a, const ag_real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) assert_true(fabsf(a[i] - b[i]) <= 2e-5f);
}

/* ---- waits ---- */

static void a_step_waits_once(void **state)
{
    model m = make(AG_CUDA);
    if (!cuda_on_host_count) skip();
    for (int s = 0; s < 6; s++) {
        double norm = 0;
        const long before = cuda_on_host_count().waits;
        ag_tensor *loss = run(&m, 1);
        assert_int_equal(ag_clip_norm(m.params, 0.1, NULL, NULL), AG_OK);
        assert_int_equal(step(&m, NULL), AG_OK);
        /* Run 0 makes slab and handles, run 1 captures. */
        if (s > 1) assert_int_equal(cuda_on_host_count().waits, before);
        assert_true(isfinite(ag_item(loss))); /* only here */
        const long after = cuda_on_host_count().waits;
        assert_true(after > before);
        assert_int_equal(ag_params_norm(m.params, &norm, NULL), AG_OK);
        assert_true(norm > 0);
        assert_int_equal(cuda_on_host_count().waits, after);
    }
    end(&m);
}

/* ---- norm and factor ---- */

/* `read`: ag_clip_norm gives the norm, so it waits. */
static void train(model *m, int read, double *norm)
{
    for (int s = 0; s < 8; s++) {
        ag_tensor *loss = run(m, 1);
        assert_int_equal(ag_clip_norm(m->params, s % 3 ? 0.05 : INFINITY, read ? norm : NULL, NULL),
                         AG_OK);
        assert_int_equal(step(m, NULL), AG_OK);
        if (!read) {
            ag_item(loss);
            assert_int_equal(ag_params_norm(m->params, norm, NULL), AG_OK);
        }
    }
    assert_int_equal(ag_params_fetch(m->params, NULL), AG_OK);
}

static void the_norm_can_be_read_later(void **state)
{
    model here = make(AG_CPU), early = make(AG_CUDA), late = make(AG_CUDA);
    double norms[3];
    train(&here, 1, &norms[0]);
    train(&early, 1, &norms[1]);
    train(&late, 0, &norms[2]);
    assert_true(norms[1] == norms[2] && fabs(norms[1] - norms[0]) <= 1e-5);
    const ag_params *p = early.params;
    assert_memory_equal(p->value, late.params->value, (size_t)p->size * sizeof(ag_real));
    assert_memory_equal(p->m, late.params->m, (size_t)p->size * sizeof(ag_real));
    assert_memory_equal(p->v, late.params->v, (size_t)p->size * sizeof(ag_real));
    expect_near(here.params->value, p->value, p->size);
    end(&here), end(&early), end(&late);
}

static void no_norm_is_no_answer(void **state)
{
    for (int device = AG_CPU; device <= AG_CUDA; device++) {
        model m = make((ag_device)device);
        double norm = 0;
        assert_int_equal(ag_params_norm(m.params, &norm, new_failure()), AG_EUSE);
        assert_string_equal(last_failure()->sentence,
                            "ag_params_norm: no norm has been measured; call "
                            "ag_clip_norm first");
        run(&m, 1);
        assert_int_equal(ag_clip_norm(m.params, INFINITY, NULL, NULL), AG_OK);
        assert_int_equal(ag_params_norm(m.params, NULL, NULL), AG_OK);
        assert_int_equal(ag_params_norm(m.params, &norm, NULL), AG_OK);
        assert_true(norm > 0);
        end(&m);
    }
}

/* Clipped gradients that are read, clipped again, or added to by another run are the clipped ones.
 */
static void clipped_gradients_are_clipped(void **state)
{
    for (int then = 0; then < 4; then++) {
        model both[2] = {make(AG_CPU), make(AG_CUDA)};
        for (int i = 0; i < 2; i++) {
            ag_params *p = both[i].params;
            double norm = 0;
            run(&both[i], 1);
            assert_int_equal(ag_clip_norm(p, 0.05, NULL, NULL), AG_OK);
            if (then == 1) assert_int_equal(ag_clip_norm(p, 0.01, &norm, NULL), AG_OK);
            if (then == 1) assert_true(fabs(norm - 0.05) < 1e-6);
            if (then == 2) run(&both[i], 1);
            if (then == 3) {
                ag_params_reset(p);
                run(&both[i], 1);
            }
            assert_int_equal(ag_params_fetch(p, NULL), AG_OK);
        }
        expect_near(both[0].params->gradient, both[1].params->gradient, both[0].params->size);
        end(&both[0]), end(&both[1]);
    }
}

/* ---- gradients that are not finite ---- */

/* Three good steps, and one with a loss that is still finite in parts: the inputs overflow. `later`
   more steps follow that do not notice. */
static void go_wrong(model *m, int later, ag_failure *why)
{
    ag_status status = AG_OK;
    for (int s = 0; s < 3; s++) {
        run(m, 1);
        assert_int_equal(ag_clip_norm(m->params, 1, NULL, NULL), AG_OK);
        assert_int_equal(step(m, NULL), AG_OK);
    }
    run(m, 3e30f);
    for (int s = 0; s <= later && status == AG_OK; s++) {
        if (s) run(m, 1);
        status = ag_clip_norm(m->params, 1, NULL, why);
        if (status == AG_OK) status = step(m, why);
    }
    if (status == AG_OK) status = ag_params_norm(m->params, NULL, why);
    assert_int_equal(status, AG_EFINITE);
    assert_int_equal(m->params->state, AG_BAD);
    assert_int_equal(m->params->step, 3);
}

static void bad_gradients_are_learned_late(void **state)
{
    model here = make(AG_CPU);
    ag_failure want = {0};
    go_wrong(&here, 0, &want);
    for (int later = 0; later < 4; later++) {
        model there = make(AG_CUDA);
        go_wrong(&there, later, new_failure());
        expect(last_failure()->sentence,
               "ag_clip_norm: the gradient of parameter \"w\" is "); /* inf or nan */
        assert_string_equal(strstr(last_failure()->sentence, " at element"),
                            strstr(want.sentence, " at element"));
        /* reported once; then the block is bad */
        expect_status(step(&there, new_failure()), AG_EUSE, "left the gradients bad");
        assert_int_equal(ag_params_fetch(there.params, NULL), AG_OK);
        expect_near(here.params->value, there.params->value, here.params->size);
        expect_near(here.params->m, there.params->m, here.params->size);
        expect_near(here.params->v, there.params->v, here.params->size);
        ag_params_reset(there.params); /* and training continues */
        run(&there, 1);
        assert_int_equal(ag_clip_norm(there.params, 1, NULL, NULL), AG_OK);
        assert_int_equal(step(&there, NULL), AG_OK);
        assert_int_equal(ag_params_norm(there.params, NULL, NULL), AG_OK);
        assert_int_equal(there.params->step, 4);
        assert_int_equal(ag_params_fetch(there.params, NULL), AG_OK);
        end(&there);
    }
    end(&here);
}

/* Reading the numbers reports the failure first, once. */
static void nobody_gets_numbers_unwarned(void **state)
{
    for (int how = 0; how < 3; how++) {
        model m = make(AG_CUDA);
        ag_checkpoint_pair none;
        run(&m, 3e30f);
        assert_int_equal(ag_clip_norm(m.params, 1, NULL, NULL), AG_OK);
        assert_int_equal(step(&m, NULL), AG_OK);
        ag_params_reset(m.params);
        for (int again = 0; again < 2; again++) {
            const ag_status status = how == 0   ? ag_params_fetch(m.params, new_failure())
                                     : how == 1 ? ag_params_to(m.params, AG_CPU, new_failure())
                                                : ag_params_save("/dev/full/no", m.params, 1, NULL,
                                                                 0, &none, 0, new_failure());
            assert_int_equal(status, !again ? AG_EFINITE : how == 2 ? AG_EFILE : AG_OK);
            if (!again)
                expect(last_failure()->sentence,
                       "ag_clip_norm: the gradient of parameter \"w\" is ");
        }
        assert_int_equal(m.params->step, 0);
        end(&m);
    }
}

static void sgd_does_the_same(void **state)
{
    sgd = 1;
    the_norm_can_be_read_later(state);
    bad_gradients_are_learned_late(state);
    sgd = 0;
}

int main(void)
{
    return run_there(a_step_waits_once, the_norm_can_be_read_later, no_norm_is_no_answer,
                     clipped_gradients_are_clipped, bad_gradients_are_learned_late,
                     nobody_gets_numbers_unwarned, sgd_does_the_same);
}
