/* SPDX-License-Identifier: MIT */
/* The parts that files of all kinds have: the graph's arrays, the program's text, facts of the
   measurement. */
#include "examples/lab/collect/collect.h"
#include "core/memory.h"
#include "core/random.h"
#include "examples/lab/program/features.h"
#include "examples/harness/rank/noise.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <math.h>

lab_sheet lab_sheet_new(const lab_collection *c, lab_configs configs, int most)
{
    lab_sheet x = {.configs = configs, .before = c->meter.counts};
    x.timing = harness_take(&x.memory, ((size_t)most + 1) * sizeof *x.timing);
    return x;
}

void lab_sheet_clear(lab_sheet *x)
{
    lab_run_free(x->configs.run);
    ag_arena_free(x->memory);
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

/* Whether noise hides the order of the configurations: all along, or while something else slowed
   the core, by a tenth or more, for a part of the measurement that no probe noticed. */
static int too_noisy(double noise, double worst, double spread, double most)
{
    return noise > most * spread || worst > fmax(0.1, 5 * most * spread);
}

int64_t *lab_sheet_times(lab_sheet *x)
{
    int64_t *ns = harness_take(&x->memory, (size_t)x->n * sizeof *ns);
    for (int i = 0; i < x->n; i++) ns[i] = x->timing[i].ns;
    return ns;
}

json_t *lab_sheet_facts(lab_sheet *x, const lab_counts *now, double most)
{
    const lab_counts *then = &x->before;
    int64_t *ns = lab_sheet_times(x), least = INT64_MAX, largest = 0;
    for (int i = 0; i < x->n; i++) {
        if (ns[i] < least) least = ns[i];
        if (ns[i] > largest) largest = ns[i];
    }
    const double spread = harness_time_spread(ns, x->n);
    const double noise = harness_time_noise(x->first, x->second, x->again);
    const double worst = harness_time_worst(x->first, x->second, x->again);
    x->dropped = too_noisy(noise, worst, spread, most);
    return json_pack("{si sI sI so so so si so sI sI sI sb}", "configurations", x->n, "fastest_ns",
                     (json_int_t)least, "slowest_ns", (json_int_t)largest, "spread",
                     lab_real(spread), "noise", lab_real(noise < 0 ? (double)NAN : noise),
                     "largest_difference", lab_real(worst), "measured_again", x->again, "tau_again",
                     lab_real(harness_time_tau(x->first, x->second, x->again)), "samples",
                     (json_int_t)(now->samples - then->samples), "redone",
                     (json_int_t)(now->redone - then->redone), "disturbed",
                     (json_int_t)(now->disturbed - then->disturbed), "dropped", x->dropped);
}

static ag_status print_text(FILE *file, void *program)
{
    lab_text_print(file, program);
    return AG_OK;
}

static ag_npz_writer *begin_files(const lab_collection *c, const lab_sheet *x, ag_failure *why)
{
    lab_program text = *x->configs.program;
    const lab_fusion *kernels = x->configs.fusion;
    ag_save_file(lab_manifest_path(c->folder, text.name, ".txt"), print_text, &text, why);
    const char *path = lab_manifest_path(c->folder, text.name, ".npz");
    ag_npz_writer *w = why->status ? NULL : ag_npz_create(path, why);
    if (w)
        lab_npz_graphs(w, kernels ? kernels->kernel : &text, kernels ? x->n : 1, kernels != NULL,
                       why);
    return w;
}

ag_npz_writer *lab_sheet_file(lab_collection *c, lab_sheet *x, const char *program, json_t *of_kind,
                              ag_failure *why)
{
    ag_npz_writer *w = NULL;
    if (!measure_again(c, x, why) && !c->meter.stopped) {
        json_t *facts = lab_sheet_facts(x, &c->meter.counts, c->s->noise);
        json_object_set_new(facts, "family", json_string(x->configs.program->family));
        json_object_update(facts, of_kind);
        lab_manifest_record(c->folder, x->configs.program->name, program, facts);
        c->dropped += x->dropped;
        c->files += !x->dropped;
        if (!x->dropped) w = begin_files(c, x, why);
    }
    json_decref(of_kind);
    return w;
}

ag_status lab_sheet_end(ag_npz_writer *w, ag_failure *why)
{
    if (!why->status) return ag_npz_finish(w, why);
    ag_npz_cancel(w);
    return why->status;
}
