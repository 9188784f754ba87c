/* SPDX-License-Identifier: MIT */
/* The contents of a plan: dead nodes, inference, the cache, kept tensors, its text. */
#include "support/device_tape.h"

/* ---- ops that run ---- */

static void test_dead_nodes_do_not_run(void **state)
{
    ag_tensor *x = input(tape), *y = ag_exp(x), *dead = ag_log(ag_neg(x));
    ag_tensor *loss = ag_sum_all(y);
    assert_int_equal(ag_plan_of(loss, 0).nodes, 2);
    ag_keep(dead); /* now it is wanted */
    assert_int_equal(ag_plan_of(loss, 0).nodes, 4);
    ag_forward(loss);
    assert_non_null(ag_values(dead));
}

static void test_nothing_to_differentiate(void **state)
{
    ag_params_reset(params);
    if (test_device() == AG_CPU) weight->gradient[5] = 7;
    ag_tensor *unused = ag_parameter(tape, weight);
    ag_tensor *loss = ag_sum_all(ag_exp(input(tape)));
    assert_int_equal(ag_plan_of(loss, 1).steps, ag_plan_of(loss, 0).steps);
    ag_backward(loss); /* a parameter that does not matter has the gradient 0 */
    assert_string_equal(ag_error(tape), "");
    assert_non_null(unused);
    assert_int_equal(params->state, AG_READY);
    assert_int_equal(ag_params_fetch(params, NULL), AG_OK);
    for (int i = 0; i < 1000; i++) assert_true(weight->gradient[i] == 0);
}

/* The loss is a parameter; a parameter is used twice and through a view. */
static void test_gradients_of_leaves(void **state)
{
    ag_params *one = ag_params_new();
    ag_param *p = ag_params_add(one, "p", AG_SHAPE(1), ag_init_constant(3), 1);
    assert_int_equal(ag_params_build(one, 0), AG_OK);
    assert_int_equal(ag_params_to(one, test_device(), NULL), AG_OK);
    ag_backward(ag_parameter(tape, p));
    assert_int_equal(ag_params_fetch(one, NULL), AG_OK);
    assert_true(p->gradient[0] == 1);
    ag_tape_reset(tape);
    ag_params_reset(one);
    ag_tensor *w = ag_parameter(tape, p);
    assert_ptr_equal(ag_parameter(tape, p), w);
    ag_backward(ag_sum_all(ag_add(ag_reshape(ag_square(w), AG_SCALAR), ag_reshape(w, AG_SCALAR))));
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_params_fetch(one, NULL), AG_OK);
    assert_true(p->gradient[0] == 7); /* 2 p + 1 */
    ag_params_free(one);
}

/* ---- memory ---- */

/* A switch has the same words everywhere. */
static void test_words_that_switch_fusion_off(void **state)
{
    static const char *const off[] = {"0", "off", "Off", "no", "FALSE"};
    static const char *const on[] = {"1", "on", "yes", "true", "", "of", "00"};
    for (int i = 0; i < 12; i++) {
        ag_tape_reset(tape);
        setenv("AUGUR_FUSE", i < 5 ? off[i] : on[i - 5], 1);
        assert_int_equal(ag_plan_of(chain(input(tape), 6), 0).steps, i < 5 ? 6 : 1);
    }
    unsetenv("AUGUR_FUSE");
    assert_int_equal(ag_switch("AUGUR_FUSE", 0), 0);
    assert_int_equal(ag_switch("AUGUR_FUSE", 1), 1);
}

/* 1000 floats are 4000 bytes, 4032 in the slab. */
static void test_inference_needs_its_widest_cut(void **state)
{
    if (test_device() != AG_CPU) skip(); /* test_device.c has the sizes of a device */
    setenv("AUGUR_FUSE", "0", 1);
    ag_plan_summary s = ag_plan_of(chain(input(tape), 6), 0);
    assert_int_equal(s.slab, 2 * 4032);
    assert_int_equal(s.saved, 0);
    assert_int_equal(s.steps, 6);
    ag_tape_reset(tape);
    ag_tensor *a = chain(input(tape), 2); /* lives at the same time as the other branch */
    s = ag_plan_of(ag_add(a, chain(a, 4)), 0);
    assert_int_equal(s.slab, 3 * 4032);
    ag_tape_reset(tape);
    s = ag_plan_of(ag_sum_all(chain(ag_parameter(tape, weight), 6)), 1);
    assert_int_equal(s.saved, 6 * 4000); /* tanh reads its result */
    ag_tape_reset(tape);
    s = ag_plan_of(ag_sum_all(chain(ag_parameter(tape, weight), 6)), 0);
    assert_int_equal(s.saved, 0);
    unsetenv("AUGUR_FUSE");
    ag_tape_reset(tape);
    s = ag_plan_of(chain(input(tape), 6), 0); /* five results live in tiles */
    assert_int_equal(s.slab, 4032);
    assert_int_equal(s.steps, 1);
}

/* ---- the cache ---- */

static long plans_after(ag_tape *tape, int rows, int columns)
{
    ag_tape_reset(tape);
    ag_tensor *y = ag_sum_all(ag_square(ag_input(tape, data, AG_SHAPE(rows, columns))));
    ag_backward(y);
    assert_string_equal(ag_error(tape), "");
    return ag_plan_of(y, 1).plans_made;
}

static void test_plans_are_found_again(void **state)
{
    for (int i = 0; i < 6; i++) assert_int_equal(plans_after(tape, 3 + i % 2, 5), i ? 2 : 1);
    for (int i = 0; i < 32; i++) plans_after(tape, 10, 1 + i); /* 32 others: both are forgotten */
    assert_int_equal(plans_after(tape, 10, 1), 34);
    assert_int_equal(plans_after(tape, 3, 5), 35);
    assert_int_equal(plans_after(tape, 10, 1), 35); /* the one used last stayed */
    assert_int_equal(plans_after(tape, 10, 2), 36); /* the oldest made room */
}

/* Attributes, wanted gradients and kept tensors make another plan; data and random numbers do
   not. */
static void test_key_of_a_plan(void **state)
{
    long made[6];
    for (int i = 0; i < 6; i++) {
        ag_tape_reset(tape);
        ag_tape_seed(tape, (uint64_t)i, (uint64_t)i * 3);
        ag_tensor *x = ag_input(tape, data + i, AG_SHAPE(4));
        ag_tensor *y = ag_dropout(ag_scale(x, i == 2 ? 3 : 2), 0.5f);
        ag_tensor *z = ag_neg(y);
        if (i == 3) ag_keep(y);
        ag_forward(i == 4 ? y : z);
        made[i] = ag_plan_of(i == 4 ? y : z, 0).plans_made;
    }
    const long want[] = {1, 1, 2, 3, 4, 4};
    for (int i = 0; i < 6; i++) assert_int_equal(made[i], want[i]);
}

/* More shapes than plans: they are made again in the memory that is there. */
static void test_second_pass_allocates_nothing(void **state)
{
    const int last = test_device() == AG_CPU ? 0 : 1; /* a device's memory of runs starts again with
                                                         each slab, until that is the largest */
    long before = 0;
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < 40; i++) plans_after(tape, 1 + i % 7, 10 + i);
        if (pass == last) before = ag__allocations();
    }
    assert_int_equal(ag__allocations(), before);
}

/* ---- reading ---- */

static void test_kept_tensors(void **state)
{
    ag_tensor *x = ag_input(tape, data, AG_SHAPE(2, 3)), *h = ag_shift(x, 1);
    ag_tensor *v = ag_reshape(h, AG_SHAPE(6)), *y = ag_sum_all(ag_square(v));
    assert_ptr_equal(ag_keep(v), v);
    for (int i = 0; i < 50; i++) h = ag_square(h); /* others need its place in the slab */
    ag_keep(h);
    ag_backward(y);
    for (int i = 0; i < 6; i++) assert_true(ag_values(v)[i] == data[i] + 1);
    assert_true(ag_values(x) == data); /* leaves can always be read */
    assert_non_null(ag_values(h));
    float sum = 0;
    for (int i = 0; i < 6; i++) sum += (data[i] + 1) * (data[i] + 1);
    assert_true(fabsf(ag_item(y) - sum) < 1e-5f);
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_size(v, 0), 6);
    assert_int_equal(ag_size(x, -1), 3);
    assert_int_equal(ag_size(x, 2), 1);
    assert_int_equal(ag_size(x, -3), 1);
}

/* ---- text ---- */

typedef void writer(ag_tensor *y, FILE *file);

static void expect_text(writer *write, ag_tensor *y, const char *want)
{
    FILE *file = tmpfile();
    write(y, file);
    assert_string_equal(text_of(file), want);
}

static void print_plan(ag_tensor *y, FILE *file) { ag_plan_print(y, 1, file); }
static void print_dot(ag_tensor *y, FILE *file) { ag_tape_dot(ag_tape_of(y), file); }

static void test_text(void **state)
{
    if (test_device() != AG_CPU) skip(); /* test_device.c has the sizes of a device */
    ag_tensor *x = ag_name(ag_input(tape, data, AG_SHAPE(10, 100)), "say \"x\"");
    ag_tensor *y = ag_sum_all(ag_tanh(ag_mul(x, ag_parameter(tape, weight))));
    expect_text(
        print_plan, y,
        "forward\n"
        "  | mul_forward                  [10,100] [10,100] -> [10,100] y@tile\n"
        "  | tanh_forward                 [10,100] -> [10,100] y@0\n"
        "    sum_all_parts                [10,100] -> [] y@8064\n"
        "    sum_all_total                [10,100] -> [] y@8064\n"
        "backward\n"
        "    seed                         dx@8128\n"
        "    sum_all_backward             [10,100] -> [] dx@4032\n"
        "  | tanh_backward                [10,100] -> [10,100] y@0 dx@tile\n"
        "  | mul_backward_z               [10,100] [10,100] -> [10,100] dx@parameter\n"
        "3 ops in 6 steps; slab 8192 bytes; saved for backward 4000 bytes; gradients 4004 bytes\n"
        "  saved: tanh [10,100], 4000 bytes\n");
    expect_text(print_dot, y,
                "digraph tape {\n"
                "  rankdir=TB;\n"
                "  node [fontname=\"Helvetica\"];\n"
                "  t0 [shape=box, label=\"say \\\"x\\\"\\n[10,100]\"];\n"
                "  t1 [shape=box, style=filled, fillcolor=lightyellow, label=\"w\\n[10,100]\"];\n"
                "  n0 [shape=ellipse, label=\"mul\\n[10,100]\"];\n"
                "  t0 -> n0;\n"
                "  t1 -> n0;\n"
                "  n1 [shape=ellipse, label=\"tanh\\n[10,100]\"];\n"
                "  n0 -> n1;\n"
                "  n2 [shape=ellipse, label=\"sum_all\\n[]\"];\n"
                "  n1 -> n2;\n"
                "}\n");
    ag_reshape(x, AG_SHAPE(3));
    expect_text(print_plan, y,
                "no plan: reshape: x \"say \"x\"\" is [10,100]: [3] has 3 elements, not 1000 (op "
                "3, \"say \"x\"\")\n");
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS_EACH(bed_make, bed_drop, test_dead_nodes_do_not_run,
                          test_nothing_to_differentiate, test_gradients_of_leaves,
                          test_words_that_switch_fusion_off, test_inference_needs_its_widest_cut,
                          test_plans_are_found_again, test_key_of_a_plan,
                          test_second_pass_allocates_nothing, test_kept_tensors, test_text);
}
