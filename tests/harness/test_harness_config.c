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

/* Defaults, then config files in their order, then flags, wherever the file is on the command line;
   a later layer replaces paths. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_files),   cmocka_unit_test(config_file_sentences),
        cmocka_unit_test(precedence),     cmocka_unit_test(json_round_trip),
        cmocka_unit_test(json_sentences), cmocka_unit_test(finds_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
