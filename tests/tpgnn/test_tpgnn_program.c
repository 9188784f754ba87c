/* SPDX-License-Identifier: MIT */
/* Whole calls of tpgnn: the effects of the commands, and their sentences and exit codes. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/tpgnn_npz.h"

#include <jansson.h>
#include <sys/stat.h>

#define SMALL " --hidden 8 --tasks 2 --schedules 2 --steps 20 --log-every 10 --threads 1 --quiet"
#define FILES " --data a_1.npz a_2.npz b_1.npz --valid c_1.npz --eval-every 10"
#define ALONE " --no-baselines"
#define REAL  AG_SOURCE_DIR "/examples/data/schedules/"

/* kind moves features and run times; 1: its loops are vectorised ones instead of parallel ones. */
static void write_task(const char *name, int kind)
{
    test_schedules s;
    test_schedules_make(&s);
    s.runtime[0] += 100 * kind;
    for (int i = 0; i < TPGNN_TEST_SCHEDULES; i++)
        s.median[i] = s.passes[i][0] = s.passes[i][1] = s.runtime[i];
    for (int r = 0; r < TPGNN_TEST_ROWS; r++) s.feature[r][5] += (float)kind;
    if (kind == 1) test_schedules_replace(&s, "parallel", "vectorized");
    test_schedules_write(&s, name);
}

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    write_task("a_1.npz", 0);
    write_task("a_2.npz", 1);
    write_task("b_1.npz", 2);
    write_task("c_1.npz", 3);
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_write(&s, "conv2d-nhwc_1_20.npz");
    s.runtime[0] = 4000;
    test_schedules_write(&s, "mm_4.npz");
    program_expect("tpgnn train --out run" FILES ALONE SMALL, 0, "", "");
    return 0;
}

static void training(void **state)
{
    program_pictures = 1;
    program_outcome o = program_expect("tpgnn train --out full" FILES SMALL, 0,
                                       "Validation tasks, best checkpoint\ntask", "");
    program_pictures = 0;
    assert_string_equal(o.err, "");
    static const char *const shown[] = {"\nc_1 ", "Mean over the tasks\nmethod",
                                        "\nvectorised extents ", "\nrandom: "};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strstr(o.out, shown[i])) fail_msg("no \"%s\" in %s", shown[i], o.out);
    free(program_text_of("full/plots/methods.tsv"));
    free(program_text_of("full/plots/parts.tsv"));
    program_expect_in("Mean over the tasks", "full/report.html");
    program_expect_in("a coin reaches 0.5", "full/report.html");
    program_expect_in(",norm,pairwise,", "full/metrics.csv");
}

static void evaluating(void **state)
{
    const program_outcome o =
        program_expect("tpgnn eval --run run --data c_1.npz", 0, "Scores of run\ntask", "");
    assert_non_null(strstr(o.out, "\nnumber of stores: "));
    json_t *j = program_json("tpgnn eval --run run --data c_1.npz --json", "");
    const json_t *tasks = json_object_get(j, "groups"), *c = json_array_get(tasks, 0);
    assert_int_equal(json_array_size(tasks), 1);
    assert_string_equal(json_string_value(json_object_get(c, "group")), "c_1");
    assert_string_equal(json_string_value(json_object_get(c, "family")), "c");
    const double pairwise = program_number(json_object_get(c, "TPGNN"), "pairwise");
    assert_true(pairwise == 0 || pairwise == 0.5 || pairwise == 1);
    assert_true(json_is_null(json_object_get(json_object_get(c, "TPGNN"), "MAE")));
    assert_true(program_number(program_mean(j, "TPGNN"), "pairwise") == pairwise);
    assert_int_equal(program_number(j, "runs"), 1);
    json_decref(j);
    const program_outcome two =
        program_expect("tpgnn eval --run run --data a_1.npz c_1.npz --no-baselines", 0,
                       "By family\n", "trained on");
    assert_non_null(strstr(two.out, "Mean over the families\nmethod"));
}

/* Validation and evaluation make rows again, in batches of another size. */
static void rows(void **state)
{
    static const char *const network[] = {"statements", "paper"};
    static const char *const name[] = {"network of statements with rows (costs)",
                                       "TPGNN with rows (costs)"};
    for (int i = 0; i < 2; i++) {
        const char *train = formatted(
            "tpgnn train --out rows --force --json --network %s --rows costs --data a_1.npz "
            "b_1.npz --valid " REAL "sum-rows_1024_1024.npz --eval-every 10" ALONE SMALL,
            network[i]);
        json_t *trained = program_json(train, "");
        json_t *j = program_json("tpgnn eval --run rows --data " REAL "sum-rows_1024_1024.npz "
                                 "--eval-graphs 7 --json" ALONE,
                                 "");
        assert_true(program_number(program_mean(j, name[i]), "pairwise") ==
                    program_number(program_mean(trained, name[i]), "pairwise"));
        json_decref(j);
        json_decref(trained);
    }
    program_expect("tpgnn train --out x --preset statements --rows costs --readout mean" FILES, 2,
                   "", "it needs --network=statements and --rows=none|sums|embedded");
}

#define HEADER  "group,item,score,measured_ns\n"

#define PREDICT "tpgnn predict --data c_1.npz --run "

/* Runs with different words: each model sees the kinds through its own vocabulary. */
static void ensembles(void **state)
{
    double one[2], two[2], both[2];
    program_expect("tpgnn train --out e1 --network statements --data a_1.npz b_1.npz" ALONE SMALL,
                   0, "", "");
    program_expect("tpgnn train --out e2 --network statements --data a_2.npz --seed 5" ALONE SMALL,
                   0, "", "");
    program_scores(one, 2, "scores", PREDICT "e1");
    program_scores(two, 2, "scores", PREDICT "e2");
    assert_true(fabs(one[0] - two[0]) > 1e-6);
    program_scores(both, 2, "scores", PREDICT "e1 --ensemble e2");
    for (int i = 0; i < 2; i++) assert_true(fabs(both[i] - (one[i] + two[i]) / 2) < 1e-6);
}

/* Labels that are run times predict how long a schedule takes. */
static void costs(void **state)
{
    program_expect("tpgnn train --out log --loss huber --label log" FILES ALONE SMALL, 0, "", "");
    program_expect("tpgnn predict --run log --data c_1.npz", 0,
                   "group,item,score,predicted_ns,measured_ns\n\"c_1\",0,", "");
    double score[2], ns[2];
    program_scores(score, 2, "scores", PREDICT "log");
    program_scores(ns, 2, "predicted_ns", PREDICT "log");
    for (int i = 0; i < 2; i++) assert_true(ns[i] > 50 && ns[i] < 50000);
    assert_int_equal(score[0] < score[1], ns[0] < ns[1]); /* small is fast */
    json_t *j = program_json("tpgnn eval --run log --data c_1.npz --json" ALONE, "");
    assert_true(program_number(program_mean(j, "TPGNN"), "MAE") > 0);
    program_number(program_mean(j, "TPGNN"), "R2");
    json_decref(j);
    /* no costs where a model has none */
    program_expect("tpgnn predict --run log --ensemble run --data c_1.npz", 0, HEADER, "");
}

/* If the run's files have moved there is nothing to fit to, which is reported. */
static void fits(void **state)
{
    write_task("gone.npz", 0);
    program_expect("tpgnn train --data gone.npz --out moved" SMALL, 0, "", "");
    program_expect("tpgnn eval --run moved --data c_1.npz", 0, "\nvectorised extents ", "");
    write_task("gone.npz", 2);
    const program_outcome o =
        program_expect("tpgnn eval --run moved --data c_1.npz", 0, "TPGNN", "are no baselines");
    assert_null(strstr(o.out, "vectorised extents"));
    program_expect("tpgnn eval --run moved --data c_1.npz --fit a_1.npz a_2.npz", 0,
                   "\nvectorised extents ", "");
    program_expect("tpgnn eval --run moved --data c_1.npz --fit none.npz", 3, "", "none.npz");
}

static void predict_new(const test_schedules *s, const char *warning)
{
    test_schedules_write(s, "new_1.npz");
    program_expect("tpgnn predict --run run --data new_1.npz", 0, "new_1", warning);
}

/* int32 is a type of loops, but of no buffer of training. */
static void types_and_extents_that_training_lacks(void **state)
{
    test_schedules s;
    const program_outcome o = program_expect("tpgnn predict --run run --data c_1.npz", 0, "c_1",
                                             "of 5 extents of loops and sizes of buffers, 1 are "
                                             "not known (0, or no constant); each counts as 1");
    assert_null(strstr(o.err, "that no training file"));
    program_expect("tpgnn train --out said --data c_1.npz --steps 1 --hidden 8 --threads 1", 0, "",
                   "1 are not known (0, or no constant)");
    test_schedules_make(&s);
    test_schedules_replace(&s, "BufferLoad", "BufferRead");
    predict_new(&s, "1 of 23 nodes have a type that no training file of run/best.safetensors has");
    test_schedules_replace(&s, "parallel", "rolled");
    predict_new(&s,
                "have a kind of loop that no training file of run/best.safetensors has: rolled");
    test_schedules_replace(&s, "global", "moon");
    predict_new(&s, "have a scope that no training file of run/best.safetensors has: moon");
    test_schedules_replace(&s, "Param - float32", "Param - int32");
    s.value[3] = s.value[9 + 3] = 1e9F;
    predict_new(&s,
                "2 of 23 nodes have an element type that no training file of run/best.safetensors "
                "has: int32\n");
    predict_new(&s,
                "2 of 3 loops have extents that no training file of run/best.safetensors has: they "
                "go from 1000000000 to 1000000000, those of training from 4 to 16\n");
}

/* Statements of a sum, and those of a product, which have more loops. */
static void rows_far_from_training(void **state)
{
#define SCHEDULES " --data " AG_SOURCE_DIR "/examples/data/schedules/"
    program_expect(
        "tpgnn train --out far --rows sums --steps 1 --threads 1 --quiet --no-baselines" SCHEDULES
        "sum-rows_1024_1024.npz",
        0, "", "");
    const program_outcome o =
        program_expect("tpgnn predict --run far" SCHEDULES "sum-rows_1024_1024.npz", 0, "", "");
    assert_null(strstr(o.err, "far outside"));
    program_expect("tpgnn predict --run far" SCHEDULES "matmul_32_224_384.npz", 0, "",
                   "of the statements of matmul_32_224_384, 100 % have features far outside of "
                   "those that far/best.safetensors was trained on");
}

/* ---- inspect ---- */

static void a_table_of_tasks(void **state)
{
    const program_outcome o = program_expect("tpgnn inspect conv2d-nhwc_1_20.npz mm_4.npz", 0,
                                             "Schedules: 4 of 2 tasks of 2 families",
                                             "of 10 extents of loops and sizes of buffers, 2 are "
                                             "not known");
    assert_non_null(strstr(o.out, "slowest/fastest"));
    assert_non_null(strstr(o.out, "46 nodes, 6 stored buffers\n"));
}

static void the_same_as_json(void **state)
{
    json_t *j = program_json("tpgnn inspect --json mm_4.npz conv2d-nhwc_1_20.npz", "");
    const json_t *tasks = json_object_get(j, "tasks"), *t = json_array_get(tasks, 0);
    assert_int_equal(json_array_size(tasks), 2);
    assert_string_equal(json_string_value(json_object_get(t, "task")), "mm_4");
    assert_string_equal(json_string_value(json_object_get(t, "family")), "mm");
    assert_true(program_number(t, "schedules") == 2 && program_number(t, "median_nodes") == 11.5);
    assert_true(program_number(t, "median_stores") == 1.5 &&
                program_number(t, "fastest_ns") == 500);
    assert_true(program_number(t, "median_ns") == 2250 && program_number(t, "slowest_ns") == 4000);
    assert_true(program_number(t, "noisy") == 1);
    assert_true(fabs(program_number(t, "spread") - 0.34 * log(8.0)) < 1e-9);
    const double one = log(505.0 / 500), two = log(2100.0 / 2000); /* 68 % of the way */
    assert_true(fabs(program_number(t, "noise") - (one + 0.68 * (two - one)) / sqrt(2.0)) < 1e-9);
    assert_true(program_number(j, "schedules") == 4 && program_number(j, "nodes") == 46 &&
                program_number(j, "stores") == 6);
    json_decref(j);
}

static void what_cannot_be_read(void **state)
{
    program_expect("tpgnn inspect", 2, "", "data");
    program_expect("tpgnn inspect mm_4.npz mm_4.npz", 0, "Schedules: 2 of 1 task",
                   "more than once");
    const char *other = test_file("other");
    assert_int_equal(mkdir(other, 0700), 0);
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_write(&s, "other/mm_4.npz");
    program_expect("tpgnn inspect mm_4.npz other", 0, "\nother/mm_4 ", "");
    program_each_fails("tpgnn inspect mm_4.npz --threads 1", 3, 30, NULL);
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, training, evaluating, ensembles, costs,
                          rows, fits, rows_far_from_training, types_and_extents_that_training_lacks,
                          a_table_of_tasks, the_same_as_json, what_cannot_be_read);
}
