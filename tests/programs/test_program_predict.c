/* SPDX-License-Identifier: MIT */
/* predict and the calls that cannot work, for every model: CSV and JSON hold the same scores, those
   of several runs are the mean, and how many are scored together does not matter. */
#include "support/test.h"
#include "examples/tpu/program.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <unistd.h>

#define SMALL " --steps 6 --eval-every 3" PROGRAM_QUIET
enum { MOST = 64 };

/* ---- scores ---- */

typedef struct scores {
    int count, times; /* times 1: with predicted run times */
    char group[MOST][64];
    int item[MOST];
    double score[MOST], predicted[MOST];
    long long measured[MOST];
} scores;

static scores first[PROGRAM_MODELS]; /* of the first run of each model */

static void read_json(scores *s, const char *text)
{
    json_t *list = json_loads(text, 0, NULL);
    s->count = 0;
    for (size_t g = 0; g < json_array_size(list); g++) {
        const json_t *group = json_array_get(list, g), *name = json_object_get(group, "group"),
                     *item = json_object_get(group, "items"),
                     *score = json_object_get(group, "scores"),
                     *ns = json_object_get(group, "predicted_ns"),
                     *measured = json_object_get(group, "measured_ns");
        s->times = ns != NULL;
        for (size_t k = 0; k < json_array_size(item); k++) {
            const int i = s->count++;
            assert_true(i < MOST);
            snprintf(s->group[i], sizeof s->group[i], "%s", json_string_value(name));
            s->item[i] = (int)json_integer_value(json_array_get(item, k));
            s->score[i] = json_number_value(json_array_get(score, k));
            s->predicted[i] = json_number_value(json_array_get(ns, k));
            s->measured[i] = json_integer_value(json_array_get(measured, k));
            assert_true(s->measured[i] > 0 && (!ns || s->predicted[i] > 0));
        }
    }
    json_decref(list);
    assert_true(s->count > 1);
}

static void predict(scores *s, const program_model *m, const char *more)
{
    const program_outcome o =
        program_expect_line(0, "", "", "%s predict --json --data %s --threads 1 --run %s-%s",
                            m->program->name, m->data, m->name, more);
    read_json(s, o.out);
}

static int make_files(void **state)
{
    if (program_models_make(state)) return -1;
    for (const program_model *m = program_models; m->name; m++) {
        /* Each piece has rows of its own; with --cross, scores do not allow pieces. */
        const char *more = strstr(m->train, "--no-cross") ? SMALL " --rows costs" : SMALL;
        program_train(m, formatted("%s-1", m->name), more, 0);
        program_train(m, formatted("%s-2", m->name), formatted("%s --seed 7", more), 0);
        predict(&first[m - program_models], m, "1");
    }
    return 0;
}

/* The largest difference; the items are the same. */
static double apart(const scores *a, const scores *b)
{
    double most = 0;
    assert_true(a->count <= b->count && a->times == b->times);
    for (int i = 0; i < a->count; i++) {
        assert_string_equal(a->group[i], b->group[i]);
        assert_true(a->item[i] == b->item[i] && a->measured[i] == b->measured[i]);
        most = fmax(most, fabs(a->score[i] - b->score[i]));
    }
    return most;
}

/* Scores that are run times have a geometric mean. */
static void mean_of(scores *mean, const scores *one, const scores *two)
{
    *mean = *one;
    for (int k = 0; k < one->count; k++) {
        const double a = one->score[k], b = two->score[k];
        mean->score[k] = one->times && a == one->predicted[k] ? sqrt(a * b) : (a + b) / 2;
    }
}

static void several_runs(void **state)
{
    static scores two, both, mean;
    for (const program_model *m = program_models; m->name; m++) {
        const scores *one = &first[m - program_models];
        predict(&two, m, "2");
        assert_true(apart(one, &two) > 1e-6);
        mean_of(&mean, one, &two);
        for (int k = 0; k < 2; k++) {
            predict(&both, m, formatted("1 %s %s-2", k ? "--run" : "--ensemble", m->name));
            assert_true(apart(&mean, &both) < 1e-6 * fmax(1, fabs(mean.score[0])));
        }
        program_expect_line(0, "2 runs", "",
                            "%s eval --run %s-1 --ensemble %s-2 --data %s --no-baselines",
                            m->program->name, m->name, m->name, m->data);
    }
}

/* In few pieces or in many, alone or before another file. */
static void in_pieces(void **state)
{
    static scores other;
    for (const program_model *m = program_models; m->name; m++) {
        const scores *one = &first[m - program_models];
        predict(&other, m, formatted("1 %s", m->pieces));
        assert_true(apart(one, &other) < 1e-5 * fmax(1, fabs(one->score[0])));
        const program_outcome o =
            program_expect_line(0, "", "", "%s predict --json --data %s %s --threads 1 --run %s-1",
                                m->program->name, m->data, program_model_first(m), m->name);
        read_json(&other, o.out);
        assert_true(other.count > one->count && apart(one, &other) == 0);
    }
}

static void as_csv(void **state)
{
    char want[8192];
    for (const program_model *m = program_models; m->name; m++) {
        const scores *s = &first[m - program_models];
        int n = sprintf(want, "group,item,score%s,measured_ns\n", s->times ? ",predicted_ns" : "");
        for (int k = 0; k < s->count; k++) {
            const char *ns = s->times ? formatted(",%.9g", s->predicted[k]) : "";
            n += sprintf(want + n, "\"%s\",%d,%.9g%s,%lld\n", s->group[k], s->item[k], s->score[k],
                         ns, s->measured[k]);
            if (m->program == &tpu_program_table)
                assert_true(!s->times || s->predicted[k] == s->score[k]);
        }
        program_outcome o = program_expect_line(0, "", "", "%s predict --run %s-1 --data %s",
                                                m->program->name, m->name, m->data);
        assert_string_equal(o.out, want);
        o = program_expect_line(0, "", "", "%s predict --run %s-1 --data %s --csv scores.csv",
                                m->program->name, m->name, m->data);
        assert_string_equal(o.out, "");
        char *text = program_text_of("scores.csv");
        assert_string_equal(text, want);
        free(text);
    }
}

/* ---- calls that cannot work ---- */

/* `this` is a run of the model, `other` one of another program. */
static const struct {
    const char *call, *data, *sentence; /* data NULL: the model's */
} wrong[] = {
    {"train --out x", "none.npz", "no such file or folder"},
    {"train --out x", "stderr", "stderr"},
    {"predict --run none", NULL, "none/config.json"},
    {"predict --run this --ensemble none", NULL, "none/"},
    {"predict --run other", NULL, "other/config.json"},
    {"predict --run this --ensemble other", NULL, "other/best.safetensors"},
};

static void name_run(const char *name, const program_model *m)
{
    const char *path = test_file(name);
    unlink(path);
    assert_int_equal(symlink(formatted("%s-1", m->name), path), 0);
}

static void wrong_calls(void **state)
{
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        name_run("this", m);
        name_run("other", &program_models[i == 5 || i == 6 ? 0 : 5]);
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
            program_expect_line(3, "", wrong[k].sentence, "%s %s --data %s", m->program->name,
                                wrong[k].call, wrong[k].data ? wrong[k].data : m->data);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, several_runs, in_pieces, as_csv,
                          wrong_calls);
}
