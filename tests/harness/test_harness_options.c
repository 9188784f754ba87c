/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "support/harness_parsed.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void defaults(void **state)
{
    (void)state;
    parsed p;
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.learning_rate == 1e-3 && p.values.steps == 100 && p.values.edges);
    assert_true(p.values.loss == 0 && !p.values.note && p.values.common.data.count == 0);
    assert_true(p.values.common.ram_limit == (int64_t)4 << 30 && !p.values.common.quiet);
    assert_ptr_equal(harness_options_values(p.o), &p.values);
    harness_options_free(p.o);
}

/* A preset is applied at its place on the command line: it overrides earlier options, and later
   options override it. */
static void presets(void **state)
{
    (void)state;
    parsed p;
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--steps=7", "--size", "small", "--loss=logistic", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 5 && !p.values.edges && p.values.loss == 1);
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--set", "size=large", "--steps=7", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 7 && p.values.edges && p.values.loss == 2);
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--steps=7", "--size=large", NULL});
    assert_true(p.values.steps == 5000 && p.values.edges && p.values.loss == 2);
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--size", "smal", NULL});
    assert_int_equal(p.status, AG_EUSE);
    assert_non_null(strstr(p.why.sentence, "small"));
    harness_options_free(p.o);
}

/* A mistake in the text of a preset names its line. */
static void damaged_presets(void **state)
{
    (void)state;
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
        ag_failure why = {0};
        memcpy(table, demo_table, sizeof table);
        program.options = table;
        for (int k = 0; k < program.option_count; k++)
            if (table[k].presets) table[k].presets = bad[i].text;
        harness_options *o = harness_options_new(&program, HARNESS_TRAIN, &values);
        assert_int_equal(harness_options_set(o, "x", "size", "own", &why), AG_OK);
        assert_int_equal(harness_options_set(o, "x", "size", "small", &why), AG_EUSE);
        assert_non_null(strstr(why.sentence, bad[i].sentence));
        harness_options_free(o);
    }
}

static void every_way_to_write_a_value(void **state)
{
    (void)state;
    parsed p;
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--learning-rate", "0.5", "--steps=7", "--no-edges", "--loss=listmle",
                           "--data", "a", "b", "--data=c", "--quiet", "--note", NULL});
    assert_int_equal(p.status, AG_EUSE); /* --note without text */
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--learning_rate", "0.5", "--steps=7", "--no-edges", "--loss=listmle",
                           "--data", "a", "b", "--data=c", "--quiet", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.learning_rate == 0.5 && p.values.steps == 7 && !p.values.edges &&
                p.values.loss == 2);
    assert_true(p.values.common.quiet && p.values.common.data.count == 3);
    assert_string_equal(p.values.common.data.list[2], "c");
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--set", "steps=9", "note=1,2,3", "--edges=no", "--ram-limit", "1.5G",
                           "--set=seed=4", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 9 && !p.values.edges && p.values.common.seed == 4);
    assert_true(p.values.common.ram_limit == (int64_t)3 << 29);
    assert_string_equal(p.values.note, "1,2,3");
    harness_options_free(p.o);
    parse(&p, HARNESS_INSPECT, "data",
          (const char *[]){"x", "--threads", "2", "y", "--", "--z", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_int_equal(p.values.common.data.count, 3);
    assert_string_equal(p.values.common.data.list[2], "--z");
    harness_options_free(p.o);
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"1048576", 1 << 20},     {"2M", 2 << 20},          {"3m", 3 << 20},
                {"1024K", 1 << 20},       {"1T", (int64_t)1 << 40}, {"2GiB", (int64_t)2 << 30},
                {"2GB", (int64_t)2 << 30}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        parsed p;
        parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--ram-limit", good[i].text, NULL});
        assert_int_equal(p.status, AG_OK);
        assert_true(p.values.common.ram_limit == good[i].bytes);
        harness_options_free(p.o);
    }
}

/* Mistakes of a user, and their sentences. */
static const struct {
    unsigned command;
    const char *words[4], *sentence;
} wrong[] = {
    {HARNESS_TRAIN,
     {"--lerning-rate", "1"},
     "unknown option --lerning-rate; did you mean --learning-rate?"},
    {HARNESS_TRAIN,
     {"--lerning_rate", "1"},
     "unknown option --lerning_rate; did you mean --learning-rate?"},
    {HARNESS_TRAIN, {"--confg", "f"}, "unknown option --confg; did you mean --config?"},
    {HARNESS_TRAIN,
     {"--elephants"},
     "unknown option --elephants; \"demo train --help\" lists the options"},
    {HARNESS_TRAIN, {"--"}, NULL},
    {HARNESS_TRAIN, {"--steps"}, "--steps needs a value: --steps N"},
    {HARNESS_TRAIN, {"--steps", "--quiet"}, "--steps needs a value: --steps N"},
    {HARNESS_TRAIN, {"--data"}, "--data needs a value: --data PATH..."},
    {HARNESS_TRAIN, {"--steps", "0"}, "--steps: 0 is out of range; it must be 1 to 1000000000"},
    {HARNESS_TRAIN, {"--steps=-5"}, "--steps: -5 is out of range; it must be 1 to 1000000000"},
    {HARNESS_TRAIN,
     {"--steps", "99999999999999999999"},
     "--steps: 99999999999999999999 is out of range; it must be 1 to 1000000000"},
    {HARNESS_TRAIN,
     {"--steps", "1e3"},
     "--steps: \"1e3\" is not a whole number; give one from 1 to 1000000000"},
    {HARNESS_TRAIN,
     {"--steps="},
     "--steps: \"\" is not a whole number; give one from 1 to 1000000000"},
    {HARNESS_TRAIN,
     {"--steps", " 5"},
     "--steps: \" 5\" is not a whole number; give one from 1 to 1000000000"},
    {HARNESS_TRAIN,
     {"--learning-rate", "fast"},
     "--learning-rate: \"fast\" is not a finite number; give one from 1e-09 to 10"},
    {HARNESS_TRAIN,
     {"--learning-rate", "nan"},
     "--learning-rate: \"nan\" is not a finite number; give one from 1e-09 to 10"},
    {HARNESS_TRAIN,
     {"--learning-rate", "1e999"},
     "--learning-rate: \"1e999\" is not a finite number; give one from 1e-09 to 10"},
    {HARNESS_TRAIN,
     {"--learning-rate", "11"},
     "--learning-rate: 11 is out of range; it must be 1e-09 to 10"},
    {HARNESS_TRAIN,
     {"--loss", "hing"},
     "--loss: \"hing\" is not one of hinge|logistic|listmle; did you mean hinge?"},
    {HARNESS_TRAIN,
     {"--loss", "squared"},
     "--loss: \"squared\" is not one of hinge|logistic|listmle; give one of them"},
    {HARNESS_TRAIN,
     {"--edges=maybe"},
     "--edges: \"maybe\" is neither true nor false; write edges=true or edges=false"},
    {HARNESS_TRAIN, {"--no-edges=1"}, "--no-edges takes no value; write --edges or --no-edges"},
    {HARNESS_TRAIN,
     {"--no-steps"},
     "--no-steps: only an option that is true or false has a --no- form; write --steps N"},
    {HARNESS_TRAIN,
     {"--ram-limit", "8X"},
     "--ram-limit: \"8X\" is not a size; write bytes, or a number with K, M, G or T, as in 8G"},
    {HARNESS_TRAIN,
     {"--ram-limit", "-8G"},
     "--ram-limit: \"-8G\" is not a size; write bytes, or a number with K, M, G or T, as in 8G"},
    {HARNESS_TRAIN, {"--ram-limit", "1K"}, "--ram-limit: 1K is out of range; it must be 1M to 1T"},
    {HARNESS_TRAIN,
     {"--ram-limit", "9999999999T"},
     "--ram-limit: 9999999999T is out of range; it must be 1M to 1T"},
    {HARNESS_TRAIN, {"--set", "steps"}, "--set: \"steps\" is no pair; write --set key=value"},
    {HARNESS_TRAIN, {"--set"}, "--set needs a pair: --set key=value"},
    {HARNESS_TRAIN, {"--set", "step=3"}, "--set: unknown option step; did you mean steps?"},
    {HARNESS_TRAIN,
     {"--set", "steps=x"},
     "--set: steps: \"x\" is not a whole number; give one from 1 to 1000000000"},
    {HARNESS_EVAL,
     {"--steps", "3"},
     "--steps is no option of demo eval (it belongs to train and ablate); \"demo eval --help\" "
     "lists what is"},
    {HARNESS_TRAIN,
     {"word"},
     "unexpected word \"word\"; demo train takes options alone, see \"demo train --help\""},
    {HARNESS_TRAIN,
     {"-x"},
     "unknown flag -x; options begin with two dashes, see \"demo train --help\""},
    {HARNESS_TRAIN,
     {"--note", ""},
     "--note: the value is empty; give one or leave the option away"},
    {HARNESS_TRAIN,
     {"--data", "a\xff"},
     "--data: the value is not UTF-8 text, which config.json cannot hold; rename the file or "
     "folder"},
    {HARNESS_TRAIN, {"--config"}, "--config needs a file: --config FILE.ini"},
    {HARNESS_TRAIN,
     {"--config", "/nowhere/f.ini"},
     "--config: /nowhere/f.ini cannot be opened: No such file or directory; check the path"},
    {HARNESS_TRAIN, {"--seed", "-1"}, "--seed: -1 is out of range; it must be 0 or more"},
};

static void error_sentences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parsed p;
        parse(&p, wrong[i].command, NULL, wrong[i].words);
        assert_string_equal(p.why.sentence, wrong[i].sentence ? wrong[i].sentence : "");
        assert_int_equal(p.status, p.why.status);
        if (wrong[i].sentence)
            assert_int_equal(p.status, strstr(wrong[i].sentence, "opened") ? AG_EFILE : AG_EUSE);
        harness_options_free(p.o);
    }
}

static void what_is_needed(void **state)
{
    (void)state;
    parsed p;
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--data", "x", NULL});
    assert_int_equal(harness_options_complete(p.o, &p.why), AG_EUSE);
    assert_string_equal(p.why.sentence,
                        "demo train needs --out RUN; \"demo train --help\" lists the options");
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--out", "r", NULL});
    assert_int_equal(harness_options_complete(p.o, &p.why), AG_EUSE);
    assert_string_equal(p.why.sentence,
                        "demo train needs --data PATH...; \"demo train --help\" lists the options");
    harness_options_free(p.o);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--out", "r", "--data", "x", NULL});
    assert_int_equal(harness_options_complete(p.o, &p.why), AG_OK);
    harness_options_free(p.o);
}

static void a_copy_leaves_the_original(void **state)
{
    (void)state;
    parsed a;
    demo_options values;
    ag_failure why = {0};
    parse(&a, HARNESS_TRAIN, NULL, (const char *[]){"--data", "x", NULL});
    harness_options *copy = harness_options_copy(a.o, &values);
    assert_int_equal(harness_options_set(copy, NULL, "data", "y", &why), AG_OK);
    assert_int_equal(harness_options_set(copy, NULL, "steps", "3", &why), AG_OK);
    assert_int_equal(a.values.common.data.count, 1);
    assert_int_equal(values.common.data.count, 2);
    assert_true(a.values.steps == 100 && values.steps == 3);
    char *text = harness_option_text(copy, harness_option_find(&demo, "data"));
    assert_string_equal(text, "x y");
    harness_free(text);
    harness_options_free(copy);
    harness_options_free(a.o);
}

static void help_is_80_wide(void **state)
{
    (void)state;
    for (unsigned bit = HARNESS_TRAIN; bit <= HARNESS_ABLATE; bit *= 2) {
        char *text;
        size_t bytes;
        FILE *to = open_memstream(&text, &bytes);
        harness_options_help(to, &demo, bit);
        fclose(to);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(strlen(line) <= 80);
        free(text);
    }
}

static void help_names_defaults_and_ranges(void **state)
{
    (void)state;
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_options_help(to, &demo, HARNESS_TRAIN);
    fclose(to);
    assert_non_null(strstr(text, "\nTraining\n  --learning-rate X         step size after the "
                                 "warm-up (default 1e-3; 1e-09 to\n"
                                 "                            10)\n"));
    assert_non_null(
        strstr(text, "\n  --[no-]edges              pass messages along the edges (default on)\n"));
    assert_non_null(
        strstr(text, ": hinge logistic\n                            listmle (default hinge)\n"));
    assert_non_null(strstr(text, "(needed)"));
    assert_null(strstr(text, "--study")); /* of ablate */
    free(text);
}

static void nearest_name(void **state)
{
    (void)state;
    const char *const names[] = {"steps", "seed", "learning-rate", "loss"};
    assert_string_equal(harness_nearest("stesp", names, 4), "steps");
    assert_string_equal(harness_nearest("sed", names, 4), "seed");
    assert_string_equal(harness_nearest("learnin-rat", names, 4), "learning-rate");
    assert_null(harness_nearest("q", names, 0));
    assert_null(harness_nearest("", names, 4));
    assert_null(harness_nearest("zzzzzz", names, 4));
    /* half of a short word, or more than a third of a longer one, is another word */
    static const char *const close[] = {"l2", "clip", "seed"};
    assert_null(harness_nearest("lr", close, 3));
    assert_null(harness_nearest("l", close, 3));
    assert_null(harness_nearest("slid", close, 3));
    assert_null(harness_nearest("chips", close, 3));
    assert_string_equal(harness_nearest("clips", close, 3), "clip");
    assert_string_equal(harness_nearest("sede", close, 3), "seed");
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_null(harness_nearest(text, names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),        cmocka_unit_test(presets),
        cmocka_unit_test(damaged_presets), cmocka_unit_test(every_way_to_write_a_value),
        cmocka_unit_test(sizes),           cmocka_unit_test(error_sentences),
        cmocka_unit_test(what_is_needed),  cmocka_unit_test(a_copy_leaves_the_original),
        cmocka_unit_test(help_is_80_wide), cmocka_unit_test(help_names_defaults_and_ranges),
        cmocka_unit_test(nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
