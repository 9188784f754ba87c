/* SPDX-License-Identifier: MIT */
/* The option table. The first value of an option that the paper and the authors' code see
   differently is the code's (docs/tgraph.md). */
#include "examples/harness/doctor.h"
#include "examples/tgraph/program.h"

#include <string.h>

enum {
    TRAINS = HARNESS_TRAIN | HARNESS_ABLATE,
    SCORES = HARNESS_EVAL | HARNESS_PREDICT,
    RUNS = TRAINS | SCORES
};

/* Names without "tgraph_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tgraph_settings, M)
#define WORD(M)  HARNESS_WORD(tgraph_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tgraph_settings, common),

    {"split", FIELD(split), "0", 0, 0.999, TRAINS, .group = "Data",
     .help = "share of each file's configurations to train on; the others are held out and "
             "scored (0: train on all)"},
    {"split-seed", FIELD(split_seed), "0", 0, 9007199254740992.0, TRAINS, .group = "Data",
     .help = "which configurations and folds are held out; --seed does not move them"},
    {"folds", FIELD(folds), "0", 0, 100000, TRAINS, .group = "Data",
     .help = "cut the files into so many folds and hold one out (the paper: 20)"},
    {"fold", FIELD(fold), "0", 0, 99999, TRAINS, .group = "Data",
     .help = "the fold that is held out, from 0"},
    {"dedup", WORD(dedup), "first", .choices = "none|first|fastest", .commands = TRAINS,
     .group = "Data",
     .help = "of equal configurations in training keep all, the first (code) or the one with the "
             "smallest run time (paper)"},
    {"prune", FIELD(prune), "true", .commands = RUNS, .group = "Data",
     .help = "keep only configurable nodes and their neighbours (layout files)"},
    {"repad", FIELD(repad), "true", .commands = RUNS, .group = "Data",
     .help = "mark unused layout places by -1 instead of 0 (layout files)"},
    {"log-features", FIELD(log_features), "false", .commands = RUNS, .group = "Data",
     .help = "take sign(x) ln(1 + |x|) of the numeric features before they are standardised: for "
             "programs of many sizes"},

    {"hidden", FIELD(hidden), "256", 16, 4096, TRAINS, .group = "Model",
     .help = "channels, a multiple of 16"},
    {"cross", FIELD(cross), "true", .commands = TRAINS, .group = "Model",
     .help = "cross-configuration attention (the authors turn it off for random collections)"},
    {"cross-input", FIELD(cross_input), "true", .commands = TRAINS, .group = "Model",
     .help = "... in the two input layers as well (paper: false)"},
    {"halve", FIELD(halve), "true", .commands = TRAINS, .group = "Model",
     .help = "put the attended copy beside half of the channels (code); off: beside all of them, "
             "and a layer brings both back to --hidden"},
    {"channel", FIELD(channel), "true", .commands = TRAINS, .group = "Model",
     .help = "channel attention"},
    {"edges", FIELD(edges), "true", .commands = TRAINS, .group = "Model",
     .help = "pass messages along the edges"},
    {"direction", WORD(direction), "consumers", .choices = "consumers|operands|both",
     .commands = TRAINS, .group = "Model", .help = "the neighbours that a node looks at"},
    {"aggregate", WORD(aggregate), "mean", .choices = "mean|sum", .commands = TRAINS,
     .group = "Model", .help = "how they are put together (paper: sum)"},
    {"l2", FIELD(l2), "false", .commands = TRAINS, .group = "Model",
     .help = "divide the output of a convolution by its norm (paper: true)"},
    {"message", FIELD(message), "false", .commands = TRAINS, .group = "Model",
     .help = "a layer on every neighbour before the sum (paper: true)"},
    {"residual", WORD(residual), "inside", .choices = "inside|outside", .commands = TRAINS,
     .group = "Model", .help = "gelu(x + h), or x + gelu(h) as in the paper"},
    {"dropout", FIELD(dropout), "0.2", 0, 0.999, TRAINS, .group = "Model",
     .help = "behind each graph block (paper: 0)"},

    {"steps", FIELD(training.steps), "1500", 1, 1e9, TRAINS, .group = "Training",
     .help = "optimizer steps; each takes one file"},
    {"epochs", FIELD(epochs), "0", 0, 1e9, TRAINS, .group = "Training",
     .help = "passes over the files; above 0 it replaces --steps"},
    {"configs", FIELD(configs), "64", 2, 65536, TRAINS, .group = "Training",
     .help = "configurations a step (tile files: always all)"},
    {"loss", WORD(loss), "hinge", .choices = "hinge|logistic|listmle", .commands = TRAINS,
     .group = "Training", .help = "what training makes small, over pairs of configurations"},
    {"reduction", WORD(reduction), "mean", .choices = "mean|sum", .commands = TRAINS,
     .group = "Training", .help = "how the loss adds its pairs (paper: sum)"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .help = "of the hinge loss"},
    {"learning-rate", FIELD(training.learning_rate), "1e-3", 0, 10, TRAINS, .group = "Training",
     .help = "of AdamW, after the warm-up"},
    {"warmup", FIELD(training.warmup), "0.05", 0, 1, TRAINS, .group = "Training",
     .help = "share of the steps in which the learning rate rises"},
    {"schedule", WORD(training.schedule), "cosine", .choices = "constant|cosine|linear|exponential",
     .commands = TRAINS, .group = "Training", .help = "the learning rate after that"},
    {"decay-rate", FIELD(training.decay_rate), "0.5", 1e-9, 1, TRAINS, .group = "Training",
     .help = "exponential: the learning rate is multiplied by this every --decay-every steps"},
    {"decay-every", FIELD(training.decay_every), "1000", 1, 1e9, TRAINS, .group = "Training",
     .help = "exponential: steps"},
    {"weight-decay", FIELD(training.weight_decay), "1e-5", 0, 10, TRAINS, .group = "Training",
     .help = "decoupled, of AdamW"},
    {"decay-biases", FIELD(decay_biases), "true", .commands = TRAINS, .group = "Training",
     .help = "... of biases and temperatures, too (paper: false)"},
    {"clip", FIELD(training.clip), "1", 0, 1e9, TRAINS, .group = "Training",
     .help = "largest norm of the gradient (0: any)"},
    {"check-finite", FIELD(training.check_finite), .commands = TRAINS, .flags = HARNESS_LOCAL,
     .group = "Training",
     .help = "look at every result and name the first op that makes one that is not finite"},

    {"eval-configs", FIELD(eval_configs), "128", 1, 65536, RUNS, .group = "Scores",
     .help = "configurations that are scored together; with cross-configuration attention scores "
             "depend on it"},
    {"eval-every", FIELD(training.eval_every), "100", 1, 1e9, TRAINS, .group = "Scores",
     .help = "steps between validations"},
    {"eval-limit", FIELD(eval_limit), "2048", 0, 1e9, TRAINS, .group = "Scores",
     .help = "most configurations of a file in a validation during training (0: all)"},
    {"tau", WORD(tau), "b", .choices = "b|a", .commands = TRAINS | HARNESS_EVAL, .group = "Scores",
     .help = "Kendall's tau-b (code) or tau-a (paper)"},
    {"tta", FIELD(tta), "0", 0, 1000, SCORES, .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "mean over so many permutations of the configurations (paper: 10; 0: file order)"},
    {"part", WORD(part), "auto", .choices = "auto|all|held", .commands = HARNESS_EVAL,
     .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "score all configurations or those held out; auto: held out where the run trained on "
             "the same file with --split"},
    {"baselines", FIELD(baselines), "true", .commands = HARNESS_TRAIN | HARNESS_EVAL,
     .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "show what random order, ridge regression and boosted trees reach"},
    {"fit", FIELD(fit), .commands = HARNESS_EVAL, .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "files, folders or lists that the baselines learn from, instead of those that --run "
             "was trained on"},

    {"checkpoint", WORD(checkpoint), "best", .choices = "best|last", .commands = SCORES,
     .flags = HARNESS_LOCAL, .group = "Run", .help = "which checkpoint of the run"},
    {"ensemble", FIELD(ensemble), .commands = SCORES, .flags = HARNESS_LOCAL, .meta = "RUN...",
     .group = "Run", .help = "more runs: scores are the mean (so does a second --run)"},
    {"save-every", FIELD(training.save_every), "100", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between saves of last.safetensors"},
    {"log-every", FIELD(training.log_every), "10", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between rows of metrics.jsonl; the loss is the mean since the row before"},

    {"csv", FIELD(csv), .commands = HARNESS_PREDICT, .flags = HARNESS_LOCAL, .meta = "FILE",
     .group = "Output", .help = "write there instead of stdout"},
    {"format", WORD(format), "scores", .choices = "scores|contest", .commands = HARNESS_PREDICT,
     .flags = HARNESS_LOCAL, .group = "Output",
     .help = "config,score per configuration, or the contest's ID,TopConfigs per file"},
};

static const harness_command commands[] = {
    {"train", HARNESS_TRAIN, "train a model", NULL, tgraph_train_command},
    {"eval", HARNESS_EVAL, "score a trained model on files with run times", NULL,
     tgraph_eval_command},
    {"predict", HARNESS_PREDICT, "score the configurations of a file", NULL,
     tgraph_predict_command},
    {"inspect", HARNESS_INSPECT, "say what files hold", "data", tgraph_inspect_command},
    {"ablate", HARNESS_ABLATE, "train the variants of a study and compare them", NULL,
     tgraph_ablate_command},
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tgraph_program_table = {
    "tgraph",
    TGRAPH_VERSION,
    "TGraph, a graph network that ranks the layout or tile configurations of a tensor program by "
    "run time",
    table,
    (int)(sizeof table / sizeof *table),
    commands,
    (int)(sizeof commands / sizeof *commands),
    sizeof(tgraph_settings)};

tgraph_options tgraph_settings_model(const tgraph_settings *s, int tile)
{
    return (tgraph_options){.tile = tile,
                            .hidden = s->hidden,
                            .cross = s->cross,
                            .cross_input = s->cross_input,
                            .halve = s->halve,
                            .channel = s->channel,
                            .edges = s->edges,
                            .direction = s->direction,
                            .sum = s->aggregate,
                            .l2 = s->l2,
                            .message = s->message,
                            .outside = s->residual,
                            .decay_biases = s->decay_biases,
                            .dropout = s->dropout};
}

/* The words of --dedup stand in the order of tgraph_dedup. */
tgraph_data_options tgraph_settings_data(const tgraph_settings *s, int tile)
{
    tgraph_data_options o = tile ? tgraph_tile_defaults() : tgraph_layout_defaults();
    o.logs = s->log_features;
    if (tile) return o;
    o.prune = s->prune;
    o.repad = s->repad;
    o.dedup = (tgraph_dedup)s->dedup;
    return o;
}

/* A second --run and those behind it become --set ensemble=RUN: as many words as before. */
static char **spread_runs(int argc, char **argv)
{
    char **words = harness_alloc(((size_t)argc + 1) * sizeof *words);
    int runs = 0;
    for (int i = 0; i < argc; i++) words[i] = argv[i];
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        if (strncmp(word, "--run", 5) != 0 || (word[5] && word[5] != '=') || !runs++) continue;
        if (word[5])
            words[i] = harness_text("--set=ensemble%s", word + 5);
        else if (i + 1 < argc) {
            words[i] = harness_copy("--set");
            words[i + 1] = harness_text("ensemble=%s", argv[i + 1]);
            i++;
        }
    }
    return words;
}

int tgraph_main(int argc, char **argv)
{
    char **words = spread_runs(argc, argv);
    const int code = harness_main(&tgraph_program_table, argc, words);
    for (int i = 0; i < argc; i++)
        if (words[i] != argv[i]) harness_free(words[i]);
    harness_free(words);
    return code;
}
