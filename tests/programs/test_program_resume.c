/* SPDX-License-Identifier: MIT */
/* The same bytes, for every model: from run to run, with 1 and 2 threads, interrupted or killed and
   resumed; what is refused, and studies that continue. */
#include "support/test.h"
#include "examples/tgraph/program.h"
#include "support/program_models.h"
#include "support/program_stop.h"
#include "support/tgraph_npz.h"
#include "support/files.h"

#include <signal.h>
#include <unistd.h>

enum { STEPS = 60, SAVE_EVERY = 13 };

static const struct {
    int signal, code;
} stops[] = {{SIGINT, 130}, {SIGTERM, 130}, {SIGHUP, 130}, {SIGKILL, -1}};
enum { STOPS = sizeof stops / sizeof *stops };

/* ---- runs that nothing stops ---- */

/* Every graph network and reduction has its own order of sums. */
static const struct {
    int of;
    const char *options;
} others[] = {
    {2, " --steps 20 --gnn gat --reduction transformer"},
    {2, " --steps 20 --gnn none --reduction column --module-layers 2 --tile-at kernel"},
    {4, " --steps 20 --gnn sage --direction undirected --module-l2"},
    {4, " --steps 20 --gnn gat --reduction node"},
};

static void expect_same_runs(const program_model *m, const char *name, const char *options)
{
    char run[3][64];
    for (int k = 0; k < 3; k++) {
        snprintf(run[k], sizeof run[k], "%s-%d", name, k);
        const char *more = formatted("%s%s --threads %d", PROGRAM_LONG, options, 1 + k / 2);
        program_train(m, run[k], more, 0);
        if (k) program_expect_same(run[0], run[k]);
    }
}

static void three_runs_and_two_threads(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        expect_same_runs(m, m->name, "");
        const char *name = formatted("%s-seed", m->name);
        program_train(m, name, PROGRAM_LONG " --steps 20 --seed 1", 0);
        assert_true(program_hash_of(formatted("%s/last.safetensors", name)) !=
                    program_hash_of(formatted("%s-0/last.safetensors", m->name)));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *name = formatted("other-%d", (int)i);
        expect_same_runs(&program_models[others[i].of], name, others[i].options);
    }
}

/* ---- runs that are stopped ---- */

/* timing.jsonl has the time of training up to each of these steps; 0 ends them. */
static void expect_timed(const int *step, const char *run)
{
    for (char part[64]; *step; step++) {
        snprintf(part, sizeof part, "{\"step\": %d, \"training\": ", *step);
        program_expect_in(part, "%s/timing.jsonl", run);
    }
}

/* Stops in a random step, then twice in a random one of those that are left, and finishes. */
static void stop_at_random(ag_random *r, const program_model *m, int signal, int code)
{
    int done = 0;
    const char *run = formatted("%s-random-%d", m->name, signal);
    const char *whole = formatted("%s-0", m->name);
    for (int k = 0; k < 3 && done < STEPS; k++) {
        const int step = 1 + (int)ag_random_below(r, (uint32_t)(STEPS - done));
        program_stop_in(step, signal);
        if (k)
            program_expect_line(code, "", "", "%s train --out %s --resume" PROGRAM_QUIET,
                                m->program->name, run);
        else
            program_train(m, run, PROGRAM_LONG, code);
        done += step;
        if (signal == SIGKILL) done = (done - 1) / SAVE_EVERY * SAVE_EVERY;
    }
    program_stop_in(0, 0);
    program_resume(m, run, " --threads 1");
    program_expect_same(run, whole);
    expect_timed((const int[]){13, 20, 26, 39, 40, 52, 60, 0}, run);
}

static void stopped_at_random(void **state)
{
    ag_random r = program_random();
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        stop_at_random(&r, &program_models[i], i % 2 ? SIGINT : SIGTERM, 130);
        stop_at_random(&r, &program_models[i], SIGKILL, -1);
    }
}

/* The signal comes at any time: when metrics.jsonl has reached a length. */
static void stopped_at_any_time(void **state)
{
    static const long lengths[] = {0, 150, 400, 700, 1000};
    int caught = 0;
    for (int i = 0; i < PROGRAM_MODELS * STOPS; i++) {
        const program_model *m = &program_models[i / STOPS];
        const int k = i % 5, stop = i % STOPS;
        const char *run = formatted("%s-at-%d", m->name, stops[stop].signal);
        const char *whole = formatted("%s-0", m->name);
        const char *name = formatted("%s/%s", run, k ? "metrics.jsonl" : "config.json");
        const char *line = formatted("%s train --out %s%s" PROGRAM_LONG " --threads %d",
                                     m->program->name, run, m->train, 1 + k % 2);
        const program_outcome o = program_call_signal(line, stops[stop].signal, name, lengths[k]);
        if (o.code == 0) continue; /* it finished first */
        if (o.code != stops[stop].code) fail_msg("%s: exit %d: %s", line, o.code, o.err);
        caught++;
        program_resume(m, run, "");
        program_expect_same(run, whole);
    }
    print_message("%d of %d stopped\n", caught, PROGRAM_MODELS * STOPS);
    assert_true(caught >= PROGRAM_MODELS);
}

/* The signal comes when all is done but the scores and the report. */
static void stopped_behind_the_last_step(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *const name = m->program->name;
        const char *run = formatted("%s-last", m->name);
        program_stop_in(8, SIGINT);
        program_outcome o = program_train(m, run, " --steps 8", 130);
        const char *sentence = formatted(
            "%s: interrupted after all 8 steps, before the scores and the report were ready; "
            "make them with --resume\n",
            name);
        assert_non_null(strstr(o.err, sentence));
        assert_null(strstr(o.err, "baselines"));
        assert_null(strstr(o.err, "the run is in"));
        program_stop_in(0, 0);
        sentence = formatted("the run is in %s; open %s/report.html", run, run);
        o = program_expect_line(0, m->program->model->held_out, sentence,
                                "%s train --out %s --resume", name, run);
        assert_null(strstr(o.err, "interrupted"));
        run = formatted("%s-early", m->name);
        program_stop_in(3, SIGINT);
        o = program_train(m, run, " --steps 8", 130);
        program_stop_in(0, 0);
        sentence = formatted("%s: interrupted after step 3 of 8; go on with --resume\n", name);
        assert_non_null(strstr(o.err, sentence));
    }
}

/* A study that was interrupted is not a run to --resume. */
static void stopped_study(void **state)
{
    program_write_text("study.ini", "[study]\nseeds = 0\n[all]\n");
    for (const program_model *m = program_models; m->name; m++) {
        const char *line = formatted("%s ablate --study study.ini --out study-%s --steps 8%s",
                                     m->program->name, m->name, m->train);
        const char *sentence = formatted(
            "%s: interrupted after step 3 of 8; the same command goes on\n", m->program->name);
        program_stop_in(3, SIGINT);
        program_expect(line, 130, "", sentence);
        program_stop_in(8 - 3, SIGINT);
        const program_outcome o =
            program_expect(line, 130, "", "were ready; the same command makes them\n");
        assert_null(strstr(o.err, "--resume"));
        program_stop_in(0, 0);
        program_expect(line, 0, "all", "");
        expect_timed((const int[]){3, 8, 0}, formatted("study-%s/all/seed-0", m->name));
    }
}

/* Steps of several batches: the same with threads and resumed, and other than those of one. */
static void steps_of_several_batches(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        if (program_model_again(m)) continue;
        char name[64], run[80];
        snprintf(name, sizeof name, "%s-shards", m->name);
        snprintf(run, sizeof run, "%s-stopped", name);
        expect_same_runs(m, name, " --steps 20 --shards 3");
        program_stop_in(15, SIGKILL);
        program_train(m, run, PROGRAM_LONG " --steps 20 --shards 3", -1);
        program_stop_in(0, 0);
        program_expect_line(2, "", "--resume: shards", "%s train --out %s --resume --shards 2",
                            m->program->name, run);
        program_resume(m, run, "");
        program_expect_same(run, formatted("%s-0", name));
        program_train(m, formatted("%s-one", name), PROGRAM_LONG " --steps 20 --shards 1", 0);
        program_train(m, formatted("%s-none", name), PROGRAM_LONG " --steps 20", 0);
        program_expect_same(formatted("%s-one", name), formatted("%s-none", name));
        assert_true(program_hash_of(formatted("%s-0/last.safetensors", name)) !=
                    program_hash_of(formatted("%s-one/last.safetensors", name)));
    }
}

/* ---- a folder that is replaced ---- */

static void move_again(int signal)
{
    (void)signal;
    if (rename("removed", "moved") == 0 && rename("again", "removed") == 0) return;
    _exit(1);
}

static void move_on_signal(void) { signal(SIGUSR1, move_again); }

/* Another run has its folder: what is there stays as it is, whether steps are left or only the
   report. */
static void removed_and_begun_again(void **state)
{
    static const char *const files[] = {"config.json",   "last.safetensors", "best.safetensors",
                                        "metrics.jsonl", "report.html",      "plots/curves.tsv"};
    static const int at[] = {1, 14, STEPS};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const program_model *m = &program_models[i];
        uint64_t before[6];
        program_train(m, "again", PROGRAM_LONG " --seed 1", 0);
        for (int k = 0; k < 6; k++) before[k] = program_hash_of(formatted("again/%s", files[k]));
        program_before = move_on_signal;
        program_stop_in(at[i], SIGUSR1);
        const program_outcome o = program_train(m, "removed", PROGRAM_LONG, 3);
        program_stop_in(0, 0);
        program_before = NULL;
        assert_non_null(strstr(o.err, "the folder removed was removed, moved or replaced while"));
        for (int k = 0; k < 6; k++)
            assert_true(program_hash_of(formatted("removed/%s", files[k])) == before[k]);
        assert_int_equal(system(formatted("cd %s && rm -r removed moved", test_folder)), 0);
    }
}

/* The linker calls this for ag_npz_open: a child gets a signal with the file that is asked for, and
   tells of those that it asks for later. */
static int stop_file;
ag_npz *__real_ag_npz_open(const char *, size_t, ag_failure *);
ag_npz *__wrap_ag_npz_open(const char *path, size_t limit, ag_failure *why)
{
    static int stopped;
    if (stopped) fprintf(stderr, "%s is opened after the interrupt\n", path);
    if (stop_file && --stop_file == 0) stopped = !raise(SIGINT);
    return __real_ag_npz_open(path, limit, why);
}

static void expect_stopped(const char *line, int file)
{
    stop_file = file;
    const program_outcome o = program_call(line);
    stop_file = 0;
    if (o.code != 130 || strstr(o.err, "baselines") || strstr(o.err, "after the interrupt"))
        fail_msg("%s: exit %d: %s", line, o.code, o.err);
}

static void stopped_at_the_first_file(void **state)
{
    for (const program_model *m = program_models; m->name; m++)
        expect_stopped(formatted("%s train --out %s-unread%s", m->program->name, m->name, m->train),
                       1);
}

/* Training files that are not read to the end are none that have changed. */
static void stopped_before_the_baselines(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *line =
            formatted("%s eval --run %s-last --data %s", m->program->name, m->name, m->data);
        const int one = strstr(m->train, "--split") != NULL; /* file, split within */
        expect_stopped(line, one ? 1 : 2);
    }
}

/* ---- options and data ---- */

static void expect_refused(const program_model *m, const char *more, const char *sentence)
{
    const program_outcome o = program_expect_line(
        2, "", sentence, "%s train --out %s-seed --resume %s", m->program->name, m->name, more);
    assert_null(strstr(o.err, "fitting")); /* trees, which takes a minute */
}

/* The file gets the bytes of another one. */
static void swap(const char *name, const char *with)
{
    size_t bytes = 0;
    void *all = files_get(test_file(with), &bytes);
    assert_non_null(all);
    assert_int_equal(files_put(test_file(name), all, bytes), 0);
    free(all);
}

/* Options that would change the result are refused, with their names; so are other data. */
static void refused(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        const char *more = formatted("--%s %s", m->option, m->value);
        const char *sentence = formatted("--resume: %s", m->option);
        expect_refused(m, more, sentence);
        more = formatted("--data %s", m->data);
        expect_refused(m, more, "--resume: data");
        const char *run = formatted("%s-seed", m->name),
                   *last = formatted("%s/last.safetensors", run);
        assert_non_null(strstr(program_train(m, run, PROGRAM_LONG, 2).err, "is not empty"));
        const uint64_t before = program_hash_of(last);
        program_expect_line(0, m->program->model->held_out, "",
                            "%s train --out %s-seed --resume --threads 2 --quiet --no-baselines",
                            m->program->name, m->name);
        assert_true(program_hash_of(last) == before);
    }
    expect_refused(&program_models[2], "--preset gat-lstm-tile", "--resume: ");
    expect_refused(&program_models[5], "--preset paper", "--resume: ");
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        swap(program_model_first(&program_models[i]), program_models[i].data);
        expect_refused(&program_models[i], "--threads 1", "the data have changed");
    }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, three_runs_and_two_threads,
                          stopped_at_random, stopped_at_any_time, stopped_behind_the_last_step,
                          stopped_study, steps_of_several_batches, removed_and_begun_again,
                          stopped_at_the_first_file, stopped_before_the_baselines, refused);
}
