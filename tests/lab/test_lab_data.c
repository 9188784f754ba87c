/* SPDX-License-Identifier: MIT */
/* The data in examples/data: whole, split without overlap, and of the programs that the lab still
   builds today. */
#include "support/test.h"
#include "augur.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/program/features.h"
#include "examples/lab/text/text.h"
#include "examples/tgraph/data/data.h"

#define DATA AG_SOURCE_DIR "/examples/data/"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The three parts of a split name every file of the folder once. */
static void check_split(const char *folder, const char *split, int files)
{
    static const char *const part[] = {"train", "valid", "test"};
    char path[512];
    harness_files paths = {0};
    ag_failure why = {0};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, DATA "%s/split-%s.%s.txt", folder, split, part[i]);
        if (harness_files_add(&paths, path, &why)) fail_msg("%s", why.sentence);
    }
    assert_int_equal(paths.count, files);
    qsort(paths.path, (size_t)files, sizeof *paths.path, by_name);
    for (int i = 1; i < files; i++) assert_string_not_equal(paths.path[i - 1], paths.path[i]);
    harness_files_free(&paths);
}

static void splits_name_every_file_once(void **state)
{
    static const char *const folder[] = {"layout", "tile", "fusion"};
    static const int least[] = {64, 300, 100};
    for (int i = 0; i < 3; i++) {
        char path[512];
        harness_files all = {0};
        ag_failure why = {0};
        snprintf(path, sizeof path, DATA "%s", folder[i]);
        assert_int_equal(harness_files_add(&all, path, &why), AG_OK);
        assert_true(all.count >= least[i]);
        check_split(folder[i], "random", all.count);
        check_split(folder[i], "family", all.count);
        harness_files_free(&all);
    }
}

/* The op codes, reducers and features of all nodes are those of the file. */
static void check_features(ag_npz *npz, const lab_program *p)
{
    ag_failure why = {0};
    const ag_array_info *info = ag_npz_find(npz, "node_feat");
    assert_int_equal(info->size[0], p->n);
    float *stored = malloc((size_t)info->count * sizeof *stored), row[LAB_FEATURES];
    uint8_t *code = malloc((size_t)p->n), *reducer = malloc((size_t)p->n);
    assert_int_equal(ag_npz_read(npz, "node_feat", AG_F32, stored, &why), AG_OK);
    assert_int_equal(ag_npz_read(npz, "node_opcode", AG_U8, code, &why), AG_OK);
    assert_int_equal(ag_npz_read(npz, "node_reducer", AG_U8, reducer, &why), AG_OK);
    for (int i = 0; i < p->n; i++) {
        lab_node_features(row, p, i);
        assert_memory_equal(row, stored + (size_t)i * LAB_FEATURES, sizeof row);
        assert_int_equal(lab_op_code(p->nodes[i].op), code[i]);
        assert_int_equal(lab_reducer_code(p, i), reducer[i]);
    }
    free(stored);
    free(code);
    free(reducer);
}

static ag_npz *open_layout(const char *family, int number)
{
    char path[512];
    ag_failure why = {0};
    snprintf(path, sizeof path, DATA "layout/random/%s_%d.npz", family, number);
    return ag_npz_open(path, (size_t)1 << 28, &why);
}

/* `lab check` builds the programs again, so a change to a family needs new data. */
static void families_still_build_these_programs(void **state)
{
    for (int f = 0; f < lab_n_families; f++) {
        ag_npz *npz = NULL;
        int number = -1;
        while (!npz && ++number < 36) npz = open_layout(lab_families[f].name, number);
        assert_non_null(npz);
        lab_program p = {0};
        ag_failure why = {0};
        if (lab_family_program(&p, lab_families[f].name, number, 2, &why))
            fail_msg("%s", why.sentence);
        check_features(npz, &p);
        lab_program_clear(&p);
        ag_npz_close(npz);
    }
}

/* No family builds training steps: those of the test files are there as texts. */
static void texts_are_the_training_steps_of_the_test(void **state)
{
    harness_files paths = {0};
    ag_failure why = {0};
    int seen = 0;
    assert_int_equal(harness_files_add(&paths, DATA "layout/split-random.test.txt", &why), AG_OK);
    for (int i = 0; i < paths.count; i++) {
        lab_program p;
        char path[512], *name = strrchr(paths.path[i], '/') + 1;
        if (strncmp(name, "train_", 6) != 0) continue;
        ag_npz *npz = ag_npz_open(paths.path[i], (size_t)1 << 28, &why);
        snprintf(path, sizeof path, "%.*s.txt", (int)strlen(paths.path[i]) - 4, paths.path[i]);
        if (!npz || lab_text_load(&p, path)) fail_msg("%s: cannot be read", path);
        check_features(npz, &p);
        lab_program_clear(&p);
        ag_npz_close(npz);
        seen++;
    }
    assert_int_equal(seen, 25);
    harness_files_free(&paths);
}

/* The hash of what a kernel computes, its own name left out, tells kernels apart for ever. */
static void kernels_have_the_hash_in_their_names(void **state)
{
    harness_files paths = {0};
    ag_failure why = {0};
    assert_int_equal(harness_files_add(&paths, DATA "tile", &why), AG_OK);
    for (int i = 0; i < paths.count; i++) {
        lab_program p;
        char path[512], *end = strrchr(paths.path[i], '.');
        snprintf(path, sizeof path, "%.*s.txt", (int)(end - paths.path[i]), paths.path[i]);
        if (lab_text_load(&p, path)) fail_msg("%s", p.why.sentence);
        assert_int_equal(lab_kernel_hash(&p), strtoull(end - 16, NULL, 16));
        lab_program_clear(&p);
    }
    harness_files_free(&paths);
}

int main(void)
{
    return RUN_TESTS(splits_name_every_file_once, families_still_build_these_programs,
                     texts_are_the_training_steps_of_the_test,
                     kernels_have_the_hash_in_their_names);
}
