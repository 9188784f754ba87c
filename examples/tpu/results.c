/* SPDX-License-Identifier: MIT */
#include "examples/tpu/results.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

int tpu_measure_count(tpu_task task)
{
    int n = 0;
    while (n < TPU_MEASURES && tpu_measure_name(task, (tpu_measure)n)) n++;
    return n;
}

static double *add_method(tpu_results *r, const char *name)
{
    const size_t n = (size_t)tpu_scores(r->data);
    double *score = harness_alloc(n * sizeof *score + 1);
    r->name[r->methods] = name;
    r->score[r->methods++] = score;
    return score;
}

/* A kernel continues the group before it when both are of one program in a fusion file. */
static int continues(const tpu_data *data, int k)
{
    return k && data->task == TPU_FUSION && data->kernel[k].program == data->kernel[k - 1].program;
}

static void list_groups(tpu_results *r)
{
    const tpu_data *d = r->data;
    const size_t scores = (size_t)tpu_scores(d) + 1, kernels = (size_t)d->kernels + 1;
    int64_t n = 0;
    r->group = harness_alloc(kernels * sizeof *r->group);
    r->first = harness_alloc(kernels * sizeof *r->first);
    r->number = harness_alloc(scores * sizeof *r->number);
    r->actual = harness_alloc(scores * sizeof *r->actual);
    for (int i = 0; i < d->kernels; i++) {
        const tpu_kernel *k = &d->kernel[i];
        if (!continues(d, i)) r->group[r->groups++] = k->name;
        for (int c = 0; c < k->configs; c++, n++) {
            r->number[n] = d->task == TPU_FUSION ? k->number : c;
            r->actual[n] = k->runtime ? k->runtime[c] : 0;
        }
        r->first[r->groups] = n;
    }
}

void tpu_results_open(tpu_results *r, const tpu_files *files, int64_t least)
{
    const tpu_data *data = &files->scored;
    const size_t kernels = (size_t)data->kernels;
    *r = (tpu_results){.data = data, .train = &files->train, .least = least};
    list_groups(r);
    r->kernel = harness_alloc(kernels * sizeof *r->kernel + 1);
    r->at = harness_alloc(kernels * sizeof *r->at + 1);
    for (int i = 0; i < data->kernels; i++) r->kernel[i] = &data->kernel[i];
    add_method(r, "TPU model");
}

void tpu_results_close(tpu_results *r)
{
    for (int i = 0; i < r->methods; i++) {
        harness_free(r->score[i]);
        harness_free(r->note[i]);
    }
    harness_free(r->group);
    harness_free(r->first);
    harness_free(r->number);
    harness_free(r->actual);
    harness_free(r->kernel);
    harness_free(r->at);
    harness_free(r->grade);
    *r = (tpu_results){0};
}

ag_status tpu_results_add(tpu_results *r, const tpu_scorer *scorer, int models, ag_failure *why)
{
    if (tpu_score(scorer, r->score[0], r->data, 1.0 / models, why)) return why->status;
    if (++r->models == models && r->data->task == TPU_FUSION)
        for (int64_t i = 0; i < tpu_scores(r->data); i++)
            r->score[0][i] = tpu_nanoseconds(r->score[0][i]);
    return AG_OK;
}

/* ---- baselines ---- */

static int interrupted(void *context, const char *label, double done)
{
    (void)context, (void)label, (void)done;
    return harness_interrupted();
}

static ag_status predict_all(double *score, tpu_baseline *b, const tpu_data *data, ag_failure *why)
{
    for (int i = 0; i < data->kernels && !why->status; i++) {
        tpu_baseline_predict(score, b, &data->kernel[i], why);
        score += data->kernel[i].configs;
    }
    return why->status;
}

static ag_status add_baseline(tpu_results *r, tpu_baseline_kind kind, const tpu_data *train,
                              const tpu_kernel *const *kernel, ag_failure *why)
{
    tpu_baseline_options options = tpu_baseline_defaults();
    ag_failure mine = {0};
    char text[400];
    options.trees.progress = interrupted;
    tpu_baseline *b = tpu_baseline_fit(kind, train->task, kernel, train->kernels, &options, &mine);
    if (!b && harness_interrupted()) return AG_OK;
    if (!b && mine.status == AG_EMEMORY) return ag_fail(why, mine.status, "%s", mine.sentence);
    if (!b) {
        harness_warn("no %s to compare with: %s", tpu_baseline_name(kind), mine.sentence);
        return AG_OK;
    }
    const int method = r->methods;
    predict_all(add_method(r, tpu_baseline_name(kind)), b, r->data, why);
    tpu_baseline_print(text, sizeof text, b);
    r->note[method] = harness_copy(text);
    tpu_baseline_free(b);
    return why->status;
}

ag_status tpu_results_baselines(tpu_results *r, ag_failure *why)
{
    const tpu_data *train = r->train;
    if (!train->kernels) return AG_OK;
    const tpu_kernel **kernel = harness_alloc((size_t)train->kernels * sizeof *kernel + 1);
    for (int i = 0; i < train->kernels; i++) kernel[i] = &train->kernel[i];
    for (int kind = 0; kind < TPU_BASELINES && !why->status && !harness_interrupted(); kind++)
        add_baseline(r, (tpu_baseline_kind)kind, train, kernel, why);
    harness_free(kernel);
    return why->status;
}

/* ---- grades ---- */

ag_status tpu_results_grade(tpu_results *r, ag_failure *why)
{
    const tpu_data *d = r->data;
    const size_t programs = (size_t)d->programs;
    harness_free(r->grade);
    r->grade = harness_alloc((size_t)r->methods * programs * sizeof *r->grade + 1);
    for (int m = 0; m < r->methods && !why->status; m++) {
        const double *score = r->score[m];
        for (int i = 0; i < d->kernels; i++) {
            r->at[i] = score;
            score += d->kernel[i].configs;
        }
        tpu_grade_programs(r->grade + (size_t)m * programs, d->programs, d->task, r->kernel, r->at,
                           d->kernels, r->least, why);
    }
    return why->status;
}

tpu_grades tpu_results_mean(const tpu_results *r, int method)
{
    tpu_grades mean;
    const tpu_grade *grade = r->grade + (size_t)method * (size_t)r->data->programs;
    for (int i = 0; i < TPU_MEASURES; i++) {
        const tpu_summary s = tpu_summarise(grade, r->data->programs, (tpu_measure)i);
        mean.of[i] = s.mean;
        mean.median[i] = s.median;
    }
    return mean;
}

/* The roofline's columns are next to the model's, as the analytical model's are in the paper's
   Table 2. */
static tpu_comparison compare(const tpu_results *r)
{
    const char *roofline = tpu_baseline_name(TPU_BASELINE_ROOFLINE);
    int beside = 0;
    for (int m = 1; m < r->methods; m++)
        if (strcmp(r->name[m], roofline) == 0) beside = m;
    return (tpu_comparison){.task = r->data->task,
                            .methods = r->methods,
                            .programs = r->data->programs,
                            .method = r->name,
                            .program = (const char *const *)r->data->program,
                            .grade = r->grade,
                            .beside = beside};
}

int tpu_results_tables(harness_table *table[HARNESS_TABLES], const tpu_results *r,
                       const char *title)
{
    const tpu_comparison c = compare(r);
    const int fusion = c.task == TPU_FUSION;
    char *counted = harness_text("; kernels of at least %.10g us", (double)r->least / 1000);
    char *first = harness_text("%s%s", title, fusion ? counted : "");
    char *second = harness_text("Over the programs%s", fusion ? counted : "");
    int n = 0;
    table[n++] = tpu_comparison_table(first, &c);
    table[n++] = tpu_methods_table(second, &c, 0);
    if (fusion) table[n++] = tpu_methods_table("Over the programs; all kernels", &c, 1);
    harness_free(counted);
    harness_free(first);
    harness_free(second);
    return n;
}

json_t *tpu_results_json(const tpu_results *r)
{
    const tpu_comparison c = compare(r);
    return tpu_comparison_json(&c);
}
