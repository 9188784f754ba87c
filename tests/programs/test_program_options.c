/* SPDX-License-Identifier: MIT */
/* Every option of train, eval, predict and inspect, with every model: another value than its
   default is refused, in a sentence that names the option, or it changes what the call prints; of a
   training also what four steps log and learn. And each option acts in one of the models. Every
   preset trains. */
#include "support/test.h"
#include "examples/harness/cli/options_internal.h"
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

#define BRIEF " --log-every 1 --threads 1 --no-baselines"
#define SHORT " --steps 4 --eval-every 4" BRIEF
#define GRAPH " --hidden 16 --weight-decay 1" /* or four steps hide --no-decay-biases */
#define TPU   " --hidden 16 --embedding 8 --kernels 3"
#define TILES \
 SHORT " --configs 3 --data a_0_0000000a.npz b_0_0000000b.npz --valid c_1_0000000c.npz" TPU
#define ROWS  SHORT " --hidden 8 --layers 1 --items 4 --groups 2 --members 1"
#define BOOST " --trees 3 --bags 1 --depth 2 --least-leaf 1"
#define TREES " --data s_1.npz s_2.npz --valid s_3.npz --hidden 8 --tasks 2 --schedules 3" SHORT

static const struct {
    const harness_program *program;
    const char *options;
} models[] = {
    {&tgraph_program_table, "--data d.npz b.npz --split 0.8 --configs 6" GRAPH SHORT},
    {&tgraph_program_table,
     "--data d.npz b.npz --valid a.npz --eval-limit 3 --schedule exponential "
     "--decay-every 1 --configs 11" GRAPH SHORT},
    {&tgraph_program_table, "--data d.npz --valid b.npz --eval-limit 3 --epochs 4 --eval-every 4 "
                            "--configs 11" GRAPH BRIEF},
    {&tgraph_program_table, "--rows costs --loss error --data d.npz --valid a.npz --configs 11 "
                            "--eval-limit 3" GRAPH SHORT},
    {&tpu_program_table, "--reduction node" TILES},
    {&tpu_program_table, "--gnn gat --reduction lstm" TILES},
    {&tpu_program_table, "--gnn none --reduction transformer --data f_0.npz g_0.npz --valid "
                         "h_1.npz" TPU SHORT},
    {&tpu_program_table, "--rows costs --schedule exponential --decay-every 1" TILES},
    {&tpu_program_table, "--rows costs --data f_0.npz g_0.npz --valid h_1.npz" TPU SHORT},
    {&tpgnn_program_table, "--layers 2" TREES},
    {&tpgnn_program_table, "--rows costs" TREES},
    {&tpgnn_program_table,
     "--preset statements --loss hinge --schedule exponential --decay-every 1" TREES},
    {&tpgnn_program_table, "--preset paper --loss squared --learning-rate 1e-3" TREES},
    {&nests_program_table, "--fit network --data r_1.npz r_2.npz --split 0.7 --schedule "
                           "exponential --decay-every 1 --order 1" ROWS},
    {&nests_program_table, "--data d.npz b.npz --split 0.8" ROWS},
    {&nests_program_table, "--fit network --data s_1.npz s_2.npz --valid s_3.npz" ROWS},
#ifdef AG_HAVE_XGBOOST
    {&nests_program_table, "--data f_0.npz g_0.npz --valid h_1.npz" BOOST ROWS},
    {&nests_program_table, "--fit trees --data a_0_0000000a.npz b_0_0000000b.npz --valid "
                           "c_1_0000000c.npz --threads 1 --no-baselines" BOOST},
#endif
};
enum { MODELS = sizeof models / sizeof *models };

/* Values other than twice the default, or 1. */
static const char *const values[][2] = {
    {"hidden", "32"},      {"configs", "4"},         {"tasks", "1"},        {"schedules", "1"},
    {"clip", "0.01"},      {"dropout", "0.4"},       {"warmup", "0.5"},     {"split", "0.5"},
    {"steps", "1"},        {"learning-rate", "0.1"}, {"ratio", "0.3"},      {"decay-rate", "0.25"},
    {"decay-every", "2"},  {"eval-limit", "2"},      {"tree-columns", "1"}, {"weight-decay", "3"},
    {"eval-every", "2"},   {"epochs", "3"},          {"kernels", "1"},      {"members", "2"},
    {"layers", "4"},       {"trees", "6"},           {"bags", "2"},         {"depth", "3"},
    {"tree-rate", "0.3"},  {"least-leaf", "9"},      {"share", "0.9"},      {"groups", "1"},
    {"items", "1"},        {"huber", "0.01"},        {"order", "3"},        {"top", "2"},
    {"skip-graph", "0.9"},
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
    {"save-minutes", "the same"},
    {"rank-patience", "for ranks, which ranks.sh tries"},
    {"run", "which run"},
    {"model", "the same; test_program_shipped tries it"},
    {"ensemble", "more runs, which test_program_predict tries"},
    {"checkpoint", "best and last may be the same step; test_program_train tries it"},
    {"fit", "other files, which tests of each program try"},
    {"csv", "another place"},
    {"part", "which files; test_program_parts tries it"},
    {"scores", "the same"},
    {"init", "a run, which test_program_init tries"},
    {"eval-configs", "here all are scored together; test_tgraph_program tries it"},
    {"tta", "the same"},
    {"readout", "here schedules have one statement; test_tpgnn_model tries it"},
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

typedef struct call {
    const harness_program *program;
    unsigned command;
    char options[600]; /* without the one that is tried */
    uint64_t plain;    /* a hash of what it does */
} call;

/* Mixes a file of the run into the hash. tensors: only the tensors of a checkpoint, since its
   metadata hold the options. */
static uint64_t mix(uint64_t hash, const char *name, int tensors)
{
    size_t bytes;
    uint64_t header = 0; /* of the metadata, which come after its 8 bytes */
    char *text = files_get(test_file(name), &bytes);
    if (!text) fail_msg("%s is not there", name);
    if (tensors) {
        memcpy(&header, text, sizeof header);
        header += sizeof header;
    }
    hash = XXH3_64bits_withSeed(text + header, bytes - header, hash);
    free(text);
    return hash;
}

/* A hash of what the call prints, and of what a training logs and learns; 0: it was refused. */
static uint64_t hash_of(const call *c, const char *option, const char *more)
{
    const char *line = formatted("%s %s %s%s", c->program->name,
                                 harness__command_name(c->program, c->command), c->options, more);
    const program_outcome o = program_call(line);
    if (o.code == 2 && *option && strstr(o.err, option)) return 0;
    if (o.code) fail_msg("%s: %s", line, o.err);
    uint64_t hash = XXH3_64bits(o.out, strlen(o.out));
    if (c->command != HARNESS_TRAIN) return hash;
    hash = mix(hash, "v/metrics.jsonl", 0);
    return mix(hash, "v/last.safetensors", 1);
}

static call make_call(int model, unsigned command, const char *more, const char *options)
{
    call c = {models[model].program, command, "", 0};
    snprintf(c.options, sizeof c.options, "%s%s", more, options);
    c.plain = hash_of(&c, "", "");
    return c;
}

/* Whether the option does something with this value; it is the model's own value otherwise. */
static int acts(const call *c, const harness_option *option, const char *now, const char *value)
{
    char more[100];
    if (option->type == HARNESS_BOOL)
        snprintf(more, sizeof more, " --%s%s", *value == 'f' ? "no-" : "", option->name);
    else
        snprintf(more, sizeof more, " --%s %s", option->name, value);
    const uint64_t hash = hash_of(c, option->name, more);
    if (hash == c->plain && strcmp(now, "auto") != 0 && strcmp(value, "auto") != 0)
        fail_msg("%s %s%s changes nothing", c->program->name, c->options, more);
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

/* The number of values, other than that of the model, with which the option acts. From only trees
   to networks is left to other models, since the steps would be as many as without --steps. */
static int try_values(const call *c, const harness_option *option, const char *now)
{
    char text[40];
    if (option->type == HARNESS_BOOL) return acts(c, option, now, *now == 'f' ? "true" : "false");
    if (option->type != HARNESS_CHOICE)
        return acts(c, option, now, number_of(option->name, now, text));
    int n = 0;
    char *words = harness_copy(option->choices), *rest = NULL;
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
        if (strcmp(word, now) != 0 && strcmp(now, "trees") != 0) n += acts(c, option, now, word);
    harness_free(words);
    return n;
}

static int is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0) return 1;
    return 0;
}

static void try_options(int *acting, const call *c)
{
    const harness_program *p = c->program;
    harness_options *o = program_options(&(program_model){.program = p}, c->command, c->options);
    for (int i = 0; i < p->option_count; i++) {
        const char *now = harness_option_text(o, &p->options[i]);
        if ((p->options[i].commands & c->command) && !is_other(p->options[i].name))
            acting[i] += try_values(c, &p->options[i], now);
    }
    harness_options_free(o);
}

/* The files that the model is scored on: those held out, or the first one that it trains on. */
static const char *scored(const char *options)
{
    static char name[100];
    const char *at = strstr(options, "--valid ");
    sscanf(at ? at + 8 : strstr(options, "--data ") + 7, "%99s", name);
    return name;
}

enum { MOST_OPTIONS = 200, COMMANDS = 4 };
enum { ALL = HARNESS_EVAL | HARNESS_PREDICT | HARNESS_INSPECT | HARNESS_TRAIN };
static const unsigned commands[COMMANDS] = {HARNESS_EVAL, HARNESS_PREDICT, HARNESS_INSPECT,
                                            HARNESS_TRAIN};

/* Training is tried last, since the others take the run that it makes first. */
static void try_model(int *acting, int model)
{
    static const char *const more[COMMANDS] = {"--run v --threads 1 --no-baselines --data ",
                                               "--run v --threads 1 --data ", "--threads 1 --data ",
                                               "--out v --force "};
    const char *const options = models[model].options;
    const call train = make_call(model, HARNESS_TRAIN, more[COMMANDS - 1], options);
    for (int k = 0; k < COMMANDS - 1; k++) {
        const call c = make_call(model, commands[k], more[k], scored(options));
        try_options(acting, &c);
    }
    try_options(acting, &train);
}

static void each_option_acts_or_is_refused(void **state)
{
    if (SANITIZED) skip(); /* hundreds of calls, which other tests make, too */
    for (int first = 0, end; first < MODELS; first = end) {
        const harness_program *p = models[first].program;
        int acting[MOST_OPTIONS] = {0};
        for (end = first; end < MODELS && models[end].program == p; end++) try_model(acting, end);
        for (int i = 0; i < p->option_count; i++)
            if ((p->options[i].commands & ALL) && !is_other(p->options[i].name) && !acting[i])
                fail_msg("%s --%s acts in none of the models", p->name, p->options[i].name);
    }
}

/* ---- presets ---- */

/* Of each program a model of tile or schedule files, and of tpu one of fusion files; the sizes are
   small ones. */
static const struct {
    const harness_program *program;
    const char *part, *options; /* part: of the preset's name */
} presets[] = {
    {&tgraph_program_table, "", " --data d.npz --configs 6" GRAPH},
    {&tpu_program_table, "-tile", TILES},
    {&tpu_program_table, "-fusion", " --data f_0.npz g_0.npz" TPU},
    {&tpgnn_program_table, "", TREES},
};

static int train_presets(size_t k)
{
    const harness_option *option = harness_option_find(presets[k].program, "preset");
    char *words = harness_copy(option->choices), *rest = NULL;
    int n = 0;
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
        if (strcmp(word, "none") != 0 && strstr(word, presets[k].part) && ++n)
            program_expect_line(0, "", "", "%s train --out p --force --preset %s%s --steps 2",
                                presets[k].program->name, word, presets[k].options);
    harness_free(words);
    return n;
}

static void each_preset_trains(void **state)
{
    static const int count[] = {2, 12, 12, 4};
    for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
        assert_int_equal(train_presets(k), count[k]);
}

/* ---- pairs of options ---- */

/* An option that has no effect with one of the run is refused. */
static void options_without_effect(void **state)
{
    program_expect("tgraph train --data d.npz --out p --force --no-cross --steps 2 --quiet "
                   "--no-baselines",
                   0, "", "");
    program_expect("tgraph eval --data d.npz --run p --tta 2", 2, "",
                   "--tta: 2 has no effect, since it needs --cross");
}

int main(void)
{
    return RUN_TESTS_WITH(group_make, test_folder_remove, options_without_effect,
                          each_preset_trains, each_option_acts_or_is_refused);
}
