/* SPDX-License-Identifier: MIT */
/* The Transformer encoder layer against PyTorch's (tests/golden/encoder.npz): values, the gradients
   of the input and of every parameter, of graphs of 0 to 1,000 nodes in one batch. Also: the same
   bits on 1 and 2 threads, dropout. */
#include "support/test.h"
#include "augur.h"
#include "support/golden.h"

enum { GRAPHS = 8, FIELDS = sizeof(ag_encoder_weights) / sizeof(ag_param *) };
static const char *const fields[FIELDS] = {"qkv",    "qkv_bias",    "out",   "out_bias",
                                           "norm1",  "norm1_bias",  "widen", "widen_bias",
                                           "narrow", "narrow_bias", "norm2", "norm2_bias"};

/* A case of encoder.npz; a parameter that is not there is NULL. */
typedef struct layer {
    const char *name;
    golden *file;
    int f, heads, hidden, n, graphs;
    int32_t starts[GRAPHS];
    ag_params *params;
    ag_param *x;
    union {
        ag_encoder_weights weights;
        ag_param *list[FIELDS];
    };
    float *cotangent;
    ag_tape *tape;
} layer;

static golden_array member(const layer *l, const char *kind, const char *name)
{
    return golden_read(l->file, "%s.%s%s", l->name, kind, name);
}

static ag_shape shape_of(const layer *l, int field)
{
    const int f = l->f, w = l->hidden;
    const ag_shape shapes[FIELDS] = {
        AG_SHAPE(3 * f, f), AG_SHAPE(3 * f), AG_SHAPE(f, f), AG_SHAPE(f), AG_SHAPE(f), AG_SHAPE(f),
        AG_SHAPE(w, f),     AG_SHAPE(w),     AG_SHAPE(f, w), AG_SHAPE(f), AG_SHAPE(f), AG_SHAPE(f)};
    return shapes[field];
}

static void read_sizes(layer *l)
{
    golden_array sizes = member(l, "sizes", ""), starts = member(l, "starts", "");
    assert_int_equal(sizes.count, 3);
    assert_in_range(starts.count, 2, GRAPHS);
    l->f = (int)sizes.value[0];
    l->heads = (int)sizes.value[1];
    l->hidden = (int)sizes.value[2];
    l->graphs = (int)starts.count - 1;
    for (int g = 0; g <= l->graphs; g++) l->starts[g] = (int32_t)starts.value[g];
    l->n = l->starts[l->graphs];
    golden_free(&sizes);
    golden_free(&starts);
}

/* Values follow from a parameter's stream, offset and scale. */
static void fill(const layer *l)
{
    for (int64_t i = 0; i < l->x->count; i++) {
        l->x->value[i] = (float)golden_uniform(1, (uint32_t)i);
        l->cotangent[i] = (float)golden_uniform(2, (uint32_t)i);
    }
    for (int k = 0; k < FIELDS; k++) {
        golden_array rule = member(l, "p.", fields[k]);
        for (int64_t i = 0; l->list[k] && i < l->list[k]->count; i++)
            l->list[k]->value[i] =
                (float)(rule.value[1] +
                        rule.value[2] * golden_uniform((uint32_t)rule.value[0], (uint32_t)i));
        golden_free(&rule);
    }
}

static void open_layer(layer *l, const char *name)
{
    memset(l, 0, sizeof *l);
    l->name = name;
    l->file = golden_open(AG_SOURCE_DIR "/tests/golden/encoder.npz");
    assert_non_null(l->file);
    read_sizes(l);
    l->params = ag_params_new();
    l->x = ag_params_add(l->params, "x", AG_SHAPE(l->n, l->f), ag_init_constant(0), 0);
    for (int k = 0; k < FIELDS; k++) {
        golden_array rule = member(l, "p.", fields[k]);
        if (rule.value)
            l->list[k] =
                ag_params_add(l->params, fields[k], shape_of(l, k), ag_init_constant(0), 0);
        golden_free(&rule);
    }
    assert_int_equal(ag_params_build(l->params, 1), AG_OK);
    l->cotangent = test_malloc((size_t)l->x->count * sizeof *l->cotangent);
    fill(l);
    l->tape = ag_tape_new(AG_CPU);
}

static void close_layer(layer *l)
{
    ag_tape_free(l->tape);
    test_free(l->cotangent);
    ag_params_free(l->params);
    golden_close(l->file);
}

static ag_tensor *record(const layer *l, float dropout)
{
    ag_tape_reset(l->tape);
    ag_tape_seed(l->tape, 0, 0);
    ag_params_reset(l->params);
    const ag_edges edges = {.starts = ag_input_i32(l->tape, l->starts, AG_SHAPE(l->graphs + 1))};
    return ag_encoder(&l->weights, ag_parameter(l->tape, l->x), edges, l->heads, dropout);
}

/* The values, until the next reset; gradients are in the parameters. */
static const float *run(const layer *l, float dropout)
{
    ag_tensor *y = ag_keep(record(l, dropout));
    ag_backward(ag_sum_all(ag_mul(y, ag_input(l->tape, l->cotangent, AG_SHAPE(l->n, l->f)))));
    assert_string_equal(ag_error(l->tape), "");
    return ag_values(y);
}

static void compare(const layer *l, const char *kind, const char *name, const float *have,
                    int64_t count, double tolerance)
{
    golden_array want = member(l, kind, name);
    double largest = 1;
    assert_int_equal(want.count, count);
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(want.value[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)have[i] - want.value[i]) <= tolerance * largest))
            fail_msg("%s: %s%s[%d] is %.8g instead of %.8g", l->name, kind, name, (int)i,
                     (double)have[i], want.value[i]);
    golden_free(&want);
}

static void test_pytorch(void **state)
{
    static const char *const names[] = {"biased", "plain"};
    for (int c = 0; c < 2; c++) {
        layer l;
        open_layer(&l, names[c]);
        compare(&l, "y", "", run(&l, 0), l.x->count, 1e-5);
        compare(&l, "dx", "", l.x->gradient, l.x->count, 1e-4);
        for (int k = 0; k < FIELDS; k++)
            if (l.list[k])
                compare(&l, "d.", fields[k], l.list[k]->gradient, l.list[k]->count, 1e-4);
        close_layer(&l);
    }
}

/* With dropout, too: its mask follows from the seed alone. */
static void test_threads(void **state)
{
    layer l;
    const int threads = ag_threads();
    open_layer(&l, "biased");
    const size_t bytes = (size_t)l.params->size * sizeof(float),
                 all = (size_t)l.x->count * sizeof(float);
    float *y = test_malloc(all), *gradient = test_malloc(bytes);
    for (int i = 0; i < 2; i++) {
        const float p = i ? 0.3f : 0;
        ag_set_threads(1);
        memcpy(y, run(&l, p), all);
        memcpy(gradient, l.params->gradient, bytes);
        ag_set_threads(2);
        assert_memory_equal(run(&l, p), y, all);
        assert_memory_equal(l.params->gradient, gradient, bytes);
    }
    ag_set_threads(threads);
    test_free(y);
    test_free(gradient);
    close_layer(&l);
}

static void test_dropout(void **state)
{
    layer l;
    open_layer(&l, "plain");
    float *y = test_malloc((size_t)l.x->count * sizeof *y);
    memcpy(y, run(&l, 0), (size_t)l.x->count * sizeof *y);
    assert_memory_not_equal(run(&l, 0.5f), y, (size_t)l.x->count * sizeof *y);
    ag_tape_training(l.tape, 0);
    assert_memory_equal(run(&l, 0.5f), y, (size_t)l.x->count * sizeof *y);
    test_free(y);
    close_layer(&l);
}

static void expect_failure(const layer *l, ag_tensor *y, const char *sentence)
{
    ag_backward(ag_sum_all(y));
    assert_non_null(strstr(ag_error(l->tape), sentence));
    assert_int_equal(l->params->state, AG_BAD);
}

static void test_errors(void **state)
{
    layer l;
    open_layer(&l, "plain");
    const int heads = l.heads;
    l.heads = 5;
    expect_failure(&l, record(&l, 0),
                   "attention: qkv is [44,36], starts is [4]: 36 features do "
                   "not split into query, key and value of 5 heads (op 1");
    l.heads = heads;
    expect_failure(&l, record(&l, 1), "dropout is 1, but must be at least 0 and at most 1 - 2^-16");
    ag_param *narrow = l.weights.narrow;
    l.weights.narrow = l.weights.out;
    expect_failure(&l, record(&l, 0), "x has 20 features, but w takes 12");
    l.weights.narrow = NULL;
    expect_failure(&l, record(&l, 0), "A parameter is NULL");
    l.weights.narrow = narrow;
    run(&l, 0);
    close_layer(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pytorch),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
