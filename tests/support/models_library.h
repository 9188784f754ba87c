/* SPDX-License-Identifier: MIT */
/* Items for tests of libaugur_models: the arrays of an npz file of test_folder. */
#ifndef TEST_MODELS_LIBRARY_H
#define TEST_MODELS_LIBRARY_H

#include "examples/library/augur_models.h"
#include "program_models.h"
#include "tgraph_npz.h"

#include <unistd.h>

enum { TEST_MEMBERS = 24 };

typedef struct test_items {
    ag_npz *npz;
    augur_models_array array[TEST_MEMBERS];
    augur_models_items items;
} test_items;

/* Reads all members in the types of the file's headers. */
static inline void test_items_open(test_items *t, const char *name)
{
    static const char *const dtypes[] = {[AG_F32] = "f4", [AG_F64] = "f8", [AG_U8] = "u1",
                                         [AG_I8] = "i1",  [AG_I32] = "i4", [AG_I64] = "i8"};
    *t = (test_items){.npz = ag_npz_open(test_file(name), SIZE_MAX / 2, new_failure())};
    if (!t->npz) fail_msg("%s", last_failure()->sentence);
    const int n = ag_npz_count(t->npz);
    assert_in_range(n, 1, TEST_MEMBERS);
    for (int i = 0; i < n; i++) {
        const ag_array_info *info = ag_npz_info(t->npz, i);
        void *data = calloc((size_t)info->count + 1, ag_dtype_bytes(info->dtype));
        expect_ok(ag_npz_read(t->npz, info->name, info->dtype, data, new_failure()));
        t->array[i] =
            (augur_models_array){info->name, dtypes[info->dtype], info->rank, info->size, data};
    }
    t->items = (augur_models_items){.array = t->array, .arrays = n};
}

static inline void test_items_close(test_items *t)
{
    for (int64_t i = 0; i < t->items.arrays; i++) free((void *)(uintptr_t)t->array[i].data);
    ag_npz_close(t->npz);
}

/* The model's file; until the next call. */
static inline augur_models_items test_models_file(const program_model *m)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", test_file(m->data));
    return (augur_models_items){.path = path};
}

/* Trains m for a few steps into the run folder of its name and opens it. */
static inline augur_models *test_models_open(const program_model *m, int threads)
{
    if (access(test_file(m->name), F_OK))
        program_train(m, m->name, " --steps 4 --eval-every 4 --learning-rate 1e-3" PROGRAM_QUIET,
                      0);
    augur_models *model = augur_models_open(test_file(m->name), threads);
    if (!model) fail_msg("%s", augur_models_error());
    return model;
}

static inline augur_models_scores *test_models_predict(augur_models *m,
                                                       const augur_models_items *items)
{
    augur_models_scores *scores;
    if (augur_models_predict(m, items, &scores)) fail_msg("%s", augur_models_error());
    return scores;
}

static inline int test_models_same(const augur_models_scores *a, const augur_models_scores *b)
{
    if (a->groups != b->groups || a->items != b->items) return 0;
    for (int64_t i = 0; i < a->groups; i++) {
        const augur_models_group *g = &a->group[i], *h = &b->group[i];
        const size_t bytes = (size_t)g->items * sizeof *g->score;
        if (g->items != h->items || memcmp(g->score, h->score, bytes) ||
            memcmp(g->number, h->number, bytes))
            return 0;
    }
    return 1;
}

/* Frees both. */
static inline void test_models_expect_same(augur_models_scores *a, augur_models_scores *b)
{
    assert_true(test_models_same(a, b));
    augur_models_scores_free(a);
    augur_models_scores_free(b);
}

#endif
