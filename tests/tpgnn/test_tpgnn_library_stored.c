/* SPDX-License-Identifier: MIT */
/* Checkpoints as the library for tuners reads and writes them: as the program does, without the
   program's table of options. */
#include "support/test.h"
#include "examples/tpgnn/shell.h"
#include "examples/tpgnn/tvm/library/handle.h"
#include "support/checkpoint_change.h"
#include "support/tpgnn_library.h"
#include "support/files.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- options ---- */

static int same_paper(const tpgnn_paper_options *a, const tpgnn_paper_options *b)
{
    return a->inputs == b->inputs && a->hidden == b->hidden && a->layers == b->layers &&
           a->conv == b->conv && a->pool == b->pool && a->ratio == b->ratio &&
           a->dropout == b->dropout;
}

/* Field by field: between them are bytes that have no value. */
static int same_options(const tpgnn_options *a, const tpgnn_options *b)
{
    return a->network == b->network && a->types == b->types && a->readout == b->readout &&
           a->rows == b->rows && a->hidden == b->hidden && a->layers == b->layers &&
           a->edges == b->edges && a->compact == b->compact && a->nest == b->nest &&
           a->log_features == b->log_features && a->dropout == b->dropout &&
           same_paper(&a->paper, &b->paper) && memcmp(a->words, b->words, sizeof a->words) == 0;
}

static void expect_same(const char *option, const char *value)
{
    tpgnn_settings settings;
    ag_failure why = {0};
    tpgnn_options have = {0};
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &settings);
    if (harness_options_set(o, "test", option, value, &why)) fail_msg("%s", why.sentence);
    json_t *json = harness_options_json(o);
    if (tpgnn_stored_options(&have, json, "test", &why)) fail_msg("%s", why.sentence);
    const tpgnn_options want = tpgnn_settings_model(&settings);
    if (!same_options(&have, &want)) fail_msg("--%s %s is read otherwise", option, value);
    json_decref(json);
    harness_options_free(o);
}

/* Every word and some number of every option of the program that says how its model is made. */
static void options_are_the_programs(void **state)
{
    int options = 0;
    for (int i = 0; i < tpgnn_program_table.option_count; i++) {
        const harness_option *o = &tpgnn_program_table.options[i];
        if (!o->group || strcmp(o->group, "Model") || !strcmp(o->name, "preset")) continue;
        if (!o->fallback) continue; /* --vectors: a file, of which the model has the contents */
        options++;
        if (!o->choices) {
            const int flag = !strcmp(o->fallback, "true") || !strcmp(o->fallback, "false");
            const int fraction = strchr(o->fallback, '.') != NULL;
            expect_same(o->name, o->fallback);
            expect_same(o->name, flag ? "false" : fraction ? "0.25" : "7");
            continue;
        }
        char words[200], *at = words, *word;
        snprintf(words, sizeof words, "%s", o->choices);
        while ((word = strsep(&at, "|"))) expect_same(o->name, word);
    }
    assert_int_equal(options, 14);
}

/* ---- files ---- */

static const char *changed(const char *key, const char *text)
{
    const char *path = formatted("%s/changed.safetensors", test_folder);
    checkpoint_change(path, test_file("library.safetensors"), key, text, NULL, NULL);
    return path;
}

#define MADE(NETWORK, HIDDEN, NEST)                                                 \
 "{\"network\": \"" NETWORK                                                         \
 "\", \"types\": \"table\", \"readout\": \"sum\", \"edges\": \"both\", "            \
 "\"conv\": \"graph\", \"pool\": \"topk\", \"hidden\": " HIDDEN ", \"layers\": 2, " \
 "\"compact\": true, \"nest\": " NEST                                               \
 ", \"log-features\": true, \"dropout\": 0.1, \"ratio\": 0.8}"

static void damaged_texts(void **state)
{
    static const struct {
        const char *key, *text, *sentence;
    } bad[] = {
        {"configuration", NULL, "\"configuration\" does not say how the model is made (NULL root"},
        {"configuration", "{", "does not say how the model is made"},
        {"configuration", "[1]", "does not say how the model is made (Expected object"},
        {"configuration", "{}",
         "does not say how the model is made (Object item not found: network)"},
        {"configuration", MADE("stores", "16", "false"), "\"network\" must be statements|paper"},
        {"configuration", MADE("", "16", "false"), "\"network\" must be statements|paper"},
        {"configuration", MADE("paper", "16.5", "false"), "(Expected integer, got real)"},
        {"configuration", MADE("paper", "16", "0"), "(Expected true or false, got integer)"},
        {"configuration", MADE("paper", "-1", "false"), "--hidden is -1; it must be 4 to 4096"},
        {"configuration", MADE("statements", "20", "false"), "changed.safetensors"},
        {"data", NULL, "version 1 of the columns of loop nests, but this program has version 2"},
        {"data", "{\"columns\": 3}", "version 3 of the columns of loop nests"},
        {"vocabulary", NULL, "the vocabulary's \"type\" must be a list"},
    };
    augur_tpgnn *good = augur_tpgnn_open(changed("none", NULL), 1);
    assert_non_null(good);
    augur_tpgnn_close(good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        test_library_refuses(changed(bad[i].key, bad[i].text), 1, bad[i].sentence);
}

/* Written at once, a checkpoint has the bytes that were read. */
static void saved_bytes(void **state)
{
    static const char *const names[] = {"library.safetensors", "paper.safetensors",
                                        "rows.safetensors"};
    for (int i = 0; i < 3; i++) {
        size_t n[2];
        augur_tpgnn *m = test_library_open(names[i]);
        char *before = files_get(test_file(names[i]), &n[0]);
        assert_int_equal(augur_tpgnn_save(m, test_file("again.safetensors")), 0);
        char *after = files_get(test_file("again.safetensors"), &n[1]);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(before, after, n[0]);
        free(before);
        free(after);
        augur_tpgnn_close(m);
    }
}

/* Of a run folder the best checkpoint is taken, else the last. */
static void run_folders(void **state)
{
    char best[700], last[700], long_path[5000];
    const char *folder = test_file("run");
    snprintf(best, sizeof best, "%s/best.safetensors", folder);
    snprintf(last, sizeof last, "%s/last.safetensors", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    test_library_refuses(folder, 1, "last.safetensors");
    assert_int_equal(link(test_file("library.safetensors"), last), 0);
    augur_tpgnn_close(test_library_open("run"));
    assert_int_equal(files_put(best, "damage", 6), 0);
    test_library_refuses(folder, 1, "best.safetensors");
    unlink(best);
    unlink(last);
    rmdir(folder);
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    test_library_refuses(long_path, 1, "the path is longer than 4095 bytes");
}

int main(void)
{
    return RUN_TESTS_WITH(test_library_set_up, test_folder_remove, options_are_the_programs,
                          damaged_texts, saved_bytes, run_folders);
}
