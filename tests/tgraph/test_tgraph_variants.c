/* SPDX-License-Identifier: MIT */
/* Every option of the model and of the training: both values train, and they do not do the same. */
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL " --mode paper --hidden 16 --configs 8 --steps 4 --threads 1 --quiet --no-baselines"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 60, 0);
    program_write_tile("t.npz", 30, 0);
    program_write_tile("u.npz", 20, 1);
    return 0;
}

/* Trains a variant; its parameters are not those of the variants before it. */
static void expect_different(const char *data, const char *const *variants, int count)
{
    uint64_t *seen = calloc((size_t)count, sizeof *seen);
    char line[400];
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "tgraph train %s --out v --force" SMALL " %s", data,
                 variants[i]);
        program_expect(line, 0, "", "");
        char *rows = program_text_of("v/metrics.jsonl");
        seen[i] = program_hash_of("v/last.safetensors");
        /* the checkpoint holds the options, so the losses are compared */
        uint64_t hash = 5381;
        for (const char *c = rows; *c; c++) hash = hash * 33 + (unsigned char)*c;
        seen[i] = hash;
        free(rows);
        for (int k = 0; k < i; k++)
            if (seen[k] == seen[i]) {
                print_error("\"%s\" does the same as \"%s\"\n", variants[i], variants[k]);
                fail();
            }
    }
    free(seen);
}

static void layout_options(void **state)
{
    (void)state;
    static const char *const variants[] = {
        "",
        "--residual outside",
        "--aggregate sum",
        "--l2",
        "--message",
        "--no-cross-input",
        "--no-cross",
        "--no-halve",
        "--no-halve --no-cross-input",
        "--reduction sum",
        "--dropout 0",
        "--direction operands",
        "--direction both",
        "--no-channel",
        "--no-edges",
        "--loss logistic",
        "--loss listmle",
        "--margin 0.5",
        "--schedule constant",
        "--schedule linear",
        "--schedule exponential --decay-every 1",
        "--learning-rate 1e-2",
        "--warmup 0.5",
        "--clip 0.01",
        "--reduction sum --clip 0",
        "--weight-decay 1",
        "--weight-decay 1 --no-decay-biases",
        "--seed 3",
        "--no-prune",
        "--no-repad",
        "--log-features",
        "--configs 9",
        "--eval-configs 5",
        "--split-seed 1",
        "--tau a",
        "--steps 5",
        "--hidden 32",
    };
    expect_different("--data a.npz --split 0.8 --log-every 1", variants,
                     (int)(sizeof variants / sizeof *variants));
}

static void duplicates(void **state)
{
    (void)state;
    static const char *const variants[] = {"--dedup first", "--dedup fastest", "--dedup none"};
    /* the last configuration repeats the first with another run time, so all are drawn */
    program_write_layout("d.npz", 6, 0);
    expect_different("--data d.npz --valid a.npz --configs 8 --log-every 1", variants, 3);
}

static void tile_options(void **state)
{
    (void)state;
    static const char *const variants[] = {
        "",         "--dropout 0", "--no-channel",    "--no-edges", "--direction operands",
        "--l2",     "--message",   "--aggregate sum", "--no-cross", "--residual outside",
        "--seed 1", "--no-halve"};
    expect_different("--data t.npz --valid u.npz --log-every 1", variants,
                     (int)(sizeof variants / sizeof *variants));
}

static void epochs(void **state)
{
    (void)state;
    program_expect("tgraph train --data t.npz u.npz --epochs 3 --out e --quiet --hidden 16", 0,
                   "6 steps done", "");
}

/* The losses and learning rates of a training with these options. */
static char *rows_of(const char *options)
{
    char line[300];
    snprintf(line, sizeof line, "tgraph train --out r --force --log-every 1" SMALL " %s", options);
    program_expect(line, 0, "", "");
    return program_text_of("r/metrics.csv");
}

/* Without --learning-rate physical mode has one of its own. */
static void usual_rates(void **state)
{
    (void)state;
    static const struct {
        const char *data, *rate;
    } usual[] = {{"--data a.npz", "1e-3"},
                 {"--data t.npz --valid u.npz", "1e-3"},
                 {"--data a.npz --mode physical", "2e-3"}};
    for (int i = 0; i < 3; i++) {
        char given[128];
        snprintf(given, sizeof given, "%s --learning-rate %s", usual[i].data, usual[i].rate);
        char *one = rows_of(usual[i].data), *other = rows_of(given);
        assert_string_equal(one, other);
        free(one);
        free(other);
    }
}

/* The committed study names options that exist, with values that they have. */
static void committed_study(void **state)
{
    (void)state;
    program_outcome o =
        program_expect("tgraph ablate --study " AG_SOURCE_DIR
                       "/examples/tgraph/studies/ablations.ini --data a.npz "
                       "--split 0.8 --steps 1 --hidden 16 --configs 8 --out study --quiet",
                       0, "the paper", "");
    assert_non_null(strstr(o.out, "no cross-configuration attention"));
    assert_non_null(strstr(o.out, "ListMLE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_options),  cmocka_unit_test(duplicates),
        cmocka_unit_test(tile_options),    cmocka_unit_test(epochs),
        cmocka_unit_test(committed_study), cmocka_unit_test(usual_rates),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
