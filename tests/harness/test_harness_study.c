/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "support/harness_demo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/files.h"

static ag_status demo_train(harness_call *call, ag_failure *why)
{
    (void)call;
    return why->status;
}
static ag_status demo_eval(harness_call *call, ag_failure *why) { return demo_train(call, why); }

static const char study_text[] = "[study]\n"
                                 "title = What edges are worth\n"
                                 "seeds = 1, 3..4\n"
                                 "steps = 5\n"
                                 "[complete]\n"
                                 "; without keys\n"
                                 "[no edges]\n"
                                 "edges = false\n"
                                 "steps = 6\n"
                                 "[diverges]\n"
                                 "learning-rate = 10\n";

typedef struct fixture {
    demo_options values;
    harness_options *o;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->o = harness_options_new(&demo, HARNESS_ABLATE, &f->values);
    harness_log_start("demo", true);
    *state = f;
    return files_make(state);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    harness_options_free(f->o);
    free(f);
    return files_remove(state);
}

static void parses(void **state)
{
    fixture *f = *state;
    harness_study s = {0};
    ag_failure why = {0};
    assert_int_equal(harness_study_parse(&s, "s.ini", study_text, strlen(study_text), f->o, &why),
                     AG_OK);
    assert_string_equal(s.title, "What edges are worth");
    assert_memory_equal(s.seeds, ((int64_t[]){1, 3, 4}), 3 * sizeof(int64_t));
    assert_string_equal(s.variants[0].name, "complete");
    assert_null(s.variants[0].overrides);
    assert_string_equal(s.variants[1].folder, "no-edges");
    assert_string_equal(s.variants[1].overrides[1].value, "6");
    assert_int_equal(s.variants[1].line, 7);
    assert_string_equal(s.common[0].name, "steps");
    harness_study_free(&s);
}

static void sentences(void **state)
{
    fixture *f = *state;
    static const char *const cases[][2] = {
        {"", "s.ini has no variant; add a section, as in [no edges] and edges = false"},
        {"[study]\nseeds = 1\n",
         "s.ini has no variant; add a section, as in [no edges] and edges = false"},
        {"[a]\nedgs = no", "s.ini line 2: unknown option edgs; did you mean edges?"},
        {"[a]\nedges = perhaps", "s.ini line 2: edges: \"perhaps\" is neither true nor false; "
                                 "write edges=true or edges=false"},
        {"edges = no\n[a]",
         "s.ini line 1: edges stands in front of all sections; put it under [study] or a variant"},
        {"[a]\n[b]\n[a]",
         "s.ini line 3: the variant [a] has the same folder name as [a] in line 1; rename one"},
        {"[a b]\n[a-b]",
         "s.ini line 2: the variant [a-b] has the same folder name as [a b] in line 1; rename one"},
        {"[]", "s.ini line 1: the variant has no name; write [name]"},
        {"[study]\n[a]\n[study]", "s.ini line 3: a second [study]; put all of it into the first"},
        {"[study]\nseeds = one\n[a]", "s.ini line 2: seeds: \"one\" is no list of different seeds; "
                                      "write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 3..1\n[a]", "s.ini line 2: seeds: \"3..1\" is no list of different "
                                       "seeds; write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 0..9223372036854775807\n[a]",
         "s.ini line 2: seeds: \"0..9223372036854775807\" is no list of different seeds; write "
         "0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 1,1\n[a]", "s.ini line 2: seeds: \"1,1\" is no list of different seeds; "
                                      "write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[a]\nseed = 4",
         "s.ini line 2: seed: a study has its seeds in [study]; write seeds = 4 there"},
        {"[a]\nout = x",
         "s.ini line 2: out belongs to the call and not to the study; give it as a flag"},
        {"[a]\nnote = x", "s.ini line 2: note is no option of demo ablate (it belongs to train and "
                          "eval); \"demo ablate --help\" lists what is"},
        {"[a\xff]", "s.ini line 1: the name of the variant is not UTF-8 text; write it anew"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness_study s = {0};
        ag_failure why = {0};
        assert_int_equal(
            harness_study_parse(&s, "s.ini", cases[i][0], strlen(cases[i][0]), f->o, &why),
            AG_EUSE);
        assert_string_equal(why.sentence, cases[i][1]);
        harness_study_free(&s);
    }
    harness_study s = {0};
    ag_failure why = {0};
    assert_int_equal(harness_study_load(&s, "/nowhere/s.ini", f->o, &why), AG_EFILE);
    assert_string_equal(
        why.sentence,
        "--study: /nowhere/s.ini cannot be opened: No such file or directory; check the path");
    harness_study_free(&s);
}

typedef struct trainer {
    int runs, started, fail_at;
} trainer;

static ag_status train(void *user, const harness_study_job *job, double *scores, ag_failure *why)
{
    trainer *t = user;
    const demo_options *o = harness_options_values(job->options);
    t->started += job->started;
    if (++t->runs == t->fail_at) return ag_fail(why, AG_EDATA, "the file is damaged");
    if (o->learning_rate == 10) return ag_fail(why, AG_EFINITE, "the loss of step 3 is nan");
    assert_int_equal(o->common.seed, job->seed);
    assert_int_equal(o->steps, o->edges ? 5 : 6);
    assert_non_null(strstr(job->folder, o->edges ? "/complete/seed-" : "/no-edges/seed-"));
    scores[0] = (o->edges ? 0.8 : 0.5) + 0.01 * (double)job->seed;
    scores[1] = o->steps;
    return AG_OK;
}

/* The name that older runs have for a measure, and the one of now. */
static const char *const metrics[] = {"tau", "steps"}, *const now[] = {"tau-b", "steps"};

static void check_table(harness_table *t, const char *header)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_table_csv(to, t);
    fclose(to);
    char *line = strchr(text, '\n') + 1;
    double v[4];
    int runs;
    assert_memory_equal(text, header, strlen(header));
    assert_int_equal(sscanf(line, "complete,%d,%lf,%lf,%lf,%lf", &runs, v, v + 1, v + 2, v + 3), 5);
    assert_true(runs == 3 && fabs(v[0] - (0.8 + 0.08 / 3)) < 1e-12 &&
                fabs(v[1] - sqrt(7.0 / 3) / 100) < 1e-12);
    assert_true(v[2] == 5 && v[3] == 0);
    assert_non_null(strstr(text, "\ndiverges,0,,,,\n"));
    free(text);
}

static void runs_and_reuses(void **state)
{
    fixture *f = *state;
    harness_study s = {0};
    ag_failure why = {0};
    trainer t = {0, 0, 5};
    harness_study_parse(&s, "s.ini", study_text, strlen(study_text), f->o, &why);
    assert_null(harness_study_run(&s, f->o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(why.status, AG_EDATA);
    assert_string_equal(why.sentence, "no edges, seed 3: the file is damaged");
    FILE *begun = fopen(files_path("no-edges/seed-3/config.json"), "wb"); /* as if interrupted */
    fclose(begun);
    memset(&why, 0, sizeof why);
    t.fail_at = 0;
    harness_table *table = harness_study_run(&s, f->o, files_folder, metrics, 2, train, &t, &why);
    assert_string_equal(why.sentence, "");
    assert_non_null(table);
    check_table(table, "variant,runs,tau,tau spread,steps,steps spread\n");
    harness_table_free(table);
    assert_int_equal(t.runs, 10); /* 9 and the one that failed: none was trained twice */
    assert_int_equal(t.started, 1);
    table = harness_study_run(&s, f->o, files_folder, now, 2, train, &t, &why);
    check_table(table, "variant,runs,tau-b,tau-b spread,steps,steps spread\n");
    harness_table_free(table);
    assert_int_equal(t.runs, 10);
    static const char *const files[] = {"study.txt", "study.csv", "study.json", "plots/study.tsv",
                                        "plots/study.gp"};
    for (int i = 0; i < 5; i++) assert_int_equal(access(files_path(files[i]), R_OK), 0);
    harness_study_free(&s);
}

static void takes_the_largest_seed(void **state)
{
    fixture *f = *state;
    harness_study s = {0};
    ag_failure why = {0};
    const char *text = "[study]\nseeds = 9223372036854775807\n[a]";
    assert_int_equal(harness_study_parse(&s, "s.ini", text, strlen(text), f->o, &why), AG_OK);
    assert_true(s.seeds[0] == INT64_MAX);
    harness_study_free(&s);
}

static void refuses_old_results(void **state)
{
    fixture *f = *state;
    harness_study s = {0};
    ag_failure why = {0};
    trainer t = {0};
    const char *text = "[complete]\nsteps = 5";
    harness_study_parse(&s, "s.ini", text, strlen(text), f->o, &why);
    assert_int_equal(s.seeds[0], 0); /* the default of --seed */
    harness_table_free(harness_study_run(&s, f->o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(harness_options_set(f->o, NULL, "loss", "listmle", &why), AG_OK);
    assert_null(harness_study_run(&s, f->o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(why.status, AG_EUSE);
    assert_non_null(
        strstr(why.sentence,
               "complete/seed-0/result.json was made with other options than the study asks for "
               "now; choose another --out, or delete that folder"));
    assert_int_equal(t.runs, 1);
    harness_study_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sentences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_and_reuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_the_largest_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_old_results, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
