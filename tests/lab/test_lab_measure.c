/* SPDX-License-Identifier: MIT */
/* Measuring with a clock of the test's own: disturbed samples are taken again, the smallest sample
   and the spread are right. */
#include "support/test.h"
#include "core/error.h"
#include "examples/lab/measure/measure.h"

enum { CONFIGS = 4, PROBE = 10000, MOST = 4000 };

/* A machine whose time passes only when something runs. */
typedef struct machine {
    int64_t time, cost[CONFIGS]; /* ns of a run */
    int64_t slow_from, slow_to;  /* all takes four times as long between these times */
    int64_t jitter;              /* added to every third run */
    int config, prepares, probes, runs[CONFIGS], order[MOST], n_order, refuse;
} machine;

static void pass(machine *m, int64_t ns)
{
    const int slow = m->time >= m->slow_from && m->time < m->slow_to;
    m->time += slow ? 4 * ns : ns;
}

static ag_status prepare(void *state, int config, ag_failure *why)
{
    machine *m = state;
    if (config == m->refuse) return ag_fail(why, AG_EUSE, "configuration %d is refused", config);
    m->config = config;
    m->prepares++;
    if (m->n_order < MOST) m->order[m->n_order++] = config;
    return AG_OK;
}

static void go(void *state)
{
    machine *m = state;
    const int i = ++m->runs[m->config];
    pass(m, m->cost[m->config] + (i % 3 == 0 ? m->jitter : 0));
}

/* Of each test: a new machine and a new meter with these options. */
static machine m;
static lab_meter meter;
static lab_timing t[CONFIGS];

static void probe(void)
{
    m.probes++;
    pass(&m, PROBE);
}

static int64_t now(void) { return m.time; }

static void start_with(lab_measure_options o)
{
    lab_meter_free(&meter);
    m = (machine){.cost = {1000000, 2000000, 3000000, 400}, .refuse = -1};
    meter = lab_meter_new(o);
}

static int start(void **state)
{
    start_with(lab_measure_defaults());
    return 0;
}

static int drop(void **state)
{
    lab_meter_free(&meter);
    meter = (lab_meter){0};
    return 0;
}

static ag_status measure(int configs, ag_failure *why)
{
    lab_subject s = {&m, prepare, go, probe, now};
    return lab_measure(&meter, t, &s, configs, why);
}

static void measure_all(int configs) { expect_ok(measure(configs, new_failure())); }

static void smallest_and_spread(void **state)
{
    m.jitter = 300000;
    measure_all(3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t[i].ns, m.cost[i]);
        assert_int_equal(t[i].loops, 1);
        assert_int_equal(m.runs[i], 6); /* one to warm up, five samples */
    }
    assert_int_equal(meter.counts.samples, 15);
    assert_int_equal(meter.counts.redone, 0);
    assert_int_equal(lab_meter_best(&meter), PROBE);
    assert_true(t[0].spread == 0); /* runs 2 to 6 are samples, and 3 and 6 of them late */
}

/* The median of an even number is between the two in the middle. */
static void spread_of_four(void **state)
{
    lab_measure_options o = lab_measure_defaults();
    o.repeats = 2;
    start_with(o);
    m.jitter = 200000;
    measure_all(1); /* runs 2 and 3: 1 and 1.2 ms */
    assert_int_equal(t[0].ns, 1000000);
    assert_true(fabs(t[0].spread - 0.1) < 1e-12);
}

static void samples_take_turns(void **state)
{
    measure_all(CONFIGS);
    assert_int_equal(m.n_order, 5 * CONFIGS);
    for (int i = 0; i < m.n_order; i++) assert_int_equal(m.order[i], i % CONFIGS);
}

static void short_runs_are_looped(void **state)
{
    m.cost[1] = 0; /* faster than the clock: still at least 1 ns, and it ends */
    m.cost[3] = 400;
    measure_all(CONFIGS);
    assert_int_equal(t[3].ns, 400);
    assert_in_range(t[3].loops, 50, 60); /* 20 us */
    assert_int_equal(t[1].ns, 1);
}

/* The machine is slow for 30 ms: no sample of that time stays. */
static void disturbed_samples_are_redone(void **state)
{
    m.slow_from = 10000000;
    m.slow_to = 40000000;
    measure_all(3);
    assert_true(meter.counts.redone > 0);
    assert_int_equal(meter.counts.disturbed, 0);
    assert_int_equal(meter.counts.samples, 15 + meter.counts.redone);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t[i].ns, m.cost[i]);
        assert_true(t[i].spread < 1e-9); /* all five are undisturbed */
    }
}

/* A machine that stays slow does not keep the batch for ever, and is believed after a while. */
static void redoing_ends(void **state)
{
    m.slow_from = 2000000;
    m.slow_to = INT64_MAX;
    measure_all(2);
    assert_int_equal(meter.counts.disturbed, 10);
    assert_int_equal(meter.counts.redone, 10 * meter.options.redo);
    assert_int_equal(t[1].ns, 4 * m.cost[1]);
    for (int i = 0; i < 500; i++) measure_all(2);
    const int64_t redone = meter.counts.redone;
    measure_all(2);
    assert_int_equal(meter.counts.redone, redone);
    assert_int_equal(lab_meter_best(&meter), 4 * PROBE);
}

static void stops_and_failures(void **state)
{
    meter.deadline = 1e-9; /* long ago */
    measure_all(3);
    assert_int_equal(meter.stopped, 1);
    assert_true(meter.counts.samples < 15);
    meter.deadline = 0;
    m.refuse = 2;
    assert_int_equal(measure(3, new_failure()), AG_EUSE);
    assert_string_equal(last_failure()->sentence, "configuration 2 is refused");
}

static void the_real_clock(void **state)
{
    int64_t from = lab_now(), best = INT64_MAX;
    for (int i = 0; i < 100; i++) {
        int64_t start = lab_now();
        lab_probe();
        int64_t took = lab_now() - start;
        assert_true(took >= 0);
        if (took < best) best = took;
    }
    assert_in_range(best, 100, 1000000);
    assert_true(lab_now() - from >= 100 * best);
    const int core = lab_pin(-1);
    assert_true(core >= 0);
    assert_int_equal(lab_pin(core), core);
    assert_int_equal(lab_pin(1 << 20), -1);
}

int main(void)
{
    return RUN_TESTS_EACH(start, drop, smallest_and_spread, spread_of_four, samples_take_turns,
                          short_runs_are_looped, disturbed_samples_are_redone, redoing_ends,
                          stops_and_failures, the_real_clock);
}
