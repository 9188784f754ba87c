/* SPDX-License-Identifier: MIT */
/* Vectors of node classes from a file. */
#include "support/test.h"
#include "examples/tpgnn/data/vocabulary.h"
#include "support/program_call.h"
#include "support/tpgnn_npz.h"

enum { ROWS = 3, WORDS = 4 };

static const char *words[] = {"EQ", "For", "Nowhere"}; /* and word 0 */
static float vectors[ROWS][TPGNN_VECTOR];

/* Writes the file of the text and the vectors to test_path. */
static void write_vectors(const char *text, int64_t rows, int64_t columns)
{
    const test_array array[] = {
        {"classes", AG_U8, 1, {(int64_t)strlen(text)}, text},
        {"vectors", AG_F32, 2, {rows, columns}, vectors},
    };
    assert_true(test_arrays_write(test_path, array, 2));
}

/* vector [WORDS,18] */
static ag_status read_vectors(ag_real *vector, const char *path, ag_failure *why)
{
    tpgnn_vocabulary v = {0};
    tpgnn_vocabulary_fill(&v, TPGNN_CLASS, words, WORDS - 1);
    for (int i = 0; i < WORDS * TPGNN_VECTOR; i++) vector[i] = 7;
    tpgnn_vectors_read(vector, &v, path, why);
    tpgnn_vocabulary_free(&v);
    return why->status;
}

static void words_have_their_vectors(void **state)
{
    ag_real vector[WORDS][TPGNN_VECTOR];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < TPGNN_VECTOR; k++) vectors[i][k] = (float)(i + k + 1) / 4;
    write_vectors("And\nEQ\nFor", 3, TPGNN_VECTOR);
    expect_ok(read_vectors(vector[0], test_path, new_failure()));
    for (int k = 0; k < TPGNN_VECTOR; k++) {
        assert_true(vector[1][k] == (ag_real)vectors[1][k]);
        assert_true(vector[2][k] == (ag_real)vectors[2][k]);
        assert_true(vector[0][k] == 0 && vector[3][k] == 0); /* unknown, and not in the file */
    }
}

static void those_of_the_embedded_schedules_are_built_in(void **state)
{
    ag_real vector[WORDS][TPGNN_VECTOR], file[WORDS][TPGNN_VECTOR];
    expect_ok(read_vectors(vector[0], NULL, new_failure()));
    expect_ok(
        read_vectors(file[0], AG_SOURCE_DIR "/examples/data/schedules-vectors.npz", new_failure()));
    assert_memory_equal(vector, file, sizeof file);
    for (int k = 0; k < TPGNN_VECTOR; k++)
        assert_true(vector[1][k] != 0 && vector[2][k] != vector[1][k]);
}

static void damaged_files_are_refused(void **state)
{
    static const struct {
        const char *text;
        int64_t rows, columns;
        const char *sentence;
    } cases[] = {
        {"And\nEQ\nFor", 3, 17, "vectors has shape [3,17], but must be [any,18]"},
        {"And\nEQ", 3, 18, "vectors has 3 rows, but classes has another number of lines"},
        {"And\nEQ\nFor\nIf", 3, 18, "vectors has 3 rows, but classes has another number of lines"},
        {"And\nEQ\nFor\n", 3, 18, "vectors has 3 rows, but classes has another number of lines"},
        {"EQ\nAnd\nFor", 3, 18, "line 1 of classes, counted from 0, must be a word"},
        {"EQ\nEQ\nFor", 3, 18, "line 1 of classes, counted from 0, must be a word"},
        {"\nEQ\nFor", 3, 18, "line 0 of classes, counted from 0, must be a word"},
        {"", 0, 18, "vectors has 0 rows, but classes has another number of lines"},
        {"And\n0123456789012345678901234567890123456789012345678901234567890123\nFor", 3, 18,
         "line 1 of classes, counted from 0, must be a word of at most 63 letters"},
    };
    ag_real vector[WORDS * TPGNN_VECTOR];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_vectors(cases[i].text, cases[i].rows, cases[i].columns);
        expect_status(read_vectors(vector, test_path, new_failure()), AG_EDATA, cases[i].sentence);
    }
    vectors[1][2] = (float)NAN;
    write_vectors("And\nEQ\nFor", 3, TPGNN_VECTOR);
    expect_status(read_vectors(vector, test_path, new_failure()), AG_EDATA,
                  "vectors[1,2] = nan, but it must be finite");
    vectors[1][2] = 0;
}

/* Zeros for what the file lacks, with a warning; a file that is none stops the program before it
   makes a folder. */
static void training_with_a_file(void **state)
{
    static const char call[] = "tpgnn train --preset paper --hidden 4 --data a_1.npz --steps 1 "
                               "--no-baselines --vectors";
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_write(&s, "a_1.npz");
    write_vectors("And\nEQ\nFor", 3, TPGNN_VECTOR);
    program_expect_line(0, "", "", "%s %s --out run --quiet", call, test_path);
    program_expect_line(
        0, "",
        "8 of 9 classes of nodes have no vector and get zeros (Annotation, BufferLoad, "
        "BufferStore, FloatImm, IntImm, Param, PrimFunc, Var); ",
        "%s %s --out again", call, test_path);
    program_expect_line(3, "", "a_1.npz: there is no array classes", "%s a_1.npz --out none", call);
    program_expect("tpgnn eval --run none --data a_1.npz", 3, "", "none");
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, words_have_their_vectors,
                          those_of_the_embedded_schedules_are_built_in, damaged_files_are_refused,
                          training_with_a_file);
}
