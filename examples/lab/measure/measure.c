/* SPDX-License-Identifier: MIT */
/* Measures run times by samples in turn, with probes between them that show a disturbed core. */
#include "examples/lab/measure/measure.h"

#include "examples/harness/base/bag.h"
#include "examples/harness/base/base.h"
#include "examples/harness/rank/measures.h"

enum {
    LOOPS = 100000, /* of a sample at most */
    PROBES = 4096,  /* that lab_meter.recent holds */
    FIRST_PROBES = 32,
    SAMPLE = 20000,   /* ns: shorter runs are looped until a sample lasts so long */
    WARM = 200000,    /* ns: a run that is shorter is run once, not timed, before every sample */
    SEGMENT = 500000, /* ns between two probes, about */
    PATIENCE = 500000000, /* ns to wait for the end of a disturbance, at most */
};

typedef struct sample {
    int config, attempt;
    double ns;
} sample;

/* A configuration: the runs of a sample; ns of the run before the first one (0: not yet). */
typedef struct item {
    int loops, n_kept;
    int64_t single;
} item;

/* The samples of a batch, in the order in which they are taken; repeated ones are appended. */
typedef struct batch {
    lab_meter *m;
    const lab_subject *s;
    sample *samples;
    int prepared, bad; /* bad: the last probe found a disturbance */
    item *items;       /* [count] */
    double *kept;      /* [count][repeats] */
} batch;

lab_meter lab_meter_new(lab_measure_options options)
{
    return (lab_meter){.options = options,
                       .recent = harness_alloc(PROBES * sizeof(int64_t)),
                       .patience = PATIENCE};
}

void lab_meter_free(lab_meter *m) { harness_free(m->recent); }

int64_t lab_meter_best(const lab_meter *m)
{
    int n = m->counts.probes < PROBES ? (int)m->counts.probes : PROBES;
    int64_t best = n ? m->recent[0] : 0;
    for (int i = 1; i < n; i++)
        if (m->recent[i] < best) best = m->recent[i];
    return best;
}

/* The better of two tries, so that a short interrupt does not count. m: where it is kept, or NULL.
 */
static int64_t probe(lab_meter *m, const lab_subject *s)
{
    int64_t best = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        const int64_t from = s->now();
        s->probe();
        const int64_t took = s->now() - from;
        if (took < best) best = took;
    }
    if (best < 1) best = 1;
    if (m) m->recent[m->counts.probes++ % PROBES] = best;
    return best;
}

static int64_t run(const lab_subject *s, int loops)
{
    int64_t from = s->now();
    for (int i = 0; i < loops; i++) s->go(s->state);
    return s->now() - from;
}

/* Runs each configuration to warm up, and finds how many runs make a sample. */
static void calibrate(batch *b, int config)
{
    int64_t took = run(b->s, 1);
    int loops = 1;
    while (took < SAMPLE && loops < LOOPS) { /* the first run is cold: a longer one follows */
        const int64_t guess = took > 0 ? loops * SAMPLE / took + 1 : loops * 10;
        loops = guess > loops * 10 ? loops * 10 : (int)guess;
        if (loops > LOOPS) loops = LOOPS;
        took = run(b->s, loops);
    }
    b->items[config].loops = loops;
    b->items[config].single = took / loops > 0 ? took / loops : 1;
}

static ag_status take(batch *b, sample *x, ag_failure *why)
{
    if (b->prepared != x->config && b->s->prepare(b->s->state, x->config, why)) return why->status;
    b->prepared = x->config;
    const item *of = &b->items[x->config];
    if (!of->single)
        calibrate(b, x->config);
    else if (of->single < WARM)
        b->s->go(b->s->state);
    x->ns = (double)run(b->s, of->loops) / of->loops;
    b->m->counts.samples++;
    return AG_OK;
}

/* Waits until the probe is fast again, or patience ends. These probes are not kept: they would soon
   make the disturbance the norm. */
static void wait(batch *b, double limit)
{
    lab_meter *m = b->m;
    const int64_t from = b->s->now();
    while (b->s->now() - from < m->patience)
        if ((double)probe(NULL, b->s) <= limit) {
            m->patience = PATIENCE;
            b->bad = 0;
            return;
        }
    m->patience /= 2;
}

/* 1 if something else used the core; sets b->bad to whether it still does afterwards. */
static int disturbed(batch *b)
{
    const double limit = (double)lab_meter_best(b->m) * (1 + b->m->options.threshold);
    const int bad = (double)probe(b->m, b->s) > limit;
    b->bad = bad;
    if (bad)
        wait(b, limit);
    else
        b->m->patience = PATIENCE;
    return bad;
}

/* The samples between two probes are taken again, up to `redo` times, unless both probes were
   undisturbed. */
static void judge(batch *b, int from, int to)
{
    const lab_measure_options *o = &b->m->options;
    const int before = b->bad, bad = disturbed(b) || before;
    for (int i = from; i < to; i++) {
        const sample x = b->samples[i];
        if (bad && x.attempt < o->redo) {
            bag_add(b->samples, ((sample){x.config, x.attempt + 1, 0}));
            b->m->counts.redone++;
            continue;
        }
        b->m->counts.disturbed += bad;
        b->kept[x.config * o->repeats + b->items[x.config].n_kept++] = x.ns;
    }
}

int lab_meter_late(const lab_meter *m)
{
    return (m->deadline > 0 && harness_seconds() > m->deadline) || harness_interrupted();
}

static ag_status take_all(batch *b, ag_failure *why)
{
    int from = 0;
    disturbed(b);
    int64_t last = b->s->now();
    for (int i = 0; i < bag_count(b->samples) && !b->m->stopped; i++) {
        if (take(b, &b->samples[i], why)) return why->status;
        if (b->s->now() - last >= SEGMENT || i == bag_count(b->samples) - 1) {
            judge(b, from, i + 1);
            from = i + 1;
            last = b->s->now();
            b->m->stopped = lab_meter_late(b->m);
        }
    }
    return AG_OK;
}

static lab_timing summary(double *ns, int n, int loops)
{
    harness_sort(ns, n);
    double least = ns[0] < 1 ? 1 : ns[0], median = (ns[(n - 1) / 2] + ns[n / 2]) / 2;
    if (median < least) median = least;
    return (lab_timing){(int64_t)(least + 0.5), (median - least) / least, loops};
}

ag_status lab_measure(lab_meter *m, lab_timing *timing, const lab_subject *s, int count,
                      ag_failure *why)
{
    const int repeats = m->options.repeats;
    batch b = {.m = m, .s = s, .prepared = -1};
    m->stopped = 0;
    b.kept = HARNESS_NEW(b.kept, (size_t)count * (size_t)repeats);
    b.items = HARNESS_NEW(b.items, count);
    for (int r = 0; r < repeats; r++)
        for (int i = 0; i < count; i++) bag_add(b.samples, ((sample){.config = i}));
    for (int i = 0; i < FIRST_PROBES && m->counts.probes < FIRST_PROBES; i++) probe(m, s);
    take_all(&b, why);
    for (int i = 0; i < count && !why->status && !m->stopped; i++)
        timing[i] = summary(b.kept + i * repeats, repeats, b.items[i].loops);
    bag_free(b.samples);
    harness_free(b.kept);
    harness_free(b.items);
    return why->status;
}
