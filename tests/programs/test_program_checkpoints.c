/* SPDX-License-Identifier: MIT */
/* Checkpoints whose tensors contradict their metadata: bad data, exit code 3, with a sentence, in
   all programs and for every command that loads one. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"
#include "support/tpgnn_npz.h"
#include "augur.h"

enum { MOST = 400 };

static int make_files(void **state)
{
    test_schedules s;
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 60, 0);
    program_write_fusion("f_0.npz", 20, 0);
    test_schedules_make(&s);
    test_schedules_write(&s, "m_1.npz");
    program_expect("tgraph train --out tg --data a.npz --hidden 16 --configs 8 --steps 2 --quiet",
                   0, "", "");
    program_expect("tpu train --out tp --data f_0.npz --reduction lstm --hidden 16 --kernels 4 "
                   "--steps 2 --quiet",
                   0, "", "");
    program_expect("tpgnn train --out tn --data m_1.npz --hidden 8 --layers 1 --steps 2 --quiet", 0,
                   "", "");
    return 0;
}

/* The text with one part of it replaced; the caller frees. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at) fail_msg("no %s in %s", from, text);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

/* Copies RUN's checkpoints to folder "bad", with another text in the configuration, or with the
   tensor of this name laid down (two axes change places, or the only one is doubled by an axis of
   1). */
static void spoil(const char *run, const char *name, const char *from, const char *to,
                  const char *tensor)
{
    ag_failure why = {0};
    ag_checkpoint_item item[MOST];
    ag_checkpoint_pair pair[20];
    char *changed = NULL;
    int n = 0, pairs = 0, found = 0;
    ag_checkpoint *file = ag_checkpoint_open(formatted("%s/%s/%s", test_folder, run, name), &why);
    if (!file) fail_msg("%s", why.sentence);
    for (; n < ag_checkpoint_count(file); n++) {
        assert_true(n < MOST);
        item[n] = *ag_checkpoint_at(file, n);
        if (!tensor || strcmp(item[n].name, tensor) != 0) continue;
        found = 1;
        const ag_shape was = item[n].shape;
        item[n].shape =
            was.rank == 2 ? AG_SHAPE(was.size[1], was.size[0]) : AG_SHAPE(was.size[0], 1);
    }
    assert_true(!tensor || found);
    while (ag_checkpoint_metadata_at(file, pairs, &pair[pairs])) {
        if (from && strcmp(pair[pairs].key, "configuration") == 0)
            pair[pairs].value = changed = replaced(pair[pairs].value, from, to);
        pairs++;
    }
    const char *path = formatted("%s/bad/%s", test_folder, name);
    if (ag_checkpoint_save(path, item, n, pair, pairs, &why)) fail_msg("%s", why.sentence);
    ag_checkpoint_close(file);
    free(changed);
}

static void copy_run(const char *run)
{
    const char *command = formatted("rm -rf '%s/bad' && cp -r '%s/%s' '%s/bad'", test_folder,
                                    test_folder, run, test_folder);
    assert_int_equal(system(command), 0);
}

static const struct {
    const char *program, *run, *data, *from, *to, *tensor;
} bad[] = {
    {"tgraph", "tg", "a.npz", "\"hidden\":16", "\"hidden\":32", NULL},
    {"tgraph", "tg", "a.npz", "\"hidden\":16", "\"hidden\":4096", NULL},
    {"tgraph", "tg", "a.npz", "\"halve\":true", "\"halve\":false", NULL},
    {"tgraph", "tg", "a.npz", "\"cross-input\":true", "\"cross-input\":false", NULL},
    {"tgraph", "tg", "a.npz", NULL, NULL, "output.weight"},
    {"tgraph", "tg", "a.npz", NULL, NULL, "state.scaler.mean"},
    {"tpu", "tp", "f_0.npz", "\"hidden\":16", "\"hidden\":32", NULL},
    {"tpu", "tp", "f_0.npz", "\"embedding\":8", "\"embedding\":16", NULL},
    {"tpu", "tp", "f_0.npz", "\"direction\":\"separate\"", "\"direction\":\"shared\"", NULL},
    {"tpu", "tp", "f_0.npz", NULL, NULL, "input.weight"},
    {"tpu", "tp", "f_0.npz", NULL, NULL, "state.node.low"},
    {"tpgnn", "tn", "m_1.npz", "\"hidden\":8", "\"hidden\":16", NULL},
    {"tpgnn", "tn", "m_1.npz", "\"hidden\":8", "\"hidden\":4096", NULL},
    {"tpgnn", "tn", "m_1.npz", "\"pool\":\"topk\"", "\"pool\":\"sag\"", NULL},
    {"tpgnn", "tn", "m_1.npz", NULL, NULL, "conv1.lin_rel.weight"},
    {"tpgnn", "tn", "m_1.npz", NULL, NULL, "state.vector"},
    {"tpgnn", "tn", "m_1.npz", NULL, NULL, "state.mean"},
};

static void contradictions(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        copy_run(bad[i].run);
        spoil(bad[i].run, "best.safetensors", bad[i].from, bad[i].to, bad[i].tensor);
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
        spoil(bad[i].run, "last.safetensors", NULL, NULL, bad[i].tensor);
        program_expect_line(3, "", "; the file contradicts itself, so choose another checkpoint",
                            "%s train --out bad --resume --quiet", bad[i].program);
    }
}

int main(void) { return RUN_TESTS_WITH(make_files, test_folder_remove, contradictions); }
