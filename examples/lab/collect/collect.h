/* SPDX-License-Identifier: MIT */
/* The frame of `lab layout`, `lab tile` and `lab fusion`: it goes through the programs, divides the
   time among them, and writes each file completely or not at all. */
#ifndef LAB_COLLECT_H
#define LAB_COLLECT_H

#include "core/io/io.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/lab.h"
#include "examples/lab/measure/manifest.h"
#include "examples/lab/measure/measure.h"
#include "examples/lab/run/run.h"

enum { LAB_BATCH = 16, LAB_AGAIN = 24, LAB_LEAST = 32 };

typedef struct lab_collection {
    const lab_settings *s;
    lab_meter meter;
    lab_manifest *folder; /* the folder of the current program's files */
    const char *mode;     /* its name among the collector's, NULL: there is only one */
    double until;         /* of harness_seconds: end of the current program's share; 0: none */
    harness_progress bar;
    int64_t done,
        share_end; /* units of the bar: finished ones, and the sum when this program ends */
    int64_t files, dropped;
    int64_t brief; /* kernels that were left out since they take less than --least */
} lab_collection;

/* One kind of data set. */
typedef struct lab_collector {
    const char *kind;
    const char *modes[3]; /* subfolders, ended by NULL; none: everything in --out */
    int64_t units;        /* of the progress bar, per program and folder */
    /* Measures one program, writes its files and records them in the manifest. Leaves meter.stopped
       set, and nothing written, when the time is up. */
    ag_status (*collect)(lab_collection *c, const lab_program *p, ag_failure *why);
} lab_collector;

ag_status lab_collect(const lab_collector *kind, const lab_settings *s, ag_failure *why);

/* Moves the bar; note: the item that is measured. */
void lab_collect_step(lab_collection *c, int64_t units, const char *note);
/* 1 when the share of the current program will be used up in `ahead` seconds. */
int lab_collect_late(const lab_collection *c, double ahead);

/* ---- parts of every file ---- */

typedef struct lab_sheet {
    const lab_timing *timing; /* [n] */
    int n;
    int64_t first[LAB_AGAIN], second[LAB_AGAIN]; /* [again]: two measurements of the same items */
    int again;
    lab_counts before, after;
} lab_sheet;

/* Facts for the manifest; *dropped: the noise is above `most` of the spread, or one of two
   measurements of an item is too far from the other. */
struct json_t *lab_sheet_facts(const lab_sheet *sheet, double most, int *dropped);

/* node_feat, node_opcode and edge_index of a program. */
ag_status lab_npz_graph(ag_npz_writer *w, const lab_program *p, ag_failure *why);
/* "FOLDER/NAME.txt". */
ag_status lab_save_text(const lab_manifest *m, const char *name, const lab_program *p,
                        ag_failure *why);
/* Removes FOLDER/NAMEtail if it is there. */
void lab_remove(const lab_manifest *m, const char *name, const char *tail);

/* Records a second measurement of which[0..n-1]. */
void lab_sheet_again(lab_sheet *sheet, const int *which, const lab_timing *timing, int n);

/* Picks at most LAB_AGAIN of `count` configurations to be measured again, ascending, and returns
   their number. */
int lab_again_pick(int *which, int count, uint64_t seed);
/* Measures them and records it. The subject prepares item which[i], [LAB_AGAIN], once *picked
   is 1. */
ag_status lab_again_measure(lab_collection *c, lab_sheet *sheet, lab_subject subject, int *which,
                            int *picked, ag_failure *why);

#endif
