/* SPDX-License-Identifier: MIT */
/* The folders of the lab's data sets: a second call keeps or completes the files that exist. */
#include "support/test.h"
#include "examples/lab/collect/stored.h"
#include "support/lab_arrays.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kernels of a program that were kept stay as they are when others are tried again. */
static void dropped_kernels_are_tried_again(void **state)
{
    static const char line[] = "lab tile --out dt --families mlp --programs 1 --configs 8 "
                               "--kernels 3" ROUGH;
    static char names[64][128];
    program_expect(line, 0, "", "files written");
    const int files = list_files(names, "dt", ".npz");
    assert_in_range(files, 2, 3);
    const char *kept = formatted("dt/%s.npz", names[0]),
               *dropped = formatted("dt/%s.npz", names[1]);
    const uint64_t before = program_hash_of(kept);
    json_t *root = json_load_file("dt/manifest.json", 0, NULL);
    json_object_set_new(json_object_get(json_object_get(root, "files"), names[1]), "dropped",
                        json_true());
    assert_int_equal(json_dump_file(root, "dt/manifest.json", 0), 0);
    json_decref(root);
    assert_int_equal(unlink(dropped), 0);
    program_expect(line, 0, "", "1 files written");
    assert_int_equal(list_files(names, "dt", ".npz"), files);
    assert_int_equal(access(dropped, F_OK), 0);
    assert_true(program_hash_of(kept) == before);
    program_expect(line, 0, "", "1 of them had their file");
}

/* A program's files are of one kind: the same options, or another folder. */
static void other_options_are_refused(void **state)
{
#define OF BRIEF " --quiet"
    program_expect("lab layout --out o --families mlp --programs 1 --configs 16 --noise 1e8" OF, 0,
                   "", "");
    static const char *const bad[][2] = {
        {"--programs 2 --configs 17 --noise 1e9" OF, "with --configs 16, but this call says 17"},
        {"--configs 16 --noise 1e7" OF, "with --noise 100000000, but this call says 10000000"},
        {"--configs 16 --noise 1e9 --seed 1" OF, "with --seed 0, but this call says 1"},
        {"--configs 16 --noise 1e9 --milliseconds 0.3 --quiet",
         "the files of mlp_0 in o/random were made with --milliseconds 0.2, but this call says "
         "0.3; take the same, or choose another --out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        program_expect_line(2, "", bad[i][1], "lab layout --out o --families mlp %s", bad[i][0]);
    program_expect(
        "lab layout --out o --families mlp --first 1 --programs 1 --configs 17 --noise 1e9" OF, 0,
        "", ""); /* other programs may have others */
    /* a folder has one plan, which the manifest names unless it is the default */
    program_expect("lab layout --out o --families lstm --programs 1 --configs 16 --noise 1e9"
                   " --plan inner" OF,
                   2, "", "o/random were made with --plan strides, but this call says inner; take");
    program_expect("lab layout --out p --families mlp --programs 1 --configs 16 --noise 1e9"
                   " --plan axes" OF,
                   0, "", "");
    program_expect(
        "lab layout --out p --families lstm --programs 1 --configs 16 --noise 1e9" OF, 2, "",
        "p/random were made with --plan axes, but this call says strides; take the same");
#undef OF
    lab_stored x;
    lab_manifest *one = lab_manifest_load("o/random", new_failure());
    expect_ok(last_failure()->status);
    lab_manifest *m = lab_manifest_load("p/random", new_failure());
    expect_ok(last_failure()->status);
    assert_null(json_object_get(one->root, "plan"));
    assert_string_equal(json_string_value(json_object_get(m->root, "plan")), "axes");
    expect_ok(lab_stored_load(&x, m, "mlp_0", new_failure()));
    assert_int_equal(x.configs.rule, TPUGRAPHS_AS_GIVEN); /* `lab check` measures by it */
    lab_stored_clear(&x);
    json_object_set_new(m->root, "plan", json_string("random"));
    assert_int_equal(json_dump_file(m->root, "p/random/manifest.json", 0), 0);
    lab_manifest_free(one);
    lab_manifest_free(m);
    program_expect("lab check p", 3, "",
                   "manifest.json has a plan that this version does not know");
}

static void a_program_of_your_own_is_not_replaced(void **state)
{
    const program_outcome o =
        program_expect("lab show --family mlp --milliseconds 0.2", 0, "dot", "");
    assert_int_equal(mkdir("own", 0777), 0);
    program_write_text("own/mlp_0.txt", o.out);
    const uint64_t before = program_hash_of("own/mlp_0.txt");
    program_expect("lab fusion --out own --text own/mlp_0.txt --partitions 3 --quiet", 2, "",
                   "--text: own/mlp_0.txt lies where --out would write the program");
    assert_true(program_hash_of("own/mlp_0.txt") == before);
    program_expect(
        "lab fusion --out other --text own/mlp_0.txt --partitions 3 --noise 1e9 --quiet" ANYHOW, 0,
        "", "");
}

/* Two at once would lose each other's facts. Unfinished files of a killed program are removed. */
static void a_folder_takes_one_program(void **state)
{
    static const char line[] =
        "lab layout --out one --families mlp --programs 1 --configs 16" SMALL;
    program_expect(line, 0, "", "");
    const int folder = open("one/random", O_RDONLY);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    program_expect(line, 2, "",
                   "another program is writing to the folder one/random; wait until it");
    program_expect("lab split one --valid 0 --test 0", 0, "", ""); /* it only reads the manifest */
    close(folder);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    const char *left = formatted("one/random/mlp_9.npz.%ld.0.tmp", (long)child),
               *live = formatted("one/random/mlp_9.npz.%ld.0.tmp", (long)getpid());
    fclose(fopen(left, "wb"));
    fclose(fopen(live, "wb"));
    program_expect(line, 0, "", "");
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(live, F_OK), 0);
}

int main(void)
{
    return RUN_TESTS_WITH(program_folder_make, test_folder_remove, dropped_kernels_are_tried_again,
                          other_options_are_refused, a_program_of_your_own_is_not_replaced,
                          a_folder_takes_one_program);
}
