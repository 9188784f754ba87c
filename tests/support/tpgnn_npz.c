/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "tpgnn_npz.h"
#include "examples/tpgnn/program.h"

static const char kinds[] = "PrimFunc - - - 0\n"
                            "Param - float32 global 1\n"
                            "IntImm - int32 - 0\n"
                            "For serial int32 - 0\n"
                            "BufferStore - float32 global 1\n"
                            "BufferLoad - float32 global 1\n"
                            "Var - int32 - 1\n"
                            "For parallel int32 - 0\n"
                            "FloatImm - float32 - 0\n"
                            "Annotation.pragma - - - 0";

/* line of kinds, children, value, refers */
static const float node[TPGNN_TEST_NODES][4] = {
    {0, 2, 0, 0},    /* 0 PrimFunc */
    {1, 1, 0, 0},    /* 1 Param */
    {2, 0, 16, 0},   /* 2 its size */
    {3, 3, 16, 0},   /* 3 For */
    {2, 0, 0, 0},    /* 4 minimum */
    {2, 0, 16, 0},   /* 5 extent */
    {4, 2, 0, 1},    /* 6 BufferStore */
    {8, 0, 1.5F, 0}, /* 7 FloatImm */
    {6, 0, 0, 2},    /* 8 Var */

    {0, 2, 0, 0},  /* 0 PrimFunc */
    {1, 1, 0, 0},  /* 1 Param */
    {2, 0, 16, 0}, /* 2 its size */
    {7, 4, 4, 0},  /* 3 For */
    {9, 0, 7, 0},  /* 4 Annotation */
    {2, 0, 1, 0},  /* 5 minimum */
    {2, 0, 4, 0},  /* 6 extent */
    {3, 3, 0, 0},  /* 7 For */
    {2, 0, 0, 0},  /* 8 minimum */
    {6, 0, 0, 2},  /* 9 extent */
    {4, 2, 0, 1},  /* 10 BufferStore */
    {5, 1, 0, 1},  /* 11 BufferLoad */
    {6, 0, 0, 3},  /* 12 Var */
    {6, 0, 0, 2},  /* 13 Var */
};

static void fill(test_schedules *s)
{
    memset(s, 0, sizeof *s);
    strcpy(s->workload, "mm_4_4");
    for (int v = 0; v < TPGNN_TEST_NODES; v++) {
        s->kind[v] = (uint8_t)node[v][0];
        s->children[v] = (uint8_t)node[v][1];
        s->value[v] = node[v][2];
        s->refers[v] = (uint8_t)node[v][3];
    }
    for (int r = 0; r < TPGNN_TEST_ROWS; r++)
        for (int c = 0; c < TPGNN_FEATURES; c++) s->feature[r][c] = (float)(100 * r + c);
    memcpy(s->node_offset, (int64_t[]){0, 9, 23}, sizeof s->node_offset);
    memcpy(s->store_offset, (int64_t[]){0, 1, 3}, sizeof s->store_offset);
    memcpy(s->store, (uint8_t[]){2, 0, 2}, sizeof s->store);
    memcpy(s->runtime, (int64_t[]){2000, 500}, sizeof s->runtime);
    memcpy(s->median, (int64_t[]){2020, 510}, sizeof s->median);
    memcpy(s->passes, (int64_t[]){2000, 2100, 505, 500}, sizeof s->passes);
    memcpy(s->spread, (float[]){0.01F, 0.02F}, sizeof s->spread);
    memcpy(s->noisy, (uint8_t[]){0, 1}, sizeof s->noisy);
    memcpy(s->origin, (uint8_t[]){0, 2}, sizeof s->origin);
    memcpy(s->hash, (int64_t[]){-5, 7}, sizeof s->hash);
}

void test_schedules_make(test_schedules *s)
{
    enum { K = TPGNN_TEST_SCHEDULES, N = TPGNN_TEST_NODES };
    fill(s);
    const test_array array[TPGNN_ARRAYS] = {
        {"workload", AG_U8, 1, {6}, s->workload},
        {"kinds", AG_U8, 1, {0}, s->kinds},
        {"node_kind", AG_U8, 1, {N}, s->kind},
        {"node_children", AG_U8, 1, {N}, s->children},
        {"node_value", AG_F32, 1, {N}, s->value},
        {"node_refers", AG_U8, 1, {N}, s->refers},
        {"node_offset", AG_I64, 1, {K + 1}, s->node_offset},
        {"feature_row", AG_F32, 2, {TPGNN_TEST_ROWS, TPGNN_FEATURES}, s->feature},
        {"store_row", AG_U8, 1, {TPGNN_TEST_STORES}, s->store},
        {"store_offset", AG_I64, 1, {K + 1}, s->store_offset},
        {"schedule_runtime", AG_I64, 1, {K}, s->runtime},
        {"schedule_median", AG_I64, 1, {K}, s->median},
        {"schedule_spread", AG_F32, 1, {K}, s->spread},
        {"schedule_passes", AG_I64, 2, {K, 2}, s->passes},
        {"schedule_noisy", AG_U8, 1, {K}, s->noisy},
        {"schedule_origin", AG_U8, 1, {K}, s->origin},
        {"schedule_hash", AG_I64, 1, {K}, s->hash},
    };
    memcpy(s->array, array, sizeof array);
    test_schedules_kinds(s, kinds);
}

void test_schedules_kinds(test_schedules *s, const char *text)
{
    assert_true(strlen(text) < TPGNN_TEST_TEXT);
    strcpy(s->kinds, text);
    s->array[TPGNN_KINDS].size[0] = (int64_t)strlen(text);
}

void test_schedules_replace(test_schedules *s, const char *word, const char *other)
{
    char text[2 * TPGNN_TEST_TEXT];
    const char *at = strstr(s->kinds, word);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - s->kinds), s->kinds, other,
             at + strlen(word));
    test_schedules_kinds(s, text);
}

ag_status test_schedules_add(tpgnn_data *data, const char *path, ag_failure *why)
{
    harness_files paths = {0};
    if (!harness_files_add(&paths, path ? path : test_path, why)) tpgnn_data_add(data, &paths, why);
    harness_files_free(&paths);
    return why->status;
}

void test_schedules_write(const test_schedules *s, const char *name)
{
    assert_true(test_arrays_write(test_file(name), s->array, TPGNN_ARRAYS));
}

void test_schedules_read(tpgnn_data *data, const test_schedules *s, const char *name)
{
    test_schedules_write(s, name);
    const char *path = test_file(name);
    expect_ok(test_schedules_add(data, path, new_failure()));
    remove(path);
}

void test_schedules_read_good(tpgnn_data *data, const char *name)
{
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_read(data, &s, name);
}

int64_t test_schedules_unknown(const tpgnn_data *data, tpgnn_field field)
{
    int64_t n = 0;
    for (int i = 0; i < data->schedules; i++)
        for (int v = 0; v < data->schedule[i].nodes; v++)
            n += !data->kind[data->schedule[i].kind[v]].index[field];
    return n;
}

tpgnn_options test_tpgnn_options(tpgnn_network network)
{
    tpgnn_settings s;
    ag_failure why = {0};
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &s);
    if (network == TPGNN_STATEMENTS)
        harness_options_set(o, "defaults", "preset", "statements", &why);
    harness_options_free(o);
    for (int f = 0; f < TPGNN_FIELDS; f++) s.model.words[f] = 1;
    return s.model;
}
