/* SPDX-License-Identifier: MIT */
/* Whole calls of tgraph: the effects of the commands, and their sentences and exit codes. */
#include "examples/tgraph/contest.h"
#include "examples/tgraph/program.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL                                                                            \
 " --mode paper --hidden 16 --configs 8 --steps 20 --eval-every 10 --threads 1 --quiet " \
 "--no-baselines"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 60, 0);
    program_write_layout("b.npz", 40, 1);
    program_write_layout("c.npz", 400, 2);
    program_write_tile("t.npz", 30, 0);
    program_write_tile("u.npz", 20, 1);
    return 0;
}

static json_t *mean_of(const json_t *j, const char *method)
{
    return json_object_get(json_object_get(j, "mean"), method);
}

static void train_eval_predict(void **state)
{
    (void)state;
    program_outcome o =
        program_expect("tgraph train --data a.npz b.npz --split 0.8 --out run" SMALL, 0,
                       "Held-out configurations", "");
    assert_non_null(strstr(o.out, "a.npz"));
    assert_non_null(strstr(o.out, "mean"));
    char *metrics = program_text_of("run/metrics.csv");
    assert_non_null(strstr(metrics, ",tau-b,opa,tied,slowdown@1"));
    free(metrics);
    o = program_expect("tgraph eval --run run --data a.npz b.npz --json --no-baselines", 0, "{",
                       "");
    json_t *j = json_loads(o.out, 0, NULL);
    json_t *files = json_object_get(j, "groups");
    assert_int_equal(json_array_size(files), 2);
    /* 59 unique configurations, a fifth of them held out */
    assert_int_equal(json_integer_value(json_object_get(json_array_get(files, 0), "items")), 12);
    assert_true(json_is_number(json_object_get(mean_of(j, "TGraph"), "tau-b")));
    json_decref(j);
    program_expect("tgraph eval --run run --data a.npz --part all --no-baselines", 0, " 60 ",
                   "was trained on");
}

static void read_scores(double *score, int count, const char *text)
{
    text = strchr(text, '\n') + 1;
    for (int i = 0, number, bytes; i < count; i++, text += bytes) {
        assert_int_equal(sscanf(text, "\"a.npz\",%d,%lf,%*d\n%n", &number, &score[i], &bytes), 2);
        assert_int_equal(number, i);
    }
    assert_int_equal(*text, 0);
}

static void predictions(void **state)
{
    (void)state;
    double one[60], tta[60], most = 0;
    program_expect("tgraph train --data a.npz --split 0.8 --out p1" SMALL, 0, "", "");
    program_outcome o = program_expect("tgraph predict --run p1 --data a.npz", 0, "", "");
    read_scores(one, 60, o.out);
    assert_true(fabs(one[0] - one[59]) < 1e-5); /* equal configurations, scored together */
    /* in one chunk the order of the configurations does not matter; in several it does */
    o = program_expect("tgraph predict --run p1 --data a.npz --tta 3", 0, "", "");
    read_scores(tta, 60, o.out);
    for (int i = 0; i < 60; i++) assert_true(fabs(tta[i] - one[i]) < 1e-5);
    o = program_expect("tgraph predict --run p1 --data a.npz --tta 3 --eval-configs 10", 0, "", "");
    read_scores(tta, 60, o.out);
    for (int i = 0; i < 60; i++) most = fmax(most, fabs(tta[i] - one[i]));
    assert_true(most > 1e-6);
    o = program_expect("tgraph predict --run p1 --data a.npz --format contest", 0,
                       "ID,TopConfigs\nlayout:a,", "");
    int best = 0, commas = 0;
    for (int i = 0; i < 60; i++)
        if (one[i] < one[best]) best = i;
    assert_int_equal(atoi(strstr(o.out, "layout:a,") + 9), best);
    for (char *c = o.out; *c; c++) commas += *c == ';';
    assert_int_equal(commas, 59);
    program_expect("tgraph train --data a.npz --split 0.8 --split-seed 5 --out p3" SMALL, 0, "",
                   "");
    program_expect("tgraph eval --run p1 --run p3 --data a.npz --no-baselines", 0, "2 runs",
                   "p3 was not trained with --split 0.8 --split-seed 0");
    program_expect("tgraph eval --run p1 --data a.npz --split 0.5", 2, "",
                   "--split is no option of tgraph eval");
    program_expect("tgraph predict --run p1 --data t.npz", 2, "", "a model for layout files");
    program_expect("tgraph predict --run p1 --data a.npz --no-prune", 2, "",
                   "trained with --prune");
}

/* Files that were split also have scores as run times: steps of the same order, so more pairs tie
   and no pair is ordered right that was not before. A run's own scores are those that evaluation
   gives. */
static void calibrated(void **state)
{
    (void)state;
    program_outcome o = program_expect(
        "tgraph train --data c.npz --split 0.8 --out c --json --no-baselines --quiet --threads 1 "
        "--mode paper --hidden 16 --configs 32 --steps 400 --eval-every 20",
        0, "", "");
    static const char by[] = "TGraph, calibrated";
    json_t *j = json_loads(o.out, 0, NULL), *mean = mean_of(j, "TGraph"), *of = mean_of(j, by);
    assert_true(program_number(mean, "tied") < 0.1 && program_number(of, "tied") > 0.1);
    assert_true(program_number(of, "opa") <= program_number(mean, "opa"));
    assert_true(program_number(of, "tau-b") > 0.1 && program_number(of, "tied") < 0.9);
    assert_true(
        json_equal(of, json_object_get(json_array_get(json_object_get(j, "groups"), 0), by)));
    o = program_expect("tgraph eval --run c --data c.npz --json --no-baselines", 0, "", "");
    json_t *again = json_loads(o.out, 0, NULL);
    assert_true(json_equal(of, mean_of(again, by)));
    json_decref(again);
    /* the mean of a run with itself is that run */
    o = program_expect("tgraph eval --run c --ensemble c --data c.npz --json --no-baselines", 0, "",
                       "");
    json_t *twice = json_loads(o.out, 0, NULL);
    assert_true(json_equal(of, mean_of(twice, by)));
    json_decref(twice);
    o = program_expect("tgraph eval --run c --data c.npz --no-baselines", 0, "", "");
    const char *row = strstr(o.out, "\nTGraph, calibrated ");
    assert_non_null(row);
    double tau = 0, opa = 0;
    assert_int_equal(sscanf(row + 19, "%lf %lf", &tau, &opa), 2);
    assert_true(fabs(tau - program_number(of, "tau-b")) < 1e-4);
    assert_true(fabs(opa - program_number(of, "opa")) < 1e-4);
    char *page = program_text_of("c/report.html");
    assert_non_null(strstr(page, "TGraph, calibrated: the places"));
    free(page);
    json_decref(j);
    /* the mean of files of which one was not split has none */
    o = program_expect("tgraph eval --run c --data c.npz b.npz --no-baselines", 0, "", "");
    row = strstr(o.out, "\nTGraph, calibrated ");
    assert_non_null(row);
    assert_int_equal(row[19 + strspn(row + 19, " ")], '-');
    /* without a training part there is nothing to learn it from */
    o = program_expect("tgraph eval --run c --data b.npz --no-baselines", 0, "", "");
    assert_null(strstr(o.out, "calibrated"));
    o = program_expect("tgraph eval --run c --data b.npz --no-baselines --json", 0, "", "");
    assert_null(strstr(o.out, "calibrated"));
}

/* The results of a run as JSON: alone on stdout, with the baselines' scores. */
static void train_json(void **state)
{
    (void)state;
    program_outcome o = program_expect(
        "tgraph train --data a.npz --split 0.8 --out j --json --hidden 16 --configs 8 --steps 20 "
        "--eval-every 10 --threads 1",
        0, "{", "open j/report.html");
    json_error_t error;
    json_t *j = json_loads(o.out, 0, &error);
    if (!j) fail_msg("%s", error.text);
    json_t *file = json_array_get(json_object_get(j, "groups"), 0);
    assert_string_equal(json_string_value(json_object_get(j, "kind")), "layout");
    assert_int_equal(json_integer_value(json_object_get(file, "items")), 12);
    assert_true(program_number(json_object_get(file, "TGraph"), "tau-b") ==
                program_number(mean_of(j, "TGraph"), "tau-b"));
    program_number(json_object_get(file, "ridge"), "tau-b");
    program_number(json_object_get(file, "random"), "tied");
    json_decref(j);
    o = program_expect("tgraph eval --run j --data a.npz --quiet", 0, "boosting tau-b", "");
    assert_non_null(strstr(o.out, "additive trees"));
    assert_non_null(strstr(o.out, "TGraph"));
    assert_non_null(strstr(o.out, "ridge"));
    o = program_expect("tgraph train --data a.npz --out j2 --json" SMALL, 0, "\"groups\": []", "");
    j = json_loads(o.out, 0, NULL);
    assert_true(json_is_null(json_object_get(mean_of(j, "TGraph"), "tau-b")));
    assert_true(json_is_null(json_object_get(j, "best-step")));
    json_decref(j);
}

static void contest_names(void **state)
{
    (void)state;
    static const struct {
        const char *path, *id;
        int tile;
    } cases[] = {
        {"npz/layout/xla/default/test/abc.npz", "layout:xla:default:abc", 0},
        {"/x/layout/nlp/random/valid/a.b.npz", "layout:nlp:random:a.b", 0},
        {"npz/tile/xla/test/k.npz", "tile:xla:k", 1},
        {"k.npz", "tile:xla:k", 1},
        {"layout/abc.npz", "layout:abc", 0},
        {"layout/xla/default.npz", "layout:default", 0},
        {"layout", "layout:layout", 0},
        {"/", "layout:/", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *id = tgraph_contest_id(cases[i].path, cases[i].tile);
        assert_string_equal(id, cases[i].id);
        harness_free(id);
    }
}

static void tiles(void **state)
{
    (void)state;
    program_expect("tgraph train --data t.npz --valid u.npz --out tile" SMALL, 0, "contest@50", "");
    program_expect("tgraph eval --run tile --data u.npz t.npz --no-baselines", 0, "u.npz",
                   "t.npz was trained on");
    program_expect("tgraph predict --run tile --data u.npz --format contest", 0, "tile:xla:u,", "");
    program_expect("tgraph predict --run tile --data u.npz", 0, "\n\"u.npz\",19,", "");
    program_expect("tgraph predict --run tile --data a.npz", 2, "", "a model for tile files");
    program_expect("tgraph train --data t.npz --split 0.5 --out tile2" SMALL, 2, "",
                   "--split holds out configurations of layout files");
}

static void inspecting(void **state)
{
    (void)state;
    program_expect("tgraph inspect a.npz", 0, "configurations  60, 59 unique", "");
    program_expect("tgraph inspect a.npz", 0, "MB in a step of 60 configurations", "");
    program_outcome o = program_expect("tgraph inspect --json a.npz t.npz", 0, "[", "");
    json_t *j = json_loads(o.out, 0, NULL);
    assert_int_equal(json_array_size(j), 2);
    assert_true(json_integer_value(json_object_get(json_array_get(j, 0), "step_bytes")) >
                json_integer_value(json_object_get(json_array_get(j, 0), "score_bytes")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(j, 1), "kind")), "tile");
    json_decref(j);
    program_expect("tgraph inspect none.npz", 3, "", "none.npz");
    program_expect("tgraph inspect stdout a.npz", 3, "a.npz", "1 of 2 files cannot be read");
}

static void bad_input(void **state)
{
    (void)state;
    program_expect("tgraph train --data a.npz t.npz --out x" SMALL, 2, "", "a tile file");
    program_expect("tgraph train --data a.npz --split 0.001 --out x" SMALL, 2, "", "empty");
    program_expect("tgraph train --data a.npz --split 0.02 --out x" SMALL, 2, "",
                   "leaves 1 to train on");
    program_expect("tgraph train --data a.npz --out x --hidden 20" SMALL " --hidden 20", 2, "",
                   "multiple of 16");
    program_expect("tgraph train --data a.npz --dedup none --split 0.5 --out x" SMALL, 2, "",
                   "equal ones can stand on both sides");
    program_expect("tgraph train --data a.npz --folds 2 --split 0.5 --out x" SMALL, 2, "",
                   "--folds alone");
    program_expect("tgraph train --data a.npz b.npz --folds 3 --out x" SMALL, 2, "",
                   "2 to 2 folds");
    program_expect("tgraph train --data a.npz b.npz --folds 2 --fold 2 --out x" SMALL, 2, "",
                   "it is 0 to 1");
    program_expect("tgraph train --data a.npz b.npz --folds 2 --fold 1 --out folds" SMALL, 0,
                   "configurations", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_eval_predict), cmocka_unit_test(predictions),
        cmocka_unit_test(calibrated),         cmocka_unit_test(train_json),
        cmocka_unit_test(contest_names),      cmocka_unit_test(tiles),
        cmocka_unit_test(inspecting),         cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
