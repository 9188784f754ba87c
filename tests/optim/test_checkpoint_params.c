/* SPDX-License-Identifier: MIT */
/* Parameters in checkpoints: resume to the bit, names and shapes that do not fit, lack of memory.
 */
#include "optim/internal.h"
#include "core/memory.h"
#include "support/test.h"
#include "support/checkpoint_file.h"

#include <jansson.h>

/* A model of w [rows,5] and b [5]. */
static ag_params *model(int rows, const char *second, uint64_t seed)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(rows, 5), ag_init_normal(0, 1), 1);
    ag_params_add(params, second, AG_SHAPE(5), ag_init_normal(0, 1), 0);
    assert_int_equal(ag_params_build(params, seed), AG_OK);
    return params;
}

static void train_with(ag_params *params, int sgd, int steps)
{
    const ag_adamw options = ag_adamw_default();
    const ag_sgd momentum = {.momentum = 0.9, .nesterov = 1};
    for (int i = 0; i < steps; i++) {
        ag_random r = {9, (uint64_t)params->step, 0};
        for (int p = 0; p < params->count; p++)
            for (int64_t k = 0; k < params->list[p]->count; k++)
                params->list[p]->gradient[k] = (ag_real)ag_random_normal(&r);
        params->state = AG_READY;
        assert_int_equal(sgd ? ag_sgd_step(params, &momentum, 0.01, NULL)
                             : ag_adamw_step(params, &options, 0.01, NULL),
                         AG_OK);
    }
}

static void train(ag_params *params, int steps) { train_with(params, 0, steps); }

static ag_status load(ag_params *params, int resume, ag_failure *why)
{
    ag_checkpoint *c = ag_checkpoint_open(path, why);
    ag_status status = c ? ag_params_load(params, c, resume, why) : why->status;
    ag_checkpoint_close(c);
    return status;
}

static void assert_same(const ag_params *a, const ag_params *b)
{
    size_t bytes = (size_t)a->size * sizeof(ag_real);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->step, b->step);
    assert_memory_equal(a->value, b->value, bytes);
    assert_memory_equal(a->m, b->m, bytes);
    assert_memory_equal(a->v, b->v, bytes);
}

static void continues_to_the_bit(int sgd)
{
    const int32_t order[3] = {2, 0, 1};
    int32_t got[3];
    const ag_checkpoint_item extra = {"state.order", AG_I32, AG_SHAPE(3), order};
    const ag_checkpoint_pair pair = {"model", "{}"};
    ag_params *a = model(7, "b", 1), *b = model(7, "b", 2);
    train_with(a, sgd, 5);
    assert_int_equal(ag_params_save(path, a, 1, &extra, 1, &pair, 1, NULL), AG_OK);
    b->state = AG_READY;
    assert_int_equal(load(b, 1, NULL), AG_OK);
    assert_int_equal(b->state, AG_EMPTY);
    assert_same(a, b);
    train_with(a, sgd, 5);
    train_with(b, sgd, 5);
    assert_same(a, b);
    ag_checkpoint *c = ag_checkpoint_open(path, NULL);
    assert_non_null(ag_checkpoint_find(c, "optimizer.m.w"));
    assert_int_equal(ag_checkpoint_read(c, "state.order", AG_I32, AG_SHAPE(3), got, NULL), AG_OK);
    assert_memory_equal(got, order, sizeof order);
    assert_string_equal(ag_checkpoint_metadata(c, "model"), "{}");
    ag_checkpoint_close(c);
    ag_params_free(a);
    ag_params_free(b);
}

static void resume_continues_to_the_bit(void **state)
{
    continues_to_the_bit(0);
    continues_to_the_bit(1);
}

static void values_alone_start_a_fresh_optimizer(void **state)
{
    for (int resume = 0; resume < 2; resume++) {
        ag_params *a = model(7, "b", 1), *b = model(7, "b", 2);
        train(a, 3);
        train(b, 2);
        assert_int_equal(ag_params_save(path, a, resume, NULL, 0, NULL, 0, NULL), AG_OK);
        assert_int_equal(load(b, 0, NULL), AG_OK);
        assert_memory_equal(a->value, b->value, (size_t)a->size * sizeof(ag_real));
        assert_int_equal(b->step, 0);
        for (int64_t i = 0; i < b->size; i++) assert_true(b->m[i] == 0 && b->v[i] == 0);
        ag_params_free(a);
        ag_params_free(b);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    static const float zeros[35] = {0}, odd[35] = {[7] = INFINITY};
    static const double large[5] = {0, 0, 1e300};
    static const int32_t whole[35] = {0};
    const ag_checkpoint_item w = {"w", AG_F32, AG_SHAPE(7, 5), zeros};
    const ag_checkpoint_item b = {"b", AG_F32, AG_SHAPE(5), zeros};
    const ag_checkpoint_item c = {"c", AG_F32, AG_SHAPE(5), zeros};
    const ag_checkpoint_item moment = {"optimizer.m.q", AG_F32, AG_SHAPE(5), zeros};
    const ag_checkpoint_item turned = {"b", AG_F32, AG_SHAPE(1, 5), zeros};
    const ag_checkpoint_item ints = {"w", AG_I32, AG_SHAPE(7, 5), whole};
    const ag_checkpoint_item infinite = {"w", AG_F32, AG_SHAPE(7, 5), odd};
    const ag_checkpoint_item huge = {"b", AG_F64, AG_SHAPE(5), large};
    const struct {
        int n, resume;
        ag_status status;
        const char *sentence;
        ag_checkpoint_item items[3];
    } bad[] = {
        {1, 0, AG_EDATA, ": 1 tensor is missing (first \"b\"); the file belongs to another", {w}},
        {2, 0, AG_EDATA, "(first \"b\") and 1 tensor is unexpected (first \"c\"); the", {w, c}},
        {3, 0, AG_EDATA, ": 1 tensor is unexpected (first \"c\"); the file", {w, b, c}},
        {2, 1, AG_EDATA, "5 tensors are missing (first \"optimizer.m.w\")", {w, b}},
        {3, 1, AG_EDATA, "unexpected (first \"optimizer.m.q\")", {w, b, moment}},
        {2, 0, AG_ESHAPE, "\"b\" has shape [1,5], the model wants [5]", {w, turned}},
        {2, 0, AG_EDATA, "\"w\" is int32; float32 or float64", {ints, b}},
        {2, 0, AG_EFINITE, "\"w\" is inf at element 7", {infinite, b}},
        {2, 0, AG_EFINITE, "\"b\" is 1e+300 at element 2", {w, huge}},
    };
    ag_params *params = model(7, "b", 1), *copy = model(7, "b", 1);
    train(params, 2);
    train(copy, 2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ag_checkpoint_save(path, bad[i].items, bad[i].n, NULL, 0, NULL), AG_OK);
        expect_status(load(params, bad[i].resume, new_failure()), bad[i].status, bad[i].sentence);
        assert_same(params, copy); /* nothing changed */
    }
    ag_params_free(params);
    ag_params_free(copy);
}

/* PyTorch's batch norms save one; float64 is rounded. */
static void counters_are_passed_over(void **state)
{
    static const float ones[35] = {[34] = 1};
    static const double thirds[5] = {[4] = 1.0 / 3};
    static const int64_t steps = 7;
    const ag_checkpoint_item items[] = {{"w", AG_F32, AG_SHAPE(7, 5), ones},
                                        {"norm.num_batches_tracked", AG_I64, AG_SCALAR, &steps},
                                        {"b", AG_F64, AG_SHAPE(5), thirds}};
    ag_params *params = model(7, "b", 1);
    assert_int_equal(ag_checkpoint_save(path, items, 3, NULL, 0, NULL), AG_OK);
    assert_int_equal(load(params, 0, NULL), AG_OK);
    assert_true(params->list[0]->value[34] == 1 && params->list[1]->value[4] == 1.0f / 3);
    ag_params_free(params);
}

static void a_bad_step_is_refused(void **state)
{
    const int64_t steps[] = {-1, INT64_MAX};
    for (int i = 0; i < 2; i++) {
        ag_params *params = model(7, "b", 1);
        params->step = steps[i];
        assert_int_equal(ag_params_save(path, params, 1, NULL, 0, NULL, 0, NULL), AG_OK);
        params->step = 4;
        expect_status(load(params, 1, new_failure()), AG_EDATA,
                      i ? "step is 9223372036854775807" : "step is -1");
        assert_int_equal(params->step, 4);
        ag_params_free(params);
    }
}

static void misuse_is_refused(void **state)
{
    static const float x[1] = {1};
    const ag_checkpoint_item extra = {"order", AG_F32, AG_SHAPE(1), x};
    ag_params *params = model(7, "b", 1), *unbuilt = ag_params_new();
    expect_status(ag_params_save(path, params, 1, &extra, 1, NULL, 0, new_failure()), AG_EUSE,
                  "\"order\"; it must begin with \"state.\"");
    expect_status(ag_params_save(path, unbuilt, 1, NULL, 0, NULL, 0, new_failure()), AG_EUSE,
                  "call ag_params_build first");
    assert_int_equal(ag_params_save(path, params, 0, NULL, 0, NULL, 0, NULL), AG_OK);
    expect_status(load(unbuilt, 0, new_failure()), AG_EUSE, "call ag_params_build first");
    ag_params_free(params);
    ag_params_free(unbuilt);
}

/* ---- lack of memory, jansson's included ---- */

static ag_status save_once(ag_params *params, ag_failure *why)
{
    const ag_checkpoint_item extra = {"state.x", AG_F32, AG_SHAPE(1), params->value};
    const ag_checkpoint_pair pair = {"key", "value"};
    return ag_params_save(path, params, 1, &extra, 1, &pair, 1, why);
}

static ag_status load_once(ag_params *params, ag_failure *why) { return load(params, 1, why); }

static void every_lack_of_memory_is_reported(void **state)
{
    ag_status (*const calls[2])(ag_params *, ag_failure *) = {save_once, load_once};
    ag_params *params = model(7, "b", 1);
    train(params, 1);
    for (int call = 0; call < 2; call++) {
        long failures = 0;
        assert_int_equal(save_once(params, NULL), AG_OK);
        for (long n = 1;; n++, failures++) {
            long before = ag__allocations();
            ag__fail_allocation(n, 0);
            ag_status status = calls[call](params, new_failure());
            int reached = ag__allocations() - before >= n;
            ag__fail_allocation(0, 0);
            if (!reached) {
                assert_int_equal(status, AG_OK);
                break;
            }
            if (status != AG_EMEMORY)
                fail_msg("call %d, allocation %ld: %d %s", call, n, (int)status,
                         last_failure()->sentence);
            expect_sentence(last_failure(), AG_EMEMORY, "no memory");
            assert_int_equal(load(params, 1, NULL), AG_OK); /* the old file is whole */
        }
        assert_true(failures > 30);
    }
    ag_params_free(params);
}

int main(void)
{
    json_set_alloc_funcs(ag_alloc, ag_free);
    return RUN_TESTS_WITH(make_folder, remove_folder, resume_continues_to_the_bit,
                          values_alone_start_a_fresh_optimizer, what_does_not_fit_is_refused,
                          counters_are_passed_over, a_bad_step_is_refused, misuse_is_refused,
                          every_lack_of_memory_is_reported);
}
