/* SPDX-License-Identifier: MIT */
/* The samples of steps: balanced, each once. */
#include "support/test.h"
#include "examples/tpu/steps.h"
#include "support/tpu_kernels.h"

enum { KERNELS = 24 };

/* Family 0: one program of two kernels; family 1: programs of 1 and of 10; family 2: one of 11.
   They come mixed. */
static const int program[KERNELS] = {3, 2, 1, 0, 3, 2, 3, 2, 3, 2, 3, 2,
                                     3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 0};
static const int family[KERNELS] = {2, 1, 1, 0, 2, 1, 2, 1, 2, 1, 2, 1,
                                    2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0};

/* Of each test. */
static tpu_data d;
static tpu_scaler scaler;
static tpu_sampler s;

/* Every configuration has its own run time. */
static void make(tpu_task task)
{
    test_tpu_made(&d, task, KERNELS, program, family, 8);
    for (int i = 0; i < d.kernels; i++)
        for (int c = 0; c < d.kernel[i].configs; c++) d.kernel[i].runtime[c] = 1000 + c;
    tpu_scaler_fit(&scaler, &d, 0, 0);
}

static void set_up(tpu_task task, const tpu_settings *settings)
{
    const tpu_batch_options batch = {0};
    make(task);
    expect_ok(tpu_sampler_open(&s, &d, &scaler, settings, &batch, new_failure()));
}

static void tear_down(void)
{
    tpu_sampler_close(&s);
    test_tpu_made_free(&d);
}

/* Kernels with one configuration (0, 12) cannot be drawn in the tile task. */
static void steps_draw_different_kernels_and_configurations(void **state)
{
    for (int task = TPU_TILE; task <= TPU_FUSION; task++) {
        set_up((tpu_task)task, &(tpu_settings){.balanced = true, .kernels = 6, .configs = 4});
        assert_int_equal(s.count, task == TPU_TILE ? 22 : 24);
        assert_int_equal(s.families, 3);
        assert_int_equal(s.programs, 4);
        for (int step = 0; step < 300; step++) {
            int seen[KERNELS] = {0}, kernels = 0;
            const int n = tpu_sampler_draw(&s, step);
            for (int i = 0; i < n;) {
                const tpu_kernel *k = s.sample[i].kernel;
                const int wanted = k->configs < 4 ? k->configs : 4;
                unsigned configs = 0;
                assert_true(task == TPU_FUSION || k->configs > 1);
                assert_int_equal(seen[k - d.kernel]++, 0);
                for (int c = 0; c < wanted; c++, i++) {
                    assert_ptr_equal(s.sample[i].kernel, k);
                    assert_in_range(s.sample[i].config, 0, k->configs - 1);
                    assert_false(configs & 1u << s.sample[i].config);
                    configs |= 1u << s.sample[i].config;
                }
                kernels++;
            }
            assert_int_equal(kernels, 6);
        }
        tear_down();
    }
}

static void draws_are_even_over_families_programs_and_kernels(void **state)
{
    enum { STEPS = 30000 };
    static const double program_share[] = {1.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 3};
    static const int members[] = {2, 1, 10, 11};
    for (int uniform = 0; uniform < 2; uniform++) {
        int64_t of_kernel[KERNELS] = {0}, of_family[3] = {0};
        set_up(TPU_FUSION, &(tpu_settings){.kernels = 1, .balanced = !uniform});
        for (int step = 0; step < STEPS; step++) {
            assert_int_equal(tpu_sampler_draw(&s, step), 1);
            of_kernel[s.sample[0].kernel - d.kernel]++;
            of_family[s.sample[0].kernel->family]++;
        }
        for (int f = 0; f < 3 && !uniform; f++) expect_share(of_family[f], STEPS, 1.0 / 3);
        for (int i = 0; i < KERNELS; i++)
            expect_share(of_kernel[i], STEPS,
                         uniform ? 1.0 / KERNELS : program_share[program[i]] / members[program[i]]);
        tear_down();
    }
}

static void a_step_that_wants_all_gets_each_once(void **state)
{
    set_up(TPU_FUSION, &(tpu_settings){.balanced = true, .kernels = 100});
    for (int step = 0; step < 20; step++) {
        int seen[KERNELS] = {0};
        assert_int_equal(tpu_sampler_draw(&s, step), KERNELS);
        for (int i = 0; i < KERNELS; i++)
            assert_int_equal(seen[s.sample[i].kernel - d.kernel]++, 0);
    }
    tear_down();
}

static void what_cannot_be_drawn_is_said(void **state)
{
    const tpu_batch_options batch = {0};
    const tpu_settings settings = {.kernels = 4, .configs = 2};
    make(TPU_TILE);
    for (int i = 0; i < KERNELS; i++)
        for (int c = 0; c < d.kernel[i].configs; c++) d.kernel[i].runtime[c] = 5;
    assert_int_equal(tpu_sampler_open(&s, &d, &scaler, &settings, &batch, new_failure()), AG_EUSE);
    assert_string_equal(last_failure()->sentence,
                        "training: none of the 24 kernels can be drawn: their run times are hidden "
                        "(0), or those of a kernel are all equal; name other files");
    tear_down();
}

int main(void)
{
    return RUN_TESTS(steps_draw_different_kernels_and_configurations,
                     draws_are_even_over_families_programs_and_kernels,
                     a_step_that_wants_all_gets_each_once, what_cannot_be_drawn_is_said);
}
