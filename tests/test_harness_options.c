/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/test_harness_demo.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ag_status nothing(harness_call *call, ag_failure *why)
{
    (void)call;
    return why->status;
}
static ag_status demo_train(harness_call *call, ag_failure *why) { return nothing(call, why); }
static ag_status demo_eval(harness_call *call, ag_failure *why) { return nothing(call, why); }

enum { MOST = 12 };

typedef struct parsed {
    demo_options values;
    harness_options *o;
    ag_failure why;
    ag_status status;
} parsed;

static void parse(parsed *p, unsigned command, const char *positional, const char *const *words)
{
    int argc = 0;
    char *argv[MOST];
    for (; words[argc]; argc++) argv[argc] = (char *)(uintptr_t)words[argc];
    memset(p, 0, sizeof *p);
    p->o = harness_options_new(&demo, command, &p->values);
    p->status = harness_options_argv(p->o, argc, argv, positional, &p->why);
}

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

/* What a user does wrong, and what is said. */
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

static ag_status read_ini(parsed *p, unsigned command, const char *text)
{
    memset(p, 0, sizeof *p);
    p->o = harness_options_new(&demo, command, &p->values);
    return p->status = harness_options_ini(p->o, "f.ini", text, strlen(text), &p->why);
}

static void config_files(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(
        read_ini(&p, HARNESS_TRAIN,
                 "\xEF\xBB\xBF; a comment\nsteps = 5 ; and why\r\n\n[Model]\nedges: no\n"
                 "  learning_rate = 0.25\ndata = a b\ndata = c"),
        AG_OK);
    assert_true(p.values.steps == 5 && !p.values.edges && p.values.learning_rate == 0.25);
    assert_int_equal(p.values.common.data.count, 2);
    assert_string_equal(p.values.common.data.list[0], "a b");
    harness_options_free(p.o);
    assert_int_equal(read_ini(&p, HARNESS_EVAL, "steps = 5\nnote = x"),
                     AG_OK); /* steps is of other commands */
    assert_true(p.values.steps == 100);
    assert_string_equal(p.values.note, "x");
    harness_options_free(p.o);
}

static void config_file_sentences(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"steps = 5\nstep = 6", "f.ini line 2: unknown option step; did you mean steps?"},
        {"elephants = 6",
         "f.ini line 1: unknown option elephants; \"demo train --help\" lists the options"},
        {"\n\nsteps = many",
         "f.ini line 3: steps: \"many\" is not a whole number; give one from 1 to 1000000000"},
        {"steps", "f.ini line 1: neither a [section] nor a pair; write key = value"},
        {"= 5", "f.ini line 1: no key in front of the \"=\"; write key = value"},
        {"[a\nsteps = 5", "f.ini line 1: the section has no closing bracket; write [name]"},
        {"note =", "f.ini line 1: note: the value is empty; give one or leave the option away"},
        {"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]",
         "f.ini line 1: the name of the section is longer than 49 characters; shorten it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p;
        assert_int_equal(read_ini(&p, HARNESS_TRAIN, cases[i][0]), AG_EUSE);
        assert_string_equal(p.why.sentence, cases[i][1]);
        harness_options_free(p.o);
    }
    char text[400] = "note = ";
    memset(text + 7, 'a', 300);
    parsed p;
    assert_int_equal(read_ini(&p, HARNESS_TRAIN, text), AG_EUSE);
    assert_string_equal(p.why.sentence,
                        "f.ini line 1: the line is longer than 197 characters; shorten it");
    harness_options_free(p.o);
    text[197] = 0;
    assert_int_equal(read_ini(&p, HARNESS_TRAIN, text), AG_OK); /* the longest */
    assert_int_equal(strlen(p.values.note), 190);
    harness_options_free(p.o);
    memset(&p, 0, sizeof p);
    p.o = harness_options_new(&demo, HARNESS_TRAIN, &p.values);
    assert_int_equal(harness_options_ini(p.o, "f.ini", "steps\0 = 4", 10, &p.why), AG_EUSE);
    assert_string_equal(p.why.sentence, "f.ini line 1: a zero byte; this is not a text file");
    harness_options_free(p.o);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Defaults, then config files in their order, then flags, wherever the file stands; a later layer
 * replaces paths. */
static void precedence(void **state)
{
    (void)state;
    char one[] = "/tmp/harness_one_XXXXXX", two[] = "/tmp/harness_two_XXXXXX";
    close(mkstemp(one));
    close(mkstemp(two));
    write_file(one,
               "steps = 5\nloss = logistic\nlearning-rate = 0.5\ndata = x\ndata = y\nvalid = v\n");
    write_file(two, "loss = listmle\nlearning-rate = 0.25\n");
    parsed p;
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--learning-rate", "0.125", "--data", "z", "--config", one, "--config",
                           two, "--set", "steps=6", "steps=7", NULL});
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 7 && p.values.loss == 2 && p.values.learning_rate == 0.125);
    assert_int_equal(p.values.common.data.count, 1);
    assert_string_equal(p.values.common.data.list[0], "z");
    assert_string_equal(p.values.common.valid.list[0], "v");
    harness_options_free(p.o);
    unlink(one);
    unlink(two);
    parse(&p, HARNESS_TRAIN, NULL, (const char *[]){"--config", "/", NULL});
    assert_int_equal(p.status, AG_EFILE);
    assert_string_equal(p.why.sentence,
                        "--config: / cannot be read: Is a directory; name a readable file");
    harness_options_free(p.o);
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

static void json_round_trip(void **state)
{
    (void)state;
    parsed p, back;
    parse(&p, HARNESS_TRAIN, NULL,
          (const char *[]){"--learning-rate", "0.1", "--steps=7", "--no-edges", "--loss=listmle",
                           "--data", "a", "\xC3\xA4", "--out", "r", NULL});
    json_t *json = harness_options_json(p.o);
    assert_null(json_object_get(json, "out")); /* local */
    char *text = json_dumps(json, JSON_REAL_PRECISION(17));
    json_decref(json);
    json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    for (int resume = 0; resume < 2; resume++) {
        parse(&back, HARNESS_TRAIN, NULL, (const char *[]){NULL});
        assert_int_equal(harness_options_from_json(back.o, json, "c.json", resume, &back.why),
                         AG_OK);
        assert_true(back.values.learning_rate == 0.1 && back.values.steps == 7 &&
                    back.values.loss == 2);
        assert_true(!back.values.edges && !back.values.note && !back.values.common.out);
        assert_int_equal(back.values.common.data.count, resume ? 2 : 0);
        if (resume) assert_string_equal(back.values.common.data.list[1], "\xC3\xA4");
        if (resume) assert_null(harness_options_differ(p.o, back.o));
        harness_options_free(back.o);
    }
    json_decref(json);
    free(text);
    harness_options_free(p.o);
}

static void json_sentences(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[1]", "c.json: \"options\" is no JSON object; this is not a config.json of demo"},
        {"{\"stepps\": 3}",
         "c.json: demo 1.2 has no option stepps; the run was made by another version"},
        {"{\"steps\": 3.5}", "c.json: steps has a JSON value of a kind that the option cannot "
                             "have; mend or delete the file"},
        {"{\"steps\": {}}", "c.json: steps has a JSON value of a kind that the option cannot have; "
                            "mend or delete the file"},
        {"{\"steps\": 0}", "c.json: steps: 0 is out of range; it must be 1 to 1000000000"},
        {"{\"data\": [\"a\", 1, []]}", "c.json: data has a JSON value of a kind that the option "
                                       "cannot have; mend or delete the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p;
        json_t *json = json_loads(cases[i][0], 0, NULL);
        parse(&p, HARNESS_TRAIN, NULL, (const char *[]){NULL});
        assert_int_equal(harness_options_from_json(p.o, json, "c.json", 1, &p.why), AG_EDATA);
        assert_string_equal(p.why.sentence, cases[i][1]);
        harness_options_free(p.o);
        json_decref(json);
    }
}

static void finds_what_differs(void **state)
{
    (void)state;
    parsed a, b;
    parse(&a, HARNESS_TRAIN, NULL, (const char *[]){"--steps", "5", NULL});
    parse(&b, HARNESS_TRAIN, NULL,
          (const char *[]){"--steps", "6", "--quiet", NULL}); /* both may change */
    assert_null(harness_options_differ(a.o, b.o));
    ag_failure why = {0};
    assert_int_equal(harness_options_set(b.o, NULL, "note", "x", &why), AG_OK);
    assert_string_equal(harness_options_differ(a.o, b.o)->name, "note");
    harness_options_free(a.o);
    harness_options_free(b.o);
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
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_null(harness_nearest(text, names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_way_to_write_a_value),
        cmocka_unit_test(sizes),
        cmocka_unit_test(error_sentences),
        cmocka_unit_test(config_files),
        cmocka_unit_test(config_file_sentences),
        cmocka_unit_test(precedence),
        cmocka_unit_test(what_is_needed),
        cmocka_unit_test(json_round_trip),
        cmocka_unit_test(json_sentences),
        cmocka_unit_test(finds_what_differs),
        cmocka_unit_test(a_copy_leaves_the_original),
        cmocka_unit_test(help_is_80_wide),
        cmocka_unit_test(help_names_defaults_and_ranges),
        cmocka_unit_test(nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
