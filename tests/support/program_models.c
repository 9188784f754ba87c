/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "program_models.h"
#include "examples/nests/program.h"
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"
#include "program_files.h"
#include "tpgnn_npz.h"

#include <unistd.h>

#define TPU    " --hidden 16 --embedding 8 --kernels 3"
#define TILES  " --data a_0_0000000a.npz b_0_0000000b.npz --valid c_1_0000000c.npz --configs 3" TPU
#define FUSION " --data f_0.npz g_0.npz --valid h_1.npz" TPU
#define TREES  " --data s_1.npz s_2.npz --valid s_3.npz"
#define ROWS                                                                            \
 " --data r_1.npz r_2.npz --valid r_3.npz --hidden 16 --layers 1 --groups 2 --items 5 " \
 "--fit"
#ifdef AG_HAVE_XGBOOST
# define BOTH " both --members 1 --trees 10 --bags 2 --depth 2"
#else
# define BOTH " network --members 1"
#endif
#define TPGNN " --hidden 8 --tasks 2 --schedules 3"

const program_model program_models[PROGRAM_MODELS + 1] = {
    {"layout", &tgraph_program_table,
     " --data a.npz b.npz --split 0.8 --hidden 16 --configs 6 --rows costs", "b.npz",
     "--eval-configs 30", "direction", "both"},
    {"plain", &tgraph_program_table,
     " --data a.npz --valid b.npz --hidden 16 --configs 6 --no-cross", "b.npz", "--eval-configs 3",
     "aggregate", "sum"},
    {"lstm", &tpu_program_table, TILES " --reduction lstm", "c_1_0000000c.npz", "--eval-samples 3",
     "reduction", "node"},
    /* The rate is small, since where items are only compared some gradients are 0 up to rounding,
       of which Adam makes steps. */
    {"gat", &tpu_program_table, TILES " --gnn gat --rows costs --learning-rate 2e-4",
     "c_1_0000000c.npz", "--eval-nodes 1", "gnn", "none"},
    {"transformer", &tpu_program_table, FUSION " --reduction transformer --rows embedded",
     "h_1.npz", "--eval-samples 2", "direction", "shared"},
    {"statements", &tpgnn_program_table, TREES " --preset statements" TPGNN " --layers 1",
     "s_3.npz", "--eval-graphs 1", "layers", "0"},
    {"paper", &tpgnn_program_table, TREES TPGNN " --layers 1 --learning-rate 1e-2", "s_3.npz",
     "--eval-nodes 1", "pool", "sag"},
    {"rows", &nests_program_table, ROWS " network --members 2", "r_3.npz", "--eval-items 3",
     "hidden", "9"},
    {"both", &nests_program_table, ROWS BOTH, "r_3.npz", "--eval-items 1", "layers", "2"},
};

static void write_task(const char *name, int kind)
{
    test_schedules s;
    test_schedules_make(&s);
    s.runtime[0] += 100 * kind;
    for (int i = 0; i < TPGNN_TEST_SCHEDULES; i++)
        s.median[i] = s.passes[i][0] = s.passes[i][1] = s.runtime[i];
    test_schedules_write(&s, name);
}

int program_models_make(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 30, 0);
    program_write_layout("b.npz", 20, 1);
    program_write_tile("a_0_0000000a.npz", 6, 0);
    program_write_tile("b_0_0000000b.npz", 5, 1);
    program_write_tile("c_1_0000000c.npz", 4, 2);
    program_write_fusion("f_0.npz", 6, 0);
    program_write_fusion("g_0.npz", 6, 1);
    program_write_fusion("h_1.npz", 5, 2);
    write_task("s_1.npz", 0);
    write_task("s_2.npz", 1);
    write_task("s_3.npz", 2);
    program_write_rows("r_1.npz", 24, 0);
    program_write_rows("r_2.npz", 20, 1);
    program_write_rows("r_3.npz", 16, 2);
    return 0;
}

int program_models_train(void **state)
{
    if (program_models_make(state) || chdir(test_folder)) return -1;
    for (const program_model *m = program_models; m->name; m++)
        program_train(m, m->name, " --steps 3" PROGRAM_QUIET, 0);
    return 0;
}

const char *program_model_first(const program_model *m)
{
    static char name[100];
    sscanf(strstr(m->train, " --data "), " --data %99s", name);
    return name;
}

const char *program_model_sizes(const program_model *m)
{
    const char *at = strstr(m->train, " --preset");
    return at ? at : strstr(m->train, " --hidden");
}

int program_model_again(const program_model *m)
{
    return m > program_models && m->program == m[-1].program;
}

program_outcome program_train(const program_model *m, const char *run, const char *more, int code)
{
    return program_expect_line(code, "", "", "%s train --out %s%s%s", m->program->name, run,
                               m->train, more);
}

void program_resume(const program_model *m, const char *run, const char *more)
{
    program_expect_line(0, "", "", "%s train --out %s --resume%s --quiet --no-baselines",
                        m->program->name, run, more);
}

harness_options *program_options(const program_model *m, unsigned command, const char *line)
{
    enum { MOST = 64 };
    int argc = 0;
    char *argv[MOST], *rest = NULL, *copy = strdup(line);
    for (char *word = strtok_r(copy, " ", &rest); word && argc < MOST;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    harness_options *o = harness_options_new(m->program, command, NULL);
    expect_ok(harness_options_argv(o, argc, argv, NULL, new_failure()));
    free(copy);
    return o;
}
