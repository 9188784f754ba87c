/* SPDX-License-Identifier: MIT */
/* The results of a ranking model, ready to use: measures of the order within each group, tables,
   JSON, pictures and notes. A model lists HARNESS_RANK in its harness_model, opens its results with
   the groups that are scored, and scores them; docs/adding-a-model.md shows it. */
#ifndef HARNESS_RANK_H
#define HARNESS_RANK_H

#include "examples/harness/run/model.h"

enum { HARNESS_RANK_METHODS = 12 };

/* Per group and method, NaN where not defined; scores.h has the definitions. The mean of tau over
   the groups chooses the best checkpoint. */
enum {
    HARNESS_RANK_TAU, /* Kendall's tau-b */
    HARNESS_RANK_OPA, /* ordered pair accuracy */
    HARNESS_RANK_SLOWDOWN_1,
    HARNESS_RANK_SLOWDOWN_5,
    HARNESS_RANK_SLOWDOWN_10,
    HARNESS_RANK_MEASURES
};

typedef struct harness_ranked {
    const char *name;
    int items;
    int64_t first;         /* of its scores */
    const int *number;     /* [items] as in harness_group, or NULL */
    const int64_t *actual; /* [items] ns, or NULL */
} harness_ranked;

typedef struct harness_rank {
    const void *data; /* for the model's own use */
    bool times;       /* the model's scores are predicted run times in ns */
    int groups, room;
    harness_ranked *group; /* [groups] */
    int64_t items;         /* of all groups */
    int methods;           /* the first one is the model */
    const char *method[HARNESS_RANK_METHODS];
    char *note[HARNESS_RANK_METHODS];
    double *score[HARNESS_RANK_METHODS];    /* [items], small is fast */
    double (*grade)[HARNESS_RANK_MEASURES]; /* [methods * groups] */
} harness_rank;

/* ---- for the model's functions ---- */

/* Adds a group to zeroed results, before any method. What the arguments point to must live as long
   as the results. */
void harness_rank_group(harness_rank *rank, const char *name, int items, const int *number,
                        const int64_t *actual);

/* Adds a method and returns room for its scores [items], which are 0: first the model's in
   harness_model.open (note NULL), then baselines in harness_model.compare, at most
   HARNESS_RANK_METHODS in all. note: how a baseline works, for the reader; taken over
   (harness_free). */
double *harness_rank_method(harness_rank *rank, const char *name, char *note);

/* Adds the scores of one network, one group after the other: `record` records those of a group,
   [items]. Stops at an interruption, as `how` says. Fails: AG_EFINITE, and as the tape does. */
typedef ag_tensor *harness_rank_record(const void *net, const void *data, int group, ag_tape *tape);
ag_status harness_rank_add(harness_rank *rank, const harness_trained *trained,
                           const harness_scoring *how, harness_rank_record *record,
                           ag_failure *why);

/* The mean of a measure over the groups in which it is defined; NaN: in none. */
double harness_rank_mean(const harness_rank *rank, int method, int measure);

/* ---- the functions of a harness_model ---- */

int harness_rank_measures(const char **name, const void *data, const harness_settings *settings);
void harness_rank_values(double *measure, const void *rank);
int harness_rank_columns(const char **name, const harness_settings *settings, ag_failure *why);
/* Fails: AG_EDATA (there are groups, but no run times), AG_EFINITE. */
ag_status harness_rank_grade(void *rank, ag_failure *why);
void harness_rank_close(void *rank);
int harness_rank_groups(const void *rank);
harness_group harness_rank_group_at(const void *rank, int index);
int harness_rank_tables(harness_table *table[HARNESS_TABLES], const void *rank, const char *title);
int harness_rank_other(const char **name, const char **note, const void *rank, int k);
struct json_t *harness_rank_json(const void *rank);
ag_status harness_rank_plot(const harness_session *session, const void *rank, ag_failure *why);
void harness_rank_describe(harness_page *page, const harness_session *session, const void *rank);

/* All that a harness_model needs for results, but for `open`, `add` and, of a program with
   --baselines, `compare`. */
#define HARNESS_RANK                                                                          \
 .results_bytes = sizeof(harness_rank), .smaller = false, .measures = harness_rank_measures,  \
 .values = harness_rank_values, .columns = harness_rank_columns,                              \
 .column_values = harness_rank_values, .grade = harness_rank_grade,                           \
 .close_results = harness_rank_close, .groups = harness_rank_groups,                          \
 .group = harness_rank_group_at, .tables = harness_rank_tables, .method = harness_rank_other, \
 .json = harness_rank_json, .plot = harness_rank_plot, .describe = harness_rank_describe,     \
 .held_out = "Validation groups, best checkpoint"

#endif
