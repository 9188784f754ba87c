/* SPDX-License-Identifier: MIT */
/* Kernels that are not there, memory that is not, and a device that fails. Where there is no device
   there is nothing to see. */
#include "support/device_tape.h"

/* ---- kernels that are not there ---- */

static int plain_shape(ag_call *call) { return ag__same_shape(call); }
static int64_t one_unit(const ag_args *a) { return (void)a, 1; }
static void no_range(const ag_args *a, int64_t lo, int64_t hi) {}
static int calls;
static void count_call(const ag_args *a) { (void)a, calls++; }

/* Nothing runs, not even the ops before it. */
static void a_missing_kernel_fails_before_all(void **state)
{
    static const ag_kernel there = {.name = "there", .call = count_call, .cuda = count_call};
    static const ag_kernel here = {.name = "here_forward", .count = one_unit, .range = no_range};
    static const ag_op first = {
        .name = "first", .inputs = "x", .shape = plain_shape, .forward = {&there}};
    static const ag_op second = {
        .name = "second", .inputs = "x", .shape = plain_shape, .forward = {&here}};
    ag_forward(ag__record1(&first, input(tape), NULL));
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(calls, 1);
    ag_tape_reset(tape);
    ag_forward(ag__record1(&second, ag__record1(&first, input(tape), NULL), NULL));
    assert_int_equal(ag_tape_status(tape), AG_EDEVICE);
    assert_string_equal(ag_error(tape), "second has no CUDA kernel \"here_forward\" yet (op 1); "
                                        "choose the CPU as the device");
    assert_int_equal(calls, 1);
}

/* ---- failures of the device, which the host execution makes ---- */

static void no_memory(void **state)
{
    if (!cuda_on_host_fail) skip();
    assert_int_equal(ag_params_to(params, AG_CPU, NULL), AG_OK);
    cuda_on_host_fail("cudaMalloc", 2, 1);
    expect_status(ag_params_to(params, AG_CUDA, new_failure()), AG_EMEMORY,
                  "ag_params_to: the CUDA device has ");
    assert_int_equal(params->device, AG_CPU);
    ag_tensor *y = ag_tanh(input(tape));
    cuda_on_host_fail("cudaMalloc", 2, 1); /* the slab */
    ag_forward(y);
    assert_int_equal(ag_tape_status(tape), AG_EMEMORY);
    expect(ag_error(tape), "This step wants 8192 bytes on the CUDA device, of which ");
    ag_tape_reset(tape);
    ag_forward(ag_tanh(input(tape)));
    assert_string_equal(ag_error(tape), "");
}

static ag_tensor *product(ag_tape *tape) { return ag_matmul_t(input(tape), input(tape), 0, 1); }

/* Whichever allocation of a product fails, its bytes are named; the last is the workspace, which
   all products share. */
static void no_memory_for_a_product(void **state)
{
    int workspace = 0;
    if (!cuda_on_host_fail) skip();
    for (int nth = 1; nth < 8 && !workspace; nth++) {
        tape_drop(state);
        tape_make(state);
        cuda_on_host_fail("cudaMalloc", 2, nth);
        ag_forward(product(tape));
        cuda_on_host_fail(NULL, 0, 0);
        assert_int_equal(ag_tape_status(tape), AG_EMEMORY);
        expect(ag_error(tape), " are free; ");
        workspace = strstr(ag_error(tape), "no memory for the 33554432 bytes of the workspace of "
                                           "products: ") != NULL;
    }
    assert_true(workspace);
    ag_tape_reset(tape);
    ag_forward(product(tape));
    assert_string_equal(ag_error(tape), "");
}

/* A launch that is refused names its kernel; the next step runs. */
static void a_refused_launch(void **state)
{
    if (!cuda_on_host_fail) skip();
    cuda_on_host_fail("cudaLaunchKernelExC", 9, 2);
    ag_forward(ag_softmax(ag_tanh(input(tape))));
    cuda_on_host_fail(NULL, 0, 0);
    assert_int_equal(ag_tape_status(tape), AG_EDEVICE);
    expect(ag_error(tape), "\"softmax_forward\": invalid configuration argument");
    ag_tape_reset(tape);
    cuda_on_host_fail("cudaLaunchKernelExC", 9, 1);
    ag_forward(ag_exp(ag_tanh(input(tape))));
    cuda_on_host_fail(NULL, 0, 0);
    expect(ag_error(tape), "\"tanh_forward, exp_forward\": invalid configuration argument");
    ag_tape_reset(tape);
    ag_forward(ag_exp(ag_tanh(input(tape))));
    assert_string_equal(ag_error(tape), "");
}

/* A kernel that fails takes the device down: it shows at a wait, and every later tape fails. */
static void a_lost_device(void **state)
{
    if (!cuda_on_host_fail) skip();
    cuda_on_host_fail("group", 700, 1); /* tanh and mul */
    ag_tensor *loss = ag_sum_all(ag_mul(ag_tanh(input(tape)), ag_parameter(tape, weight)));
    ag_backward(loss);
    assert_true(isnan(ag_item(loss)));
    assert_int_equal(ag_tape_status(tape), AG_EDEVICE);
    expect(ag_error(tape), "The CUDA device failed in or before \"");
    expect(ag_error(tape), "an illegal memory access was encountered; run again with "
                           "AUGUR_CUDA_WAIT=1");
    assert_int_equal(ag_clip_norm(params, 1, NULL, new_failure()), AG_EDEVICE);
    assert_int_equal(params->state, AG_BAD);
    assert_int_equal(ag_params_fetch(params, NULL), AG_EDEVICE);
    ag_tape_reset(tape);
    assert_int_equal(ag_tape_status(tape), AG_EDEVICE);
    ag_tape *later = ag_tape_new(AG_CUDA);
    assert_int_equal(ag_tape_status(later), AG_EDEVICE);
    expect(ag_error(later), "an illegal memory access");
    ag_tape_free(later);
}

int main(void)
{
    /* the last: there is no device afterwards */
    return run_there(a_missing_kernel_fails_before_all, no_memory, no_memory_for_a_product,
                     a_refused_launch, a_lost_device);
}
