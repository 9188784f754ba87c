/* SPDX-License-Identifier: MIT */
/* Damaged files, for every model: each cut and each flipped bit of data and of checkpoints is
   refused with exit code 3 and a sentence that names the file, or changes nothing. */
#include "support/test.h"
#include "core/random.h"
#include "core/threads.h"
#include "support/program_files.h"
#include "support/program_models.h"
#include "support/spoiled.h"
#include "examples/harness/harness.h"
#include "support/files.h"
#include "support/sanitized.h"

#include <unistd.h>

#define DATA "small_0_00000001.npz"

/* A file of each kind that is so small that each of its bytes is damaged. An array that is not used
   is verified, too. */
static void write_small(int model)
{
    static const test_kind kinds[] = {LAYOUT, LAYOUT, TILE, TILE, FUSION, SCHEDULES, SCHEDULES};
    static const float unused[5] = {1.5F, 2.25F, 3, 4, 5};
    int arrays;
    if (model >= 7) {
        program_write_rows(DATA, 5, 0);
        return;
    }
    test_array *array = test_kind_make(kinds[model], &arrays);
    if (model <= 1) array[arrays++] = (test_array){"unused", AG_F32, 1, {5}, unused};
    assert_true(test_arrays_write(DATA, array, arrays));
}

/* ---- what predict does, in this process ---- */

/* 1: the file, DATA or the checkpoint, was read; 0: it was refused as it should be. */
static int is_read(const program_model *m, const char *file)
{
    char line[100]; /* the caller's names are formatted */
    ag_failure why = {0};
    snprintf(line, sizeof line, "--run %s --data " DATA " --csv scores.csv --threads 1", m->name);
    harness_options *o = program_options(m, HARNESS_PREDICT, line);
    harness_call call = {.program = m->program, .options = o, .values = harness_options_values(o)};
    harness_predict_command(&call, &why);
    harness_options_free(o);
    if (!why.status) return 1;
    if (harness_exit_code(why.status) != 3 || !strstr(why.sentence, file))
        fail_msg("%s: %d, %s", m->name, (int)why.status, why.sentence);
    return 0;
}

/* ---- every cut, every flipped bit ---- */

typedef struct file {
    const char *name;
    unsigned char *bytes;
    size_t size;
} file;

static file take(const char *name)
{
    file f = {.name = name};
    f.bytes = files_get(name, &f.size);
    assert_non_null(f.bytes);
    return f;
}

static void put(const file *f, size_t bytes)
{
    assert_int_equal(files_put(f->name, f->bytes, bytes), 0);
}

static int is_read_flipped(const program_model *m, const file *f, size_t at, int bit)
{
    f->bytes[at] ^= (unsigned char)(1 << bit);
    put(f, f->size);
    const int read = is_read(m, f->name);
    f->bytes[at] ^= (unsigned char)(1 << bit);
    return read;
}

static void damage_data(const program_model *m)
{
    size_t refused = 0;
    file f = take(DATA);
    assert_true(is_read(m, DATA));
    const uint64_t right = program_hash_of("scores.csv");
    for (size_t at = 0; at < f.size; at += SANITIZED ? 5 : 1) {
        if (is_read_flipped(m, &f, at, (int)at % 8))
            assert_true(program_hash_of("scores.csv") == right); /* a time stamp */
        else
            refused++;
    }
    assert_true(refused > f.size / 2 / (SANITIZED ? 5 : 1));
    for (size_t n = 0; n < f.size; n += SANITIZED ? 15 : 3) {
        put(&f, n);
        assert_false(is_read(m, DATA));
    }
    free(f.bytes);
}

static void data(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        if (i && strcmp(m->data, m[-1].data) == 0) continue; /* the same kind of file */
        write_small(i);
        damage_data(m);
    }
}

/* Half of the flips are in the header. */
static void damage_checkpoint(const program_model *m, const char *name, ag_random *random)
{
    const int flips = ag_switch("AUGUR_FULL", 0) ? (SANITIZED ? 300 : 2000) : SANITIZED ? 60 : 300;
    file f = take(name);
    assert_true(is_read(m, name));
    const size_t step = f.size / (size_t)flips + 1;
    for (size_t n = 0; n < f.size; n += n < 16 ? 1 : n < 4096 ? step / 8 + 1 : step) {
        put(&f, n);
        assert_false(is_read(m, name));
    }
    for (int i = 0; i < flips; i++) {
        const size_t most = i % 2 || f.size < 8192 ? f.size : 8192;
        assert_false(is_read_flipped(m, &f, ag_random_below(random, (uint32_t)most),
                                     (int)ag_random_below(random, 8)));
    }
    put(&f, f.size);
    free(f.bytes);
}

static void checkpoints(void **state)
{
    ag_random random = program_random();
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        write_small(i);
        damage_checkpoint(&program_models[i],
                          formatted("%s/best.safetensors", program_models[i].name), &random);
    }
}

/* ---- the commands ---- */

static void expect_3(const program_model *m, const char *file, const char *format)
{
    const char *command = formatted(format, m->name);
    program_expect_line(3, "", file, "%s %s", m->program->name, command);
}

/* An empty header: a safetensors file of another program. */
static const unsigned char foreign[] = "\x18\0\0\0\0\0\0\0{\"__metadata__\":{}}     ";

static void commands(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        write_small(i);
        const char *best = formatted("%s/best.safetensors", m->name);
        const char *last = formatted("%s/last.safetensors", m->name);
        file f = take(last);
        f.bytes[f.size - 40] ^= 4;
        put(&f, f.size);
        free(f.bytes);
        expect_3(m, last, "train --out %s --resume --quiet");
        expect_3(m, last, "predict --run %s --checkpoint last --data " DATA);
        assert_int_equal(files_put(best, foreign, sizeof foreign - 1), 0);
        expect_3(m, best, "predict --run %s --data " DATA);
        expect_3(m, best, "eval --run %s --no-baselines --data " DATA);
        f = take(DATA);
        put(&f, f.size - 9);
        free(f.bytes);
        expect_3(m, DATA, "inspect " DATA);
        expect_3(m, DATA, "train --out none --data " DATA);
        assert_int_not_equal(access("none", F_OK), 0); /* nothing is made */
    }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_train, test_folder_remove, data, checkpoints, commands);
}
