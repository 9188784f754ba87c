/* SPDX-License-Identifier: MIT */
/* Checkpoints whose tensors contradict their metadata: bad data, exit code 3, with a sentence, in
   all programs and for every command that loads one. Scores that are not finite: exit code 4. */
#include "support/test.h"
#include "examples/harness/model/trained.h"
#include "support/checkpoint_change.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

static int make_files(void **state)
{
    if (program_models_make(state)) return -1;
    program_expect("tgraph train --out tg --data a.npz --hidden 16 --configs 8 --steps 2 --quiet",
                   0, "", "");
    program_expect("tpu train --out tp --data f_0.npz --reduction lstm --hidden 16 --kernels 4 "
                   "--steps 2 --quiet",
                   0, "", "");
    program_expect("tpgnn train --out tn --data s_1.npz --hidden 8 --layers 1 --steps 2 --quiet", 0,
                   "", "");
    return 0;
}

/* A copy of RUN in "bad", with other values in the configuration of a checkpoint, or with a tensor
   laid down. */
static void spoil(const char *run, const char *name, const char *values, const char *tensor)
{
    const char *from = formatted("%s/%s/%s", test_folder, run, name);
    assert_int_equal(system(formatted("cd '%s' && rm -rf bad && cp -r %s bad", test_folder, run)),
                     0);
    checkpoint_change(formatted("%s/bad/%s", test_folder, name), from,
                      values ? "configuration" : NULL, values, tensor, NULL);
}

static const struct {
    const char *program, *run, *data, *values, *tensor;
} bad[] = {
    {"tgraph", "tg", "a.npz", "{\"hidden\":32}", NULL},
    {"tgraph", "tg", "a.npz", "{\"hidden\":4096}", NULL},
    {"tgraph", "tg", "a.npz", "{\"halve\":false}", NULL},
    {"tgraph", "tg", "a.npz", "{\"cross-input\":false}", NULL},
    {"tgraph", "tg", "a.npz", NULL, "output.weight"},
    {"tgraph", "tg", "a.npz", NULL, "state.scaler.mean"},
    {"tpu", "tp", "f_0.npz", "{\"hidden\":32}", NULL},
    {"tpu", "tp", "f_0.npz", "{\"embedding\":16}", NULL},
    {"tpu", "tp", "f_0.npz", "{\"direction\":\"shared\"}", NULL},
    {"tpu", "tp", "f_0.npz", NULL, "input.weight"},
    {"tpu", "tp", "f_0.npz", NULL, "state.node.low"},
    {"tpgnn", "tn", "s_1.npz", "{\"hidden\":16}", NULL},
    {"tpgnn", "tn", "s_1.npz", "{\"hidden\":4096}", NULL},
    {"tpgnn", "tn", "s_1.npz", "{\"pool\":\"sag\"}", NULL},
    {"tpgnn", "tn", "s_1.npz", NULL, "conv1.lin_rel.weight"},
    {"tpgnn", "tn", "s_1.npz", NULL, "state.vector"},
    {"tpgnn", "tn", "s_1.npz", NULL, "state.mean"},
};

static void contradictions(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        spoil(bad[i].run, "best.safetensors", bad[i].values, bad[i].tensor);
        for (int k = 0; k < 2; k++) {
            const program_outcome o = program_expect_line(
                3, "", "bad/best.safetensors", "%s %s --run bad --data %s --quiet", bad[i].program,
                k ? "predict" : "eval", bad[i].data);
            if (!strstr(o.err, "; the file contradicts itself, so choose another checkpoint") &&
                !strstr(o.err, "; the file is not whole") &&
                !strstr(o.err, "; the file belongs to"))
                fail_msg("%s", o.err);
        }
        if (!bad[i].tensor) continue; /* other options are refused, with 2 */
        spoil(bad[i].run, "last.safetensors", NULL, bad[i].tensor);
        program_expect_line(3, "", "; the file contradicts itself, so choose another checkpoint",
                            "%s train --out bad --resume --quiet", bad[i].program);
    }
}

/* Parameters so large that no score is finite, and steps that lead to such ones. */
static void scores_that_are_not_finite(void **state)
{
    static const char of_no_use[] = "; the run is of no use, choose another checkpoint";
    for (const program_model *m = program_models; m->name; m++) {
        if (program_model_again(m)) continue;
        const char *best = test_file(formatted("%s/best.safetensors", m->name));
        harness_trained t = {0};
        program_train(m, m->name, " --steps 2" PROGRAM_QUIET, 0);
        expect_ok(harness_trained_load(&t, m->program->model, best, new_failure()));
        for (int64_t k = 0; k < t.params->size; k++) t.params->value[k] *= (ag_real)1e30;
        expect_ok(harness_trained_save(best, &t, 0, new_failure()));
        harness_trained_drop(&t);
        for (int k = 0; k < 2; k++)
            program_expect_line(4, "", of_no_use, "%s %s --run %s --data %s --quiet",
                                m->program->name, k ? "predict" : "eval", m->name, m->data);
    }
    const program_outcome o = program_train(
        program_models, "grown",
        " --steps 99 --eval-every 1 --learning-rate 10 --weight-decay 1" PROGRAM_QUIET, 4);
    assert_non_null(strstr(o.err, of_no_use));
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, contradictions,
                          scores_that_are_not_finite);
}
