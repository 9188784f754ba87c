/* SPDX-License-Identifier: MIT */
/* The option table. Defaults follow Table 5 of the paper where it fixes a value, and the best model
   of Table 4. */
#include "examples/harness/commands/doctor.h"
#include "examples/harness/model/settings.h"
#include "examples/tpu/hooks.h"

enum { TRAINS = HARNESS_TRAINS, SCORES = HARNESS_SCORES, RUNS = HARNESS_RUNS, TUNES = HARNESS_OWN };

/* Names a field without "tpu_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpu_settings, M)
#define WORD(M)  HARNESS_WORD(tpu_settings, M)

#define OF_TRANSFORMER                                                                      \
 "--reduction=transformer and no --rows=costs or --reduction=auto and fusion files and no " \
 "--rows=costs"

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS_AND(tpu_settings, harness.common, TUNES),

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
     .help = "how nodes get messages: not at all, by GraphSAGE or by graph attention"},
    {"rows", WORD(model.rows), "none", .choices = NESTS_USES, .commands = TRAINS, .often = true,
     .group = "Model", .help = NESTS_USES_HELP},
    {"reduction", WORD(model.reduction), "auto", .choices = "auto|node|column|lstm|transformer",
     .commands = TRAINS, .flags = HARNESS_BY_DATA, .often = true, .group = "Model",
     .needs = "no --rows=costs",
     .help = "how the nodes of a kernel become one prediction: a number per node, summed; mean and "
             "maximum of each channel; the last state of an LSTM; a Transformer; auto: the best of "
             "Table 4, an LSTM for tile files and a Transformer for fusion files"},
    {"hidden", FIELD(model.hidden), "128", 8, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer (paper: 512 or 1024)"},
    {"embedding", FIELD(model.embedding), "8", 1, 4096, TRAINS, .group = "Model",
     .help = "size of the embedding of an op code (paper: 256)"},
    {"direction", WORD(model.direction), "separate", .choices = "separate|shared|undirected",
     .commands = TRAINS, .group = "Model", .needs = "--gnn=sage and --gnn-layers",
     .help = "how the operands and users of a node are read: through layers of their own, "
             "through one layer, or as one list of neighbours"},
    {"aggregate", WORD(model.aggregate), "mean", .choices = "sum|mean|max", .commands = TRAINS,
     .group = "Model", .needs = "--gnn=sage and --gnn-layers",
     .help = "how neighbours are combined"},
    {"l2", FIELD(model.l2), "false", .commands = TRAINS, .group = "Model",
     .needs = "--gnn=sage and --gnn-layers",
     .help = "divide each node by its norm after every layer, as the paper's equation "
             "does"},
    {"module-layers", FIELD(model.module_layers), "0", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers before the graph network, besides the input layer"},
    {"module-l2", FIELD(model.module_l2), "false", .commands = TRAINS, .group = "Model",
     .help = "divide each node by its norm before the graph network"},
    {"gnn-layers", FIELD(model.gnn_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .needs = "--gnn=sage|gat", .help = "layers of the graph network"},
    {"node-layers", FIELD(model.node_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers after the graph network"},
    {"heads", FIELD(model.heads), "2", 1, 64, TRAINS, .group = "Model",
     .needs = "--gnn=gat and --gnn-layers", .help = "attention heads, a divisor of --hidden"},
    {"attention-heads", FIELD(model.attention_heads), "4", 1, 64, TRAINS, .group = "Model",
     .needs = OF_TRANSFORMER, .help = "heads of the Transformer, a divisor of --hidden"},
    {"encoder-layers", FIELD(model.encoder_layers), "1", 1, TPU_MOST_LAYERS, TRAINS,
     .group = "Model", .needs = OF_TRANSFORMER, .help = "layers of the Transformer"},
    {"feed", FIELD(model.feed), "4", 1, 16, TRAINS, .group = "Model", .needs = OF_TRANSFORMER,
     .help = "width of the Transformer's feed-forward part, as a multiple of --hidden"},
    {"biases", FIELD(model.biases), "false", .commands = TRAINS, .group = "Model",
     .help = "layers have biases (paper: none)"},
    {"tile-at", WORD(model.tile_at), "nodes", .choices = "nodes|kernel|nowhere", .commands = TRAINS,
     .group = "Model", .needs = "tile files",
     .help = "where the tile size enters: at every node (option 1 of Figure 3) or at the kernel "
             "embedding (option 2)"},
    {"static-at", WORD(model.analysis_at), "nodes", .choices = "nodes|kernel|nowhere",
     .commands = TRAINS, .group = "Model",
     .help = "where the four static performance features enter (paper's vanilla: nowhere)"},
    {"dropout", FIELD(model.dropout), "0", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that each layer drops in training (paper: 0.1 to 0.25)"},

    HARNESS_STEPS_OPTION(tpu_settings, "10000", "optimizer steps (paper: 5 million)"),
    {"kernels", FIELD(kernels), "0", 0, 65536, TRAINS, .flags = HARNESS_BY_DATA,
     .group = "Training",
     .help = "different kernels per step (paper: not said; 0: 16 of tile files, 64 of fusion "
             "files)"},
    {"configs", FIELD(configs), "8", 2, 65536, TRAINS, .group = "Training", .needs = "tile files",
     .help = "tile sizes per kernel in a step"},
    {"loss", WORD(loss), "auto", .choices = "auto|hinge|logistic|squared", .commands = TRAINS,
     .flags = HARNESS_BY_DATA, .group = "Training",
     .help = "the loss: over pairs of tile sizes of one kernel (hinge, logistic), or the squared "
             "error of ln(run time); auto: hinge for tile files, squared for fusion files"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .needs = "--loss=hinge or --loss=auto and tile files",
     .help = "the difference that the scores of a pair should have"},
    HARNESS_RATE_OPTIONS(tpu_settings, "2e-3", "learning rate of AdamW, after the warm-up", "0"),
    HARNESS_SCHEDULE_OPTION(tpu_settings, "cosine", HARNESS_SCHEDULES),
    HARNESS_DECAY_OPTIONS(tpu_settings, "0.95", "400",
                          "steps for one factor --decay-rate (paper: not said)"),
    HARNESS_WEIGHT_DECAY_OPTION(tpu_settings, "0.05", "as in AdamW (paper: not said)"),

    HARNESS_EVAL_EVERY_OPTION(tpu_settings, "250", "--valid", HARNESS_ON_VALID),
    {"eval-samples", FIELD(eval_samples), "512", 1, 65536, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Machine",
     .help = "most samples (kernel, tile size) that are scored together; scores do not depend "
             "on it"},
    {"eval-nodes", FIELD(eval_nodes), "8192", 1, 1e7, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Machine", .help = "most nodes that are scored together; scores do not depend on it"},
    {"least", FIELD(least), "5000", 0, 1e15, TRAINS | HARNESS_EVAL, .group = "Scores",
     .needs = "fusion files",
     .help = "shortest run time of a kernel that counts in the main scores, ns"},
    HARNESS_BASELINE_OPTIONS(
        tpu_settings,
        "show what a constant, an analytical model, boosted trees and ridge regression reach, all "
        "fitted to the training files"),

    {"families", FIELD(families), .commands = TUNES, .flags = HARNESS_LOCAL, .meta = "A,B,...",
     .often = true, .group = "Programs", .needs = "no --text",
     .help = "families of the lab's programs, separated by commas (default: all; \"lab "
             "families\" lists them)"},
    {"text", FIELD(text), .commands = TUNES, .flags = HARNESS_LOCAL, .meta = "FILE...",
     .often = true, .group = "Programs", .help = "programs of your own, instead of the families'"},
    {"programs", FIELD(programs), "10", 1, 1e6, TUNES, .flags = HARNESS_LOCAL, .often = true,
     .group = "Programs", .needs = "no --text",
     .help = "number of programs, taken from the families in turn"},
    {"first", FIELD(first), "0", 0, 1e6, TUNES, .flags = HARNESS_LOCAL, .often = true,
     .group = "Programs", .needs = "no --text",
     .help = "number of the first program of each family; take one that the model was not trained "
             "on"},
    {"milliseconds", FIELD(milliseconds), "2", 0.2, 200, TUNES, .flags = HARNESS_LOCAL,
     .group = "Programs", .needs = "no --text", .help = "about the longest run time of a program"},
    {"measurements", FIELD(measurements), "100", 1, 1e6, TUNES, .flags = HARNESS_LOCAL,
     .often = true, .group = "Search", .needs = "fusion files",
     .help = "partitions per program that the search without a model measures"},
    {"verify", FIELD(verify), "10", 1, 1e6, TUNES, .flags = HARNESS_LOCAL, .often = true,
     .group = "Search", .needs = "fusion files",
     .help = "partitions per program that the search with the model measures"},
    {"search-steps", FIELD(search_steps), "9000", 3, 1e9, TUNES, .flags = HARNESS_LOCAL,
     .group = "Search", .needs = "fusion files",
     .help = "partitions per program that the model scores"},
    {"tiles", FIELD(tiles), "64", 2, 1e6, TUNES, .flags = HARNESS_LOCAL, .group = "Search",
     .needs = "tile files", .help = "most tile sizes per kernel"},
    {"core", FIELD(core), "-1", -1, 1023, TUNES, .flags = HARNESS_LOCAL, .group = "Machine",
     .help = "the core to measure on (-1: the last one)"},
    {"minutes", FIELD(minutes), "0", 0, 1e6, TUNES, .flags = HARNESS_LOCAL, .often = true,
     .group = "Machine",
     .help = "stop after X minutes, with the programs that are done (0: when all are)"},

    HARNESS_MODEL_OPTIONS_AND(tpu_settings, TUNES, NULL),
};

static const harness_command commands[] = {
    HARNESS_RUN_COMMANDS("files with run times", "kernels"),
    HARNESS_INSPECT_COMMAND("files"),
    HARNESS_ABLATE_COMMAND,
    {"autotune", TUNES, "search fusions or tile sizes of the lab's programs", NULL,
     tpu_autotune_command},
    HARNESS_DOCTOR_COMMAND,
};

/* clang-format off */
static const char examples[] =
    HARNESS_EXAMPLES("tpu", "examples/data/fusion/split-random",
                     "examples/data/fusion/lstm_101.npz", "tpu-fusion",
                     "examples/tpu/studies/table4-small.ini")
    "tpu autotune --model tpu-fusion --programs 10 --first 5 --out tuned\n"
    "tpu autotune --run runs/a --text examples/data/tile/mlp_202_5ecb522e66c5af42.txt "
        "--out tuned-own\n"
    "tpu autotune --run runs/tile --families mlp,lstm --out tuned-tiles\n";
/* clang-format on */

const harness_program tpu_program_table = {.name = "tpu",
                                           .version = TPU_VERSION,
                                           .help = "The TPU performance model of Kaufman et al.: "
                                                   "ranks tile sizes of kernels, and predicts run "
                                                   "times of fused kernels",
                                           HARNESS_TABLES(table, commands),
                                           .options_bytes = sizeof(tpu_settings),
                                           .moved = NESTS_MOVED,
                                           .examples = examples,
                                           .model = &tpu_hooks};

void tpu_settle(tpu_settings *s, tpu_task task)
{
    const bool tile = task == TPU_TILE;
    s->model.task = task;
    if (s->model.reduction == TPU_BEST_REDUCTION)
        s->model.reduction = tile ? TPU_LSTM : TPU_TRANSFORMER;
    if (s->loss == TPU_LOSS_AUTO) s->loss = tile ? TPU_LOSS_HINGE : TPU_LOSS_SQUARED;
    if (!s->kernels) s->kernels = tile ? 16 : 64;
}
