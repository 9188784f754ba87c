/* SPDX-License-Identifier: MIT */
/* `lab check`: measures part of a data set again. */
#include "examples/harness/machine/processor.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/draws.h"
#include "examples/lab/collect/stored.h"
#include "examples/lab/lab.h"
#include "examples/harness/rank/noise.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

typedef struct file {
    const lab_manifest *folder;
    const char *name;
} file;

typedef struct check {
    const lab_settings *s;
    lab_meter meter;
    harness_progress bar;
    harness_table *table;
    double *taus; /* of the files that have one */
    int measured, lost;
} check;

/* The files that were not dropped and still exist. */
static file *list_files(lab_manifest **folders)
{
    file *all = NULL;
    const char *name;
    json_t *facts;
    for (int i = 0; i < bag_count(folders); i++)
        json_object_foreach(json_object_get(folders[i]->root, "files"), name, facts)
        {
            if (lab_manifest_there(folders[i], name, facts))
                bag_add(all, ((file){folders[i], name}));
        }
    return all;
}

static void add_row(check *c, const file *f, lab_stored *x, const int *which,
                    const lab_timing *timing, int n)
{
    int64_t *then = harness_take(&x->memory, (size_t)n * sizeof *then);
    int64_t *now = harness_take(&x->memory, (size_t)n * sizeof *now);
    double *ratio = harness_take(&x->memory, (size_t)n * sizeof *ratio);
    for (int i = 0; i < n; i++) {
        then[i] = x->ns[which[i]];
        now[i] = timing[i].ns;
        ratio[i] = (double)now[i] / (double)then[i];
    }
    const double tau = harness_time_tau(now, then, n);
    if (isfinite(tau)) bag_add(c->taus, tau);
    harness_table_text(c->table, "file", lab_manifest_path(f->folder, f->name, ""));
    harness_table_count(c->table, "measured", n);
    harness_table_number(c->table, "tau", tau, 3);
    harness_table_number(c->table, "now/then", harness_average(ratio, n).median, 3);
    harness_table_number(c->table, "noise %", 100 * harness_time_noise(now, then, n), 2);
    harness_table_number(c->table, "spread %", 100 * harness_time_spread(then, n), 1);
    c->measured += n;
}

/* Measures random configurations of one file in batches, as the first time. */
static void measure(check *c, const file *f, lab_stored *x, ag_failure *why)
{
    enum { BATCH = 16 };
    ag_random random = {(uint64_t)c->s->seed, strlen(f->name), 0};
    int32_t *which = harness_take(&x->memory, (size_t)x->n * sizeof *which);
    for (int i = 0; i < x->n; i++) which[i] = i;
    const int left = c->s->sample - c->measured,
              most = c->s->per_file < left ? c->s->per_file : left,
              take = harness_draw(which, x->n, x->n < most ? x->n : most, &random);
    lab_timing *timing = harness_take(&x->memory, (size_t)take * sizeof *timing);
    for (int at = 0; at < take && !why->status && !c->meter.stopped; at += BATCH) {
        const int n = take - at < BATCH ? take - at : BATCH;
        lab_configs_measure(&c->meter, timing + at, &x->configs, which + at, n, why);
        harness_progress_update(&c->bar, c->measured + at + n, f->name);
    }
    if (!why->status && !c->meter.stopped) add_row(c, f, x, which, timing, take);
}

/* "AMD EPYC, family 25, model 17", since several have one name. */
static const char *cpu_text(json_t *machine)
{
    const char *name = "?", *family = "?", *model = "?";
    json_unpack(machine, "{s?s s?{s?s s?s}}", "cpu", &name, "cpu_numbers", "cpu family", &family,
                "model", &model);
    return harness_format("%.120s, family %.20s, model %.20s", name, family, model);
}

/* A CPU of the manifests that is not this one; NULL: none. */
static const char *other_cpu(lab_manifest **folders)
{
    json_t *this = lab_machine(0, 0, 0, 0), *machine;
    const char *here = cpu_text(this), *other = NULL;
    size_t at;
    for (int i = 0; i < bag_count(folders); i++)
        json_array_foreach(json_object_get(folders[i]->root, "machines"), at, machine)
        {
            if (other || !json_is_string(json_object_get(machine, "cpu"))) continue;
            const char *cpu = cpu_text(machine);
            if (strcmp(cpu, here) != 0) other = cpu;
        }
    json_decref(this);
    return other;
}

static ag_status report(check *c, lab_manifest **folders, ag_failure *why)
{
    const char *here = harness_processor(), *other = other_cpu(folders);
    const harness_averages tau = harness_average(c->taus, bag_count(c->taus));
    if (c->s->common.json) {
        harness_json_print(json_pack("{so so si ss sb}", "files", harness_table_json(c->table),
                                     "tau", harness_json_number(tau.mean), "measured", c->measured,
                                     "cpu", here, "same_cpu", !other),
                           why);
    } else {
        harness_table_print(stdout, c->table);
        printf("mean tau of %d files: %.3f; %d measured again on %s\n", tau.count, tau.mean,
               c->measured, here);
        char *shown = other ? harness_printable(other) : NULL;
        if (shown)
            printf("The data are of another CPU (%s): the tau says how much of the order two CPUs "
                   "share, not how well was measured.\n",
                   shown);
        harness_free(shown);
    }
    return why->status;
}

ag_status lab_check_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    check c = {.s = s};
    if (lab_core_check(s->core, why)) return why->status;
    c.meter = lab_meter_new((lab_measure_options){s->repeats, s->redo, s->threshold});
    c.table = harness_table_new("");
    lab_pin(s->core);
    lab_manifest **folders = lab_manifests_load(&s->folders, why);
    file *files = why->status ? NULL : list_files(folders);
    int32_t *order = HARNESS_NEW(order, bag_count(files));
    harness_shuffle(order, bag_count(files), (ag_random){(uint64_t)s->seed, 0x636b, 0});
    harness_progress_start(&c.bar, "check", 0, s->sample);
    c.bar.tenths = true;
    for (int i = 0; i < bag_count(files) && s->sample - c.measured >= 2; i++)
        if (!why->status && !c.meter.stopped) {
            lab_stored x;
            const file *f = &files[order[i]];
            if (!lab_stored_load(&x, f->folder, f->name, why) && x.n) measure(&c, f, &x, why);
            c.lost += !x.n;
            lab_stored_clear(&x);
        }
    harness_progress_end(&c.bar);
    if (c.lost && !why->status)
        harness_say(
            "%d files are left out: they have no text of their program, and \"lab families\" "
            "does not have their family",
            c.lost);
    if (!c.measured && !c.meter.stopped)
        ag_fail(why, AG_EDATA, "%.200s has no file that could be measured again",
                s->folders.list[0]);
    if (!why->status && !c.meter.stopped) report(&c, folders, why);
    harness_free(order);
    bag_free(files);
    bag_free(c.taus);
    harness_table_free(c.table);
    lab_manifests_free(folders);
    lab_meter_free(&c.meter);
    return why->status;
}
