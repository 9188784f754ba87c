/* SPDX-License-Identifier: MIT */
/* The parts that files of all kinds have: the graph's arrays, the program's text, facts of the
   measurement. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/program/features.h"
#include "examples/lab/measure/noise.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <math.h>

lab_sheet lab_sheet_new(const lab_collection *c, lab_configs configs, int most)
{
    return (lab_sheet){.configs = configs,
                       .timing = harness_alloc(((size_t)most + 1) * sizeof(lab_timing)),
                       .before = c->meter.counts};
}

void lab_sheet_clear(lab_sheet *x)
{
    lab_run_free(x->configs.run);
    harness_free(x->timing);
}

ag_status lab_sheet_more(lab_collection *c, lab_sheet *x, int left, ag_failure *why)
{
    int which[LAB_BATCH];
    const int take = left < LAB_BATCH ? left : LAB_BATCH;
    for (int i = 0; i < take; i++) which[i] = x->n + i;
    if (!lab_configs_measure(&c->meter, x->timing + x->n, &x->configs, which, take, why) &&
        !c->meter.stopped)
        x->n += take;
    return why->status;
}

/* LAB_AGAIN random ones of those measured, ascending; all if there are fewer. */
static ag_status measure_again(lab_collection *c, lab_sheet *x, ag_failure *why)
{
    int which[LAB_AGAIN], n = 0;
    lab_timing timing[LAB_AGAIN];
    ag_random random = {(uint64_t)c->s->seed, 0x6167, 0};
    const int want = x->n < LAB_AGAIN ? x->n : LAB_AGAIN;
    for (int i = 0; i < x->n && n < want; i++) /* each of the remaining with the same probability */
        if (ag_random_below(&random, (uint32_t)(x->n - i)) < (uint32_t)(want - n)) which[n++] = i;
    if (lab_configs_measure(&c->meter, timing, &x->configs, which, n, why) || c->meter.stopped)
        return why->status;
    for (int i = 0; i < n; i++) {
        x->first[i] = x->timing[which[i]].ns;
        x->second[i] = timing[i].ns;
    }
    x->again = n;
    return AG_OK;
}

/* The number of run times that differ by more than two standard deviations of the noise. ns is
   sorted. */
static int levels(const double *ns, int n, double noise)
{
    int found = 0;
    double last = 0;
    for (int i = 0; i < n; i++)
        if (!found || ns[i] > last * exp(2 * noise)) {
            last = ns[i];
            found++;
        }
    return found;
}

/* Whether noise hides the order of the configurations: all along, or while something else slowed
   the core, by a tenth or more, for a part of the measurement that no probe noticed. */
static int too_noisy(double noise, double worst, double spread, double most)
{
    return noise > most * spread || worst > fmax(0.1, 5 * most * spread);
}

json_t *lab_sheet_facts(lab_sheet *x, const lab_counts *now, double most)
{
    const int n = x->n;
    int64_t *ns = harness_alloc((size_t)n * sizeof *ns);
    double *sorted = harness_alloc((size_t)n * sizeof *sorted),
           *spreads = harness_alloc((size_t)n * sizeof *spreads);
    for (int i = 0; i < n; i++) {
        sorted[i] = (double)(ns[i] = x->timing[i].ns);
        spreads[i] = x->timing[i].spread;
    }
    harness_sort(sorted, n);
    const double spread = lab_time_spread(ns, n);
    const double noise = lab_time_noise(x->first, x->second, x->again);
    const double worst = lab_time_worst(x->first, x->second, x->again);
    x->dropped = too_noisy(noise, worst, spread, most);
    json_t *facts = json_pack(
        "{si sI sI so so so so si so si sI sI sI sb}", "configurations", n, "fastest_ns",
        (json_int_t)sorted[0], "slowest_ns", (json_int_t)sorted[n - 1], "spread", lab_real(spread),
        "noise", lab_real(noise < 0 ? (double)NAN : noise), "largest_difference", lab_real(worst),
        "repeat_spread", lab_real(lab_median(spreads, n)), "measured_again", x->again, "tau_again",
        lab_real(lab_time_tau(x->first, x->second, x->again)), "levels",
        levels(sorted, n, fmax(noise, 0)), "samples",
        (json_int_t)(now->samples - x->before.samples), "redone",
        (json_int_t)(now->redone - x->before.redone), "disturbed",
        (json_int_t)(now->disturbed - x->before.disturbed), "dropped", x->dropped);
    harness_free(ns);
    harness_free(sorted);
    harness_free(spreads);
    return facts;
}

static ag_status print_text(FILE *file, void *program)
{
    lab_text_print(file, program);
    return AG_OK;
}

static ag_status write_files(const lab_collection *c, const lab_result *f, ag_failure *why)
{
    lab_program text = *f->text;
    char *path = lab_manifest_path(c->folder, text.name, ".txt");
    ag_save_file(path, print_text, &text, why);
    harness_free(path);
    path = lab_manifest_path(c->folder, text.name, ".npz");
    ag_npz_writer *w = why->status ? NULL : ag_npz_create(path, why);
    harness_free(path);
    if (!w) return why->status;
    if (!lab_npz_graphs(w, f->graph, f->graphs, f->graph != f->text, why) &&
        !f->add(w, f->data, why))
        return ag_npz_finish(w, why);
    ag_npz_cancel(w);
    return why->status;
}

ag_status lab_sheet_keep(lab_collection *c, lab_sheet *x, const lab_result *f, json_t *of_kind,
                         ag_failure *why)
{
    if (!measure_again(c, x, why) && !c->meter.stopped) {
        json_t *facts = lab_sheet_facts(x, &c->meter.counts, c->s->noise);
        json_object_set_new(facts, "family", json_string(f->text->family));
        json_object_update(facts, of_kind);
        lab_manifest_file(c->folder, f->text->name, f->program, facts);
        c->dropped += x->dropped;
        c->files += !x->dropped;
        if (!x->dropped) write_files(c, f, why);
    }
    json_decref(of_kind);
    return why->status;
}
