/* SPDX-License-Identifier: MIT */
/* The results of a ranking model: measures of the order within each group, tables, JSON, pictures
   and notes. A harness_model lists HARNESS_RANK; its `open` gives the groups that are scored, and
   its `add` gives their scores. docs/adding-a-model.md shows both. */
#ifndef HARNESS_RANK_H
#define HARNESS_RANK_H

#include "examples/harness/rank/measures.h"
#include "examples/harness/model/model.h"

enum { HARNESS_RANK_METHODS = 14 };

/* The words and measures of a model. */
typedef struct harness_rank_form {
    const char *kind;       /* of the files, in JSON; NULL: there is only one */
    const char *row, *rows; /* "program", "programs" */
    const char *groups;     /* of a row: "kernels"; NULL: a row is a group */
    const char *items;      /* "tile sizes" */
    const char *hold_out;   /* how to hold something out; NULL: "give --valid" */
    /* Ends with HARNESS_MEASURES; all are in JSON. The first one chooses the best checkpoint. */
    const harness_measure *measure;
    /* How many of the first measures are in the table of rows, in the table of methods, in a
       validation, and in a study (in the last two HARNESS_MOST_SCORES at most); 0: all. */
    int main, shown, validated, studied;
    const char *median;  /* "APE % median": the name of the first measure's median, which is shown,
                            too, with its geometric mean, as in the tables of papers; NULL: neither
                            is shown */
    const char *against; /* the method whose columns are next to the model's; NULL: the next one */
} harness_rank_form;

typedef struct harness_ranked {
    const char *name;
    int items;
    const int *number;     /* [items] the items' numbers in the files; NULL: 0, 1, ... */
    const int64_t *actual; /* [items] ns; 0: not known; NULL: none is known */
    int row, family;       /* of harness_rank.row_name and family_name, where there are any */
    int64_t first;         /* of its scores */
    const double *score;   /* [items] small is fast; it and `ns` only from harness_rank_group_at */
    const double *ns;      /* [items] predicted run times; NULL: scores only rank */
} harness_ranked;

typedef struct harness_rank_row {
    const char *name;
    int family;
    int64_t rows, groups, items, counted; /* rows: 0, or how many are summed here */
} harness_rank_row;

/* Zeroed, then filled by harness_model.open: the form, names, then groups, then methods. */
typedef struct harness_rank {
    harness_rank_form form;         /* zeroed: groups, items; tau-b, opa, slowdown@1, @5, @10 */
    const void *data;               /* for the model's own use */
    const harness_files *all;       /* all files, if only a share of them is scored (--part): names
                                       tell its files from the others, too; NULL: all are scored */
    const char *name;               /* of the model, which the harness sets before `open`; NULL: the
                                       program has one model */
    bool sample;                    /* of a validation in training: `open` may leave items out */
    char *title;                    /* of the page, without the steps; NULL: the program's name */
    const char *const *row_name;    /* [rows]; NULL: a row per group, with its name */
    const char *const *family_name; /* [families]; NULL: no families */
    int rows, families;
    bool times;       /* scores are predicted run times in ns */
    int64_t least;    /* shortest run time that counts, ns; 0: all count */
    const double *ns; /* [items] run times that the model predicts besides its scores, or NULL */

    int groups;
    harness_ranked *group; /* [groups], stb_ds array */
    int64_t items;         /* of all groups */
    int methods;           /* the first one is the model */
    const char *method[HARNESS_RANK_METHODS];
    char *note[HARNESS_RANK_METHODS];
    double *score[HARNESS_RANK_METHODS];      /* [items], small is fast */
    const double *cost[HARNESS_RANK_METHODS]; /* [items] predicted ln(ns), or NULL */
    bool *absent[HARNESS_RANK_METHODS];       /* [groups] without scores; NULL: no group is */
    int ceiling; /* methods from this one on say what noise leaves possible; 0: none does */
    const int64_t *first; /* [items] run times that these are compared with; NULL: `actual` */

    harness_rank_row *row;      /* [rows], with the measures from harness_rank_compute on */
    harness_measured *measured; /* [methods * rows] */
    ag_arena *memory;           /* of harness_rank_alloc */
} harness_rank;

/* ---- for the model's functions ---- */

/* Memory, zeroed, that lives as long as the results. */
void *harness_rank_alloc(harness_rank *rank, size_t bytes);

/* The names of groups that are a file each, as from harness_files_names; they live as long as the
   results. NULL: the number of files differs, so their paths are not known. */
char **harness_rank_names(harness_rank *rank, const harness_files *files, int groups,
                          const char *end);

/* Adds a group, before any method; its `first` is set here, and its `row` where rows have no names.
   What it points to must live as long as the results. */
void harness_rank_group(harness_rank *rank, harness_ranked group);

/* Adds a method and returns room for its scores [items], all 0. The model comes first, in
   harness_model.open (note NULL), then others, such as baselines in harness_model.compare; there
   are at most HARNESS_RANK_METHODS. note: how it works, for the reader; taken over (harness_free).
   */
double *harness_rank_method(harness_rank *rank, const char *name, char *note);
/* Leaves out a method that failed with `mine`, with a warning; only lack of memory ends the call.
 */
ag_status harness_rank_leave_out(const char *name, const ag_failure *mine, ag_failure *why);
/* Notes that the method has no scores for the group, and thus no means over the rows. */
void harness_rank_absent(harness_rank *rank, int method, int group);

/* After all other methods, in harness_model.repeat: adds two methods, the second measurement of the
   call that made the files and a perfect ranker. first, second [items]: two measurements of each
   item; if all are equal, there was only one, and nothing is added. */
void harness_rank_repeats(harness_rank *rank, const int64_t *first, const int64_t *second);
/* The same with a second measurement that is drawn. noise [groups]: the standard deviation of one
   measurement of ln(run time); nothing is added where that of a group is not known (0). */
void harness_rank_noise(harness_rank *rank, const double *noise);

/* Adds the scores of one network, one group after the other: `record` records those of a group,
   [items]. Stops at an interruption, as `how` says. Fails as the tape does. */
typedef ag_tensor *harness_rank_record(const void *net, const void *data, int group, ag_tape *tape);
ag_status harness_rank_add(harness_rank *rank, const harness_trained *trained,
                           const harness_scoring *how, harness_rank_record *record,
                           ag_failure *why);

/* After harness_rank_compute: the measures of a row, and a mean over the rows. */
harness_measured *harness_rank_at(const harness_rank *rank, int method, int row);
double harness_rank_mean(const harness_rank *rank, int method, harness_measure measure);

/* ---- for the commands, and the functions of a harness_model ---- */

/* Opens zeroed results of the runs: sets their name and calls harness_model.open. */
void harness_rank_open(void *results, const harness_runs *runs, void *data,
                       const harness_settings *settings);

/* The names of the measures of a validation, of which the first chooses the best checkpoint
   (smaller: by its smallest value); returns their number. harness_rank_values gives their values.
   */
int harness_rank_measures(const char **name, bool *smaller, const harness_rank *rank);
void harness_rank_values(double *measure, const harness_rank *rank);
/* Adds what a study needs: "scores", the means over the rows, and "groups", a list of the rows'
   names and measures. */
void harness_rank_result(struct json_t *result, const harness_rank *rank);
/* Fails: AG_EDATA (there are groups, but no run times), and as harness_measure_items. */
ag_status harness_rank_compute(void *rank, ag_failure *why);
void harness_rank_close(void *rank);
int harness_rank_groups(const harness_rank *rank);           /* how many are scored */
const char *harness_rank_hold_out(const harness_rank *rank); /* how to hold something out */
harness_ranked harness_rank_group_at(const harness_rank *rank, int index);
/* Fails with AG_EFINITE, and names the item, if a score of the model is not finite. */
ag_status harness_rank_finite(const harness_rank *rank, ag_failure *why);
int harness_rank_tables(harness_table *table[HARNESS_TABLES], const harness_rank *rank,
                        const char *title);
/* Prints the tables, then the notes of the other methods. */
void harness_rank_print(const harness_rank *rank, const char *title);
struct json_t *harness_rank_json(const harness_rank *rank);
ag_status harness_rank_plot(const harness_session *session, const harness_rank *rank,
                            ag_failure *why);
/* Writes the page that shows the run. Fails: AG_EFILE. */
ag_status harness_rank_report(const harness_session *session, const harness_rank *rank,
                              ag_failure *why);

/* All that a harness_model with a zeroed form needs for results, except `open`, `add` and, of a
   program with --baselines, `compare`. */
#define HARNESS_RANK                                                     \
 .results_bytes = sizeof(harness_rank), .compute = harness_rank_compute, \
 .held_out = "Validation groups, best checkpoint"

#endif
