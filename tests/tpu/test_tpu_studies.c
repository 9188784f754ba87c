/* SPDX-License-Identifier: MIT */
/* Studies of tpu. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/program.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TILES " --data a_0_0000000a.npz a_0_0000000b.npz --valid c_1_0000000d.npz"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_tile("a_0_0000000a.npz", 30, 0);
    program_write_tile("a_0_0000000b.npz", 20, 1);
    program_write_tile("c_1_0000000d.npz", 12, 3);
    return 0;
}

static void studies(void **state)
{
    (void)state;
    /* a variant may be a model by name; options after the name override it */
    program_write_text("names.ini",
                       "[study]\nsteps = 2\nconfigs = 4\n[a]\npreset = none-lstm-tile\n"
                       "hidden = 16\n[b]\nhidden = 24\n");
    program_expect("tpu ablate --study names.ini --out names --kernels 4 --quiet" TILES, 0, "\nb ",
                   "");
    char *config = program_text_of("names/a/seed-0/config.json");
    assert_non_null(strstr(config, "\"gnn\": \"none\""));
    assert_non_null(strstr(config, "\"hidden\": 16"));
    free(config);
}

/* The studies that come with the program use its options as they are. */
static void studies_in_the_sources(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int variants;
    } study[] = {{"table3", 6}, {"table3-fusion", 4}, {"table4-small", 12}};
    for (int i = 0; i < 3; i++) {
        char path[1024];
        tpu_settings s;
        ag_failure why = {0};
        harness_study plan = {0};
        harness_options *o = harness_options_new(&tpu_program_table, HARNESS_ABLATE, &s);
        snprintf(path, sizeof path, AG_SOURCE_DIR "/examples/tpu/studies/%s.ini", study[i].file);
        if (harness_study_load(&plan, path, o, &why)) fail_msg("%s", why.sentence);
        assert_int_equal(bag_count(plan.variants), study[i].variants);
        assert_int_equal(bag_count(plan.seeds), 3);
        harness_study_free(&plan);
        harness_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(studies),
                                       cmocka_unit_test(studies_in_the_sources)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
