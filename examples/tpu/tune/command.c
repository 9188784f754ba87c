/* SPDX-License-Identifier: MIT */
/* `tpu autotune`: programs of the lab, the searches of each, the folder. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "examples/tpu/tune/results.h"

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
    int free; /* 1: the system does not let the program stay on a core */
    lab_source *sources;
    int n_sources;
    tune_results results;
    harness_progress bar;
    const char *name; /* of the program at work */
} tuner;

/* ---- the meters ---- */

/* One program may take long. */
static void tick(tuner *t) { harness_progress_update(&t->bar, t->bar.done, t->name); }

/* Returns whether the affinity can be restored to `before`. */
static int hold(tuner *t, cpu_set_t *before)
{
    const int known = !sched_getaffinity(0, sizeof *before, before);
    if (known && lab_pin(t->s->core) >= 0) return 1;
    if (!t->free)
        harness_warn("the system does not let the program stay on one core; expect more noise");
    t->free = 1;
    return known;
}

/* The thread is bound to the core only while it measures; threads that compute predictions are
   not. */
static ag_status measure(tuner *t, double *ns, lab_configs *configs, const int *which, int count,
                         int *stop, ag_failure *why)
{
    cpu_set_t before;
    lab_timing *timing = harness_alloc((size_t)count * sizeof *timing + 1);
    tick(t);
    const int held = hold(t, &before);
    lab_configs_measure(&t->meter, timing, configs, which, count, why);
    lab_run_free(configs->run);
    if (held) sched_setaffinity(0, sizeof before, &before);
    for (int i = 0; i < count; i++) ns[i] = (double)timing[i].ns;
    harness_free(timing);
    *stop = t->meter.stopped || lab_meter_late(&t->meter);
    return why->status;
}

static ag_status measure_kernels(void *state, double *ns, const lab_fusion *kernels, int *stop,
                                 ag_failure *why)
{
    lab_configs configs = {.fusion = kernels};
    return measure(state, ns, &configs, NULL, kernels->n, stop, why);
}

static ag_status predict_kernels(void *state, double *ns, const lab_fusion *kernels, int *stop,
                                 ag_failure *why)
{
    tuner *t = state;
    tick(t);
    *stop = lab_meter_late(&t->meter);
    return *stop ? AG_OK : tune_model_times(&t->fusion, ns, kernels, why);
}

static ag_status measure_tiles(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                               const int *which, int count, int *stop, ag_failure *why)
{
    lab_configs configs = {.program = kernel, .tile = tile};
    return measure(state, ns, &configs, which, count, stop, why);
}

static ag_status score_tiles(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                             int count, ag_failure *why)
{
    return tune_model_tiles(&((tuner *)state)->tile, score, kernel, tile, count, why);
}

/* ---- programs ---- */

static ag_status search_fusion(tuner *t, tune_result *result, const lab_program *p, int *stop,
                               ag_failure *why)
{
    const tpu_settings *s = t->s;
    const int both = s->start == TUNE_STARTS;
    const tune_meters meters = {
        {.state = t, .price = measure_kernels, .factor = 1},
        {.state = t, .price = t->fusion.runs.count ? predict_kernels : NULL, .factor = 1}};
    const tune_fusion_options options = {
        .wanted = {both || s->start == TUNE_DEFAULT, both || s->start == TUNE_RANDOM},
        .measurements = {s->measurements, s->verify},
        .steps = s->search_steps,
        .seed = (uint64_t)s->shell.common.seed};
    return tune_fusion_search(&result->fusion, p, &meters, &options, stop, why);
}

static ag_status search_tiles(tuner *t, tune_result *result, const lab_program *p, int *stop,
                              ag_failure *why)
{
    const tune_tile_meters meters = {t, measure_tiles, score_tiles, measure_kernels};
    return tune_tiles_search(&result->tiles, p, &meters, t->s->tiles,
                             (uint64_t)t->s->shell.common.seed, stop, why);
}

/* Returns with *stop set when the time is up; the program then has no result. */
static ag_status search_program(tuner *t, const lab_source *source, int *stop, ag_failure *why)
{
    lab_program p = {0};
    tune_result result = {0};
    if (!lab_source_program(&p, source, t->s->milliseconds, why)) {
        memcpy(result.name, source->name, sizeof result.name);
        result.nodes = p.n;
        if (t->results.fusion) search_fusion(t, &result, &p, stop, why);
        if (t->results.tiles && !why->status && !*stop) search_tiles(t, &result, &p, stop, why);
    }
    lab_program_clear(&p);
    if (why->status || *stop)
        tune_fusion_clear(&result.fusion);
    else
        bag_add(t->results.list, result);
    return why->status;
}

static ag_status search_programs(tuner *t, ag_failure *why)
{
    int stop = 0;
    harness_progress_start(&t->bar, "autotune", 0, t->n_sources);
    t->bar.tenths = true;
    for (int i = 0; i < t->n_sources && !why->status && !stop; i++) {
        t->name = t->sources[i].name;
        harness_progress_update(&t->bar, i, t->name);
        search_program(t, &t->sources[i], &stop, why);
    }
    harness_progress_end(&t->bar);
    if (why->status || !stop) return why->status;
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

static ag_status open_all(tuner *t, const tpu_settings *s, ag_failure *why)
{
    const lab_settings lab = {
        .families = s->families, .text = s->text, .programs = s->programs, .first = s->first};
    *t =
        (tuner){.s = s, .results = {.settings = s}, .meter = lab_meter_new(lab_measure_defaults())};
    if (s->minutes > 0) t->meter.deadline = harness_seconds() + 60 * s->minutes;
    if (!s->shell.common.run && !s->tile_run)
        return ag_fail(why, AG_EUSE,
                       "tpu autotune needs --run RUN (a fusion model), --tile-run RUN (a tile "
                       "model) or both; \"tpu autotune --help\" lists the options");
    t->results.fusion = s->shell.common.run != NULL;
    t->results.tiles = s->tile_run != NULL;
    if (check_out(s->shell.common.out, s->shell.common.run, "run", why) ||
        check_out(s->shell.common.out, s->tile_run, "tile-run", why) ||
        harness_run_check(s->shell.common.out, harness_mode(&s->shell.common), why) ||
        lab_core_check(s->core, why))
        return why->status;
    if (tune_model_open(&t->fusion, s, s->shell.common.run, TPU_FUSION, "run", why) ||
        tune_model_open(&t->tile, s, s->tile_run, TPU_TILE, "tile-run", why))
        return why->status;
    t->n_sources = lab_sources(&t->sources, &lab, why);
    return why->status;
}

static void close_all(tuner *t)
{
    for (int i = 0; i < bag_count(t->results.list); i++)
        tune_fusion_clear(&t->results.list[i].fusion);
    bag_free(t->results.list);
    lab_sources_free(t->sources);
    tune_model_close(&t->fusion);
    tune_model_close(&t->tile);
    lab_meter_free(&t->meter);
}

static ag_status show(const tuner *t, ag_failure *why)
{
    const tune_results *r = &t->results;
    if (t->s->shell.common.json) return harness_json_print(tune_json(r), why);
    harness_table *table[] = {tune_fusion_table(r), tune_tiles_table(r)};
    for (int i = 0; i < 2; i++) {
        if (table[i]) harness_table_print(stdout, table[i]);
        if (i == 0 && table[0] && table[1]) printf("\n");
    }
    for (int s = 0; s < TUNE_STARTS && table[0]; s++) {
        const double share = tune_share(r, (tune_start)s, 0);
        if (share == share)
            printf("from %s: learned with %d measurements reaches %.1f %% of the speed-up of "
                   "hardware with %d\n",
                   tune_start_name(s * TUNE_WAYS), t->s->verify, 100 * share, t->s->measurements);
    }
    harness_table_free(table[0]);
    harness_table_free(table[1]);
    return AG_OK;
}

/* Mean best so far after each measurement, a column per search. */
static ag_status write_metrics(harness_run *run, const tune_results *r, ag_failure *why)
{
    for (int m = 1; m <= tune_most_budget(r) && r->fusion && !why->status; m++) {
        double value[TUNE_SEARCHES];
        for (int i = 0; i < TUNE_SEARCHES; i++)
            value[i] = m <= tune_budget(r, i) ? tune_mean_speedup(r, i, m) : (double)NAN;
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
        show(t, why))
        return why->status;
    harness_say("the results are in %s; open %s/" HARNESS_REPORT, out, out);
    return AG_OK;
}

ag_status tpu_autotune_command(harness_call *call, ag_failure *why)
{
    static const char *const columns[] = {"hardware_default", "learned_default", "hardware_random",
                                          "learned_random"};
    const tpu_settings *s = call->values;
    tuner *t = harness_alloc(sizeof *t); /* its meter remembers thousands of probes */
    harness_run *run = NULL;
    if (!open_all(t, s, why))
        run =
            harness_run_open(s->shell.common.out, harness_mode(&s->shell.common), columns, 4, why);
    if (run) {
        ag_failure closing = {0};
        search_and_show(t, run, call, why);
        if (harness_run_close(run, &closing) && !why->status) *why = closing;
    }
    close_all(t);
    harness_free(t);
    return why->status;
}
