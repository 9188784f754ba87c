/* SPDX-License-Identifier: MIT */
/* The runs of a study, and the tables and the page that it writes. */
#include "support/test.h"
#include "core/error.h"
#include "examples/harness/model/model.h"
#include "support/study_demo.h"
#include "support/table_text.h"

#include <jansson.h>

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

typedef ag_status trainer(const demo_options *o, const char *folder, json_t *result,
                          ag_failure *why);

static int runs, resumed, fail_at; /* how often `train` was called, as what, and when it fails */

static ag_status train(const demo_options *o, const char *folder, json_t *result, ag_failure *why)
{
    const double seed = (double)o->common.seed;
    if (++runs == fail_at) return ag_fail(why, AG_EDATA, "the file is damaged");
    if (o->learning_rate == 10) return ag_fail(why, AG_EFINITE, "the loss of step 3 is nan");
    assert_int_equal(o->steps, o->edges ? 5 : 6);
    assert_non_null(
        strstr(folder, formatted("/%s/seed-%g", o->edges ? "complete" : "no-edges", seed)));
    put_scores(result, (o->edges ? 0.8 : 0.5) + 0.01 * seed * (o->edges ? 1 : 2), o->steps);
    return AG_OK;
}

static ag_status train_alike(const demo_options *o, const char *folder, json_t *result,
                             ag_failure *why)
{
    (void)folder;
    put_scores(result, o->edges ? (double)o->common.seed : 0, o->loss);
    if (!o->edges) json_object_set_new(json_object_get(result, "scores"), "tau", json_null());
    return why->status;
}

/* The linker calls this to train. */
static trainer *how;
ag_status __wrap_harness_train(harness_session *session, harness_run_mode mode, json_t *result,
                               ag_failure *why)
{
    resumed += mode == HARNESS_RESUME;
    return how((const demo_options *)session->settings, session->folder, result, why);
}

/* The table of the first measure; *json: what study.json holds, or NULL. */
static harness_table *run(const harness_study *study, trainer *with, json_t **json)
{
    const harness_call call = {
        .program = &demo, .options = o, .values = &values, .command_line = "demo ablate"};
    json_t *mine = NULL;
    how = with;
    values.common.out = files_folder;
    harness_table *table = harness_study_run(study, &call, json ? json : &mine, new_failure());
    json_decref(mine);
    return table;
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
    json_t *study = NULL;
    parse(study_text);
    fail_at = 5;
    assert_null(run(&s, train, NULL));
    assert_int_equal(last_failure()->status, AG_EDATA);
    assert_string_equal(last_failure()->sentence, "no edges, seed 3: the file is damaged");
    json_t *options = harness_options_json(o),
           *config = json_pack("{s:s,s:o}", "program", "demo", "options", options);
    json_object_set_new(options, "edges", json_false());
    json_object_set_new(options, "seed", json_integer(3));
    json_dump_file(config, files_path("no-edges/seed-3/config.json"), 0); /* as if interrupted */
    json_decref(config);
    fail_at = 0;
    harness_table *table = expect_made(run(&s, train, &study));
    expect_ok(last_failure()->status);
    check_numbers(study);
    check_files();
    char *text = table_text(harness_table_print, &table, 1);
    harness_table_free(table);
    json_decref(study);
    assert_int_equal(runs, 10); /* 9 and the one that failed: none was trained twice */
    assert_int_equal(resumed, 1);
    table = run(&s, train, &study);
    check_numbers(study);
    char *again = table_text(harness_table_print, &table, 1);
    assert_string_equal(again, text);
    json_t *saved = json_load_file(files_path("study.json"), 0, NULL);
    assert_true(json_equal(saved, study));
    json_decref(saved);
    json_decref(study);
    harness_table_free(table);
    free(text);
    free(again);
    assert_int_equal(runs, 10);
}

static void one_seed(void **state)
{
    json_t *study = NULL;
    parse("[complete]\nsteps = 5\n[no edges]\nedges = false\nsteps = 6\n");
    harness_table *table = run(&s, train, &study);
    char *text = table_text(harness_table_print, &table, 1);
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
    harness_table *t = run(&s, train_alike, &study);
    char *page = table_text(harness_table_print, &t, 1);
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

/* The scores of [a] lack a measure that [b] has, and the groups another one. */
static ag_status train_apart(const demo_options *o, const char *folder, json_t *result,
                             ag_failure *why)
{
    const char *more = strstr(folder, "/b/") ? "MAPE %" : "tau";
    (void)o;
    json_object_set_new(result, "scores", json_pack("{s:f, s:f}", "tau", 0.5, more, 0.25));
    json_object_set_new(result, "groups", json_pack("[{s:s, s:f}]", "group", "g", "MAPE %", 1.0));
    return why->status;
}

static void measures_of_some_variants(void **state)
{
    json_t *study = NULL;
    parse("[study]\nseeds = 1,2\n[a]\n[b]\n[c]\n");
    harness_table_free(run(&s, train_apart, &study));
    const json_t *list = json_object_get(study, "measures"), *second = json_array_get(list, 1),
                 *rows = json_object_get(second, "variants");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(second, "measure")), "MAPE %");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(json_is_number(json_object_get(json_array_get(rows, i), "mean")), i == 1);
    assert_true(number(study, 1, "difference") == 0.25); /* over seeds */
    json_decref(study);
}

/* A picture has HARNESS_LINES lines, and the page says which variants are not among them. */
static void many_variants(void **state)
{
    char text[500] = "[study]\nseeds = 1\n";
    for (int v = 0; v <= HARNESS_LINES; v++) strcat(text, formatted("[v%d]\n", v));
    parse(text);
    harness_table_free(run(&s, train_alike, NULL));
    char *page = files_text(files_folder, "study.html");
    assert_non_null(strstr(page, "checkpoint, of the first 24 of 25 variants: "));
    free(page);
}

static void refuses_old_results(void **state)
{
    const char *text = "[complete]\nsteps = 5";
    runs = 0;
    parse(text);
    assert_int_equal(s.seeds[0], 0); /* the default of --seed */
    harness_table_free(run(&s, train, NULL));
    expect_ok(harness_options_set(o, NULL, "loss", "listmle", new_failure()));
    expect_null(run(&s, train, NULL), AG_EUSE,
                "complete/seed-0/result.json was made with other options than the study asks for "
                "now; choose another --out, or delete that folder");
    assert_int_equal(runs, 1);
    /* and before another variant is trained */
    const char *more = "[no edges]\nedges = false\nsteps = 6\n[complete]\nsteps = 5";
    harness_study later = {0};
    expect_ok(harness_study_parse(&later, "s.ini", more, strlen(more), o, new_failure()));
    assert_null(run(&later, train, NULL));
    assert_int_equal(runs, 1);
    harness_study_free(&later);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, runs_and_reuses, one_seed, alike,
                          measures_of_some_variants, many_variants, refuses_old_results);
}
