/* SPDX-License-Identifier: MIT */
/* A run that has seen its shapes allocates no more memory and makes no more plans, for every model;
   with shapes that vary from step to step memory grows to the size for the largest ones and stays
   there. */
#include "support/test.h"
#include "autograd/tape.h"
#include "core/internal.h"
#include "examples/harness/commands/trainer.h"
#include "examples/tgraph/program.h"
#include "examples/tpu/program.h"
#include "support/program_files.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <unistd.h>

static int make_files(void **state)
{
    if (program_models_make(state) || chdir(test_folder) != 0) return -1;
    program_write_layout("small.npz", 5, 1); /* fewer than a step takes */
    program_write_fusion("two_0.npz", 2, 0);
    program_write_fusion("many_0.npz", 60, 1);
    program_write_fusion("more_0.npz", 60, 2);
    return 0;
}

typedef struct outcome {
    long early, late; /* allocations of the second and of the last third */
    int plans, again; /* made in all, and in the last third */
} outcome;

enum { THIRD = 60 };

/* The memory that a call keeps until it ends does not grow with the number of saves. */
static void expect_no_rest_of_saves(harness_session *t)
{
    uintptr_t at[3];
    ag_failure why = {0};
    for (int i = 0; i < 3; i++) {
        at[i] = (uintptr_t)harness_lasting(1);
        if (i == 0 && (harness__trainer_save(t, HARNESS_LAST, &why) ||
                       harness__trainer_save(t, HARNESS_BEST, &why)))
            fail_msg("%s", why.sentence);
    }
    assert_int_equal(at[1] - at[0], at[2] - at[1]);
}

static outcome train_session(const char *name, harness_session *t)
{
    long at[4];
    int plans = 0;
    if (harness_session_begin(t, HARNESS_NEW, new_failure()))
        fail_msg("%s: %s", name, last_failure()->sentence);
    for (int third = 0; third < 3; third++) {
        at[third] = ag__allocations();
        plans = (int)t->tape->plans_made;
        for (int k = 0; k < THIRD; k++)
            if (harness_session_step(t, new_failure()))
                fail_msg("%s: %s", name, last_failure()->sentence);
    }
    at[3] = ag__allocations();
    assert_int_equal(t->trained.state->step, 3 * THIRD);
    assert_int_equal(t->trained.params->step, 3 * THIRD);
    const outcome o = {at[2] - at[1], at[3] - at[2], (int)t->tape->plans_made,
                       (int)t->tape->plans_made - plans};
    print_message("%s: %d plans in %d steps, allocations in thirds: %ld, %ld, %ld\n", name, o.plans,
                  3 * THIRD, at[1] - at[0], o.early, o.late);
    expect_no_rest_of_saves(t);
    expect_ok(harness_session_close(t, new_failure()));
    return o;
}

static outcome train(const program_model *m, const char *more)
{
    static int runs;
    const char *out = formatted("run-%d", runs++);
    const char *line = formatted("%s --out %s --steps 1000%s" PROGRAM_QUIET, m->train, out, more);
    harness_options *options = program_options(m, HARNESS_TRAIN, line);
    harness_session t = {.model = m->program->model,
                         .settings = harness_options_values(options),
                         .options = options,
                         .folder = out};
    const outcome o = train_session(m->name, &t);
    harness_options_free(options);
    return o;
}

/* batch: allocations for a batch, of which the loader is up to two ahead. */
static void expect_steady(const program_model *m, const char *more, int plans, long batch)
{
    const outcome o = train(m, more);
    assert_true(labs(o.early - batch * THIRD) <= 2 * batch);
    assert_true(labs(o.late - batch * THIRD) <= 2 * batch);
    assert_int_equal(o.again, 0);
    assert_int_equal(o.plans, plans);
}

/* Every kernel is in every step, or one of two, or one of two files. tpu and tpgnn build the graphs
   of each batch, which takes memory; nothing else does. */
static void known_shapes(void **state)
{
    static const char *const all[] = {"", "", "", "", " --kernels 12", "", "", "", ""};
    static const long batch[] = {0, 0, 22, 15, 102, 18, 5, 0, 0};
    static const program_model more[] = {
        {"two layouts", &tgraph_program_table,
         .train = " --data a.npz small.npz --hidden 16 --configs 6 --log-every 7"},
        {"two kernels", &tpu_program_table,
         .train = " --data two_0.npz two_0.npz --hidden 16 --embedding 8 --kernels 1 "
                  "--reduction lstm"}};
    for (int i = 0; i < PROGRAM_MODELS; i++)
        expect_steady(&program_models[i], all[i], i == 5 || i == 6 ? 2 : 1, batch[i]);
    for (int i = 0; i < 2; i++) expect_steady(&more[i], "", 2, i ? 14 : 0);
}

/* 16 kernels of 1 to 9 nodes: about a hundred shapes, and 32 plans are kept, so many steps are
   planned again, into the memory of the oldest plan. */
static void varied_shapes(void **state)
{
#define MANY " --data many_0.npz more_0.npz --embedding 8 --hidden 64"
    static const program_model nets[] = {
        {"LSTM", &tpu_program_table, .train = MANY " --gnn sage --reduction lstm"},
        {"Transformer", &tpu_program_table, .train = MANY " --gnn gat --reduction transformer"},
        {"node", &tpu_program_table, .train = MANY " --gnn none --reduction node"}};
    for (int i = 0; i < 3; i++) {
        const outcome o = train(&nets[i], "");
        assert_in_range(o.plans, 33, 3 * THIRD);             /* more than are kept */
        assert_true(labs(o.late - o.early) <= o.early / 20); /* of graphs */
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, known_shapes, varied_shapes);
}
