/* SPDX-License-Identifier: MIT */
/* Subnormal numbers are 0 in runs and steps, and nowhere else; all threads of a region compute as
   its caller does. What files hold, sentences and formulas do not depend on the caller's mode,
   which is there again afterwards. */
#include "augur.h"
#include "core/float_mode.h"
#include "core/parallel.h"
#include "support/files.h"
#include "support/test.h"

#include <fenv.h>

enum { COUNT = 100000, WIDTH = 100, BLOCKS = 64 };

static volatile float tiny = 1e-30f, small = 1e-10f;

static int has_subnormals(void)
{
    const volatile float product = tiny * small;
    return product != 0;
}

static void test_runs(void **state)
{
    float *x = malloc(COUNT * sizeof *x);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int i = 0; i < COUNT; i++) x[i] = i == 0 ? 2 : tiny;
    for (int threads = 1; threads <= 4; threads++) {
        ag_set_threads(threads);
        ag_tape_reset(tape);
        ag_tensor *y = ag_scale(ag_input(tape, x, AG_SHAPE(COUNT / WIDTH, WIDTH)), small);
        ag_forward(y);
        const float *values = ag_values(y);
        assert_non_null(values);
        assert_true(values[0] == 2 * small);
        for (int i = 1; i < COUNT; i++) assert_true(values[i] == 0);
        assert_true(has_subnormals());
    }
    ag_set_threads(0);
    ag_tape_free(tape);
    free(x);
}

/* The average of a gradient that is 0 from now on halves until it is 0, too. */
static void test_steps(void **state)
{
    const ag_adam how = {.beta1 = 0.5, .beta2 = 0.5, .epsilon = 1e-8};
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(1), ag_init_constant(0), 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    for (int i = 0; i < 3; i++) {
        ag_tape_reset(tape);
        ag_backward(ag_sum_all(ag_scale(ag_parameter(tape, w), i == 0 ? 3e-38f : 0)));
        expect_ok(ag_adam_step(params, &how, 1e-3, new_failure()));
        if (i == 0) assert_true(params->m[0] > 0);
    }
    assert_true(params->m[0] == 0);
    assert_true(has_subnormals());
    ag_tape_free(tape);
    ag_params_free(params);
}

static void third(void *context, int64_t block, int thread)
{
    const volatile float one = 1, three = 3;
    ((float *)context)[block] = one / three;
}

static void test_rounding(void **state)
{
    float up[BLOCKS], plain[BLOCKS];
    ag_set_threads(4);
    for (int round = 0; round < 50; round++) {
        fesetround(FE_UPWARD);
        ag_parallel(BLOCKS, third, up);
        fesetround(FE_TONEAREST);
        ag_parallel(BLOCKS, third, plain);
        for (int i = 1; i < BLOCKS; i++) {
            assert_true(up[i] == up[0]);
            assert_true(plain[i] == plain[0]);
        }
    }
    ag_set_threads(0);
}

/* ---- files and formulas ---- */

enum { VALUES = 64, SENTENCES = 2000 };

typedef struct results {
    float value[5 * VALUES];
    double number[10];
    char sentences[SENTENCES];
} results;

static void make_files(void)
{
    const int64_t size[] = {VALUES / 2, 2};
    double reals[VALUES];
    uint64_t whole[VALUES];
    for (int i = 0; i < VALUES; i++) {
        reals[i] = i == 0 ? (double)NAN : i == 1 ? 1e-40 : i == 2 ? (double)INFINITY : i / 7.0;
        whole[i] = UINT64_MAX / (uint64_t)(2 * i + 3);
    }
    ag_npz_writer *w = ag_npz_create(files_path("x.npz"), new_failure());
    expect_ok(ag_npz_add(w, "f8", AG_F64, 2, size, reals, new_failure()));
    expect_ok(ag_npz_add(w, "i8", AG_I64, 2, size, whole, new_failure()));
    expect_ok(ag_npz_add(w, "fourth", AG_I64, 2, size, whole, new_failure()));
    reals[5] = 1e300;
    expect_ok(ag_npz_add(w, "large", AG_F64, 2, size, reals, new_failure()));
    expect_ok(ag_npz_finish(w, new_failure()));
    for (int i = 0; i < 3; i++) reals[i] = i / 9.0;
    const ag_checkpoint_item good = {"w", AG_F64, AG_SHAPE(VALUES), reals};
    expect_ok(ag_checkpoint_save(files_path("bad.st"), &good, 1, NULL, 0, new_failure()));
    reals[5] = 0.1;
    expect_ok(ag_checkpoint_save(files_path("good.st"), &good, 1, NULL, 0, new_failure()));
    static const char header[] = "\x0e\0\0\0\0\0\0\0{\"a\":[0.1e9]} ";
    files_put(files_path("real.st"), header, sizeof header - 1);
}

static void add_sentence(results *r, const ag_failure *why)
{
    const size_t n = strlen(r->sentences);
    snprintf(r->sentences + n, SENTENCES - n, "%d %s\n", why->status, why->sentence);
}

static void use_all(results *r)
{
    static const char *const names[] = {"f8", "i8", "large"}, *const stored[] = {
                                                                  "good.st", "bad.st", "real.st"};
    static const float logits[] = {2, 1e-40f, -100, 3, 2, NAN};
    const ag_schedule_kind kinds[] = {AG_COSINE, AG_LINEAR, AG_EXPONENTIAL};
    ag_failure why = {0};
    ag_random random = {42, 0, 0};
    memset(r, 0, sizeof *r);
    ag_npz *npz = ag_npz_open(files_path("x.npz"), 1 << 20, &why);
    for (int i = 0; i < 3; i++) {
        why = (ag_failure){0};
        ag_npz_read(npz, names[i], AG_F32, r->value + i * VALUES, &why);
        add_sentence(r, &why);
    }
    ag_npz_close(npz);
    for (int i = 0; i < 3; i++) {
        why = (ag_failure){0};
        ag_params *params = ag_params_new();
        ag_param *w = ag_params_add(params, "w", AG_SHAPE(VALUES), ag_init_linear_bias(7), 1);
        ag_params_build(params, 1);
        ag_checkpoint *c = ag_checkpoint_open(files_path(stored[i]), &why);
        if (c) ag_params_load(params, c, 0, &why);
        add_sentence(r, &why);
        memcpy(r->value + (3 + i % 2) * VALUES, w->value, VALUES * sizeof *w->value);
        ag_checkpoint_close(c);
        ag_params_free(params);
        const ag_schedule s = {.kind = kinds[i],
                               .lr = 0.1,
                               .last = 0.3,
                               .rate = 0.7,
                               .every = 3,
                               .warmup = 3,
                               .total = 10};
        r->number[i] = ag_schedule_at(&s, 8);
        r->number[3] = ag_schedule_at(&s, 1);
        r->number[4 + i] = ag_random_normal(&random);
        r->number[7 + i] = ag_sample_softmax(logits + i, 4, 0.5 + i, &random);
    }
    why = (ag_failure){0};
    ag_fail(&why, AG_EUSE, "%g", 0.1);
    add_sentence(r, &why);
    ag_npz_writer *writer = ag_npz_create(files_path("y.npz"), &why);
    for (int i = 0; i < 3; i++) ag_npz_add(writer, names[i], AG_U8, 0, NULL, "x", &why);
    if (ag_npz_finish(writer, &why)) add_sentence(r, &why);
}

/* The caller rounds otherwise, traps what can be trapped, or has no subnormal numbers. */
static void test_other_modes(void **state)
{
    const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static results plain, other;
    fenv_t mine;
    make_files();
    use_all(&plain);
    assert_non_null(strstr(plain.sentences, "1e+300"));
    assert_true(plain.value[1] > 0); /* subnormal */
    fegetenv(&mine);
    for (int i = 0; i < 5; i++) {
        if (i < 3) fesetround(rounding[i]);
#ifdef __GLIBC__ /* others have no call that lets exceptions be signals */
        if (i == 3) feenableexcept(FE_ALL_EXCEPT);
#endif
        const uint64_t mode = i < 4 ? ag__float_mode() : ag__float_mode_flush();
        const uint64_t before = ag__float_mode();
        use_all(&other);
        const uint64_t after = ag__float_mode();
        if (i == 4) ag__float_mode_set(mode);
        fesetenv(&mine);
        assert_string_equal(other.sentences, plain.sentences);
        assert_memory_equal(other.value, plain.value, sizeof plain.value);
        assert_memory_equal(other.number, plain.number, sizeof plain.number);
        assert_true(after >> 6 == before >> 6); /* below are flags */
    }
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, test_runs, test_steps, test_rounding,
                          test_other_modes);
}
