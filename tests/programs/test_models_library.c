/* SPDX-License-Identifier: MIT */
/* libaugur_models: the bits of `predict` for all programs, from files and arrays; training;
   refusals. */
#include "support/test.h"
#include "examples/harness/model/trained.h"
#include "support/models_library.h"
#include "support/tpgnn_npz.h"

#include <jansson.h>

#define QUIET " --threads 1 --quiet"

/* ---- scores ---- */

/* The lines that `predict` prints, without the columns of run times. */
static void expect_lines(const char *csv, const augur_models_scores *s)
{
    const char *line = strchr(csv, '\n');
    for (int64_t k = 0; k < s->groups; k++)
        for (int64_t i = 0; i < s->group[k].items; i++) {
            const augur_models_group *g = &s->group[k];
            const char *want = formatted("\"%s\",%lld,%.9g%s", g->name, (long long)g->number[i],
                                         g->score[i], g->ns ? formatted(",%.9g", g->ns[i]) : "");
            assert_non_null(line);
            if (strncmp(line + 1, want, strlen(want)) != 0)
                fail_msg("\"%s\" in place of \"%.40s\"", want, line + 1);
            line = strchr(line + 1, '\n');
        }
    assert_string_equal(line, "\n");
}

/* Arrays have the name "items" where a file has its own: "items/7" for "file/7". */
static void expect_name(const char *of_arrays, const char *of_file, const char *file)
{
    const char *group = strchr(of_file, '/');
    if (!strncmp(of_file, file, strcspn(file, ".")))
        of_file = formatted("items%s", group ? group : "");
    assert_string_equal(of_arrays, of_file);
}

static void as_the_programs(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const augur_models_items file = test_models_file(m);
        test_items arrays;
        augur_models *model = test_models_open(m, 2);
        augur_models_scores *one = test_models_predict(model, &file), *two;
        const program_outcome o = program_expect_line(
            0, "", "", "%s predict --run %s --data %s" QUIET, m->program->name, m->name, m->data);
        expect_lines(o.out, one);
        test_items_open(&arrays, m->data);
        two = test_models_predict(model, &arrays.items);
        assert_int_equal(one->groups, two->groups);
        for (int64_t k = 0; k < one->groups; k++)
            expect_name(two->group[k].name, one->group[k].name, m->data);
        test_models_expect_same(one, two);
        test_items_close(&arrays);
        augur_models_close(model);
    }
}

static void descriptions(void **state)
{
    static const char *const items[] = {"configurations", NULL, "tile sizes", NULL,   "kernels",
                                        "schedules",      NULL, "items",      "items"};
    for (int i = 0; program_models[i].name; i++) {
        augur_models *model = test_models_open(&program_models[i], 1);
        json_t *about = json_loads(augur_models_describe(model), 0, NULL);
        const char *program = json_string_value(json_object_get(about, "program")),
                   *said = json_string_value(json_object_get(about, "items"));
        assert_string_equal(program, program_models[i].program->name);
        if (items[i]) assert_string_equal(said, items[i]);
        assert_true(json_array_size(json_object_get(about, "measures")) > 1);
        assert_true(json_integer_value(json_object_get(about, "parameters")) > 0);
        assert_int_equal(json_integer_value(json_object_get(about, "step")), 4);
        assert_true(json_is_object(json_object_get(about, "options")));
        json_decref(about);
        augur_models_close(model);
    }
}

/* A program would print them; here they are kept until the next call of the thread. */
static void warnings(void **state)
{
    const program_model *m = &program_models[5];
    augur_models_items file = test_models_file(m);
    test_schedules s;
    augur_models *model = test_models_open(m, 1);
    test_schedules_make(&s);
    test_schedules_replace(&s, "global", "shared");
    test_schedules_write(&s, "other.npz");
    augur_models_scores_free(test_models_predict(model, &file));
    assert_null(strstr(augur_models_warnings(), "scope"));
    file.path = test_file("other.npz");
    augur_models_scores_free(test_models_predict(model, &file));
    assert_non_null(strstr(augur_models_warnings(), "a scope that no training file"));
    assert_int_equal(augur_models_save(model, test_file("saved.safetensors")), 0);
    assert_string_equal(augur_models_warnings(), "");
    augur_models_close(model);
}

/* The file that arrays become has no name that a caller knows. */
static void warnings_of_arrays(void **state)
{
    test_items t;
    augur_models *model = test_models_open(&program_models[0], 1);
    test_items_open(&t, program_models[0].data);
    for (int i = 0; i < (int)t.items.arrays; i++) {
        const augur_models_array *a = &t.array[i];
        float *feature = (float *)(uintptr_t)a->data;
        for (int64_t k = 0; !strcmp(a->name, "node_feat") && k < a->size[0] * a->size[1]; k++)
            feature[k] = feature[k] * 1e5F + 1e6F;
    }
    augur_models_scores_free(test_models_predict(model, &t.items));
    assert_non_null(strstr(augur_models_warnings(), "of the nodes of items, "));
    test_items_close(&t);
    augur_models_close(model);
}

/* ---- training ---- */

static void move(const char *from, const char *to)
{
    assert_int_equal(rename(test_file(from), test_file(to)), 0);
}

/* The same calls give the same bits, and what is saved is what a program reads. */
static void all_learn(void **state)
{
    const augur_models_training how = {5, 1e-3};
    for (const program_model *m = program_models; m->name; m++) {
        const augur_models_items file = test_models_file(m);
        augur_models_scores *before = NULL, *after[2];
        double loss[2][2];
        for (int i = 0; i < 2; i++) {
            augur_models *model = test_models_open(m, 1 + i);
            if (!i) before = test_models_predict(model, &file);
            for (int k = 0; k < 2; k++)
                if (augur_models_update(model, &file, &how, loss[i]))
                    fail_msg("%s: %s", m->name, augur_models_error());
            after[i] = test_models_predict(model, &file);
            if (augur_models_save(model, test_file("tuned.safetensors")))
                fail_msg("%s", augur_models_error());
            augur_models_close(model);
        }
        assert_true(loss[0][0] > 0 && isfinite(loss[0][1]));
        assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
        assert_false(test_models_same(before, after[0]));
        move(formatted("%s/best.safetensors", m->name), "kept");
        move("tuned.safetensors", formatted("%s/best.safetensors", m->name));
        const program_outcome o = program_expect_line(
            0, "", "", "%s predict --run %s --data %s" QUIET, m->program->name, m->name, m->data);
        expect_lines(o.out, after[0]);
        move("kept", formatted("%s/best.safetensors", m->name));
        augur_models *first = test_models_open(m, 1);
        test_models_expect_same(before, test_models_predict(first, &file));
        test_models_expect_same(after[0], after[1]);
        augur_models_close(first);
    }
}

/* An update goes on where the last one ended: two of one step are one of two. */
static void updates_go_on(void **state)
{
    const augur_models_training one = {1, 1e-3}, both = {2, 1e-3};
    for (const program_model *m = program_models; m->name; m++) {
        const augur_models_items file = test_models_file(m);
        double loss[3][2];
        augur_models *model = test_models_open(m, 1), *other = test_models_open(m, 1);
        for (int i = 0; i < 2; i++)
            assert_int_equal(augur_models_update(model, &file, &one, loss[i]), 0);
        assert_int_equal(augur_models_update(other, &file, &both, loss[2]), 0);
        for (int i = 0; i < 2; i++) {
            assert_true(loss[i][0] == loss[2][i]);
            assert_true(loss[i][1] == loss[2][i]);
        }
        test_models_expect_same(test_models_predict(model, &file),
                                test_models_predict(other, &file));
        augur_models_close(model);
        augur_models_close(other);
    }
}

/* Schedules that are measured are learned, so that the order becomes theirs. */
static void measured_items_are_learned(void **state)
{
    const program_model *m = &program_models[5];
    const augur_models_training how = {200, 3e-3};
    const augur_models_items file = test_models_file(m);
    double loss[2];
    augur_models *model = test_models_open(m, 1);
    assert_int_equal(augur_models_update(model, &file, &how, loss), 0);
    assert_true(loss[1] < loss[0] / 2);
    augur_models_scores *s = test_models_predict(model, &file);
    assert_int_equal(s->items, 2);
    assert_true(s->group->score[1] < s->group->score[0]); /* 500 and 2200 ns */
    augur_models_scores_free(s);
    augur_models_close(model);
}

/* ---- refusals ---- */

static void expect_code(int have, int want, const char *sentence)
{
    if (have != want || !strstr(augur_models_error(), sentence))
        fail_msg("%d, \"%s\", in place of %d, \"%s\"", have, augur_models_error(), want, sentence);
}

static void not_opened(const char *path, int threads, const char *sentence)
{
    assert_null(augur_models_open(path, threads));
    if (!strstr(augur_models_error(), sentence)) fail_msg("%s", augur_models_error());
}

static void refused(void **state)
{
    augur_models *m = test_models_open(&program_models[5], 1);
    augur_models_items items = {.path = test_file("s_3.npz")};
    augur_models_scores *scores = (augur_models_scores *)&items;
    not_opened(NULL, 1, "NULL");
    not_opened(test_file("statements"), -1, "threads");
    not_opened(test_file("nothing-here"), 1, "nothing-here");
    not_opened(test_file("a.npz"), 1, "");
    not_opened(test_folder, 1, "safetensors");
    expect_code(augur_models_predict(NULL, &items, &scores), AUGUR_MODELS_EUSE, "the handle");
    assert_null(scores);
    expect_code(augur_models_predict(m, NULL, &scores), AUGUR_MODELS_EUSE, "NULL");
    expect_code(augur_models_predict(m, &items, NULL), AUGUR_MODELS_EUSE, "where the scores go");
    expect_code(augur_models_save(NULL, "x"), AUGUR_MODELS_EUSE, "the handle");
    expect_code(augur_models_save(m, NULL), AUGUR_MODELS_EUSE, "the path");
    expect_code(augur_models_save(m, test_file("no/such/folder")), AUGUR_MODELS_EFILE, "folder");
    expect_code(augur_models_update(NULL, &items, NULL, NULL), AUGUR_MODELS_EUSE, "the handle");
    static const augur_models_training bad[] = {{0, 1e-4}, {-1, 1e-4}, {100001, 1e-4},
                                                {1, 0},    {1, 2},     {1, (double)NAN}};
    for (int i = 0; i < 6; i++)
        expect_code(augur_models_update(m, &items, &bad[i], NULL), AUGUR_MODELS_EUSE, "steps");
    items.path = test_file("nothing.npz");
    expect_code(augur_models_predict(m, &items, &scores), AUGUR_MODELS_EFILE, "nothing.npz");
    items.path = test_file("a.npz");
    expect_code(augur_models_predict(m, &items, &scores), AUGUR_MODELS_EDATA, "tgraph");
    expect_code(augur_models_update(m, &items, NULL, NULL), AUGUR_MODELS_EDATA, "tgraph");
    augur_models_close(m);
    augur_models_close(NULL);
    augur_models_scores_free(NULL);
    assert_null(augur_models_describe(NULL));
    assert_int_equal(augur_models_version(), AUGUR_MODELS_VERSION);
    m = test_models_open(&program_models[2], 1); /* of tile files */
    items.path = test_file("h_1.npz");
    expect_code(augur_models_update(m, &items, NULL, NULL), AUGUR_MODELS_EUSE, "tile");
    augur_models_close(m);
}

/* Parameters so large that no score is finite. */
static void not_finite(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i += 2) {
        const program_model *m = &program_models[i];
        const augur_models_items file = test_models_file(m);
        harness_trained t = {0};
        augur_models_scores *scores;
        const char *best = test_file(formatted("%s/best.safetensors", m->name));
        expect_ok(harness_trained_load(&t, m->program->model, best, new_failure()));
        for (int64_t k = 0; k < t.params->size; k++) t.params->value[k] *= (ag_real)1e30;
        expect_ok(harness_trained_save(test_file("huge.safetensors"), &t, 0, new_failure()));
        harness_trained_drop(&t);
        augur_models *model = augur_models_open(test_file("huge.safetensors"), 1);
        assert_non_null(model);
        for (int k = 0; k < 2; k++) {
            expect_code(augur_models_predict(model, &file, &scores), AUGUR_MODELS_EFINITE, "");
            expect_code(augur_models_update(model, &file, NULL, NULL), AUGUR_MODELS_EFINITE, "");
        }
        augur_models_close(model);
    }
}

/* Counts, sizes and types are looked at before anything is read; a damaged array is named. */
static void damaged_arrays(void **state)
{
    augur_models *m = test_models_open(&program_models[5], 1);
    augur_models_scores *scores, *good;
    test_items t;
    test_items_open(&t, "s_3.npz");
    const int next = dup(STDOUT_FILENO);
    close(next);
    good = test_models_predict(m, &t.items);
    const augur_models_items all = t.items;
    static const int64_t counts[] = {0, -1, 65, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        t.items.arrays = counts[i];
        expect_code(augur_models_predict(m, &t.items, &scores), AUGUR_MODELS_EUSE, "64 arrays");
    }
    t.items = all;
    for (int i = 0; i < (int)all.arrays; i++) {
        const augur_models_array was = t.array[i];
        static const int64_t huge[] = {INT64_MAX, 2, 2, 2}, minus[] = {-1, 2, 2, 2};
        t.array[i].name = NULL;
        expect_code(augur_models_predict(m, &t.items, &scores), AUGUR_MODELS_EUSE, "name");
        t.array[i] = was;
        t.array[i].dtype = "O";
        expect_code(augur_models_predict(m, &t.items, &scores), AUGUR_MODELS_EUSE, "dtype O");
        t.array[i] = was;
        t.array[i].rank = 9;
        expect_code(augur_models_predict(m, &t.items, &scores), AUGUR_MODELS_EUSE, "9 axes");
        t.array[i] = was;
        t.array[i].data = NULL;
        assert_int_equal(augur_models_predict(m, &t.items, &scores), AUGUR_MODELS_EUSE);
        for (int k = 0; k < 2; k++) {
            t.array[i] = was;
            t.array[i].size = k ? huge : minus;
            assert_true(augur_models_predict(m, &t.items, &scores) < 0);
            assert_null(scores);
        }
        t.array[i] = was;
        t.array[i].name = "other";
        expect_code(augur_models_predict(m, &t.items, &scores), i ? AUGUR_MODELS_EDATA : -3,
                    "items: ");
        t.array[i] = was;
    }
    test_models_expect_same(good, test_models_predict(m, &t.items));
    const int again = dup(STDOUT_FILENO); /* no file stays open */
    close(again);
    assert_int_equal(again, next);
    test_items_close(&t);
    augur_models_close(m);
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, as_the_programs, descriptions,
                          warnings, warnings_of_arrays, all_learn, updates_go_on,
                          measured_items_are_learned, refused, not_finite, damaged_arrays);
}
