/* SPDX-License-Identifier: MIT */
/* The rows that say what noise leaves possible, next to the scores of every model: by the noise
   that manifest.json states for a file, or by two passes of measurements. */
#include "support/test.h"
#include "examples/tpgnn/program.h"
#include "support/program_models.h"
#include "support/tpgnn_npz.h"

#include <jansson.h>

enum { FILES_MODELS = 5 }; /* of the first ones; the others read schedules */

/* A measure of a method of the call, or -2: the method is not there. */
static double mean_of(const program_model *m, const char *data, const char *method,
                      const char *measure)
{
    const char *line = formatted("%s eval --json --run %s --data %s" PROGRAM_QUIET,
                                 m->program->name, m->name, data);
    json_t *j = program_json(line, "");
    const json_t *found = json_object_get(json_object_get(j, "mean"), method);
    const double mean = found ? json_number_value(json_object_get(found, measure)) : -2;
    json_decref(j);
    return mean;
}

/* Writes the manifest with two noises: of the file that m scores, and of all others. */
static void put_noise(const program_model *m, const char *its, const char *other)
{
    static const char *const file[] = {"a", "b", "c_1_0000000c", "h_1"};
    char text[800] = "{\"kind\": \"a test\", \"files\": {";
    for (int i = 0; i < 4; i++) {
        const size_t n = strlen(file[i]);
        const int is_its = !strncmp(m->data, file[i], n) && m->data[n] == '.';
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"%s\": {\"noise\": %s}",
                 i ? ", " : "", file[i], is_its ? its : other);
    }
    strcat(text, "}}");
    program_write_text("manifest.json", text);
}

static void noise_of_the_file(void **state)
{
    for (int i = 0; i < FILES_MODELS; i++) {
        const program_model *m = &program_models[i];
        assert_true(mean_of(m, m->data, "perfect ranker", "tau-b") == -2);
        put_noise(m, "1e-7", "9");
        assert_true(mean_of(m, m->data, "second measurement, within the call", "tau-b") > 0.9);
        assert_true(mean_of(m, m->data, "perfect ranker", "tau-b") > 0.9);
        put_noise(m, "9", "1e-7");
        assert_true(mean_of(m, m->data, "second measurement, within the call", "tau-b") < 0.9);
        put_noise(m, "0", "1e-7");
        assert_true(mean_of(m, m->data, "perfect ranker", "tau-b") == -2);
        program_write_text("manifest.json", "{}");
    }
    const program_model *m = program_models;
    put_noise(m, "0.01", "0.01");
    program_expect(
        "tgraph eval --run layout --data b.npz --no-baselines", 0,
        "\nsecond measurement, within the call: all items, measured once more within the same call",
        "");
}

/* Whatever else is called manifest.json states no noise. */
static void other_manifests(void **state)
{
    static const char *const text[] = {"",
                                       "{",
                                       "[]",
                                       "{\"files\": 3}",
                                       "{\"files\": {\"b\": []}}",
                                       "{\"files\": {\"b\": {\"noise\": \"0.1\"}}}",
                                       "{\"files\": {\"b\": {\"noise\": -0.1}}}",
                                       "{\"files\": {\"b\": {\"noise\": 1e300}}}"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        program_write_text("manifest.json", text[i]);
        assert_true(mean_of(program_models, "b.npz", "perfect ranker", "tau-b") == -2);
    }
}

static void two_passes(void **state)
{
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_write(&s, "passes.npz");
    for (int i = FILES_MODELS; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        if (m->program != &tpgnn_program_table) continue;
        assert_true(mean_of(m, "passes.npz", "second measurement, within the call", "pairwise") ==
                    1);
        assert_true(mean_of(m, "passes.npz", "perfect ranker", "R2") > 0.9);
        assert_true(mean_of(m, m->data, "second measurement, within the call", "pairwise") ==
                    -2); /* one pass */
    }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_train, test_folder_remove, noise_of_the_file,
                          other_manifests, two_passes);
}
