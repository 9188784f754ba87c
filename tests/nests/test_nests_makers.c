/* SPDX-License-Identifier: MIT */
/* Makers of rows: a small file of each kind, and what the code underneath says of it. */
#include "support/test.h"
#include "examples/harness/files/files.h"
#include "examples/nests/maker.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpu/rows/rows.h"
#include "support/spoiled.h"

/* ---- files ---- */

enum { GOOD, HIDDEN, DAMAGED };

static const struct kind {
    const nests_maker *maker;
    int times, array, at; /* arrays of run times, and of the element that is damaged */
    double value;
    int items;
    int64_t runtime[6];
} kinds[KINDS] = {
    {&nests_from_layout,
     CONFIG_RUNTIME,
     NODE_CONFIG_FEAT,
     39,
     9,
     6,
     {500, 300, 400, 700, 303, 450}},
    {&nests_from_tile, TILE_RUNTIME, TILE_CONFIG_FEAT, 26, NAN, 3, {3000, 2000, 1000}},
    {&nests_from_fusion, FUSION_RUNTIME, EDGE_INDEX, 0, 99, 3, {700, 30, 5000}},
    {&nests_from_schedule, TPGNN_RUNTIME, TPGNN_NODE_KIND, 3, 200, 2, {2000, 500}},
};

static void write_file(int kind, int how)
{
    const struct kind *k = &kinds[kind];
    int arrays;
    test_array *array = test_kind_make((test_kind)kind, &arrays);
    for (int i = 0; how == HIDDEN && i < k->items; i++) test_set_element(&array[k->times], i, 0);
    if (how == DAMAGED) test_set_element(&array[k->array], k->at, k->value);
    assert_true(test_arrays_write(test_path, array, arrays));
}

static const int all[TEST_CONFIGS] = {0, 1, 2, 3, 4, 5};

/* The file of a kind, twice. */
static ag_status try_read(nests_data *data, int kind, int how, ag_failure *why)
{
    harness_files paths = {0};
    write_file(kind, how);
    data->maker = kinds[kind].maker;
    for (int i = 0; i < 2; i++) harness_files_name(&paths, test_path);
    data->maker->read(data, &paths, why);
    harness_files_free(&paths);
    return why->status;
}

static void read_good(nests_data *data, int kind)
{
    expect_ok(try_read(data, kind, GOOD, new_failure()));
}

static void take(nests_rows *rows, const nests_data *data, int group, const int *item, int n)
{
    expect_ok(data->maker->rows(rows, data, group, item, n, new_failure()));
    assert_int_equal(rows->items, n);
}

static void done(nests_data *data, nests_rows *rows)
{
    if (rows) nests_rows_free(rows);
    data->maker->drop(data);
    assert_int_equal(data->budget.used, 0);
}

/* ---- every kind ---- */

static void a_file_is_of_one_kind(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        write_file(k, GOOD);
        ag_npz *npz = expect_made(ag_npz_open(test_path, 1 << 20, new_failure()));
        for (int m = 0; m < KINDS; m++)
            assert_int_equal(!!ag_npz_find(npz, kinds[m].maker->array), m == k);
        ag_npz_close(npz);
    }
}

static void groups_have_the_items_of_files(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        nests_data data = {0};
        read_good(&data, k);
        assert_int_equal(data.groups, 2);
        assert_int_equal(data.items, 2 * kinds[k].items);
        for (int g = 0; g < 2; g++) {
            const nests_group *group = &data.group[g];
            assert_string_equal(group->name, "x");
            assert_int_equal(group->items, kinds[k].items);
            for (int i = 0; i < group->items; i++) {
                assert_int_equal(group->runtime[i], kinds[k].runtime[i]);
                if (group->number) assert_int_equal(group->number[i], i);
            }
        }
        assert_int_equal(data.programs, k == TILE);
        done(&data, NULL);
    }
}

static void a_damaged_file_is_refused(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        nests_data data = {0};
        expect_status(try_read(&data, k, DAMAGED, new_failure()), AG_EDATA, "x.npz");
        done(&data, NULL);
    }
}

static void the_hash_tells_files_apart(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        nests_data data = {0}, again = {0}, other = {0};
        read_good(&data, k);
        read_good(&again, k);
        assert_true(data.hash == again.hash);
        if (k != SCHEDULES) { /* its files cannot hide run times */
            expect_ok(try_read(&other, k, HIDDEN, new_failure()));
            assert_null(other.group[1].runtime);
            assert_true(data.hash != other.hash);
            done(&other, NULL);
        }
        done(&data, NULL);
        done(&again, NULL);
    }
}

/* A sum over the rows of an item in which each number counts. */
static double weigh(const nests_rows *r, int columns, int item)
{
    double sum = 0;
    for (int e = r->always ? -r->rows : r->first[item]; e < r->first[item + 1]; e++) {
        if (e >= 0 && e < r->first[item]) continue;
        const int row = e < 0 ? -1 - e : r->row[e];
        const float *x = r->x + (size_t)row * (size_t)columns;
        double value = r->word ? r->word[row] : 1;
        for (int k = 0; k < columns; k++) value += (k + 1) * (double)x[k] / 97;
        const double times = e < 0 ? r->always[row] : r->times ? r->times[e] : 1;
        sum += times * r->work[row] * value;
    }
    return sum;
}

static void an_item_is_the_same_among_others(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        nests_data data = {0};
        nests_rows every = {0}, one = {0};
        read_good(&data, k);
        const int columns = data.columns;
        take(&every, &data, 1, all, kinds[k].items);
        for (int i = kinds[k].items - 1; i >= 0; i--) {
            take(&one, &data, i % 2, &i, 1);
            for (int r = 0; r < one.rows; r++) {
                assert_true(one.work[r] > 0);
                if (one.word) assert_in_range(one.word[r], 0, data.words - 1);
            }
            const double expected = weigh(&every, columns, i), value = weigh(&one, columns, 0);
            assert_true(fabs(expected) > 0);
            assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
        }
        /* A maker may need less memory the second time, and keeps what it has. */
        take(&every, &data, 0, all, 1);
        take(&every, &data, 1, all, kinds[k].items);
        nests_rows_free(&one);
        done(&data, &every);
    }
}

/* ---- one kind ---- */

/* 0, 2 and 5 are equal, and 1 and 4. */
static void equal_layouts_may_be_left_out(void **state)
{
    nests_data data = {.distinct = true};
    nests_rows rows = {0};
    read_good(&data, LAYOUT);
    assert_int_equal(data.items, 2 * 3);
    assert_memory_equal(data.group[1].number, ((int[]){0, 1, 3}), 3 * sizeof(int));
    assert_memory_equal(data.group[1].runtime, ((int64_t[]){500, 300, 700}), 3 * sizeof(int64_t));
    take(&rows, &data, 1, all, 3);
    done(&data, &rows);
}

static void compare_rows(const nests_rows *rows, const nests_rows *expected, int columns)
{
    assert_int_equal(expected->items, rows->items);
    for (int i = 0; i < rows->items; i++) {
        const int n = expected->first[i + 1] - expected->first[i];
        assert_int_equal(rows->first[i + 1] - rows->first[i], n);
        for (int k = 0; k < n; k++) {
            const int row = rows->row[rows->first[i] + k],
                      from = expected->row[expected->first[i] + k];
            if (expected->word) assert_int_equal(rows->word[row], expected->word[from]);
            assert_memory_equal(rows->x + row * columns, expected->x + from * columns,
                                (size_t)columns * sizeof *rows->x);
            assert_true(rows->work[row] == expected->work[from]);
        }
    }
}

static void rows_of_kernels_are_those_of_their_nests(void **state)
{
    for (int kind = TILE; kind <= FUSION; kind++) {
        nests_data data = {0};
        nests_rows rows = {0}, own = {0};
        tpu_data expected = {0};
        read_good(&data, kind);
        take(&rows, &data, 1, all, 3);
        expect_ok(test_tpu_add(&expected, NULL, new_failure()));
        for (int i = 0; i < expected.kernels; i++)
            nests_tile_rows_add(&own, &expected.kernel[i], NULL, expected.kernel[i].configs);
        compare_rows(&rows, &own, NESTS_TILE_COLUMNS);
        nests_rows_free(&own);
        tpu_data_free(&expected);
        done(&data, &rows);
    }
}

static void rows_of_schedules_are_those_of_tpgnn(void **state)
{
    nests_data data = {0};
    nests_rows rows = {0}, own = {0};
    tpgnn_data expected = {0};
    read_good(&data, SCHEDULES);
    take(&rows, &data, 1, all, 2);
    expect_ok(test_schedules_add(&expected, NULL, new_failure()));
    for (int i = 0; i < 2; i++) nests_schedule_rows_add(&own, &expected, &expected.schedule[i]);
    compare_rows(&rows, &own, NESTS_SCHEDULE_ROW);
    nests_rows_free(&own);
    tpgnn_data_free(&expected);
    done(&data, &rows);
}

static void passes_are_a_second_measurement(void **state)
{
    nests_data data = {0};
    read_good(&data, SCHEDULES);
    assert_memory_equal(data.group[1].first, ((int64_t[]){2100, 500}), 2 * sizeof(int64_t));
    assert_memory_equal(data.group[1].second, ((int64_t[]){2000, 505}), 2 * sizeof(int64_t));
    done(&data, NULL);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, a_file_is_of_one_kind,
                          groups_have_the_items_of_files, a_damaged_file_is_refused,
                          the_hash_tells_files_apart, an_item_is_the_same_among_others,
                          equal_layouts_may_be_left_out, rows_of_kernels_are_those_of_their_nests,
                          rows_of_schedules_are_those_of_tpgnn, passes_are_a_second_measurement);
}
