/* SPDX-License-Identifier: MIT */
/* Checkpoints whose tensors contradict their metadata: bad data, exit code 3, with a sentence, in
   all programs and for every command that loads one. */
#define _GNU_SOURCE
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"
#include "support/tpgnn_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "augur.h"

enum { MOST = 400 };

static int make_files(void **state)
{
    test_schedules s;
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 60, 0);
    program_write_fusion("f_0.npz", 20, 0);
    test_schedules_make(&s);
    test_schedules_write(&s, "m_1.npz");
    program_expect(
        "tgraph train --out tg --data a.npz --mode paper --hidden 16 --configs 8 --steps 2 --quiet",
        0, "", "");
    program_expect(
        "tpu train --out tp --data f_0.npz --members 1 --hidden 16 --kernels 4 --steps 2 --quiet",
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
    char path[300];
    ag_failure why = {0};
    ag_checkpoint_item item[MOST];
    ag_checkpoint_pair pair[20];
    char *changed = NULL;
    int n = 0, pairs = 0, found = 0;
    snprintf(path, sizeof path, "%s/%s/%s", test_folder, run, name);
    ag_checkpoint *file = ag_checkpoint_open(path, &why);
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
    snprintf(path, sizeof path, "%s/bad/%s", test_folder, name);
    if (ag_checkpoint_save(path, item, n, pair, pairs, &why)) fail_msg("%s", why.sentence);
    ag_checkpoint_close(file);
    free(changed);
}

static void copy_run(const char *run)
{
    char command[900];
    snprintf(command, sizeof command, "rm -rf '%s/bad' && cp -r '%s/%s' '%s/bad'", test_folder,
             test_folder, run, test_folder);
    assert_int_equal(system(command), 0);
}

typedef struct bad {
    const char *from, *to, *tensor;
} bad;

static void expect_all(const char *program, const char *run, const char *data, const bad *list,
                       int count)
{
    for (int i = 0; i < count; i++) {
        static const char *const command[] = {"eval", "predict"};
        char line[200];
        copy_run(run);
        spoil(run, "best.safetensors", list[i].from, list[i].to, list[i].tensor);
        for (int k = 0; k < 2; k++) {
            snprintf(line, sizeof line, "%s %s --run bad --data %s --quiet", program, command[k],
                     data);
            const program_outcome o = program_expect(line, 3, "", "bad/best.safetensors");
            if (!strstr(o.err, "; the file contradicts itself, so choose another checkpoint") &&
                !strstr(o.err, "; the file is not whole") &&
                !strstr(o.err, "; the file belongs to"))
                fail_msg("%s", o.err);
        }
        if (!list[i].tensor) continue; /* other options are refused, with 2 */
        spoil(run, "last.safetensors", NULL, NULL, list[i].tensor);
        snprintf(line, sizeof line, "%s train --out bad --resume --quiet", program);
        program_expect(line, 3, "", "; the file contradicts itself, so choose another checkpoint");
    }
}

static void of_tgraph(void **state)
{
    (void)state;
    static const bad list[] = {{"\"hidden\":16", "\"hidden\":32", NULL},
                               {"\"hidden\":16", "\"hidden\":4096", NULL},
                               {"\"halve\":true", "\"halve\":false", NULL},
                               {"\"cross-input\":true", "\"cross-input\":false", NULL},
                               {NULL, NULL, "output.weight"},
                               {NULL, NULL, "state.scaler.mean"}};
    expect_all("tgraph", "tg", "a.npz", list, sizeof list / sizeof *list);
}

static void of_tpu(void **state)
{
    (void)state;
    static const bad list[] = {{"\"hidden\":16", "\"hidden\":32", NULL},
                               {"\"embedding\":16", "\"embedding\":8", NULL},
                               {"\"direction\":\"separate\"", "\"direction\":\"shared\"", NULL},
                               {NULL, NULL, "input.weight"},
                               {NULL, NULL, "state.node.low"}};
    expect_all("tpu", "tp", "f_0.npz", list, sizeof list / sizeof *list);
}

static void of_tpgnn(void **state)
{
    (void)state;
    static const bad list[] = {{"\"hidden\":8", "\"hidden\":16", NULL},
                               {"\"hidden\":8", "\"hidden\":4096", NULL},
                               {"\"graph\":false", "\"graph\":true", NULL},
                               {NULL, NULL, "0.row.weight"},
                               {NULL, NULL, "state.row.mean"},
                               {NULL, NULL, "state.mean"}};
    expect_all("tpgnn", "tn", "m_1.npz", list, sizeof list / sizeof *list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_tgraph),
        cmocka_unit_test(of_tpu),
        cmocka_unit_test(of_tpgnn),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
