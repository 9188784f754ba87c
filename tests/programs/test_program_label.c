/* SPDX-License-Identifier: MIT */
/* The name of a model in tables, JSON and pages: a paper's network has that of the paper, with the
   word of --rows where it reads rows, and the network of statements its own. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define STEPS  " --steps 2" PROGRAM_QUIET
#define LAYOUT "tgraph train --data a.npz b.npz --split 0.8 --hidden 16 --configs 6" STEPS
#define FUSION \
 "tpu train --data f_0.npz g_0.npz --valid h_1.npz --hidden 16 --embedding 8 --kernels 3" STEPS
#define TREES                                                                          \
 "tpgnn train --data s_1.npz s_2.npz --valid s_3.npz --hidden 8 --layers 1 --tasks 2 " \
 "--schedules 3" STEPS

static const struct {
    const char *train, *label, *title, *data;
} runs[] = {
    {LAYOUT, "TGraph", "TGraph (layout), 2 files", "b.npz"},
    {LAYOUT " --rows costs", "TGraph with rows (costs)",
     "TGraph with rows (costs) (layout), 2 files", "b.npz"},
    {FUSION, "TPU model", "TPU model (fusion), 12 kernels", "h_1.npz"},
    {FUSION " --rows costs", "TPU model with rows (costs)",
     "TPU model with rows (costs) (fusion), 12 kernels", "h_1.npz"},
    {TREES, "TPGNN", "TPGNN, 4 schedules of 2 tasks", "s_3.npz"},
    {TREES " --rows costs", "TPGNN with rows (costs)",
     "TPGNN with rows (costs), 4 schedules of 2 tasks", "s_3.npz"},
    {TREES " --preset statements", "network of statements",
     "network of statements, 4 schedules of 2 tasks", "s_3.npz"},
    {TREES " --preset statements --rows costs", "network of statements with rows (costs)",
     "network of statements with rows (costs), 4 schedules of 2 tasks", "s_3.npz"},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* Fails the test unless the table of methods has a row of the label with `more`, as long as its
   head. */
static void expect_row(const char *table, const char *label, const char *more)
{
    const char *head = strstr(table, "\nmethod "),
               *row = strstr(table, formatted("\n%s%s ", label, more));
    if (!head || !row) fail_msg("no row of %s%s in %s", label, more, table);
    assert_int_equal(strcspn(head + 1, "\n"), strcspn(row + 1, "\n"));
}

static void expect_means(const char *eval, const char *label)
{
    json_t *j = program_json(eval, "");
    const json_t *mean = json_object_get(j, "mean"),
                 *group = json_array_get(json_object_get(j, "groups"), 0);
    if (!json_object_get(mean, label) || !json_object_get(group, label))
        fail_msg("%s: there is no %s", eval, label);
    assert_string_equal(json_object_iter_key(json_object_iter((json_t *)(uintptr_t)mean)), label);
    json_decref(j);
}

static void trained(void **state)
{
    for (int i = 0; i < RUNS; i++) {
        const program_outcome o =
            program_expect_line(0, "", "", "%s --out run%d", runs[i].train, i);
        expect_row(o.out, runs[i].label, "");
        program_expect_in(formatted("<h1>%s: 2 steps</h1>", runs[i].title), "run%d/report.html", i);
        program_expect_in(runs[i].label, "run%d/plots/methods.tsv", i);
        assert_int_equal(strstr(o.out, "calibrated") != NULL, i < 2);
        if (i < 2) expect_row(o.out, runs[i].label, ", calibrated");
    }
}

/* A mean of scores has the name of its models, unless they differ. */
static void evaluated(void **state)
{
    for (int i = 0; i < RUNS; i++)
        for (int more = 0; more < 3; more++) {
            char eval[300];
            snprintf(eval, sizeof eval, "%.*s eval --run run%d --data %s --json" PROGRAM_QUIET,
                     (int)strcspn(runs[i].train, " "), runs[i].train, i, runs[i].data);
            if (more) strcat(eval, formatted(" --ensemble run%d", more == 1 ? i : i ^ 1));
            expect_means(eval, more == 2 ? "several models" : runs[i].label);
        }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, trained, evaluated);
}
