/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/harness/doctor.h"
#include "examples/tpgnn/presets.h"
#include "examples/tpgnn/program.h"

enum {
    TRAINS = HARNESS_TRAIN | HARNESS_ABLATE,
    SCORES = HARNESS_EVAL | HARNESS_PREDICT,
    RUNS = TRAINS | SCORES
};

/* Names without "tpgnn_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpgnn_settings, M)
#define WORD(M)  HARNESS_WORD(tpgnn_settings, M)
#define BYTES(M) HARNESS_BYTES(tpgnn_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tpgnn_settings, common),

    {"preset", WORD(preset), "none", .choices = TPGNN_PRESETS, .presets = tpgnn_preset_settings,
     .commands = TRAINS, .flags = HARNESS_LOCAL, .group = "Model",
     .help = "the options of the paper's model, with GraphConv or with GCNConv; options behind it "
             "win"},
    {"network", WORD(network), "stores", .choices = "stores|paper", .commands = TRAINS,
     .group = "Model",
     .help = "price every statement that stores, or pool the graph as the paper does"},
    {"types", WORD(types), "table", .choices = "table|words", .commands = TRAINS, .group = "Model",
     .help = "numbers that stand for a type of node: a table that is learned, or FastText's "
             "vectors"},
    {"members", FIELD(members), "3", 1, TPGNN_MOST_MEMBERS, TRAINS, .group = "Model",
     .help = "stores: networks that are trained side by side; their costs are averaged"},
    {"hidden", FIELD(hidden), "64", 4, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer (paper: 128)"},
    {"layers", FIELD(layers), "2", 0, TPGNN_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "graph convolutions (paper: 3)"},
    {"edges", WORD(edges), "both", .choices = "none|tree|names|both", .commands = TRAINS,
     .group = "Model",
     .help = "between parents and children, between what is used and where it is declared, or "
             "both"},
    {"compact", FIELD(compact), "true", .commands = TRAINS, .group = "Model",
     .help = "leave out sizes and index arithmetic; a loop then has an edge to each access that "
             "uses its variable (paper: false)"},
    {"nest", FIELD(nest), "true", .commands = TRAINS, .group = "Model",
     .help = "stores: nodes know their loops: how often they run, how they move through memory, "
             "what they touch (paper: false)"},
    {"readout", WORD(readout), "sum", .choices = "sum|mean", .commands = TRAINS, .group = "Model",
     .help = "stores: ln of the sum of the statements' costs, or their mean"},
    {"conv", WORD(conv), "graph", .choices = "graph|gcn", .commands = TRAINS, .group = "Model",
     .help = "paper: GraphConv, as in its code, or GCNConv, as in its text"},
    {"pool", WORD(pool), "topk", .choices = "none|topk|sag", .commands = TRAINS, .group = "Model",
     .help = "paper: how nodes are chosen to stay"},
    {"ratio", FIELD(ratio), "0.8", 1e-6, 1e9, TRAINS, .group = "Model",
     .help = "paper: share of the nodes that stays; from 1 on how many"},
    {"dropout", FIELD(dropout), "0.1", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that a layer loses in training (paper: 0.5, before the last "
             "layers)"},

    {"steps", FIELD(training.steps), "2000", 1, 1e9, TRAINS, .group = "Training",
     .help = "optimizer steps (paper: 200 epochs)"},
    {"tasks", FIELD(tasks), "8", 1, 65536, TRAINS, .group = "Training", .help = "tasks a step"},
    {"schedules", FIELD(schedules), "32", 1, 65536, TRAINS, .group = "Training",
     .help = "schedules of each task a step"},
    {"balanced", FIELD(balanced), "false", .commands = TRAINS, .group = "Training",
     .help = "draw tasks evenly from each family of tasks"},
    {"mixed", FIELD(mixed), "false", .commands = TRAINS, .group = "Training",
     .help = "draw schedules from all tasks alike (paper: true)"},
    {"loss", WORD(loss), "pairs", .choices = "pairs|hinge|lambda|huber|squared", .commands = TRAINS,
     .group = "Training",
     .help = "what training makes small: over pairs of schedules of one task (logistic, hinge, "
             "LambdaRank), or the error of --label"},
    {"label", WORD(label), "relative", .choices = "cost|log|relative|throughput",
     .commands = TRAINS, .group = "Training",
     .help = "huber and squared: seconds (as in the paper), ln(seconds), that against the task's "
             "mean, or fastest / run time; the first two are standardised"},
    {"top", FIELD(top), "0.3", 0, 1e6, TRAINS, .group = "Training",
     .help = "pairs: weight of LambdaRank's loss beside them, which looks at the fastest schedules "
             "(0: none)"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .help = "hinge: how far the scores of a pair should lie apart"},
    {"learning-rate", FIELD(training.learning_rate), "2e-3", 0, 10, TRAINS, .group = "Training",
     .help = "of Adam, after the warm-up (paper: 5e-6)"},
    {"warmup", FIELD(training.warmup), "0.02", 0, 1, TRAINS, .group = "Training",
     .help = "share of the steps in which the learning rate rises"},
    {"schedule", WORD(training.schedule), "cosine", .choices = "constant|cosine|linear|exponential",
     .commands = TRAINS, .group = "Training", .help = "the learning rate after that"},
    {"decay-rate", FIELD(training.decay_rate), "0.95", 1e-9, 1, TRAINS, .group = "Training",
     .help = "exponential: the learning rate is multiplied by this every --decay-every steps"},
    {"decay-every", FIELD(training.decay_every), "100", 1, 1e9, TRAINS, .group = "Training",
     .help = "exponential: how many steps that is"},
    {"weight-decay", FIELD(training.weight_decay), "0", 0, 10, TRAINS, .group = "Training",
     .help = "decoupled, as in AdamW"},
    {"clip", FIELD(training.clip), "1", 0, 1e9, TRAINS, .group = "Training",
     .help = "largest norm of the gradient (0: any)"},
    {"check-finite", FIELD(training.check_finite), .commands = TRAINS, .flags = HARNESS_LOCAL,
     .group = "Training",
     .help = "look at every result and name the first op that makes one that is not finite"},

    {"eval-every", FIELD(training.eval_every), "250", 1, 1e9, TRAINS, .group = "Scores",
     .help = "steps between validations on --valid; the best one's checkpoint is kept"},
    {"eval-graphs", FIELD(eval_graphs), "256", 1, 65536, RUNS, .flags = HARNESS_LOCAL,
     .group = "Scores",
     .help = "most schedules that are scored together; scores do not depend on it"},
    {"eval-nodes", FIELD(eval_nodes), "32768", 1, 1e7, RUNS, .flags = HARNESS_LOCAL,
     .group = "Scores", .help = "most nodes that are scored together, as above"},
    {"baselines", FIELD(baselines), "true", .commands = HARNESS_TRAIN | HARNESS_EVAL,
     .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "show what boosted trees, ridge regression and rules of thumb reach that are fitted "
             "to the training files"},
    {"fit", FIELD(fit), .commands = HARNESS_EVAL, .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "files, folders or lists that the baselines learn from, instead of those that --run "
             "was trained on"},

    {"checkpoint", WORD(checkpoint), "best", .choices = "best|last", .commands = SCORES,
     .flags = HARNESS_LOCAL, .group = "Run", .help = "which checkpoint of the run"},
    {"ensemble", FIELD(ensemble), .commands = SCORES, .flags = HARNESS_LOCAL, .meta = "RUN...",
     .group = "Run", .help = "more runs: scores are the mean"},
    {"save-every", FIELD(training.save_every), "100", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between saves of last.safetensors"},
    {"log-every", FIELD(training.log_every), "10", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between rows of metrics.jsonl; the loss is the mean since the row before"},
    {"csv", FIELD(csv), .commands = HARNESS_PREDICT, .flags = HARNESS_LOCAL, .meta = "FILE",
     .group = "Output", .help = "write there instead of stdout"},

    {"log", FIELD(logs), .commands = HARNESS_LOGS, .needed = HARNESS_LOGS, .flags = HARNESS_LOCAL,
     .meta = "FILE...", .group = "Logs",
     .help =
         "logs of Ansor or AutoTVM, tuning records of MetaSchedule or folders of its databases"},
    {"bad", WORD(bad), "skip", .choices = "skip|refuse", .commands = HARNESS_LOGS,
     .flags = HARNESS_LOCAL, .group = "Logs",
     .help = "a line that is no good record: say so and go on, or stop"},
    {"line-limit", BYTES(line_limit), "16M", 1024, 1 << 30, HARNESS_LOGS, .flags = HARNESS_LOCAL,
     .group = "Logs", .help = "longest line; reading it may take 20 times as much memory"},
};

static const harness_command commands[] = {
    {"train", HARNESS_TRAIN, "train a model", NULL, tpgnn_train_command},
    {"eval", HARNESS_EVAL, "score a trained model on measured schedules", NULL, tpgnn_eval_command},
    {"predict", HARNESS_PREDICT, "score schedules", NULL, tpgnn_predict_command},
    {"logs", HARNESS_LOGS, "say what logs of TVM's tuners hold", "log", tpgnn_logs_command},
    {"inspect", HARNESS_INSPECT, "say what files of schedules hold", "data", tpgnn_inspect_command},
    {"ablate", HARNESS_ABLATE, "train the variants of a study and compare them", NULL,
     tpgnn_ablate_command},
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tpgnn_program_table = {
    "tpgnn",
    TPGNN_VERSION,
    "TPGNN, a cost model for the schedules of tensor programs in TVM",
    table,
    (int)(sizeof table / sizeof *table),
    commands,
    (int)(sizeof commands / sizeof *commands),
    sizeof(tpgnn_settings)};

tpgnn_options tpgnn_settings_model(const tpgnn_settings *s)
{
    tpgnn_options o = tpgnn_default_options((tpgnn_network)s->network);
    o.types = (tpgnn_types)s->types;
    o.readout = (tpgnn_readout)s->readout;
    o.members = s->members;
    o.hidden = o.paper.hidden = s->hidden;
    o.layers = o.paper.layers = s->layers;
    o.edges = (unsigned)s->edges;
    o.compact = s->compact;
    o.nest = s->nest;
    o.dropout = o.paper.dropout = s->dropout;
    o.paper.conv = (tpgnn_conv)s->conv;
    o.paper.pool = (tpgnn_pool)s->pool;
    o.paper.ratio = s->ratio;
    return o;
}

int tpgnn_settings_label(const tpgnn_settings *s)
{
    const bool rank = s->loss != TPGNN_LOSS_HUBER && s->loss != TPGNN_LOSS_SQUARED;
    return rank ? TPGNN_LABEL_THROUGHPUT : s->label;
}
