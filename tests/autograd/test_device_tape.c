/* SPDX-License-Identifier: MIT */
/* A tape on a device: the parameters that it takes, results, memory, checks, and failures. Where
   there is no device there is nothing to see. */
#include "support/device_tape.h"

/* ---- tapes and blocks of parameters ---- */

static void both_are_on_one_device(void **state)
{
    for (int device = AG_CPU; device <= AG_CUDA; device++) {
        const ag_device other = device == AG_CPU ? AG_CUDA : AG_CPU;
        ag_param *w;
        ag_params *params = one_parameter(&w, other);
        ag_tape *tape = ag_tape_new((ag_device)device);
        ag_backward(ag_sum_all(ag_parameter(tape, w)));
        assert_int_equal(ag_tape_status(tape), AG_EUSE);
        expect(ag_error(tape),
               device == AG_CPU
                   ? "parameter \"w\" is on the CUDA device, but the tape is on the CPU"
                   : "parameter \"w\" is on the CPU, but the tape is on the CUDA");
        ag_tape_reset(tape);
        assert_int_equal(ag_params_to(params, (ag_device)device, NULL), AG_OK);
        ag_tensor *loss = ag_sum_all(ag_parameter(tape, w));
        assert_int_equal(ag_params_to(params, other, NULL), AG_OK);
        ag_backward(loss);
        assert_int_equal(ag_tape_status(tape), AG_EUSE);
        expect(ag_error(tape), "parameter \"w\" went to the");
        assert_int_equal(params->state, AG_BAD);
        ag_tape_free(tape);
        ag_params_free(params);
    }
}

static void gradients_have_states(void **state)
{
    for (int run = 0; run < 3; run++) { /* stored, added, added */
        ag_tape_reset(tape);
        ag_backward(ag_sum_all(ag_mul(ag_parameter(tape, weight), input(tape))));
        assert_int_equal(params->state, AG_READY);
        assert_int_equal(ag_params_fetch(params, NULL), AG_OK);
        for (int i = 0; i < 1000; i++)
            assert_true(weight->gradient[i] == (float)(run + 1) * data[i]);
    }
}

/* ---- results ---- */

/* They stay as they were when they are read late, and others run in between. */
static void results_are_fetched_when_read(void **state)
{
    ag_tape *other = ag_tape_new(AG_CUDA);
    ag_tensor *x = input(tape), *h = ag_keep(ag_shift(x, 1)), *p = ag_parameter(tape, weight);
    ag_tensor *v = ag_keep(ag_reshape(h, AG_SHAPE(1000))), *dead = ag_scale(h, 2);
    ag_tensor *loss = ag_sum_all(ag_mul(ag_square(dead), p));
    ag_forward(loss);
    data[7] += 1; /* the run is over, though the device may not be done */
    ag_forward(ag_sum_all(ag_exp(input(other))));
    data[7] -= 1;
    const float *values = ag_values(h), *view = ag_values(v);
    for (int i = 0; i < 1000; i++) assert_true(values[i] == data[i] + 1 && view[i] == values[i]);
    assert_true(ag_values(h) == values); /* once */
    assert_true(ag_values(x) == data);
    assert_true(ag_values(p)[3] == 0.5f);
    assert_true(isfinite(ag_item(loss)));
    assert_string_equal(ag_error(tape), "");
    assert_null(ag_values(dead));
    expect(ag_error(tape), "not kept by the run");
    ag_tape_free(other);
}

static void inputs_change_from_run_to_run(void **state)
{
    float x[300];
    for (int run = 0; run < 8; run++) { /* the slots of the uploads take turns, and grow */
        const int n = run < 4 ? 3 : 300;
        for (int i = 0; i < n; i++) x[i] = (float)(run + 1);
        ag_tape_reset(tape);
        ag_tensor *sum = ag_sum_all(ag_square(ag_input(tape, x, AG_SHAPE(n))));
        ag_forward(sum);
        for (int i = 0; i < n; i++) x[i] = NAN; /* borrowed until the run returned */
        assert_true(ag_item(sum) == (float)(n * (run + 1) * (run + 1)));
    }
}

/* ---- memory ---- */

/* Inputs have a place of their own until they are read, and all is at multiples of 256 bytes. */
static void the_slab_holds_inputs(void **state)
{
    setenv("AUGUR_FUSE", "0", 1);
    ag_plan_summary s = ag_plan_of(ag_tanh(input(tape)), 0);
    assert_int_equal(s.slab, 2 * 4096);
    ag_tape_reset(tape);
    s = ag_plan_of(ag_tanh(ag_tanh(ag_tanh(input(tape)))), 0); /* which then makes room */
    assert_int_equal(s.slab, 2 * 4096);
    ag_tape_reset(tape);
    ag_tensor *x = input(tape);
    s = ag_plan_of(ag_add(ag_tanh(ag_tanh(x)), x), 0);
    assert_int_equal(s.slab, 3 * 4096);
    unsetenv("AUGUR_FUSE");
    ag_tape_reset(tape);
    x = input(tape);
    s = ag_plan_of(ag_add(ag_tanh(ag_tanh(x)), x), 0); /* a group keeps the values in between */
    assert_int_equal(s.slab, 2 * 4096);
}

static void what_is_too_large_is_refused(void **state)
{
    enum { N = 600000 }; /* N N floats are 1.4 TB */
    static float column[N];
    ag_tensor *x = ag_input(tape, column, AG_SHAPE(N, 1)),
              *y = ag_input(tape, column, AG_SHAPE(1, N));
    ag_forward(ag_sum_all(ag_matmul(x, y)));
    assert_int_equal(ag_tape_status(tape), AG_EMEMORY);
    expect(ag_error(tape), "This step wants 1441");
    expect(ag_error(tape), " bytes on the CUDA device, of which ");
    expect(ag_error(tape), " are free; use fewer configurations or a smaller graph per step");
    ag_tape_reset(tape);
    ag_forward(ag_tanh(input(tape)));
    assert_string_equal(ag_error(tape), "");
}

/* ---- arrays of graphs, which stay on the device ---- */

static float sum_over(ag_tape *tape, const ag_graph *g)
{
    ag_tape_reset(tape);
    ag_edges edges = ag_graph_edges(tape, g);
    ag_tensor *x = ag_input(tape, data, AG_SHAPE(g->nodes, 4));
    ag_tensor *y = ag_spmm(x, edges, AG_AGGREGATE_SUM);
    ag_tensor *sum = ag_sum_all(ag_mul(y, ag_input(tape, data + 7, AG_SHAPE(g->nodes, 4))));
    ag_forward(sum);
    assert_string_equal(ag_error(tape), "");
    return ag_item(sum);
}

/* A graph of its own for each seed, in memory that is used again. */
static ag_graph *small_graph(int seed)
{
    int32_t from[6], to[6];
    for (int e = 0; e < 6; e++) from[e] = (e * 3 + seed) % 5, to[e] = (e + seed / 5) % 5;
    return ag_graph_build(5, from, to, 6, AG_ALONG, NULL);
}

static void graphs_are_known_by_their_number(void **state)
{
    ag_tape *here = ag_tape_new(AG_CPU);
    for (int seed = 0; seed < 200; seed++) { /* more than are kept */
        ag_graph *g = small_graph(seed);
        const float want = sum_over(here, g);
        for (int run = 0; run < 1 + seed % 4; run++)
            assert_true(fabsf(sum_over(tape, g) - want) <= 1e-6f);
        ag_graph_free(g);
    }
    ag_graph *all[70]; /* more at a time than are kept, again and again */
    for (int i = 0; i < 70; i++) all[i] = small_graph(i);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < 70; i++)
            assert_true(fabsf(sum_over(tape, all[i]) - sum_over(here, all[i])) <= 1e-6f);
    for (int i = 0; i < 70; i++) ag_graph_free(all[i]);
    ag_tape_free(here);
}

/* From the third run on nothing of a graph is sent; a copy of a graph is another one. */
static void graphs_stay_on_the_device(void **state)
{
    ag_graph *g = small_graph(3), *other = ag_graph_batch((const ag_graph *[]){g}, 1, NULL);
    assert_true(g->serial != other->serial);
    for (int run = 0; run < 4; run++) {
        sum_over(tape, g);
        ag_tensor *rows = tape->tensors[0];
        assert_ptr_equal(rows->data, g->rows);
        assert_int_equal(rows->stays != NULL, run >= 2);
        assert_int_equal(tape->n_kept, 4); /* the op's inputs: all but the starts */
    }
    sum_over(tape, other);
    assert_null(tape->tensors[0]->stays);
    ag_graph_free(g);
    ag_graph_free(other);
}

/* ---- checks and measures ---- */

static void values_that_are_not_finite_are_named(void **state)
{
    ag_check_finite(tape, 1);
    ag_backward(ag_sum_all(ag_mul(ag_parameter(tape, weight), ag_name(input(tape), "x"))));
    assert_string_equal(ag_error(tape), "");
    data[123] = INFINITY;
    ag_tape_reset(tape);
    ag_backward(ag_sum_all(ag_mul(ag_parameter(tape, weight), ag_name(input(tape), "x"))));
    assert_int_equal(ag_tape_status(tape), AG_EFINITE);
    expect(ag_error(tape), "mul: element 123 of the result is inf");
    assert_int_equal(params->state, AG_BAD);
}

static void first_bad_is_the_first(void **state)
{
    enum { N = 200000 };
    static float x[N];
    void *there = ag__device_take(sizeof x);
    const int at[] = {0, 1, 255, 256, 65535, 65536, 199999};
    for (int i = 0; i < 7; i++) {
        x[at[i]] = i % 2 ? NAN : -INFINITY;
        x[N - 1] = NAN;
        ag__device_upload(there, x, sizeof x);
        assert_int_equal(ag__device_first_bad(there, N), at[i]);
        x[at[i]] = x[N - 1] = 1;
    }
    ag__device_upload(there, x, sizeof x);
    assert_int_equal(ag__device_first_bad(there, N), -1);
    assert_int_equal(ag__device_first_bad(there, 0), -1);
    ag__device_give(there);
}

static void sums_before_each(void **state)
{
    enum { N = 5000 };
    static int32_t x[N], y[N];
    int32_t *there = ag__device_take(2 * sizeof x);
    ag_real *scratch = ag__device_take((size_t)ag__device_scan_scratch(N) * sizeof(ag_real));
    for (int i = 0; i < N; i++) x[i] = i * 7 % 13;
    ag__device_upload(there, x, sizeof x);
    ag__device_scan(there + N, there, N, scratch);
    ag__device_download(y, there + N, sizeof y);
    for (int i = 0, sum = 0; i < N; sum += x[i++]) assert_int_equal(y[i], sum);
    ag__device_give(there);
    ag__device_give(scratch);
    assert_int_equal(ag__device_failed(NULL), AG_OK);
}

static void profiles_have_rows(void **state)
{
    ag_profile(tape, 1);
    for (int run = 0; run < 2; run++) {
        ag_tape_reset(tape);
        ag_forward(ag_sum_all(ag_tanh(input(tape))));
    }
    const char *text = profile_of(tape);
    expect(text, "share         MB      GB/s\n");
    expect(text, "tanh_forward                            2");
    expect(text, "%      0.016 "); /* 2 runs, 4,000 bytes read and written */
    expect(text, "sum_all_total                           2");
}

int main(void)
{
    return run_there(both_are_on_one_device, gradients_have_states, results_are_fetched_when_read,
                     inputs_change_from_run_to_run, the_slab_holds_inputs,
                     what_is_too_large_is_refused, graphs_are_known_by_their_number,
                     graphs_stay_on_the_device, values_that_are_not_finite_are_named,
                     first_bad_is_the_first, sums_before_each, profiles_have_rows);
}
