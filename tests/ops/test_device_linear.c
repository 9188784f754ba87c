/* SPDX-License-Identifier: MIT */
/* linear on a device: a ReLU that belongs to the product, and the gradients of weight and bias in
   one product. When that is so, when it must not be, and that it changes no result. Values are
   multiples of 1/64, so sums have no rounding errors, but where the precision of products is the
   matter. */
#include "support/device_tape.h"

/* The ways in which a network uses linear's result; the first FOLDED of them let it have the ReLU.
 */
enum { RELU, NO_BIAS, VIEW, THEN, FOLDED, TWICE = FOLDED, KEPT, KEPT_VIEW, TWO, OTHER, NETWORKS };

typedef struct sizes {
    int rows, in, out;
} sizes;

static const sizes shapes[] = {{0, 31, 32},  {1, 31, 32},   {33, 31, 32}, {40, 48, 24},
                               {2100, 3, 2}, {2100, 5, 33}, {3, 0, 4},    {7, 5, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = 1 << 17 };

static float x_data[MOST], c_data[MOST];

static ag_tensor *network(int which, ag_tensor *x, ag_tensor *w, ag_tensor *b)
{
    ag_tensor *y = ag_linear(x, w, which == NO_BIAS ? NULL : b);
    const int n = (int)(ag_size(y, 0) * ag_size(y, 1));
    switch (which) {
    case VIEW: return ag_reshape(ag_relu(ag_reshape(y, AG_SHAPE(n))), ag_shape_of(y));
    case THEN: return ag_scale(ag_shift(ag_relu(y), 0.5f), 2);
    case TWICE: return ag_add(ag_relu(y), y);
    case KEPT: return ag_relu(ag_keep(y));
    case KEPT_VIEW: ag_keep(ag_reshape(y, AG_SHAPE(n))); return ag_relu(y);
    case TWO: return ag_add(ag_relu(y), ag_scale(ag_relu(y), 2));
    case OTHER: return ag_leaky_relu(y, 0.5f);
    default: return ag_relu(y);
    }
}

/* ---- one model on one device ---- */

typedef struct model {
    sizes s;
    int which;
    ag_params *params;
    ag_param *x, *w, *b;
    ag_tape *tape;
    ag_tensor *y;
} model;

static void fill(ag_param *p, int first)
{
    for (int i = 0; i < p->count; i++) p->value[i] = x_data[(first + i) % MOST];
}

static model make(ag_device device, sizes s, int which)
{
    model m = {.s = s, .which = which, .params = ag_params_new(), .tape = ag_tape_new(device)};
    m.x = ag_params_add(m.params, "x", AG_SHAPE(s.rows, s.in), ag_init_constant(0), 1);
    m.w = ag_params_add(m.params, "w", AG_SHAPE(s.out, s.in), ag_init_constant(0), 1);
    m.b = ag_params_add(m.params, "b", AG_SHAPE(s.out), ag_init_constant(0), 1);
    assert_int_equal(ag_params_build(m.params, 0), AG_OK);
    fill(m.x, 0), fill(m.w, 311), fill(m.b, 97);
    assert_int_equal(ag_params_to(m.params, device, NULL), AG_OK);
    return m;
}

static void end(model *m)
{
    ag_tape_free(m->tape);
    ag_params_free(m->params);
}

/* Records the step; its loss is sum(y c). */
static ag_tensor *record(model *m)
{
    ag_tape_reset(m->tape);
    m->y = ag_keep(network(m->which, ag_parameter(m->tape, m->x), ag_parameter(m->tape, m->w),
                           ag_parameter(m->tape, m->b)));
    return ag_sum_all(ag_mul(m->y, ag_input(m->tape, c_data, ag_shape_of(m->y))));
}

static void run(model *m)
{
    ag_backward(record(m));
    assert_string_equal(ag_error(m->tape), "");
}

static const ag_plan *plan_of(model *m)
{
    ag_tensor *loss = record(m);
    return ag__plan_find(m->tape, loss, 1);
}

/* The first job of that kernel; NULL: there is none. */
static const ag_job *job_of(const ag_plan *plan, const char *kernel)
{
    for (int k = 0; k < plan->n_jobs; k++)
        if (plan->jobs[k].kernel && strcmp(plan->jobs[k].kernel->name, kernel) == 0)
            return &plan->jobs[k];
    return NULL;
}

/* The largest difference, relative to the largest number. */
static double apart(const float *have, const float *want, int64_t n)
{
    double difference = 0, largest = 1e-30;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(have[i])) return (double)INFINITY;
        difference = fmax(difference, fabs((double)have[i] - (double)want[i]));
        largest = fmax(largest, fabs((double)want[i]));
    }
    return difference / largest;
}

/* Of values and gradients. */
static double error_of(const model *have, const model *want)
{
    assert_int_equal(ag_params_fetch(have->params, NULL), AG_OK);
    return fmax(apart(ag_values(have->y), ag_values(want->y), (int64_t)want->s.rows * want->s.out),
                apart(have->params->gradient, want->params->gradient, want->params->size));
}

static void expect_equal(const model *have, const model *want)
{
    const double error = error_of(have, want);
    if (!(error <= 2e-6))
        fail_msg("network %d, [%d,%d] to %d: %g", want->which, want->s.rows, want->s.in,
                 want->s.out, error);
}

/* ---- the same results ---- */

/* Three runs, of which the device repeats the last one's launches, and gradients that add up. */
static void compare(sizes s, int which, const char *fuse)
{
    model here = make(AG_CPU, s, which), there = make(AG_CUDA, s, which);
    for (int i = 0; i < 3; i++) {
        setenv("AUGUR_FUSE", "1", 1);
        run(&here);
        setenv("AUGUR_FUSE", fuse, 1);
        run(&there);
        expect_equal(&there, &here);
    }
    setenv("AUGUR_FUSE", "1", 1);
    end(&here), end(&there);
}

static void results_are_the_same(void **state)
{
    for (int i = 0; i < SHAPES; i++)
        for (int which = 0; which < NETWORKS; which++) {
            compare(shapes[i], which, "1");
            compare(shapes[i], which, "0");
        }
}

/* More shapes than are kept, and all of them again later. */
static void many_shapes(void **state)
{
    for (int i = 0; i < 140; i++)
        compare((sizes){1 + i % 70 % 40, i % 70 / 4, 1 + i % 70 % 30}, THEN, "1");
}

/* A product without an algorithm takes more kernels. */
static void results_without_an_algorithm(void **state)
{
    if (!cuda_on_host_fail) skip();
    for (int which = 0; which < NETWORKS; which++) {
        cuda_on_host_fail("cublasLtMatmulAlgoGetHeuristic", 15, 0);
        compare((sizes){34, 30 + which, 32}, which, "1");
        cuda_on_host_fail(NULL, 0, 0);
    }
}

/* ---- a ReLU ---- */

/* The value before it has no place then. */
static void a_relu_belongs_to_the_product(void **state)
{
    size_t slab[2];
    for (int which = 0; which < NETWORKS; which++) {
        model m = make(AG_CUDA, shapes[2], which);
        for (int fuse = 1; fuse >= 0; fuse--) {
            setenv("AUGUR_FUSE", fuse ? "1" : "0", 1);
            const int wanted = fuse && which < FOLDED;
            const ag_plan *plan = plan_of(&m);
            if ((job_of(plan, "linear_relu") != NULL) != wanted ||
                (job_of(plan, "linear_product") == NULL) != wanted ||
                (job_of(plan, "relu_forward") == NULL) != (wanted || which == OTHER))
                fail_msg("network %d, fuse %d", which, fuse);
            slab[fuse] = ag_plan_of(m.y, 0).slab;
        }
        if (which == RELU) assert_int_equal(slab[0], 2 * slab[1]);
        setenv("AUGUR_FUSE", "1", 1);
        end(&m);
    }
}

/* Three ops after the product: one is the product's, the others are a group. */
static void the_rest_is_a_group(void **state)
{
    model m = make(AG_CUDA, shapes[2], THEN);
    const ag_plan *plan = plan_of(&m);
    assert_string_equal(plan->jobs[plan->steps[0].first].kernel->name, "linear_relu");
    assert_int_equal(plan->steps[0].n, 1);
    assert_string_equal(plan->jobs[plan->steps[1].first].kernel->name, "shift_forward");
    assert_int_equal(plan->steps[1].n, 3); /* and the product with c */
    end(&m);
}

static void profiles_and_checks_name_it(void **state)
{
    model m = make(AG_CUDA, shapes[2], RELU);
    ag_profile(m.tape, 1);
    run(&m);
    const char *text = profile_of(m.tape);
    expect(text, "linear_relu");
    expect(text, "linear_backward_weights");
    if (strstr(text, "relu_forward") || strstr(text, "linear_product"))
        fail_msg("both ops have a launch:\n%s", text);
    ag_profile(m.tape, 0);
    /* A value that is not finite is found before the ReLU, which then runs alone. */
    ag_params_to(m.params, AG_CPU, NULL);
    m.w->value[5] = NAN;
    ag_params_to(m.params, AG_CUDA, NULL);
    ag_check_finite(m.tape, 1);
    ag_backward(record(&m));
    expect(ag_error(m.tape), "linear: element 0 of the result is nan");
    end(&m);
}

/* ---- gradients of weight and bias ---- */

typedef struct work {
    long launches, products;
} work;

/* Of a run that begins with no gradients; the device then has them. */
static work work_of(model *m)
{
    const cuda_on_host_counts before = cuda_on_host_count();
    run(m);
    assert_int_equal(ag_params_fetch(m->params, NULL), AG_OK);
    const cuda_on_host_counts after = cuda_on_host_count();
    return (work){after.launches - before.launches, after.library_calls - before.library_calls};
}

/* Sums of dy are two launches, which are not there when a product has them. */
static void a_bias_gradient_comes_with_the_product(void **state)
{
    if (!cuda_on_host_count) skip();
    setenv("AUGUR_GRAPHS", "0", 1);
    model with = make(AG_CUDA, shapes[2], RELU), without = make(AG_CUDA, shapes[2], NO_BIAS);
    const work one = work_of(&with), other = work_of(&without);
    assert_int_equal(one.products, 3); /* y, dx, dw */
    assert_int_equal(other.products, 3);
    assert_int_equal(one.launches, other.launches);
    const work adds = work_of(&with); /* to what is there */
    assert_int_equal(adds.products, 3);
    assert_int_equal(adds.launches, one.launches + 2);
    end(&with), end(&without);
    setenv("AUGUR_GRAPHS", "1", 1);
}

/* Where it would be slow: a long sum on a few blocks, or a gradient that no cache holds. */
static void a_bias_gradient_comes_alone(void **state)
{
    static const sizes few = {4097, 2, 3}, many = {4096, 2, 3};
    if (!cuda_on_host_count) skip();
    setenv("AUGUR_GRAPHS", "0", 1);
    for (int i = 0; i < 2; i++) {
        model with = make(AG_CUDA, i ? many : few, RELU),
              without = make(AG_CUDA, i ? many : few, NO_BIAS);
        cuda_on_host_fail("waves", 1, 0);
        assert_int_equal(work_of(&with).launches, work_of(&without).launches + 2 * !i);
        cuda_on_host_fail(NULL, 0, 0);
        end(&with), end(&without);
    }
    setenv("AUGUR_GRAPHS", "1", 1);
}

/* w and b are parameters or inputs, as the bits of `wanted` say: what is not wanted is not written.
 */
static void only_what_is_wanted(void **state)
{
    for (int wanted = 0; wanted < 4; wanted++) {
        model m = make(AG_CUDA, shapes[2], RELU);
        ag_tape *t = m.tape;
        ag_tensor *x = ag_parameter(t, m.x);
        ag_tensor *w = wanted & 1 ? ag_parameter(t, m.w) : ag_input(t, x_data, AG_SHAPE(32, 31));
        ag_tensor *b = wanted & 2 ? ag_parameter(t, m.b) : ag_input(t, x_data, AG_SHAPE(32));
        ag_tensor *loss = ag_sum_all(ag_linear(x, w, b));
        const ag_plan *plan = ag__plan_find(t, loss, 1);
        const ag_job *weights = job_of(plan, "linear_backward_weights");
        assert_int_equal(weights != NULL, wanted & 1);
        if (weights) assert_int_equal(weights->also.place != AT_NOTHING, wanted == 3);
        assert_int_equal(job_of(plan, "bias_backward") != NULL, wanted == 2);
        ag_backward(loss);
        assert_string_equal(ag_error(t), "");
        assert_int_equal(ag_params_fetch(m.params, NULL), AG_OK);
        for (int i = 0; i < 32; i++)
            assert_true(fabsf(m.b->gradient[i] - (wanted & 2 ? 33.0f : 0)) <= 1e-4f);
        end(&m);
    }
}

/* Two layers share weight and bias, so the second product adds to both. */
static void shared_weights_add_up(void **state)
{
    model here = make(AG_CPU, (sizes){20, 8, 8}, RELU), there = make(AG_CUDA, here.s, RELU);
    model *both[] = {&here, &there};
    for (int i = 0; i < 2; i++) {
        model *m = both[i];
        ag_tensor *w = ag_parameter(m->tape, m->w), *b = ag_parameter(m->tape, m->b);
        m->y = ag_keep(ag_linear(ag_relu(ag_linear(ag_parameter(m->tape, m->x), w, b)), w, b));
        ag_backward(ag_sum_all(m->y));
        assert_string_equal(ag_error(m->tape), "");
    }
    expect_equal(&there, &here);
    end(&here), end(&there);
}

/* ---- in which precision ---- */

/* Adds bits to x_data, so that rounding them to 11 shows, or takes them away again. */
static void lengthen(int sign)
{
    for (int i = 0; i < MOST; i++) x_data[i] += (float)(sign * (i * 53 % 97)) / 65536;
}

static double error_in(model *m, ag_precision precision, const model *want)
{
    ag_tape_precision(m->tape, precision);
    ag_params_reset(m->params);
    run(m);
    return error_of(m, want);
}

/* Each tape has its own, and keeps it. */
static void tf32_is_asked_for(void **state)
{
    const sizes s = {40, 48, 24};
    lengthen(1);
    model here = make(AG_CPU, s, NO_BIAS), one = make(AG_CUDA, s, NO_BIAS),
          other = make(AG_CUDA, s, NO_BIAS);
    run(&here);
    for (int round = 0; round < 2; round++) {
        const double coarse = error_in(&other, AG_TF32, &here);
        assert_true(coarse > 2e-6 && coarse < 1e-3);
        assert_true(error_in(&one, AG_FP32, &here) < 2e-6);
        ag_params_reset(other.params);
        run(&other); /* a reset keeps it */
        assert_true(error_of(&other, &here) == coarse);
    }
    assert_true(error_in(&other, AG_FP32, &here) < 2e-6);
    lengthen(-1);
    end(&here), end(&one), end(&other);
}

/* Data that are kept with a plan, such as a recorded run, are of one precision. */
static void plans_are_of_one_precision(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CUDA);
    for (int run = 0; run < 4; run++) {
        ag_tape_reset(tape);
        ag_tape_precision(tape, run % 2 ? AG_TF32 : AG_FP32);
        assert_int_equal(ag_plan_of(ag_tanh(input(tape)), 0).plans_made, run < 2 ? run + 1 : 2);
    }
    ag_tape_precision(tape, (ag_precision)2);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_string_equal(ag_error(tape),
                        "ag_tape_precision: 2 is not a precision; it must be AG_FP32 or AG_TF32");
    ag_tape_free(tape);
}

int main(void)
{
    for (int i = 0; i < MOST; i++) {
        x_data[i] = (float)((i * 37 % 101) - 50) / 64;
        c_data[i] = (float)((i * 29 % 113) - 56) / 64;
    }
    return run_there(results_are_the_same, many_shapes, results_without_an_algorithm,
                     a_relu_belongs_to_the_product, the_rest_is_a_group,
                     profiles_and_checks_name_it, a_bias_gradient_comes_with_the_product,
                     a_bias_gradient_comes_alone, only_what_is_wanted, shared_weights_add_up,
                     tf32_is_asked_for, plans_are_of_one_precision);
}
