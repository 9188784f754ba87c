/* SPDX-License-Identifier: MIT */
/* The parts that a ranking model supplies, so that the commands train, eval, predict, inspect and
   ablate are written once. All models see the same task: groups of items with a run time each (the
   configurations of a file, the tile sizes of a kernel, the schedules of a workload). A score is
   small where the model expects a short run time.

   A program names its harness_model in its harness_program. Its table of commands lists
   harness_train_command and the others below. Its struct of options begins with harness_settings.
   The functions of a harness_model get the program's own structs as pointers to void. These are
   zeroed before the first call, and always closed or freed, also after a failure. Functions with
   `why` return its status. docs/adding-a-model.md builds one step by step. */
#ifndef HARNESS_MODEL_H
#define HARNESS_MODEL_H

#include "examples/harness/base/base.h"
#include "examples/harness/cli/program.h"
#include "examples/harness/run/run.h"
#include "examples/harness/machine/device.h"
#include "examples/harness/report/report.h"
#include "optim/optim.h"

struct json_t;
struct harness_rank_form;
struct harness_outputs;
struct harness_loader;

/* Training settings: the values of options of these names. schedule: as ag_schedule_kind. */
typedef struct harness_training {
    int64_t steps, decay_every, eval_every, save_every, log_every;
    int64_t shards;   /* batches of a step, which takes the mean of their gradients */
    int64_t patience; /* validations without a better score that end a run; 0: none do */
    int schedule;
    double learning_rate, warmup, decay_rate, weight_decay, clip;
    double save_minutes; /* 0: saves depend only on steps */
    double rank_patience;
    bool check_finite;
} harness_training;

/* The state of a run: with parameters and moments, all that the next step depends on. */
typedef struct harness_state {
    int64_t step;
    double best; /* best validation score so far; NaN: none */
    int64_t best_step;
    double loss_sum; /* of the steps since the last row of metrics */
    int64_t loss_count;
    int64_t begun; /* the step in which the schedule started again; 0: it did not */
    double begun_rate;
} harness_state;

/* The options of every model; a program's struct of options begins with one, named `harness`. */
typedef struct harness_settings {
    harness_common common;
    harness_training training;
    int checkpoint; /* 0: the best one of a run, 1: the last */
    bool baselines;
    harness_paths ensemble, fit, scores;
    const char *csv, *init;
} harness_settings;

/* The rows of harness_settings that have one meaning and one default in all programs, for the end
   of a table of options. */
/* clang-format off */
#define HARNESS_MODEL_OPTIONS(S) HARNESS_MODEL_OPTIONS_AND(S, 0, NULL)
/* The same; the program's own commands OWN take --checkpoint, too. NEEDS: harness_option.needs of
   the options that act only where steps are trained. */
#define HARNESS_MODEL_OPTIONS_AND(S, OWN, NEEDS) \
    {"clip", HARNESS_FIELD(S, harness.training.clip), "1", 0, 1e9, \
     HARNESS_TRAINS, .group = "Training", .needs = NEEDS, \
     .help = "largest norm of the gradient; a larger one is scaled down (0: no limit)"}, \
    {"shards", HARNESS_FIELD(S, harness.training.shards), "1", 1, 1e6, \
     HARNESS_TRAINS, .flags = HARNESS_IF_OTHER, .group = "Training", .needs = NEEDS, \
     .help = "batches per step, which uses the mean of their gradients"}, \
    {"patience", HARNESS_FIELD(S, harness.training.patience), "0", 0, 1e9, \
     HARNESS_TRAINS, .flags = HARNESS_MAY_CHANGE, .often = true, \
     .group = "Training", .needs = NEEDS, \
     .help = "stop after N validations without a better score (0: never)"}, \
    {"check-finite", HARNESS_FIELD(S, harness.training.check_finite), \
     .commands = HARNESS_TRAINS, .flags = HARNESS_LOCAL, .group = "Training", \
     .help = "check every result, and name the first op with one that is not finite"}, \
    {"checkpoint", HARNESS_WORD(S, harness.checkpoint), "best", .choices = "best|last", \
     .commands = HARNESS_SCORES | OWN, .flags = HARNESS_LOCAL, \
     .often = true, .group = "Run", .help = "the checkpoint of the run to use"}, \
    {"ensemble", HARNESS_FIELD(S, harness.ensemble), \
     .commands = HARNESS_SCORES, .flags = HARNESS_LOCAL, .meta = "RUN...", \
     .group = "Run", .help = "more runs; the scores are averaged (as with a second --run)"}, \
    {"init", HARNESS_FIELD(S, harness.init), .commands = HARNESS_TRAINS, \
     .flags = HARNESS_IF_OTHER, .meta = "RUN", .group = "Run", .needs = NEEDS, \
     .help = "start from the weights, scales and words of that run or checkpoint, which needs " \
             "the same model options"}, \
    {"save-every", HARNESS_FIELD(S, harness.training.save_every), "100", 1, 1e9, \
     HARNESS_TRAINS, .group = "Run", .needs = NEEDS, \
     .help = "steps between saves of last.safetensors"}, \
    {"save-minutes", HARNESS_FIELD(S, harness.training.save_minutes), "0", 0, 1e6, \
     HARNESS_TRAINS, .flags = HARNESS_LOCAL, .group = "Run", .needs = NEEDS, \
     .help = "also save every X minutes, for programs that may be killed (0: never)"}, \
    {"rank-patience", HARNESS_FIELD(S, harness.training.rank_patience), "600", 1, 1e9, \
     HARNESS_TRAIN, .flags = HARNESS_LOCAL, .group = "Run", .needs = NEEDS, .meta = "SECONDS", \
     .help = "under mpirun or srun: stop when another rank has not answered for so long"}, \
    {"log-every", HARNESS_FIELD(S, harness.training.log_every), "10", 1, 1e9, \
     HARNESS_TRAINS, .group = "Run", .needs = NEEDS, \
     .help = "steps between rows of metrics.jsonl; a row has the mean loss since the row before"}, \
    {"part", HARNESS_FIELD(S, harness.common.part), .commands = HARNESS_PREDICT, \
     .flags = HARNESS_LOCAL, .meta = "I/N", .often = true, .group = "Data", \
     .help = "score the I-th of N shares of the files; the CSVs of all shares, in their order and " \
             "with one first line, are that of one call"}, \
    {"part", HARNESS_FIELD(S, harness.common.part), .commands = HARNESS_EVAL, \
     .flags = HARNESS_LOCAL, .meta = "I/N", .often = true, .group = "Data", .needs = "--scores", \
     .help = "score the I-th of N shares of the files, and make no table"}, \
    {"scores", HARNESS_FIELD(S, harness.scores), .commands = HARNESS_EVAL, \
     .flags = HARNESS_LOCAL, .meta = "FILE...", .often = true, .group = "Data", \
     .help = "with --part: the npz file to write; without: the files of all shares, which " \
             "replace running the network"}, \
    {"csv", HARNESS_FIELD(S, harness.csv), .commands = HARNESS_PREDICT, .flags = HARNESS_LOCAL, \
     .meta = "FILE", .often = true, .group = "Output", .help = "write the scores there instead of to stdout"}

/* How --baselines is treated: no result of a run depends on it. */
#define HARNESS_KEPT_FOR_RESUME (HARNESS_FOR_RESUME | HARNESS_MAY_CHANGE | HARNESS_IF_OTHER)
/* The rows of a program with baselines; HELP says which ones. */
#define HARNESS_BASELINE_OPTIONS(S, HELP) \
    {"baselines", HARNESS_FIELD(S, harness.baselines), "true", \
     .commands = HARNESS_TRAIN | HARNESS_EVAL, .flags = HARNESS_KEPT_FOR_RESUME, \
     .often = true, .group = "Scores", .help = HELP}, \
    {"fit", HARNESS_FIELD(S, harness.fit), .commands = HARNESS_EVAL, .flags = HARNESS_LOCAL, \
     .group = "Scores", .needs = "--baselines and no --part", \
     .help = "files, folders or lists that the baselines are fitted to, instead of the training " \
             "files of --run"}
/* clang-format on */

typedef struct harness_inspection harness_inspection;

enum { HARNESS_TEXTS = 4, HARNESS_TENSORS = 16 };

/* A network, with all that its checkpoint holds. The harness owns it. */
typedef struct harness_trained {
    const struct harness_model *model;
    void *net;                        /* harness_network.bytes */
    ag_params *params;                /* of the network */
    harness_state *state;             /* of its training */
    char *text[HARNESS_TEXTS];        /* metadata in JSON, under the keys harness_network.key */
    const char *configuration, *data; /* two of them: all options; the training files */
    char *path;                       /* of the checkpoint; NULL: not loaded from one */
} harness_trained;

/* Trained networks: one, or several whose scores are averaged. */
typedef struct harness_runs {
    const struct harness_model *model;
    harness_trained *run; /* [count] */
    int count;
    ag_tape *tape;
    struct harness_outputs *outputs; /* model/outputs.h; NULL: outputs are neither kept nor taken */
} harness_runs;

enum { HARNESS_MOST_SCORES = 12, HARNESS_TABLES = 4 };

/* The batches that are recorded, by their numbers: batch b of step k, with first <= b < end, has
   the number k * shards + b. */
typedef struct harness_batches {
    int64_t step; /* the next one */
    int64_t shards, first, end;
} harness_batches;

/* A training run. */
typedef struct harness_session {
    const struct harness_model *model;
    harness_settings *settings; /* the program's struct */
    const harness_options *options;
    const char *folder, *command_line;
    ag_ranks *ranks; /* NULL: one process */
    bool show;       /* print the results, compare with the baselines */
    bool compares;   /* scores are compared with those of other runs: something must be held out */
    bool resumes;    /* it continues the run in the folder */
    bool initial;    /* before `fit` the network has the values of a checkpoint */

    harness_training how; /* from the settings; `begin` may change the steps */
    void *data, *feed;    /* harness_model.data_bytes, feed_bytes */
    void *buffer[2];      /* of harness_model.batch_bytes, which `loader` fills in turn */
    void *batch;          /* the one to record, NULL without harness_model.fill */
    int64_t number;       /* of it */
    struct harness_loader *loader;
    harness_batches batches;
    ag_shards *sum; /* of their gradients */
    double *loss;   /* [end - first] of the step, for other ranks; NULL: there are no other ranks */
    bool stops;     /* a rank was interrupted, and all ranks know it */
    harness_trained trained;
    ag_tape *tape;

    const char *measure[HARNESS_MOST_SCORES]; /* [measures] the first one chooses the best */
    int measures;
    bool smaller;     /* the smallest is the best */
    bool validates;   /* something is held out */
    harness_run *run; /* NULL: another rank writes it */
    bool begun;       /* there is something to resume */
    ag_adamw adamw;
    ag_schedule schedule;
    double rate, norm; /* of the last step */
    double since;      /* beginning of the time that timing.jsonl does not have yet */
    double summing;    /* seconds of that time in sums of gradients, waiting for ranks included */
    double saved;      /* when HARNESS_LAST was written */
    bool done;         /* the report is written */
    harness_progress bar;
    char note[96];
} harness_session;

/* How to score: on which tape, and with what weight the scores are added. */
typedef struct harness_scoring {
    ag_tape *tape; /* each batch calls ag_tape_begin(tape, 0) */
    const harness_settings *settings;
    int models;   /* the weight is 1 / models */
    bool patient; /* continue after an interruption, to finish a step */
    struct harness_outputs *outputs;
} harness_scoring;

/* Models call it in place of ag_forward and ag_values. Returns `count` values of y, item after item
   in the order of the files, computed here or taken from the file of another call; they last until
   the next use of this function. NULL: the tape failed. */
const ag_real *harness_outputs_of(struct harness_outputs *outputs, ag_tape *tape, ag_tensor *y,
                                  int64_t count);

/* How a model's networks are made, and what their checkpoints hold. */
typedef struct harness_network {
    size_t bytes; /* of the program's struct */
    /* The keys of the metadata that it is built from, in the order of the file: "configuration",
       directly followed by the one that says which data it was trained on; others may come before
       or after. */
    const char *key[HARNESS_TEXTS];
    /* Fills session->trained.text (harness_alloc) for the data, except "configuration". */
    void (*identify)(harness_session *session);
    /* Fills trained->net and adds all parameters to trained->params, from options and texts, which
       may be anything if the file is damaged. The initial values are drawn afterwards. Fails:
       AG_EUSE (options), AG_EDATA (texts), AG_EMEMORY. */
    ag_status (*build)(harness_trained *trained, const harness_settings *settings, ag_failure *why);
    void (*drop)(void *net); /* optional: frees what `build` made, except the parameters */
    const char *inherited;   /* optional: the key whose text is that of the checkpoint of --init */
    /* Optional: computes from the training data what the network holds besides parameters. If
       session->initial, what `tensors` lists is there already and stays. */
    ag_status (*fit)(harness_session *session, ag_failure *why);
    /* Optional: lists what the network holds besides parameters, at most HARNESS_TENSORS tensors
       with names that begin with "state."; returns their number. Their data are the network's, to
       be written or filled. */
    int (*tensors)(ag_checkpoint_item *item, const void *net);
    /* Optional: checks the tensors that were read. Fails: AG_EDATA. */
    ag_status (*check)(const void *net, ag_failure *why);
} harness_network;

typedef struct harness_model {
    const struct harness_program *program;
    const harness_network *network;
    size_t data_bytes, feed_bytes, batch_bytes, results_bytes;

    /* ---- data ---- */

    /* Reads the data that train and validate; it may settle options of HARNESS_BY_DATA in
       session->settings. */
    ag_status (*read)(harness_session *session, ag_failure *why);
    /* Reads --data for the runs (`inspect` has none). known: run times must be known. */
    ag_status (*read_scored)(void *data, const harness_runs *runs, const harness_settings *settings,
                             bool known, ag_failure *why);
    /* Optional: reads what the baselines of eval learn from; if that is not there, leaves the
       baselines out with a warning. */
    ag_status (*read_fit)(void *data, const harness_runs *runs, const harness_settings *settings,
                          ag_failure *why);
    void (*close)(void *data);
    /* Optional: the kind of the files of --data, which harness_option.needs may name ("tile
       files"); NULL: it is not known, or they cannot be read. */
    const char *(*files)(const harness_settings *settings);
    /* Optional: the name of a network in tables; the form of its results (harness_rank.form). */
    const char *(*name)(const void *net);
    void (*form)(struct harness_rank_form *form, const void *net, const harness_settings *settings);
    /* Optional, one of the two: what `inspect` prints (commands/inspect.h) about the data of
       read_scored; or about one file, so that a file that cannot be read does not hide the others.
       Without both, `inspect` lists the groups. */
    void (*inspect)(harness_inspection *to, const void *data);
    ag_status (*inspect_file)(harness_inspection *to, const char *path, ag_failure *why);

    /* ---- steps ---- */

    /* Optional: sets session->how, which has the settings' values. */
    void (*plan)(harness_session *session);
    /* Optional, together: `begin` opens the feed, which `end` closes; `fill` prepares the batch of
       that number, in a thread that is one batch ahead. */
    ag_status (*begin)(harness_session *session, ag_failure *why);
    ag_status (*fill)(void *feed, int64_t number, void *batch, ag_failure *why);
    void (*free_batch)(void *batch);
    void (*end)(void *feed);
    /* Records the loss of session->batch or, without `fill`, of the batch of session->number; *what
       names the batch in sentences. */
    ag_tensor *(*record)(const harness_session *session, ag_tape *tape, const char **what);
    const char *fewer; /* optional: the options that make a step smaller, "--configs" */

    /* ---- results ---- */

    /* The results begin with a harness_rank (rank/rank.h), which `open` prepares and
       harness_rank_close frees; they own nothing else. */
    void (*open)(void *results, void *data, const harness_settings *settings);
    ag_status (*add)(void *results, const harness_trained *trained, const harness_scoring *how,
                     ag_failure *why);
    /* Fits and scores the baselines. Only programs with --baselines have this and read_fit. */
    ag_status (*compare)(void *results, ag_failure *why);
    /* Optional: adds what the noise of the run times leaves possible (harness_rank_noise). */
    void (*repeat)(void *results);
    /* Computes the measures of all methods. */
    ag_status (*compute)(void *results, ag_failure *why);

    /* Optional: why all scores of a group are equal, as a clause; NULL: it is not known. */
    const char *(*alike)(const void *results, int group);
    const char *held_out; /* the title of the results of a run */
} harness_model;

static inline const char *harness_model_files(const harness_model *m, const harness_settings *s)
{
    return m && m->files ? m->files(s) : NULL;
}

/* ---- the commands ---- */

ag_status harness_train_command(harness_call *call, ag_failure *why);
ag_status harness_eval_command(harness_call *call, ag_failure *why);
ag_status harness_predict_command(harness_call *call, ag_failure *why);
ag_status harness_inspect_command(harness_call *call, ag_failure *why);
ag_status harness_ablate_command(harness_call *call, ag_failure *why);

/* ---- a training run ---- */

/* Does all that comes before the first step; makes or continues the run folder. Fill the first
   group of fields; always close the session. Fails: AG_EUSE (options of the schedule; a folder in
   use; a run that has done more steps than asked for, or that is asked for more steps before it has
   ended), and as harness_model. */
ag_status harness_session_begin(harness_session *session, harness_run_mode mode, ag_failure *why);
/* Does the part of harness_session_begin that steps need, for a session that has its network from
   elsewhere and no folder. Fails: AG_EUSE (more ranks than batches), AG_EMEMORY, and as `begin`. */
ag_status harness_session_batches(harness_session *session, ag_failure *why);
/* Runs one step: loss, gradients, clipping, optimizer. Fails: AG_EFINITE (a loss or gradient; the
   checkpoints are from before it), and as `record`. */
ag_status harness_session_step(harness_session *session, ag_failure *why);
/* Closes the run folder and frees all that the session has, also of one that lacks parts of it; an
   interrupted run prints how to continue it. */
ag_status harness_session_close(harness_session *session, ag_failure *why);

/* Trains, from the start or from the last checkpoint of the folder, scores the best checkpoint, and
   writes tables, pictures and the page. result: gets what a study needs; may be NULL. After an
   interruption it saves and fails: AG_ESTOPPED. */
ag_status harness_train(harness_session *session, harness_run_mode mode, struct json_t *result,
                        ag_failure *why);

/* ---- trained networks (one of them: model/trained.h) ---- */

/* Loads the checkpoints of --run and --ensemble. Start from {0}; always close it. */
ag_status harness_runs_open(harness_runs *runs, const harness_model *model,
                            const harness_settings *settings, ag_failure *why);
void harness_runs_close(harness_runs *runs);

/* Data that the baselines of eval learn from, and functions that read them, describe them as in the
   metadata of a checkpoint (harness_trained.data; the caller frees the text), and drop them. */
typedef struct harness_fit {
    void *data;
    ag_status (*read)(void *data, const harness_paths *paths, const char *option, ag_failure *why);
    char *(*json)(const void *data);
    void (*drop)(void *data);
} harness_fit;

/* Reads --fit, or else the --data of the run. If these are missing or have changed since training,
   a warning asks for --fit, and nothing is kept. Fails: for --fit as `read` does; AG_EMEMORY. */
ag_status harness_fit_read(const harness_fit *fit, const harness_runs *runs,
                           const harness_settings *settings, ag_failure *why);

/* Warns when files that are scored have the names of files that the runs were trained on. */
void harness_runs_warn_trained(const harness_runs *runs, char *const *path, int count);

/* Scores into results that are open. Fails: AG_ESTOPPED, and as harness_model.add. */
ag_status harness_runs_score(const harness_runs *runs, void *results,
                             const harness_settings *settings, ag_failure *why);

#endif
