/* SPDX-License-Identifier: MIT */
/* The models that ship (examples/models): they rank as their cards say, and a name finds them. */
#include "support/test.h"
#include "examples/harness/files/shipped.h"
#include "support/files.h"
#include "support/program_call.h"
#include "support/tgraph_npz.h"

#include <dirent.h>
#include <jansson.h>

#define MODELS AG_SOURCE_DIR "/examples/models"
#define FUSION "--data " AG_SOURCE_DIR "/examples/data/fusion/mlp_102.npz"

/* The call of a card and its tau-b: "`PROGRAM eval --model NAME --data FILE` has a tau-b of X". */
static void expect_card(const char *name, char *card)
{
    char program[10], model[40], file[100];
    double tau;
    const char *call = strstr(card, "eval --model "), *has = "` has a tau-b of %lf";
    while (call && call[-1] != '`') call--;
    if (!call || sscanf(call, "%9s eval --model %39s --data %99[^`]", program, model, file) != 3 ||
        sscanf(strstr(call, "` has"), has, &tau) != 1)
        fail_msg("the card of %s has no call and tau-b", name);
    assert_string_equal(model, name);
    json_t *j =
        program_json(formatted("%s eval --model %s --data " AG_SOURCE_DIR "/%s --json --quiet"
                               " --no-baselines",
                               program, name, file),
                     "");
    const json_t *own = json_object_iter_value(json_object_iter(json_object_get(j, "mean")));
    assert_float_equal(program_number(own, "tau-b"), tau, 0.002); /* other processors round */
    json_decref(j);
}

static void each_ranks_as_its_card_says(void **state)
{
    int models = 0;
    DIR *folder = opendir(MODELS);
    for (struct dirent *e; (e = readdir(folder));) {
        if (strchr(e->d_name, '.')) continue;
        char *card = files_text(formatted(MODELS "/%s", e->d_name), "README.md");
        if (!card) fail_msg("%s has no card", e->d_name);
        expect_card(e->d_name, card);
        free(card);
        models++;
    }
    closedir(folder);
    assert_true(models >= 7);
}

static void a_wrong_name_lists_those_there(void **state)
{
    program_expect(
        "nests predict --model nests-fuson " FUSION, 3, "",
        "no model \"nests-fuson\" ships with the programs; there are nests-fusion, nests-");
    program_expect("nests predict --model ../models/nests-fusion " FUSION, 3, "", "no model \"../");
    program_expect("tpu predict --model nests-fusion " FUSION, 3, "",
                   "not made by tpu but by nests");
    program_expect("nests eval --model nests-fusion --checkpoint last " FUSION, 2, "",
                   "nests-fusion has only best.safetensors, as models that ship do; omit "
                   "--checkpoint last");
    program_expect("nests train --out x --init nests-fuson " FUSION, 3, "",
                   "there is no file or folder nests-fuson, and no model \"nests-fuson\" ships");
}

/* Where scores are not a mean of several. */
static void one_model_is_taken(void **state)
{
    static const char *const several[] = {"--model tpu-fusion tpu-fusion",
                                          "--run x --model tpu-fusion", "--run x --run y"};
    for (int i = 0; i < 3; i++)
        program_expect(formatted("tpu autotune --out x %s", several[i]), 2, "",
                       "tpu autotune takes one model; name one --run or one --model");
}

static char *scores(const char *options)
{
    const program_outcome o =
        program_expect_line(0, "mlp_102", "", "nests predict %s --quiet " FUSION, options);
    return strdup(o.out);
}

/* A model is one more run, wherever it is named. */
static void a_model_is_a_run(void **state)
{
    program_write_text("model.ini", "model = nests-fusion\n");
    const char *path = harness_shipped_path("nests-fusion", new_failure());
    assert_non_null(path);
    const char *const same[] = {formatted("--run %s", path), "--config model.ini",
                                formatted("--model nests-fusion --run %s", path),
                                "--model nests-fusion nests-fusion"};
    char *one = scores("--model nests-fusion");
    for (int i = 0; i < 4; i++) {
        char *other = scores(same[i]);
        assert_string_equal(one, other);
        free(other);
    }
    free(one);
}

static void training_begins_with_one(void **state)
{
    program_expect("nests train --out x --init nests-fusion --steps 2 --no-baselines " FUSION, 0,
                   "", "step 2 of 2");
    program_expect("nests train --out x --resume --steps 3", 0, "", "step 3 of 3");
}

int main(void)
{
    return RUN_TESTS_WITH(program_folder_make, test_folder_remove, each_ranks_as_its_card_says,
                          a_wrong_name_lists_those_there, one_model_is_taken, a_model_is_a_run,
                          training_begins_with_one);
}
