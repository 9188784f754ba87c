/* SPDX-License-Identifier: MIT */
/* --init, for every model: a training that begins with the network of another run. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <unistd.h>

#define STILL " --steps 1 --learning-rate 0" PROGRAM_QUIET

/* Trains on another file than the runs were. */
static program_outcome train(const program_model *m, const char *run, const char *more, int code,
                             const char *err)
{
    return program_expect_line(code, "", err, "%s train --out %s --data %s%s%s", m->program->name,
                               run, m->data, program_model_sizes(m), more);
}

static char *scores(const program_model *m, const char *run)
{
    const program_outcome o = program_expect_line(
        0, "", "", "%s predict --run %s --data %s --quiet", m->program->name, run, m->data);
    assert_non_null(strchr(o.out, ','));
    return strdup(o.out);
}

/* A step of the rate 0 leaves the weights; scales and words are those of the run, too. */
static void scores_are_the_runs(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        train(m, "same", formatted(" --force --init %s" STILL, m->name), 0, "");
        char *same = scores(m, "same"), *begun = scores(m, m->name);
        assert_string_equal(same, begun);
        train(m, "other", " --force" STILL, 0, "");
        char *other = scores(m, "other");
        assert_string_not_equal(other, begun);
        free(same);
        free(begun);
        free(other);
    }
}

/* The run that was begun with may be gone by then. */
static void runs_go_on_without_it(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *init = formatted(" --init %s/best.safetensors", m->name);
        train(m, "whole", formatted(" --force%s --steps 4" PROGRAM_QUIET, init), 0, "");
        train(m, "cut", formatted(" --force%s --steps 2" PROGRAM_QUIET, init), 0, "");
        assert_int_equal(rename(m->name, "away"), 0);
        program_resume(m, "cut", " --steps 4 --learning-rate 1e-3");
        assert_int_equal(rename("away", m->name), 0);
    }
}

static void others_are_refused(void **state)
{
    const program_model *m = &program_models[1];
    train(m, "x", " --init lstm --steps 1", 3, "lstm/best.safetensors is a checkpoint of tpu");
    train(m, "x", " --init ./gone --steps 1 --force", 3, "cannot open ./gone: ");
    train(m, "x", " --init gone --steps 1 --force", 3,
          "there is no file or folder gone, and no model");
    program_expect_line(2, "", "--init plain/best.safetensors: input.0.linear.weight is [",
                        "tgraph train --out x --data b.npz --hidden 32 --no-cross --init plain "
                        "--steps 1 --force");
    static const char *const others[] = {"aggregate sum", "no-log-features"};
    for (int i = 0; i < 2; i++)
        program_expect_line(0, "",
                            formatted("plain/best.safetensors was trained with another --%s; its",
                                      i ? "log-features" : "aggregate"),
                            "tgraph train --out x --data b.npz --hidden 16 --no-cross --%s "
                            "--init plain --steps 1 --force",
                            others[i]);
}

/* Before another variant is trained. */
static void studies_look_first(void **state)
{
    program_write_text("study.ini", "[a]\n[b]\ninit = gone\n");
    program_expect_line(3, "", "b: --init: there is no file or folder gone, and ",
                        "tgraph ablate --study study.ini --out study --data a.npz --valid b.npz "
                        "--hidden 16 --no-cross --steps 1");
    assert_int_not_equal(access("study/a", F_OK), 0);
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_train, test_folder_remove, scores_are_the_runs,
                          runs_go_on_without_it, others_are_refused, studies_look_first);
}
