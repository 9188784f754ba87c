/* SPDX-License-Identifier: MIT */
/* The option table. Where paper and code differ, the first value of an option is the code's
   (docs/tgraph.md). */
#include "examples/harness/commands/doctor.h"
#include "examples/harness/model/settings.h"
#include "examples/tgraph/hooks.h"

enum { TRAINS = HARNESS_TRAINS, SCORES = HARNESS_SCORES, RUNS = HARNESS_RUNS };

/* Names a field without "tgraph_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tgraph_settings, M)
#define WORD(M)  HARNESS_WORD(tgraph_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tgraph_settings, harness.common),

    {"split", FIELD(split), "0", 0, 0.999, TRAINS, .often = true, .group = "Data",
     .help = "share of each file's configurations to train on; the others are held out and "
             "scored (0: train on all)"},
    {"split-seed", FIELD(split_seed), "0", 0, 9007199254740992.0, TRAINS, .group = "Data",
     .needs = "--valid or --split",
     .help = "which configurations are held out; --seed does not move them"},
    {"dedup", WORD(data.dedup), "first", .choices = "none|first|fastest", .commands = TRAINS,
     .group = "Data",
     .help = "which of equal configurations training keeps: all (none), the first (code) or the "
             "fastest (paper)"},
    {"prune", FIELD(data.prune), "true", .commands = TRAINS, .group = "Data",
     .help = "keep only configurable nodes and their neighbours"},
    {"repad", FIELD(data.repad), "true", .commands = TRAINS, .group = "Data",
     .help = "mark unused layout entries by -1 instead of 0"},
    {"log-features", FIELD(data.logs), "true", .commands = TRAINS, .group = "Data",
     .help = "take sign(x) ln(1 + |x|) of the numeric features before they are standardised, for "
             "programs of many sizes"},

    {"preset", WORD(preset), "none", .choices = tgraph_preset_words, .presets = tgraph_presets,
     .commands = TRAINS, .group = "Model",
     .help = "the authors' length of training, or what suits rows of loop nests (--rows costs); "
             "options after it override it"},
    {"hidden", FIELD(model.hidden), "256", 16, 4096, TRAINS, .group = "Model",
     .help = "channels, a multiple of 16"},
    {"cross", FIELD(model.cross), "true", .commands = TRAINS, .group = "Model",
     .help = "cross-configuration attention (the authors turn it off for random collections)"},
    {"cross-input", FIELD(model.cross_input), "true", .commands = TRAINS, .group = "Model",
     .needs = "--cross",
     .help = "cross-configuration attention in the two input layers, too (paper: false)"},
    {"halve", FIELD(model.halve), "true", .commands = TRAINS, .group = "Model", .needs = "--cross",
     .help = "concatenate half of the channels with their attended copy (code); off: all "
             "channels, and a layer reduces the result to --hidden"},
    {"channel", FIELD(model.channel), "true", .commands = TRAINS, .group = "Model",
     .help = "channel attention"},
    {"edges", FIELD(model.edges), "true", .commands = TRAINS, .group = "Model",
     .help = "pass messages along the edges"},
    {"direction", WORD(model.direction), "consumers", .choices = "consumers|operands|both",
     .commands = TRAINS, .group = "Model", .needs = "--edges",
     .help = "the neighbours that a node reads"},
    {"aggregate", WORD(model.sum), "mean", .choices = "mean|sum", .commands = TRAINS,
     .group = "Model", .needs = "--edges", .help = "how neighbours are combined (paper: sum)"},
    {"l2", FIELD(model.l2), "false", .commands = TRAINS, .group = "Model",
     .help = "divide the output of a convolution by its norm (paper: true)"},
    {"message", FIELD(model.message), "false", .commands = TRAINS, .group = "Model",
     .needs = "--edges",
     .help = "a layer on every neighbour before they are combined (paper: true)"},
    {"residual", WORD(model.outside), "inside", .choices = "inside|outside", .commands = TRAINS,
     .group = "Model", .help = "gelu(x + h), or x + gelu(h) as in the paper"},
    {"dropout", FIELD(model.dropout), "0.2", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that are dropped after each graph block (paper: 0)"},
    {"rows", WORD(model.rows), "none", .choices = NESTS_USES, .commands = TRAINS, .often = true,
     .group = "Model", .help = NESTS_USES_HELP},
    {"members", FIELD(model.members), "1", 1, NESTS_JOINED_MEMBERS, TRAINS, .group = "Model",
     .needs = "--rows=costs", .help = NESTS_MEMBERS_HELP},

    {"steps", FIELD(harness.training.steps), "6000", 1, 1e9, TRAINS, .flags = HARNESS_MAY_GROW,
     .often = true, .group = "Training", .needs = "no --epochs",
     .help = "optimizer steps; each takes one file"},
    {"epochs", FIELD(epochs), "0", 0, 1e9, TRAINS, .flags = HARNESS_MAY_GROW, .group = "Training",
     .help = "passes over the files; above 0 it replaces --steps"},
    {"configs", FIELD(configs), "32", 2, 65536, TRAINS, .group = "Training",
     .help = "configurations per step"},
    {"loss", WORD(loss), "hinge", .choices = "hinge|logistic|listmle|error", .commands = TRAINS,
     .group = "Training",
     .help = "the loss: over pairs of configurations (hinge, logistic), over their order "
             "(listmle), or squared errors of ln(run time) within the file, over their variance "
             "(error, best for --rows costs)"},
    {"skip-graph", FIELD(model.skip_graph), "0", 0, 0.99, TRAINS, .group = "Training",
     .needs = "--rows=costs",
     .help = "share of the batches that train only the networks of the rows; scores then take 1 "
             "minus this share of what the graph adds"},
    {"reduction", WORD(reduction), "mean", .choices = "mean|sum", .commands = TRAINS,
     .group = "Training", .needs = "--loss=hinge|logistic",
     .help = "how the loss adds its pairs (paper: sum)"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training", .needs = "--loss=hinge",
     .help = "margin of the hinge loss"},
    HARNESS_RATE_OPTIONS(tgraph_settings, "1e-3", "learning rate of AdamW, after the warm-up",
                         "0.05"),
    HARNESS_SCHEDULE_OPTION(tgraph_settings, "cosine", HARNESS_SCHEDULES),
    HARNESS_DECAY_OPTIONS(tgraph_settings, "0.5", "1000", "steps for one factor --decay-rate"),
    HARNESS_WEIGHT_DECAY_OPTION(tgraph_settings, "1e-5", "as in AdamW"),
    {"decay-biases", FIELD(model.decay_biases), "true", .commands = TRAINS, .group = "Training",
     .needs = "--weight-decay",
     .help = "weight decay of biases and temperatures, too (paper: false)"},

    {"eval-configs", FIELD(eval_configs), "128", 1, 65536, RUNS, .group = "Scores",
     .help = "configurations that are scored together; with cross-configuration attention scores "
             "depend on it"},
    HARNESS_EVAL_EVERY_OPTION(tgraph_settings, "1000", "--valid or --split", ""),
    {"eval-limit", FIELD(eval_limit), "2048", 0, 1e9, TRAINS, .group = "Scores",
     .needs = "--valid or --split",
     .help = "most configurations of a file in a validation during training (0: all)"},
    {"tau", WORD(tau), "b", .choices = "b|a", .commands = TRAINS | HARNESS_EVAL, .group = "Scores",
     .help = "Kendall's tau-b (code) or tau-a (paper)"},
    {"tta", FIELD(tta), "0", 0, 1000, SCORES, .flags = HARNESS_LOCAL, .group = "Scores",
     .needs = "--cross",
     .help = "average the scores over N random orders of the configurations (paper: 10; 0: file "
             "order)"},
    HARNESS_BASELINE_OPTIONS(tgraph_settings,
                             "show what random order, ridge regression and boosted trees reach"),

    HARNESS_MODEL_OPTIONS(tgraph_settings),

    {"module", FIELD(module), .commands = TGRAPH_IMPORT, .needed = TGRAPH_IMPORT,
     .flags = HARNESS_LOCAL, .meta = "FILE", .group = "Data",
     .help = "the HLO module: an HloModuleProto, an HloProto or HLO text"},
    {"unknown", WORD(unknown), "nearest", .choices = "nearest|zero|refuse",
     .commands = TGRAPH_IMPORT, .flags = HARNESS_LOCAL, .group = "Data",
     .help = "what replaces ops and element types that are newer than TpuGraphs: the nearest "
             "ones, or op code 0 and no type; or refuse the module"},
    {"ram-limit", HARNESS_BYTES(tgraph_settings, harness.common.ram_limit), "4G", 1 << 20,
     1099511627776.0, TGRAPH_IMPORT, .flags = HARNESS_LOCAL, .group = "Data",
     .help = "most memory for the graph and its configurations"},
    {"out", FIELD(harness.common.out), .commands = TGRAPH_IMPORT, .needed = TGRAPH_IMPORT,
     .flags = HARNESS_LOCAL, .meta = "FILE.npz", .group = "Output",
     .help = "the layout file to write"},
    {"configs", FIELD(import_configs), "1000", .commands = TGRAPH_IMPORT, .flags = HARNESS_LOCAL,
     .meta = "N|sweep|FILE", .group = "Output",
     .help = "draw N configurations, change one choice at a time (sweep), or take "
             "node_config_feat and, if it is there, config_runtime of an npz file"},
    {"seed", FIELD(harness.common.seed), "0", 0, 9007199254740992.0, TGRAPH_IMPORT,
     .flags = HARNESS_LOCAL, .group = "Output",
     .help = "seed of the configurations that are drawn"},
    {"quiet", FIELD(harness.common.quiet), .commands = TGRAPH_IMPORT, .flags = HARNESS_LOCAL,
     .group = "Output", .help = "only errors on stderr, no progress bar"},
    {"json", FIELD(harness.common.json), .commands = TGRAPH_IMPORT, .flags = HARNESS_LOCAL,
     .group = "Output", .help = "results on stdout as JSON"},
};

static const harness_command commands[] = {
    HARNESS_RUN_COMMANDS("files with run times", "the configurations of a file"),
    HARNESS_INSPECT_COMMAND("files"),
    {"import", TGRAPH_IMPORT, "make a layout file of a program of JAX, TensorFlow or PyTorch/XLA",
     "module", tgraph_import_command},
    HARNESS_ABLATE_COMMAND,
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tgraph_program_table = {
    .name = "tgraph",
    .version = TGRAPH_VERSION,
    .help = "TGraph, a graph network that ranks the layout configurations of a tensor program "
            "by run time",
    HARNESS_TABLES(table, commands),
    .options_bytes = sizeof(tgraph_settings),
    .moved = NESTS_MOVED,
    .examples = HARNESS_EXAMPLES("tgraph", "examples/data/layout/split-random",
                                 "examples/data/layout/random/alexnet_0.npz", "tgraph-layout",
                                 "examples/data/ablations.ini") //
    "tgraph import step.hlo.pb --out step.npz\n"
    "tgraph import step.hlo.pb --out sweep.npz --configs sweep\n"
    "tgraph import step.txt --out step.npz --configs 200 --seed 1\n",
    .model = &tgraph_hooks};
