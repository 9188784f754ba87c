/* SPDX-License-Identifier: MIT */
/* Training with ag_batch_norm and evaluation after it against PyTorch
   (tests/golden/batch_norm.npz), running statistics included. What moves them and what does not,
   resuming to the bit, few rows, rows far from 0. */
#include "support/test.h"
#include "augur.h"
#include "support/device.h"
#include "support/files.h"
#include "support/golden.h"

enum { STEPS = 5, INPUTS = 6, HIDDEN = 5, TESTED = 20, MOST = 300, PARAMS = 7 };
static const int sizes[STEPS] = {8, 40, 130, 300, 16}; /* rows of each step */
static const char *const names[PARAMS] = {"0.weight",      "1.weight", "1.bias", "1.running_mean",
                                          "1.running_var", "3.weight", "3.bias"};

typedef struct net {
    ag_params *params;
    ag_param *p[PARAMS];
    ag_batch_norm_weights norm;
    ag_tape *tape;
} net;

static golden *values;
static float x[MOST * INPUTS], target[MOST];

static void fill(const net *n)
{
    for (int k = 0; k < PARAMS; k++) {
        golden_array rule = golden_read(values, "p.%s", names[k]);
        assert_int_equal(rule.count, 3);
        for (int64_t i = 0; i < n->p[k]->count; i++) {
            const double u =
                rule.value[0] < 0 ? 0 : golden_uniform((uint32_t)rule.value[0], (uint32_t)i);
            n->p[k]->value[i] = (float)(rule.value[1] + rule.value[2] * u);
        }
        golden_free(&rule);
    }
}

static net make(void)
{
    static const ag_shape shapes[PARAMS] = {
        {2, {HIDDEN, INPUTS}}, {1, {HIDDEN}},    {1, {HIDDEN}}, {1, {HIDDEN}},
        {1, {HIDDEN}},         {2, {1, HIDDEN}}, {1, {1}}};
    net n = {.params = ag_params_new(), .tape = ag_tape_new(test_device())};
    for (int k = 0; k < PARAMS; k++)
        n.p[k] =
            ag_params_add(n.params, names[k], shapes[k], ag_init_constant(0), k == 0 || k == 5);
    assert_int_equal(ag_params_build(n.params, 1), AG_OK);
    fill(&n);
    n.norm = (ag_batch_norm_weights){n.p[1], n.p[2], n.p[3], n.p[4]};
    assert_int_equal(ag_params_to(n.params, test_device(), NULL), AG_OK);
    return n;
}

static void end(net *n)
{
    ag_tape_free(n->tape);
    ag_params_free(n->params);
}

static void expect_fine(const net *n) { assert_string_equal(ag_error(n->tape), ""); }

/* Rows of stream `number`; two axes of rows. */
static ag_tensor *input(const net *n, int number, int rows)
{
    for (int i = 0; i < rows * INPUTS; i++)
        x[i] = (float)(1 + golden_uniform((uint32_t)number, (uint32_t)i));
    return ag_input(n->tape, x, AG_SHAPE(rows / 2, 2, INPUTS));
}

static ag_tensor *output(const net *n, ag_tensor *h)
{
    h = ag_linear(h, ag_parameter(n->tape, n->p[0]), NULL);
    h = ag_tanh(ag_batch_norm(&n->norm, h, 0.1f, 1e-5f));
    return ag_linear(h, ag_parameter(n->tape, n->p[5]), ag_parameter(n->tape, n->p[6]));
}

static ag_tensor *loss_of(const net *n, int step)
{
    const int rows = sizes[step];
    for (int i = 0; i < rows; i++)
        target[i] = (float)golden_uniform((uint32_t)(20 + step), (uint32_t)i);
    return ag_squared_error(output(n, input(n, 10 + step, rows)),
                            ag_input(n->tape, target, AG_SHAPE(rows / 2, 2, 1)));
}

static double train(const net *n, int step)
{
    ag_adamw adamw = ag_adamw_default();
    adamw.decay = 0.01;
    ag_tape_reset(n->tape);
    ag_tape_training(n->tape, 1);
    ag_tensor *loss = loss_of(n, step);
    ag_backward(loss);
    assert_int_equal(ag_clip_norm(n->params, INFINITY, NULL, NULL), AG_OK);
    assert_int_equal(ag_adamw_step(n->params, &adamw, 0.05, NULL), AG_OK);
    const double value = (double)ag_item(loss);
    expect_fine(n);
    assert_int_equal(ag_params_fetch(n->params, NULL), AG_OK);
    return value;
}

/* The values of the test set, with the running statistics. */
static const float *evaluate(const net *n)
{
    ag_tape_reset(n->tape);
    ag_tape_training(n->tape, 0);
    ag_tensor *y = output(n, input(n, 9, TESTED));
    ag_forward(y);
    const float *found = ag_values(y);
    expect_fine(n);
    return found;
}

static void expect_near(const char *what, int step, double have, double want)
{
    if (!(fabs(have - want) <= 1e-5 * fmax(1, fabs(want))))
        fail_msg("%s, step %d: %.9g, but PyTorch has %.9g", what, step, have, want);
}

static void test_pytorch(void **state)
{
    golden_array losses = golden_read(values, "losses"), y = golden_read(values, "y");
    net n = make();
    for (int s = 0; s < STEPS; s++) {
        expect_near("loss", s, train(&n, s), losses.value[s]);
        for (int k = 0; k < PARAMS; k++) {
            golden_array want = golden_read(values, "after.%s", names[k]);
            const int64_t count = n.p[k]->count;
            assert_int_equal(want.count, STEPS * count);
            for (int64_t i = 0; i < count; i++)
                expect_near(names[k], s, (double)n.p[k]->value[i], want.value[s * count + i]);
            golden_free(&want);
        }
    }
    const float *have = evaluate(&n);
    for (int i = 0; i < TESTED; i++) expect_near("y", STEPS, (double)have[i], y.value[i]);
    golden_free(&losses);
    golden_free(&y);
    end(&n);
}

/* ---- resuming ---- */

static void expect_same(const net *a, const net *b)
{
    const size_t bytes = (size_t)a->params->size * sizeof(float);
    assert_memory_equal(a->params->value, b->params->value, bytes);
    assert_memory_equal(a->params->m, b->params->m, bytes);
    assert_memory_equal(a->params->v, b->params->v, bytes);
}

static void test_resume_has_the_same_bits(void **state)
{
    const char *path = files_path("x.safetensors");
    net a = make(), b = make();
    for (int s = 0; s < 3; s++) train(&a, s);
    assert_int_equal(ag_params_save(path, a.params, 1, NULL, 0, NULL, 0, NULL), AG_OK);
    ag_checkpoint *c = ag_checkpoint_open(path, NULL);
    assert_int_equal(ag_params_load(b.params, c, 1, NULL), AG_OK);
    ag_checkpoint_close(c);
    for (int s = 3; s < STEPS; s++) train(&a, s);
    for (int s = 3; s < STEPS; s++) train(&b, s);
    expect_same(&a, &b);
    float y[TESTED];
    memcpy(y, evaluate(&a), sizeof y);
    assert_memory_equal(y, evaluate(&b), sizeof y);
    end(&a);
    end(&b);
}

/* ---- what leaves the statistics alone ---- */

typedef struct statistics {
    float of[2][HIDDEN];
} statistics;

static statistics now(const net *n)
{
    statistics s;
    assert_int_equal(ag_params_fetch(n->params, NULL), AG_OK);
    memcpy(s.of[0], n->norm.mean->value, sizeof s.of[0]);
    memcpy(s.of[1], n->norm.variance->value, sizeof s.of[1]);
    return s;
}

static void expect_still(const net *n, statistics before)
{
    const statistics after = now(n);
    assert_memory_equal(&before, &after, sizeof before);
}

static void test_validation_moves_nothing(void **state)
{
    net n = make();
    train(&n, 0);
    const statistics before = now(&n);
    evaluate(&n);
    expect_still(&n, before);
    ag_tape_reset(n.tape);
    ag_backward(loss_of(&n, 1)); /* still an evaluation: it has gradients, but moves nothing */
    expect_fine(&n);
    expect_still(&n, before);
    for (int i = 0; i < HIDDEN; i++) {
        assert_true(n.norm.mean->gradient[i] == 0);
        assert_true(n.norm.variance->gradient[i] == 0);
    }
    ag_tape_reset(n.tape);
    ag_tape_training(n.tape, 1);
    ag_forward(loss_of(&n, 1));
    expect_fine(&n);
    expect_still(&n, before);
    end(&n);
}

static void test_failed_run_moves_nothing(void **state)
{
    net n = make();
    train(&n, 0);
    const statistics before = now(&n);
    ag_tape_reset(n.tape);
    ag_check_finite(n.tape, 1);
    ag_backward(ag_log(ag_neg(loss_of(&n, 1))));
    assert_int_equal(ag_tape_status(n.tape), AG_EFINITE);
    expect_still(&n, before);
    ag_params_reset(n.params);
    ag_check_finite(n.tape, 0);
    train(&n, 1);
    assert_true(now(&n).of[0][0] != before.of[0][0]);
    end(&n);
}

/* ---- rows ---- */

/* The batch norm of the rows of x [rows,HIDDEN], which are in x, and its gradients. */
static ag_tensor *norm_of(const net *n, int rows)
{
    ag_tape_reset(n->tape);
    ag_params_reset(n->params);
    ag_tensor *h = ag_input(n->tape, x, AG_SHAPE(rows, HIDDEN));
    ag_tensor *y = ag_keep(ag_batch_norm(&n->norm, h, 0.1f, 1e-5f));
    ag_backward(ag_sum_all(y));
    return y;
}

static void test_few_rows(void **state)
{
    net n = make();
    const statistics before = now(&n);
    norm_of(&n, 0);
    expect_fine(&n);
    expect_still(&n, before);
    for (int i = 0; i < HIDDEN; i++) assert_true(n.norm.gamma->gradient[i] == 0);
    norm_of(&n, 1);
    assert_int_equal(ag_tape_status(n.tape), AG_ESHAPE);
    assert_non_null(strstr(ag_error(n.tape), "a single row has no variance"));
    expect_still(&n, before);
    norm_of(&n, 2);
    expect_fine(&n);
    ag_tape_training(n.tape, 0);
    norm_of(&n, 1); /* which evaluation takes */
    expect_fine(&n);
    end(&n);
}

/* Mean 1000, deviation about 1: a sum of squares would have lost the variance. */
static void test_far_from_zero(void **state)
{
    enum { ROWS = 300 };
    net n = make();
    for (int i = 0; i < ROWS * HIDDEN; i++)
        x[i] = (float)(1000 + 2 * golden_uniform(7, (uint32_t)i));
    const float *y = ag_values(norm_of(&n, ROWS));
    expect_fine(&n);
    const statistics s = now(&n);
    for (int c = 0; c < HIDDEN; c++) {
        double mean = 0, square = 0;
        for (int r = 0; r < ROWS; r++) mean += (double)x[r * HIDDEN + c] / ROWS;
        for (int r = 0; r < ROWS; r++) square += pow((double)x[r * HIDDEN + c] - mean, 2);
        expect_near("mean", 0, (double)s.of[0][c], 0.1 * mean);
        expect_near("variance", 0, (double)s.of[1][c], 0.9 + 0.1 * square / (ROWS - 1));
        const double gamma = (double)n.norm.gamma->value[c], beta = (double)n.norm.beta->value[c];
        for (int r = 0; r < ROWS; r++) { /* the mean, too, is a float */
            const double h = ((double)x[r * HIDDEN + c] - mean) / sqrt(square / ROWS + 1e-5);
            assert_true(fabs((double)y[r * HIDDEN + c] - gamma * h - beta) < 1e-4);
        }
    }
    end(&n);
}

/* ---- the call ---- */

static void test_refusals(void **state)
{
    net n = make();
    const ag_batch_norm_weights wrong[] = {{n.p[1], NULL, n.p[3], n.p[4]},
                                           {n.p[1], n.p[2], NULL, n.p[4]},
                                           {n.p[6], n.p[2], n.p[3], n.p[4]},
                                           {n.p[1], n.p[2], n.p[6], n.p[4]}};
    static const char *const says[] = {
        "one of gamma and beta is NULL; give", "mean or variance is NULL; give",
        "the parameters need one element per column of x (op 0, \"3.bias\")",
        "x is [5], but parameter \"3.bias\" is [1]"};
    for (int k = 0; k < 4; k++) {
        ag_tape_reset(n.tape);
        ag_batch_norm(&wrong[k], ag_input(n.tape, x, AG_SHAPE(4, HIDDEN)), 0.1f, 1e-5f);
        if (!strstr(ag_error(n.tape), says[k])) fail_msg("%s", ag_error(n.tape));
    }
    ag_tape_reset(n.tape);
    ag_batch_norm(&n.norm, ag_input(n.tape, x, AG_SHAPE(4, HIDDEN)), 0.1f, 0);
    assert_non_null(strstr(ag_error(n.tape), "epsilon is 0, but must be above 0"));
    end(&n);
}

/* Without gamma and beta: 1 and 0. */
static void test_plain(void **state)
{
    net n = make();
    for (int i = 0; i < 10 * HIDDEN; i++) x[i] = (float)golden_uniform(8, (uint32_t)i);
    n.norm.gamma = n.norm.beta = NULL;
    for (int training = 1; training >= 0; training--) {
        ag_tape_training(n.tape, training);
        const float *y = ag_values(norm_of(&n, 10));
        expect_fine(&n);
        double sum = 0;
        for (int r = 0; r < 10; r++) sum += (double)y[r * HIDDEN];
        assert_true((fabs(sum) < 1e-5) == training);
    }
    end(&n);
}

static int open_files(void **state)
{
    values = golden_open(AG_SOURCE_DIR "/tests/golden/batch_norm.npz");
    return values ? files_make(state) : -1;
}

static int close_files(void **state)
{
    golden_close(values);
    return files_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pytorch),
        cmocka_unit_test(test_resume_has_the_same_bits),
        cmocka_unit_test(test_validation_moves_nothing),
        cmocka_unit_test(test_failed_run_moves_nothing),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_far_from_zero),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
