/* SPDX-License-Identifier: MIT */
/* Every option of `train`, with every model: another value than its default is refused, in a
   sentence that names the option, or it changes what four steps print and log. And each option
   acts in one of the models. */
#include "support/test.h"
#include "examples/nests/program.h"
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"
#include "support/program_models.h"
#include "support/program_files.h"
#include "support/files.h"
#include "support/sanitized.h"
#include "support/tgraph_npz.h"

#include <xxhash.h>

#define SHORT " --steps 4 --eval-every 4 --log-every 1 --threads 1 --no-baselines"
#define TPU   " --hidden 16 --embedding 8 --kernels 3"
#define TILES \
 SHORT " --configs 3 --data a_0_0000000a.npz b_0_0000000b.npz --valid c_1_0000000c.npz" TPU
#define ROWS  SHORT " --hidden 8 --layers 1 --items 4"
#define TREES " --data s_1.npz s_2.npz --valid s_3.npz --hidden 8 --tasks 2 --schedules 3" SHORT

static const struct {
    const harness_program *program;
    const char *options;
} models[] = {
    {&tgraph_program_table, "--data d.npz b.npz --split 0.8 --hidden 16 --configs 6" SHORT},
    {&tgraph_program_table, "--data a.npz b.npz d.npz --folds 3 --schedule "
                            "exponential --decay-every 1 --configs 6" SHORT},
    {&tgraph_program_table, "--data t.npz --valid u.npz --hidden 16 --eval-limit 3" SHORT},
    {&tpu_program_table, "--reduction node" TILES},
    {&tpu_program_table, "--gnn gat --reduction lstm" TILES},
    {&tpu_program_table, "--gnn none --reduction transformer --data f_0.npz g_0.npz --valid "
                         "h_1.npz" TPU SHORT},
    {&tpu_program_table, "--schedule exponential --decay-every 1" TILES},
    {&tpgnn_program_table, "--layers 2" TREES},
    {&tpgnn_program_table, "--rows costs" TREES},
    {&tpgnn_program_table,
     "--preset statements --loss hinge --schedule exponential --decay-every 1" TREES},
    {&tpgnn_program_table, "--preset paper --loss squared --learning-rate 1e-3" TREES},
    {&nests_program_table, "--fit network --data r_1.npz r_2.npz --split 0.7 --groups 2 --members "
                           "1 --schedule exponential --decay-every 1 --order 1" ROWS},
#ifdef AG_HAVE_XGBOOST
    {&nests_program_table, "--fit both --data f_0.npz g_0.npz --valid h_1.npz --groups 2 --members "
                           "1 --trees 3 --bags 1 --depth 2 --least-leaf 1" ROWS},
    {&nests_program_table, "--fit trees --data r_1.npz r_2.npz --valid r_3.npz --trees 3 --bags 1 "
                           "--depth 2 --least-leaf 1 --threads 1 --no-baselines"},
#endif
};
enum { MODELS = sizeof models / sizeof *models };

/* Values other than twice the default, or 1. */
static const char *const values[][2] = {
    {"hidden", "32"},    {"configs", "4"},       {"tasks", "1"},        {"schedules", "1"},
    {"clip", "0.01"},    {"dropout", "0.4"},     {"warmup", "0.5"},     {"split", "0.5"},
    {"fold", "1"},       {"folds", "2"},         {"steps", "1"},        {"learning-rate", "0.1"},
    {"ratio", "0.3"},    {"decay-rate", "0.25"}, {"decay-every", "2"},  {"eval-configs", "5"},
    {"eval-limit", "2"}, {"tree-columns", "1"},  {"weight-decay", "1"}, {"eval-every", "2"},
    {"epochs", "3"},     {"kernels", "1"},       {"members", "2"},      {"layers", "4"},
    {"trees", "6"},      {"bags", "2"},          {"depth", "3"},        {"tree-rate", "0.3"},
    {"least-leaf", "9"}, {"share", "0.9"},       {"groups", "1"},       {"items", "3"},
    {"huber", "0.01"},   {"order", "3"},         {"top", "2"},
};

/* Options that change nothing of what is compared. */
static const struct {
    const char *name, *why;
} others[] = {
    {"data", "what is trained on"},
    {"valid", "what is scored"},
    {"out", "another folder"},
    {"preset", "many options at once, which are tested on their own"},
    {"ram-limit", "only memory; too little of it is another test's"},
    {"device", "another machine"},
    {"precision", "only for cuda"},
    {"threads", "only speed"},
    {"resume", "needs a run"},
    {"quiet", "only messages"},
    {"force", "needs a folder that is not empty"},
    {"patience", "needs more validations"},
    {"check-finite", "only the sentence of a failure"},
    {"save-every", "only when last.safetensors is written"},
    {"eval-configs", "only memory and speed, without cross attention"},
    {"eval-samples", "only memory and speed"},
    {"eval-nodes", "only memory and speed"},
    {"eval-graphs", "only memory and speed"},
    {"eval-items", "only memory and speed"},
    {"vectors", "another file, which test_tpgnn_vectors tries"},
};

static int group_make(void **state)
{
    if (program_models_make(state)) return -1;
    program_write_layout("d.npz", 12, 2); /* its last configuration repeats the first */
    program_write_tile("c_1_0000000c.npz", 24, 40);
    program_write_fusion("h_1.npz", 24, 40);
    return 0;
}

/* ---- a call ---- */

/* Mixes a file of the run into the hash. tensors: only those of a checkpoint, whose metadata hold
   the options. */
static uint64_t mix(uint64_t hash, const char *name, int tensors)
{
    size_t bytes;
    uint64_t header = 0;
    char *text = files_get(test_file(name), &bytes);
    if (!text) fail_msg("%s is not there", name);
    if (tensors) memcpy(&header, text, sizeof header);
    hash = XXH3_64bits_withSeed(text + header, bytes - header, hash);
    free(text);
    return hash;
}

/* A hash of what a training prints, logs and learns; 0: it was refused. */
static uint64_t train(int model, const char *option, const char *more)
{
    const char *line = formatted("%s train --out v --force %s%s", models[model].program->name,
                                 models[model].options, more);
    const program_outcome o = program_call(line);
    if (o.code == 2 && *option && strstr(o.err, option)) return 0;
    if (o.code) fail_msg("%s: %s", line, o.err);
    uint64_t hash = XXH3_64bits(o.out, strlen(o.out));
    hash = mix(hash, "v/metrics.jsonl", 0);
    return mix(hash, "v/last.safetensors", 1);
}

/* Whether the option does something with this value; it is the model's own value otherwise. */
static int acts(int model, uint64_t plain, const harness_option *option, const char *now,
                const char *value)
{
    char more[100];
    if (option->type == HARNESS_BOOL)
        snprintf(more, sizeof more, " --%s%s", *value == 'f' ? "no-" : "", option->name);
    else
        snprintf(more, sizeof more, " --%s %s", option->name, value);
    const uint64_t hash = train(model, option->name, more);
    if (hash == plain && strcmp(now, "auto") != 0 && strcmp(value, "auto") != 0)
        fail_msg("%s train %s:%s changes nothing", models[model].program->name,
                 models[model].options, more);
    return hash != 0;
}

/* ---- values ---- */

static const char *number_of(const char *name, const char *now, char text[40])
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i][0], name) == 0) return values[i][1];
    const double x = strtod(now, NULL);
    snprintf(text, 40, "%g", x != 0 ? 2 * x : 1);
    return text;
}

/* The number of values, other than that of the model, with which the option acts. */
static int try_values(int model, uint64_t plain, const harness_option *option, const char *now)
{
    char text[40];
    if (option->type == HARNESS_BOOL)
        return acts(model, plain, option, now, *now == 'f' ? "true" : "false");
    if (option->type != HARNESS_CHOICE)
        return acts(model, plain, option, now, number_of(option->name, now, text));
    int n = 0;
    char *words = harness_copy(option->choices), *rest = NULL;
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
        if (strcmp(word, now) != 0) n += acts(model, plain, option, now, word);
    harness_free(words);
    return n;
}

static int is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0) return 1;
    return 0;
}

static void try_options(int *acting, int model)
{
    const harness_program *p = models[model].program;
    harness_options *o =
        program_options(&(program_model){.program = p}, HARNESS_TRAIN, models[model].options);
    const uint64_t plain = train(model, "", "");
    assert_true(plain != 0);
    for (int i = 0; i < p->option_count; i++) {
        char *now = harness_option_text(o, &p->options[i]);
        if ((p->options[i].commands & HARNESS_TRAIN) && !is_other(p->options[i].name))
            acting[i] += try_values(model, plain, &p->options[i], now);
        harness_free(now);
    }
    harness_options_free(o);
}

static void each_option_acts_or_is_refused(void **state)
{
    if (SANITIZED) skip(); /* hundreds of calls, which other tests make, too */
    for (int first = 0, end; first < MODELS; first = end) {
        const harness_program *p = models[first].program;
        int acting[200] = {0};
        for (end = first; end < MODELS && models[end].program == p; end++) try_options(acting, end);
        for (int i = 0; i < p->option_count; i++)
            if ((p->options[i].commands & HARNESS_TRAIN) && !is_other(p->options[i].name) &&
                !acting[i])
                fail_msg("%s train --%s acts in none of the models", p->name, p->options[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_option_acts_or_is_refused)};
    return cmocka_run_group_tests(tests, group_make, test_folder_remove);
}
