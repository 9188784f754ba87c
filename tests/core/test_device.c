/* SPDX-License-Identifier: MIT */
/* Parameters on a device: there and back, and checkpoints; why a device cannot be had. Steps there:
   test_device_step.c. */
#include "support/test.h"
#include "augur.h"
#include "core/cuda/device.h"
#include "support/device.h"
#include "support/files.h"

static void expect(const char *have, const char *part)
{
    if (!strstr(have, part)) fail_msg("\"%s\" lacks \"%s\"", have, part);
}

/* ---- sentences ---- */

static void reasons_name_a_remedy(void **state)
{
    char text[400];
    expect(ag__device_reason(text, 35, 13000, "", 0, 0, "x"), "older than CUDA 13.0");
    expect(text, "install a newer driver, or choose the CPU as the device");
    expect(ag__device_reason(text, 100, 13000, "", 0, 0, "x"), "finds no CUDA device");
    expect(text, "CUDA_VISIBLE_DEVICES, or choose the CPU");
    expect(ag__device_reason(text, 209, 12040, "Old One", 7, 5, "x"),
           "\"Old One\" has compute capability 7.5");
    expect(text, "-DCMAKE_CUDA_ARCHITECTURES=75, or choose the CPU");
    expect(ag__device_reason(text, 46, 13000, "", 0, 0, "all devices are busy"),
           "cannot be opened: all devices are busy (error 46)");
}

static void failures_name_the_kernel(void **state)
{
    char text[400];
    expect(ag__device_sentence(text, "softmax_forward", "an illegal memory access", 0),
           "failed in or before \"softmax_forward\": an illegal memory access; run again with "
           "AUGUR_CUDA_WAIT=1");
    expect(ag__device_sentence(text, "softmax_forward", "an illegal memory access", 1),
           "failed in \"softmax_forward\": an illegal memory access; choose the CPU");
}

static void lack_of_memory_names_the_bytes(void **state)
{
    char text[400];
    expect(ag__device_full(text, "the workspace of products", 33554432, 1000),
           "no memory for the 33554432 bytes of the workspace of products: 1000 bytes are free; ");
    expect(ag__device_full(text, "cuBLAS", 0, 0), "no memory for cuBLAS: 0 bytes are free; ");
    expect(text, "or choose the CPU as the device");
}

/* ---- parameters ---- */

typedef struct model {
    ag_params *params;
    ag_param *w, *b;
} model;

static model make(ag_device device)
{
    model m = {.params = ag_params_new()};
    m.w = ag_params_add(m.params, "w", AG_SHAPE(5, 7), ag_init_normal(0, 1), 1);
    m.b = ag_params_add(m.params, "b", AG_SHAPE(5), ag_init_normal(0, 1), 0);
    assert_int_equal(ag_params_build(m.params, 3), AG_OK);
    assert_int_equal(ag_params_to(m.params, device, NULL), AG_OK);
    return m;
}

static void train(model *m, int steps)
{
    static float x[11 * 7];
    const ag_adamw options = ag_adamw_default();
    ag_tape *tape = ag_tape_new(m->params->device);
    for (int i = 0; i < 77; i++) x[i] = (float)((i * 29) % 31) / 31;
    for (int s = 0; s < steps; s++) {
        double norm = 0;
        ag_tape_reset(tape);
        ag_tensor *in = ag_input(tape, x, AG_SHAPE(11, 7));
        ag_tensor *y = ag_linear(in, ag_parameter(tape, m->w), ag_parameter(tape, m->b));
        ag_tensor *loss = ag_mean_all(ag_square(ag_tanh(y)));
        ag_backward(loss);
        assert_string_equal(ag_error(tape), "");
        assert_int_equal(ag_clip_norm(m->params, 0.05, &norm, NULL), AG_OK);
        assert_true(norm > 0.05 || s > 3);
        assert_int_equal(ag_adamw_step(m->params, &options, 0.01, NULL), AG_OK);
        assert_true(isfinite(ag_item(loss)));
    }
    ag_tape_free(tape);
    assert_int_equal(ag_params_fetch(m->params, NULL), AG_OK);
}

static void wrong_calls_are_refused(void **state)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(3), ag_init_constant(1), 1);
    expect_status(ag_params_to(params, AG_CUDA, new_failure()), AG_EUSE,
                  "ag_params_to: the parameters are not built");
    expect_status(ag_params_fetch(params, new_failure()), AG_EUSE,
                  "ag_params_fetch: the parameters are not built");
    assert_int_equal(ag_params_build(params, 0), AG_OK);
    expect_status(ag_params_to(params, (ag_device)7, new_failure()), AG_EUSE, "no device number 7");
    assert_int_equal(ag_params_to(params, AG_CPU, NULL), AG_OK);
    assert_int_equal(ag_params_fetch(params, NULL), AG_OK);
    assert_true(params->list[0]->value[2] == 1);
    ag_params_free(params);
}

/* Where there is no device, the block stays on the CPU and works. */
static void no_device_leaves_the_block(void **state)
{
    if (ag_device_open(NULL) == AG_OK) skip();
    model m = make(AG_CPU);
    expect_status(ag_params_to(m.params, AG_CUDA, new_failure()), AG_EDEVICE,
                  "choose the CPU as the device");
    assert_int_equal(m.params->device, AG_CPU);
    train(&m, 2);
    ag_params_free(m.params);
}

static void there_and_back_keeps_bits(void **state)
{
    model m = make(AG_CPU), same = make(AG_CPU);
    for (int i = 0; i < 2; i++) {
        ag_params *p = i ? same.params : m.params;
        for (int64_t k = 0; k < p->size; k++) p->gradient[k] = p->m[k] = p->v[k] = (float)k / 7;
        p->state = AG_READY;
    }
    assert_int_equal(ag_params_to(m.params, AG_CUDA, NULL), AG_OK);
    assert_int_equal(m.params->device, AG_CUDA);
    assert_int_equal(m.params->state, AG_READY);
    memset(m.params->value, 0xff, 4 * (size_t)m.params->size * sizeof(float)); /* only a copy */
    m.params->behind = 1;
    assert_int_equal(ag_params_to(m.params, AG_CUDA, NULL), AG_OK); /* is there already */
    assert_int_equal(ag_params_to(m.params, AG_CPU, NULL), AG_OK);
    assert_int_equal(m.params->device, AG_CPU);
    assert_null(m.params->there);
    assert_memory_equal(m.params->value, same.params->value,
                        4 * (size_t)same.params->size * sizeof(float));
    ag_params_free(m.params);
    ag_params_free(same.params);
}

static void expect_near(const model *a, const model *b)
{
    for (int64_t i = 0; i < a->params->size; i++) {
        assert_true(fabsf(a->params->value[i] - b->params->value[i]) <= 2e-5f);
        assert_true(fabsf(a->params->m[i] - b->params->m[i]) <= 1e-5f);
        assert_true(fabsf(a->params->v[i] - b->params->v[i]) <= 1e-5f);
    }
}

/* A checkpoint that was saved on either device can be continued on either. */
static void checkpoints_change_devices(void **state)
{
    const char *path = files_path("c.safetensors");
    model want = make(AG_CPU);
    train(&want, 8);
    for (int from = AG_CPU; from <= AG_CUDA; from++)
        for (int to = AG_CPU; to <= AG_CUDA; to++) {
            model first = make((ag_device)from), second = make((ag_device)to);
            train(&first, 4);
            train(&second, 1); /* the state that the checkpoint replaces */
            expect_ok(ag_params_save(path, first.params, 1, NULL, 0, NULL, 0, new_failure()));
            ag_checkpoint *c = ag_checkpoint_open(path, new_failure());
            expect_ok(ag_params_load(second.params, c, 1, new_failure()));
            ag_checkpoint_close(c);
            assert_int_equal(second.params->device, to);
            assert_memory_equal(first.w->value, second.w->value, 35 * sizeof(float));
            train(&second, 4);
            assert_int_equal(second.params->step, 8);
            expect_near(&second, &want);
            ag_params_free(first.params);
            ag_params_free(second.params);
        }
    ag_params_free(want.params);
}

int main(void)
{
    int failed =
        RUN_TESTS(reasons_name_a_remedy, failures_name_the_kernel, lack_of_memory_names_the_bytes,
                  wrong_calls_are_refused, no_device_leaves_the_block);
    if (test_device() == AG_CUDA)
        failed += RUN_TESTS_WITH(files_make, files_remove, there_and_back_keeps_bits,
                                 checkpoints_change_devices);
    return failed;
}
