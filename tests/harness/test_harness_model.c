/* SPDX-License-Identifier: MIT */
/* The commands of examples/harness/model/model.h with the smallest model, examples/tabular. */
#include "support/test.h"
#include "examples/tabular/tabular.h"
#include "support/checkpoint_change.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#define FILES " --data a.csv b.csv c.csv --valid d.csv e.csv"
#define SMALL " --steps 300 --eval-every 100 --threads 1 --quiet"

enum { ITEMS = 24 };

/* The run time is least in the middle of the range of `unroll`, so a linear model cannot order it;
   `vector` helps, and `noise` means nothing. */
static void put_table(const char *name, int kind, int known)
{
    char text[4096];
    int n = sprintf(text, "unroll,vector,noise%s\n", known ? ",ns" : "");
    for (int i = 0; i < ITEMS; i++) {
        const int unroll = (i * 7 + kind) % ITEMS, vector = i % 3, from = unroll - ITEMS / 2;
        n += sprintf(text + n, "%d,%d,%d", unroll, vector, (i * 13 + 5 * kind) % 11);
        n += known ? sprintf(text + n, ",%d\n", 1000 * (kind + 2) + 90 * from * from - 700 * vector)
                   : sprintf(text + n, "\n");
    }
    program_write_text(name, text);
}

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_own = &tabular_program;
    for (int i = 0; i < 5; i++) {
        const char name[] = {(char)('a' + i), '.', 'c', 's', 'v', 0};
        put_table(name, i, 1);
    }
    put_table("hidden.csv", 3, 0);
    program_expect("tabular train --out run" FILES SMALL, 0, "", "");
    return 0;
}

static void training(void **state)
{
    json_t *j = program_json("tabular train --out json --json" FILES SMALL, "");
    assert_string_equal(json_string_value(json_object_get(j, "run")), "json");
    assert_int_equal(program_number(j, "steps"), 300);
    assert_int_equal(program_number(j, "parameters"), 3 * 16 + 16 + 16);
    assert_int_equal((int)program_number(j, "best-step") % 100, 0);
    assert_true(program_number(program_mean(j, "tabular"), "tau-b") > 0.8);
    json_decref(j);
    program_expect_same("run", "json");

    program_expect_in("tabular: 300 steps", "run/report.html");
    program_expect_in("Kendall", "run/report.html");
    program_expect_in("slowdown@5", "run/report.html");
    program_expect_in("", "run/plots/order.tsv");
    program_expect_in("", "run/plots/methods.tsv");
    program_expect_in("step,loss,rate,norm,tau-b,opa,slowdown@1,slowdown@5,", "run/metrics.csv");
    program_expect("tabular train --out text" FILES " --steps 2", 0,
                   "Validation groups, best checkpoint\ngroup", "the run is in text");
}

/* Items 0 and 12 have 0 and 12 in the first column: the worst and the best. */
static void predicting(void **state)
{
    json_t *j = program_json("tabular predict --run run --data d.csv --json", "");
    const json_t *score = json_object_get(json_array_get(j, 0), "scores");
    assert_int_equal(json_array_size(score), ITEMS);
    assert_true(json_real_value(json_array_get(score, 12)) <
                json_real_value(json_array_get(score, 0)));
    json_decref(j);
}

/* Without run times in any file there is no column; where some have them, the others' are empty. */
static void hidden_run_times(void **state)
{
    program_expect("tabular predict --run run --data hidden.csv", 0,
                   "group,item,score\n\"hidden\",0,", "");
    program_outcome o = program_expect("tabular predict --run run --data hidden.csv d.csv", 0,
                                       "group,item,score,measured_ns\n\"hidden\",0,", "");
    const char *end = strchr(strchr(o.out, '\n') + 1, '\n');
    assert_int_equal(end[-1], ',');
    json_t *j = program_json("tabular predict --run run --data hidden.csv d.csv --json", "");
    assert_null(json_object_get(json_array_get(j, 0), "measured_ns"));
    assert_non_null(json_object_get(json_array_get(j, 1), "measured_ns"));
    json_decref(j);
    program_expect("tabular eval --run run --data hidden.csv", 3, "",
                   "none of the 1 groups can be scored");
    o = program_expect("tabular eval --run run --data hidden.csv d.csv", 0, "hidden", "");
    program_expect("tabular train --out x --data hidden.csv" SMALL, 3, "", "has no column ns");
    program_expect("tabular train --out x --data a.csv --valid hidden.csv" SMALL, 3, "",
                   "--valid: ");
}

/* ---- inspect ---- */

/* The groups, which is all that this model has to say. */
static void inspecting(void **state)
{
    program_write_text("two.csv", "unroll,ns\n1,2500\n2,1250\n3,7000\n");
    program_write_text("three.csv", "unroll\n1\n2\n");
    program_expect("tabular inspect two.csv three.csv", 0,
                   "2 groups\n"
                   "group  items  fastest us  slowest us\n"
                   "two        3       1.250       7.000\n"
                   "three      2           -           -\n",
                   "");
    json_t *j = program_json("tabular inspect --json two.csv three.csv", "");
    const json_t *two = json_array_get(j, 0), *three = json_array_get(j, 1);
    assert_int_equal(json_array_size(j), 2);
    assert_string_equal(json_string_value(json_object_get(two, "group")), "two");
    assert_int_equal(program_number(two, "items"), 3);
    assert_int_equal(program_number(two, "fastest_ns"), 1250);
    assert_int_equal(program_number(two, "slowest_ns"), 7000);
    assert_int_equal(program_number(three, "items"), 2);
    assert_int_equal(program_number(three, "fastest_ns"), 0);
    json_decref(j);
    program_expect("tabular inspect two.csv a.csv", 3, "", "name files with the same ones");
    program_expect("tabular inspect none.csv", 3, "", "none.csv");
    program_expect("tabular inspect", 2, "",
                   "--data PATH... is missing; \"tabular inspect --help\" lists the options");
}

/* ---- wrong uses ---- */

static void wrong_files(void **state)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {{"", "is empty"},
               {"ns\n5\n", "names no feature"},
               {"unroll,ns\n", "has no items"},
               {"unroll,ns\n1,2\n1\n", "line 3 has 1 fields"},
               {"unroll,ns\n1,2,3\n", "line 2 has 3 fields"},
               {"unroll,ns\nten,2\n", "\"ten\" is not a number"},
               {"unroll,ns\n1,2\nnan,2\n", "\"unroll\" of item 2 is nan"},
               {"unroll,ns\n1,0\n", "\"ns\" of item 1 is 0"},
               {"unroll,ns\n1,1.5\n", "\"ns\" of item 1 is 1.5"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        program_write_text("bad.csv", bad[i].text);
        program_expect("tabular train --out x --data bad.csv" SMALL, 3, "", bad[i].sentence);
    }
    program_write_text("few.csv", "unroll,ns\n1,2\n2,3\n");
    program_expect("tabular train --out x --data a.csv few.csv" SMALL, 3, "",
                   "name files with the same ones");
    program_expect("tabular predict --run run --data few.csv", 2, "",
                   "was trained on other features than \"unroll\"");
    program_expect("tabular train --out x --data none.csv" SMALL, 3, "", "none.csv");
    program_expect("tabular predict --run run --data d.csv --csv d.csv", 2, "",
                   "is a file of --data");
}

/* Another text under a key of the metadata of the best checkpoint. */
static void damaged_runs(void **state)
{
    static const struct {
        const char *key, *value, *sentence;
    } bad[] = {{"program", "tpu 0.1.0", "is a checkpoint of tpu 0.1.0; choose one of tabular"},
               {"data", "{}", "the metadata \"data\" name no features"},
               {"data", "{\"features\":\"unroll,vector\"}", "; the file contradicts itself"},
               {"configuration", "", "no JSON; is it a checkpoint of tabular?"},
               {"configuration", "{\"hidden\": -1}", "hidden"},
               {"configuration", "{\"hidden\": 4}", "hidden.weight"}};
    program_write_text("one.csv", "unroll,ns\n3,2\n2,3\n5,9\n");
    for (int i = 0; i < 2; i++)
        program_expect_line(0, "", "",
                            "tabular train --out %s --hidden 0 --data one.csv --steps 2 --quiet",
                            i ? "small" : "bad");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        checkpoint_change(formatted("%s/bad/best.safetensors", test_folder),
                          formatted("%s/small/best.safetensors", test_folder), bad[i].key,
                          bad[i].value, NULL, NULL);
        program_expect("tabular predict --run bad --data one.csv", 3, "", bad[i].sentence);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, training, predicting, hidden_run_times,
                          inspecting, wrong_files, damaged_runs);
}
