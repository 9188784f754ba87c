/* SPDX-License-Identifier: MIT */
/* The baselines: their columns, counted by hand; what a fit reads; and whole runs on files made in
   memory, with run times that follow from their columns. */
#include "support/test.h"
#include "examples/tgraph/baseline/fit.h"
#include "examples/tgraph/hooks.h"
#include "support/tgraph_open.h"

/* ---- columns ---- */

/* The small layout file; nodes 2 and 5 become a convolution and a reshape. Configurations are of
   kinds 0 1 0 2 1 0, and all 36 digits differ between kinds. */
static tgraph_file *open_small(void)
{
    static test_layout l;
    test_layout_make(&l);
    l.opcode[2] = 26;
    l.opcode[5] = 75;
    l.node_feat[2][28] = 7;
    l.node_feat[5][28] = 0;
    return test_layout_open(&l, tgraph_layout_defaults(), NULL);
}

/* Chooses keys of the first rows of a file, of which these are there in the end; the caller frees
   them. */
static int32_t *keys_of(const tgraph_file *f, const int32_t *config, int rows, int most, int found,
                        int columns, const int32_t *expected)
{
    int count, before;
    int32_t *key = tgraph_onehot_keys(&count, &before, f, config, rows, most, new_failure());
    expect_ok(last_failure()->status);
    assert_int_equal(before, found);
    assert_int_equal(count, columns);
    assert_memory_equal(key, expected, (size_t)columns * sizeof *key);
    return key;
}

/* Digit 0 of node 0 separates the kinds: values -1, 4, 2, so rows 1, 6, 4. Two columns may stay:
   kinds 0 and 1, with the variances 3 3 and 2 4 above 1 5. With only kind 0 nothing varies. */
static void onehot_by_hand(void **state)
{
    static const int kind[TEST_CONFIGS] = {0, 1, 0, 2, 1, 0};
    static const int32_t all[TEST_CONFIGS] = {0, 1, 2, 3, 4, 5}, alike[] = {0, 2, 5};
    tgraph_file *f = open_small();
    int32_t *key = keys_of(f, all, TEST_CONFIGS, 100, 3, 3, (int32_t[]){1, 4, 6});
    for (int c = 0; c < TEST_CONFIGS; c++) {
        float x[3];
        tgraph_onehot_row(x, key, 3, f, c);
        const float expected[3] = {kind[c] == 0, kind[c] == 2, kind[c] == 1};
        assert_memory_equal(x, expected, sizeof x);
    }
    harness_free(key);
    harness_free(keys_of(f, all, TEST_CONFIGS, 2, 3, 2, (int32_t[]){1, 6}));
    harness_free(keys_of(f, alike, 3, 100, 0, 0, alike));
    tgraph_file_close(f);
}

/* Of ten rows one has another first digit, five another second: those two columns, digit 1 at
   values 0 and 1, vary more. */
static void onehot_keeps_what_varies(void **state)
{
    int32_t all[10];
    tgraph_file f = {.configs = 10, .graph = {.configurable = 1}, .path = test_path};
    expect_ok(tgraph_store_open(&f.store, 10, TGRAPH_WORDS, NULL, "made", new_failure()));
    for (int c = 0; c < 10; c++) {
        uint32_t word[TGRAPH_WORDS];
        const float value[TGRAPH_DIGITS] = {(float)(c == 7), (float)(c % 2)};
        tgraph_pack(word, value);
        tgraph_store_put(&f.store, word);
        all[c] = c;
    }
    harness_free(keys_of(&f, all, 10, 2, 4, 2, (int32_t[]){1 * 8 + 2, 1 * 8 + 3}));
    tgraph_store_close(&f.store, NULL);
}

static void counts_by_hand(void **state)
{
    static float x[TGRAPH_COUNT_COLUMNS], expected[TGRAPH_COUNT_COLUMNS];
    float pooled[TGRAPH_POOLED];
    tgraph_file *f = open_small();
    for (int k = 0; k < TGRAPH_POOLED; k++) pooled[k] = (float)k;
    tgraph_count_row(x, f, 1, pooled); /* of kind 1 */
    for (int node = 0; node < 2; node++)
        for (int k = 0; k < 18; k++) {
            int kind = node ? 2 : 0, row = (5 + node * 3 + k) % 7 + 1;
            int at = (kind * 18 + k) * 8 + row;
            expected[at] += 1;
            expected[576 + at] += node ? 0.0F : log1pf(7);
        }
    memcpy(expected + 1152, pooled, sizeof pooled);
    for (int k = 0; k < TGRAPH_COUNT_COLUMNS; k++) assert_true(fabsf(x[k] - expected[k]) < 1e-6F);
    tgraph_file_close(f);
}

static void pool_by_hand(void **state)
{
    static float raw[3 * TGRAPH_NUMERIC];
    float pooled[TGRAPH_POOLED];
    tgraph_graph g = {.nodes = 3, .raw = raw};
    raw[5] = 1;
    raw[TGRAPH_NUMERIC + 5] = -3;
    raw[2 * TGRAPH_NUMERIC + 5] = 8;
    for (int v = 0; v < 3; v++) raw[v * TGRAPH_NUMERIC + 133] = -1;
    tgraph_pool(pooled, &g);
    assert_true(fabsf(pooled[5] - (logf(2) - logf(4) + logf(9)) / 3) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 5] - logf(9)) < 1e-6F);
    assert_true(fabsf(pooled[133] + logf(2)) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 133] + logf(2)) < 1e-6F);
    assert_true(pooled[0] == 0 && pooled[TGRAPH_NUMERIC] == 0);
}

/* ---- files in memory ---- */

enum { NODES = 4, MOST_FILES = 7 };

static char made_name[] = "made.npz";

/* The effect of a value of a digit on the log run time, the same in every file. */
static double effect(int digit, int value) { return 0.01 * ((digit * 5 + value * 3) % 11); }

/* Convolutions whose first three digits vary; the log run time is the sum of their effects. */
static tgraph_file *make_file(int configs, uint64_t seed, int alike)
{
    tgraph_file *f = harness_alloc(sizeof *f);
    ag_random r = {seed, 9, 0};
    f->path = f->name = made_name;
    f->configs = f->train_count = configs;
    f->has_runtimes = 1;
    char *block = harness_alloc(NODES * (TGRAPH_NUMERIC + 2) * sizeof(float));
    f->graph = (tgraph_graph){.nodes = NODES, .configurable = NODES, .block = block};
    f->graph.opcode = (int32_t *)(void *)block;
    f->graph.config_node = f->graph.opcode + NODES;
    f->graph.raw = (float *)(void *)(f->graph.config_node + NODES);
    f->runtime = HARNESS_NEW(f->runtime, configs);
    expect_ok(tgraph_store_open(&f->store, configs, NODES * TGRAPH_WORDS, NULL, made_name,
                                new_failure()));
    for (int v = 0; v < NODES; v++) {
        f->graph.opcode[v] = 26;
        f->graph.config_node[v] = v;
        f->graph.raw[v * TGRAPH_NUMERIC + 28] = 100;
    }
    for (int c = 0; c < configs; c++) {
        uint32_t row[NODES * TGRAPH_WORDS];
        double time = 14;
        for (int v = 0; v < NODES; v++) {
            float value[TGRAPH_DIGITS] = {0};
            for (int k = 0; k < 3 && !alike; k++) {
                int digit = (int)ag_random_below(&r, 4);
                value[k] = (float)digit;
                time += effect(k, digit);
            }
            tgraph_pack(row + v * TGRAPH_WORDS, value);
        }
        tgraph_store_put(&f->store, row);
        f->runtime[c] = (int64_t)exp(time);
    }
    return f;
}

/* Files of 300 configurations, the last of which is scored, the others learned from. */
static tgraph_set make_set(tgraph_entry entry[MOST_FILES], int files, int configs)
{
    for (int i = 0; i < files; i++)
        entry[i] = (tgraph_entry){.file = make_file(configs, (uint64_t)i, 0),
                                  .train = i + 1 < files,
                                  .score = i + 1 == files,
                                  .items = configs};
    return (tgraph_set){.entry = entry, .count = files};
}

/* Splits a file of the set and scores its held-out part. */
static void split(tgraph_entry *e)
{
    expect_ok(tgraph_file_split(e->file, 0.8, 1, new_failure()));
    e->item = e->file->held;
    e->items = e->file->held_count;
    e->train = e->score = 1;
}

static void close_set(tgraph_set *set)
{
    for (int i = 0; i < set->count; i++) tgraph_file_close(set->entry[i].file);
}

/* ---- runs ---- */

enum { RANDOM, RIDGE, BOOSTING, ROUNDED, BASELINES };

static void open_and_fit(tgraph_results *r, const tgraph_set *set)
{
    static const tgraph_settings settings;
    static tgraph_files files;
    files = (tgraph_files){.set = *set, .training = true};
    *r = (tgraph_results){.rank.name = "TGraph"};
    tgraph_results_open(r, &files, &settings.harness);
    expect_ok(tgraph_results_baselines(r, new_failure()));
}

static void run(tgraph_results *r, const tgraph_set *set)
{
    open_and_fit(r, set);
    expect_ok(harness_rank_compute(&r->rank, new_failure()));
}

static int method(const tgraph_results *r, int kind) { return r->rank.methods - BASELINES + kind; }

static double measured(const tgraph_results *r, int kind, int group, harness_measure measure)
{
    return harness_rank_at(&r->rank, method(r, kind), group)->of[measure];
}

static void expect_note(const tgraph_results *r, int kind, const char *text)
{
    const char *note = r->rank.note[method(r, kind)];
    if (!strstr(note, text)) fail_msg("\"%s\" says not: %s", note, text);
}

static bool is_absent(const tgraph_results *r, int kind, int group)
{
    const bool *absent = r->rank.absent[method(r, kind)];
    return absent && absent[group];
}

static void within_a_file(void **state)
{
    tgraph_entry e[MOST_FILES];
    tgraph_set set = make_set(e, 1, 6000);
    tgraph_results r, again;
    split(e);
    run(&r, &set);
    run(&again, &set);
    assert_int_equal(r.rank.items, 1200);
    assert_true(fabs(measured(&r, RANDOM, 0, HARNESS_TAU_B)) < 0.08);
    assert_true(fabs(measured(&r, RANDOM, 0, HARNESS_OPA) - 0.5) < 0.04);
    assert_true(measured(&r, RIDGE, 0, HARNESS_TAU_B) > 0.95); /* the truth is linear */
    assert_true(measured(&r, RIDGE, 0, HARNESS_SLOWDOWN_100) == 0);
    assert_true(measured(&r, RIDGE, 0, HARNESS_TIED) < 0.01);
    expect_note(&r, RANDOM, "uniform scores");
    expect_note(&r, RIDGE, "4800 of 4800 configurations of this file, 48 columns, weight ");
    for (int m = 0; m < r.rank.methods; m++)
        assert_memory_equal(r.rank.score[m], again.rank.score[m], 1200 * sizeof(double));
    if (harness_boosting_built()) {
        const double *exact = r.rank.score[method(&r, BOOSTING)];
        const double *rounded = r.rank.score[method(&r, ROUNDED)];
        assert_true(measured(&r, BOOSTING, 0, HARNESS_TAU_B) > 0.7);
        expect_note(&r, ROUNDED, "rounded to three digits");
        for (int i = 0; i < 1200; i++) {
            assert_true(fabs(rounded[i] - exact[i]) <= 0.0005 + 1e-12);
            assert_true(fabs(rounded[i] * 1000 - rint(rounded[i] * 1000)) < 1e-9);
        }
    } else
        expect_note(&r, BOOSTING, "not built: libxgboost is not installed");
    harness_rank_close(&r.rank);
    harness_rank_close(&again.rank);
    close_set(&set);
}

/* From two programs and from six (then whole programs choose the weight) to another. A program that
   is a thousand times as slow changes nothing: the target is standardised within each. */
static void across_programs(void **state)
{
    static const struct {
        int files, slower;
        const char *note;
    } cases[] = {{3, 1, "600 of 600 configurations of 2 programs, "},
                 {7, 1, "1800 of 1800 configurations of 6 programs, "},
                 {3, 1000, "600 of 600"}};
    for (int i = 0; i < 3; i++) {
        tgraph_entry e[MOST_FILES];
        tgraph_set set = make_set(e, cases[i].files, 300);
        tgraph_results r;
        for (int c = 0; c < 300; c++) e[0].file->runtime[c] *= cases[i].slower;
        run(&r, &set);
        assert_true(measured(&r, RIDGE, 0, HARNESS_TAU_B) > 0.98);
        if (harness_boosting_built()) assert_true(measured(&r, BOOSTING, 0, HARNESS_TAU_B) > 0.6);
        expect_note(&r, RIDGE, cases[i].note);
        harness_rank_close(&r.rank);
        close_set(&set);
    }
}

/* A file that was split has a fit of its own; without others the rest have random order. */
static void own_parts(void **state)
{
    for (int trains = 1; trains >= 0; trains--) {
        tgraph_entry e[MOST_FILES];
        tgraph_set set = make_set(e, 3, 200);
        tgraph_results r;
        split(&e[1]);
        e[1].train = 0;
        e[0].train = trains;
        run(&r, &set);
        expect_note(&r, RIDGE, "160 of 160 configurations of this file");
        assert_false(is_absent(&r, RIDGE, 0));
        assert_int_equal(is_absent(&r, RIDGE, 1), !trains);
        assert_false(is_absent(&r, RANDOM, 1));
        harness_rank_close(&r.rank);
        close_set(&set);
    }
}

static void nothing_to_fit(void **state)
{
    for (int hidden = 0; hidden < 2; hidden++) {
        tgraph_entry e = {.file = make_file(50, 1, 1), .train = 1, .score = 1, .items = 50};
        const tgraph_set set = {.entry = &e, .count = 1};
        tgraph_results r;
        e.file->has_runtimes = !hidden;
        open_and_fit(&r, &set);
        for (int kind = RIDGE; kind < BASELINES; kind++) {
            assert_true(is_absent(&r, kind, 0));
            expect_note(&r, kind,
                        hidden ? "nothing to fit: no program with run times to learn from"
                               : "nothing to fit: all configurations are alike");
        }
        assert_false(is_absent(&r, RANDOM, 0));
        harness_rank_close(&r.rank);
        tgraph_file_close(e.file);
    }
}

/* ---- the rows of a fit ---- */

static tgraph_fit read_rows(bool within, int rows, int columns, int cells, const tgraph_part *part,
                            int parts, const char *says)
{
    const char *note;
    tgraph_fit fit = {
        .within = within, .most_rows = rows, .most_columns = columns, .most_cells = cells};
    expect_ok(tgraph_fit_read(&fit, &note, part, parts, new_failure()));
    if (!strstr(note, says)) fail_msg("\"%s\" says not: %s", note, says);
    return fit;
}

static void limits(void **state)
{
    tgraph_file *f = make_file(800, 1, 0);
    const tgraph_part part = {f, NULL, 800};
    tgraph_fit fit = read_rows(true, 500, 100, 1 << 24, &part, 1,
                               "500 of 800 configurations of this file, 48 columns");
    tgraph_fit_close(&fit);
    fit = read_rows(true, 500, 20, 5000, &part, 1, "250 of 800"); /* 250 rows of 20 columns */
    assert_true(fit.columns == 20 && fit.found == 48);
    tgraph_fit_close(&fit);
    tgraph_file_close(f);
}

/* A fifth chooses the weight: of the rows, or of the programs from five on. */
static void rows_of_a_fit(void **state)
{
    tgraph_file *f[6];
    tgraph_part part[6];
    for (int i = 0; i < 6; i++) {
        f[i] = make_file(30 + i, (uint64_t)i, 0);
        part[i] = (tgraph_part){f[i], NULL, 30 + i};
        f[i]->graph.raw[133] = (float)i; /* the last column identifies the program */
    }
    for (int parts = 2; parts <= 6; parts += 4) {
        tgraph_fit fit = read_rows(false, 65536, 0, 1 << 24, part, parts, "");
        assert_int_equal(fit.rows, parts == 2 ? 61 : 195);
        assert_int_equal(fit.head, parts == 2 ? 49 : 160);
        double sum = 0, square = 0;
        for (int r = 0; r < fit.rows; r++) sum += (double)fit.x[r * fit.columns];
        for (int r = 0; r < fit.rows; r++)
            square += (double)(fit.x[r * fit.columns] * fit.x[r * fit.columns]);
        assert_true(fabs(sum) < 1e-4 && fabs(square - fit.rows) < 1e-3);
        int first = 0, last = fit.columns - 1; /* two programs are mixed */
        for (int r = fit.head; r < fit.rows; r++) first += fit.x[r * fit.columns + last] < 0;
        if (parts == 2)
            assert_true(first > 0 && first < fit.rows - fit.head);
        else
            assert_int_equal(first, 0);
        tgraph_fit_close(&fit);
    }
    for (int i = 0; i < 6; i++) tgraph_file_close(f[i]);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, onehot_by_hand,
                          onehot_keeps_what_varies, counts_by_hand, pool_by_hand, within_a_file,
                          across_programs, own_parts, nothing_to_fit, limits, rows_of_a_fit);
}
