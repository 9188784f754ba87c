/* SPDX-License-Identifier: MIT */
/* Parameters and their initial values. */
#include "optim/internal.h"
#include "support/test.h"

/* ---- parameters ---- */

static void parameters_are_laid_out_in_aligned_blocks(void **state)
{
    ag_params *params = ag_params_new();
    ag_param *p[100];
    for (int i = 0; i < 100; i++)
        p[i] = ag_params_add(params, formatted("p%d", i), AG_SHAPE(i, 3), ag_init_constant(i + 1),
                             i % 2);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    int64_t count = 0;
    double total = 0, sum = 0;
    for (int i = 0; i < 100; i++) {
        const char *name = formatted("p%d", i);
        assert_ptr_equal(ag_params_find(params, name), p[i]);
        assert_string_equal(p[i]->name, name);
        assert_ptr_equal(p[i]->block, params);
        assert_int_equal(p[i]->decay, i % 2);
        assert_int_equal(p[i]->count, 3 * i);
        assert_int_equal((uintptr_t)p[i]->value % 64, 0);
        assert_int_equal((uintptr_t)p[i]->gradient % 64, 0);
        assert_ptr_equal(p[i]->value, params->value + p[i]->offset);
        assert_ptr_equal(p[i]->gradient, params->gradient + p[i]->offset);
        for (int k = 0; k < 3 * i; k++) assert_true(p[i]->value[k] == (ag_real)(i + 1));
        count += 3 * i;
        sum += 3.0 * i * (i + 1);
    }
    assert_int_equal(ag_params_count(params), count);
    assert_null(ag_params_find(params, "p100"));
    for (int64_t i = 0; i < params->size; i++) {
        total += (double)params->value[i];
        assert_true(params->gradient[i] == 0 && params->m[i] == 0 && params->v[i] == 0);
    }
    assert_true(total == sum); /* so the gaps are 0 */
    assert_int_equal(params->state, AG_EMPTY);
    ag_params_free(params);
}

static void a_failed_declaration_is_sticky_and_harmless(void **state)
{
    static char long_name[200];
    memset(long_name, 'x', sizeof long_name - 1);
    const ag_init one = ag_init_constant(1);
    const struct {
        const char *name;
        ag_shape shape;
        ag_init init;
        ag_status status;
        const char *sentence;
    } bad[] = {
        {"w", AG_SHAPE(2), one, AG_EUSE, "a parameter \"w\" already"},
        {"", AG_SHAPE(2), one, AG_EUSE, "name of parameter 1 is \"\""},
        {NULL, AG_SHAPE(2), one, AG_EUSE, "name of parameter 1 is \"(null)\""},
        {"a b", AG_SHAPE(2), one, AG_EUSE, "\"a b\"; a name has 1 to 127"},
        {long_name, AG_SHAPE(2), one, AG_EUSE, "1 to 127 printable"},
        {"optimizer.m.w", AG_SHAPE(2), one, AG_EUSE, "is taken in checkpoints"},
        {"state.x", AG_SHAPE(2), one, AG_EUSE, "is taken in checkpoints"},
        {"v", AG_SHAPE(2, -1), one, AG_ESHAPE, "\"v\" has shape [2,-1]"},
        {"v", AG_SHAPE(1 << 30, 1 << 30), one, AG_ESHAPE, "at most 2^40"},
        {"v", AG_SHAPE(2), {AG_INIT_XAVIER_NORMAL, 1, 0}, AG_ESHAPE, "at least 2 axes"},
        {"v", AG_SHAPE(2), {AG_INIT_UNIFORM, 0, NAN}, AG_EUSE, "initialiser of parameter \"v\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ag_params *params = ag_params_new();
        ag_params_add(params, "w", AG_SHAPE(3), ag_init_constant(1), 1);
        ag_param *p = ag_params_add(params, bad[i].name, bad[i].shape, bad[i].init, 1);
        assert_non_null(p);
        assert_int_equal(p->count, 0);
        expect_sentence(&params->failure, bad[i].status, bad[i].sentence);
        assert_non_null(ag_params_add(params, "fine", AG_SHAPE(3), ag_init_constant(1), 1));
        assert_int_equal(ag_params_build(params, 1), bad[i].status);
        expect_sentence(&params->failure, bad[i].status, bad[i].sentence);
        assert_null(params->value);
        assert_int_equal(ag_clip_norm(params, 1, NULL, new_failure()), bad[i].status);
        ag_params_free(params);
    }
    assert_int_equal(ag_params_build(NULL, 1), AG_EMEMORY);
}

static void built_parameters_take_no_more(void **state)
{
    ag_params *params = ag_params_new();
    assert_int_equal(ag_params_build(params, 1), AG_OK); /* none at all is allowed */
    ag_params_add(params, "late", AG_SHAPE(3), ag_init_constant(1), 1);
    expect_sentence(&params->failure, AG_EUSE, "add \"late\" before ag_params_build");
    ag_params_free(params);
    params = ag_params_new();
    ag_params_build(params, 1);
    assert_int_equal(ag_params_build(params, 1), AG_EUSE);
    expect_sentence(&params->failure, AG_EUSE, "built already");
    ag_params_free(params);
}

static void lack_of_memory_is_reported(void **state)
{
    int failures = 0;
    for (long n = 1;; n++) {
        ag__fail_allocation(n, 0);
        long before = ag__allocations();
        ag_params *params = ag_params_new();
        for (int i = 0; i < 70; i++)
            assert_non_null(
                ag_params_add(params, formatted("p%d", i), AG_SHAPE(100), ag_init_constant(1), 1));
        ag_status status = ag_params_build(params, 1);
        int reached = ag__allocations() - before >= n;
        ag__fail_allocation(0, 0);
        assert_int_equal(status, reached ? AG_EMEMORY : AG_OK);
        if (reached && params) expect_sentence(&params->failure, AG_EMEMORY, "there is no memory");
        ag_params_free(params);
        failures += reached;
        if (!reached) break;
    }
    assert_true(failures >= 5);
}

/* ---- initialisers ---- */

static void values_depend_on_seed_and_index_alone(void **state)
{
    ag_params *params[3];
    for (int k = 0; k < 3; k++) {
        params[k] = ag_params_new();
        ag_params_add(params[k], "a", AG_SHAPE(7, 5), ag_init_normal(0, 1), 1);
        ag_params_add(params[k], "b", AG_SHAPE(7, 5), ag_init_normal(0, 1), 1);
        if (k == 1) ag_params_add(params[k], "c", AG_SHAPE(70), ag_init_uniform(0, 1), 1);
        ag_params_build(params[k], k == 2 ? 8 : 7);
    }
    for (int i = 0; i < 2; i++) {
        const ag_real *x = params[0]->list[i]->value;
        assert_memory_equal(x, params[1]->list[i]->value, 35 * sizeof *x);
        assert_memory_not_equal(x, params[2]->list[i]->value, 35 * sizeof *x);
    }
    assert_memory_not_equal(params[0]->list[0]->value, params[0]->list[1]->value,
                            35 * sizeof(ag_real));
    for (int k = 0; k < 3; k++) ag_params_free(params[k]);
}

/* Mean, deviation and largest absolute distance from the mean that 64 x 128 x 3 values should have.
 */
static void initial_values_are_chosen_after_the_declaration(void **state)
{
    const struct {
        const char *name;
        ag_shape shape;
        double first;
    } p[] = {{"a.weight", AG_SHAPE(2, 3), 1},         {"a.bias", AG_SHAPE(2), 1},
             {"b.in_proj_weight", AG_SHAPE(2, 3), 2}, {"b.bias_ih_l0", AG_SHAPE(3), 3},
             {"b.norm.weight", AG_SHAPE(3), 1},       {"b.weight.table", AG_SHAPE(3, 2), 1},
             {"b.att", AG_SHAPE(1, 2, 3), 4}};
    enum { N = sizeof p / sizeof *p };
    ag_params *params = ag_params_new();
    for (int i = 0; i < N; i++)
        ag_params_add(params, p[i].name, p[i].shape, ag_init_constant(1), 1);
    ag_params_init(params, "b.", ag_init_constant(2), ag_init_constant(3));
    ag_param_init(ag_params_find(params, "b.att"), ag_init_constant(4));
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    for (int i = 0; i < N; i++)
        if (params->list[i]->value[1] != (ag_real)p[i].first) fail_msg("%s", p[i].name);
    ag_param_init(params->list[0], ag_init_constant(5));
    expect_sentence(
        &params->failure, AG_EUSE,
        "ag_param_init: the parameters are built already; give \"a.weight\" its initial");
    ag_params_free(params);

    params = ag_params_new();
    ag_param *bias = ag_params_add(params, "bias", AG_SHAPE(2), ag_init_constant(1), 1);
    ag_param_init(bias, ag_init_xavier_uniform(1));
    expect_sentence(&params->failure, AG_ESHAPE, "ag_param_init: parameter \"bias\" has shape [2]");
    assert_int_equal(ag_params_build(params, 1), AG_ESHAPE);
    ag_params_free(params);
}

static void initialisers_have_their_moments(void **state)
{
    const double in = 128 * 3, out = 64 * 3, never = 1e9;
    const struct {
        ag_init init;
        double mean, deviation, bound;
    } want[] = {
        {ag_init_constant(0.5), 0.5, 0, 0},
        {ag_init_uniform(-1, 3), 1, 4 / sqrt(12), 2},
        {ag_init_normal(2, 0.5), 2, 0.5, never},
        {ag_init_xavier_uniform(2), 0, 2 * sqrt(2 / (in + out)), 2 * sqrt(6 / (in + out))},
        {ag_init_xavier_normal(2), 0, 2 * sqrt(2 / (in + out)), never},
        {ag_init_kaiming_uniform(0), 0, sqrt(2 / in), sqrt(6 / in)},
        {ag_init_kaiming_uniform(sqrt(5)), 0, 1 / sqrt(3 * in), 1 / sqrt(in)},
        {ag_init_kaiming_normal(1), 0, 1 / sqrt(in), never},
        {ag_init_linear_bias(49), 0, 1 / 7.0 / sqrt(3), 1 / 7.0},
        {ag_init_linear_bias(0), 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ag_params *params = ag_params_new();
        ag_param *p = ag_params_add(params, "w", AG_SHAPE(64, 128, 3), want[i].init, 1);
        assert_int_equal(ag_params_build(params, 3), AG_OK);
        double sum = 0, squares = 0, most = 0, n = (double)p->count;
        for (int64_t k = 0; k < p->count; k++) {
            double x = (double)p->value[k] - want[i].mean;
            sum += x;
            squares += x * x;
            if (fabs(x) > most) most = fabs(x);
        }
        assert_true(fabs(sum / n) <= 4 * want[i].deviation / sqrt(n));
        assert_true(fabs(sqrt(squares / n) - want[i].deviation) <= 0.02 * want[i].deviation);
        assert_true(most <= want[i].bound * (1 + 1e-6));
        if (want[i].bound < never) assert_true(most >= 0.99 * want[i].bound);
        ag_params_free(params);
    }
}

static void expect_summary(const ag_params *params, const char *want)
{
    FILE *file = tmpfile();
    ag_params_print(params, file);
    assert_string_equal(text_of(file), want);
}

static void a_summary_has_a_line_for_each(void **state)
{
    ag_params *params = ag_params_new();
    expect_summary(NULL, "no parameters: the argument is NULL\n");
    ag_params_add(params, "encoder.0.weight", AG_SHAPE(16, 300), ag_init_constant(1), 1);
    ag_params_add(params, "b", AG_SHAPE(3), ag_init_constant(1), 0);
    for (int steps = 0; steps < 3; steps++) { /* not built, built, after a step */
        expect_summary(params,
                       formatted("parameter         shape          numbers  decay\n"
                                 "encoder.0.weight  [16,300]          4800  yes\n"
                                 "b                 [3]                  3  no\n"
                                 "2 parameters, 4803 numbers; 77056 bytes with gradients and two "
                                 "moments, after %d step%s\n",
                                 steps / 2, steps == 2 ? "" : "s"));
        if (!steps) assert_int_equal(ag_params_build(params, 1), AG_OK);
        params->step = steps;
    }
    ag_params_free(params);

    params = ag_params_new();
    ag_params_add(params, "", AG_SHAPE(1), ag_init_constant(1), 1);
    expect_summary(params, "parameter  shape       numbers  decay\n"
                           "0 parameters, 0 numbers; 0 bytes with gradients and two moments, "
                           "after 0 steps\n"
                           "ag_params_add: the name of parameter 0 is \"\"; a name has 1 to 127 "
                           "printable ASCII characters and no space\n");
    ag_params_free(params);
}

int main(void)
{
    return RUN_TESTS(
        parameters_are_laid_out_in_aligned_blocks, a_failed_declaration_is_sticky_and_harmless,
        built_parameters_take_no_more, lack_of_memory_is_reported, a_summary_has_a_line_for_each,
        values_depend_on_seed_and_index_alone, initial_values_are_chosen_after_the_declaration,
        initialisers_have_their_moments);
}
