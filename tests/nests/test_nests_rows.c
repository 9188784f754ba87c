/* SPDX-License-Identifier: MIT */
/* Files that bring their own rows: what is read, what is refused; and what only nests has of a
   program: kinds of files, splits, parts of a score. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/nests/maker.h"
#include "examples/nests/makers/rows_file.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/spoiled.h"

#include <malloc.h>

/* Four items of two groups, that share three rows. */
enum { X, WORK, INDEX, COUNT, OFFSET, GROUP, RUNTIME, ARRAYS };
typedef struct file {
    float x[3][2], count[6];
    double work[3];
    int32_t index[6];
    int64_t offset[5], group[4], runtime[4];
    test_array array[ARRAYS];
} file;

static void make(file *f)
{
    *f = (file){.x = {{1, 2}, {3, 4}, {5, 6}},
                .work = {10, 20, 30},
                .index = {0, 2, 1, 2, 0, 1},
                .count = {1, 2, 3, 0, 5, 6},
                .offset = {0, 2, 3, 3, 6},
                .group = {4, 4, 4, 7},
                .runtime = {100, 200, 0, 400}};
    const test_array array[ARRAYS] = {
        {"row_feature", AG_F32, 2, {3, 2}, f->x},      {"row_work", AG_F64, 1, {3}, f->work},
        {"row_index", AG_I32, 1, {6}, f->index},       {"row_count", AG_F32, 1, {6}, f->count},
        {"row_offset", AG_I64, 1, {5}, f->offset},     {"row_group", AG_I64, 1, {4}, f->group},
        {"config_runtime", AG_I64, 1, {4}, f->runtime}};
    memcpy(f->array, array, sizeof array);
}

static void write_file(const file *f, const char *name)
{
    assert_true(test_arrays_write(test_file(name), f->array, ARRAYS));
}

static ag_status read_file(nests_data *data, const char *name, ag_failure *why)
{
    *data = (nests_data){.maker = &nests_from_rows};
    harness_files_name(&data->paths, test_file(name));
    return data->maker->read(data, &data->paths, why);
}

static void close_data(nests_data *data)
{
    data->maker->drop(data);
    harness_files_free(&data->paths);
}

static void what_is_read(void **state)
{
    file f;
    nests_data data;
    nests_rows r = {0};
    make(&f);
    write_file(&f, "good.npz");
    expect_ok(read_file(&data, "good.npz", new_failure()));
    assert_int_equal(data.groups, 2);
    assert_int_equal(data.items, 4);
    assert_string_equal(data.group[0].name, "good/4");
    assert_string_equal(data.group[1].name, "good/7");
    assert_int_equal(data.group[0].items, 3);
    assert_true(data.group[1].runtime[0] == 400);
    assert_int_equal(data.columns, 2);
    expect_ok(data.maker->rows(&r, &data, 0, (int[]){0, 1, 2}, 3, new_failure()));
    assert_int_equal(r.rows, 3); /* each once, in the order in which they are asked for */
    assert_true(r.x[0] == 1 && r.x[2] == 5 && r.x[5] == 4);
    assert_true(r.work[0] == 10 && r.work[1] == 30 && r.work[2] == 20);
    assert_true(r.first[1] == 2 && r.first[2] == 3 && r.first[3] == 3);
    assert_true(r.row[1] == 1 && r.row[2] == 2 && r.times[1] == 2);
    expect_ok(data.maker->rows(&r, &data, 1, (int[]){0}, 1, new_failure()));
    assert_true(r.rows == 3 && r.first[1] == 3 && r.times[0] == 0 && r.work[r.row[2]] == 20);
    nests_rows_free(&r);
    close_data(&data);
    f.array[INDEX].name = f.array[COUNT].name = f.array[GROUP].name = f.array[RUNTIME].name = NULL;
    f.offset[3] = f.offset[4] = 3; /* the rows themselves, once each */
    write_file(&f, "plain.npz");
    expect_ok(read_file(&data, "plain.npz", new_failure()));
    assert_true(data.groups == 1 && data.group[0].items == 4 && !data.group[0].runtime);
    assert_string_equal(data.group[0].name, "plain");
    expect_ok(data.maker->rows(&r, &data, 0, (int[]){1}, 1, new_failure()));
    assert_true(r.rows == 1 && r.x[0] == 5 && r.times[0] == 1);
    nests_rows_free(&r);
    close_data(&data);
}

/* Bytes that the program holds; 0 where the C library does not tell. */
static size_t held(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 of = mallinfo2();
    return of.uordblks + of.hblkhd;
#else
    return 0;
#endif
}

/* The rows of a group take no memory for those of other groups: boosted trees hold all at once. */
static void groups_of_a_large_table(void **state)
{
    enum { ROWS = 1 << 20, GROUPS = 16 };
    nests_rows_file f = {.rows = ROWS, .items = ROWS, .entries = ROWS};
    nests_rows r[GROUPS] = {{0}};
    f.x = calloc(ROWS, sizeof *f.x);
    f.work = calloc(ROWS, sizeof *f.work);
    f.first = calloc(ROWS + 1, sizeof *f.first);
    for (int i = 0; i <= ROWS; i++) f.first[i] = i;
    for (int i = 0; i < ROWS; i++) f.x[i] = (float)i;
    const size_t before = held();
    for (int g = 0; g < GROUPS; g++) {
        const int first = ROWS - 2 * GROUPS + 2 * g;
        nests_group group = {.name = "f", .source = &f, .start = first};
        const nests_data data = {.group = &group, .columns = 1};
        expect_ok(nests_table_take(&r[g], &data, 0, (int[]){1, 0}, 2, new_failure()));
        assert_true(r[g].rows == 2 && r[g].x[0] == (float)(first + 1) && r[g].x[1] == (float)first);
        assert_true(r[g].row[0] == 0 && r[g].row[1] == 1);
    }
    assert_true(held() - before < ROWS);
    for (int g = 0; g < GROUPS; g++) nests_rows_free(&r[g]);
    free(f.x);
    free(f.work);
    free(f.first);
}

/* ---- refusals ---- */

static void what_is_refused(void **state)
{
    static const struct {
        int array;
        test_what what;
        int at;
        double value;
        const char *part;
    } wrong[] = {{X, ELEMENT, 3, NAN, "row_feature[1,1] is nan, but must be finite"},
                 {WORK, ELEMENT, 2, 0, "row_work[2] is 0, but must be above"},
                 {WORK, ELEMENT, 0, INFINITY, "row_work[0] is inf"},
                 {OFFSET, ELEMENT, 0, 1, "row_offset goes from 1 to 6, but must go from 0 to 6"},
                 {OFFSET, ELEMENT, 2, 1, "row_offset[2] = 1 follows 2"},
                 {OFFSET, ELEMENT, 4, 5, "row_offset goes from 0 to 5"},
                 {INDEX, ELEMENT, 3, 3, "row_index[3] is 3, but rows are 0 to 2"},
                 {INDEX, ELEMENT, 5, -1, "row_index[5] is -1"},
                 {COUNT, ELEMENT, 2, -1, "row_count[2] is -1, but must be at least 0"},
                 {GROUP, ELEMENT, 2, 3, "row_group[2] is 3 after 4"},
                 {RUNTIME, ELEMENT, 1, -5, "config_runtime[1] is -5"},
                 {WORK, SIZE, 0, 2, "row_work has shape [2], but must be [3]"},
                 {COUNT, SIZE, 0, 5, "row_count has shape [5], but must be [6]"},
                 {GROUP, SIZE, 0, 3, "row_group has shape [3], but must be [4]"},
                 {RUNTIME, SIZE, 0, 1, "config_runtime has shape [1], but must be [4]"},
                 {OFFSET, SIZE, 0, 1, "3 rows of 2 columns and 0 items"},
                 {X, RANK, 0, 1, "row_feature has shape [3], but must be [any,any]"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file f;
        nests_data data;
        make(&f);
        test_spoil(&f.array[wrong[i].array], wrong[i].what, wrong[i].at, wrong[i].value);
        write_file(&f, "bad.npz");
        expect_status(read_file(&data, "bad.npz", new_failure()), AG_EDATA, wrong[i].part);
        assert_non_null(strstr(last_failure()->sentence, "bad.npz"));
        close_data(&data);
    }
}

/* ---- the program ---- */

#define SMALL " --steps 4 --hidden 8 --layers 1 --members 1 --threads 1 --quiet"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_rows("a.npz", 24, 0);
    program_write_rows("b.npz", 24, 1);
    program_write_tile("t_0_00000001.npz", 6, 0);
    return 0;
}

static void kinds_are_not_mixed(void **state)
{
    program_expect("nests train --out x --fit network --data a.npz t_0_00000001.npz", 2, "",
                   "t_0_00000001.npz is a file of kind tile, but others, or the run, are of kind "
                   "rows");
    program_expect("nests train --out x --fit network --data a.npz --valid b.npz --split 0.5", 2,
                   "", "--split and --valid both hold items out");
    program_write_text("c.npz", "PK");
    program_expect("nests inspect c.npz", 3, "", "c.npz");
    program_expect("nests train --out few --fit network --data a.npz" SMALL, 0, "", "");
    file f;
    make(&f);
    write_file(&f, "d.npz");
    program_expect("nests predict --run few --data d.npz", 2, "",
                   "rows files whose rows have 3 columns and 0 words, but these are rows files "
                   "with 2 and 0");
}

/* Rows as those of training, and rows whose columns are a million times as large. */
static void far_from_training(void **state)
{
    file f;
    make(&f);
    write_file(&f, "near.npz");
    for (int i = 0; i < 3; i++) f.x[i][0] *= 1e6F;
    write_file(&f, "far.npz");
    program_expect("nests train --out here --fit network --data near.npz" SMALL, 0, "", "");
    const program_outcome o = program_expect("nests predict --run here --data near.npz", 0, "", "");
    assert_null(strstr(o.err, "far outside"));
    program_expect(
        "nests predict --run here --data far.npz", 0, "",
        "of the rows of far/4 and of 1 more group, 100 % or more have features far outside "
        "of those that here/best.safetensors was trained on");
}

/* Of a group that was split, eval scores what was held out: 24 items, 2 groups, a quarter. */
static void splits(void **state)
{
    program_expect("nests train --out split --fit network --split 0.75 --data a.npz" SMALL, 0,
                   "\nmean       6 ", "");
    program_expect("nests eval --run split --data a.npz b.npz --no-baselines", 0, "\na/1        3 ",
                   "");
    program_expect("nests eval --run split --data a.npz b.npz --no-baselines", 0, "\nb/1       12 ",
                   "");
}

/* The score of both is the mean of its parts' by --share, and each part is a method of its own. */
static void parts_of_a_score(void **state)
{
    if (!harness_boosting_built()) skip();
    double score[3][24];
    static const char *const share[] = {"0", "1", "0.25"};
    for (int k = 0; k < 3; k++) {
        program_expect_line(0, "nests (trees)", "",
                            "nests train --out share --force --data a.npz --valid b.npz --trees 20 "
                            "--bags 2 --share %s" SMALL,
                            share[k]);
        program_scores(score[k], 24, "scores",
                       "nests predict --run share --checkpoint last --data b.npz");
    }
    double apart = 0;
    for (int i = 0; i < 24; i++) {
        apart = fmax(apart, fabs(score[0][i] - score[1][i]));
        assert_true(fabs(score[2][i] - 0.75 * score[0][i] - 0.25 * score[1][i]) < 1e-9);
    }
    assert_true(apart > 1e-3);
    program_expect(
        "nests train --out alone --fit trees --data a.npz --valid b.npz --trees 20 --bags "
        "1 --quiet",
        0, "work alone", "");
    program_expect("nests train --out alone --resume --quiet", 0, "work alone", "");
}

/* Layouts are learned only by the network unless --fit says otherwise, others by both. */
static void what_learns(void **state)
{
    program_write_layout("layout.npz", 20, 0);
    program_expect("nests train --out layout --data layout.npz --split 0.5 --steps 4 --quiet", 0,
                   "work alone", "");
    program_expect_in("\"fit\": \"network\"", "layout/config.json");
    program_expect("nests train --out none --data layout.npz --split 0.5 --trees 4", 2, "",
                   "--trees: 4 has no effect");
    program_expect("nests train --out none --data layout.npz --split 0.5 --huber -0.5", 2, "",
                   "--huber is -0.5; it must be 0 to 1e+06");
    if (!harness_boosting_built()) return;
    program_expect("nests train --out layout --force --data layout.npz --split 0.5 --fit both "
                   "--trees 4" SMALL,
                   0, "nests (trees)", "");
    program_expect("nests train --out none --data layout.npz --fit both --tree-columns 0" SMALL, 2,
                   "", "--tree-columns is 0; it must be 0.01 to 1");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, what_is_read, groups_of_a_large_table,
                          what_is_refused, kinds_are_not_mixed, far_from_training, splits,
                          parts_of_a_score, what_learns);
}
