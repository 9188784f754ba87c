/* SPDX-License-Identifier: MIT */
/* The baselines of `tgraph eval` learn from the same files as in training, so they reach the same
   scores. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define TRAIN "tgraph train --hidden 16 --steps 2 --threads 1 --json "
#define EVAL  "tgraph eval --threads 1 --json "

static void move(const char *from, const char *to)
{
    assert_int_equal(rename(test_file(from), test_file(to)), 0);
}

static int make_files(void **state)
{
    static test_layout hidden;
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 60, 0);
    program_write_layout("b.npz", 50, 1);
    program_write_layout("c.npz", 40, 2);
    program_write_layout("d.npz", 30, 5);
    program_write_tile("t.npz", 40, 0);
    test_layout_make(&hidden);
    memset(hidden.runtime, 0, sizeof hidden.runtime);
    return !test_arrays_write(test_file("hidden.npz"), hidden.array, hidden.arrays);
}

/* The measures of all methods: of a file, or the means (-1). */
static const json_t *methods_of(const json_t *j, int file)
{
    const json_t *files = json_object_get(j, "groups");
    if (file < 0) return json_object_get(j, "mean");
    assert_true((size_t)file < json_array_size(files));
    return json_array_get(files, (size_t)file);
}

static const json_t *measures_of(const json_t *j, int file, const char *by)
{
    return json_object_get(methods_of(j, file), by);
}

static const json_t *score_of(const json_t *j, const char *by)
{
    return json_object_get(measures_of(j, -1, by), "opa");
}

static void expect_equal(const json_t *one, const json_t *two)
{
    static const char *const by[] = {"random", "ridge", "boosting"};
    const size_t files = json_array_size(json_object_get(one, "groups"));
    assert_int_equal(json_array_size(json_object_get(two, "groups")), files);
    assert_true(files > 0 && json_is_number(score_of(one, "ridge")));
    for (int i = -1; i < (int)files; i++)
        for (int k = 0; k < 3; k++)
            if (!json_equal(measures_of(one, i, by[k]), measures_of(two, i, by[k]))) {
                json_dumpf(methods_of(one, i), stderr, 0);
                json_dumpf(methods_of(two, i), stderr, 0);
                fail_msg("%s of file %d differs", by[k], i);
            }
}

/* Trains, evaluates the same held-out files, expects the same baselines; returns those of train. */
static json_t *expect_same(const char *train, const char *eval)
{
    json_t *one = program_json(train, ""), *two = program_json(eval, "");
    expect_equal(one, two);
    json_decref(two);
    return one;
}

static void as_in_training(void **state)
{
    json_t *j = expect_same(TRAIN "--data a.npz b.npz --valid c.npz d.npz --out r",
                            EVAL "--run r --data c.npz d.npz");
    json_t *named = program_json(EVAL "--run r --data c.npz d.npz --fit a.npz b.npz", "");
    json_t *fewer = program_json(EVAL "--run r --data c.npz d.npz --fit a.npz", "");
    expect_equal(j, named);
    assert_false(json_equal(score_of(j, "ridge"), score_of(fewer, "ridge")));
    assert_true(json_equal(score_of(j, "random"), score_of(fewer, "random")));
    json_decref(j);
    json_decref(named);
    json_decref(fewer);
}

/* Files of which a part was held out, and another one: each as in training, in any order. */
static void split_and_whole(void **state)
{
    json_t *j = expect_same(TRAIN "--data a.npz b.npz --split 0.7 --valid c.npz --out mix",
                            EVAL "--run mix --data a.npz b.npz c.npz");
    json_t *alone = program_json(EVAL "--run mix --data c.npz", "");
    assert_true(json_equal(measures_of(j, 2, "ridge"), measures_of(alone, 0, "ridge")));
    json_decref(alone);
    /* a file that is split needs no other file, and its fit uses none */
    move("a.npz", "away.npz");
    alone = program_json(EVAL "--run mix --data b.npz", "");
    assert_true(json_equal(measures_of(j, 1, "ridge"), measures_of(alone, 0, "ridge")));
    json_decref(alone);
    alone = program_json(EVAL "--run mix --data b.npz c.npz", "name them with --fit");
    assert_true(json_equal(measures_of(j, 1, "ridge"), measures_of(alone, 0, "ridge")));
    assert_true(json_is_null(json_object_get(measures_of(alone, 1, "ridge"), "opa")));
    json_decref(alone);
    move("away.npz", "a.npz");
    json_decref(j);
}

static void expect_random_alone(const json_t *trained, const char *line, const char *err)
{
    json_t *j = program_json(line, err);
    assert_true(json_is_number(score_of(j, "random")));
    assert_true(json_equal(score_of(j, "random"), score_of(trained, "random")));
    assert_true(json_is_null(score_of(j, "ridge")) && json_is_null(score_of(j, "boosting")));
    json_decref(j);
}

static void files_that_moved(void **state)
{
    json_t *j = program_json(TRAIN "--data a.npz b.npz --valid c.npz --out moved", "");
    move("a.npz", "away.npz");
    expect_random_alone(j, EVAL "--run moved --data c.npz", "name them with --fit");
    program_write_layout("a.npz", 60, 7); /* another file of that name */
    expect_random_alone(j, EVAL "--run moved --data c.npz", "are not there as they were");
    json_t *named = program_json(EVAL "--run moved --data c.npz --fit away.npz b.npz", "");
    expect_equal(j, named);
    json_decref(named);
    move("away.npz", "a.npz");
    json_decref(j);
}

static void hidden_run_times(void **state)
{
    program_expect(TRAIN "--data a.npz hidden.npz --out without --no-baselines", 0, "",
                   "hidden.npz is left out: its run times are hidden (all 0)");
    json_t *j = expect_same(TRAIN "--data a.npz hidden.npz b.npz --valid c.npz --out h",
                            EVAL "--run h --data c.npz");
    json_t *named = program_json(EVAL "--run h --data c.npz --fit a.npz hidden.npz b.npz",
                                 "hidden.npz is left out: to learn from it");
    expect_equal(j, named);
    json_decref(named);
    json_decref(j);
    program_expect("tgraph eval --run h --data c.npz --fit hidden.npz", 3, "",
                   "none of the 1 files of --fit can be learned from");
}

static void refusals(void **state)
{
    static const struct {
        int code;
        const char *fit, *sentence;
    } wrong[] = {{3, "none.npz", "none.npz: there is no such file or folder"},
                 {3, "a.npz t.npz", "t.npz is a tile file"},
                 {2, "a.npz --no-baselines", "--fit: a.npz has no effect"},
                 {0, "c.npz", "--fit: c.npz is scored, too"}};
    program_expect(TRAIN "--data a.npz b.npz --valid c.npz --no-baselines --out no", 0, "", "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        program_expect_line(wrong[i].code, "", wrong[i].sentence,
                            "tgraph eval --run no --data c.npz --fit %s", wrong[i].fit);
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, as_in_training, split_and_whole,
                          files_that_moved, hidden_run_times, refusals);
}
