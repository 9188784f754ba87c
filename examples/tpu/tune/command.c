/* SPDX-License-Identifier: MIT */
/* `tpu autotune`: programs of the lab, the searches of each, the folder. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "examples/tpu/tune/tune.h"

#include "examples/harness/run/bag.h"
#include "examples/lab/collect/configs.h"
#include "examples/lab/collect/sources.h"
#include "examples/lab/measure/clock.h"
#include "examples/tpu/tune/model.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

typedef struct tuner {
    const tpu_settings *s;
    tune_model fusion, tile;
    lab_meter meter;
    cpu_set_t cores; /* on which the program may run; it stays on one if `held` */
    bool held;
    lab_source *sources;
    int n_sources;
    tune_results results;
    harness_progress bar;
    const char *name; /* of the program at work */
} tuner;

/* ---- the meters ---- */

/* One program may take long. */
static void tick(tuner *t) { harness_progress_update(&t->bar, t->bar.done, t->name); }

static ag_status check_time(const tuner *t, ag_failure *why)
{
    if (t->meter.stopped || lab_meter_late(&t->meter)) ag_fail(why, AG_ESTOPPED, "the time is up");
    return why->status;
}

/* The thread is bound to the core only while it measures; threads that compute predictions are
   not. */
static ag_status measure(tuner *t, double *ns, lab_configs *configs, const int *which, int count,
                         ag_failure *why)
{
    lab_timing *timing = harness_alloc((size_t)count * sizeof *timing + 1);
    tick(t);
    if (t->held) lab_pin(t->s->core);
    lab_configs_measure(&t->meter, timing, configs, which, count, why);
    lab_run_free(configs->run);
    if (t->held) sched_setaffinity(0, sizeof t->cores, &t->cores);
    for (int i = 0; i < count; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    return check_time(t, why);
}

static ag_status measure_kernels(void *state, double *ns, const lab_fusion *kernels,
                                 ag_failure *why)
{
    lab_configs configs = {.fusion = kernels};
    return measure(state, ns, &configs, NULL, kernels->n, why);
}

static ag_status predict_kernels(void *state, double *ns, const lab_fusion *kernels,
                                 ag_failure *why)
{
    tuner *t = state;
    tick(t);
    return check_time(t, why) ? why->status : tune_model_times(&t->fusion, ns, kernels, why);
}

static ag_status measure_tiles(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                               const int *which, int count, ag_failure *why)
{
    lab_configs configs = {.program = kernel, .tile = tile};
    return measure(state, ns, &configs, which, count, why);
}

static ag_status score_tiles(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                             int count, ag_failure *why)
{
    return tune_model_tiles(&((tuner *)state)->tile, score, kernel, tile, count, why);
}

/* ---- programs ---- */

static ag_status search_program(tuner *t, lab_source *source, ag_failure *why)
{
    const tpu_settings *s = t->s;
    const tune_meters meters = {t, measure_kernels, t->fusion.runs.count ? predict_kernels : NULL,
                                measure_tiles, score_tiles};
    lab_program p = {0};
    tune_result result = {0};
    memcpy(result.name, source->name, sizeof result.name);
    lab_source_program(&p, source, s->milliseconds, why);
    if (t->results.wanted[TUNE_FUSION] && !why->status)
        tune_fusion_search(&result.part[TUNE_FUSION], &p, &meters, s, why);
    if (t->results.wanted[TUNE_TILES] && !why->status)
        tune_tiles_search(&result.part[TUNE_TILES], &p, &meters, s, why);
    lab_program_clear(&p);
    if (why->status)
        tune_part_clear(&result.part[TUNE_FUSION]);
    else
        bag_add(t->results.list, result);
    return why->status;
}

/* When the time is up, the program at work has no result. */
static ag_status search_programs(tuner *t, ag_failure *why)
{
    t->held = !sched_getaffinity(0, sizeof t->cores, &t->cores) && lab_pin(t->s->core) >= 0 &&
              !sched_setaffinity(0, sizeof t->cores, &t->cores);
    if (!t->held)
        harness_warn("the system does not let the program stay on one core; expect more noise");
    harness_progress_start(&t->bar, "autotune", 0, t->n_sources);
    t->bar.tenths = true;
    for (int i = 0; i < t->n_sources && !why->status; i++) {
        t->name = t->sources[i].name;
        harness_progress_update(&t->bar, i, t->name);
        search_program(t, &t->sources[i], why);
    }
    harness_progress_end(&t->bar);
    if (why->status != AG_ESTOPPED) return why->status;
    *why = (ag_failure){0};
    if (harness_interrupted())
        harness_say("interrupted when %d of the %d programs were done", bag_count(t->results.list),
                    t->n_sources);
    else if (!bag_count(t->results.list))
        ag_fail(why, AG_EUSE,
                "--minutes: %g are too short for the first of the %d programs; give more, or 0 for "
                "all the time that it takes",
                t->s->minutes, t->n_sources);
    else
        harness_warn("the time is up: %d of the %d programs are done; give more --minutes",
                     bag_count(t->results.list), t->n_sources);
    return why->status;
}

/* ---- the command ---- */

/* --force empties the folder, so it must hold nothing that the call reads. */
static ag_status check_out(const char *out, const char *run, const char *option, ag_failure *why)
{
    struct stat one, other;
    if (!run || stat(out, &one) || stat(run, &other) || one.st_dev != other.st_dev ||
        one.st_ino != other.st_ino)
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--out: %.200s is the folder of --%s, whose model would be lost; choose another",
                   out, option);
}

/* The folder is opened first: a place that is refused is named before anything is read. */
static ag_status open_all(tuner *t, harness_run **folder, const tpu_settings *s, ag_failure *why)
{
    const lab_settings lab = {
        .families = s->families, .text = s->text, .programs = s->programs, .first = s->first};
    const char *out = s->shell.common.out, *run = s->shell.common.run;
    *t = (tuner){.s = s,
                 .results = {.settings = s, .wanted = {run != NULL, s->tile_run != NULL}},
                 .meter = lab_meter_new(lab_measure_defaults())};
    if (s->minutes > 0) t->meter.deadline = harness_seconds() + 60 * s->minutes;
    if (!run && !s->tile_run)
        return ag_fail(why, AG_EUSE,
                       "tpu autotune needs --run RUN (a fusion model), --tile-run RUN (a tile "
                       "model) or both; \"tpu autotune --help\" lists the options");
    if (check_out(out, run, "run", why) || check_out(out, s->tile_run, "tile-run", why) ||
        !(*folder = harness_run_open(out, harness_mode(&s->shell.common), why)) ||
        lab_core_check(s->core, why) ||
        tune_model_open(&t->fusion, s, run, TPU_FUSION, "run", why) ||
        tune_model_open(&t->tile, s, s->tile_run, TPU_TILE, "tile-run", why))
        return why->status;
    t->n_sources = lab_sources(&t->sources, &lab, why);
    return why->status;
}

static void close_all(tuner *t)
{
    for (int i = 0; i < bag_count(t->results.list); i++)
        tune_part_clear(&t->results.list[i].part[TUNE_FUSION]);
    bag_free(t->results.list);
    lab_sources_free(t->sources);
    tune_model_close(&t->fusion);
    tune_model_close(&t->tile);
    lab_meter_free(&t->meter);
}

static ag_status show(const tune_results *r, ag_failure *why)
{
    if (r->settings->shell.common.json) return harness_json_print(tune_json(r), why);
    for (tune_kind kind = 0; kind < TUNE_KINDS; kind++) {
        if (!r->wanted[kind]) continue;
        harness_table *table = tune_table(r, kind);
        if (kind == TUNE_TILES && r->wanted[TUNE_FUSION]) printf("\n");
        harness_table_print(stdout, table);
        harness_table_free(table);
    }
    return AG_OK;
}

/* Mean best so far after each measurement, a column per search. */
static ag_status write_metrics(harness_run *run, const tune_results *r, ag_failure *why)
{
    const tpu_settings *s = r->settings;
    const int most = s->measurements > s->verify ? s->measurements : s->verify;
    for (int m = 1; m <= most && r->wanted[TUNE_FUSION] && !why->status; m++) {
        double value[TUNE_MOST];
        for (int i = 0; i < TUNE_MOST; i++)
            value[i] = m <= tune_budget(r, i) ? tune_mean(r, TUNE_FUSION, i, m) : (double)NAN;
        harness_run_metrics(run, m, value, why);
    }
    return why->status;
}

static ag_status search_and_show(tuner *t, harness_run *run, harness_call *call, ag_failure *why)
{
    const char *out = t->s->shell.common.out;
    if (harness_run_config(run, call->options, why) || search_programs(t, why) ||
        !bag_count(t->results.list) || harness_run_stays(run, why) ||
        write_metrics(run, &t->results, why) || tune_report(&t->results, out, call, why) ||
        show(&t->results, why))
        return why->status;
    harness_say("the results are in %s; open %s/" HARNESS_REPORT, out, out);
    return AG_OK;
}

ag_status tpu_autotune_command(harness_call *call, ag_failure *why)
{
    static const char *const columns[] = {"hardware_default", "learned_default", "hardware_random",
                                          "learned_random"};
    const tpu_settings *s = call->values;
    tuner t;
    harness_run *run = NULL;
    ag_failure closing = {0};
    if (!open_all(&t, &run, s, why) && !harness_run_begin(run, columns, TUNE_MOST, why))
        search_and_show(&t, run, call, why);
    if (harness_run_close(run, &closing) && !why->status) *why = closing;
    close_all(&t);
    return why->status;
}
