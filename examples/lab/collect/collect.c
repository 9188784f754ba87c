/* SPDX-License-Identifier: MIT */
#include "examples/lab/collect/collect.h"

#include "examples/lab/measure/clock.h"
#include "examples/lab/collect/sources.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

typedef struct job {
    const lab_collector *kind;
    lab_collection c;
    lab_source *sources;
    int n_sources, n_folders, core;
    lab_manifest *folders[2];
    int left; /* programs that have no file yet, per folder */
} job;

void lab_collect_step(lab_collection *c, int64_t units, const char *note)
{
    c->done += units;
    char text[LAB_NAME + 40];
    const double left = c->meter.deadline - harness_seconds();
    if (c->done > c->share_end) c->done = c->share_end;
    snprintf(text, sizeof text, "%.63s", note);
    if (c->meter.deadline > 0 && left > 0)
        snprintf(text, sizeof text, "%.63s, at most %.1f min", note, left / 60);
    harness_progress_update(&c->bar, c->done, text);
}

int lab_collect_late(const lab_collection *c, double ahead)
{
    return harness_interrupted() || (c->until > 0 && harness_seconds() + ahead > c->until);
}

static ag_status open_folders(job *j, ag_failure *why)
{
    const lab_settings *s = j->c.s;
    int modes = 0;
    while (j->kind->modes[modes]) modes++;
    j->n_folders = modes ? modes : 1;
    for (int f = 0; f < j->n_folders && !why->status; f++) {
        char *path =
            modes ? harness_text("%s/%s", s->out, j->kind->modes[f]) : harness_copy(s->out);
        json_t *machine = lab_machine(j->core, s->repeats, s->redo, s->threshold);
        j->folders[f] = lab_manifest_open(path, j->kind->kind, machine, why);
        harness_free(path);
        if (!why->status) lab_manifest_plan_by(j->folders[f], s->plan, why);
    }
    return why->status;
}

/* The options that decide the contents of a program's files. Options of measuring are recorded with
   the machine. */
static json_t *file_options(const job *j)
{
    const lab_settings *s = j->c.s;
    const char *kind = j->kind->kind;
    const int tile = strcmp(kind, "tile") == 0, fusion = strcmp(kind, "fusion") == 0;
    json_t *o = json_object();
    if (!fusion) json_object_set_new(o, "configs", json_integer(s->configs));
    if (tile) json_object_set_new(o, "kernels", json_integer(s->kernels));
    if (tile) json_object_set_new(o, "least", json_integer(s->least));
    if (fusion) json_object_set_new(o, "partitions", json_integer(s->partitions));
    json_object_set_new(o, "noise", lab_real(s->noise));
    json_object_set_new(o, "seed", json_integer(s->seed));
    return o;
}

/* A program that is already there must have been collected with the same options: its files are
   skipped, so the folder would otherwise mix two kinds. */
static ag_status check_options(const job *j, ag_failure *why)
{
    for (int i = 0; i < j->n_sources; i++) {
        json_t *options = file_options(j);
        if (j->sources[i].family)
            json_object_set_new(options, "milliseconds", lab_real(j->c.s->milliseconds));
        for (int f = 0; f < j->n_folders && !why->status; f++)
            lab_manifest_same(j->folders[f], j->sources[i].name, options, why);
        json_decref(options);
    }
    return why->status;
}

/* The text form of a program is written to the folder of its npz. It must not replace a file of
   --text, whose comments and order would be lost. */
static ag_status check_texts(const job *j, ag_failure *why)
{
    const harness_paths *texts = &j->c.s->text;
    for (int i = 0; i < j->n_sources && !why->status; i++)
        for (int f = 0; f < j->n_folders; f++) {
            struct stat of, text;
            char *path = lab_manifest_path(j->folders[f], j->sources[i].name, ".txt");
            const int there = stat(path, &of) == 0;
            for (int k = 0; k < texts->count && there; k++)
                if (!stat(texts->list[k], &text) && text.st_dev == of.st_dev &&
                    text.st_ino == of.st_ino)
                    ag_fail(why, AG_EUSE,
                            "--text: %.200s lies where --out would write the program; choose "
                            "another --out",
                            texts->list[k]);
            harness_free(path);
        }
    return why->status;
}

/* Programs without a file, and files that were dropped. */
static int count_left(const job *j, int *dropped)
{
    int left = 0;
    *dropped = 0;
    for (int i = 0; i < j->n_sources; i++)
        for (int f = 0; f < j->n_folders; f++) {
            left += !lab_manifest_done(j->folders[f], j->sources[i].name);
            *dropped += lab_manifest_count(j->folders[f], j->sources[i].name, 1);
        }
    return left;
}

/* A finished program is recorded in the manifest at once, so that a killed call loses one
   program. */
static ag_status one(job *j, const lab_source *source, const lab_program *p, int f, ag_failure *why)
{
    lab_collection *c = &j->c;
    double now = harness_seconds();
    c->folder = j->folders[f];
    c->mode = j->kind->modes[f];
    c->until = c->meter.deadline > 0 ? now + (c->meter.deadline - now) / j->left : 0;
    c->meter.stopped = 0;
    lab_manifest_forget(c->folder, source->name);
    if (j->kind->collect(c, p, why) || c->meter.stopped || harness_interrupted())
        return why->status;
    json_t *facts = json_pack("{ss si so so}", "family", p->family, "nodes", p->n, "seconds",
                              lab_real(harness_seconds() - now), "options", file_options(j));
    if (source->family) {
        json_object_set_new(facts, "number", json_integer(source->number));
        json_object_set_new(facts, "milliseconds", lab_real(c->s->milliseconds));
    }
    lab_manifest_program(c->folder, source->name, facts);
    return lab_manifest_save(c->folder, why);
}

static int over(const job *j) { return j->c.meter.stopped || lab_meter_late(&j->c.meter); }

static ag_status program(job *j, int i, ag_failure *why)
{
    const lab_source *source = &j->sources[i];
    lab_program p = {0};
    for (int f = 0; f < j->n_folders && !why->status && !over(j); f++) {
        j->c.share_end = (int64_t)(i * j->n_folders + f + 1) * j->kind->units;
        if (lab_manifest_done(j->folders[f], source->name)) continue;
        if (!p.n && lab_source_program(&p, source, j->c.s->milliseconds, why)) break;
        one(j, source, &p, f, why);
        j->left--;
        if (!over(j)) j->c.done = j->c.share_end;
    }
    lab_program_clear(&p);
    return why->status;
}

static void begin(job *j, const lab_collector *kind, const lab_settings *s)
{
    *j = (job){.kind = kind, .c = {.s = s, .meter = lab_meter_of(s)}};
    if (s->minutes > 0) j->c.meter.deadline = harness_seconds() + 60 * s->minutes;
    j->core = lab_pin(s->core);
    if (j->core < 0)
        harness_warn("the system does not let the program stay on one core; expect more noise");
}

static void report(const job *j, int found)
{
    const lab_counts *m = &j->c.meter.counts;
    int dropped;
    const int missing = count_left(j, &dropped);
    if (found) harness_say("%d of them had their file", found);
    harness_say("%" PRId64 " files written to %s, %" PRId64 " more dropped as noise; %" PRId64
                " samples, %" PRId64 " taken again, %" PRId64 " kept though disturbed",
                j->c.files, j->c.s->out, j->c.dropped, m->samples, m->redone, m->disturbed);
    if (j->c.brief)
        harness_say("%" PRId64 " kernels take less than --least %" PRId64
                    " ns with their default tile and were left out",
                    j->c.brief, j->c.s->least);
    if (missing) harness_say("%d programs are left; the same command goes on with them", missing);
}

ag_status lab_collect(const lab_collector *kind, const lab_settings *s, ag_failure *why)
{
    job j;
    if (lab_core_check(s->core, why)) return why->status;
    begin(&j, kind, s);
    j.n_sources = lab_sources(&j.sources, s, why);
    if (j.n_sources >= 0 && !open_folders(&j, why) && !check_options(&j, why) &&
        !check_texts(&j, why)) {
        const int all = j.n_sources * j.n_folders;
        int dropped;
        j.left = count_left(&j, &dropped);
        const int found = all - j.left;
        harness_say("%d programs, core %d, " LAB_CLOCK_NAME ", %d repeats", j.n_sources, j.core,
                    s->repeats);
        if (dropped) harness_say("%d files that were dropped as noise are tried again", dropped);
        harness_progress_start(&j.c.bar, kind->kind, found * kind->units, all * kind->units);
        j.c.bar.tenths = true;
        for (int i = 0; i < j.n_sources && !why->status && !over(&j); i++) program(&j, i, why);
        harness_progress_end(&j.c.bar);
        if (!why->status) report(&j, found);
    }
    for (int f = 0; f < 2; f++) lab_manifest_free(j.folders[f]);
    lab_sources_free(j.sources, j.n_sources);
    lab_meter_free(&j.c.meter);
    return why->status;
}
