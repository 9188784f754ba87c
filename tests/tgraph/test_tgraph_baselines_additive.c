/* SPDX-License-Identifier: MIT */
/* Additive trees on files of examples/data, and on made ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/tgraph_made.h"

#ifndef AG_SOURCE_DIR
# define AG_SOURCE_DIR "."
#endif

enum { TRAINS = 24, SCORED = 8 };

/* ---- examples/data ---- */

/* Opens every n-th file of a list. */
static void open_some(tgraph_file **file, tgraph_baseline_part *part, const char *list, int every,
                      int count)
{
    static char path[TRAINS + SCORED][600];
    static int paths;
    char line[200];
    const tgraph_data_options options = tgraph_layout_defaults();
    ag_failure why = {0};
    snprintf(path[paths], sizeof *path, "%s/examples/data/layout/%s", AG_SOURCE_DIR, list);
    FILE *in = fopen(path[paths], "r");
    assert_non_null(in);
    for (int at = 0, n = 0; n < count && fgets(line, sizeof line, in);) {
        if (*line == '#' || at++ % every != 0) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(path[paths], sizeof *path, "%s/examples/data/layout/%s", AG_SOURCE_DIR, line);
        file[n] = tgraph_file_open(path[paths++], &options, NULL, &why);
        if (!file[n]) fail_msg("%s", why.sentence);
        part[n] = tgraph_baseline_train(file[n]);
        n++;
    }
    fclose(in);
}

static double mean_tau(const tgraph_baseline_result *r, int kind, const tgraph_baseline_part *part)
{
    double sum = 0;
    for (int i = 0; i < SCORED; i++) sum += measured(&r[i].of[kind], &part[i], HARNESS_TAU_B);
    return sum / SCORED;
}

/* With few programs already, trees that know what a layout does to the loops of a node rank those
   of another program far better than columns of digits do. */
static void lab_programs(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_file *learned[TRAINS], *other[SCORED];
    tgraph_baseline_part train[TRAINS], part[SCORED];
    tgraph_baseline_result r[SCORED];
    open_some(learned, train, "split-random.train.txt", 20, TRAINS);
    open_some(other, part, "split-random.valid.txt", 9, SCORED);
    run(r, train, TRAINS, part, SCORED, &o);
    const double additive = mean_tau(r, ADDITIVE, part), boosting = mean_tau(r, BOOSTING, part);
    print_message("additive trees %.3f in %.1f s, boosting %.3f, ridge %.3f; %s\n", additive,
                  SCORED * r->of[ADDITIVE].seconds, boosting, mean_tau(r, RIDGE, part),
                  r->of[ADDITIVE].note);
    assert_true(additive > 0.873 && additive < 0.913 && additive > boosting + 0.3); /* 0.893 */
    tgraph_baselines_free(r, SCORED);

    /* Programs without run times teach nothing, but are ranked. */
    for (int i = 1; i < TRAINS; i++) learned[i]->has_runtimes = 0;
    for (int i = 0; i < SCORED; i++) other[i]->has_runtimes = 0;
    o.additive_rounds = 2;
    run(r, train, TRAINS, part, SCORED, &o);
    assert_non_null(strstr(r->of[ADDITIVE].note, "of 1 program,"));
    assert_non_null(strstr(r->of[ADDITIVE].note, "2 trees of depth"));
    for (int i = 0; i < SCORED; i++) assert_non_null(r[i].of[ADDITIVE].score);
    tgraph_baselines_free(r, SCORED);
    for (int i = 0; i < TRAINS; i++) tgraph_file_close(learned[i]);
    for (int i = 0; i < SCORED; i++) tgraph_file_close(other[i]);
}

/* ---- made files ---- */

/* The innermost axis of the made nodes makes all of their run time. */
static void time_of_innermost(tgraph_file *f)
{
    for (int c = 0; c < f->configs; c++) {
        int32_t row[TGRAPH_DIGITS];
        double time = 1e6;
        for (int v = 0; v < NODES; v++) {
            tgraph_unpack(row, f->store.word + (c * NODES + v) * TGRAPH_WORDS);
            time += f->physical.operation[2 * v + 1].size[3] * (row[0] == 2 + 3 ? 1e3 : 1e5);
        }
        f->runtime[c] = (int64_t)time;
    }
}

static void limits(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f[3];
    tgraph_baseline_part part[3];
    for (int i = 0; i < 3; i++) {
        f[i] = make_file(400, (uint64_t)i, 0);
        time_of_innermost(f[i]);
        part[i] = tgraph_baseline_train(f[i]);
    }
    run(&r, part, 2, part + 2, 1, &o);
    assert_non_null(strstr(r.of[ADDITIVE].note, "800 of 800 configurations of 2 programs"));
    assert_true(measured(&r.of[ADDITIVE], part + 2, HARNESS_OPA) > 0.97);
    tgraph_baselines_free(&r, 1);
    o.most_rows = 300;
    run(&r, part, 2, part + 2, 1, &o);
    assert_non_null(strstr(r.of[ADDITIVE].note, "300 of 800 configurations"));
    tgraph_baselines_free(&r, 1);
    /* 4 nodes and their copies are 4 to 8 counts of rows for each configuration. */
    o.most_cells = 1100;
    run(&r, part, 2, part + 2, 1, &o);
    int items, rows;
    const char *note = strstr(r.of[ADDITIVE].note, ": ");
    assert_int_equal(sscanf(note, ": %d of 800 configurations of 2 programs, %d", &items, &rows),
                     2);
    assert_true(items >= 4 && items <= 1100 / 4 && rows * TGRAPH_ROW_COLUMNS <= 1100);
    tgraph_baselines_free(&r, 1);
    o.most_cells = 200; /* two of each are read in any case */
    run(&r, part, 2, part + 2, 1, &o);
    assert_non_null(strstr(r.of[ADDITIVE].note, "4 of 800 configurations"));
    tgraph_baselines_free(&r, 1);
    for (int i = 0; i < 3; i++) tgraph_file_close(f[i]);
}

/* Within a file its own training part alone is learned from. */
static void own_part(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(400, 1, 0);
    time_of_innermost(f);
    split(f);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = tgraph_baseline_held(f);
    run(&r, &train, 1, &held, 1, &o);
    assert_non_null(strstr(r.of[ADDITIVE].note, "320 of 320 configurations of 1 program"));
    assert_true(measured(&r.of[ADDITIVE], &held, HARNESS_OPA) > 0.97);
    tgraph_baselines_free(&r, 1);
    tgraph_file_close(f);
}

static void tiles_have_none(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_tile t = make_tile(40, 1);
    tgraph_baseline_part part = tgraph_baseline_tile(&t);
    run(&r, &part, 1, &part, 1, &o);
    assert_null(r.of[ADDITIVE].score);
    assert_memory_equal(r.of[ADDITIVE].note, "for layout files alone", 22);
    tgraph_baselines_free(&r, 1);
    free_tile(&t);
}

/* A program whose nests are all empty: all of its configurations tie. */
static void no_loops(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f[2] = {make_file(40, 1, 0), make_file(40, 2, 0)};
    tgraph_baseline_part part[2] = {tgraph_baseline_train(f[0]), tgraph_baseline_train(f[1])};
    f[1]->physical.count = 0;
    run(&r, part, 1, part + 1, 1, &o);
    for (int c = 0; c < 40; c++) assert_true(r.of[ADDITIVE].score[c] == r.of[ADDITIVE].score[0]);
    tgraph_baselines_free(&r, 1);
    run(&r, part + 1, 1, part, 1, &o); /* nothing to learn from it */
    assert_null(r.of[ADDITIVE].score);
    assert_non_null(strstr(r.of[ADDITIVE].note, "0 rows to learn from"));
    tgraph_baselines_free(&r, 1);
    for (int i = 0; i < 2; i++) tgraph_file_close(f[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lab_programs),    cmocka_unit_test(limits),   cmocka_unit_test(own_part),
        cmocka_unit_test(tiles_have_none), cmocka_unit_test(no_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
