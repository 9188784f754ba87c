/* SPDX-License-Identifier: MIT */
/* The meaning of a mistyped word: the nearest name, or ours for the name that other programs have.
   None of these words is accepted: an error sentence suggests ours. Words are separated by bars, in
   small letters and with '-' for '_'. */
#include "examples/harness/cli/options_internal.h"

#include <ctype.h>
#include <string.h>

const harness__synonym harness__option_words[] = {
    {"input|i|dataset|data-dir|data-path|train-data|train-file", .ours = "data|dir|text"},
    {"valid|val|val-data|valid-data|validation|validation-data|eval-data|test|test-data",
     .ours = "valid|data"},
    {"out|output|o|output-dir|save-dir|log-dir|model-dir|checkpoint-dir|result", .ours = "out|csv"},
    {"run|model-path|load|ckpt|weights|checkpoint-path", .ours = "run|out"},
    {"pretrained|model|finetune|fine-tune|warm-start|from-checkpoint|init-from",
     .ours = "init|model"},
    {"continue|resume-from|restart", .ours = "resume"},
    {"overwrite|replace|yes|y|f", .ours = "force"},
    {"cfg|c|config-file", .ours = "config"},
    {"random-seed|manual-seed|random-state", .ours = "seed"},
    {"epochs|epoch|max-epochs|num-epochs|n-epochs|num-train-epochs", .ours = "epochs"},
    {"epochs|epoch|max-epochs|num-epochs|n-epochs|num-train-epochs", "steps",
     .note = "of the optimizer"},
    {"iterations|iters|max-iters|num-iterations|max-steps|num-steps|train-steps",
     .ours = "steps|search-steps"},
    {"lr|learn-rate|alpha|eta|base-lr|init-lr", .ours = "learning-rate"},
    {"wd|decay|l2", .ours = "weight-decay"},
    {"lr-schedule|lr-scheduler|lr-scheduler-type|scheduler|lr-policy", .ours = "schedule"},
    {"gamma|lr-decay|lr-gamma|lr-decay-rate", .ours = "decay-rate"},
    {"step-size|lr-step-size|lr-decay-steps", .ours = "decay-every"},
    {"warmup-steps|num-warmup-steps|warmup-ratio|warmup-epochs", "warmup",
     .note = "a share of the steps"},
    {"grad-clip|gradient-clip|gradient-clip-val|clip-grad|clip-grad-norm|clip-norm|max-norm|"
     "max-grad-norm",
     .ours = "clip"},
    {"batch-size|batch|bs|b|per-device-train-batch-size|train-batch-size|eval-batch-size",
     .ours = "tasks|kernels|configs|groups|eval-graphs|eval-samples|eval-configs"},
    {"hidden-dim|hidden-size|hidden-channels|hidden-units|nhid|d-model|dim|width|channels",
     .ours = "hidden"},
    {"layers|num-layers|n-layers|depth|num-gnn-layers", .ours = "layers|gnn-layers"},
    {"drop|dropout-rate|dropout-prob", .ours = "dropout"},
    {"n-bins|num-bins|max-bin|quantiles|pieces", .ours = "bins"},
    {"criterion|objective|loss-fn", .ours = "loss"},
    {"early-stop|early-stopping|early-stopping-patience|early-stopping-rounds", "patience",
     .note = "validations without a better score"},
    {"val-every|val-interval|eval-interval|eval-freq|eval-steps|val-check-interval",
     .ours = "eval-every"},
    {"save-interval|save-freq|save-steps|checkpoint-every|checkpoint-interval",
     .ours = "save-every"},
    {"log-interval|log-freq|logging-steps|print-every|print-freq", .ours = "log-every"},
    {"train-split|train-ratio|train-size|split-ratio", "split", .note = "the share to train on"},
    {"test-size|val-split|val-size|validation-split|holdout", .ours = "split|valid"},
    {"n-estimators|num-trees|num-rounds|num-boost-round", .ours = "trees"},
    {"n-trials|trials|num-trials|budget", .ours = "measurements"},
    {"time-limit|timeout|max-time", .ours = "minutes"},
    {"cuda|gpu|use-cuda|use-gpu|gpus|gpu-id|num-gpus", "device", .value = "cuda"},
    {"cpu|no-cuda|no-gpu|use-cpu", "device", .value = "cpu"},
    {"amp|fp16|half|bf16|mixed-precision|tf32|allow-tf32", "precision", .value = "tf32"},
    {"fp32|dtype", .ours = "precision"},
    {"num-workers|workers|jobs|j|n-jobs|num-threads|nthread|num-proc|nproc", .ours = "threads"},
    {"memory|mem-limit|max-memory|max-ram", .ours = "ram-limit"},
    {"silent|q|no-progress|disable-tqdm", .ours = "quiet"},
    {"detect-anomaly|check-nan|debug-nans", .ours = "check-finite"},
    {0}};

/* Of a value, whichever option has it. */
const harness__synonym harness__value_words[] = {
    {"gpu|gpu:0|cuda:0|cuda:1|nvidia|0", .ours = "cuda"},
    {"cpu:0|host", .ours = "cpu"},
    {"float32|f32|float|32", .ours = "fp32"},
    {"fp16|float16|half|bf16|bfloat16|mixed|16", .ours = "tf32"},
    {"cos|cosine-annealing|cosineannealinglr|onecycle", .ours = "cosine"},
    {"exp|step|steplr|exponentiallr", .ours = "exponential"},
    {"const|fixed|none", .ours = "constant"},
    {"mse|l2|rmse|mse-loss", .ours = "squared"},
    {"mae|l1|smooth-l1", .ours = "huber"},
    {"bce|ranknet|cross-entropy|pairwise", .ours = "logistic|pairs"},
    {"margin|margin-ranking|pairwise-hinge", .ours = "hinge"},
    {"listnet|listwise|list-mle", .ours = "listmle"},
    {"lambdarank|lambdamart|ndcg", .ours = "lambda"},
    {"graphsage|sageconv", .ours = "sage"},
    {"gatconv", .ours = "gat"},
    {"final|latest", .ours = "last"},
    {0}};

const harness__synonym harness__command_words[] = {
    {"fit|run", .ours = "train"},
    {"test|evaluate|validate|score", .ours = "eval"},
    {"infer|inference|rank", .ours = "predict"},
    {"info|show|describe|stats", .ours = "inspect|show"},
    {"study|sweep|ablation|grid", .ours = "ablate"},
    {"tune|search", .ours = "autotune"},
    {"selftest|env|check", .ours = "doctor"},
    {"collect|measure", .ours = "layout"},
    {0}};

const char *harness__word(const char **list)
{
    const size_t n = strcspn(*list, "|");
    const char *word = n ? harness_format("%.*s", (int)n, *list) : NULL;
    *list += n + ((*list)[n] == '|');
    return word;
}

int harness__word_index(const char *list, const char *text)
{
    const char *word;
    for (int i = 0; (word = harness__word(&list)); i++)
        if (strcmp(word, text) == 0) return i;
    return -1;
}

static int plain(char letter) { return letter == '_' ? '-' : tolower((unsigned char)letter); }

static bool same_letters(const char *word, const char *plain_word)
{
    while (*word && plain(*word) == *plain_word) word++, plain_word++;
    return !*word && !*plain_word;
}

enum { LONGEST = 63 };

static int least(int a, int b) { return a < b ? a : b; }
static int differ(char a, char b) { return plain(a) != plain(b); }

/* Edits (insert, delete, replace, swap of neighbours) from a to b, in letters of any case; both at
   most LONGEST long. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    int row[3][LONGEST + 2];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= m; j++) last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] =
                least(least(last[j], now[j - 1]) + 1, last[j - 1] + differ(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last, last = now, now = oldest;
    }
    return last[m];
}

const char *harness_nearest(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST) return NULL;
    /* A name with more than a third of its letters wrong is another word. */
    int best_distance = length < 9 ? (int)length / 3 : 3;
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST) continue;
        int d = distance(word, names[i]);
        if (d < best_distance || (d == best_distance && !best)) best = names[i], best_distance = d;
    }
    return best;
}

static bool is_in(const char *list, const char *word)
{
    const char *one;
    while ((one = harness__word(&list)))
        if (same_letters(word, one)) return true;
    return false;
}

const char *harness__meant(const harness__synonym **row, const harness__synonym *table,
                           const char *word, const char *const *names, int count)
{
    for (const harness__synonym *r = *row = table; r->theirs; *row = ++r) {
        const char *ours = r->ours, *one;
        if (!is_in(r->theirs, word)) continue;
        while ((one = harness__word(&ours)))
            for (int i = 0; i < count; i++)
                if (same_letters(names[i], one) && !same_letters(word, one)) return names[i];
    }
    return NULL;
}

const char *harness__meant_or_near(const harness__synonym *table, const char *word,
                                   const char *const *names, int count)
{
    const harness__synonym *row;
    const char *meant = harness__meant(&row, table, word, names, count);
    return meant ? meant : harness_nearest(word, names, count);
}
