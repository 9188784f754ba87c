/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/harness/commands/doctor.h"
#include "examples/harness/model/settings.h"
#include "examples/tpgnn/hooks.h"

enum { TRAINS = HARNESS_TRAINS, SCORES = HARNESS_SCORES, RUNS = HARNESS_RUNS };

/* Names a field without "tpgnn_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpgnn_settings, M)
#define WORD(M)  HARNESS_WORD(tpgnn_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tpgnn_settings, harness.common),

    {"preset", WORD(preset), "none", .choices = tpgnn_preset_words, .presets = tpgnn_presets,
     .commands = TRAINS, .flags = HARNESS_LOCAL, .often = true, .group = "Model",
     .help = "the paper's training of its network, with GraphConv or with GCNConv; what suits rows "
             "of loop nests (--rows costs); or a graph network of statements; options after it "
             "override them"},
    {"network", WORD(model.network), "paper", .choices = "statements|paper", .commands = TRAINS,
     .group = "Model",
     .help = "add the costs of the statements that store, or pool the graph as the paper does"},
    {"types", WORD(model.types), "words", .choices = "table|words", .commands = TRAINS,
     .group = "Model",
     .help = "how the type of a node becomes numbers: by a learned table, or by vectors of a "
             "file, which training does not change"},
    {"vectors", FIELD(vectors), .commands = TRAINS, .flags = HARNESS_FOR_RESUME,
     .needs = "--types=words", .meta = "FILE.npz", .group = "Model",
     .help = "the file of these vectors, made by examples/tvm/collect/vectors.py (default: the "
             "built-in vectors of examples/data/schedules)"},
    {"hidden", FIELD(model.hidden), "128", 4, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer"},
    {"layers", FIELD(model.layers), "3", 0, TPGNN_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "graph convolutions"},
    {"edges", WORD(model.edges), "tree", .choices = "none|tree|names|both", .commands = TRAINS,
     .group = "Model", .needs = "--network=paper or --layers",
     .help = "between parents and children (tree), between a use and its declaration (names), or "
             "both"},
    {"compact", FIELD(model.compact), "false", .commands = TRAINS, .group = "Model",
     .help = "omit sizes and index arithmetic; a loop then has an edge to each access that uses "
             "its variable"},
    {"nest", FIELD(model.nest), "true", .commands = TRAINS, .group = "Model",
     .needs = "--network=statements",
     .help = "features of the loops of a node: how often they run, how they move through memory, "
             "what they touch"},
    {"log-features", FIELD(model.log_features), "true", .commands = TRAINS, .group = "Model",
     .needs = "--network=paper",
     .help = "take sign(x) log2(1 + |x|) / 8 of constants (paper: false)"},
    {"readout", WORD(model.readout), "sum", .choices = "sum|mean", .commands = TRAINS,
     .group = "Model", .needs = "--network=statements and --rows=none|sums|embedded",
     .help = "ln of the sum of the statements' costs, or their mean"},
    {"rows", WORD(model.rows), "none", .choices = NESTS_USES, .commands = TRAINS, .group = "Model",
     .help = NESTS_USES_HELP},
    {"bins", FIELD(model.bins), "8", 0, 64, TRAINS, .group = "Model",
     .needs = "--rows=sums|embedded|costs",
     .help =
         "bins of each column of the rows, at quantiles of training; each is an input that says "
         "how much of it lies below the value, besides the column itself (0: none)"},
    {"members", FIELD(model.members), "1", 1, NESTS_JOINED_MEMBERS, TRAINS, .group = "Model",
     .needs = "--rows=costs", .help = NESTS_MEMBERS_HELP},
    {"conv", WORD(model.paper.conv), "graph", .choices = "graph|gcn", .commands = TRAINS,
     .group = "Model", .needs = "--network=paper",
     .help = "GraphConv, as in the authors' code, or GCNConv, as in the paper's text"},
    {"pool", WORD(model.paper.pool), "topk", .choices = "none|topk|sag", .commands = TRAINS,
     .group = "Model", .needs = "--network=paper", .help = "how the nodes that stay are chosen"},
    {"ratio", FIELD(model.paper.ratio), "0.8", 1e-6, 1e9, TRAINS, .group = "Model",
     .needs = "--network=paper and --pool=topk|sag",
     .help = "share of the nodes that stay; from 1 on, their number"},
    {"dropout", FIELD(model.dropout), "0.5", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that each layer drops in training; in the paper's network "
             "only before the last two"},

    HARNESS_STEPS_OPTION(tpgnn_settings, "1500", "optimizer steps (paper: 200 epochs)"),
    {"tasks", FIELD(tasks), "8", 1, 65536, TRAINS, .group = "Training", .help = "tasks per step"},
    {"schedules", FIELD(schedules), "32", 1, 65536, TRAINS, .group = "Training",
     .help = "schedules per task in a step"},
    {"balanced", FIELD(balanced), "false", .commands = TRAINS, .group = "Training",
     .needs = "no --mixed", .help = "draw tasks evenly from each family of tasks"},
    {"mixed", FIELD(mixed), "false", .commands = TRAINS, .group = "Training",
     .help = "draw schedules from all tasks together (paper: true)"},
    {"loss", WORD(loss), "pairs", .choices = "pairs|hinge|lambda|huber|squared", .commands = TRAINS,
     .often = true, .group = "Training",
     .help = "the loss: over pairs of schedules of one task (pairs: logistic; hinge; lambda: "
             "LambdaRank), or the error of --label (paper: huber)"},
    {"label", WORD(label), "relative", .choices = "cost|log|relative|throughput",
     .commands = TRAINS, .group = "Training", .needs = "--loss=huber|squared",
     .help = "what the network predicts: seconds (cost, as in the paper), ln(seconds), "
             "ln(seconds) less the task's mean, or fastest / run time; the first two are "
             "standardised"},
    {"top", FIELD(top), "0.3", 0, 1e6, TRAINS, .group = "Training", .needs = "--loss=pairs",
     .help = "weight of LambdaRank's loss, which looks at the fastest schedules, in the sum with "
             "that of pairs (0: none)"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training", .needs = "--loss=hinge",
     .help = "the difference that the scores of a pair should have"},
    HARNESS_RATE_OPTIONS(tpgnn_settings, "2e-3",
                         "learning rate of Adam, after the warm-up (paper: 5e-6)", "0.02"),
    HARNESS_SCHEDULE_OPTION(tpgnn_settings, "cosine", HARNESS_SCHEDULES),
    HARNESS_DECAY_OPTIONS(tpgnn_settings, "0.95", "100", "steps for one factor --decay-rate"),
    HARNESS_WEIGHT_DECAY_OPTION(tpgnn_settings, "0", "as in AdamW"),

    HARNESS_EVAL_EVERY_OPTION(tpgnn_settings, "250", "--valid", HARNESS_ON_VALID),
    {"eval-graphs", FIELD(eval_graphs), "256", 1, 65536, RUNS, .flags = HARNESS_LOCAL,
     .group = "Machine",
     .help = "most schedules that are scored together; scores do not depend on it"},
    {"eval-nodes", FIELD(eval_nodes), "32768", 1, 1e7, RUNS, .flags = HARNESS_LOCAL,
     .group = "Machine", .help = "most nodes that are scored together; scores do not depend on it"},
    HARNESS_BASELINE_OPTIONS(
        tpgnn_settings,
        "show what boosted trees, fitted to the training files, and rules of thumb reach"),

    HARNESS_MODEL_OPTIONS(tpgnn_settings),
};

static const harness_command commands[] = {
    HARNESS_RUN_COMMANDS("measured schedules", "schedules"),
    HARNESS_INSPECT_COMMAND("files of schedules"),
    HARNESS_ABLATE_COMMAND,
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tpgnn_program_table = {
    .name = "tpgnn",
    .version = TPGNN_VERSION,
    .help = "TPGNN, a cost model for the schedules of tensor programs in TVM",
    HARNESS_TABLES(table, commands),
    .options_bytes = sizeof(tpgnn_settings),
    .moved = NESTS_MOVED,
    .examples = HARNESS_EXAMPLES("tpgnn", "examples/data/schedules/split-workload",
                                 "examples/data/schedules/sum-rows_384_320.npz", "tpgnn-schedules",
                                 "examples/tpgnn/studies/ablations.ini"),
    .model = &tpgnn_hooks};
