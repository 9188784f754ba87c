/* SPDX-License-Identifier: MIT */
/* The option table. Defaults follow Table 5 of the paper where it fixes a value. */
#include "examples/harness/machine/doctor.h"
#include "examples/harness/run/settings.h"
#include "examples/tpu/shell.h"

enum { TRAINS = HARNESS_TRAINS, SCORES = HARNESS_SCORES, RUNS = HARNESS_RUNS, TUNES = HARNESS_OWN };

/* Names a field without "tpu_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpu_settings, M)
#define WORD(M)  HARNESS_WORD(tpu_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS_AND(tpu_settings, shell.common, TUNES),

    {"log-features", FIELD(log_features), "true", .commands = TRAINS, .group = "Data",
     .help = "take sign(x) ln(1 + |x|) of the features before they are scaled to 0..1 (paper: "
             "false)"},
    {"clamp", FIELD(clamp), "true", .commands = TRAINS, .group = "Data",
     .help = "features beyond the training kernels' range become 0 or 1 (paper: not said)"},
    {"balanced", FIELD(balanced), "true", .commands = TRAINS, .group = "Data",
     .help = "draw kernels evenly from each family of programs, then from each program"},

    {"preset", WORD(preset), "none", .choices = tpu_preset_words, .presets = tpu_presets,
     .commands = TRAINS, .flags = HARNESS_LOCAL, .group = "Model",
     .help = "the options of a row of Tables 6 and 7; options after it override them"},
    {"gnn", WORD(model.gnn), "sage", .choices = "none|sage|gat", .commands = TRAINS,
     .group = "Model",
     .help = "how nodes hear of their neighbours: not at all, GraphSAGE or graph attention"},
    {"reduction", WORD(model.reduction), "nests", .choices = "node|column|lstm|transformer|nests",
     .commands = TRAINS, .group = "Model",
     .help =
         "how the nodes of a kernel become one prediction: a number per node, summed; mean and "
         "maximum of each channel; the last state of an LSTM; a Transformer; a cost for each loop "
         "nest of the tile, added as times are (not in the paper)"},
    {"hidden", FIELD(model.hidden), "128", 8, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer (paper: 512 or 1024)"},
    {"embedding", FIELD(model.embedding), "16", 1, 4096, TRAINS, .group = "Model",
     .help = "numbers that an op code is looked up as (paper: 256)"},
    {"direction", WORD(model.direction), "separate", .choices = "separate|shared|undirected",
     .commands = TRAINS, .group = "Model",
     .help = "GraphSAGE: operands and users of a node through layers of their own, both through "
             "one layer, or as one list of neighbours"},
    {"aggregate", WORD(model.aggregate), "mean", .choices = "sum|mean|max", .commands = TRAINS,
     .group = "Model", .help = "GraphSAGE: how neighbours are put together"},
    {"l2", FIELD(model.l2), "false", .commands = TRAINS, .group = "Model",
     .help = "GraphSAGE: divide each node by its norm after every layer, as the paper's equation "
             "does"},
    {"module-layers", FIELD(model.module_layers), "0", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers before the graph network, besides the input layer"},
    {"module-l2", FIELD(model.module_l2), "false", .commands = TRAINS, .group = "Model",
     .help = "divide each node by its norm before the graph network"},
    {"gnn-layers", FIELD(model.gnn_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "layers of the graph network"},
    {"node-layers", FIELD(model.node_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers after the graph network"},
    {"heads", FIELD(model.heads), "2", 1, 64, TRAINS, .group = "Model",
     .help = "graph attention: heads; they divide --hidden"},
    {"attention-heads", FIELD(model.attention_heads), "4", 1, 64, TRAINS, .group = "Model",
     .help = "Transformer: heads; they divide --hidden"},
    {"encoder-layers", FIELD(model.encoder_layers), "1", 1, TPU_MOST_LAYERS, TRAINS,
     .group = "Model", .help = "Transformer: layers"},
    {"feed", FIELD(model.feed), "4", 1, 16, TRAINS, .group = "Model",
     .help = "Transformer: width of the feed-forward part, in --hidden"},
    {"nest-layers", FIELD(model.nest_layers), "2", 1, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "nests: feed-forward layers of each loop nest"},
    {"members", FIELD(model.members), "3", 1, TPU_MOST_MEMBERS, TRAINS, .before = "1",
     .group = "Model",
     .help = "nests: networks that differ in their first values, each trained by a loss of its "
             "own; scores are the mean"},
    {"trees", FIELD(model.trees), "600", 0, TPU_MOST_TREES, TRAINS, .before = "0", .group = "Model",
     .help = "nests, with a loss of run times: boosted trees on the loop nests, fitted three times "
             "before training (0: none)"},
    {"trees-share", FIELD(model.trees_share), "0.4", 0, 1, TRAINS, .group = "Model",
     .help = "the trees' share of a score; the rest is the networks'"},
    {"biases", FIELD(model.biases), "false", .commands = TRAINS, .group = "Model",
     .help = "layers have biases (paper: none)"},
    {"tile-at", WORD(model.tile_at), "nodes", .choices = "nodes|kernel|nowhere", .commands = TRAINS,
     .group = "Model",
     .help = "where the tile size enters: at every node (option 1 of Figure 3) or at the kernel "
             "embedding (option 2)"},
    {"static-at", WORD(model.analysis_at), "nodes", .choices = "nodes|kernel|nowhere",
     .commands = TRAINS, .group = "Model",
     .help = "where the four static performance features enter (paper's vanilla: nowhere)"},
    {"dropout", FIELD(model.dropout), "0", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that a layer loses in training (paper: 0.1 to 0.25)"},

    HARNESS_STEPS_OPTION(tpu_settings, "20000", "optimizer steps (paper: 5 million)"),
    {"kernels", FIELD(kernels), "16", 1, 65536, TRAINS, .group = "Training",
     .help = "different kernels a step (paper: not said)"},
    {"configs", FIELD(configs), "8", 2, 65536, TRAINS, .group = "Training",
     .help = "tile files: tile sizes of each kernel a step"},
    {"loss", WORD(loss), "auto", .choices = "auto|hinge|logistic|squared|huber", .commands = TRAINS,
     .group = "Training",
     .help = "what training makes small: over pairs of tile sizes of one kernel, or the squared "
             "error of ln(run time); huber: that, linear beyond 0.3 and within the kernel for tile "
             "files, linear beyond 0.1 for fusion files; auto: huber with --reduction nests, else "
             "hinge for tile files, squared for "
             "fusion files"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .help = "hinge: how far the scores of a pair should lie apart"},
    HARNESS_RATE_OPTIONS(tpu_settings, "2e-3", "of Adam, after the warm-up", "0"),
    HARNESS_SCHEDULE_OPTION(tpu_settings, "exponential", HARNESS_SCHEDULES),
    HARNESS_DECAY_OPTIONS(tpu_settings, "0.95", "400", "how many steps that is (paper: not said)"),
    HARNESS_WEIGHT_DECAY_OPTION(tpu_settings, "0", "as in AdamW"),

    HARNESS_EVAL_EVERY_OPTION(tpu_settings, "250", HARNESS_ON_VALID),
    {"eval-samples", FIELD(eval_samples), "512", 1, 65536, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Scores",
     .help = "most samples (kernel, tile size) that are scored together; scores do not depend "
             "on it"},
    {"eval-nodes", FIELD(eval_nodes), "8192", 1, 1e7, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Scores", .help = "most nodes that are scored together; scores do not depend on it"},
    {"least", FIELD(least), "5000", 0, 1e15, TRAINS | HARNESS_EVAL, .group = "Scores",
     .help = "fusion: shortest run time of a kernel that counts in the main scores, ns"},
    HARNESS_BASELINE_OPTIONS(
        tpu_settings,
        "show what a constant, two analytical models and boosted trees reach that are fitted "
        "to the training files"),

    {"tile-run", FIELD(tile_run), .commands = TUNES, .flags = HARNESS_LOCAL, .meta = "RUN",
     .group = "Run", .help = "the run folder of a tile model; tile sizes are then searched, too"},
    {"families", FIELD(families), .commands = TUNES, .flags = HARNESS_LOCAL, .meta = "A,B,...",
     .group = "Programs",
     .help = "families of the lab's programs, separated by commas (all of "
             "them unless given; \"lab families\" lists them)"},
    {"text", FIELD(text), .commands = TUNES, .flags = HARNESS_LOCAL, .meta = "FILE...",
     .group = "Programs", .help = "programs of your own, instead of the families'"},
    {"programs", FIELD(programs), "10", 1, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Programs",
     .help = "how many, dealt out to the families in turn"},
    {"first", FIELD(first), "0", 0, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Programs",
     .help = "number of the first program of each family; take one that the model was not trained "
             "on"},
    {"milliseconds", FIELD(milliseconds), "2", 0.2, 200, TUNES, .flags = HARNESS_LOCAL,
     .group = "Programs", .help = "about how long a program may run"},
    {"measurements", FIELD(measurements), "100", 1, 1e6, TUNES, .flags = HARNESS_LOCAL,
     .group = "Search",
     .help = "partitions that the search on hardware alone measures, of each program"},
    {"verify", FIELD(verify), "10", 1, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Search",
     .help = "partitions that are measured when the model searches"},
    {"search-steps", FIELD(search_steps), "9000", 3, 1e9, TUNES, .flags = HARNESS_LOCAL,
     .group = "Search", .help = "partitions that the model prices"},
    {"start", WORD(start), "both", .choices = "default|random|both", .commands = TUNES,
     .flags = HARNESS_LOCAL, .group = "Search",
     .help = "the partition that searches begin with: all fused that can be, a random one, or one "
             "search of each"},
    {"tiles", FIELD(tiles), "64", 2, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Search",
     .help = "most tile sizes of a kernel"},
    {"core", FIELD(core), "-1", -1, 1023, TUNES, .flags = HARNESS_LOCAL, .group = "Machine",
     .help = "the core to measure on (-1: the last one)"},
    {"minutes", FIELD(minutes), "0", 0, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Machine",
     .help = "stop after so long, with the programs that are done (0: when all are)"},

    HARNESS_MODEL_OPTIONS_AND(tpu_settings, TUNES),
};

static const harness_command commands[] = {
    HARNESS_RUN_COMMANDS("files with run times", "kernels"),
    HARNESS_INSPECT_COMMAND("files"),
    HARNESS_ABLATE_COMMAND,
    {"autotune", TUNES, "search fusions and tile sizes of the lab's programs", NULL,
     tpu_autotune_command},
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tpu_program_table = {.name = "tpu",
                                           .version = TPU_VERSION,
                                           .help = "The TPU performance model of Kaufman et al.: "
                                                   "ranks tile sizes of kernels, and predicts run "
                                                   "times of fused kernels",
                                           HARNESS_TABLES(table, commands),
                                           .options_bytes = sizeof(tpu_settings),
                                           .model = &tpu_shell};

tpu_options tpu_settings_model(const tpu_settings *s, tpu_task task)
{
    tpu_options o = s->model;
    const int loss = tpu_settings_loss(s, task);
    o.task = task;
    if (o.reduction != TPU_NESTS || (loss != TPU_LOSS_SQUARED && loss != TPU_LOSS_HUBER))
        o.trees = 0;
    return o;
}

tpu_options tpu_default_options(tpu_task task)
{
    tpu_settings s;
    harness_options_free(harness_options_new(&tpu_program_table, HARNESS_TRAIN, &s));
    return tpu_settings_model(&s, task);
}

int tpu_settings_loss(const tpu_settings *s, tpu_task task)
{
    if (s->loss != TPU_LOSS_AUTO) return s->loss;
    if (s->model.reduction == TPU_NESTS) return TPU_LOSS_HUBER;
    return task == TPU_TILE ? TPU_LOSS_HINGE : TPU_LOSS_SQUARED;
}
