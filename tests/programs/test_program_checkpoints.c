/* SPDX-License-Identifier: MIT */
/* Checkpoints whose tensors contradict their metadata: bad data, exit code 3, with a sentence, in
   all programs and for every command that loads one. */
#include "support/test.h"
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

int main(void) { return RUN_TESTS_WITH(make_files, test_folder_remove, contradictions); }
