/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "support/harness_parsed.h"

static parsed p;

static int drop(void **state)
{
    parsed_free(&p);
    return 0;
}

/* A preset is applied at its place on the command line: it overrides earlier options, and later
   options override it. */
static void presets(void **state)
{
    parse(&p, HARNESS_TRAIN, NULL, "--steps=7 --size small --loss=logistic");
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 5 && !p.values.edges && p.values.loss == 1);
    parse(&p, HARNESS_TRAIN, NULL, "--size large --steps=7");
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 7 && p.values.edges && p.values.loss == 2);
    parse(&p, HARNESS_TRAIN, NULL, "--steps=7 --size=large");
    assert_true(p.values.steps == 5000 && p.values.edges && p.values.loss == 2);
    parse(&p, HARNESS_TRAIN, NULL, "--size smal");
    assert_int_equal(p.status, AG_EUSE);
    assert_non_null(strstr(p.why.sentence, "small"));
}

/* A mistake in the text of a preset names its line. */
static void damaged_presets(void **state)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {{"steps = 5\n[small]\nstep = 5\n", "presets.ini line 3: unknown option step"},
               {"steps = 0\n[small]\n", "presets.ini line 1: steps"},
               {"[small]\nloss = least\n", "presets.ini line 2: loss"},
               {"[small\nsteps = 5\n", "presets.ini line 1: the section has no closing bracket"},
               {"[small]\nsteps\n", "presets.ini line 2: "}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        harness_option table[sizeof demo_table / sizeof *demo_table];
        harness_program program = demo;
        demo_options values;
        memcpy(table, demo_table, sizeof table);
        program.options = table;
        for (int k = 0; k < program.option_count; k++)
            if (table[k].presets) table[k].presets = bad[i].text;
        harness_options *o = harness_options_new(&program, HARNESS_TRAIN, &values);
        expect_ok(harness_options_set(o, "x", "size", "own", new_failure()));
        expect_status(harness_options_set(o, "x", "size", "small", new_failure()), AG_EUSE,
                      bad[i].sentence);
        harness_options_free(o);
    }
}

static void every_way_to_write_a_value(void **state)
{
    parse(&p, HARNESS_TRAIN, NULL,
          "--learning_rate 0.5 --steps=7 --no-edges --loss=listmle --data a b --data=c --quiet");
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.learning_rate == 0.5 && p.values.steps == 7 && !p.values.edges &&
                p.values.loss == 2);
    assert_true(p.values.common.quiet && p.values.common.data.count == 3);
    assert_string_equal(p.values.common.data.list[2], "c");
    parse(&p, HARNESS_TRAIN, NULL, "--steps=9 --note 1,2,3 --edges=no --ram-limit 1.5G --seed 4");
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 9 && !p.values.edges && p.values.common.seed == 4);
    assert_true(p.values.common.ram_limit == (int64_t)3 << 29);
    assert_string_equal(p.values.note, "1,2,3");
    parse(&p, HARNESS_INSPECT, "data", "x --threads 2 y -- --z");
    assert_int_equal(p.status, AG_OK);
    assert_int_equal(p.values.common.data.count, 3);
    assert_string_equal(p.values.common.data.list[2], "--z");
}

static void sizes(void **state)
{
    static const char *const words[] = {"1048576", "1M", "1m", "1024K", "1MiB", "1MB"};
    for (int i = 0; i < 6; i++) {
        parse(&p, HARNESS_TRAIN, NULL, formatted("--ram-limit %s", words[i]));
        assert_int_equal(p.status, AG_OK);
        assert_true(p.values.common.ram_limit == 1 << 20);
    }
}

/* Mistakes of a user, and their sentences. */
static const char *const wrong[][2] = {
    {"--lerning-rate 1", "unknown option --lerning-rate; did you mean --learning-rate?"},
    {"--lerning_rate 1", "unknown option --lerning_rate; did you mean --learning-rate?"},
    {"--confg f", "unknown option --confg; did you mean --config?"},
    {"--elephants", "unknown option --elephants; \"demo train --help-all\" lists the options"},
    {"--", ""},
    {"--steps", "--steps needs a value: --steps N"},
    {"--steps --quiet", "--steps needs a value: --steps N"},
    {"--data", "--data needs a value: --data PATH..."},
    {"--steps 0", "--steps: 0 is out of range; it must be 1 to 1000000000"},
    {"--steps=-5", "--steps: -5 is out of range; it must be 1 to 1000000000"},
    {"--steps 99999999999999999999",
     "--steps: 99999999999999999999 is out of range; it must be 1 to 1000000000"},
    {"--steps 1e3", "--steps: \"1e3\" is not a whole number; it must be 1 to 1000000000"},
    {"--steps=", "--steps: \"\" is not a whole number; it must be 1 to 1000000000"},
    {"--steps| 5", "--steps: \" 5\" is not a whole number; it must be 1 to 1000000000"},
    {"--seed new", "--seed: \"new\" is not a whole number; it must be 0 or more"},
    {"--learning-rate fast",
     "--learning-rate: \"fast\" is not a finite number; it must be 1e-09 to 10"},
    {"--learning-rate nan",
     "--learning-rate: \"nan\" is not a finite number; it must be 1e-09 to 10"},
    {"--learning-rate 1e999",
     "--learning-rate: \"1e999\" is not a finite number; it must be 1e-09 to 10"},
    {"--learning-rate 11", "--learning-rate: 11 is out of range; it must be 1e-09 to 10"},
    {"--loss hing", "--loss: \"hing\" is not one of hinge|logistic|listmle; did you mean hinge?"},
    {"--loss squared",
     "--loss: \"squared\" is not one of hinge|logistic|listmle; give one of them"},
    {"--edges=maybe",
     "--edges: \"maybe\" is neither true nor false; write edges=true or edges=false"},
    {"--no-edges=1", "--no-edges takes no value; write --edges or --no-edges"},
    {"--no-steps",
     "--no-steps: only an option that is true or false has a --no- form; write --steps N"},
    {"--ram-limit 8X",
     "--ram-limit: \"8X\" is not a size; write bytes, or a number with K, M, G or T, as in 8G"},
    {"--ram-limit -8G",
     "--ram-limit: \"-8G\" is not a size; write bytes, or a number with K, M, G or T, as in 8G"},
    {"--ram-limit 1K", "--ram-limit: 1K is out of range; it must be 1M to 1T"},
    {"--ram-limit 9999999999T", "--ram-limit: 9999999999T is out of range; it must be 1M to 1T"},
    {"word", "unexpected word \"word\"; demo train takes only options, see \"demo train --help\""},
    {"-x",
     "unknown flag -x; options begin with two dashes: \"demo train --help-all\" lists the options"},
    {"-steps 3", "unknown flag -steps; did you mean --steps?"},
    {"--note|", "--note: the value is empty; give one or omit the option"},
    {"--data a\xff", "--data: the value is not UTF-8 text, which config.json cannot hold; rename "
                     "the file or folder"},
    {"--config", "--config needs a file: --config FILE.ini"},
    {"--config /nowhere/f.ini",
     "--config: /nowhere/f.ini cannot be opened: No such file or directory; check the path"},
    {"--seed -1", "--seed: -1 is out of range; it must be 0 or more"},
};

static void error_sentences(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parse(&p, HARNESS_TRAIN, NULL, wrong[i][0]);
        assert_string_equal(p.why.sentence, wrong[i][1]);
        assert_int_equal(p.status, p.why.status);
        if (*wrong[i][1])
            assert_int_equal(p.status, strstr(wrong[i][1], "opened") ? AG_EFILE : AG_EUSE);
    }
    parse(&p, HARNESS_EVAL, NULL, "--steps 3");
    assert_string_equal(p.why.sentence,
                        "--steps is not an option of demo eval (it belongs to train "
                        "and ablate); \"demo eval --help-all\" lists the options");
}

/* The list of words, which --help shows, is not a word. */
static void several_words(void **state)
{
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    assert_int_equal(harness_options_set(o, NULL, "loss", "hinge|logistic", new_failure()),
                     AG_EUSE);
    assert_string_equal(last_failure()->sentence, "--loss: \"hinge|logistic\" is not one of "
                                                  "hinge|logistic|listmle; give one of them");
    harness_options_free(o);
}

/* All that is missing is said at once. */
static void what_is_needed(void **state)
{
    static const struct {
        unsigned command;
        const char *words, *sentence;
    } lacking[] = {
        {HARNESS_TRAIN, "--data x", "--out RUN is missing; \"demo train --help\" has examples"},
        {HARNESS_TRAIN, "--out r", "--data PATH... is missing; \"demo train --help\" has examples"},
        {HARNESS_TRAIN, "",
         "--data PATH... and --out RUN are missing; \"demo train --help\" has examples"},
        {HARNESS_ABLATE, "--steps=3",
         "--data PATH..., --out RUN and --study FILE.ini are missing; \"demo ablate --help\" has "
         "examples"},
        {HARNESS_TRAIN, "--out r --data x", ""}};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        parse(&p, lacking[i].command, NULL, lacking[i].words);
        harness_options_complete(p.o, &p.why);
        assert_string_equal(p.why.sentence, lacking[i].sentence);
        assert_int_equal(p.why.status, *lacking[i].sentence ? AG_EUSE : AG_OK);
    }
}

static void a_copy_leaves_the_original(void **state)
{
    parsed a = {0};
    parse(&a, HARNESS_TRAIN, NULL, "--data x");
    harness_options *copy = harness_options_copy(a.o);
    const demo_options *values = harness_options_values(copy);
    expect_ok(harness_options_set(copy, NULL, "data", "y", new_failure()));
    expect_ok(harness_options_set(copy, NULL, "steps", "3", new_failure()));
    assert_int_equal(a.values.common.data.count, 1);
    assert_int_equal(values->common.data.count, 2);
    assert_true(a.values.steps == 100 && values->steps == 3);
    assert_string_equal(harness_option_text(copy, harness_option_find(&demo, "data")), "x y");
    harness_options_free(copy);
    parsed_free(&a);
}

/* All options of a command; the caller frees it. */
static char *help_of(const harness_program *program, unsigned command)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_options_help(to, program, command, true);
    fclose(to);
    return text;
}

static void help_is_80_wide(void **state)
{
    for (unsigned bit = HARNESS_TRAIN; bit <= HARNESS_ABLATE; bit *= 2) {
        char *text = help_of(&demo, bit);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(strlen(line) <= 80);
        free(text);
    }
}

static void rows_without_a_group_are_shown_as_others(void **state)
{
    static const harness_option rows[] = {
        {"edges", HARNESS_FIELD(demo_options, edges), .commands = HARNESS_TRAIN, .help = "one"},
        {"depth", HARNESS_FIELD(demo_options, depth), .commands = HARNESS_TRAIN, .help = "two"}};
    harness_program program = demo;
    program.options = rows;
    program.option_count = 2;
    char *text = help_of(&program, HARNESS_TRAIN);
    assert_non_null(strstr(text, "\nOther\n  --edges"));
    assert_non_null(strstr(text, "\n  --depth"));
    free(text);
}

static void help_names_defaults_and_ranges(void **state)
{
    static const char *const parts[] = {
        "\nTraining\n  --learning-rate X         step size after the warm-up (default 1e-3; 1e-09 "
        "to\n                            10)\n",
        "\n  --[no-]edges              pass messages along the edges (default on)\n",
        ": hinge logistic\n                            listmle (default hinge)\n", "(needed)"};
    char *text = help_of(&demo, HARNESS_TRAIN);
    for (int i = 0; i < 4; i++) assert_non_null(strstr(text, parts[i]));
    assert_null(strstr(text, "--study")); /* of ablate */
    free(text);
}

/* Half of a short word, or more than a third of a longer one, is another word. */
static void nearest_name(void **state)
{
    static const char *const names[] = {"steps", "seed", "learning-rate", "loss", "l2", "clip"};
    static const char *const cases[][2] = {
        {"stesp", "steps"}, {"sed", "seed"},  {"learnin-rat", "learning-rate"},
        {"clips", "clip"},  {"sede", "seed"}, {"", NULL},
        {"zzzzzz", NULL},   {"lr", NULL},     {"l", NULL},
        {"slid", NULL},     {"chips", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = harness_nearest(cases[i][0], names, 6);
        if (near != cases[i][1]) assert_string_equal(near, cases[i][1]);
    }
    assert_null(harness_nearest("q", names, 0));
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_null(harness_nearest(text, names, 6));
}

int main(void)
{
    return RUN_TESTS_WITH(
        NULL, drop, presets, damaged_presets, every_way_to_write_a_value, sizes, error_sentences,
        several_words, what_is_needed, a_copy_leaves_the_original, help_is_80_wide,
        rows_without_a_group_are_shown_as_others, help_names_defaults_and_ranges, nearest_name);
}
