/* SPDX-License-Identifier: MIT */
/* Batches of schedules: words and numbers of nodes, edges with and without index arithmetic,
   stores, groups of tasks and ranks; refusals. */
#include "examples/tpgnn/model/batch.h"
#include "support/tpgnn_tree.h"

static const tpgnn_batch_options whole = {.edges = TPGNN_BOTH},
                                 compact = {.edges = TPGNN_BOTH, .compact = 1};

/* for i: for j: A[j] = A[i, j] + 1.5, with a buffer of 16. */
enum { ROOT, PARAM, SIZE, LOOP_I, MIN_I, EXT_I, LOOP_J, MIN_J };
enum { EXT_J = MIN_J + 1, STORE, ADD, LOAD, VAR_I, VAR_J };
enum { FLOAT = VAR_J + 1, INDEX, NODES };

static tree *small_program(void)
{
    tree *t = program();
    const int a = buffer(t, "Param", 16, 0), i = loop(t, "parallel", 16), j = loop(t, "serial", 8);
    node(t, "BufferStore", "float32", 0, a);
    node(t, "Add", "float32", 0, -1);
    load(t, a, i, j);
    constant(t);
    end(t, 1);
    var(t, j);
    assert_true(i == LOOP_I && j == LOOP_J && t->s.nodes == NODES);
    for (int k = 0; k < t->data.kinds; k++) {
        tpgnn_kind *kind = &t->kinds[k];
        for (int f = 0; f < TPGNN_FIELDS; f++) kind->index[f] = 10 * k + f;
        kind->named = !strcmp(kind->word[TPGNN_TYPE], "Var");
        kind->constant = strstr(kind->word[TPGNN_TYPE], "Imm") != NULL;
    }
    t->s.runtime = 1000;
    return t;
}

/* Of each test: a program, and a batch. */
static tree *t;
static tpgnn_batch b;

static int set_up(void **state)
{
    t = small_program();
    return 0;
}

static int tear_down(void **state)
{
    tpgnn_batch_free(&b);
    drop(t);
    return 0;
}

static void fill(const tpgnn_schedule *const *list, int count, const tpgnn_batch_options *options)
{
    expect_ok(tpgnn_batch_fill(&b, &t->data, list, count, options, new_failure()));
}

/* ---- nodes ---- */

static void check_node(int at, int v, int nest)
{
    const ag_real *number = b.number + at * TPGNN_NUMBERS;
    const double value = (double)t->value[v];
    for (int f = 0; f < TPGNN_FIELDS; f++) assert_int_equal(b.word[f][at], 10 * t->kind[v] + f);
    assert_float_equal(number[0], copysign(log2(1 + fabs(value)) / 8, value), 1e-6);
    assert_float_equal(number[1], log2(1 + t->position[v]) / 8, 1e-6);
    assert_float_equal(number[2], log2(1 + t->depth[v]) / 8, 1e-6);
    assert_true(number[3] == (ag_real)t->kinds[t->kind[v]].named);
    for (int k = 0; k < TPGNN_NEST; k++)
        assert_true(number[TPGNN_PLAIN + k] == (ag_real)(nest ? t->x[v * TPGNN_NEST + k] : 0));
}

static void nodes_have_words_and_numbers(void **state)
{
    static const int kept[] = {ROOT, PARAM, LOOP_I, LOOP_J, STORE, ADD, LOAD, FLOAT};
    const tpgnn_schedule *list[] = {&t->s, &t->s};
    t->value[FLOAT] = -1.5F;
    compute(t);
    for (int nest = 0; nest < 2; nest++) {
        tpgnn_batch_options o = whole;
        o.nest = nest;
        fill(list, 2, &o);
        assert_true(b.graphs == 2 && b.nodes == 2 * NODES && b.start[1] == NODES);
        for (int v = 0; v < 2 * NODES; v++) check_node(v, v % NODES, nest);
        o.compact = 1;
        fill(list, 2, &o);
        assert_true(b.nodes == 16 && b.start[1] == 8 && b.start[2] == 16 && b.down->nodes == 16);
        for (int v = 0; v < 16; v++) check_node(v, kept[v % 8], nest);
    }
}

/* Values of only constants, within a million. */
static void the_paper_sees_constants(void **state)
{
    t->value[FLOAT] = -3e38F;
    t->value[SIZE] = 1.01e6F;
    fill((const tpgnn_schedule *[]){&t->s}, 1, &whole);
    assert_true(b.paper[2 * FLOAT] == -1e6F && b.paper[2 * SIZE] == 1e6F);
    assert_true(b.paper[2 * EXT_J] == 8 && b.paper[2 * LOOP_J] == 0);
    assert_true(b.paper[2 * VAR_I + 1] == 1 && b.paper[2 * FLOAT + 1] == 0);
    tpgnn_batch_options logs = whole;
    logs.logs = 1;
    fill((const tpgnn_schedule *[]){&t->s}, 1, &logs);
    assert_float_equal(b.paper[2 * FLOAT], -log2(1 + 1e6) / 8, 1e-6);
    assert_float_equal(b.paper[2 * EXT_J], log2(9) / 8, 1e-6);
    assert_true(b.paper[2 * VAR_I + 1] == 1 && b.paper[2 * LOOP_J] == 0);
}

/* ---- edges ---- */

/* As pairs of sender and receiver, in order of the receiver. */
static void expect_messages(const ag_graph *g, const int32_t (*pair)[2], int count)
{
    int n = 0;
    assert_int_equal(g->messages, count);
    for (int v = 0; v < g->nodes; v++)
        for (int p = g->rows[2 * v]; p < g->rows[2 * v] + g->rows[2 * v + 1]; p++, n++)
            if (g->sources[p] != pair[n][0] || v != pair[n][1])
                fail_msg("message %d is from %d to %d", n, g->sources[p], v);
    assert_int_equal(n, count);
}

/* Indices are gone: their variables are edges between the access and the loop. */
static void edges_of_what_stays(void **state)
{
    enum { R, A, I, J, S, P, L };
    static const int32_t down[][2] = {{R, A}, {S, A}, {L, A}, {R, I}, {L, I}, {I, J},
                                      {L, J}, {S, J}, {J, S}, {S, P}, {P, L}, {P, 7}};
    static const int32_t up[][2] = {{A, R}, {I, R}, {J, I}, {S, J}, {P, S}, {A, S},
                                    {J, S}, {L, P}, {7, P}, {A, L}, {I, L}, {J, L}};
    static const int32_t tree_alone[][2] = {{R, A}, {R, I}, {I, J}, {J, S}, {S, P}, {P, L}, {P, 7}};
    const tpgnn_schedule *list[] = {&t->s};
    tpgnn_batch_options o = compact;
    fill(list, 1, &o);
    expect_messages(b.down, down, 12);
    expect_messages(b.up, up, 12);
    o.edges = TPGNN_TREE;
    fill(list, 1, &o);
    expect_messages(b.down, tree_alone, 7);
    o.edges = TPGNN_NAMES;
    o.both = 1;
    fill(list, 1, &o);
    assert_true(b.down->messages == 10 && !b.up);
    o.edges = 0;
    fill(list, 1, &o);
    assert_int_equal(b.down->messages, 0);
}

static void edges_of_all_nodes(void **state)
{
    const tpgnn_schedule *list[] = {&t->s, &t->s};
    fill(list, 2, &whole);
    assert_int_equal(b.down->messages, 2 * (NODES - 1 + 5)); /* store, load and three variables */
    const int32_t *row = b.down->rows + 2 * (NODES + LOOP_J), *from = b.down->sources + row[0];
    assert_true(row[1] == 3 && from[0] == NODES + LOOP_I && from[1] == NODES + VAR_J &&
                from[2] == NODES + INDEX);
    assert_true(b.up->rows[2 * (NODES + VAR_J) + 1] == 1);
    assert_int_equal(b.up->sources[b.up->rows[2 * (NODES + VAR_J)]], NODES + LOOP_J);
    tpgnn_batch_options o = whole;
    o.both = 1;
    fill(list, 2, &o);
    assert_true(b.down->messages == 4 * (NODES - 1 + 5) && !b.up && b.down->graphs == 2);
}

/* ---- stores, tasks ---- */

/* A tree that stores nothing has its root in their place. */
static void stores_of_each_program(void **state)
{
    tpgnn_schedule bare = t->s;
    bare.nodes = PARAM + 1;
    fill((const tpgnn_schedule *[]){&t->s, &bare, &t->s}, 3, &compact);
    assert_true(b.stores == 3 && b.nodes == 18);
    assert_memory_equal(b.store, ((int32_t[]){4, 8, 14}), 12);
    assert_memory_equal(b.program, ((int32_t[]){0, 1, 2}), 12);
    assert_memory_equal(b.store_start, ((int32_t[]){0, 1, 2, 3}), 16);
    assert_memory_equal(b.start, ((int32_t[]){0, 8, 10, 18}), 16);
}

static void tasks_are_groups_with_ranks(void **state)
{
    static const struct {
        int task;
        int64_t runtime;
    } of[6] = {{3, 500}, {3, 100}, {3, 500}, {0, 7}, {3, 1}, {3, 2}};
    static const int32_t rank[6] = {1, 0, 1, 0, 0, 1};
    tpgnn_schedule s[6];
    const tpgnn_schedule *list[6];
    for (int i = 0; i < 6; i++) {
        s[i] = t->s;
        s[i].task = of[i].task;
        s[i].runtime = of[i].runtime;
        list[i] = &s[i];
    }
    fill(list, 6, &whole);
    assert_int_equal(b.groups, 3);
    assert_memory_equal(b.group_start, ((int32_t[]){0, 3, 4, 6}), 16);
    assert_memory_equal(b.rank, rank, sizeof rank);
    for (int i = 0; i < 6; i++) assert_ptr_equal(b.schedule[i], &s[i]);
}

/* A batch that is used again has the same contents as a new one. */
static void used_again_or_refused(void **state)
{
    const tpgnn_schedule *list[] = {&t->s, &t->s, &t->s};
    expect_status(tpgnn_batch_fill(&b, &t->data, list, 0, &whole, new_failure()), AG_EUSE,
                  "a batch of 0 schedules was asked for; take at least 1");
    fill(list, 3, &whole);
    fill(list, 1, &compact);
    assert_true(b.graphs == 1 && b.groups == 1 && b.nodes == 8 && b.stores == 1);
    fill(list, 3, &whole);
    assert_true(b.nodes == 3 * NODES && b.groups == 1 && b.store[2] == 2 * NODES + STORE);

    tpgnn_schedule large = t->s;
    large.nodes = 1 << 29;
    const tpgnn_schedule *both[] = {&large, &t->s};
    expect_status(tpgnn_batch_fill(&b, &t->data, both, 2, &whole, new_failure()), AG_ESHAPE,
                  "at most 2^29 are possible");
    tpgnn_batch_free(&b);
    assert_true(!b.memory && !b.nests.x);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, nodes_have_words_and_numbers, the_paper_sees_constants,
                          edges_of_what_stays, edges_of_all_nodes, stores_of_each_program,
                          tasks_are_groups_with_ranks, used_again_or_refused);
}
