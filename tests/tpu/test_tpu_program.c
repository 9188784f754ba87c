/* SPDX-License-Identifier: MIT */
/* Whole calls of tpu: the effects of the commands, and their sentences and exit codes. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <sys/stat.h>

#define SMALL                                                     \
 " --hidden 16 --embedding 8 --kernels 4 --steps 20 --threads 1 " \
 "--quiet --no-baselines"
#define TILES                                                                                     \
 " --data a_0_0000000a.npz a_0_0000000b.npz b_0_0000000c.npz --valid c_1_0000000d.npz --configs " \
 "4 --eval-every 10"
#define DATA   AG_SOURCE_DIR "/examples/data/fusion/"
#define FUSION " --data f_0.npz g_0.npz --valid h_1.npz --eval-every 10"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_tile("a_0_0000000a.npz", 30, 0);
    program_write_tile("a_0_0000000b.npz", 20, 1);
    program_write_tile("b_0_0000000c.npz", 10, 2);
    program_write_tile("c_1_0000000d.npz", 12, 3);
    program_write_fusion("f_0.npz", 20, 0);
    program_write_fusion("g_0.npz", 30, 1);
    program_write_fusion("h_1.npz", 15, 2);
    return 0;
}

/* ---- commands ---- */

static void tiles(void **state)
{
    program_outcome o = program_expect("tpu train --out tile --reduction lstm" TILES SMALL, 0,
                                       "Validation programs, best checkpoint\nprogram", "");
    assert_non_null(strstr(o.out, "\nc_1 "));
    assert_non_null(strstr(o.out, "APE % geometric mean"));
    program_expect_in("Mean over the programs", "tile/report.html");
    program_expect_in(",APE %,tau-b\n", "tile/metrics.csv");
    json_t *j =
        program_json("tpu eval --run tile --data a_0_0000000a.npz c_1_0000000d.npz --json", "");
    json_t *programs = json_object_get(j, "groups");
    assert_int_equal(json_array_size(programs), 2);
    json_t *model = json_object_get(json_array_get(programs, 0), "TPU model");
    assert_true(program_number(model, "APE %") >= 0);
    assert_true(fabs(program_number(model, "tau-b")) <= 1);
    program_number(json_object_get(json_object_get(j, "median"), "roofline"), "APE %");
    assert_int_equal(program_number(j, "runs"), 1);
    json_decref(j);
    o = program_expect("tpu eval --run tile --data a_0_0000000a.npz c_1_0000000d.npz", 0,
                       "TPU model APE %  roofline APE %", "");
    assert_non_null(strstr(o.out, "\ngeometric mean"));
    for (char *line = strtok(o.out, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, ": ")) break; /* the description of the baselines has any length */
        assert_true(strlen(line) <= 110);
    }
}

static void fusion(void **state)
{
    const program_outcome o =
        program_expect("tpu train --out fusion" FUSION SMALL, 0, "MAPE % of all", "");
    assert_non_null(strstr(o.out, "kernels of at least 5 us"));
    assert_non_null(strstr(o.out, "  counted  MAPE %"));
    json_t *j =
        program_json("tpu eval --run fusion --data h_1.npz g_0.npz --json --no-baselines", "");
    const json_t *mean = program_mean(j, "TPU model");
    assert_true(program_number(mean, "MAPE %") > 0 && program_number(mean, "MAPE % of all") > 0);
    program_number(mean, "tau-b of all");
    json_decref(j);
    /* without a bound both are the same */
    j = program_json("tpu eval --run fusion --data h_1.npz --json --no-baselines --least 0", "");
    mean = program_mean(j, "TPU model");
    assert_true(program_number(mean, "MAPE %") == program_number(mean, "MAPE % of all"));
    json_decref(j);
    program_expect("tpu eval --run fusion --data h_1.npz --no-baselines --least 99999999", 0,
                   "99999.999 us", "");
}

/* A tile file far from the training files, with equal tile sizes. */
static void far_and_alike(void **state)
{
    test_tile t;
    test_tile_make(&t);
    for (int k = 0; k < 134; k++) t.node_feat[0][k] = t.node_feat[1][k] = 1e6F;
    for (int c = 1; c < 3; c++) memcpy(t.config[c], t.config[0], sizeof t.config[0]);
    snprintf(test_path, sizeof test_path, "%s/same.npz", test_folder);
    assert_true(test_arrays_write(test_path, t.array, t.arrays));
    program_outcome o = program_expect(
        "tpu predict --run tile --data same.npz", 0, "\"same\",2,",
        "of the nodes of same, 100 % have features far outside of those that tile/best.safetensors "
        "was trained on (beyond the range by more than a quarter of it)");
    assert_non_null(strstr(o.err, "all 3 scores of same are equal, so they say nothing about the "
                                  "order: its tile sizes do not differ\n"));
    snprintf(test_path, sizeof test_path, "%s/more.npz", test_folder);
    assert_true(test_arrays_write(test_path, t.array, t.arrays));
    program_expect("tpu predict --run tile --data same.npz more.npz", 0, "",
                   "of the nodes of same and of 1 more program, 100 % or more have features");
    o = program_expect("tpu predict --run tile --data a_0_0000000a.npz", 0, "", "");
    assert_string_equal(o.err, "");
}

/* Fusion files of one name are two programs. */
static void two_of_a_name(void **state)
{
    assert_int_equal(mkdir(test_file("other"), 0700), 0);
    program_write_fusion("other/f_0.npz", 7, 4);
    const program_outcome o = program_expect(
        "tpu predict --run fusion --data f_0.npz other/f_0.npz", 0, "\n\"other/f_0\",6,", "");
    assert_true(strstr(o.out, "\n\"f_0\",19,") && !strstr(o.out, "\"other/f_0\",7,"));
}

/* If the run's files have moved there is nothing to fit to, which is reported. */
static void fits(void **state)
{
    program_write_fusion("gone.npz", 20, 0);
    program_expect("tpu train --data gone.npz --out moved" SMALL, 0, "", "");
    program_expect("tpu eval --run moved --data h_1.npz", 0, "roofline", "");
    program_write_fusion("gone.npz", 21, 0);
    program_outcome o = program_expect("tpu eval --run moved --data h_1.npz", 0, "TPU model",
                                       "there are no baselines");
    assert_null(strstr(o.out, "roofline"));
    program_expect("tpu eval --run moved --data h_1.npz --fit f_0.npz g_0.npz", 0, "roofline", "");
    program_expect("tpu eval --run moved --data h_1.npz --fit a_0_0000000a.npz", 2, "",
                   "--fit names files of another kind");
    /* one limit for both */
    program_expect("tpu eval --run moved --data " DATA "lstm_0.npz --fit f_0.npz --ram-limit 1M", 0,
                   "roofline", "");
    program_expect("tpu eval --run moved --data " DATA "lstm_0.npz --fit " DATA
                   "train_resnet_0.npz --ram-limit 1M",
                   5, "", "raise --ram-limit");
}

/* The run of an earlier version, which had the model of nests. */
static void runs_of_nests(void **state)
{
    json_t *config = json_load_file(test_file("tile/config.json"), 0, NULL);
    assert_non_null(config);
    json_object_set_new(json_object_get(config, "options"), "reduction", json_string("nests"));
    assert_int_equal(json_dump_file(config, test_file("tile/config.json"), 0), 0);
    json_decref(config);
    program_expect("tpu eval --run tile --data a_0_0000000a.npz", 3, "", "\"nests train\" now");
}

static void inspecting(void **state)
{
    program_expect("tpu inspect a_0_0000000a.npz a_0_0000000b.npz", 0,
                   "Tile sizes: 2 kernels of 1 programs of 1 families in 2 files", "");
    json_t *j = program_json("tpu inspect --json f_0.npz g_0.npz", "");
    assert_int_equal(json_array_size(j), 2);
    assert_int_equal(program_number(json_array_get(j, 1), "kernels"), 30);
    assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "family")), "f");
    json_decref(j);

    /* A name that is not UTF-8 cannot be typed as a path, but a folder may hold it. */
    const char *folder = test_file("folder");
    assert_int_equal(mkdir(folder, 0700), 0);
    program_write_tile("folder/b\xff_1_0000000a.npz", 3, 0);
    j = program_json("tpu inspect --json folder", "");
    const char *name = json_string_value(json_object_get(json_array_get(j, 0), "program"));
    assert_non_null(name);
    assert_string_equal(name, "b?_1");
    json_decref(j);
}

/* ---- wrong uses ---- */

static void wrong_files(void **state)
{
    program_expect("tpu train --data a_0_0000000a.npz --valid f_0.npz --out x" SMALL, 2, "",
                   "different kinds of files");
}

static void wrong_options(void **state)
{
    program_expect("tpu train --out x --loss logistic" FUSION SMALL, 2, "", "take --loss squared");
    program_expect("tpu train --out x --preset sage-lstm-tile" FUSION SMALL, 2, "",
                   "--preset sage-lstm-tile is a model for tile files, but --data names fusion "
                   "files; take --preset sage-lstm-fusion, or name tile files");
    program_expect("tpu train --out x --preset none-transformer-fusion" TILES SMALL, 2, "",
                   "--preset none-transformer-fusion is a model for fusion files, but --data names "
                   "tile files; take --preset none-transformer-tile, or name fusion files");
    program_expect("tpu train --out x --reduction transformer --attention-heads 5" TILES SMALL, 2,
                   "", "--hidden is 16, which is not a multiple of --attention-heads 5");
}

/* Run times that are all 0 are hidden: they can be predicted, not learned or scored. */
static void hidden_run_times(void **state)
{
    test_tile t;
    test_tile_make(&t);
    memset(t.runtime, 0, sizeof t.runtime);
    assert_true(test_arrays_write(test_file("z_0_00000001.npz"), t.array, t.arrays));
    program_expect("tpu train --data z_0_00000001.npz --out x" SMALL, 2, "",
                   "run times are hidden");
    program_expect("tpu eval --run tile --data z_0_00000001.npz", 3, "",
                   "their run times are hidden");
    program_expect("tpu predict --run tile --data z_0_00000001.npz", 0, "\"z_0_00000001\",0,", "");
    const program_outcome o = program_expect("tpu inspect z_0_00000001.npz", 0, "z_0", "");
    assert_null(strstr(o.out, "0.000")); /* no run time of 0 */
    /* among other kernels they are skipped */
    program_expect("tpu eval --run tile --data z_0_00000001.npz c_1_0000000d.npz --no-baselines", 0,
                   "c_1", "");
    program_expect("tpu train --out x2 --data a_0_0000000a.npz z_0_00000001.npz --valid "
                   "z_0_00000001.npz" SMALL,
                   2, "", "--valid: the run times of all 1 kernels are hidden");
    /* nor can kernels that do not count choose a checkpoint */
    program_expect("tpu train --out x2 --least 99999999" FUSION SMALL, 2, "",
                   "--valid: none of the 15 kernels takes at least --least 99999999 ns");
}

static void wrong_runs(void **state)
{
    program_expect("tpu predict --run tile --data f_0.npz", 2, "", "a model for tile files");
    program_expect("tpu eval --run fusion --data a_0_0000000a.npz", 2, "",
                   "a model for fusion files");
    program_expect("tpu eval --run fusion --ensemble tile --data f_0.npz", 2, "",
                   "tile/best.safetensors holds a model for tile files");
}

static void studies(void **state)
{
    /* a variant may be a model by name; options after the name override it */
    program_write_text("names.ini",
                       "[study]\nsteps = 2\nconfigs = 4\n[a]\npreset = none-lstm-tile\n"
                       "hidden = 16\n[b]\nhidden = 24\n");
    program_expect("tpu ablate --study names.ini --out names --kernels 4 --quiet --data "
                   "a_0_0000000a.npz a_0_0000000b.npz --valid c_1_0000000d.npz",
                   0, "\nb ", "");
    program_expect_in("\"gnn\": \"none\"", "names/a/seed-0/config.json");
    program_expect_in("\"hidden\": 16", "names/a/seed-0/config.json");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, tiles, fusion, far_and_alike,
                          two_of_a_name, fits, inspecting, wrong_files, wrong_options,
                          hidden_run_times, wrong_runs, studies, runs_of_nests);
}
