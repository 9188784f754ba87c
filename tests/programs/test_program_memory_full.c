/* SPDX-License-Identifier: MIT */
/* Allocations of small calls fail, one after the other, for every model: exit 5 and a sentence, or
   a call that does without it; and what is written is whole. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"
#include "augur.h"

#include <dirent.h>
#include <jansson.h>

#define SMALL " --steps 2" PROGRAM_QUIET

static void expect_whole(const char *path)
{
    if (ends_with(path, ".safetensors")) {
        ag_checkpoint_close(expect_made(ag_checkpoint_open(path, new_failure())));
    }
    if (ends_with(path, ".json")) {
        json_t *j = json_load_file(path, 0, NULL);
        if (!j) fail_msg("%s is cut", path);
        json_decref(j);
    }
}

/* left: a call that fails may leave what it was about to write; the next one removes it. */
static void expect_folder(const char *name, int left)
{
    char path[900];
    DIR *d = opendir(test_file(name));
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s/%s", test_folder, name, e->d_name);
        if (!left && ends_with(path, ".tmp")) fail_msg("%s is left", path);
        expect_whole(path);
    }
    closedir(d);
}

static void of_run(void) { expect_folder("run", 1); }

/* The scores that a call without failures writes; NULL: none yet. */
static char *scores;

static void of_scores(void)
{
    char *text = program_text_of("scores.csv");
    assert_string_equal(text, scores); /* the file from before */
    free(text);
}

static void training(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *line =
            formatted("%s train --out run --force%s" SMALL, m->program->name, m->train);
        program_each_fails(line, 23, 20, of_run);
        expect_folder("run", 0);
    }
}

static void others(void **state)
{
    static const char *const commands[] = {"eval --run %s --json --no-baselines --data",
                                           "predict --run %s --ensemble %s --csv scores.csv --data",
                                           "inspect"};
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        program_train(m, m->name, SMALL, 0);
        for (int k = 0; k < (i && strcmp(m->data, m[-1].data) == 0 ? 2 : 3); k++) {
            const char *command = formatted(commands[k], m->name, m->name);
            const char *line =
                formatted("%s %s %s --threads 1", m->program->name, command, m->data);
            program_expect(line, 0, "", "");
            if (k == 1) scores = program_text_of("scores.csv");
            program_each_fails(line, k < 2 ? 17 : 1, 10, k == 1 ? of_scores : NULL);
            if (k != 1) continue;
            expect_folder(".", 0);
            free(scores);
        }
    }
}

int main(void) { return RUN_TESTS_WITH(program_models_make, test_folder_remove, training, others); }
