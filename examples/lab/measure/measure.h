/* SPDX-License-Identifier: MIT */
/* Measures a batch of configurations. It takes samples of all configurations in turn, with a probe
   between them, and takes disturbed samples again. Also the clock, the core and the fixed piece of
   work of all measurements. */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "core/types.h"

#define LAB_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

/* Nanoseconds of a monotonic clock that is never adjusted. */
int64_t lab_now(void);

/* Binds the calling thread to one core; -1: to the last one that it may use. Returns the core, or
   -1 when the system refuses. */
int lab_pin(int core);

/* Fails with AG_EUSE when the calling thread may not run on this core (--core); the sentence lists
   the cores on which it may. -1 is always right. */
ag_status lab_core_check(int core, ag_failure *why);

/* About 10 us of arithmetic in the innermost cache: the same work each time, so a longer time means
   that something else used the core. */
void lab_probe(void);

/* The measured work; the clock and the probe are functions so that tests can replace them. */
typedef struct lab_subject {
    void *state;
    ag_status (*prepare)(void *state, int config,
                         ag_failure *why); /* selects the configuration that go runs */
    void (*go)(void *state);
    void (*probe)(void); /* fixed work */
    int64_t (*now)(void);
} lab_subject;

typedef struct lab_measure_options {
    int repeats;      /* samples of each configuration */
    int redo;         /* how often a sample is taken again at most */
    double threshold; /* disturbed: the probe takes more than 1 + threshold times its best */
} lab_measure_options;

static inline lab_measure_options lab_measure_defaults(void)
{
    return (lab_measure_options){5, 8, 0.15};
}

/* The result of one configuration: the smallest sample, and how far the median is above it. */
typedef struct lab_timing {
    int64_t ns;    /* of one run, at least 1 */
    double spread; /* (median - smallest) / smallest */
    int loops;     /* runs in a sample */
} lab_timing;

typedef struct lab_counts {
    int64_t probes, samples, redone;
    int64_t disturbed; /* kept after `redo` attempts */
} lab_counts;

/* The state that lasts over the batches. Start from lab_meter_new. */
typedef struct lab_meter {
    lab_measure_options options;
    int64_t *recent;  /* probes, the smallest is the running best */
    int64_t patience; /* remaining patience; each wait that did not help reduces it */
    lab_counts counts;
    double deadline; /* of harness_seconds; 0: none */
    int stopped;     /* the last batch was given up, since it was late */
} lab_meter;

lab_meter lab_meter_new(lab_measure_options options);
void lab_meter_free(lab_meter *m);
int64_t lab_meter_best(const lab_meter *m); /* ns of the probe; 0 before the first */
int lab_meter_late(const lab_meter *m);     /* 1: the deadline has passed, or a signal came */

/* Measures configurations 0..count-1, in turn: sample 1 of all, sample 2 of all... Every
   configuration runs once before its first sample. When m->stopped is set afterwards, the timings
   mean nothing. Fails as prepare does. */
ag_status lab_measure(lab_meter *m, lab_timing *timing, const lab_subject *s, int count,
                      ag_failure *why);

#endif
