/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "support/harness_parsed.h"
#include "support/files.h"

#include <jansson.h>

static parsed p;

static int drop(void **state)
{
    parsed_free(&p);
    return files_remove(state);
}

static ag_status read_ini(unsigned command, const char *text)
{
    parse(&p, command, NULL, "");
    return harness_options_ini(p.o, "f.ini", text, strlen(text), &p.why);
}

static void config_files(void **state)
{
    assert_int_equal(
        read_ini(HARNESS_TRAIN,
                 "\xEF\xBB\xBF; a comment\nsteps = 5 ; and why\r\n\n[a ; b]\nedges: no\n"
                 "  learning_rate = 0.25\n# no = 1 ; 2\n\t; 3 = 4\ndata = a b;c \ndata = c"),
        AG_OK);
    assert_true(p.values.steps == 5 && !p.values.edges && p.values.learning_rate == 0.25);
    assert_int_equal(p.values.common.data.count, 2);
    assert_string_equal(p.values.common.data.list[0], "a b;c");
    assert_int_equal(read_ini(HARNESS_EVAL, "steps = 5\nnote = x"),
                     AG_OK); /* steps is of other commands */
    assert_true(p.values.steps == 100);
    assert_string_equal(p.values.note, "x");
}

static void config_file_sentences(void **state)
{
    static const char *const cases[][2] = {
        {"steps = 5\nstep = 6", "f.ini line 2: unknown option step; did you mean steps?"},
        {"gpu = 1", "f.ini line 1: unknown option gpu; did you mean device = cuda?"},
        {"elephants = 6",
         "f.ini line 1: unknown option elephants; \"demo train --help-all\" lists the options"},
        {"\n\nsteps = many",
         "f.ini line 3: steps: \"many\" is not a whole number; it must be 1 to 1000000000"},
        {"steps", "f.ini line 1: neither a [section] nor a pair; write key = value"},
        {"= 5", "f.ini line 1: no key in front of the \"=\"; write key = value"},
        {"[a\nsteps = 5", "f.ini line 1: the section has no closing bracket; write [name]"},
        {"note =", "f.ini line 1: note: the value is empty; give one or omit the option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_ini(HARNESS_TRAIN, cases[i][0]), AG_EUSE);
        assert_string_equal(p.why.sentence, cases[i][1]);
    }
    parse(&p, HARNESS_TRAIN, NULL, "");
    assert_int_equal(harness_options_ini(p.o, "f.ini", "steps\0 = 4", 10, &p.why), AG_EUSE);
    assert_string_equal(p.why.sentence, "f.ini line 1: a zero byte; this is not a text file");
}

/* Defaults, then config files in their order, then flags, wherever the file is on the command line;
   a later layer replaces paths. */
static void precedence(void **state)
{
    static const char one[] =
        "steps = 5\nloss = logistic\nlearning-rate = 0.5\ndata = x\ndata = y\nvalid = v\n";
    static const char two[] = "loss = listmle\nlearning-rate = 0.25\n";
    files_put(files_path("one.ini"), one, sizeof one - 1);
    files_put(files_path("two.ini"), two, sizeof two - 1);
    const char *line =
        formatted("--learning-rate 0.125 --data z --config %s --config %s --steps=6 --steps 7",
                  files_path("one.ini"), files_path("two.ini"));
    parse(&p, HARNESS_TRAIN, NULL, line);
    assert_int_equal(p.status, AG_OK);
    assert_true(p.values.steps == 7 && p.values.loss == 2 && p.values.learning_rate == 0.125);
    assert_int_equal(p.values.common.data.count, 1);
    assert_string_equal(p.values.common.data.list[0], "z");
    assert_string_equal(p.values.common.valid.list[0], "v");
    parse(&p, HARNESS_TRAIN, NULL, "--config /");
    assert_int_equal(p.status, AG_EFILE);
    assert_string_equal(p.why.sentence,
                        "--config: / cannot be read: Is a directory; name a readable file");
}

static void json_round_trip(void **state)
{
    parsed back = {0};
    parse(&p, HARNESS_TRAIN, NULL,
          "--learning-rate 0.1 --steps=7 --no-edges --loss=listmle --data a \xC3\xA4 --out r");
    json_t *json = harness_options_json(p.o);
    assert_null(json_object_get(json, "out")); /* local */
    char *text = json_dumps(json, JSON_REAL_PRECISION(17));
    json_decref(json);
    json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    for (int resume = 0; resume < 2; resume++) {
        parse(&back, HARNESS_TRAIN, NULL, "");
        assert_int_equal(harness_options_from_json(back.o, json, "c.json", resume, &back.why),
                         AG_OK);
        assert_true(back.values.learning_rate == 0.1 && back.values.steps == 7 &&
                    back.values.loss == 2);
        assert_true(!back.values.edges && !back.values.note && !back.values.common.out);
        assert_int_equal(back.values.common.data.count, resume ? 2 : 0);
        if (resume) assert_string_equal(back.values.common.data.list[1], "\xC3\xA4");
        if (resume) assert_null(harness_options_differ(p.o, back.o, true));
        parsed_free(&back);
    }
    json_decref(json);
    free(text);
}

static void json_sentences(void **state)
{
    static const char *const cases[][2] = {
        {"[1]", "c.json: \"options\" is not a JSON object; this is not a config.json of demo"},
        {"{\"stepps\": 3}",
         "c.json: demo 1.2 has no option stepps; the run was made by another version"},
        {"{\"steps\": 3}", "c.json: the option data is missing, so the run was made by an older "
                           "version of demo; train it again"},
        {"{\"steps\": 3.5}", "c.json: steps has a JSON value of a kind that the option cannot "
                             "have; mend or delete the file"},
        {"{\"steps\": {}}", "c.json: steps has a JSON value of a kind that the option cannot have; "
                            "mend or delete the file"},
        {"{\"steps\": 0}", "c.json: steps: 0 is out of range; it must be 1 to 1000000000"},
        {"{\"data\": [\"a\", 1, []]}", "c.json: data has a JSON value of a kind that the option "
                                       "cannot have; mend or delete the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = json_loads(cases[i][0], 0, NULL);
        parse(&p, HARNESS_TRAIN, NULL, "");
        assert_int_equal(harness_options_from_json(p.o, json, "c.json", 1, &p.why), AG_EDATA);
        assert_string_equal(p.why.sentence, cases[i][1]);
        json_decref(json);
    }
}

/* An option that has no effect is refused where it was set, but not in a preset, nor with the value
   that it would have without: the preset's or the default. */
static void no_effect(void **state)
{
    static const struct {
        const char *args, *files, *sentence;
    } cases[] = {
        {"--depth=3", NULL, ""},
        {"--depth=3 --loss=logistic", NULL, ""},
        {"--no-edges --depth=3", "tile files", ""},
        {"--no-edges --depth=3", NULL, ""},
        {"--loss=listmle --depth=2", NULL, ""},
        {"--depth=3 --size=small", "layout files", ""},
        {"--depth=3 --loss=listmle", NULL, "--depth: 3"},
        {"--size=small --depth=3", "layout files", "--depth: 3"},
        {"--size=small --depth=2", "layout files", "--depth: 2"},
        {"--size=small --depth=4", "layout files", ""},
        {"--depth=2 --size=small", "layout files", ""},
        {"--depth=3 --depth=2 --loss=listmle", NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parse(&p, HARNESS_TRAIN, NULL, cases[i].args);
        assert_int_equal(p.status, AG_OK);
        char *want = harness_text("%s has no effect, since it needs --edges and "
                                  "--loss=hinge|logistic or no --edges and tile files; change "
                                  "that, or omit depth",
                                  cases[i].sentence);
        harness_options_act(p.o, cases[i].files, &p.why);
        assert_string_equal(p.why.sentence, *cases[i].sentence ? want : "");
        harness_free(want);
    }
    read_ini(HARNESS_TRAIN, "loss = listmle\ndepth = 3\n");
    assert_int_equal(harness_options_act(p.o, NULL, &p.why), AG_EUSE);
    assert_non_null(strstr(p.why.sentence, "f.ini line 2: depth: 3 has no effect"));
    json_t *stored = harness_options_json(p.o);
    parse(&p, HARNESS_TRAIN, NULL, "");
    assert_int_equal(harness_options_from_json(p.o, stored, "c.json", 1, &p.why), AG_OK);
    assert_int_equal(p.values.depth, 3);
    assert_int_equal(harness_options_act(p.o, NULL, &p.why), AG_OK);
    json_decref(stored);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, drop, no_effect, config_files, config_file_sentences,
                          precedence, json_round_trip, json_sentences);
}
