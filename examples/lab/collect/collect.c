/* SPDX-License-Identifier: MIT */
/* Goes through the programs of a call, measures each and records it in the manifest. */
#include "examples/lab/collect/collect.h"

#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/files/files.h"

#include <inttypes.h>
#include <jansson.h>
#include <sys/stat.h>

void lab_collect_note(lab_collection *c, const char *name)
{
    char text[LAB_NAME + 40];
    const double left = c->meter.deadline - harness_seconds();
    snprintf(text, sizeof text, "%.63s", name);
    if (c->meter.deadline > 0 && left > 0)
        snprintf(text, sizeof text, "%.63s, at most %.1f min", name, left / 60);
    harness_progress_update(&c->bar, bag_count(c->sources) - c->left, text);
}

int lab_collect_late(const lab_collection *c, double ahead)
{
    return harness_interrupted() || (c->until > 0 && harness_seconds() + ahead > c->until);
}

/* A program that is already there must have been collected with the same options: its files are
   skipped, so the folder would otherwise mix two kinds. */
static ag_status check_options(const lab_collection *c, const lab_source *source, ag_failure *why)
{
    json_t *options = json_copy(c->options);
    if (source->family) json_object_set_new(options, "milliseconds", lab_real(c->s->milliseconds));
    lab_manifest_same(c->folder, source->name, options, why);
    json_decref(options);
    return why->status;
}

/* The text form of a program is written to the folder of its npz. It must not replace a file of
   --text: its comments and order would be lost. */
static ag_status check_text(const lab_collection *c, const lab_source *source, ag_failure *why)
{
    const harness_paths *texts = &c->s->text;
    struct stat file;
    const int there = stat(lab_manifest_path(c->folder, source->name, ".txt"), &file) == 0;
    for (int k = 0; k < texts->count && there; k++)
        if (harness_files_is(texts->list[k], &file))
            ag_fail(why, AG_EUSE,
                    "--text: %.200s lies where --out would write the program; choose another --out",
                    texts->list[k]);
    return why->status;
}

/* Finds out, too, which programs have no file. */
static ag_status check_programs(lab_collection *c, ag_failure *why)
{
    int dropped = 0;
    for (int i = 0; i < bag_count(c->sources); i++) {
        const lab_source *source = &c->sources[i];
        if (check_options(c, source, why) || check_text(c, source, why)) return why->status;
        c->left += !lab_manifest_done(c->folder, source->name);
        dropped += lab_manifest_files(c->folder, source->name).dropped;
    }
    harness_say("%d programs, core %d, " LAB_CLOCK_NAME ", %d repeats", bag_count(c->sources),
                c->core, c->s->repeats);
    if (dropped) harness_say("%d files that were dropped as noise are tried again", dropped);
    return AG_OK;
}

/* A finished program is recorded in the manifest at once, so that a killed call loses one
   program. */
static ag_status record(lab_collection *c, const lab_source *source, const lab_program *p,
                        double seconds, ag_failure *why)
{
    json_t *facts = json_pack("{ss si so sO}", "family", p->family, "nodes", p->n, "seconds",
                              lab_real(seconds), "options", c->options);
    if (source->family) {
        json_object_set_new(facts, "number", json_integer(source->number));
        json_object_set_new(facts, "milliseconds", lab_real(c->s->milliseconds));
    }
    json_object_set_new(json_object_get(c->folder->root, "programs"), source->name, facts);
    return lab_manifest_save(c->folder, why);
}

static ag_status program(lab_collection *c, lab_source *source, ag_failure *why)
{
    const double now = harness_seconds();
    lab_program p;
    if (lab_manifest_done(c->folder, source->name)) return AG_OK;
    c->until = c->meter.deadline > 0 ? now + (c->meter.deadline - now) / c->left : 0;
    lab_manifest_forget(c->folder, source->name);
    if (!lab_source_program(&p, source, c->s->milliseconds, why) && !c->collect(c, &p, why) &&
        !c->meter.stopped && !harness_interrupted())
        record(c, source, &p, harness_seconds() - now, why);
    lab_program_clear(&p);
    c->left--;
    return why->status;
}

static void report(const lab_collection *c, int found)
{
    const lab_counts *m = &c->meter.counts;
    int missing = 0;
    for (int i = 0; i < bag_count(c->sources); i++)
        missing += !lab_manifest_done(c->folder, c->sources[i].name);
    if (found) harness_say("%d of them had their file", found);
    harness_say("%" PRId64 " files written to %s, %" PRId64 " more dropped as noise; %" PRId64
                " samples, %" PRId64 " taken again, %" PRId64 " kept though disturbed",
                c->files, c->s->out, c->dropped, m->samples, m->redone, m->disturbed);
    if (c->brief)
        harness_say("%" PRId64 " kernels take less than --least %" PRId64
                    " ns with their default tile and were left out",
                    c->brief, c->s->least);
    if (missing) harness_say("%d programs are left; the same command goes on with them", missing);
}

static void collect_all(lab_collection *c, ag_failure *why)
{
    const int found = bag_count(c->sources) - c->left;
    harness_progress_start(&c->bar, c->kind, found, bag_count(c->sources));
    c->bar.tenths = true;
    for (int i = 0; i < bag_count(c->sources) && !why->status && !lab_meter_late(&c->meter); i++)
        program(c, &c->sources[i], why);
    harness_progress_end(&c->bar);
    if (!why->status) report(c, found);
}

ag_status lab_collect(lab_collection *c, ag_failure *why)
{
    const lab_settings *s = c->s;
    const char *path = c->below ? harness_format("%s/%s", s->out, c->below) : s->out;
    json_object_set_new(c->options, "noise", lab_real(s->noise));
    json_object_set_new(c->options, "seed", json_integer(s->seed));
    if (!lab_core_check(s->core, why)) {
        c->meter = lab_meter_new((lab_measure_options){s->repeats, s->redo, s->threshold});
        if (s->minutes > 0) c->meter.deadline = harness_seconds() + 60 * s->minutes;
        c->core = lab_pin(s->core);
        if (c->core < 0)
            harness_warn("the system does not let the program stay on one core; expect more noise");
        c->sources = lab_sources(s, why);
        if (!why->status)
            c->folder =
                lab_manifest_open(path, c->kind, s->plan,
                                  lab_machine(c->core, s->repeats, s->redo, s->threshold), why);
        if (!why->status && !check_programs(c, why)) collect_all(c, why);
    }
    lab_manifest_free(c->folder);
    lab_sources_free(c->sources);
    lab_meter_free(&c->meter);
    json_decref(c->options);
    return why->status;
}
