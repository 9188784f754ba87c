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

/* The scores of two groups, and their means. */
static void put_scores(json_t *result, double tau, double steps)
{
    json_object_set_new(result, "scores", json_pack("{s:f, s:f}", "tau", tau, "steps", steps));
    json_object_set_new(result, "groups",
                        json_pack("[{s:s, s:f, s:f}, {s:s, s:f, s:f}]", "group", "g", "tau",
                                  tau - 0.1, "steps", steps, "group", "h", "tau", tau + 0.1,
                                  "steps", steps));
    json_object_set_new(result, "parameters", json_integer(42));
}

static ag_status train(void *user, const harness_study_job *job, json_t *result, ag_failure *why)
{
    trainer *t = user;
    const demo_options *o = harness_options_values(job->options);
    t->started += job->started;
    if (++t->runs == t->fail_at) return ag_fail(why, AG_EDATA, "the file is damaged");
    if (o->learning_rate == 10) return ag_fail(why, AG_EFINITE, "the loss of step 3 is nan");
    assert_int_equal(o->common.seed, job->seed);
    assert_int_equal(o->steps, o->edges ? 5 : 6);
    assert_non_null(strstr(job->folder, o->edges ? "/complete/seed-" : "/no-edges/seed-"));
    put_scores(result, (o->edges ? 0.8 : 0.5) + 0.01 * (double)job->seed * (o->edges ? 1 : 2),
               o->steps);
    return AG_OK;
}

static ag_status train_alike(void *user, const harness_study_job *job, json_t *result,
                             ag_failure *why)
{
    const demo_options *o = harness_options_values(job->options);
    (void)user;
    put_scores(result, o->edges ? (double)job->seed : 0, o->loss);
    if (!o->edges) json_object_set_new(json_object_get(result, "scores"), "tau", json_null());
    return why->status;
}

/* The table of the first measure; *json: what study.json holds, or NULL. */
static harness_table *run(const harness_study *study, harness_study_train *how, void *user,
                          json_t **json)
{
    const harness_study_call call = {.study = study,
                                     .base = o,
                                     .out = files_folder,
                                     .command_line = "demo ablate",
                                     .train = how,
                                     .user = user};
    json_t *mine = NULL;
    harness_table *table = harness_study_run(&call, json ? json : &mine, &why);
    json_decref(mine);
    return table;
}

static char *printed(const harness_table *t)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_table_print(to, t);
    fclose(to);
    return text;
}

/* A number of a variant of the first measure. */
static double number(const json_t *study, size_t variant, const char *key)
{
    const json_t *tau = json_array_get(json_object_get(study, "measures"), 0),
                 *row = json_array_get(json_object_get(tau, "variants"), variant),
                 *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Seeds 1, 3, 4: 0.8 + seed / 100 and 0.5 + seed / 50, so the differences are (seed / 100) - 0.3,
   the same in both groups: scipy.stats.ttest_1samp([-.29, -.27, -.26], 0). */
static void check_numbers(const json_t *j)
{
    static const struct {
        size_t variant;
        const char *key;
        double value;
    } expected[] = {{0, "mean", 0.8 + 0.08 / 3},
                    {0, "spread", 0.015275252316519468},
                    {1, "difference", -0.27333333333333334},
                    {1, "low", -0.3112791636693009},
                    {1, "high", -0.23538750299736583},
                    {1, "p", 0.0010394241430971237}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(fabs(number(j, expected[i].variant, expected[i].key) - expected[i].value) <
                    1e-12);
    assert_true(isnan(number(j, 0, "difference")) && isnan(number(j, 2, "mean")) &&
                isnan(number(j, 2, "difference")) && isnan(number(j, 2, "p")));
}

/* The variants in the order of the study, in every file; one that diverged has no numbers. */
static void check_files(void)
{
    static const char tex[] =
        "variant & mean & spread & difference & low & high & p \\\\\n\\hline\n"
        "\\multicolumn{7}{l}{\\emph{tau}} \\\\\n"
        "complete & $0.8267$ & $0.0153$ & -- & -- & -- & -- \\\\\n"
        "no edges & $0.5533$ & $0.0306$ & $-0.2733$ & $-0.3113$ & $-0.2354$ & "
        "$0.001$ \\\\\n"
        "diverges & -- & -- & -- & -- & -- & -- \\\\\n\\hline\n";
    char *text = files_text(files_folder, "study.tex"),
         *csv = files_text(files_folder, "study.csv"),
         *page = files_text(files_folder, "study.html");
    assert_non_null(strstr(text, tex));
    assert_int_equal(strncmp(csv, "variant,seed,group,tau,steps\ncomplete,1,,0.81", 45), 0);
    assert_non_null(strstr(csv, "\ncomplete,1,h,0.91"));
    assert_non_null(strstr(csv, "\nno edges,4,,0.57"));
    assert_non_null(strstr(csv, "\ndiverges,3,,,\ndiverges,4,,,\n"));
    const char *place = page;
    static const char *const parts[] = {"<h1>What edges are worth</h1>",
                                        "<b>demo 1.2</b>",
                                        "<b>20",
                                        "<caption>tau</caption>",
                                        "<td>complete</td>",
                                        "<td>no edges</td>",
                                        "<td>diverges</td>",
                                        "diverges: 3 of 3 seeds left out",
                                        "<caption>steps</caption>",
                                        "edges = false, steps = 6",
                                        "<pre>demo ablate</pre>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        place = strstr(place, parts[i]);
        if (!place) fail_msg("%s is not there, or too early", parts[i]);
    }
    free(text);
    free(csv);
    free(page);
}

static void runs_and_reuses(void **state)
{
    trainer t = {0, 0, 5};
    json_t *study = NULL;
    parse(study_text);
    assert_null(run(&s, train, &t, NULL));
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
    harness_table *table = run(&s, train, &t, &study);
    assert_string_equal(why.sentence, "");
    assert_non_null(table);
    check_numbers(study);
    check_files();
    char *text = printed(table);
    harness_table_free(table);
    json_decref(study);
    assert_int_equal(t.runs, 10); /* 9 and the one that failed: none was trained twice */
    assert_int_equal(t.started, 1);
    table = run(&s, train, &t, &study);
    check_numbers(study);
    char *again = printed(table);
    assert_string_equal(again, text);
    json_t *saved = json_load_file(files_path("study.json"), 0, NULL);
    assert_true(json_equal(saved, study));
    json_decref(saved);
    json_decref(study);
    harness_table_free(table);
    free(text);
    free(again);
    assert_int_equal(t.runs, 10);
}

static void one_seed(void **state)
{
    trainer t = {0};
    json_t *study = NULL;
    parse("[complete]\nsteps = 5\n[no edges]\nedges = false\nsteps = 6\n");
    harness_table *table = run(&s, train, &t, &study);
    char *text = printed(table);
    assert_non_null(strstr(text, "\nOne seed says nothing of others, "));
    assert_true(fabs(number(study, 1, "difference") + 0.3) < 1e-12);
    assert_true(isnan(number(study, 1, "low")) && isnan(number(study, 1, "p")) &&
                isnan(number(study, 1, "spread")));
    free(text);
    json_decref(study);
    harness_table_free(table);
}

static void alike(void **state)
{
    static const char text[] = "[study]\nseeds = 1,2\n[a]\n[b]\nsteps = 7\n[c]\nloss = listmle\n"
                               "[d]\nedges = false\n[e]\nedges = false\n";
    static const char *const other[] = {"b", "a", NULL, "e", "d"};
    json_t *study = NULL;
    parse(text);
    harness_table *t = run(&s, train_alike, NULL, &study);
    char *page = printed(t);
    assert_non_null(
        strstr(page, "\nb: has all scores of a, so the study does not tell them apart\n"));
    assert_non_null(strstr(page, "\ne: has all scores of d, "));
    assert_null(strstr(page, "\nc: "));
    assert_null(strstr(page, "\nd: has"));
    free(page);
    harness_table_free(t);
    const json_t *tau = json_array_get(json_object_get(study, "measures"), 0),
                 *rows = json_object_get(tau, "variants");
    assert_int_equal(json_array_size(rows), 5);
    for (size_t i = 0; i < 5; i++) {
        json_t *equal = json_object_get(json_array_get(rows, i), "equal");
        assert_int_equal(json_array_size(equal), other[i] != NULL);
        if (other[i]) assert_string_equal(json_string_value(json_array_get(equal, 0)), other[i]);
    }
    json_decref(study);
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
    harness_table_free(run(&s, train, &t, NULL));
    assert_int_equal(harness_options_set(o, NULL, "loss", "listmle", &why), AG_OK);
    assert_null(run(&s, train, &t, NULL));
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
    assert_null(run(&later, train, &t, NULL));
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
        cmocka_unit_test_setup_teardown(one_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_the_largest_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_old_results, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
