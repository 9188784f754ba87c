/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/harness/commands/doctor.h"
#include "examples/harness/model/settings.h"
#include "examples/nests/program.h"

#include <string.h>

enum { TRAINS = HARNESS_TRAINS, RUNS = HARNESS_RUNS };

/* Names a field without "nests_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(nests_settings, M)
#define WORD(M)  HARNESS_WORD(nests_settings, M)

/* A row whose value, unless given, is that of the kind of the files (studies/presets.ini). */
#define BY_KIND  .flags = HARNESS_BY_DATA
#define STEPS    "--fit=auto|both|network"
#define NETWORK  .needs = STEPS
#define TREES    .needs = "--fit=both|trees or --fit=auto and no layout files"
#define KIND     " (-1: depends on the kind of the files)"

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(nests_settings, harness.common),

    {"split", FIELD(split), "0", 0, 0.999, TRAINS, .often = true, .group = "Data",
     .help =
         "share of each group's items to train on; the others are held out and scored (0: train "
         "on all)"},
    {"split-seed", FIELD(split_seed), "0", 0, 9007199254740992.0, TRAINS, .needs = "--split",
     .group = "Data", .help = "which items are held out; --seed does not move them"},

    {"fit", WORD(fit), "auto", .choices = "auto|both|network|trees", .commands = TRAINS, BY_KIND,
     .often = true, .group = "Model",
     .help = "what learns the factor of a row: small networks, boosted trees, or both, with "
             "averaged scores (auto: network for layout files, both for others)"},
    {"members", FIELD(members), "-1", -1, NESTS_MOST_MEMBERS, TRAINS, BY_KIND, NETWORK,
     .group = "Model",
     .help = "networks that are trained together; their scores are averaged" KIND},
    {"hidden", FIELD(hidden), "-1", -1, 4096, TRAINS, BY_KIND, NETWORK, .group = "Model",
     .help = "channels of every layer" KIND},
    {"layers", FIELD(layers), "-1", -1, NESTS_MOST_LAYERS, TRAINS, BY_KIND, NETWORK,
     .group = "Model", .help = "hidden layers" KIND},
    {"flags", WORD(flags), "auto", .choices = "auto|yes|no", .commands = TRAINS, BY_KIND, NETWORK,
     .group = "Model",
     .help = "networks also read whether each column is 0 or less (auto: depends on the kind of "
             "the files)"},
    {"dropout", FIELD(dropout), "-1", -1, 0.999, TRAINS, BY_KIND, NETWORK, .group = "Model",
     .help = "share of the channels that each layer drops in training" KIND},
    {"trees", FIELD(trees), "-1", -1, 4096, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "boosted trees per bag, fitted before training" KIND},
    {"bags", FIELD(bags), "-1", -1, NESTS_MOST_BAGS, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "sets of --trees trees; their scores are averaged" KIND},
    {"depth", FIELD(depth), "-1", -1, 8, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "depth of a tree" KIND},
    {"tree-columns", FIELD(tree_columns), "-1", -1, 1, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "share of the columns that a tree may use, drawn for each tree" KIND},
    {"tree-rate", FIELD(tree_rate), "-1", -1, 1, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "learning rate of boosting, by which each tree is multiplied" KIND},
    {"least-leaf", FIELD(least_leaf), "-1", -1, 1e6, TRAINS, BY_KIND, TREES, .group = "Model",
     .help = "fewest items of a leaf (0: nearly any)" KIND},
    {"share", FIELD(share), "-1", -1, 1, TRAINS, BY_KIND,
     .needs = "--fit=both or --fit=auto and no layout files", .group = "Model",
     .help = "the trees' share of a score; the rest is the networks'" KIND},

    {"steps", FIELD(harness.training.steps), "-1", -1, 1e9, TRAINS,
     .flags = HARNESS_MAY_GROW | HARNESS_BY_DATA, .often = true, NETWORK, .group = "Training",
     .help = "optimizer steps" KIND},
    {"groups", FIELD(groups), "-1", -1, 65536, TRAINS, BY_KIND, NETWORK, .group = "Training",
     .help = "groups per step" KIND},
    {"items", FIELD(items), "-1", -1, 65536, TRAINS, BY_KIND, NETWORK, .group = "Training",
     .help = "items per group in a step" KIND},
    {"huber", FIELD(huber), "-1", -1, 1e6, TRAINS, BY_KIND, .group = "Training",
     .help = "error of ln(run time) from which on the loss is linear (0: nowhere)" KIND},
    {"spread", WORD(spread), "auto", .choices = "auto|yes|no", .commands = TRAINS, BY_KIND,
     .group = "Training",
     .help = "divide errors by the spread of the run times in their group (auto: depends on the "
             "kind of the files)"},
    {"order", FIELD(order), "-1", -1, 1e6, TRAINS, BY_KIND, .group = "Training",
     .help = "weight of the loss over pairs, in the sum with that of errors" KIND},
    {"top", FIELD(top), "-1", -1, 1e6, TRAINS, BY_KIND, .needs = "--order", .group = "Training",
     .help =
         "weight of LambdaRank's loss, which looks at the fastest items, in that over pairs" KIND},
    {"learning-rate", FIELD(harness.training.learning_rate), "-1", -1, 10, TRAINS,
     .flags = HARNESS_IF_GROWN | HARNESS_BY_DATA, .often = true, NETWORK, .group = "Training",
     .help = "learning rate of AdamW, after the warm-up" KIND},
    {"warmup", FIELD(harness.training.warmup), "0.02", 0, 1, TRAINS, NETWORK, .group = "Training",
     .help = "share of the steps in which the learning rate rises"},
    {"schedule", WORD(harness.training.schedule), "cosine", .choices = HARNESS_SCHEDULES,
     .commands = TRAINS, .flags = HARNESS_IF_GROWN, NETWORK, .group = "Training",
     .help = "the learning rate after the warm-up"},
    HARNESS_DECAY_OPTIONS(nests_settings, "0.95", "100", "steps for one factor --decay-rate"),
    {"weight-decay", FIELD(harness.training.weight_decay), "-1", -1, 10, TRAINS, BY_KIND, NETWORK,
     .group = "Training", .help = "decoupled weight decay, as in AdamW" KIND},

    {"eval-every", FIELD(harness.training.eval_every), "-1", -1, 1e9, TRAINS, BY_KIND,
     .often = true, .needs = STEPS " and --valid or " STEPS " and --split", .group = "Scores",
     .help = "steps between validations" HARNESS_ON_VALID " (-1: 24 in all)"},
    {"eval-items", FIELD(eval_items), "512", 1, 65536, RUNS, .flags = HARNESS_LOCAL,
     .group = "Machine", .help = "most items that are scored together; scores do not depend on it"},
    {"least", FIELD(least), "5000", 0, 1e15, TRAINS | HARNESS_EVAL, .needs = "fusion files",
     .group = "Scores",
     .help = "fused kernels: shortest run time that counts in the main scores, ns"},
    {"baselines", FIELD(harness.baselines), "true", .commands = HARNESS_TRAIN | HARNESS_EVAL,
     .flags = HARNESS_KEPT_FOR_RESUME, .often = true, .group = "Scores",
     .help = "show what the networks alone, the trees alone, and the work of the rows without "
             "factors reach"},

    HARNESS_MODEL_OPTIONS_AND(nests_settings, 0, STEPS),
};

static const harness_command commands[] = {
    HARNESS_RUN_COMMANDS("files with run times", "items"),
    HARNESS_INSPECT_COMMAND("files"),
    HARNESS_ABLATE_COMMAND,
    HARNESS_DOCTOR_COMMAND,
};

const harness_program nests_program_table = {
    .name = "nests",
    .version = NESTS_VERSION,
    .help =
        "A cost model of loop nests: a run time is a sum over rows, each a guessed time multiplied "
        "by a learned factor",
    HARNESS_TABLES(table, commands),
    .options_bytes = sizeof(nests_settings),
    .examples = HARNESS_EXAMPLES("nests", "examples/data/layout/split-random",
                                 "examples/data/layout/random/alexnet_12.npz", "nests-layout",
                                 "examples/nests/studies/ablations.ini"),
    .model = &nests_hooks};

static double number_of(const nests_settings *s, const harness_option *o)
{
    const void *at = (const char *)s + o->offset;
    if (o->type == HARNESS_REAL) return *(const double *)at;
    return o->type == HARNESS_INT64 ? (double)*(const int64_t *)at : *(const int *)at;
}

/* Takes the values of `suits` for options that are still -1 or auto. */
static void take(nests_settings *s, const nests_settings *suits)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const harness_option *o = &table[i];
        const bool wide = o->type == HARNESS_REAL || o->type == HARNESS_INT64;
        const double open = o->type == HARNESS_CHOICE ? 0 : -1;
        if (o->flags & HARNESS_BY_DATA && number_of(s, o) == open)
            memcpy((char *)s + o->offset, (const char *)suits + o->offset,
                   wide ? sizeof(double) : sizeof(int));
    }
}

ag_status nests_settle(nests_settings *s, const char *kind, ag_failure *why)
{
    harness_training *t = &s->harness.training;
    nests_settings suits;
    harness_options *o = harness_options_new(&nests_program_table, HARNESS_TRAIN, &suits);
    if (!harness_options_preset(o, nests_presets, kind, why)) take(s, &suits);
    harness_options_free(o);
    if (t->eval_every < 0) t->eval_every = t->steps / 24;
    if (t->eval_every < 1) t->eval_every = 1;
    return why->status;
}

/* The smallest value that is one: in the table -1 is allowed, which leaves it open. */
static double least_of(const harness_option *o)
{
    if (!strcmp(o->name, "tree-columns")) return 0.01;
    if (!strcmp(o->name, "tree-rate")) return 1e-6;
    return o->type == HARNESS_REAL || !strcmp(o->name, "least-leaf") ? 0 : 1;
}

ag_status nests_settings_check(const nests_settings *s, ag_failure *why)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const harness_option *o = &table[i];
        if (!(o->flags & HARNESS_BY_DATA) || o->type == HARNESS_CHOICE) continue;
        const double value = number_of(s, o), least = least_of(o);
        if (!(value >= least && value <= o->high))
            return ag_fail(why, AG_EUSE, "--%s is %g; it must be %g to %g", o->name, value, least,
                           o->high);
    }
    if (s->top > 0 && s->order == 0)
        return ag_fail(
            why, AG_EUSE,
            "--top is %g, which has no effect, since --order is 0; give both, or omit top", s->top);
    if ((int64_t)s->groups * s->items <= 1 << 24) return AG_OK;
    return ag_fail(
        why, AG_EUSE,
        "--groups is %d and --items %d, which is more than 2^24 items a step; take fewer",
        s->groups, s->items);
}
