/* SPDX-License-Identifier: MIT */
/* A study: variants x seeds, one table with mean and spread.

       [study]
       title = What the parts of TGraph are worth
       seeds = 0..2              ; or 0,1,2
       steps = 500               ; any option: for all variants
       [complete]                ; a section is a variant; without keys it is the default
       [no edges]
       edges = false
*/
#ifndef HARNESS_STUDY_H
#define HARNESS_STUDY_H

#include "examples/harness/cli/options.h"
#include "examples/harness/report/report.h"

typedef struct harness_override {
    const char *name, *value, *where; /* where: "study.ini line 3" */
} harness_override;

typedef struct harness_variant {
    const char *name, *folder; /* folder: the name, with '-' for all but letters, digits, '-', '_'
                                  and '.' */
    const char *where;
    harness_override *overrides; /* stb_ds array */
} harness_variant;

typedef struct harness_study {
    const char *file, *title;
    int64_t *seeds;            /* stb_ds array */
    harness_override *common;  /* stb_ds array */
    harness_variant *variants; /* stb_ds array */
} harness_study;

/* Reads a study and checks every override against the options. Start from {0}; always free it.
   Its texts are harness_lasting. Fails: AG_EFILE (cannot be read), AG_EUSE (its contents). */
ag_status harness_study_parse(harness_study *s, const char *file, const char *text, size_t bytes,
                              const harness_options *base, ag_failure *why);
ag_status harness_study_load(harness_study *s, const char *file, const harness_options *base,
                             ag_failure *why);
void harness_study_free(harness_study *s);

/* Sets the options of one run on a copy of those of the call. */
ag_status harness_study_options(harness_options *o, const harness_study *s,
                                const harness_variant *variant, int64_t seed, ag_failure *why);

/* Refuses options that have no effect (harness_options_act): an option of a variant that has none
   there, an option of the call or of [study] that has none in any variant. Fails: AG_EUSE. */
ag_status harness_study_act(const harness_study *s, const harness_options *base, const char *files,
                            ag_failure *why);

/* Trains every (variant, seed) of --part and --only that has no result.json yet under
   OUT/VARIANT/seed-N and that no other call trains now, in the order of the seeds. OUT is --out of
   the call; its other options hold for all runs. When all runs have results, or with --collect,
   which trains none, writes OUT/study.html, study.tex, study.csv, study.json and pictures in
   plots/. A run whose loss was not finite (AG_EFINITE) counts as a run without a score; any other
   failure ends the study, AG_ESTOPPED included. Returns the table of the first measure, which the
   caller frees; NULL: failed, or runs lack results, which a message says. *json (NULL at the call;
   always json_decref it): what study.json holds. */
struct harness_call;
struct json_t;
harness_table *harness_study_run(const harness_study *s, const struct harness_call *call,
                                 struct json_t **json, ag_failure *why);

#endif
