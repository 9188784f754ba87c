/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/harness/machine/doctor.h"
#include "examples/harness/run/settings.h"
#include "examples/tpgnn/shell.h"

enum { TRAINS = HARNESS_TRAINS, SCORES = HARNESS_SCORES, RUNS = HARNESS_RUNS };

/* Names a field without "tpgnn_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpgnn_settings, M)
#define WORD(M)  HARNESS_WORD(tpgnn_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tpgnn_settings, shell.common),

    {"preset", WORD(preset), "none", .choices = tpgnn_preset_words, .presets = tpgnn_presets,
     .commands = TRAINS, .flags = HARNESS_LOCAL, .group = "Model",
     .help = "the options of the paper's model, with GraphConv or with GCNConv; options after it "
             "override them"},
    {"network", WORD(model.network), "stores", .choices = "stores|paper", .commands = TRAINS,
     .group = "Model",
     .help = "price every statement that stores, or pool the graph as the paper does"},
    {"types", WORD(model.types), "table", .choices = "table|words", .commands = TRAINS,
     .group = "Model",
     .help = "numbers that stand for a type of node: a table that is learned, or FastText's "
             "vectors"},
    {"members", FIELD(model.members), "5", 1, TPGNN_MOST_MEMBERS, TRAINS, .group = "Model",
     .help = "stores: networks that are trained side by side; their costs are averaged"},
    {"hidden", FIELD(model.hidden), "96", 4, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer (paper: 128)"},
    {"layers", FIELD(model.layers), "2", 0, TPGNN_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "graph convolutions (paper: 3)"},
    {"edges", WORD(model.edges), "both", .choices = "none|tree|names|both", .commands = TRAINS,
     .group = "Model",
     .help = "between parents and children, between what is used and where it is declared, or "
             "both"},
    {"compact", FIELD(model.compact), "true", .commands = TRAINS, .group = "Model",
     .help = "leave out sizes and index arithmetic; a loop then has an edge to each access that "
             "uses its variable (paper: false)"},
    {"nest", FIELD(model.nest), "true", .commands = TRAINS, .group = "Model",
     .help = "stores: nodes know their loops: how often they run, how they move through memory, "
             "what they touch (paper: false)"},
    {"rows", FIELD(model.rows), "true", .before = "false", .commands = TRAINS, .group = "Model",
     .help = "stores: the cost of a statement starts from its estimated cycles, and its layers "
             "read a row of what its loops do (paper: false)"},
    {"standard", FIELD(model.standard), "true", .before = "false", .commands = TRAINS,
     .group = "Model",
     .help = "stores: networks read these rows with mean 0 and deviation 1 over training (paper: "
             "false)"},
    {"graph", FIELD(model.graph), "false", .before = "true", .commands = TRAINS, .group = "Model",
     .help = "stores with rows: networks read the nodes of the program, too, through graph "
             "convolutions"},
    {"trees", FIELD(model.trees), "400", 0, TPGNN_MOST_TREES, TRAINS, .before = "0",
     .group = "Model",
     .help = "stores, with a loss that ranks: boosted trees on these rows, fitted before training, "
             "whose costs are added to the networks' (0: none; paper: 0)"},
    {"tree-sets", FIELD(model.tree_sets), "3", 1, TPGNN_MOST_SETS, TRAINS, .before = "1",
     .group = "Model", .help = "sets of so many trees, of which the mean is taken"},
    {"tree-columns", FIELD(model.tree_columns), "0.3", 0.01, 1, TRAINS, .before = "1",
     .group = "Model",
     .help = "share of the row's columns that a tree may ask for, drawn anew for each"},
    {"trees-weight", FIELD(model.trees_weight), "2", 0, 1e6, TRAINS, .before = "10",
     .group = "Model",
     .help = "what a unit of the trees' ln(run time) adds to the cost (10 suits --loss pairs)"},
    {"readout", WORD(model.readout), "sum", .choices = "sum|mean", .commands = TRAINS,
     .group = "Model", .help = "stores: ln of the sum of the statements' costs, or their mean"},
    {"conv", WORD(model.paper.conv), "graph", .choices = "graph|gcn", .commands = TRAINS,
     .group = "Model", .help = "paper: GraphConv, as in its code, or GCNConv, as in its text"},
    {"pool", WORD(model.paper.pool), "topk", .choices = "none|topk|sag", .commands = TRAINS,
     .group = "Model", .help = "paper: how nodes are chosen to stay"},
    {"ratio", FIELD(model.paper.ratio), "0.8", 1e-6, 1e9, TRAINS, .group = "Model",
     .help = "paper: share of the nodes that stays; from 1 on how many"},
    {"dropout", FIELD(model.dropout), "0.2", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that a layer loses in training (paper: 0.5, before the last "
             "layers)"},

    HARNESS_STEPS_OPTION(tpgnn_settings, "1500", "optimizer steps (paper: 200 epochs)"),
    {"tasks", FIELD(tasks), "8", 1, 65536, TRAINS, .group = "Training", .help = "tasks a step"},
    {"schedules", FIELD(schedules), "32", 1, 65536, TRAINS, .group = "Training",
     .help = "schedules of each task a step"},
    {"balanced", FIELD(balanced), "false", .commands = TRAINS, .group = "Training",
     .help = "draw tasks evenly from each family of tasks"},
    {"mixed", FIELD(mixed), "false", .commands = TRAINS, .group = "Training",
     .help = "draw schedules from all tasks alike (paper: true)"},
    {"loss", WORD(loss), "spread", .before = "pairs", .choices = TPGNN_LOSSES, .commands = TRAINS,
     .group = "Training",
     .help = "what training makes small: over pairs of schedules of one task (logistic, hinge, "
             "LambdaRank), the error of --label, or of ln(run time) within a task, over its "
             "spread, and the pairs"},
    {"label", WORD(label), "relative", .choices = "cost|log|relative|throughput",
     .commands = TRAINS, .group = "Training",
     .help = "huber and squared: seconds (as in the paper), ln(seconds), that against the task's "
             "mean, or fastest / run time; the first two are standardised"},
    {"top", FIELD(top), "0.3", 0, 1e6, TRAINS, .group = "Training",
     .help = "pairs and spread: weight of LambdaRank's loss, added to theirs, which looks at the "
             "fastest schedules (0: none)"},
    {"tree-order", FIELD(tree_order), "1", 0, 1e6, TRAINS, .before = "0", .group = "Training",
     .help = "weight of pairs, and --top times LambdaRank, in what trees are fitted to, besides "
             "the squares (0: the squares alone, as additive trees)"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .help = "hinge: how far the scores of a pair should lie apart"},
    HARNESS_RATE_OPTIONS(tpgnn_settings, "3e-3", "of Adam, after the warm-up (paper: 5e-6)",
                         "0.02"),
    HARNESS_SCHEDULE_OPTION(tpgnn_settings, "cosine", HARNESS_SCHEDULES),
    HARNESS_DECAY_OPTIONS(tpgnn_settings, "0.95", "100", "how many steps that is"),
    HARNESS_WEIGHT_DECAY_OPTION(tpgnn_settings, "0.05", "as in AdamW (paper: 0)"),

    HARNESS_EVAL_EVERY_OPTION(tpgnn_settings, "250", HARNESS_ON_VALID),
    {"eval-graphs", FIELD(eval_graphs), "256", 1, 65536, RUNS, .flags = HARNESS_LOCAL,
     .group = "Scores",
     .help = "most schedules that are scored together; scores do not depend on it"},
    {"eval-nodes", FIELD(eval_nodes), "32768", 1, 1e7, RUNS, .flags = HARNESS_LOCAL,
     .group = "Scores", .help = "most nodes that are scored together, as above"},
    HARNESS_BASELINE_OPTIONS(
        tpgnn_settings,
        "show what boosted trees, ridge regression and rules of thumb reach that are fitted "
        "to the training files"),

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
    .model = &tpgnn_shell};

/* The paper's network has the sizes of the other one. */
tpgnn_options tpgnn_settings_model(const tpgnn_settings *s)
{
    tpgnn_options o = s->model;
    o.paper.inputs = tpgnn_paper_defaults().inputs;
    o.trees = tpgnn_option_trees(o.trees, s->loss);
    o.times = s->loss == TPGNN_LOSS_SPREAD;
    o.paper.hidden = o.hidden;
    o.paper.layers = o.layers;
    o.paper.dropout = o.dropout;
    for (int f = 0; f < TPGNN_FIELDS; f++) o.words[f] = 1;
    return o;
}

tpgnn_options tpgnn_default_options(tpgnn_network network)
{
    tpgnn_settings s;
    ag_failure why = {0};
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &s);
    if (network == TPGNN_PAPER) harness_options_set(o, "defaults", "preset", "paper", &why);
    harness_options_free(o);
    return tpgnn_settings_model(&s);
}

int tpgnn_settings_label(const tpgnn_settings *s)
{
    const bool rank = s->loss != TPGNN_LOSS_HUBER && s->loss != TPGNN_LOSS_SQUARED;
    return rank ? TPGNN_LABEL_THROUGHPUT : s->label;
}
