/* SPDX-License-Identifier: MIT */
/* Files of another source than those of training are told from held-out families. */
#include "examples/tgraph/data/data.h"
#include "support/tgraph_npz.h"
#include "support/program_call.h"
#include "support/program_files.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#define LAYOUTS AG_SOURCE_DIR "/examples/data/layout/"
#define REAL    AG_SOURCE_DIR "/../shared/data/tpugraphs/layout/"

static tgraph_file *open_file(const char *path)
{
    ag_failure why = {0};
    const tgraph_data_options options = tgraph_layout_defaults();
    tgraph_file *f = tgraph_file_open(path, &options, NULL, &why);
    if (!f) fail_msg("%s", why.sentence);
    return f;
}

/* Calls `use` with each file of a list. */
static void each_of(const char *list, void (*use)(tgraph_file *f, tgraph_scaler *s),
                    tgraph_scaler *s)
{
    char line[400], path[800];
    FILE *in = fopen(list, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (*line == '#') continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(path, sizeof path, LAYOUTS "%s", line);
        tgraph_file *f = open_file(path);
        use(f, s);
        tgraph_file_close(f);
    }
    fclose(in);
}

static void add(tgraph_file *f, tgraph_scaler *s)
{
    tgraph_scaler_add(s, f->graph.raw, AG_F32, f->graph.nodes);
}

static double far_of(const tgraph_file *f, const tgraph_scaler *s)
{
    return tgraph_graph_far(&f->graph, s) / (double)f->graph.nodes;
}

static void expect_near(tgraph_file *f, tgraph_scaler *s)
{
    if (far_of(f, s) > 0.45) fail_msg("%s: %g", f->path, far_of(f, s));
}

static void held_out_families_are_near(void **state)
{
    (void)state;
    tgraph_scaler s;
    glob_t real;
    tgraph_scaler_begin(&s, TGRAPH_NUMERIC);
    each_of(LAYOUTS "split-family.train.txt", add, &s);
    tgraph_scaler_end(&s);
    each_of(LAYOUTS "split-family.valid.txt", expect_near, &s);
    each_of(LAYOUTS "split-family.test.txt", expect_near, &s);
    if (glob(REAL "*/*/*/*.npz", 0, NULL, &real) != 0)
        print_message("skipped: files of TpuGraphs, which are not here\n");
    else
        for (size_t i = 0; i < real.gl_pathc; i++) {
            if (strstr(real.gl_pathv[i], "alexnet_train")) continue; /* takes seconds */
            tgraph_file *f = open_file(real.gl_pathv[i]);
            if (far_of(f, &s) < 0.7) fail_msg("%s: %g", f->path, far_of(f, &s));
            tgraph_file_close(f);
        }
    globfree(&real);
}

static void far_by_hand(void **state)
{
    (void)state;
    static float raw[3 * TGRAPH_NUMERIC];
    const tgraph_graph g = {.nodes = 3, .raw = raw};
    tgraph_scaler s;
    tgraph_scaler_begin(&s, TGRAPH_NUMERIC);
    for (int k = 0; k < TGRAPH_NUMERIC; k++) s.scale[k] = 1;
    s.mean[7] = 100;
    s.scale[7] = 2;
    for (int v = 0; v < 3; v++) raw[v * TGRAPH_NUMERIC + 7] = 100;
    assert_int_equal(tgraph_graph_far(&g, &s), 0);
    raw[7] = 120; /* ten deviations */
    raw[TGRAPH_NUMERIC + 133] = -10.5F;
    assert_int_equal(tgraph_graph_far(&g, &s), 1);
    raw[7] = 79;
    assert_int_equal(tgraph_graph_far(&g, &s), 2);
}

static void warning(void **state)
{
    (void)state;
    static const char sentence[] = "features far outside of those that run";
    program_write_layout("a.npz", 60, 0);
    program_expect("tgraph train --out run --hidden 16 --steps 1 --configs 8 --threads 1 --quiet "
                   "--no-baselines --data " LAYOUTS "split-random.valid.txt",
                   0, "", "");
    program_expect("tgraph eval --run run --no-baselines --data a.npz", 0, "a.npz", sentence);
    program_expect("tgraph predict --run run --data a.npz", 0, "a.npz", sentence);
    const program_outcome o = program_expect(
        "tgraph eval --run run --no-baselines --data " LAYOUTS "random/mlp_18.npz", 0, "mlp", "");
    assert_null(strstr(o.err, sentence));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_by_hand),
        cmocka_unit_test(held_out_families_are_near),
        cmocka_unit_test(warning),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
