/* SPDX-License-Identifier: MIT */
/* Studies, for every model: their table and runs, the same table from what is there already, and
   the sentences of studies that cannot be. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define QUIET " --threads 1 --quiet"

static void write_study(const program_model *m)
{
    program_write_text("study.ini",
                       formatted("[study]\ntitle = Parts\nseeds = 0,1\nsteps = 4\n[complete]\n"
                                 "[twin]\n[other one]\n%s = %s\n",
                                 m->option, m->value));
    program_write_text("plain.ini", "[x]\nsteps = 2\n");
    program_write_text("bad.ini", formatted("[study]\n[x]\n%s = none-such\n", m->option));
}

static void expect_table(const program_model *m, const char *line)
{
    const program_outcome o = program_expect(line, 0, "\nother one ", "");
    assert_non_null(strstr(o.out, "Parts"));
    assert_non_null(strstr(o.out, "\ntwin: has all scores of complete, "));
    program_expect_in("\nother one,1,,", "%s/study.csv", m->name);
    program_expect_in("\nother one & $", "%s/study.tex", m->name);
    program_expect_in("<td>other one</td><td class=\"n\">2</td>", "%s/study.html", m->name);
    program_expect_in("plot 'study-curves.tsv' index 0 ", "%s/plots/study-curves.gp", m->name);
    program_expect_in("\"peak MiB\": ", "%s/twin/seed-0/timing.jsonl", m->name);
    program_expect_in("", "%s/other-one/seed-1/report.html", m->name);
    const program_outcome again = program_expect(line, 0, "", ""); /* reads the existing runs */
    assert_string_equal(again.out, o.out);
}

static void expect_json(const char *line)
{
    const program_outcome o = program_expect_line(0, "", "", "%s --json", line);
    json_t *study = json_loads(o.out, 0, NULL), *value;
    const json_t *first = json_array_get(json_object_get(study, "measures"), 0),
                 *list = json_object_get(first, "variants"), *other = json_array_get(list, 2);
    static const char *const keys[] = {"mean", "spread", "difference", "low", "high"};
    assert_int_equal(json_array_size(list), 3);
    for (int i = 0; i < 5; i++) assert_true(json_is_number(json_object_get(other, keys[i])));
    /* six runs, with a row of means and more for the groups */
    assert_true(json_array_size(json_object_get(study, "runs")) >= 12);
    for (int i = 0; i < 2; i++) {
        value = json_array_get(json_object_get(json_array_get(list, (size_t)i), "equal"), 0);
        assert_string_equal(json_string_value(value), i ? "complete" : "twin");
    }
    json_decref(study);
}

static void studies(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        write_study(m);
        const char *line = formatted("%s ablate --study study.ini --out %s%s" QUIET,
                                     m->program->name, m->name, m->train);
        expect_table(m, line);
        expect_json(line);
    }
}

static void wrong_studies(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *const program = m->program->name;
        write_study(m);
        program_expect_line(2, "", "nothing is held out",
                            "%s ablate --study plain.ini --out x --data %s" QUIET, program,
                            program_model_first(m));
        program_expect_line(2, "", "bad.ini line 3: ", "%s ablate --study bad.ini --out x%s",
                            program, m->train);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, studies, wrong_studies);
}
