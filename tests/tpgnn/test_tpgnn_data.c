/* SPDX-License-Identifier: MIT */
/* Schedules of tensor programs: trees, names, vocabularies, and their form for models. */
#include "support/test.h"
#include "support/tpgnn_npz.h"

#include <jansson.h>

static const char *type_of(const tpgnn_data *d, const tpgnn_schedule *s, int v)
{
    return d->kind[s->kind[v]].word[TPGNN_TYPE];
}

static void a_file_is_a_task_of_schedules(void **state)
{
    tpgnn_data d = {0};
    test_schedules_read_good(&d, "conv2d-nhwc_1_20.npz");
    assert_true(d.tasks == 1 && d.schedules == 2 && d.families == 1 && d.nodes == 23);
    assert_string_equal(d.task[0].name, "conv2d-nhwc_1_20");
    assert_string_equal(d.family[d.task[0].family], "conv2d-nhwc");
    assert_true(d.task[0].first == 0 && d.task[0].schedules == 2 && d.stores == 3);
    const tpgnn_schedule *s = d.schedule, *t = s + 1;
    assert_true(s->task == 0 && s->number == 0 && t->number == 1);
    assert_true(s->runtime == 2000 && t->runtime == 500);
    assert_true(s->pass[1] == 2100 && t->pass[0] == 505 && t->pass[1] == 500);
    assert_true(!s->noisy && t->noisy);
    assert_true(s->stores == 1 && t->stores == 2 && s->store[0] == 2 && t->store[0] == 0);
    assert_true(t->feature[t->store[1] * TPGNN_FEATURES + 163] == 363);
    tpgnn_data_free(&d);
    assert_int_equal(d.budget.used, 0);
}

static void the_tree_is_read(void **state)
{
    tpgnn_data d = {0};
    test_schedules_read_good(&d, "mm_1.npz");
    const tpgnn_schedule *s = d.schedule, *t = s + 1;
    assert_true(s->nodes == 9 && t->nodes == 14);
    assert_memory_equal(s->parent, ((int32_t[]){-1, 0, 1, 0, 3, 3, 3, 6, 6}), 36);
    assert_memory_equal(s->position, ((int32_t[]){0, 0, 0, 1, 0, 1, 2, 0, 1}), 36);
    assert_memory_equal(s->depth, ((int32_t[]){0, 1, 2, 1, 2, 2, 2, 3, 3}), 36);
    assert_memory_equal(s->refers, ((int32_t[]){-1, -1, -1, -1, -1, -1, 1, -1, 3}), 36);
    assert_memory_equal(t->parent, ((int32_t[]){-1, 0, 1, 0, 3, 3, 3, 3, 7, 7, 7, 10, 11, 10}), 56);
    assert_memory_equal(t->position, ((int32_t[]){0, 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 0, 0, 1}), 56);
    assert_memory_equal(t->refers, ((int32_t[]){-1, -1, -1, -1, -1, -1, -1, -1, -1, 3, 1, 1, 7, 3}),
                        56);
    assert_true(s->value[7] == 1.5F && t->value[4] == 7);
    assert_string_equal(type_of(&d, t, 4), "Annotation.pragma");
    const tpgnn_kind *k = &d.kind[t->kind[3]];
    assert_string_equal(k->text, "For parallel int32 - 0");
    assert_string_equal(d.own.word[TPGNN_LOOP][k->index[TPGNN_LOOP]], "parallel");
    assert_string_equal(d.own.word[TPGNN_DTYPE][k->index[TPGNN_DTYPE]], "int32");
    assert_string_equal(d.own.word[TPGNN_SCOPE][k->index[TPGNN_SCOPE]], "-");
    assert_true(!k->named && d.kind[t->kind[9]].named && d.kind[t->kind[8]].constant);
    tpgnn_data_free(&d);
}

/* ---- vocabularies ---- */

static const char other_kinds[] = "PrimFunc - - - 0\n"
                                  "Param - float32 global 1\n"
                                  "IntImm - int32 - 0\n"
                                  "For vectorized int32 - 0\n"
                                  "BufferStore - float16 shared 1\n"
                                  "BufferLoad - float32 global 1\n"
                                  "Var - int32 - 1\n"
                                  "For parallel int32 - 0\n"
                                  "FloatImm - float32 - 0\n"
                                  "Alien.thing - - - 0";

static void read_two(tpgnn_data *d, int turned)
{
    test_schedules s;
    for (int i = 0; i < 2; i++) {
        test_schedules_make(&s);
        if (i != turned) test_schedules_kinds(&s, other_kinds);
        test_schedules_read(d, &s, i != turned ? "b_1.npz" : "a_1.npz");
    }
}

static void kinds_of_all_files_are_merged(void **state)
{
    tpgnn_data d = {0};
    read_two(&d, 0);
    assert_int_equal(d.kinds, 13);
    assert_int_equal(d.own.words[TPGNN_TYPE], 1 + 9 + 1);
    assert_int_equal(d.own.words[TPGNN_CLASS], 1 + 9 + 1);
    assert_int_equal(d.own.words[TPGNN_LOOP], 1 + 4);
    assert_int_equal(d.own.words[TPGNN_DTYPE], 1 + 4);
    assert_int_equal(d.own.words[TPGNN_SCOPE], 1 + 3);
    assert_string_equal(d.own.word[TPGNN_TYPE][0], "?");
    assert_int_equal(tpgnn_vocabulary_find(&d.own, TPGNN_CLASS, "Alien"), 1);
    assert_int_equal(tpgnn_vocabulary_find(&d.own, TPGNN_CLASS, "Alien.thing"), 0);
    assert_string_equal(type_of(&d, &d.schedule[1], 4), "Annotation.pragma");
    assert_string_equal(type_of(&d, &d.schedule[3], 4), "Alien.thing");
    for (int f = 0; f < TPGNN_FIELDS; f++)
        assert_int_equal(test_schedules_unknown(&d, (tpgnn_field)f), 0);
    tpgnn_data_free(&d);
}

/* The tasks are in another order, and the words of each node have the same indices. */
static void the_order_of_files_changes_no_index(void **state)
{
    tpgnn_data a = {0}, b = {0};
    read_two(&a, 0);
    read_two(&b, 1);
    assert_string_equal(a.task[0].name, b.task[1].name);
    assert_true(a.kinds == b.kinds && a.hash != b.hash);
    for (int i = 0; i < 4; i++) {
        const tpgnn_schedule *s = &a.schedule[i], *t = &b.schedule[(i + 2) % 4];
        assert_true(t->task == (i < 2) && t->number == i % 2 && t->nodes == s->nodes);
        for (int v = 0; v < s->nodes; v++) {
            const tpgnn_kind *k = &a.kind[s->kind[v]], *l = &b.kind[t->kind[v]];
            assert_string_equal(k->text, l->text);
            assert_memory_equal(k->index, l->index, sizeof k->index);
        }
    }
    tpgnn_data_free(&a);
    tpgnn_data_free(&b);
}

static void what_training_did_not_have_is_unknown(void **state)
{
    tpgnn_data train = {0}, d = {0};
    tpgnn_vocabulary stored = {0};
    test_schedules s;
    test_schedules_read_good(&train, "a_1.npz");
    json_t *j = tpgnn_vocabulary_json(tpgnn_data_vocabulary(&train));
    expect_ok(tpgnn_vocabulary_read(&stored, j, "run", new_failure()));
    json_decref(j);
    d.given = &stored;
    test_schedules_make(&s);
    test_schedules_kinds(&s, other_kinds);
    test_schedules_read(&d, &s, "b_1.npz");
    const tpgnn_kind *alien = &d.kind[d.schedule[1].kind[4]];
    assert_true(alien->index[TPGNN_TYPE] == 0 && alien->index[TPGNN_CLASS] == 0);
    assert_string_equal(alien->word[TPGNN_TYPE], "Alien.thing");
    assert_string_equal(stored.word[TPGNN_LOOP][alien->index[TPGNN_LOOP]], "-");
    assert_int_equal(test_schedules_unknown(&d, TPGNN_TYPE), 1);
    assert_int_equal(test_schedules_unknown(&d, TPGNN_LOOP), 2);
    assert_int_equal(test_schedules_unknown(&d, TPGNN_DTYPE), 2);
    assert_int_equal(test_schedules_unknown(&d, TPGNN_SCOPE), 2);
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        assert_int_equal(stored.words[f], train.own.words[f]);
        for (int i = 0; i < stored.words[f]; i++)
            assert_string_equal(stored.word[f][i], train.own.word[f][i]);
        const int index = d.kind[d.schedule[0].kind[1]].index[f]; /* Param is in both */
        assert_int_equal(index, train.kind[train.schedule[0].kind[1]].index[f]);
        assert_true(index > 0);
    }
    tpgnn_data_free(&train);
    tpgnn_data_free(&d);
    tpgnn_vocabulary_free(&stored);
}

static void spoiled_vocabularies_are_refused(void **state)
{
    static const char *const text[] = {"{}",
                                       "[]",
                                       "{\"type\": [\"?\", \"b\", \"a\"]}",
                                       "{\"type\": [\"?\", \"a\", \"a\"]}",
                                       "{\"type\": [\"a\"]}",
                                       "{\"type\": [\"?\", 3]}",
                                       "{\"type\": [\"?\"], \"class\": \"?\"}"};
    for (int i = 0; i < 7; i++) {
        tpgnn_vocabulary v = {0};
        json_t *j = json_loads(text[i], 0, NULL);
        expect_status(tpgnn_vocabulary_read(&v, j, "run.json", new_failure()), AG_EDATA,
                      "run.json: ");
        assert_null(v.word[0]);
        json_decref(j);
    }
}

/* ---- hash, memory ---- */

static uint64_t hash_of(const test_schedules *s, const char *name)
{
    tpgnn_data d = {0};
    test_schedules_read(&d, s, name);
    const uint64_t hash = d.hash;
    tpgnn_data_free(&d);
    return hash;
}

static void the_hash_knows_all_that_was_read(void **state)
{
    test_schedules s;
    test_schedules_make(&s);
    const uint64_t hash = hash_of(&s, "a_1.npz");
    assert_true(hash_of(&s, "a_1.npz") == hash && hash_of(&s, "a_2.npz") != hash);
    s.workload[0] = 'x'; /* only looked through */
    assert_true(hash_of(&s, "a_1.npz") == hash);
    void *const read[] = {
        s.kinds,     &s.kind[2],         &s.value[22],  &s.refers[6], &s.feature[1][163],
        &s.store[1], &s.store_offset[1], &s.runtime[1], &s.median[1], &s.passes[1][1],
        &s.noisy[0], &s.origin[0],       &s.hash[1],    &s.spread[1]};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        test_schedules_make(&s);
        *(uint8_t *)read[i] ^= 1;
        assert_true(hash_of(&s, "a_1.npz") != hash);
    }
}

static void memory_is_counted_and_limited(void **state)
{
    tpgnn_data d = {0};
    test_schedules s;
    test_schedules_read_good(&d, "a_1.npz");
    const size_t used = d.budget.used, arrays = 23 * 22 + 3 * 164 * 4 + 3 * 4;
    assert_true(used >= arrays + 2 * sizeof *d.schedule && used < arrays + 1024);
    tpgnn_data_free(&d);
    assert_int_equal(d.budget.used, 0);
    test_schedules_make(&s);
    test_schedules_write(&s, "x.npz");
    for (size_t limit = 64; limit < used; limit += 64) {
        tpgnn_data tight = {.budget.limit = limit};
        expect_status(test_schedules_add(&tight, NULL, new_failure()), AG_EMEMORY,
                      "raise --ram-limit or use fewer files");
        assert_true(tight.schedules == 0 && tight.kinds == 0);
        tpgnn_data_free(&tight);
        assert_int_equal(tight.budget.used, 0);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, a_file_is_a_task_of_schedules,
                          the_tree_is_read, kinds_of_all_files_are_merged,
                          the_order_of_files_changes_no_index,
                          what_training_did_not_have_is_unknown, spoiled_vocabularies_are_refused,
                          the_hash_knows_all_that_was_read, memory_is_counted_and_limited);
}
