/* SPDX-License-Identifier: MIT */
/* libaugur_models runs in another program's process: whichever allocation fails, its calls return,
   report it, and leave the handle unchanged. */
#include "support/test.h"
#include "core/internal.h"
#include "support/models_library.h"
#include "support/sanitized.h"

enum { MOST = 100000 };

static const program_model *model;
static augur_models_items items;
static augur_models_scores *want;

static int open_and_close(augur_models *m)
{
    m = augur_models_open(test_file(model->name), 1);
    const int code = m ? 0 : AUGUR_MODELS_EMEMORY;
    augur_models_close(m);
    return code;
}

static int save(augur_models *m) { return augur_models_save(m, test_file("saved.safetensors")); }

static int predict(augur_models *m)
{
    augur_models_scores *have = want;
    const int code = augur_models_predict(m, &items, &have);
    assert_true(code ? !have : test_models_same(have, want));
    augur_models_scores_free(have);
    return code;
}

static int update(augur_models *m)
{
    const augur_models_training how = {2, 1e-3};
    return augur_models_update(m, &items, &how, NULL);
}

/* Allocations of a call fail in turn, the first ones and then fewer, until it has no more; `after`:
   and all that follow. */
static void each_fails(const char *name, int least, augur_models *m, int (*call)(augur_models *m),
                       int after)
{
    long n = 1;
    for (int code = -1; code; n += 1 + n / 20) {
        ag__fail_allocation(n, after);
        code = call(m);
        ag__fail_allocation(0, 0);
        if (code && (code != AUGUR_MODELS_EMEMORY || !strstr(augur_models_error(), "memory")))
            fail_msg("%s %s, allocation %ld: %d, \"%s\"", model->name, name, n, code,
                     augur_models_error());
        if (code && m) assert_int_equal(predict(m), 0);
        assert_in_range(n, 1, MOST);
    }
    assert_in_range(n, least, MOST);
}

static void no_memory(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i += 2) {
        model = &program_models[i];
        test_items arrays;
        augur_models *m = test_models_open(model, 1);
        test_items_open(&arrays, model->data);
        items = arrays.items;
        for (int after = 0; after < 2 - SANITIZED; after++) { /* the last may leak some */
            want = test_models_predict(m, &items);
            each_fails("open", 50, NULL, open_and_close, after);
            each_fails("save", 5, m, save, after);
            each_fails("predict", 30, m, predict, after);
            each_fails("update", 50, m, update, after);
            augur_models_scores_free(want);
        }
        test_items_close(&arrays);
        augur_models_close(m);
    }
}

int main(void) { return RUN_TESTS_WITH(program_models_make, test_folder_remove, no_memory); }
