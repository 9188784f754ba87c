/* SPDX-License-Identifier: MIT */
/* The presets of all programs (studies/presets.ini): the words of --preset are the sections, and
   all options in them can be set. */
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const harness_option *find_presets(const harness_program *p)
{
    for (int i = 0; i < p->option_count; i++)
        if (p->options[i].presets) return &p->options[i];
    return NULL;
}

static void expect_preset(const harness_program *p, const harness_option *option, const char *name)
{
    ag_failure why = {0};
    void *values = harness_alloc(p->options_bytes);
    harness_options *o = harness_options_new(p, HARNESS_TRAIN, values);
    if (harness_options_set(o, "a test", option->name, name, &why)) fail_msg("%s", why.sentence);
    harness_options_free(o);
    harness_free(values);
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
    (void)state;
    assert_null(find_presets(&tgraph_program_table));
    assert_int_equal(expect_presets(&tpu_program_table, find_presets(&tpu_program_table)), 24);
    assert_int_equal(expect_presets(&tpgnn_program_table, find_presets(&tpgnn_program_table)), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_words_are_the_sections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
