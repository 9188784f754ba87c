/* SPDX-License-Identifier: MIT */
/* How a study is read, and the sentences about one that cannot be. */
#include "support/test.h"
#include "support/study_demo.h"

static void parses(void **state)
{
    assert_int_equal(parse(study_text), AG_OK);
    assert_string_equal(s.title, "What edges are worth");
    assert_memory_equal(s.seeds, ((int64_t[]){1, 3, 4}), 3 * sizeof(int64_t));
    assert_string_equal(s.variants[0].name, "complete");
    assert_null(s.variants[0].overrides);
    assert_string_equal(s.variants[1].folder, "no-edges");
    assert_string_equal(s.variants[1].overrides[1].value, "6");
    assert_string_equal(s.variants[1].where, "s.ini line 7");
    assert_string_equal(s.common[0].name, "steps");
}

static const char *refused(const char *text, const char *files)
{
    if (!parse(text)) harness_study_act(&s, o, files, new_failure());
    harness_study_free(&s);
    return last_failure()->sentence;
}

static void sentences(void **state)
{
    const char *const cases[][2] = {
        {"", "s.ini has no variant; add a section, as in [no edges] and edges = false"},
        {"[study]\nseeds = 1\n",
         "s.ini has no variant; add a section, as in [no edges] and edges = false"},
        {"[a]\nedgs = no", "s.ini line 2: unknown option edgs; did you mean edges?"},
        {"[a]\nedges = perhaps", "s.ini line 2: edges: \"perhaps\" is neither true nor false; "
                                 "write edges=true or edges=false"},
        {"edges = no\n[a]",
         "s.ini line 1: edges stands in front of all sections; put it under [study] or a variant"},
        {"[a]\n[b]\n[a]", "s.ini line 3: the variant [a] has the same folder name as [a] in s.ini "
                          "line 1; rename one"},
        {"[a b]\n[a-b]", "s.ini line 2: the variant [a-b] has the same folder name as [a b] in "
                         "s.ini line 1; rename one"},
        {"[a]\n[plots]", "s.ini line 2: the study itself makes plots; rename the variant [plots]"},
        {"[study.csv]",
         "s.ini line 1: the study itself makes study.csv; rename the variant [study.csv]"},
        {"[]", "s.ini line 1: the variant has no name; write [name]"},
        {"[study]\n[a]\n[study]", "s.ini line 3: a second [study]; put all of it into the first"},
        {"[study]\nseeds = one\n[a]",
         "s.ini line 2: seeds: \"one\" is not a list of different seeds; "
         "write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 3..1\n[a]", "s.ini line 2: seeds: \"3..1\" is not a list of different "
                                       "seeds; write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 0..9223372036854775807\n[a]",
         "s.ini line 2: seeds: \"0..9223372036854775807\" is not a list of different seeds; write "
         "0,1,2 or 0..2, at most 1000 of them, once"},
        {"[study]\nseeds = 1,1\n[a]",
         "s.ini line 2: seeds: \"1,1\" is not a list of different seeds; "
         "write 0,1,2 or 0..2, at most 1000 of them, once"},
        {"[a]\nseed = 4",
         "s.ini line 2: seed: a study has its seeds in [study]; write seeds = 4 there"},
        {"[a]\nout = x",
         "s.ini line 2: out belongs to the call and not to the study; give it as a flag"},
        {"[a]\nnote = x",
         "s.ini line 2: note is not an option of demo ablate (it belongs to train and "
         "eval); \"demo ablate --help-all\" lists the options"},
        {"[a\xff]", "s.ini line 1: the name of the variant is not UTF-8 text; write it again"},
        {formatted("[%0201d]", 0),
         "s.ini line 1: the name of the variant is longer than 200 characters; shorten it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(refused(cases[i][0], NULL), cases[i][1]);
        assert_int_equal(last_failure()->status, AG_EUSE);
    }
    assert_int_equal(harness_study_load(&s, "/nowhere/s.ini", o, new_failure()), AG_EFILE);
    assert_string_equal(
        last_failure()->sentence,
        "--study: /nowhere/s.ini cannot be opened: No such file or directory; check the path");
}

/* An option of a variant has an effect in it, one of the call or of [study] in some variant. */
static void no_effect(void **state)
{
#define NEEDS                                                                               \
 ", since it needs --edges and --loss=hinge|logistic or no --edges and tile files; change " \
 "that, or omit depth"
    assert_string_equal(refused("[a]\ndepth = 3\n[b]\nloss = listmle\ndepth = 4", NULL),
                        "s.ini line 5: depth: 4 has no effect" NEEDS);
    assert_string_equal(refused("[study]\ndepth = 3\n[a]\n[b]\nloss = listmle", NULL), "");
    assert_string_equal(refused("[a]\nsize = small", "layout files"), "");
    const char *none = "[study]\nloss = listmle\n[a]\n[b]\nsteps = 3";
    assert_string_equal(refused(none, NULL), "");
    expect_ok(harness_options_set(o, NULL, "depth", "3", new_failure()));
    assert_string_equal(refused(none, NULL), "--depth: 3 has no effect in any variant" NEEDS);
    assert_string_equal(refused("[a]\n[b]\nedges = false", "layout files"), "");
}

static void takes_the_largest_seed(void **state)
{
    const char *text = "[study]\nseeds = 9223372036854775807\n[a]";
    assert_int_equal(parse(text), AG_OK);
    assert_true(s.seeds[0] == INT64_MAX);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, parses, sentences, no_effect, takes_the_largest_seed);
}
