/* SPDX-License-Identifier: MIT */
/* The data in examples/data: whole, split without overlap, and of the programs that the lab still
   builds today. */
#include "support/test.h"
#include "examples/lab/collect/stored.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/program/features.h"
#include "examples/lab/text/text.h"
#include "examples/harness/files/files.h"
#include "support/lab_arrays.h"

#include <jansson.h>
#include <unistd.h>

#define DATA AG_SOURCE_DIR "/examples/data/"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The three parts of a split name every file of the folder once. */
static void check_split(const char *folder, const char *split, int files)
{
    static const char *const part[] = {"train", "valid", "test"};
    harness_files paths = {0};
    for (int i = 0; i < 3; i++)
        expect_ok(harness_files_add(
            &paths, formatted(DATA "%s/split-%s.%s.txt", folder, split, part[i]), new_failure()));
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
        harness_files all = {0};
        expect_ok(harness_files_add(&all, formatted(DATA "%s", folder[i]), new_failure()));
        assert_true(all.count >= least[i]);
        check_split(folder[i], "random", all.count);
        check_split(folder[i], "family", all.count);
        harness_files_free(&all);
    }
}

/* The op codes, reducers, features and operands of all nodes are those of the file. */
static void check_graph(const char *path, const lab_program *p)
{
    ag_npz *npz = open_npz(path);
    const float *stored = read_all(npz, "node_feat", AG_F32, NULL);
    const uint8_t *code = read_all(npz, "node_opcode", AG_U8, NULL),
                  *reducer = read_all(npz, "node_reducer", AG_U8, NULL);
    float row[LAB_FEATURES];
    assert_int_equal(ag_npz_find(npz, "node_feat")->size[0], p->n);
    for (int i = 0; i < p->n; i++) {
        lab_node_features(row, p, i);
        assert_memory_equal(row, stored + (size_t)i * LAB_FEATURES, sizeof row);
        assert_int_equal(lab_op_code(p->nodes[i].op), code[i]);
        assert_int_equal(lab_reducer_code(p, i), reducer[i]);
    }
    check_operands(npz, p);
    close_npz(npz);
}

/* `lab check` measures the test files with a text, and programs that it builds again: of each
   family, one is still the same. A change to a family needs new data. */
static void files_are_of_the_programs_of_today(void **state)
{
    const char *name, *family[64];
    int families = 0, texts = 0;
    json_t *facts;
    lab_manifest *m = lab_manifest_load(DATA "layout/random", new_failure());
    expect_ok(last_failure()->status);
    json_object_foreach(json_object_get(m->root, "files"), name, facts)
    {
        const char *own = json_string_value(json_object_get(facts, "family"));
        int known = !lab_manifest_there(m, name, facts);
        for (int i = 0; i < families; i++) known |= !strcmp(family[i], own);
        const int text = !access(lab_manifest_path(m, name, ".txt"), F_OK);
        if ((known && !text) || (!text && !lab_family_find(own))) continue;
        lab_stored x;
        expect_ok(lab_stored_load(&x, m, name, new_failure()));
        check_graph(lab_manifest_path(m, name, ".npz"), &x.program);
        lab_stored_clear(&x);
        if (!text) family[families++] = own;
        texts += text;
    }
    assert_int_equal(families, lab_n_families);
    assert_int_equal(texts, 25);
    lab_manifest_free(m);
}

/* The hash of what a kernel computes, its own name left out, tells kernels apart for ever. */
static void kernels_have_the_hash_in_their_names(void **state)
{
    harness_files paths = {0};
    expect_ok(harness_files_add(&paths, DATA "tile", new_failure()));
    for (int i = 0; i < paths.count; i++) {
        lab_program p;
        const char *end = strrchr(paths.path[i], '.');
        if (lab_text_load(&p, formatted("%.*s.txt", (int)(end - paths.path[i]), paths.path[i])))
            fail_msg("%s", p.why.sentence);
        assert_int_equal(lab_kernel_hash(&p), strtoull(end - 16, NULL, 16));
        lab_program_clear(&p);
    }
    harness_files_free(&paths);
}

int main(void)
{
    return RUN_TESTS(splits_name_every_file_once, files_are_of_the_programs_of_today,
                     kernels_have_the_hash_in_their_names);
}
