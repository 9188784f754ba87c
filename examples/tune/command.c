/* SPDX-License-Identifier: MIT */
/* `tpu autotune`: programs of the lab, the searches of each, the folder. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "examples/tune/tune.h"

#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/lab/collect/sources.h"

#include <sched.h>
#include <string.h>
#include <sys/stat.h>

typedef struct tuner {
    const tpu_settings *s;
    harness_runs model;
    tpu_task task; /* of the model */
    lab_meter meter;
    cpu_set_t cores; /* on which the program may run; it stays on one if `held` */
    bool held;
    lab_source *sources;
    tune_result *results; /* a bag */
    harness_progress bar;
    const char *name; /* of the program at work */
} tuner;

/* One program may take long. */
static ag_status tick(tuner *t, ag_failure *why)
{
    harness_progress_update(&t->bar, t->bar.done, t->name);
    if (lab_meter_late(&t->meter)) ag_fail(why, AG_ESTOPPED, "the time is up");
    return why->status;
}

/* The thread is bound to the core only while it measures; threads that compute predictions are
   not. */
static ag_status measure(void *state, double *ns, const lab_configs *configs, const int *which,
                         int count, ag_failure *why)
{
    tuner *t = state;
    lab_configs own = *configs;
    lab_timing *timing = HARNESS_NEW(timing, count);
    if (t->held) lab_pin(t->s->core);
    lab_configs_measure(&t->meter, timing, &own, which, count, why);
    lab_run_free(own.run);
    if (t->held) sched_setaffinity(0, sizeof t->cores, &t->cores);
    for (int i = 0; i < count; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    return tick(t, why);
}

static ag_status predict(void *state, double *ns, const lab_configs *configs, const int *which,
                         int count, ag_failure *why)
{
    tuner *t = state;
    return tick(t, why) ? why->status
                        : tune_model_predict(&t->model, t->s, ns, configs, which, count, why);
}

static ag_status search_program(tuner *t, lab_source *source, ag_failure *why)
{
    tune_search *const search = t->task == TPU_TILE ? tune_tiles_search : tune_fusion_search;
    const tune_meters meters = {t, {measure, predict}};
    lab_program p = {0};
    tune_result result = {0};
    memcpy(result.name, source->name, sizeof result.name);
    if (!lab_source_program(&p, source, t->s->milliseconds, why) &&
        !search(&result, &p, &meters, t->s, why))
        bag_add(t->results, result);
    lab_program_clear(&p);
    return why->status;
}

/* When the time is up, the program at work has no result. */
static ag_status search_programs(tuner *t, ag_failure *why)
{
    t->held = !sched_getaffinity(0, sizeof t->cores, &t->cores) && lab_pin(t->s->core) >= 0 &&
              !sched_setaffinity(0, sizeof t->cores, &t->cores);
    if (!t->held)
        harness_warn("the system does not let the program stay on one core; expect more noise");
    harness_progress_start(&t->bar, "autotune", 0, bag_count(t->sources));
    t->bar.tenths = true;
    for (int i = 0; i < bag_count(t->sources) && !why->status; i++) {
        t->name = t->sources[i].name;
        harness_progress_update(&t->bar, i, t->name);
        search_program(t, &t->sources[i], why);
    }
    harness_progress_end(&t->bar);
    if (why->status != AG_ESTOPPED) return why->status;
    *why = (ag_failure){0};
    if (harness_interrupted())
        harness_say("interrupted when %d of the %d programs were done", bag_count(t->results),
                    bag_count(t->sources));
    else if (!bag_count(t->results))
        ag_fail(why, AG_EUSE,
                "--minutes: %g are too short for the first of the %d programs; give more, or 0 for "
                "all the time that it takes",
                t->s->minutes, bag_count(t->sources));
    else
        harness_warn("the time is up: %d of the %d programs are done; give more --minutes",
                     bag_count(t->results), bag_count(t->sources));
    return why->status;
}

/* --force empties the folder, so it must hold nothing that the call reads. */
static ag_status check_out(const harness_common *common, ag_failure *why)
{
    struct stat out;
    if (stat(common->out, &out) || !harness_files_is(common->run, &out)) return AG_OK;
    return ag_fail(
        why, AG_EUSE,
        "--out: %.200s is the folder of --run, and its model would be lost; choose another",
        common->out);
}

/* The folder is opened first: a place that is refused is named before anything is read. */
static ag_status open_all(tuner *t, harness_run **run, const harness_call *call, ag_failure *why)
{
    const tpu_settings *s = t->s;
    const harness_common *common = &s->harness.common;
    const lab_settings lab = {
        .families = s->families, .text = s->text, .programs = s->programs, .first = s->first};
    t->meter = lab_meter_new(lab_measure_defaults());
    if (s->minutes > 0) t->meter.deadline = harness_seconds() + 60 * s->minutes;
    if (!common->run)
        return ag_fail(why, AG_EUSE,
                       "tpu autotune needs --run RUN or --model NAME, a tile or a fusion model; "
                       "\"tpu autotune --help\" lists the options");
    if (check_out(common, why) ||
        !(*run = harness_run_open(common->out, harness_mode(common), why)) ||
        lab_core_check(s->core, why) || harness_runs_open(&t->model, &tpu_hooks, &s->harness, why))
        return why->status;
    t->task = ((const tpu_trained *)t->model.run[0].net)->model.options.task;
    if (!harness_options_act(call->options, tune_files(t->task), why))
        t->sources = lab_sources(&lab, why);
    return why->status;
}

ag_status tpu_autotune_command(harness_call *call, ag_failure *why)
{
    tuner t = {.s = call->values};
    const char *out = t.s->harness.common.out;
    harness_run *run = NULL;
    ag_failure closing = {0};
    if (!open_all(&t, &run, call, why) && !harness_run_begin(run, NULL, 0, why) &&
        !harness_run_config(run, call->options, why) && !search_programs(&t, why) &&
        bag_count(t.results) && !harness_run_stays(run, why) &&
        !tune_report(&t.results, t.task, call, why))
        harness_say("the results are in %s; open %s/" HARNESS_REPORT, out, out);
    if (harness_run_close(run, &closing) && !why->status) *why = closing;
    bag_free(t.results);
    lab_sources_free(t.sources);
    harness_runs_close(&t.model);
    lab_meter_free(&t.meter);
    return why->status;
}
