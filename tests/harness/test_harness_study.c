/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "support/harness_demo.h"
#include "support/files.h"

#include <jansson.h>

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

/* Of each test: the options of a call, a study of it. */
static demo_options values;
static harness_options *o;
static harness_study s;
static ag_failure why;

static int set_up(void **state)
{
    o = harness_options_new(&demo, HARNESS_ABLATE, &values);
    s = (harness_study){0};
    why = (ag_failure){0};
    harness_log_start("demo", true);
    return files_make(state);
}

static int tear_down(void **state)
{
    harness_study_free(&s);
    harness_options_free(o);
    return files_remove(state);
}

static ag_status parse(const char *text)
{
    return harness_study_parse(&s, "s.ini", text, strlen(text), o, &why);
}

static void parses(void **state)
{
    assert_int_equal(parse(study_text), AG_OK);
    assert_string_equal(s.title, "What edges are worth");
    assert_memory_equal(s.seeds, ((int64_t[]){1, 3, 4}), 3 * sizeof(int64_t));
    assert_string_equal(s.variants[0].name, "complete");
    assert_null(s.variants[0].overrides);
    assert_string_equal(s.variants[1].folder, "no-edges");
    assert_string_equal(s.variants[1].overrides[1].value, "6");
    assert_int_equal(s.variants[1].line, 7);
    assert_string_equal(s.common[0].name, "steps");
}

static void sentences(void **state)
{
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
                          "eval); \"demo ablate --help-all\" lists the options"},
        {"[a\xff]", "s.ini line 1: the name of the variant is not UTF-8 text; write it anew"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness_study s = {0};
        ag_failure why = {0};
        assert_int_equal(
            harness_study_parse(&s, "s.ini", cases[i][0], strlen(cases[i][0]), o, &why), AG_EUSE);
        assert_string_equal(why.sentence, cases[i][1]);
        harness_study_free(&s);
    }
    assert_int_equal(harness_study_load(&s, "/nowhere/s.ini", o, &why), AG_EFILE);
    assert_string_equal(
        why.sentence,
        "--study: /nowhere/s.ini cannot be opened: No such file or directory; check the path");
}

static const char *refused(const char *text, const char *files)
{
    why = (ag_failure){0};
    if (!parse(text)) harness_study_act(&s, o, files, &why);
    harness_study_free(&s);
    return why.sentence;
}

/* An option of a variant has an effect in it, one of the call or of [study] in some variant. */
static void no_effect(void **state)
{
#define NEEDS                                                                               \
 ", since it needs --edges and --loss=hinge|logistic or no --edges and tile files; change " \
 "that, or omit depth"
    assert_string_equal(refused("[a]\ndepth = 3\n[b]\nloss = listmle\ndepth = 4", NULL),
                        "s.ini line 5: depth: 4 has no effect" NEEDS);
    assert_string_equal(refused("[study]\ndepth = 3\n[a]\n[b]\nloss = listmle", NULL), "");
    assert_string_equal(refused("[a]\nsize = small", "layout files"), "");
    const char *none = "[study]\nloss = listmle\n[a]\n[b]\nsteps = 3";
    assert_string_equal(refused(none, NULL), "");
    assert_int_equal(harness_options_set(o, NULL, "depth", "3", &why), AG_OK);
    assert_string_equal(refused(none, NULL), "--depth: 3 has no effect in any variant" NEEDS);
    assert_string_equal(refused("[a]\n[b]\nedges = false", "layout files"), "");
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

static ag_status train_alike(void *user, const harness_study_job *job, double *scores,
                             ag_failure *why)
{
    const demo_options *o = harness_options_values(job->options);
    (void)user;
    scores[0] = o->edges ? (double)job->seed : (double)NAN;
    scores[1] = o->loss;
    return why->status;
}

static const char *const metrics[] = {"tau", "steps"};

static void check_table(harness_table *t, const char *header)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_table_csv(to, t);
    harness_table_print(to, t);
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
    assert_non_null(strstr(text, "\ndiverges: 3 of 3 seeds left out of its means, "));
    free(text);
}

static void runs_and_reuses(void **state)
{
    trainer t = {0, 0, 5};
    parse(study_text);
    assert_null(harness_study_run(&s, o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(why.status, AG_EDATA);
    assert_string_equal(why.sentence, "no edges, seed 3: the file is damaged");
    json_t *options = harness_options_json(o),
           *config = json_pack("{s:s,s:o}", "program", "demo", "options", options);
    json_object_set_new(options, "edges", json_false());
    json_object_set_new(options, "seed", json_integer(3));
    json_dump_file(config, files_path("no-edges/seed-3/config.json"), 0); /* as if interrupted */
    json_decref(config);
    memset(&why, 0, sizeof why);
    t.fail_at = 0;
    harness_table *table = harness_study_run(&s, o, files_folder, metrics, 2, train, &t, &why);
    assert_string_equal(why.sentence, "");
    assert_non_null(table);
    check_table(table, "variant,runs,tau,tau spread,steps,steps spread\n");
    harness_table_free(table);
    assert_int_equal(t.runs, 10); /* 9 and the one that failed: none was trained twice */
    assert_int_equal(t.started, 1);
    table = harness_study_run(&s, o, files_folder, metrics, 2, train, &t, &why);
    check_table(table, "variant,runs,tau,tau spread,steps,steps spread\n");
    harness_table_free(table);
    assert_int_equal(t.runs, 10);
    static const char *const files[] = {"study.txt", "study.csv", "study.json", "plots/study.tsv",
                                        "plots/study.gp"};
    for (int i = 0; i < 5; i++) assert_int_equal(access(files_path(files[i]), R_OK), 0);
}

static void alike(void **state)
{
    static const char text[] = "[study]\nseeds = 1,2\n[a]\n[b]\nsteps = 7\n[c]\nloss = listmle\n"
                               "[d]\nedges = false\n[e]\nedges = false\n";
    parse(text);
    harness_table *t = harness_study_run(&s, o, files_folder, metrics, 2, train_alike, NULL, &why);
    harness_table_free(t);
    char *page = files_text(files_folder, "study.txt");
    assert_non_null(
        strstr(page, "\nb: has all scores of a, so the study does not tell them apart\n"));
    assert_non_null(strstr(page, "\ne: has all scores of d, "));
    assert_null(strstr(page, "\nc: "));
    assert_null(strstr(page, "\nd: has"));
    free(page);
    page = files_text(files_folder, "study.json");
    static const char *const other[] = {"b", "a", NULL, "e", "d"};
    json_t *rows = json_loads(page, 0, NULL);
    assert_int_equal(json_array_size(rows), 5);
    for (size_t i = 0; i < 5; i++) {
        json_t *equal = json_object_get(json_array_get(rows, i), "equal");
        assert_int_equal(json_array_size(equal), other[i] != NULL);
        if (other[i]) assert_string_equal(json_string_value(json_array_get(equal, 0)), other[i]);
    }
    json_decref(rows);
    free(page);
}

static void takes_the_largest_seed(void **state)
{
    const char *text = "[study]\nseeds = 9223372036854775807\n[a]";
    assert_int_equal(parse(text), AG_OK);
    assert_true(s.seeds[0] == INT64_MAX);
}

static void refuses_old_results(void **state)
{
    trainer t = {0};
    const char *text = "[complete]\nsteps = 5";
    parse(text);
    assert_int_equal(s.seeds[0], 0); /* the default of --seed */
    harness_table_free(harness_study_run(&s, o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(harness_options_set(o, NULL, "loss", "listmle", &why), AG_OK);
    assert_null(harness_study_run(&s, o, files_folder, metrics, 2, train, &t, &why));
    expect_sentence(
        &why, AG_EUSE,
        "complete/seed-0/result.json was made with other options than the study asks for "
        "now; choose another --out, or delete that folder");
    assert_int_equal(t.runs, 1);
    /* and before another variant is trained */
    const char *more = "[no edges]\nedges = false\nsteps = 6\n[complete]\nsteps = 5";
    harness_study later = {0};
    why = (ag_failure){0};
    harness_study_parse(&later, "s.ini", more, strlen(more), o, &why);
    assert_null(harness_study_run(&later, o, files_folder, metrics, 2, train, &t, &why));
    assert_int_equal(t.runs, 1);
    harness_study_free(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sentences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_effect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_and_reuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_the_largest_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_old_results, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
