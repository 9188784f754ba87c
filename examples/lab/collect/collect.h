/* SPDX-License-Identifier: MIT */
/* The frame of `lab layout`, `lab tile` and `lab fusion`: it goes through the programs, divides the
   time among them, and writes each file completely or not at all. */
#ifndef LAB_COLLECT_H
#define LAB_COLLECT_H

#include "core/io/io.h"
#include "examples/lab/collect/configs.h"
#include "examples/lab/collect/sources.h"
#include "examples/lab/measure/manifest.h"

enum { LAB_BATCH = 16, LAB_AGAIN = 24, LAB_LEAST = 32 };

typedef struct lab_collection lab_collection;
struct lab_collection {
    const lab_settings *s;
    const char *kind, *below; /* below: of layouts, the folder in --out */
    /* The options that decide the contents of a program's files, besides --noise and --seed (JSON,
       taken over). Options of measuring are recorded with the machine. */
    struct json_t *options;
    /* Measures one program, writes its files and records them in the manifest. Leaves meter.stopped
       set, and nothing written, when the time is up. */
    ag_status (*collect)(lab_collection *c, const lab_program *p, ag_failure *why);
    /* set by lab_collect */
    lab_meter meter;
    lab_source *sources;
    int core;
    int left;     /* programs that have no file yet */
    double until; /* of harness_seconds: end of the share of the current program; 0: none */
    lab_manifest *folder;
    harness_progress bar;
    int64_t files, dropped;
    int64_t brief; /* kernels left out, since they take less than --least */
};

ag_status lab_collect(lab_collection *c, ag_failure *why);

/* Shows the name of the measured program next to the bar. The bar counts programs. */
void lab_collect_note(lab_collection *c, const char *name);
/* 1 when the share of the current program will be used up in `ahead` seconds. */
int lab_collect_late(const lab_collection *c, double ahead);

/* ---- parts of every file ---- */

/* The measurements of one file. Start from lab_sheet_new, end with lab_sheet_clear. */
typedef struct lab_sheet {
    lab_configs configs;
    lab_timing *timing;                          /* [n] */
    int n;                                       /* measured: the first n */
    int64_t first[LAB_AGAIN], second[LAB_AGAIN]; /* [again]: two measurements of the same items */
    int again, dropped;
    lab_counts before; /* the first measurement */
    ag_arena *memory;
} lab_sheet;

/* With room for `most` timings. */
lab_sheet lab_sheet_new(const lab_collection *c, lab_configs configs, int most);
void lab_sheet_clear(lab_sheet *sheet);
/* Measures the next items, `left` or a batch at most; none of them counts if the time is up
   meanwhile. */
ag_status lab_sheet_more(lab_collection *c, lab_sheet *sheet, int left, ag_failure *why);
/* The run times [n], in the sheet's memory. */
int64_t *lab_sheet_times(lab_sheet *sheet);
/* Facts for the manifest. Sets sheet->dropped if the noise is above `most` times the spread, or if
   two measurements of an item are too far apart. */
struct json_t *lab_sheet_facts(lab_sheet *sheet, const lab_counts *now, double most);

/* Measures some items again. If there is time for it, records facts, including those of `of_kind`
   (taken over), writes NAME.txt, and begins NAME.npz with the graphs of the configs' program or of
   the first kernels of its fusion. NAME is the name of that program; `program` is the one that it
   was made from. NULL: no time, dropped, or not begun. */
ag_npz_writer *lab_sheet_file(lab_collection *c, lab_sheet *sheet, const char *program,
                              struct json_t *of_kind, ag_failure *why);
/* Ends the file after its last array; it appears unless something failed. */
ag_status lab_sheet_end(ag_npz_writer *w, ag_failure *why);

#endif
