/* SPDX-License-Identifier: MIT */
/* `lab check`: measures part of a data set again. */
#include "examples/harness/run/bag.h"
#include "examples/harness/run/draws.h"
#include "examples/harness/machine/processor.h"
#include "examples/lab/measure/clock.h"
#include "examples/lab/measure/folders.h"
#include "examples/lab/lab.h"
#include "examples/lab/measure/noise.h"
#include "examples/lab/collect/stored.h"

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
    int measured;
} check;

/* Lists the files that were not dropped, still exist and have a program, in random order. */
static file *choose_files(const lab_folders *folders, uint64_t seed)
{
    file *all = NULL, *mixed = NULL;
    int lost = 0;
    const char *name;
    json_t *facts;
    for (int i = 0; i < folders->count; i++)
        json_object_foreach(json_object_get(folders->list[i]->root, "files"), name, facts)
        {
            file f = {folders->list[i], name};
            if (!lab_manifest_there(f.folder, name, facts)) continue;
            if (lab_stored_lost(f.folder, name))
                lost++;
            else
                bag_add(all, f);
        }
    if (lost)
        harness_say(
            "%d files are left out: they have no text of their program, and \"lab families\" "
            "does not have their family",
            lost);
    const int n = bag_count(all);
    int32_t *order = harness_alloc(((size_t)n + 1) * sizeof *order);
    harness_shuffle(order, n, (ag_random){seed, 0x636b, 0});
    for (int i = 0; i < n; i++) bag_add(mixed, all[order[i]]);
    bag_free(all);
    harness_free(order);
    return mixed;
}

/* `take` of n in random order. */
static int *choose(int n, int take, uint64_t seed, const char *name)
{
    int32_t *which = harness_alloc(((size_t)n + 1) * sizeof *which);
    ag_random random = {seed, (uint64_t)strlen(name), 0};
    for (int i = 0; i < n; i++) which[i] = i;
    harness_draw(which, n, take, &random);
    return which;
}

static void add_row(check *c, const file *f, const int64_t *then, const int64_t *now, int n)
{
    double *ratio = harness_alloc((size_t)n * sizeof *ratio);
    for (int i = 0; i < n; i++) ratio[i] = (double)now[i] / (double)then[i];
    const double tau = lab_time_tau(now, then, n);
    if (isfinite(tau)) bag_add(c->taus, tau);
    char *path = lab_manifest_path(f->folder, f->name, "");
    harness_table_text(c->table, path);
    harness_table_count(c->table, n);
    harness_table_number(c->table, tau, 3);
    harness_table_number(c->table, lab_median(ratio, n), 3);
    harness_table_number(c->table, 100 * lab_time_noise(now, then, n), 2);
    harness_table_number(c->table, 100 * lab_time_spread(then, n), 1);
    harness_free(path);
    harness_free(ratio);
}

/* Measures one file in batches, as the first time. */
static ag_status one_file(check *c, const file *f, ag_failure *why)
{
    enum { BATCH = 16 };
    lab_stored x;
    lab_timing timing[BATCH];
    if (lab_stored_load(&x, f->folder, f->name, why)) {
        lab_stored_clear(&x);
        return why->status;
    }
    const int left = c->s->sample - c->measured;
    int take = c->s->per_file < x.n ? c->s->per_file : x.n;
    if (take > left) take = left;
    int *which = choose(x.n, take, (uint64_t)c->s->seed, f->name);
    int64_t *then = harness_alloc((size_t)take * sizeof *then);
    int64_t *now = harness_alloc((size_t)take * sizeof *now);
    for (int at = 0; at < take && !why->status && !c->meter.stopped; at += BATCH) {
        const int n = take - at < BATCH ? take - at : BATCH;
        lab_configs_measure(&c->meter, timing, &x.configs, which + at, n, why);
        for (int i = 0; i < n && !why->status && !c->meter.stopped; i++) {
            then[at + i] = x.ns[which[at + i]];
            now[at + i] = timing[i].ns;
        }
        harness_progress_update(&c->bar, c->measured + at + n, f->name);
    }
    if (!why->status && !c->meter.stopped) {
        add_row(c, f, then, now, take);
        c->measured += take;
    }
    harness_free(which);
    harness_free(then);
    harness_free(now);
    lab_stored_clear(&x);
    return why->status;
}

static const char *number_of(const json_t *numbers, const char *key)
{
    const char *text = json_string_value(json_object_get(numbers, key));
    return text ? text : "?";
}

/* "AMD EPYC, family 25, model 17", since names alone are those of several. Manifests of before
   there were numbers have the name. The caller frees. */
static char *cpu_text(const char *name, const json_t *numbers)
{
    return json_object_size(numbers)
               ? harness_text("%.120s, family %.20s, model %.20s", name,
                              number_of(numbers, "cpu family"), number_of(numbers, "model"))
               : harness_copy(name);
}

/* Whether the text of a machine's CPU is that of this one, or all that is known of it. */
static int is_here(const char *cpu)
{
    char name[128];
    json_t *numbers = lab_cpu_numbers();
    char *here = cpu_text(harness_processor(name), numbers);
    const int same = !strcmp(cpu, here) || !strcmp(cpu, name);
    harness_free(here);
    json_decref(numbers);
    return same;
}

/* The CPUs of the manifests that are not this one; NULL: none. The caller frees. */
static char *other_cpus(const lab_folders *folders)
{
    char *text = NULL;
    size_t at;
    json_t *machine;
    for (int i = 0; i < folders->count; i++)
        json_array_foreach(json_object_get(folders->list[i]->root, "machines"), at, machine)
        {
            const char *name = json_string_value(json_object_get(machine, "cpu"));
            if (!name) continue;
            char *cpu = cpu_text(name, json_object_get(machine, "cpu_numbers"));
            if (!is_here(cpu) && !(text && strstr(text, cpu))) {
                char *longer = harness_text("%s%s%s", text ? text : "", text ? "; " : "", cpu);
                harness_free(text);
                text = longer;
            }
            harness_free(cpu);
        }
    return text;
}

static ag_status report(check *c, const lab_folders *folders, ag_failure *why)
{
    double mean, spread;
    int64_t count;
    char here[128], *others = other_cpus(folders);
    harness_mean_spread(&mean, &spread, &count, c->taus, bag_count(c->taus));
    if (c->s->json) {
        json_t *j = json_object();
        json_object_set_new(j, "files", harness_table_json(c->table));
        json_object_set_new(j, "tau", harness_json_number(mean));
        json_object_set_new(j, "measured", json_integer(c->measured));
        json_object_set_new(j, "cpu", json_string(harness_processor(here)));
        json_object_set_new(j, "same_cpu", json_boolean(!others));
        harness_json_print(j, why);
    } else {
        harness_table_print(stdout, c->table);
        printf("mean tau of %lld files: %.3f; %d measured again on %s\n", (long long)count, mean,
               c->measured, harness_processor(here));
        char *shown = others ? harness_printable(others) : NULL;
        if (shown)
            printf("The data are of another CPU (%s): the tau says how much of the order two CPUs "
                   "share, not how well was measured.\n",
                   shown);
        harness_free(shown);
    }
    harness_free(others);
    return why->status;
}

ag_status lab_check_command(harness_call *call, ag_failure *why)
{
    static const char *const columns[] = {"file",     "measured", "tau",
                                          "now/then", "noise %",  "spread %"};
    check c = {.s = call->values};
    lab_folders folders;
    if (lab_core_check(c.s->core, why)) return why->status;
    c.meter = lab_meter_of(c.s);
    c.table = harness_table_new("", columns, (int)(sizeof columns / sizeof *columns));
    lab_pin(c.s->core);
    if (!lab_folders_load(&folders, &c.s->folders, why)) {
        file *files = choose_files(&folders, (uint64_t)c.s->seed);
        if (!bag_count(files))
            ag_fail(why, AG_EDATA, "%.200s has no file that could be measured again",
                    c.s->folders.list[0]);
        harness_progress_start(&c.bar, "check", 0, c.s->sample);
        c.bar.tenths = true;
        for (int i = 0; i < bag_count(files) && c.s->sample - c.measured >= 2 && !why->status &&
                        !c.meter.stopped;
             i++)
            one_file(&c, &files[i], why);
        harness_progress_end(&c.bar);
        if (!why->status && !c.meter.stopped) report(&c, &folders, why);
        bag_free(files);
    }
    bag_free(c.taus);
    harness_table_free(c.table);
    lab_folders_free(&folders);
    lab_meter_free(&c.meter);
    return why->status;
}
