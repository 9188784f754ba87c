/* SPDX-License-Identifier: MIT */
/* Files of schedules with wrong arrays: one sentence each, never a crash. Cuts and flipped bits:
   programs/. */
#define _GNU_SOURCE
#include "support/tpgnn_npz.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include "support/npz_craft.h"
#include <math.h>

/* ---- one spoiled array each ---- */

#define SPOIL(NAME, DOES) \
 static void NAME(test_schedules *s) { DOES; }
SPOIL(blank, test_schedules_kinds(s, "PrimFunc  - - 0"))
SPOIL(few_words, test_schedules_kinds(s, "PrimFunc - - - 0\nFor serial - 0"))
SPOIL(many_words, test_schedules_kinds(s, "PrimFunc - - - 0 0"))
SPOIL(named_2, test_schedules_kinds(s, "PrimFunc - - - 2"))
SPOIL(last_newline, test_schedules_kinds(s, "PrimFunc - - - 0\n"))
SPOIL(no_kinds, test_schedules_kinds(s, ""))
SPOIL(letter, test_schedules_kinds(s, "Prim\xC3\xA4 - - - 0"))
SPOIL(kind_beyond, s->kind[3] = 10)
SPOIL(kind_sizes, s->array[TPGNN_NODE_CHILDREN].size[0] = 22)
SPOIL(complete, s->children[0] = 1)
SPOIL(lacking, s->children[8] = 1)
SPOIL(children_beyond, s->children[8] = 24)
SPOIL(value_nan, s->value[4] = NAN)
SPOIL(value_inf, s->value[22] = -INFINITY)
SPOIL(refers_later, s->refers[6] = 3)
SPOIL(refers_self, s->refers[3] = 2)
SPOIL(refers_beyond, s->refers[22] = 24)
SPOIL(late, s->node_offset[0] = 1)
SPOIL(early, s->node_offset[2] = 22)
SPOIL(empty, s->node_offset[1] = 0)
SPOIL(far, s->node_offset[1] = INT64_MAX)
SPOIL(lowest, s->node_offset[1] = INT64_MIN)
SPOIL(store_beyond, s->store[0] = 3)
SPOIL(store_falls, s->store_offset[1] = -1)
SPOIL(store_ends, s->store_offset[2] = 2)
SPOIL(feature_nan, s->feature[1][7] = NAN)
SPOIL(feature_columns, s->array[TPGNN_FEATURE_ROW].size[1] = 163)
SPOIL(feature_none, s->array[TPGNN_FEATURE_ROW].size[0] = 0)
SPOIL(time_0, s->runtime[1] = 0)
SPOIL(time_negative, s->median[0] = -1)
SPOIL(pass_0, s->passes[1][1] = 0)
SPOIL(passes_flat, s->array[TPGNN_PASSES].rank = 1)
SPOIL(spread_negative, s->spread[0] = -1)
SPOIL(noisy_2, s->noisy[1] = 2)
SPOIL(origin_4, s->origin[0] = 4)
SPOIL(time_float, s->array[TPGNN_RUNTIME].dtype = AG_F64)
SPOIL(many_schedules, s->array[TPGNN_RUNTIME].size[0] = 24;
      s->array[TPGNN_RUNTIME].data = s->feature)
SPOIL(no_hash, s->array[TPGNN_HASH].name = NULL)
SPOIL(no_workload, s->array[TPGNN_WORKLOAD].name = NULL)
SPOIL(other_file, s->array[TPGNN_NODE_KIND].name = "node_feat")

static const struct {
    void (*spoil)(test_schedules *);
    const char *sentence; /* after the path */
} spoiled[] = {
    {blank, ": line 0 of kinds, counted from 0, must be five words with a blank between them: TYPE "
            "LOOP DTYPE SCOPE NAMED, the last 0 or 1"},
    {few_words, ": line 1 of kinds, counted from 0, must be five words"},
    {many_words, ": line 0 of kinds"},
    {named_2, ": line 0 of kinds"},
    {last_newline, ": line 1 of kinds"},
    {no_kinds, ": line 0 of kinds"},
    {letter, ": line 0 of kinds"},
    {kind_beyond, ": node_kind[3] = 10, but it must be 0 to 9: a line of kinds per node"},
    {kind_sizes, ": node_children has shape [22], but must be [23]: the number of children of each "
                 "node"},
    {complete, ": node_children: the tree of schedule 0 is complete with 3 nodes, but node_offset "
               "gives it 9"},
    {lacking, ": node_children: node 8 of schedule 0 should have 1 children, but the schedule ends "
              "with the 9 nodes of node_offset behind 0 of them"},
    {children_beyond, ": node_children[8] = 24, but it must be 0 to 23"},
    {value_nan, ": value 4 of node_value is nan, but all must be finite"},
    {value_inf, ": value 22 of node_value is -inf, but all must be finite"},
    {refers_later, ": node_refers: node 6 of schedule 0 refers to declaration 3, but there are 2 "
                   "before it"},
    {refers_self, ": node_refers: node 3 of schedule 0 refers to declaration 2, but there are 1 "
                  "before it"},
    {refers_beyond, ": node_refers[22] = 24, but it must be 0 to 23"},
    {late, ": node_offset goes from 1 to 23, but must go from 0 to 23"},
    {early, ": node_offset goes from 0 to 22, but must go from 0 to 23"},
    {empty, ": node_offset[1] = 0 follows 0, but it must be at least 1 more and at most 23"},
    {far, ": node_offset[1] = 9223372036854775807 follows 0, but it must be"},
    {lowest, ": node_offset[1] = -9223372036854775808 follows 0, but it must be"},
    {store_beyond, ": store_row[0] = 3, but it must be 0 to 2: a row of feature_row per stored "
                   "buffer"},
    {store_falls, ": store_offset[1] = -1 follows 0, but it must be at least 0 more and at most 3"},
    {store_ends, ": store_offset goes from 0 to 2, but must go from 0 to 3"},
    {feature_nan, ": value 171 of feature_row is nan, but all must be finite"},
    {feature_columns,
     ": feature_row has shape [3,163], but must be [any,164]: 164 features per row"},
    {feature_none, ": store_row has 3 entries for 0 rows of feature_row"},
    {time_0, ": schedule_runtime of schedule 1 is 0, but must be at least 1 ns"},
    {time_negative, ": schedule_median of schedule 0 is -1, but must be at least 1 ns"},
    {pass_0, ": schedule_passes of schedule 1 is 0, but must be at least 1 ns"},
    {passes_flat, ": schedule_passes has shape [2], but must be [2,2]: two run times per schedule"},
    {spread_negative, ": schedule_spread[0] = -1, but must be a finite number from 0 on"},
    {noisy_2, ": schedule_noisy of schedule 1 is 2, but must be 0 to 1"},
    {origin_4, ": schedule_origin of schedule 0 is 4, but must be 0 to 3"},
    {time_float, "schedule_runtime"},
    {many_schedules, ": there are 24 schedules of 23 nodes together, but a file has 1 to"},
    {no_hash, ": there is no array schedule_hash, which must hold one hash per schedule"},
    {no_workload, ": there is no array workload"},
    {other_file,
     ": this is a file of TpuGraphs or the lab (it has node_feat), which tgraph and tpu "
     "read; name files of schedules"},
};

/* Data read before stay, and nothing of the bad file is left. */
static void each_spoiled_array_gets_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        test_schedules s;
        tpgnn_data d = {0};
        ag_failure why = {0};
        test_schedules_make(&s);
        test_schedules_read(&d, &s, "good_1.npz");
        const uint64_t hash = d.hash;
        spoiled[i].spoil(&s);
        test_schedules_write(&s, "x.npz");
        assert_int_equal(test_schedules_add(&d, NULL, &why), AG_EDATA);
        assert_non_null(strstr(why.sentence, test_path));
        if (!strstr(why.sentence, spoiled[i].sentence))
            fail_msg("%s\n%s", why.sentence, spoiled[i].sentence);
        assert_true(d.schedules == 2 && d.tasks == 1 && d.kinds == 10 && d.families == 1);
        assert_true(d.hash == hash && d.nodes == 23 && d.stores == 3);
        tpgnn_data_free(&d);
        assert_int_equal(d.budget.used, 0);
    }
}

/* A schedule may store nothing, and a file have wider types. */
static void other_dtypes_are_read(void **state)
{
    (void)state;
    test_schedules s;
    tpgnn_data d = {0};
    int32_t kind[TPGNN_TEST_NODES], offset[3] = {0, 9, 23};
    uint8_t runtime[2] = {1, 255};
    test_schedules_make(&s);
    for (int v = 0; v < TPGNN_TEST_NODES; v++) kind[v] = s.kind[v];
    s.array[TPGNN_NODE_KIND] = (test_array){"node_kind", AG_I32, 1, {TPGNN_TEST_NODES}, kind};
    s.array[TPGNN_NODE_OFFSET] = (test_array){"node_offset", AG_I32, 1, {3}, offset};
    s.array[TPGNN_RUNTIME] = (test_array){"schedule_runtime", AG_U8, 1, {2}, runtime};
    s.array[TPGNN_FEATURE_ROW].size[0] = s.array[TPGNN_STORE_ROW].size[0] = 0;
    memset(s.store_offset, 0, sizeof s.store_offset);
    test_schedules_read(&d, &s, "a.npz");
    assert_true(d.schedules == 2 && d.schedule[1].stores == 0 && d.schedule[1].runtime == 255);
    tpgnn_data_free(&d);
}

/* ---- bytes ---- */

/* The properties that models rely on. */
static void check_schedules(const tpgnn_data *d)
{
    for (int i = 0; i < d->schedules; i++) {
        const tpgnn_schedule *s = &d->schedule[i];
        for (int v = 0; v < s->nodes; v++) {
            assert_true(s->kind[v] < d->kinds && isfinite(s->value[v]));
            assert_true(s->parent[v] < v && (s->parent[v] >= 0) == (v > 0));
            assert_true(s->refers[v] < v && s->refers[v] >= -1);
            assert_true(s->depth[v] == (v ? s->depth[s->parent[v]] + 1 : 0));
        }
        for (int k = 0; k < s->stores; k++) assert_true(isfinite(s->feature[164 * s->store[k]]));
        assert_true(s->runtime > 0 && s->pass[0] > 0 && s->pass[1] > 0);
    }
}

/* Returns 1 when the bytes of test_path are refused. */
static int try_bytes(void)
{
    tpgnn_data d = {0};
    ag_failure why = {0};
    test_schedules_add(&d, NULL, &why);
    assert_true(why.status ? !d.schedules && why.sentence[0] : d.schedules == 2);
    check_schedules(&d);
    tpgnn_data_free(&d);
    assert_int_equal(d.budget.used, 0);
    return why.status != AG_OK;
}

/* ---- arrays with flipped bits and right checksums ---- */

static unsigned char npy[TPGNN_ARRAYS][4096];
static size_t data_at[TPGNN_ARRAYS], data_bytes[TPGNN_ARRAYS];

static void craft_array(entry *e, int i, const test_array *a)
{
    static const char *const descr[] = {"<f4", "<f8", "|u1", "|i1", "<i4", "<i8"};
    static char name[TPGNN_ARRAYS][40];
    char dict[200], size[60];
    size_t count = 1;
    for (int r = 0; r < a->rank; r++) count *= (size_t)a->size[r];
    snprintf(size, sizeof size, a->rank == 2 ? "(%d, %d)" : "(%d,)", (int)a->size[0],
             (int)a->size[1]);
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
             descr[a->dtype], size);
    snprintf(name[i], sizeof name[i], "%s.npy", a->name);
    data_bytes[i] = count * ag_dtype_bytes(a->dtype);
    *e = (entry){.name = name[i], .bytes = npy[i]};
    e->n = make_npy(npy[i], 1, dict, a->data, data_bytes[i]);
    data_at[i] = e->n - data_bytes[i];
}

/* One to three bits at a time. */
static void flipped_values(void **state)
{
    (void)state;
    test_schedules s;
    entry e[TPGNN_ARRAYS];
    ag_random random = {8, 0, 0};
    int refused = 0;
    test_schedules_make(&s);
    for (int i = 0; i < TPGNN_ARRAYS; i++) craft_array(&e[i], i, &s.array[i]);
    make_zip(e, TPGNN_ARRAYS);
    assert_int_equal(files_put(test_path, made, made_n), 0);
    assert_false(try_bytes());
    for (int i = 0; i < 5000; i++) {
        int a[3];
        uint32_t bit[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (int)ag_random_below(&random, TPGNN_ARRAYS);
            bit[k] = ag_random_below(&random, (uint32_t)data_bytes[a[k]] * 8);
            if (k <= i % 3)
                npy[a[k]][data_at[a[k]] + bit[k] / 8] ^= (unsigned char)(1 << bit[k] % 8);
        }
        make_zip(e, TPGNN_ARRAYS);
        assert_int_equal(files_put(test_path, made, made_n), 0);
        refused += try_bytes();
        for (int k = 0; k <= i % 3; k++)
            npy[a[k]][data_at[a[k]] + bit[k] / 8] ^= (unsigned char)(1 << bit[k] % 8);
    }
    print_message("%d of 5000 refused\n", refused);
    assert_true(refused > 1500 && refused < 4990);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spoiled_array_gets_its_sentence),
        cmocka_unit_test(other_dtypes_are_read),
        cmocka_unit_test(flipped_values),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
