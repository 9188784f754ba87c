/* SPDX-License-Identifier: MIT */
/* The option table. What Table 5 of the paper fixes is the default. */
#include "examples/harness/doctor.h"
#include "examples/tpu/presets.h"
#include "examples/tpu/program.h"

enum {
    TRAINS = HARNESS_TRAIN | HARNESS_ABLATE,
    SCORES = HARNESS_EVAL | HARNESS_PREDICT,
    RUNS = TRAINS | SCORES,
    TUNES = HARNESS_TUNE
};

/* Names without "tpu_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpu_settings, M)
#define WORD(M)  HARNESS_WORD(tpu_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tpu_settings, common),

    {"log-features", FIELD(log_features), "true", .commands = TRAINS, .group = "Data",
     .help = "take sign(x) ln(1 + |x|) of the features before they are scaled to 0..1 (paper: "
             "false)"},
    {"clamp", FIELD(clamp), "true", .commands = TRAINS, .group = "Data",
     .help = "features beyond the training kernels' range become 0 or 1 (paper: not said)"},
    {"balanced", FIELD(balanced), "true", .commands = TRAINS, .group = "Data",
     .help = "draw kernels evenly from each family of programs, then from each program"},

    {"preset", WORD(preset), "none", .choices = TPU_PRESETS, .presets = tpu_preset_settings,
     .commands = TRAINS, .flags = HARNESS_LOCAL, .group = "Model",
     .help = "the options of a row of Tables 6 and 7; options behind it win"},
    {"gnn", WORD(gnn), "sage", .choices = "none|sage|gat", .commands = TRAINS, .group = "Model",
     .help = "how nodes hear of their neighbours: not at all, GraphSAGE or graph attention"},
    {"reduction", WORD(reduction), "lstm", .choices = "node|column|lstm|transformer",
     .commands = TRAINS, .group = "Model",
     .help = "how the nodes of a kernel become one prediction: a number per node, summed; mean and "
             "maximum of each channel; the last state of an LSTM; a Transformer"},
    {"hidden", FIELD(hidden), "128", 8, 4096, TRAINS, .group = "Model",
     .help = "channels of every layer (paper: 512 or 1024)"},
    {"embedding", FIELD(embedding), "16", 1, 4096, TRAINS, .group = "Model",
     .help = "numbers that an op code is looked up as (paper: 256)"},
    {"direction", WORD(direction), "separate", .choices = "separate|shared|undirected",
     .commands = TRAINS, .group = "Model",
     .help = "GraphSAGE: operands and users of a node through layers of their own, both through "
             "one layer, or as one list of neighbours"},
    {"aggregate", WORD(aggregate), "mean", .choices = "sum|mean|max", .commands = TRAINS,
     .group = "Model", .help = "GraphSAGE: how neighbours are put together"},
    {"l2", FIELD(l2), "false", .commands = TRAINS, .group = "Model",
     .help = "GraphSAGE: divide each node by its norm after every layer, as the paper's equation "
             "does"},
    {"module-layers", FIELD(module_layers), "0", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers before the graph network, besides the input layer"},
    {"module-l2", FIELD(module_l2), "false", .commands = TRAINS, .group = "Model",
     .help = "divide each node by its norm before the graph network"},
    {"gnn-layers", FIELD(gnn_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "layers of the graph network"},
    {"node-layers", FIELD(node_layers), "3", 0, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "feed-forward layers behind the graph network"},
    {"heads", FIELD(heads), "2", 1, 64, TRAINS, .group = "Model",
     .help = "graph attention: heads; they divide --hidden"},
    {"attention-heads", FIELD(attention_heads), "4", 1, 64, TRAINS, .group = "Model",
     .help = "Transformer: heads; they divide --hidden"},
    {"encoder-layers", FIELD(encoder_layers), "1", 1, TPU_MOST_LAYERS, TRAINS, .group = "Model",
     .help = "Transformer: layers"},
    {"feed", FIELD(feed), "4", 1, 16, TRAINS, .group = "Model",
     .help = "Transformer: width of the feed-forward part, in --hidden"},
    {"biases", FIELD(biases), "false", .commands = TRAINS, .group = "Model",
     .help = "layers have biases (paper: none)"},
    {"tile-at", WORD(tile_at), "nodes", .choices = "nodes|kernel|nowhere", .commands = TRAINS,
     .group = "Model",
     .help = "where the tile size enters: at every node (option 1 of Figure 3) or at the kernel "
             "embedding (option 2)"},
    {"static-at", WORD(analysis_at), "nodes", .choices = "nodes|kernel|nowhere", .commands = TRAINS,
     .group = "Model",
     .help = "where the four static performance features enter (paper's vanilla: nowhere)"},
    {"dropout", FIELD(dropout), "0", 0, 0.999, TRAINS, .group = "Model",
     .help = "share of the channels that a layer loses in training (paper: 0.1 to 0.25)"},

    {"steps", FIELD(training.steps), "5000", 1, 1e9, TRAINS, .group = "Training",
     .help = "optimizer steps (paper: 5 million)"},
    {"kernels", FIELD(kernels), "16", 1, 65536, TRAINS, .group = "Training",
     .help = "different kernels a step (paper: not said)"},
    {"configs", FIELD(configs), "8", 2, 65536, TRAINS, .group = "Training",
     .help = "tile files: tile sizes of each kernel a step"},
    {"loss", WORD(loss), "auto", .choices = "auto|hinge|logistic|squared", .commands = TRAINS,
     .group = "Training",
     .help = "what training makes small: over pairs of tile sizes of one kernel, or the squared "
             "error of ln(run time); auto: hinge for tile files, squared for fusion files"},
    {"margin", FIELD(margin), "1", 0, 1e6, TRAINS, .group = "Training",
     .help = "hinge: how far the scores of a pair should lie apart"},
    {"learning-rate", FIELD(training.learning_rate), "2e-3", 0, 10, TRAINS, .group = "Training",
     .help = "of Adam, after the warm-up"},
    {"warmup", FIELD(training.warmup), "0", 0, 1, TRAINS, .group = "Training",
     .help = "share of the steps in which the learning rate rises"},
    {"schedule", WORD(training.schedule), "exponential",
     .choices = "constant|cosine|linear|exponential", .commands = TRAINS, .group = "Training",
     .help = "the learning rate after that"},
    {"decay-rate", FIELD(training.decay_rate), "0.95", 1e-9, 1, TRAINS, .group = "Training",
     .help = "exponential: the learning rate is multiplied by this every --decay-every steps"},
    {"decay-every", FIELD(training.decay_every), "100", 1, 1e9, TRAINS, .group = "Training",
     .help = "exponential: how many steps that is (paper: not said)"},
    {"weight-decay", FIELD(training.weight_decay), "0", 0, 10, TRAINS, .group = "Training",
     .help = "decoupled, as in AdamW"},
    {"clip", FIELD(training.clip), "1", 0, 1e9, TRAINS, .group = "Training",
     .help = "largest norm of the gradient (0: any)"},
    {"check-finite", FIELD(training.check_finite), .commands = TRAINS, .flags = HARNESS_LOCAL,
     .group = "Training",
     .help = "look at every result and name the first op that makes one that is not finite"},

    {"eval-every", FIELD(training.eval_every), "250", 1, 1e9, TRAINS, .group = "Scores",
     .help = "steps between validations on --valid; the best one's checkpoint is kept"},
    {"eval-samples", FIELD(eval_samples), "512", 1, 65536, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Scores",
     .help = "most samples (kernel, tile size) that are scored together; scores do not depend "
             "on it"},
    {"eval-nodes", FIELD(eval_nodes), "8192", 1, 1e7, RUNS | TUNES, .flags = HARNESS_LOCAL,
     .group = "Scores", .help = "most nodes that are scored together; scores do not depend on it"},
    {"least", FIELD(least), "5000", 0, 1e15, TRAINS | HARNESS_EVAL, .group = "Scores",
     .help = "fusion: shortest run time of a kernel that counts in the main scores, ns"},
    {"baselines", FIELD(baselines), "true", .commands = HARNESS_TRAIN | HARNESS_EVAL,
     .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "show what a constant, two analytical models and boosted trees reach that are fitted "
             "to the training files"},
    {"fit", FIELD(fit), .commands = HARNESS_EVAL, .flags = HARNESS_LOCAL, .group = "Scores",
     .help = "files, folders or lists that the baselines learn from, instead of those that --run "
             "was trained on"},

    {"checkpoint", WORD(checkpoint), "best", .choices = "best|last", .commands = SCORES | TUNES,
     .flags = HARNESS_LOCAL, .group = "Run", .help = "which checkpoint of the run"},
    {"ensemble", FIELD(ensemble), .commands = SCORES, .flags = HARNESS_LOCAL, .meta = "RUN...",
     .group = "Run", .help = "more runs: scores are the mean"},
    {"save-every", FIELD(training.save_every), "100", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between saves of last.safetensors"},
    {"log-every", FIELD(training.log_every), "10", 1, 1e9, TRAINS, .group = "Run",
     .help = "steps between rows of metrics.jsonl; the loss is the mean since the row before"},

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

    {"csv", FIELD(csv), .commands = HARNESS_PREDICT, .flags = HARNESS_LOCAL, .meta = "FILE",
     .group = "Output", .help = "write there instead of stdout"},
};

static const harness_command commands[] = {
    {"train", HARNESS_TRAIN, "train a model", NULL, tpu_train_command},
    {"eval", HARNESS_EVAL, "score a trained model on files with run times", NULL, tpu_eval_command},
    {"predict", HARNESS_PREDICT, "score kernels", NULL, tpu_predict_command},
    {"inspect", HARNESS_INSPECT, "say what files hold", "data", tpu_inspect_command},
    {"ablate", HARNESS_ABLATE, "train the variants of a study and compare them", NULL,
     tpu_ablate_command},
    {"autotune", HARNESS_TUNE, "search fusions and tile sizes of the lab's programs", NULL,
     tpu_autotune_command},
    HARNESS_DOCTOR_COMMAND,
};

const harness_program tpu_program_table = {
    "tpu",
    TPU_VERSION,
    "The TPU performance model of Kaufman et al.: ranks tile sizes of kernels, and predicts run "
    "times of fused kernels",
    table,
    (int)(sizeof table / sizeof *table),
    commands,
    (int)(sizeof commands / sizeof *commands),
    sizeof(tpu_settings)};

tpu_options tpu_settings_model(const tpu_settings *s, tpu_task task)
{
    return (tpu_options){.task = task,
                         .hidden = s->hidden,
                         .embedding = s->embedding,
                         .gnn = (tpu_gnn)s->gnn,
                         .reduction = (tpu_reduction)s->reduction,
                         .direction = (tpu_direction)s->direction,
                         .aggregate = (ag_aggregate)s->aggregate,
                         .l2 = s->l2,
                         .module_layers = s->module_layers,
                         .module_l2 = s->module_l2,
                         .gnn_layers = s->gnn_layers,
                         .node_layers = s->node_layers,
                         .heads = s->heads,
                         .attention_heads = s->attention_heads,
                         .encoder_layers = s->encoder_layers,
                         .feed = s->feed,
                         .biases = s->biases,
                         .tile_at = (tpu_place)s->tile_at,
                         .analysis_at = (tpu_place)s->analysis_at,
                         .dropout = s->dropout};
}

int tpu_settings_loss(const tpu_settings *s, tpu_task task)
{
    if (s->loss != TPU_LOSS_AUTO) return s->loss;
    return task == TPU_TILE ? TPU_LOSS_HINGE : TPU_LOSS_SQUARED;
}
