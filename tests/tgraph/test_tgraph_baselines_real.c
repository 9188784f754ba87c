/* SPDX-License-Identifier: MIT */
/* Baselines on real files, if they are next to the project (../shared/data/tpugraphs); else
   skipped. AUGUR_FULL=1 adds the large one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/tgraph_made.h"

#ifndef AG_SOURCE_DIR
# define AG_SOURCE_DIR "."
#endif

/* tau-b of all baselines, NaN without scores. */
static int measure(double tau[TGRAPH_BASELINES], const char *file)
{
    tgraph_baseline_result r;
    char path[1000];
    ag_failure why = {0};
    tgraph_data_options options = tgraph_layout_defaults();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    options.dedup = TGRAPH_KEEP_FIRST;
    snprintf(path, sizeof path, "%s/../shared/data/tpugraphs/layout/xla/default/train/%s",
             AG_SOURCE_DIR, file);
    FILE *there = fopen(path, "rb");
    if (!there) {
        print_message("skipped: %s is not here\n", path);
        return 0;
    }
    fclose(there);
    tgraph_file *f = tgraph_file_open(path, &options, NULL, &why);
    if (!f) fail_msg("%s", why.sentence);
    assert_int_equal(tgraph_file_split(f, 0.8, 0, &why), AG_OK);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = tgraph_baseline_held(f);
    if (tgraph_baselines_run(&r, &train, 1, &held, 1, &o, &why)) fail_msg("%s", why.sentence);
    for (int k = 0; k < TGRAPH_BASELINES; k++) {
        const tgraph_baseline *b = &r.of[k];
        tau[k] = b->score ? measured(b, &held, HARNESS_TAU_B) : (double)NAN;
        print_message("%s, %-8s: tau-b %.4f, %.2f s; %s\n", r.name,
                      tgraph_baseline_name((tgraph_baseline_kind)k), tau[k], b->seconds, b->note);
    }
    tgraph_baselines_free(&r, 1);
    tgraph_file_close(f);
    return 1;
}

/* numpy over twelve splits: ridge 0.06 to 0.32. */
static void unet3d(void **state)
{
    (void)state;
    double tau[TGRAPH_BASELINES];
    if (!measure(tau, "unet3d.npz")) skip();
    assert_true(fabs(tau[TGRAPH_BASELINE_RANDOM]) < 0.15);
    assert_true(tau[TGRAPH_BASELINE_RIDGE] > 0.03 && tau[TGRAPH_BASELINE_RIDGE] < 0.35);
    if (harness_boosting_built()) assert_true(fabs(tau[TGRAPH_BASELINE_BOOSTING] - 0.90) < 0.03);
}

/* numpy over three splits: ridge 0.841 to 0.846. */
static void alexnet(void **state)
{
    (void)state;
    double tau[TGRAPH_BASELINES];
    if (!getenv("AUGUR_FULL") || !measure(tau, "alexnet_train_batch_32.npz")) skip();
    assert_true(fabs(tau[TGRAPH_BASELINE_RANDOM]) < 0.03);
    assert_true(fabs(tau[TGRAPH_BASELINE_RIDGE] - 0.844) < 0.008);
    if (harness_boosting_built()) assert_true(fabs(tau[TGRAPH_BASELINE_BOOSTING] - 0.897) < 0.015);
}

/* 848 configurable nodes in 1,000 configurations, whose run times are hidden: with made ones, rows
   and their counts stay within the limit, and all configurations get a score. */
static void many_nodes(void **state)
{
    (void)state;
    tgraph_baseline_result r;
    ag_failure why = {0};
    const tgraph_data_options options = tgraph_layout_defaults();
    tgraph_baseline_options o = tgraph_baseline_defaults();
    static const char path[] = AG_SOURCE_DIR "/../shared/data/tpugraphs/layout/nlp/random/test/"
                                             "23559853d9702baaaacbb0c83fd32266.npz";
    if (!harness_boosting_built()) skip();
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    tgraph_file *f = tgraph_file_open(path, &options, NULL, &why);
    if (!f) fail_msg("%s", why.sentence);
    for (int c = 0; c < f->configs; c++) f->runtime[c] = 1000000 + c * 7919 % 104729;
    f->has_runtimes = 1;
    const tgraph_baseline_part part = tgraph_baseline_train(f);
    o.rounds = o.additive_rounds = 2;
    o.most_cells = 1 << 15;
    run(&r, &part, 1, &part, 1, &o);
    int items, rows;
    const char *note = strstr(r.of[ADDITIVE].note, ": ");
    print_message("%s\n", r.of[ADDITIVE].note);
    assert_true(note &&
                sscanf(note, ": %d of 1000 configurations of 1 program, %d", &items, &rows) == 2);
    assert_in_range(items, 2, 999);
    assert_true(rows * TGRAPH_ROW_COLUMNS <= o.most_cells);
    for (int c = 0; c < f->configs; c++) assert_true(isfinite(r.of[ADDITIVE].score[c]));
    tgraph_baselines_free(&r, 1);
    tgraph_file_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unet3d), cmocka_unit_test(alexnet),
                                       cmocka_unit_test(many_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
