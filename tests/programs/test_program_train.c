/* SPDX-License-Identifier: MIT */
/* train, for every model: the files of a run, its results as JSON, runs in which nothing is held
   out, and weights that grow until a number is not finite. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define SMALL " --steps 20 --threads 1 --quiet"

static char *text_in(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return program_text_of(path);
}

static void files(void **state)
{
    program_pictures = 1;
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        const program_outcome o =
            program_train(m, m->name, SMALL " --eval-every 10 --no-baselines", 0);
        assert_string_equal(o.err, "");
        assert_non_null(strstr(o.out, m->program->model->held_out));
        free(text_in(m->name, "best.safetensors"));
        free(text_in(m->name, "report.html"));
        char *metrics = text_in(m->name, "metrics.csv");
        assert_int_equal(strncmp(metrics, "step,loss,rate,norm,", 20), 0);
        assert_non_null(strstr(metrics, "\n20,"));
        free(metrics);
        program_train(m, m->name, SMALL " --no-baselines --force", 0);
    }
    program_pictures = 0;
}

static void json(void **state)
{
    char line[600], err[200];
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        snprintf(line, sizeof line,
                 "%s train --out %s-json --json --threads 1 --steps 20 "
                 "--eval-every 10%s",
                 m->program->name, m->name, m->train);
        snprintf(err, sizeof err, "open %s-json/report.html", m->name);
        json_t *j = program_json(line, err);
        const double best = program_number(j, "best-step");
        snprintf(err, sizeof err, "%s-json", m->name);
        assert_string_equal(json_string_value(json_object_get(j, "run")), err);
        assert_true(program_number(j, "steps") == 20 && (best == 10 || best == 20));
        assert_in_range(program_number(j, "parameters"), 100, 100000);
        assert_true(json_object_size(json_object_get(j, "mean")) > 0);
        json_decref(j);
    }
}

/* A log has what is read and fitted, and ten steps at least; resumed, the same ones. */
static void logs(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        char run[64];
        snprintf(run, sizeof run, "%s-log", m->name);
        program_outcome o =
            program_train(m, run, " --steps 30 --eval-every 20 --threads 1 --no-baselines", 0);
        const char *read = strstr(o.err, ": read "), *step = strstr(o.err, ": step 3 of 30: loss ");
        assert_non_null(read);
        assert_true(step > read && !strstr(o.err, " left"));
        assert_int_equal(program_count(o.err, ": step "), 11); /* the tenths, and a validation */
        assert_int_equal(program_count(o.err, ": step 20 of 30: loss "), 1);
        o = program_expect_line(0, "", "", "%s eval --run %s --data %s --no-baselines",
                                m->program->name, run, m->data);
        assert_null(strstr(o.err, ": read ")); /* a single file is no news */
    }
}

static void nothing_held_out(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        char run[64];
        snprintf(run, sizeof run, "%s-alone", m->name);
        program_expect_line(0, "nothing was held out", "", "%s train --out %s --data %s%s" SMALL,
                            m->program->name, run, strrchr(program_model_first(m), '/') + 1,
                            program_model_sizes(m));
        free(text_in(run, "best.safetensors"));
        free(text_in(run, "report.html"));
    }
}

/* Weights that grow 99 times a step. */
static void not_finite(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        const char *const program = m->program->name;
        program_outcome o = program_train(
            m, "nan",
            " --force --learning-rate 10 --weight-decay 10 --schedule constant --warmup 0 --clip 1 "
            "--save-every 1 --steps 200 --eval-every 1000" PROGRAM_QUIET,
            4);
        assert_non_null(strstr(o.err, "--check-finite"));
        const int step = atoi(strstr(o.err, "step ") + 5);
        assert_true(step > 1 && step < 200);
        if (i < 2) /* whose checkpoint has scores that are not finite, either */
            program_expect_line(4, "", "score", "%s predict --run nan --checkpoint last --data %s",
                                program, m->data);
        /* the checkpoint is from before that step, and the op can be asked for */
        o = program_expect_line(4, "", "(op ", "%s train --resume --out nan --check-finite",
                                program);
        assert_int_equal(atoi(strstr(o.err, ": step ") + 7), step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(json),
                                       cmocka_unit_test(logs), cmocka_unit_test(nothing_held_out),
                                       cmocka_unit_test(not_finite)};
    return cmocka_run_group_tests(tests, program_models_make, test_folder_remove);
}
