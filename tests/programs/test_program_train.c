/* SPDX-License-Identifier: MIT */
/* train, for every model: the files of a run, runs in which nothing is held out, and weights that
   grow until a number is not finite. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define SMALL " --steps 20 --threads 1 --quiet"

/* A run that goes on without a word shows what it showed. */
static void files(void **state)
{
    program_pictures = 1;
    for (const program_model *m = program_models; m->name; m++) {
        const program_outcome o =
            program_train(m, m->name, SMALL " --eval-every 10 --no-baselines", 0);
        assert_string_equal(o.err, "");
        assert_non_null(strstr(o.out, m->program->model->held_out));
        program_expect_in("", "%s/best.safetensors", m->name);
        program_expect_in("", "%s/report.html", m->name);
        program_expect_in("step,loss,rate,norm,", "%s/metrics.csv", m->name);
        program_expect_in("\n20,", "%s/metrics.csv", m->name);
        const program_outcome again = program_expect_line(
            0, o.out, "", "%s train --out %s --resume --quiet", m->program->name, m->name);
        assert_string_equal(again.out, o.out);
        program_train(m, m->name, " --steps 20 --threads 2 --quiet --no-baselines --force", 0);
    }
    program_pictures = 0;
}

/* The scores that a run ends with are those that evaluation of its best checkpoint gives. */
static void scored_as_by_eval(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *more = " --steps 6 --eval-every 2 --no-baselines --json";
        const program_outcome o = program_train(m, formatted("%s-json", m->name), more, 0);
        json_t *trained = json_loads(o.out, 0, NULL);
        json_t *j = program_json(formatted("%s eval --run %s-json --data %s --no-baselines --json",
                                           m->program->name, m->name, m->data),
                                 "");
        const json_t *by_eval = json_object_get(j, "groups"),
                     *groups = json_object_get(trained, "groups");
        const size_t n = json_array_size(by_eval), before = json_array_size(groups) - n;
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++)
            assert_true(json_equal(json_array_get(by_eval, i), json_array_get(groups, before + i)));
        json_decref(j);
        json_decref(trained);
    }
}

/* A log has what is read and fitted, and ten steps at least; resumed, the same ones. */
static void logs(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *run = formatted("%s-log", m->name);
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
    for (const program_model *m = program_models; m->name; m++) {
        const char *run = formatted("%s-alone", m->name);
        program_expect_line(0, "nothing was held out", "", "%s train --out %s --data %s%s" SMALL,
                            m->program->name, run, program_model_first(m), program_model_sizes(m));
        program_expect_in("", "%s/best.safetensors", run);
        program_expect_in("", "%s/report.html", run);
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
        if (i < 2) /* their checkpoint has scores that are not finite, either */
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
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, files, scored_as_by_eval, logs,
                          nothing_held_out, not_finite);
}
