/* SPDX-License-Identifier: MIT */
/* Baselines on real files, if they are next to the project (../shared/data/tpugraphs); else
   skipped. AUGUR_FULL=1 adds the large one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "examples/tgraph/baseline/baselines.h"

#ifndef AG_SOURCE_DIR
# define AG_SOURCE_DIR "."
#endif

static int measure(tgraph_baseline_result *r, const char *file)
{
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
    if (tgraph_baselines_run(r, &train, 1, &held, 1, &o, &why)) fail_msg("%s", why.sentence);
    for (int k = 0; k < TGRAPH_BASELINES; k++)
        print_message("%s, %-8s: tau-b %.4f, opa %.4f, %.1f %% tied, %.2f s; %s\n", r->name,
                      tgraph_baseline_name((tgraph_baseline_kind)k), r->of[k].tau, r->of[k].opa,
                      100 * r->of[k].tied, r->of[k].seconds, r->of[k].note);
    tgraph_baselines_free(r, 1);
    tgraph_file_close(f);
    return 1;
}

/* numpy over twelve splits: ridge 0.06 to 0.32. */
static void unet3d(void **state)
{
    (void)state;
    tgraph_baseline_result r;
    if (!measure(&r, "unet3d.npz")) skip();
    assert_true(fabs(r.of[TGRAPH_BASELINE_RANDOM].tau) < 0.15);
    assert_true(r.of[TGRAPH_BASELINE_RIDGE].tau > 0.03 && r.of[TGRAPH_BASELINE_RIDGE].tau < 0.35);
    if (harness_boosting_built())
        assert_true(fabs(r.of[TGRAPH_BASELINE_BOOSTING].tau - 0.90) < 0.03);
}

/* numpy over three splits: ridge 0.841 to 0.846. */
static void alexnet(void **state)
{
    (void)state;
    tgraph_baseline_result r;
    if (!getenv("AUGUR_FULL") || !measure(&r, "alexnet_train_batch_32.npz")) skip();
    assert_true(fabs(r.of[TGRAPH_BASELINE_RANDOM].tau) < 0.03);
    assert_true(fabs(r.of[TGRAPH_BASELINE_RIDGE].tau - 0.844) < 0.008);
    if (harness_boosting_built())
        assert_true(fabs(r.of[TGRAPH_BASELINE_BOOSTING].tau - 0.897) < 0.015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unet3d), cmocka_unit_test(alexnet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
