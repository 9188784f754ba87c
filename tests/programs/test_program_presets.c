/* SPDX-License-Identifier: MIT */
/* The tables of options of all programs. Presets (studies/presets.ini): the words of --preset are
   the sections, and all options in them can be set and have an effect. So have those of the other
   studies. --help: how much it shows,
   and that its examples can be called. Words of other programs: each leads to an option that
   exists. */
#include "support/test.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/study/study.h"
#include "examples/lab/lab.h"
#include "examples/nests/program.h"
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"

#include <unistd.h>

static const harness_program *const programs[] = {&tgraph_program_table, &tpu_program_table,
                                                  &tpgnn_program_table, &nests_program_table,
                                                  &lab_program_table};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const harness_option *find_presets(const harness_program *p)
{
    for (int i = 0; i < p->option_count; i++)
        if (p->options[i].presets) return &p->options[i];
    return NULL;
}

static void expect_preset(const harness_program *p, const harness_option *option, const char *name)
{
    harness_options *o = harness_options_new(p, HARNESS_TRAIN, NULL);
    expect_ok(harness_options_set(o, "a test", option->name, name, new_failure()));
    const char *files = strstr(name, "-tile")     ? "tile files"
                        : strstr(name, "-fusion") ? "fusion files"
                                                  : NULL;
    for (int i = 0; i < p->option_count; i++)
        if (o->origin[i].layer && !harness_option_acts(o, &p->options[i], files))
            fail_msg("%s: %s has no effect", name, p->options[i].name);
    harness_options_free(o);
}

/* Returns how many there are. */
static int expect_presets(const harness_program *p, const harness_option *option)
{
    char words[2000] = "none";
    int n = 0;
    for (const char *at = option->presets; (at = strstr(at, "\n[")); n++) {
        char name[64];
        assert_int_equal(sscanf(at += 2, "%63[^]\n]", name), 1);
        expect_preset(p, option, name);
        snprintf(words + strlen(words), sizeof words - strlen(words), "|%s", name);
    }
    assert_string_equal(option->choices, words);
    return n;
}

static void the_words_are_the_sections(void **state)
{
    assert_int_equal(expect_presets(&tgraph_program_table, find_presets(&tgraph_program_table)), 2);
    assert_int_equal(expect_presets(&tpu_program_table, find_presets(&tpu_program_table)), 24);
    assert_int_equal(expect_presets(&tpgnn_program_table, find_presets(&tpgnn_program_table)), 4);
}

/* ---- what options need ---- */

/* "--option", or "--option=a|b" with words that it has. */
static void expect_term(const harness_program *p, const char *of, char *term)
{
    char *words = strchr(term, '='), *rest = NULL;
    if (words) *words++ = 0;
    const harness_option *option = harness_option_find(p, term + 2);
    if (!option) fail_msg("%s %s needs %s, which is not an option", p->name, of, term);
    for (char *w = words ? strtok_r(words, "|", &rest) : NULL; w; w = strtok_r(NULL, "|", &rest))
        if (!strstr(option->choices, w)) fail_msg("%s %s needs %s=%s", p->name, of, term, w);
}

static void needs_name_options_and_words(void **state)
{
    for (int k = 0; k < PROGRAMS; k++)
        for (int i = 0; i < programs[k]->option_count; i++) {
            const harness_option *option = &programs[k]->options[i];
            char *copy = harness_copy(option->needs ? option->needs : ""), *rest = NULL;
            for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                if (w[0] == '-')
                    expect_term(programs[k], option->name, w);
                else if (!strstr("or and no layout tile fusion files", w))
                    fail_msg("%s %s needs \"%s\"", programs[k]->name, option->name, w);
            harness_free(copy);
        }
}

/* ---- --help ---- */

/* A line is read as main does, and what it names in examples/ is there. */
static void expect_example(const harness_program *p, const harness_command *c, char *line)
{
    enum { MOST = 20 };
    char *word[MOST], *rest = NULL;
    int words = 0;
    for (char *w = strtok_r(line, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        assert_true(words < MOST);
        const char *path = formatted(AG_SOURCE_DIR "/%s", w);
        if (strncmp(w, "examples/", 9) == 0 && access(path, R_OK) != 0) fail_msg("no %s", path);
        word[words++] = w;
    }
    harness_options *o = harness_options_new(p, c->bit, NULL);
    const int resumes = words > 2 && strcmp(word[words - 1], "--resume") == 0;
    if (harness_options_argv(o, words - 2, word + 2, c->positional, new_failure()) ||
        (!resumes && harness_options_complete(o, new_failure())))
        fail_msg("%s %s: %s", p->name, c->name, last_failure()->sentence);
    harness_options_free(o);
}

static int expect_examples(const harness_program *p, const harness_command *c)
{
    char *all = harness_copy(p->examples), *rest = NULL,
         *lead = harness_text("%s %s", p->name, c->name);
    const size_t n = strlen(lead);
    int found = 0;
    for (char *line = strtok_r(all, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, lead, n) == 0 && (line[n] == ' ' || !line[n])) {
            expect_example(p, c, line);
            found++;
        }
    harness_free(lead);
    harness_free(all);
    return found;
}

static void help_is_short_and_its_examples_work(void **state)
{
    for (int k = 0; k < PROGRAMS; k++)
        for (int i = 0; i < programs[k]->command_count; i++) {
            const harness_program *p = programs[k];
            const harness_command *c = &p->commands[i];
            FILE *nowhere = fopen("/dev/null", "w");
            int own = 0;
            for (int n = 0; n < p->option_count; n++) own += (p->options[n].commands & c->bit) != 0;
            const int shown = own - harness_options_help(nowhere, p, c->bit, false);
            assert_int_equal(harness_options_help(nowhere, p, c->bit, true), 0);
            fclose(nowhere);
            if (shown > 15 || (own > 10 && shown < 6))
                fail_msg("%s %s --help shows %d of %d", p->name, c->name, shown, own);
            const int examples = expect_examples(p, c);
            if (examples > 3 || examples < (own > 2 ? 3 : 1))
                fail_msg("%s %s has %d examples", p->name, c->name, examples);
        }
}

/* ---- words of other programs ---- */

static const harness_option *option_of(const char *name, size_t n)
{
    for (int k = 0; k < PROGRAMS; k++)
        for (int i = 0; i < programs[k]->option_count; i++) {
            const harness_option *option = &programs[k]->options[i];
            if (strncmp(option->name, name, n) == 0 && !option->name[n]) return option;
        }
    return NULL;
}

/* A target that was renamed would never be suggested. */
static void synonyms_lead_to_options(void **state)
{
    int rows = 0;
    for (const harness__synonym *row = harness__option_words; row->theirs; row++, rows++) {
        const char *value = row->value;
        size_t n;
        for (const char *ours = row->ours; *ours; ours += n + (ours[n] == '|')) {
            n = strcspn(ours, "|");
            const harness_option *option = option_of(ours, n);
            const int built_in = !strncmp(ours, "config", n) || !strncmp(ours, "help", n);
            if (!option && !built_in) fail_msg("%s: no program has --%s", row->theirs, ours);
            if (value && !strstr(option->choices, value))
                fail_msg("%s is not a word of --%s", value, ours);
        }
    }
    assert_true(rows > 30);
}

/* Words, and how the sentence ends; the suggestion is an option of the command. */
static const struct {
    const char *line, *sentence;
} foreign[] = {
    {"tgraph train --lr 1", "--learning-rate?"},
    {"tpu train --wd 1", "--weight-decay?"},
    {"tgraph train --batch-size 4", "--configs?"},
    {"tpu train --batch_size=4", "--kernels?"},
    {"tpgnn train --batch-size 4", "--tasks?"},
    {"nests train --batch-size 8", "--groups?"},
    {"tpu train --validation a.npz", "--valid?"},
    {"tgraph train --valid-data a.npz", "--valid?"},
    {"tpgnn train --gradient-clip 1", "--clip?"},
    {"nests train --clip_norm 1", "--clip?"},
    {"tgraph train --epoch 4", "--epochs?"},
    {"tgraph train --num-epochs 4", "--epochs?"},
    {"tpu train --epochs 4", "--steps (of the optimizer)?"},
    {"tpgnn train --max_epochs 4", "--steps (of the optimizer)?"},
    {"tpu train --cuda", "--device cuda?"},
    {"tpgnn eval --gpu 0", "--device cuda?"},
    {"tgraph predict --no-cuda", "--device cpu?"},
    {"tpu autotune --gpu", "--device cuda?"},
    {"tgraph train --device gpu",
     "--device: \"gpu\" is not one of cpu|cuda|auto; did you mean cuda?"},
    {"tpu eval --device cuda:0", "did you mean cuda?"},
    {"tpu eval --device CPU", "did you mean cpu?"},
    {"tpgnn train --num-workers 4", "--threads?"},
    {"lab doctor --silent", "--quiet?"},
    {"tpgnn train --hidden_dim 4", "--hidden?"},
    {"tpu train --num_layers 4", "--gnn-layers?"},
    {"tpgnn train --num_layers 4", "--layers?"},
    {"tgraph train --lr-schedule cosine", "--schedule?"},
    {"tgraph train --schedule cos", "did you mean cosine?"},
    {"tgraph train --warmup-steps 9", "--warmup (a share of the steps)?"},
    {"tgraph train --early-stopping 9", "--patience (validations without a better score)?"},
    {"tgraph train --output x", "--out?"},
    {"tgraph predict --output x", "--csv?"},
    {"tgraph predict --out x", "did you mean --csv?"},
    {"tgraph eval --valid x", "did you mean --data?"},
    {"tgraph train --run x", "did you mean --out?"},
    {"tgraph train --model x", "did you mean --init?"},
    {"tpu predict --pretrained x", "--model?"},
    {"tgraph eval --ckpt x", "--run?"},
    {"tgraph train --input x", "--data?"},
    {"lab check --input x", "--dir?"},
    {"lab layout --output x", "--out?"},
    {"tgraph train -lr 1", "did you mean --learning-rate?"},
    {"tgraph train -steps 1", "did you mean --steps?"},
    {"tpu train --loss mse", "did you mean squared?"},
    {"tpgnn train --loss ranknet", "did you mean pairs?"},
};

static void expect_foreign(const char *line, const char *sentence)
{
    char *words = harness_copy(line), *word[6], *rest = NULL;
    int n = 0, k = 0;
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) word[n++] = w;
    while (strcmp(programs[k]->name, word[0]) != 0) k++;
    const harness_command *c = programs[k]->commands;
    while (strcmp(c->name, word[1]) != 0) c++;
    harness_options *o = harness_options_new(programs[k], c->bit, NULL);
    assert_int_equal(harness_options_argv(o, n - 2, word + 2, c->positional, new_failure()),
                     AG_EUSE);
    const size_t have = strlen(last_failure()->sentence), want = strlen(sentence);
    if (have < want || strcmp(last_failure()->sentence + have - want, sentence) != 0)
        fail_msg("%s: %s", line, last_failure()->sentence);
    harness_options_free(o);
    harness_free(words);
}

static void words_of_other_programs(void **state)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        expect_foreign(foreign[i].line, foreign[i].sentence);
}

/* ---- studies ---- */

static const struct {
    int program;
    const char *file, *files; /* files: what it is for; NULL: any */
    int variants;
} studies[] = {{0, "tgraph/studies/ablations", NULL, 20},
               {0, "tgraph/studies/rows", NULL, 6},
               {1, "tpu/studies/table3", "tile files", 6},
               {1, "tpu/studies/table3-fusion", "fusion files", 4},
               {1, "tpu/studies/table4-small", NULL, 12},
               {1, "tpu/studies/rows", NULL, 4},
               {2, "tpgnn/studies/ablations", NULL, 24},
               {2, "tpgnn/studies/rows", NULL, 10},
               {3, "nests/studies/ablations", "tile files", 8}};

static void studies_have_options_with_an_effect(void **state)
{
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        harness_study study = {0};
        harness_options *o =
            harness_options_new(programs[studies[i].program], HARNESS_ABLATE, NULL);
        const char *file = harness_format(AG_SOURCE_DIR "/examples/%s.ini", studies[i].file);
        expect_ok(harness_study_load(&study, file, o, new_failure()));
        expect_ok(harness_study_act(&study, o, studies[i].files, new_failure()));
        assert_int_equal(bag_count(study.variants), studies[i].variants);
        assert_int_equal(bag_count(study.seeds), 3);
        harness_study_free(&study);
        harness_options_free(o);
    }
}

int main(void)
{
    return RUN_TESTS(the_words_are_the_sections, studies_have_options_with_an_effect,
                     needs_name_options_and_words, help_is_short_and_its_examples_work,
                     synonyms_lead_to_options, words_of_other_programs);
}
