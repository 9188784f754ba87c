/* SPDX-License-Identifier: MIT */
/* The folders of the lab's data sets: a second call keeps or completes the files that exist. */
#define _GNU_SOURCE
#include "support/lab_call.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Small programs; files are kept however noisy the machine is. */
#define SMALL " --milliseconds 0.2 --noise 1e9 --repeats 2 --quiet"

/* The names of the files in a folder that end so; returns their number. */
static int list_files(char names[64][128], const char *folder, const char *tail)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) && n < 64;) {
        const size_t length = strlen(e->d_name), end = strlen(tail);
        if (length > end && !strcmp(e->d_name + length - end, tail))
            snprintf(names[n++], 128, "%.*s", (int)(length - end), e->d_name);
    }
    if (dir) closedir(dir);
    return n;
}

/* Kernels of a program that were kept stay as they are when others are tried again. */
static void dropped_kernels_are_tried_again(void **state)
{
    (void)state;
    static const char line[] = "lab tile --out dt --families mlp --programs 1 --configs 8 "
                               "--kernels 3 --milliseconds 0.2 --noise 1e9 --repeats 2";
    static char names[64][128];
    char path[256];
    size_t n, again;
    lab_expect(line, 0, "", "files written");
    const int files = list_files(names, "dt", ".npz");
    assert_in_range(files, 2, 3);
    snprintf(path, sizeof path, "dt/%.100s.npz", names[0]);
    char *first = lab_file(path, &n);
    json_t *root = json_load_file("dt/manifest.json", 0, NULL);
    json_object_set_new(json_object_get(json_object_get(root, "files"), names[1]), "dropped",
                        json_true());
    assert_int_equal(json_dump_file(root, "dt/manifest.json", 0), 0);
    json_decref(root);
    snprintf(path, sizeof path, "dt/%.100s.npz", names[1]);
    assert_int_equal(unlink(path), 0);
    lab_expect(line, 0, "", "1 files written");
    assert_int_equal(list_files(names, "dt", ".npz"), files);
    snprintf(path, sizeof path, "dt/%.100s.npz", names[0]);
    char *same = lab_file(path, &again);
    assert_int_equal(again, n);
    assert_memory_equal(same, first, n);
    free(first);
    free(same);
    lab_expect(line, 0, "", "1 of them had their file");
}

/* A program's files are of one kind: the same options, or another folder. */
static void other_options_are_refused(void **state)
{
    (void)state;
#define OF " --milliseconds 0.2 --repeats 2 --quiet"
    lab_expect("lab layout --out o --families mlp --programs 1 --configs 16 --noise 1e8" OF, 0, "",
               "");
    static const char *const bad[][2] = {
        {"--programs 2 --configs 17 --noise 1e9" OF, "with --configs 16, but this call says 17"},
        {"--configs 16 --noise 1e7" OF, "with --noise 100000000, but this call says 10000000"},
        {"--configs 16 --noise 1e9 --seed 1" OF, "with --seed 0, but this call says 1"},
        {"--configs 16 --noise 1e9 --milliseconds 0.3 --quiet",
         "the files of mlp_0 in o/random were made with --milliseconds 0.2, but this call says "
         "0.3; "
         "take the same, or choose another --out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[200];
        snprintf(line, sizeof line, "lab layout --out o --families mlp %s", bad[i][0]);
        lab_expect(line, 2, "", bad[i][1]);
    }
    lab_expect(
        "lab layout --out o --families mlp --first 1 --programs 1 --configs 17 --noise 1e9" OF, 0,
        "", ""); /* other programs may have others */
#undef OF
}

static void a_program_of_your_own_is_not_replaced(void **state)
{
    (void)state;
    const lab_outcome *o = lab_expect("lab show --family mlp --milliseconds 0.2", 0, "dot", "");
    assert_int_equal(mkdir("own", 0777), 0);
    FILE *file = fopen("own/mlp_0.txt", "w");
    fputs(o->out, file);
    fclose(file);
    size_t n, again;
    char *before = lab_file("own/mlp_0.txt", &n);
    lab_expect("lab fusion --out own --text own/mlp_0.txt --partitions 3" SMALL, 2, "",
               "--text: own/mlp_0.txt lies where --out would write the program");
    char *after = lab_file("own/mlp_0.txt", &again);
    assert_int_equal(again, n);
    assert_memory_equal(after, before, n);
    free(before);
    free(after);
    lab_expect("lab fusion --out other --text own/mlp_0.txt --partitions 3" SMALL, 0, "", "");
}

/* Two at once would lose each other's facts. Unfinished files of a killed program are removed. */
static void a_folder_takes_one_program(void **state)
{
    (void)state;
    static const char line[] = "lab layout --out one --families mlp --programs 1 --configs 16 "
                               "--milliseconds 0.2 --noise 1e9 --repeats 2 --quiet";
    lab_expect(line, 0, "", "");
    const int folder = open("one/random", O_RDONLY);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    lab_expect(line, 2, "", "another program is writing to the folder one/random; wait until it");
    lab_expect("lab split one --valid 0 --test 0", 0, "", ""); /* it only reads the manifest */
    close(folder);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    char left[64], live[64];
    snprintf(left, sizeof left, "one/random/mlp_9.npz.%ld.0.tmp", (long)child);
    snprintf(live, sizeof live, "one/random/mlp_9.npz.%ld.0.tmp", (long)getpid());
    fclose(fopen(left, "wb"));
    fclose(fopen(live, "wb"));
    lab_expect(line, 0, "", "");
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(live, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_kernels_are_tried_again),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(a_program_of_your_own_is_not_replaced),
        cmocka_unit_test(a_folder_takes_one_program),
    };
    return cmocka_run_group_tests(tests, lab_folder_make, lab_folder_remove);
}
