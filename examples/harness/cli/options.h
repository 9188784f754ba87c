/* SPDX-License-Identifier: MIT */
/* One typed table per program gives the flags, the config file, --help and config.json. */
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include "examples/harness/files/files.h"

#include <stdbool.h>

struct json_t;

typedef enum harness_type {
    HARNESS_BOOL,   /* bool: --name, --no-name, name = true|false|yes|no|on|off|1|0 */
    HARNESS_INT,    /* int */
    HARNESS_INT64,  /* int64_t */
    HARNESS_REAL,   /* double */
    HARNESS_SIZE,   /* int64_t, in bytes: 4096, 512K, 8G, 1.5G (powers of 1024) */
    HARNESS_TEXT,   /* const char *, NULL when the default is NULL */
    HARNESS_CHOICE, /* int: the index of the word in `choices` */
    HARNESS_PATHS   /* harness_paths: one or more, repeated or several after one flag */
} harness_type;

/* The commands that an option belongs to; a program may add bits from HARNESS_OWN on. */
enum {
    HARNESS_TRAIN = 1,
    HARNESS_EVAL = 2,
    HARNESS_PREDICT = 4,
    HARNESS_INSPECT = 8,
    HARNESS_ABLATE = 16,
    HARNESS_DOCTOR = 32, /* looks at the machine; shares --device, --threads, --quiet and --json */
    HARNESS_OWN = 64
};

/* The treatment of an option in config.json. Without a flag it is written and read back by --run
   and --resume, and --resume refuses another value. */
enum {
    HARNESS_LOCAL = 1, /* belongs to one call (--out, --quiet): neither written nor read back */
    HARNESS_FOR_RESUME = 2, /* read back by --resume, not by --run (--data) */
    HARNESS_MAY_CHANGE = 4, /* --resume accepts another value */
    HARNESS_MAY_GROW = 8,   /* --resume accepts a larger value: the run goes on beyond its end */
    HARNESS_IF_GROWN = 16,  /* --resume accepts another value if one of HARNESS_MAY_GROW grows */
    HARNESS_BY_DATA = 32,   /* in place of its default, harness_model.read sets a value that suits
                               the data */
    HARNESS_IF_OTHER = 64   /* written only where it is not the default */
};

typedef struct harness_option {
    const char *name; /* "learning-rate"; '_' and '-' are the same to the user */
    harness_type type;
    size_t offset; /* into the program's struct of options; use HARNESS_FIELD and its kin */
    const char
        *fallback;     /* the default as a user would write it; NULL: 0, false, no text, no path */
    double low, high;  /* allowed range, both ends included; both 0: whatever the type holds */
    unsigned commands; /* the commands that accept it */
    unsigned needed;   /* the commands that require it */
    unsigned flags;
    const char *needs;   /* where it has an effect, e.g. "--gnn=gat and --layers or tile files";
                            NULL: everywhere. " or " joins cases, " and " the terms of a case. A
                            term is an option that is given (not 0, not false), one that has one of
                            some words (--loss=hinge|logistic), a kind of files
                            (harness_model.files), or "no " and one of these */
    const char *choices; /* HARNESS_CHOICE: "cpu|cuda" */
    const char *presets; /* HARNESS_CHOICE: ini text with a section for each word but the first: the
                            options that the word sets; lines before the first section hold for
                            all of these; NULL: words set no other options */
    const char *meta;    /* the value's name in --help, e.g. "RUN"; NULL: by type */
    const char *group;   /* heading in --help; NULL: "Other" */
    const char *help;    /* one sentence without full stop; default and range are added */
    bool often;          /* --help has it; the other rows are only in --help-all */
} harness_option;

static inline const char *harness_option_group(const harness_option *option)
{
    return option->group ? option->group : "Other";
}

/* Type and offset of a member of the struct of options; the compiler selects the type or refuses
   the member. */
#define HARNESS_FIELD(S, M) \
 _Generic(((S *)0)->M,                                                                          \
        bool: HARNESS_BOOL,                                                                        \
        int: HARNESS_INT,                                                                          \
        int64_t: HARNESS_INT64,                                                                    \
        double: HARNESS_REAL,                                                                      \
        const char *: HARNESS_TEXT,                                                                \
        harness_paths: HARNESS_PATHS),                                                             \
        offsetof(S, M)
#define HARNESS_BYTES(S, M) _Generic(((S *)0)->M, int64_t : HARNESS_SIZE), offsetof(S, M)
/* An int or an enumeration that counts from 0. */
#define HARNESS_WORD(S, M) \
 _Generic(((S *)0)->M, int : HARNESS_CHOICE, unsigned : HARNESS_CHOICE), offsetof(S, M)

/* The options that all programs share. A program's struct of options begins with one of these, and
   its table starts with HARNESS_COMMON_OPTIONS(struct, member), or has those of these rows that its
   commands take. */
typedef struct harness_common {
    harness_paths data, valid, model;
    const char *out, *run, *study, *part, *only;
    int64_t seed, ram_limit;
    int threads, device; /* device: 0 cpu, 1 cuda, as ag_device; 2 auto */
    int precision;       /* as ag_precision */
    bool resume, force, collect, quiet, json;
} harness_common;

#define HARNESS_ALL    (HARNESS_TRAIN | HARNESS_SCORES | HARNESS_INSPECT | HARNESS_ABLATE)
#define HARNESS_TRAINS (HARNESS_TRAIN | HARNESS_ABLATE)
#define HARNESS_SCORES (HARNESS_EVAL | HARNESS_PREDICT)
#define HARNESS_RUNS   (HARNESS_TRAINS | HARNESS_SCORES)
/* clang-format off */
#define HARNESS_COMMON_OPTIONS(S, M) HARNESS_COMMON_OPTIONS_AND(S, M, 0)
/* The same for a program with commands of its own (the bits OWN). These make a folder, and compute
   with a trained model if one is given, so they also take --out, --force, --run, --model, --seed,
   and the options of the groups Machine and Output. */
#define HARNESS_COMMON_OPTIONS_AND(S, M, OWN) \
    {"data", HARNESS_FIELD(S, M.data), .commands = HARNESS_ALL, .needed = HARNESS_ALL, \
     .flags = HARNESS_FOR_RESUME, .often = true, .group = "Data", \
     .help = "files, folders that are searched for them, or .txt lists of paths"}, \
    {"valid", HARNESS_FIELD(S, M.valid), .commands = HARNESS_TRAINS, \
     .flags = HARNESS_FOR_RESUME, .often = true, .group = "Data", \
     .help = "files, folders or lists for validation during training"}, \
    {"ram-limit", HARNESS_BYTES(S, M.ram_limit), "4G", 1 << 20, 1099511627776.0, HARNESS_ALL, \
     .flags = HARNESS_LOCAL, .group = "Data", .help = "most memory for data and for one array"}, \
    {"out", HARNESS_FIELD(S, M.out), .commands = HARNESS_TRAINS | OWN, \
     .needed = HARNESS_TRAINS | OWN, .flags = HARNESS_LOCAL, \
     .meta = "RUN", .often = true, .group = "Run", .help = "the run folder to make"}, \
    {"resume", HARNESS_FIELD(S, M.resume), .commands = HARNESS_TRAIN, .flags = HARNESS_LOCAL, \
     .often = true, .group = "Run", .help = "continue the run in --out, with its options; a finished run continues to a larger " \
             "--steps, from its last learning rate or from --learning-rate"}, \
    {"force", HARNESS_FIELD(S, M.force), .commands = HARNESS_TRAIN | OWN, \
     .flags = HARNESS_LOCAL, .often = true, .group = "Run", .help = "replace the run in --out"}, \
    {"run", HARNESS_FIELD(S, M.run), .commands = HARNESS_SCORES | OWN, \
     .needed = HARNESS_SCORES, .flags = HARNESS_LOCAL, .meta = "RUN", \
     .often = true, .group = "Run", .help = "the run folder of a trained model, unless --model names one"}, \
    {"model", HARNESS_FIELD(S, M.model), .commands = HARNESS_SCORES | OWN, .flags = HARNESS_LOCAL, \
     .meta = "NAME...", .often = true, .group = "Run", \
     .help = "a model that ships with the programs (examples/models); a wrong name lists them; " \
             "eval and predict average the scores of several, and of these and --run; --init " \
             "takes the names, too"}, \
    {"study", HARNESS_FIELD(S, M.study), .commands = HARNESS_ABLATE, .needed = HARNESS_ABLATE, \
     .flags = HARNESS_LOCAL, .meta = "FILE.ini", .often = true, .group = "Run", \
     .help = "the variants and seeds to train"}, \
    {"part", HARNESS_FIELD(S, M.part), .commands = HARNESS_ABLATE, .flags = HARNESS_LOCAL, \
     .meta = "I/N", .often = true, .group = "Run", .needs = "no --collect", \
     .help = "train the I-th of N shares of the runs"}, \
    {"only", HARNESS_FIELD(S, M.only), .commands = HARNESS_ABLATE, .flags = HARNESS_LOCAL, \
     .meta = "VARIANT", .group = "Run", .needs = "no --collect", \
     .help = "train the runs of that variant of the study"}, \
    {"collect", HARNESS_FIELD(S, M.collect), .commands = HARNESS_ABLATE, .flags = HARNESS_LOCAL, \
     .often = true, .group = "Run", .help = "train nothing; make the table of the runs that have results"}, \
    {"seed", HARNESS_FIELD(S, M.seed), "0", 0, 9007199254740992.0, \
     HARNESS_TRAINS | OWN, .flags = HARNESS_FOR_RESUME, .often = true, .group = "Run", \
     .help = "seed of all random numbers of this call"}, \
    {"device", HARNESS_WORD(S, M.device), "cpu", .choices = "cpu|cuda|auto", \
     .commands = HARNESS_RUNS | OWN | HARNESS_DOCTOR, .flags = HARNESS_LOCAL, \
     .often = true, .group = "Machine", .help = "where to compute; auto: cuda where such a device opens"}, \
    {"precision", HARNESS_WORD(S, M.precision), "fp32", .choices = "fp32|tf32", \
     .commands = HARNESS_RUNS | OWN, .flags = HARNESS_LOCAL, .group = "Machine", \
     .needs = "--device=cuda|auto", .help = "precision of matrix products on cuda; tf32 is faster, with errors near 1e-3"}, \
    {"threads", HARNESS_FIELD(S, M.threads), "0", 0, 1024, \
     HARNESS_ALL | OWN | HARNESS_DOCTOR, .flags = HARNESS_LOCAL, .often = true, .group = "Machine", \
     .help = "number of threads (0: OMP_NUM_THREADS, else all processors); results do not depend " \
             "on it"}, \
    {"quiet", HARNESS_FIELD(S, M.quiet), .commands = HARNESS_ALL | OWN | HARNESS_DOCTOR, \
     .flags = HARNESS_LOCAL, .group = "Output", \
     .help = "only errors on stderr, no progress bar"}, \
    {"json", HARNESS_FIELD(S, M.json), .commands = HARNESS_ALL | OWN | HARNESS_DOCTOR, \
     .flags = HARNESS_LOCAL, .group = "Output", .help = "results on stdout as JSON"}
/* clang-format on */

struct harness_program;

/* The values of one call and their origins. Later layers override earlier ones: defaults, the run's
   config.json, --config files, then flags in their order. Text and paths live until
   harness_options_free. */
typedef struct harness_options harness_options;

/* Fills `values` (program->options_bytes; NULL: memory of the options) with the defaults.
   `command`: the bit of the command. A default that its own row does not allow is a defect of the
   table and ends the program with a sentence and exit 1. */
harness_options *harness_options_new(const struct harness_program *program, unsigned command,
                                     void *values);
void harness_options_free(harness_options *o);
void *harness_options_values(harness_options *o);

/* A copy on which overrides can be tried; text is shared with the original. */
harness_options *harness_options_copy(const harness_options *o);

/* Reads flags (argv without program and command). `positional` names the option that takes bare
   arguments, or NULL. The models that --model names join --run and --ensemble. Fails: AG_EUSE
   (unknown flag, bad value), AG_EFILE (a --config file that cannot be read, no such model). */
ag_status harness_options_argv(harness_options *o, int argc, char **argv, const char *positional,
                               ag_failure *why);

/* Sets one option from text; `where` is the beginning of an error sentence, e.g. "study.ini line
   3". */
ag_status harness_options_set(harness_options *o, const char *where, const char *name,
                              const char *value, ag_failure *why);

/* Reads a config file: `key = value` lines. A [section] is a heading for the reader and has no
   effect. A key that belongs to other commands of the program is skipped, so that one file serves
   them all. */
ag_status harness_options_ini(harness_options *o, const char *file, const char *text, size_t bytes,
                              ag_failure *why);
ag_status harness_options_ini_file(harness_options *o, const char *path, ag_failure *why);
/* Sets the options of a preset: those before the first section of the text, then those of its own.
   Options that come later override them. */
ag_status harness_options_preset(harness_options *o, const char *text, const char *name,
                                 ag_failure *why);

/* Fails with AG_EUSE when an option that the command needs has no value. */
ag_status harness_options_complete(const harness_options *o, ag_failure *why);

/* Refuses an option that has no effect (harness_option.needs) if a flag or a config file gives it
   another value than it would have otherwise; a preset or the config.json of a run may give it any
   value. files: the kind of the files; NULL: not known, so each kind is possible. Fails:
   AG_EUSE. */
ag_status harness_options_act(const harness_options *o, const char *files, ag_failure *why);
/* Whether the option has an effect with these values. */
bool harness_option_acts(const harness_options *o, const harness_option *option, const char *files);

/* The resolved options as one JSON object (owned by the caller), without local options; and the
   options from such an object. resume: 1 reads the options that --resume reads, 0 those that --run
   reads. Unknown and missing keys are refused. Fails: AG_EDATA (a file that is not such an object),
   AG_EFILE. */
struct json_t *harness_options_json(const harness_options *o);
ag_status harness_options_from_json(harness_options *o, const struct json_t *object,
                                    const char *file, int resume, ag_failure *why);

/* The first option that has another value in `given` than in `stored` and may not change, or NULL.
   grows: larger values of HARNESS_MAY_GROW are accepted. */
const harness_option *harness_options_differ(const harness_options *stored,
                                             const harness_options *given, bool grows);

/* The value of an option as a user would write it, which the caller does not free; NULL: no
   value. */
const char *harness_option_text(const harness_options *o, const harness_option *option);

/* The row with this name ('_' is '-'), or NULL; and the nearest name in a list, or NULL when none
   is near. */
const harness_option *harness_option_find(const struct harness_program *program, const char *name);
const char *harness_nearest(const char *word, const char *const *names, int count);

/* The help of one command, at most 80 columns wide. all: every option, else those that are set
   often or needed (a command with few options shows all). Returns the number of options left out.
   */
int harness_options_help(FILE *to, const struct harness_program *program, unsigned command,
                         bool all);

#endif
