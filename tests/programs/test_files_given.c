/* SPDX-License-Identifier: MIT */
/* Files as options of tpu and tgraph name them: a file that is named twice is used once, and files
   that were trained on give a warning. */
#define _GNU_SOURCE
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SMALL " --hidden 16 --kernels 4 --steps 4 --no-baselines"

static int make_files(void **state)
{
    char path[300];
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_fusion("f_0.npz", 20, 0);
    program_write_fusion("g_0.npz", 30, 1);
    program_write_fusion("h_1.npz", 15, 2);
    program_write_layout("a.npz", 20, 0);
    program_write_layout("b.npz", 20, 1);
    snprintf(path, sizeof path, "%s/link.npz", test_folder);
    if (symlink("a.npz", path)) return -1;
    snprintf(path, sizeof path, "%s/both.txt", test_folder);
    FILE *list = fopen(path, "w");
    fputs("./f_0.npz\ng_0.npz\n", list);
    return fclose(list);
}

static int times(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

static void expect_silence(const char *line)
{
    const program_outcome o = program_expect(line, 0, "", "");
    assert_null(strstr(o.err, "more than once"));
    assert_null(strstr(o.err, "trained on"));
}

static void a_file_counts_once(void **state)
{
    (void)state;
    program_outcome o =
        program_expect("tpu inspect f_0.npz both.txt", 0, "50 kernels of 2 programs",
                       "--data names f_0.npz more than once; it counts once\n");
    o = program_expect("tpu inspect both.txt g_0.npz f_0.npz h_1.npz f_0.npz", 0, "in 3 files",
                       "--data names 2 files more than once, ");
    assert_int_equal(times(o.err, "more than once"), 1);
    expect_silence("tpu inspect f_0.npz g_0.npz");
    o = program_expect("tgraph inspect a.npz link.npz --json", 0, "[",
                       "--data names a.npz more than once");
    assert_null(strstr(o.out, "link"));
    /* each option separately; the training is the same as without the second name */
    o = program_expect("tpu train --out twice --data f_0.npz both.txt --valid h_1.npz f_0.npz "
                       "./h_1.npz" SMALL,
                       0, "", "--data names f_0.npz more than once");
    assert_non_null(strstr(o.err, "--valid names h_1.npz more than once"));
    assert_int_equal(times(o.err, "more than once"), 2);
    program_expect("tpu train --out once --data f_0.npz g_0.npz --valid h_1.npz f_0.npz" SMALL, 0,
                   "", "");
    assert_true(program_hash_of("once/metrics.csv") == program_hash_of("twice/metrics.csv"));
    program_expect("tgraph train --data a.npz b.npz link.npz --valid b.npz --out folds --folds 3 "
                   "--hidden 16 --steps 2",
                   2, "", "--folds, --split and --valid");
    program_expect("tgraph train --data a.npz b.npz link.npz --out folds --folds 3 --hidden 16 "
                   "--steps 2",
                   2, "", "--folds is 3, but 2 files can be cut into 2 to 2 folds");
}

static void files_of_training_are_told(void **state)
{
    (void)state;
    program_outcome o =
        program_expect("tpu train --out same --data f_0.npz g_0.npz --valid h_1.npz "
                       "f_0.npz" SMALL,
                       0, "",
                       "--valid: a file with the name of f_0.npz was trained on; "
                       "its scores may say little about others");
    assert_int_equal(times(o.err, "trained on"), 1);
    expect_silence("tpu train --out apart --data f_0.npz g_0.npz --valid h_1.npz" SMALL);
    expect_silence("tpu eval --run same --data h_1.npz");
    program_expect("tpu eval --run same --data h_1.npz g_0.npz", 0, "",
                   "--data: a file with the name of g_0.npz was trained on");
    program_expect("tpu train --out other --data h_1.npz" SMALL, 0, "", "");
    program_expect("tpu eval --run other --ensemble same --data both.txt --no-baselines", 0, "",
                   "--data: 2 files, ./f_0.npz among them, have the names of files that were "
                   "trained on");
    o = program_expect("tpu predict --run same --data g_0.npz", 0, "", "");
    assert_string_equal(o.err, "");
    program_expect("tgraph train --out tg --data a.npz b.npz --valid a.npz --hidden 16 --steps 2 "
                   "--no-baselines",
                   0, "", "--valid: a file with the name of a.npz was trained on");
    expect_silence("tgraph train --out tg2 --data a.npz --valid b.npz --hidden 16 --steps 2 "
                   "--no-baselines");
}

/* A file that is gone from its place is known by the name that --data gave it. */
static void files_that_moved_are_told(void **state)
{
    char from[300], to[300];
    (void)state;
    program_write_fusion("moves_0.npz", 20, 0);
    program_expect("tpu train --out moved --data moves_0.npz" SMALL, 0, "", "");
    snprintf(from, sizeof from, "%s/moves_0.npz", test_folder);
    snprintf(to, sizeof to, "%s/moved/moves_0.npz", test_folder);
    assert_int_equal(rename(from, to), 0);
    program_expect("tpu eval --run moved --data moved/moves_0.npz --no-baselines", 0, "",
                   "a file with the name of moved/moves_0.npz was trained on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_counts_once),
        cmocka_unit_test(files_of_training_are_told),
        cmocka_unit_test(files_that_moved_are_told),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
