/* SPDX-License-Identifier: MIT */
/* Whole calls of tgraph: the effects of the commands, and their sentences and exit codes. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_open.h"

#include <jansson.h>
#include <sys/stat.h>

#define TINY  " --hidden 16 --steps 20 --threads 1 --quiet --no-baselines"
#define SMALL TINY " --configs 8"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 60, 0);
    program_write_layout("b.npz", 40, 1);
    program_write_layout("c.npz", 400, 2);
    return 0;
}

static void train_eval_predict(void **state)
{
    program_outcome o =
        program_expect("tgraph train --data a.npz b.npz --split 0.8 --out run" SMALL, 0,
                       "Held-out configurations", "");
    assert_non_null(strstr(o.out, "a.npz"));
    assert_non_null(strstr(o.out, "mean"));
    program_expect_in(",tau-b,opa,tied,slowdown@1", "run/metrics.csv");
    json_t *j = program_json("tgraph eval --run run --data a.npz b.npz --json --no-baselines", "");
    json_t *files = json_object_get(j, "groups");
    assert_int_equal(json_array_size(files), 2);
    /* 59 unique configurations, a fifth of them held out */
    assert_int_equal(json_integer_value(json_object_get(json_array_get(files, 0), "items")), 12);
    assert_true(json_is_number(json_object_get(program_mean(j, "TGraph"), "tau-b")));
    json_decref(j);
}

#define PREDICT "tgraph predict --data a.npz --run "

static void predictions(void **state)
{
    double one[60], tta[60], most = 0;
    program_expect("tgraph train --data a.npz --split 0.8 --out p1" SMALL, 0, "", "");
    program_scores(one, 60, "scores", PREDICT "p1");
    assert_true(fabs(one[0] - one[59]) < 1e-5); /* equal configurations, scored together */
    /* in one chunk the order of the configurations does not matter; in several it does */
    program_scores(tta, 60, "scores", PREDICT "p1 --tta 3");
    for (int i = 0; i < 60; i++) assert_true(fabs(tta[i] - one[i]) < 1e-5);
    program_scores(tta, 60, "scores", PREDICT "p1 --tta 3 --eval-configs 10");
    for (int i = 0; i < 60; i++) most = fmax(most, fabs(tta[i] - one[i]));
    assert_true(most > 1e-6);
    program_expect("tgraph train --data a.npz --split 0.8 --split-seed 5 --out p3" SMALL, 0, "",
                   "");
    program_expect("tgraph eval --run p1 --run p3 --data a.npz --no-baselines", 0, "2 runs",
                   "p3 was not trained with --split 0.8 --split-seed 0");
    program_expect("tgraph eval --run p1 --data a.npz --split 0.5", 2, "",
                   "--split is not an option of tgraph eval");
    program_expect("tgraph train --data a.npz --no-prune --out p4" SMALL, 0, "", "");
    program_expect("tgraph predict --run p1 --ensemble p4 --data a.npz", 2, "",
                   "differ in --prune, --repad or --log-features");
    /* a network reads the features of its training, whatever is in config.json */
    program_scores(one, 60, "scores", PREDICT "p4");
    assert_int_equal(rename(test_file("p4/best.safetensors"), test_file("p1/best.safetensors")), 0);
    program_scores(tta, 60, "scores", PREDICT "p1");
    assert_memory_equal(tta, one, sizeof one);
}

/* Two files of one name have their folders in all results. */
static void names(void **state)
{
    assert_int_equal(mkdir(test_file("p"), 0700) | mkdir(test_file("q"), 0700), 0);
    program_write_layout("p/a.npz", 20, 3);
    program_write_layout("q/a.npz", 30, 3);
    program_outcome o =
        program_expect("tgraph predict --run run --data p q b.npz", 0, "\n\"p/a.npz\",19,", "");
    assert_true(strstr(o.out, "\n\"q/a.npz\",29,") && strstr(o.out, "\n\"b.npz\",0,"));
    o = program_expect("tgraph eval --run run --data p q --no-baselines", 0, "\np/a.npz ",
                       "a file with the name of p/a.npz was trained on");
    assert_non_null(strstr(o.out, "\nq/a.npz "));
}

/* Files that were split also have scores as run times: steps of the same order, so more pairs tie
   and no pair is ordered right that was not before. A run's own scores are those that evaluation
   gives, also as the mean of the run with itself. */
static void calibrated(void **state)
{
    static const char by[] = "TGraph, calibrated";
    json_t *j = program_json("tgraph train --data c.npz --split 0.8 --out c --json --no-baselines "
                             "--threads 1 --hidden 16 --configs 32 --steps 400 --eval-every 20",
                             "");
    const json_t *mean = program_mean(j, "TGraph"), *of = program_mean(j, by);
    assert_true(program_number(mean, "tied") < 0.1 && program_number(of, "tied") > 0.1);
    assert_true(program_number(of, "opa") <= program_number(mean, "opa"));
    assert_true(program_number(of, "tau-b") > 0.1 && program_number(of, "tied") < 0.9);
    json_t *again = program_json("tgraph eval --run c --data c.npz --json --no-baselines", "");
    assert_true(json_equal(of, program_mean(again, by)));
    json_t *twice =
        program_json("tgraph eval --run c --ensemble c --data c.npz --json --no-baselines", "");
    assert_true(json_equal(of, program_mean(twice, by)));
    assert_int_equal(program_number(twice, "runs"), 2);
    program_expect_in("TGraph, calibrated: the places", "c/report.html");
    json_decref(j);
    json_decref(again);
    json_decref(twice);
    /* the mean of files of which one was not split has none */
    program_outcome o =
        program_expect("tgraph eval --run c --data c.npz b.npz --no-baselines", 0, "", "");
    const char *row = strstr(o.out, "\nTGraph, calibrated ");
    assert_non_null(row);
    assert_int_equal(row[19 + strspn(row + 19, " ")], '-');
    /* without a training part there is nothing to learn it from */
    o = program_expect("tgraph eval --run c --data b.npz --no-baselines --json", 0, "", "");
    assert_null(strstr(o.out, "calibrated"));
}

/* Scores that are all equal are said, with the reason, and tau-b of them is 0 in every mean. */
static void scored_alike(void **state)
{
    static const char start[] = "all 6 scores of same.npz are equal, so they say nothing about the "
                                "order: ";
    test_layout l;
    test_layout_make(&l);
    for (int c = 1; c < TEST_CONFIGS; c++) memcpy(l.config[c], l.config[0], sizeof l.config[0]);
    snprintf(test_path, sizeof test_path, "%s/same.npz", test_folder);
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    program_outcome o =
        program_expect("tgraph predict --run run --data same.npz a.npz", 0, "", start);
    assert_non_null(strstr(o.err, "its configurations do not differ in what the model reads\n"));
    json_t *j = program_json("tgraph eval --run run --data same.npz a.npz "
                             "--no-baselines --json",
                             start);
    const json_t *files = json_object_get(j, "groups");
    double tau[2];
    for (size_t i = 0; i < 2; i++)
        tau[i] = program_number(json_object_get(json_array_get(files, i), "TGraph"), "tau-b");
    assert_true(tau[0] == 0 && tau[1] != 0);
    assert_true(fabs(program_number(program_mean(j, "TGraph"), "tau-b") - tau[1] / 2) < 1e-12);
    json_decref(j);

    test_layout_make(&l);
    l.config_node[0] = 5; /* has no edges, so that nothing else is left */
    l.array[NODE_CONFIG_IDS].size[0] = l.array[NODE_CONFIG_FEAT].size[1] = 1;
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    o = program_expect("tgraph predict --run run --data same.npz", 0, "", start);
    assert_non_null(strstr(o.err, "pruning leaves one node of the graph\n"));
    o = program_expect("tgraph predict --run run --data a.npz", 0, "", "");
    assert_null(strstr(o.err, "are equal"));
}

static void inspecting(void **state)
{
    static const struct {
        const char *key;
        int64_t value;
    } has[] = {{"nodes", 7},        {"edges", 5},
               {"kept_nodes", 4},   {"kept_edges", 2},
               {"configs", 6},      {"unique", 3},
               {"configurable", 2}, {"fastest_ns", 300},
               {"slowest_ns", 700}, {"packed_bytes", 3 * 2 * 12}};
    tgraph_file_close(test_small_open(tgraph_layout_defaults(), NULL));
    json_t *j = program_json("tgraph inspect --json x.npz b.npz", "");
    assert_int_equal(json_array_size(j), 2);
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        assert_true(program_number(json_array_get(j, 0), has[i].key) == (double)has[i].value);
    json_decref(j);
    program_expect("tgraph inspect x.npz", 0, "0.300", "");
    program_expect("tgraph inspect stdout a.npz", 3, "a.npz", "1 of 2 files cannot be read");
}

static void bad_input(void **state)
{
    static const struct {
        const char *call, *sentence;
    } wrong[] = {{"--data a.npz --split 0.001", "empty"},
                 {"--data a.npz --split 0.02", "leaves 1 to train on"},
                 {"--data a.npz --dedup none --split 0.5", "equal ones can stand on both sides"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        program_expect_line(2, "", wrong[i].sentence, "tgraph train %s --out x" SMALL,
                            wrong[i].call);
    test_layout l;
    test_layout_make(&l);
    for (int c = 1; c < TEST_CONFIGS; c++) memcpy(l.config[c], l.config[0], sizeof l.config[0]);
    assert_true(test_arrays_write(test_file("one.npz"), l.array, l.arrays));
    program_expect(
        "tgraph train --data a.npz one.npz --out one --hidden 16 --steps 1 --no-baselines", 0, "",
        "one.npz is left out: it has only one configuration to train on");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, train_eval_predict, predictions, names,
                          calibrated, inspecting, bad_input, scored_alike);
}
