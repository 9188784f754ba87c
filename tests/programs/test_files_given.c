/* SPDX-License-Identifier: MIT */
/* Files as options of tpu and tgraph name them: a file that is named twice is used once, files that
   were trained on give a warning, and what is no such file is named. */
#include "support/test.h"
#include "support/program_files.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <unistd.h>

#define SMALL " --hidden 16 --kernels 4 --steps 4 --no-baselines"

static int make_files(void **state)
{
    if (program_models_make(state)) return -1;
    program_write_text("both.txt", "./f_0.npz\ng_0.npz\n");
    return symlink("a.npz", test_file("link.npz"));
}

static void expect_silence(const char *line)
{
    const program_outcome o = program_expect(line, 0, "", "");
    assert_null(strstr(o.err, "more than once"));
    assert_null(strstr(o.err, "trained on"));
}

static void a_file_counts_once(void **state)
{
    program_outcome o = program_expect("tpu inspect both.txt g_0.npz f_0.npz h_1.npz f_0.npz", 0,
                                       "in 3 files", "--data names 2 files more than once, ");
    assert_int_equal(program_count(o.err, "more than once"), 1);
    expect_silence("tpu inspect f_0.npz g_0.npz");
    o = program_expect("tgraph inspect a.npz link.npz --json", 0, "[",
                       "--data names a.npz more than once; it counts once\n");
    assert_null(strstr(o.out, "link"));
    /* each option separately */
    o = program_expect("tpu train --out twice --data f_0.npz both.txt --valid h_1.npz f_0.npz "
                       "./h_1.npz" SMALL,
                       0, "", "--data names f_0.npz more than once");
    assert_non_null(strstr(o.err, "--valid names h_1.npz more than once"));
    assert_int_equal(program_count(o.err, "more than once"), 2);
}

static void files_of_training_are_told(void **state)
{
    program_outcome o =
        program_expect("tpu train --out same --data f_0.npz g_0.npz --valid h_1.npz "
                       "f_0.npz" SMALL,
                       0, "",
                       "--valid: a file with the name of f_0.npz was trained on; "
                       "its scores may say little about others");
    assert_int_equal(program_count(o.err, "trained on"), 1);
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
    program_expect("tgraph train --out tg --data a.npz b.npz --valid a.npz --steps 2 "
                   "--no-baselines",
                   0, "", "--valid: a file with the name of a.npz was trained on");
    expect_silence("tgraph train --out tg2 --data a.npz --valid b.npz --steps 2 "
                   "--no-baselines");
}

/* A file that is gone from its place is known by the name that --data gave it. */
static void files_that_moved_are_told(void **state)
{
    program_write_fusion("moves_0.npz", 20, 0);
    program_expect("tpu train --out moved --data moves_0.npz" SMALL, 0, "", "");
    assert_int_equal(rename(test_file("moves_0.npz"), test_file("moved/moves_0.npz")), 0);
    program_expect("tpu eval --run moved --data moved/moves_0.npz --no-baselines", 0, "",
                   "a file with the name of moved/moves_0.npz was trained on");
}

/* A pointer of Git LFS in place of any file that is read: by name, in a list, as options,
   study or checkpoint. */
static void usual_wrong_files_are_named(void **state)
{
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n";
    static const char *const names[] = {"lfs.npz", "lfs.txt", "lfs.ini"};
    static const char *const lines[] = {
        "tpu inspect lfs.npz",          "tgraph inspect lfs.npz",
        "tpgnn inspect lfs.npz",        "tpu inspect lfs.txt",
        "tpu inspect --config lfs.ini", "tpu ablate --data f_0.npz --out ab --study lfs.ini",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) program_write_text(names[i], pointer);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        program_expect(lines[i], 3, "",
                       "is a pointer of Git LFS, not the file itself; run git lfs");
    program_expect("tpu train --out net --data f_0.npz" SMALL, 0, "", "");
    program_write_text("manifest.json", pointer);
    program_expect(
        "tpu eval --run net --data f_0.npz --no-baselines", 0, "",
        "manifest.json is a pointer of Git LFS, not the file itself; run git lfs pull in "
        "its repository; without it there are no noise ceilings");
    program_write_text("net/best.safetensors", pointer);
    program_expect("tpu predict --run net --data f_0.npz", 3, "",
                   "net/best.safetensors is a pointer of Git LFS");
    program_write_text("net/config.json", "<!DOCTYPE html>\n<html>");
    program_expect("tpu predict --run net --data f_0.npz", 3, "",
                   "net/config.json is a web page or XML");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, a_file_counts_once,
                          files_of_training_are_told, files_that_moved_are_told,
                          usual_wrong_files_are_named);
}
