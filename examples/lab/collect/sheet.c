/* SPDX-License-Identifier: MIT */
/* The parts that files of all kinds have: the graph's arrays, the program's text, facts of the
   measurement. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/program/features.h"
#include "examples/lab/measure/noise.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

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

/* At most LAB_AGAIN of `count`, ascending; returns their number. */
static int pick(int *which, int count, uint64_t seed)
{
    ag_random random = {seed, 0x6167, 0};
    int n = 0, want = count < LAB_AGAIN ? count : LAB_AGAIN;
    for (int i = 0; i < count && n < want;
         i++) /* each of the remaining ones with the same probability */
        if (ag_random_below(&random, (uint32_t)(count - i)) < (uint32_t)(want - n)) which[n++] = i;
    return n;
}

static ag_status measure_again(lab_collection *c, lab_sheet *x, ag_failure *why)
{
    int which[LAB_AGAIN];
    lab_timing timing[LAB_AGAIN];
    const int n = pick(which, x->n, (uint64_t)c->s->seed);
    if (lab_configs_measure(&c->meter, timing, &x->configs, which, n, why) || c->meter.stopped)
        return why->status;
    for (int i = 0; i < n; i++) {
        x->first[i] = x->timing[which[i]].ns;
        x->second[i] = timing[i].ns;
    }
    x->again = n;
    return AG_OK;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The number of run times that differ by more than two standard deviations of the noise. ns is
   sorted. */
static int levels(const int64_t *ns, int n, double noise)
{
    int found = 0;
    double last = 0;
    for (int i = 0; i < n; i++)
        if (!found || (double)ns[i] > last * exp(2 * noise)) {
            last = (double)ns[i];
            found++;
        }
    return found;
}

/* The spreads in ten thousandths, in the order of the configurations. */
static char *spreads_text(const lab_sheet *sheet)
{
    char *text = harness_alloc((size_t)sheet->n * 12 + 1), *to = text;
    for (int i = 0; i < sheet->n; i++) {
        double part = fmin(1e4 * sheet->timing[i].spread, 1e8);
        to += sprintf(to, "%s%d", i ? " " : "", (int)(part + 0.5));
    }
    return text;
}

/* Whether noise hides the order of the configurations: all along, or while something else slowed
   the core, by a tenth or more, for a part of the measurement that no probe noticed. */
static int too_noisy(double noise, double worst, double spread, double most)
{
    return noise > most * spread || worst > fmax(0.1, 5 * most * spread);
}

json_t *lab_sheet_facts(lab_sheet *sheet, const lab_counts *now, double most)
{
    const int n = sheet->n;
    json_t *facts = json_object();
    int64_t *ns = harness_alloc(((size_t)n + 1) * sizeof *ns);
    double *spreads = harness_alloc(((size_t)n + 1) * sizeof *spreads);
    for (int i = 0; i < n; i++) ns[i] = sheet->timing[i].ns, spreads[i] = sheet->timing[i].spread;
    const double spread = lab_time_spread(ns, n);
    const double noise = lab_time_noise(sheet->first, sheet->second, sheet->again);
    const double worst = lab_time_worst(sheet->first, sheet->second, sheet->again);
    qsort(ns, (size_t)n, sizeof *ns, by_size);
    char *list = spreads_text(sheet);
    sheet->dropped = too_noisy(noise, worst, spread, most);
    json_object_set_new(facts, "configurations", json_integer(n));
    json_object_set_new(facts, "fastest_ns", json_integer(ns[0]));
    json_object_set_new(facts, "slowest_ns", json_integer(ns[n - 1]));
    json_object_set_new(facts, "spread", lab_real(spread));
    json_object_set_new(facts, "noise", lab_real(noise < 0 ? (double)NAN : noise));
    json_object_set_new(facts, "largest_difference", lab_real(worst));
    json_object_set_new(facts, "repeat_spread", lab_real(lab_median(spreads, n)));
    json_object_set_new(facts, "measured_again", json_integer(sheet->again));
    json_object_set_new(facts, "tau_again",
                        lab_real(lab_time_tau(sheet->first, sheet->second, sheet->again)));
    json_object_set_new(facts, "levels", json_integer(levels(ns, n, noise < 0 ? 0 : noise)));
    json_object_set_new(facts, "samples", json_integer(now->samples - sheet->before.samples));
    json_object_set_new(facts, "redone", json_integer(now->redone - sheet->before.redone));
    json_object_set_new(facts, "disturbed", json_integer(now->disturbed - sheet->before.disturbed));
    json_object_set_new(facts, "dropped", json_boolean(sheet->dropped));
    json_object_set_new(facts, "repeat_spreads_e4", json_string(list));
    harness_free(list);
    harness_free(ns);
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
        if (x->configs.fusion) json_object_del(facts, "repeat_spreads_e4"); /* in the file */
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
