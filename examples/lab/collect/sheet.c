/* SPDX-License-Identifier: MIT */
/* The parts that files of all kinds have: the graph's arrays, the program's text, facts of the
   measurement. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/program/features.h"
#include "examples/lab/measure/noise.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ag_status add_operands(ag_npz_writer *w, const lab_program *p, ag_failure *why)
{
    int64_t(*pair)[2] = harness_alloc((size_t)p->n * LAB_OPERANDS * sizeof *pair + 1);
    int64_t(*dot)[4] = harness_alloc((size_t)p->n * sizeof *dot + 1);
    const int64_t pairs = lab_operands(pair, p, 0), dots = lab_dots(dot, p, 0);
    if (!ag_npz_add(w, "operand_index", AG_I64, 2, (int64_t[]){pairs, 2}, pair, why))
        ag_npz_add(w, "dot_axes", AG_I64, 2, (int64_t[]){dots, 4}, dot, why);
    harness_free(pair);
    harness_free(dot);
    return why->status;
}

ag_status lab_npz_graph(ag_npz_writer *w, const lab_program *p, ag_failure *why)
{
    const size_t n = (size_t)p->n;
    float *feature = harness_alloc(n * LAB_FEATURES * sizeof *feature);
    uint8_t *opcode = harness_alloc(n), *reducer = harness_alloc(n);
    int64_t(*edge)[2] = harness_alloc(n * LAB_OPERANDS * sizeof *edge);
    const int edges = lab_edges(edge, p);
    for (int i = 0; i < p->n; i++) {
        lab_node_features(feature + (size_t)i * LAB_FEATURES, p, i);
        opcode[i] = (uint8_t)lab_op_code(p->nodes[i].op);
        reducer[i] = (uint8_t)lab_reducer_code(p, i);
    }
    if (!ag_npz_add(w, "node_feat", AG_F32, 2, (int64_t[]){p->n, LAB_FEATURES}, feature, why) &&
        !ag_npz_add(w, "node_opcode", AG_U8, 1, (int64_t[]){p->n}, opcode, why) &&
        !ag_npz_add(w, "node_reducer", AG_U8, 1, (int64_t[]){p->n}, reducer, why))
        ag_npz_add(w, "edge_index", AG_I64, 2, (int64_t[]){edges, 2}, edge, why);
    if (!why->status) add_operands(w, p, why);
    harness_free(feature);
    harness_free(opcode);
    harness_free(reducer);
    harness_free(edge);
    return why->status;
}

static ag_status print_text(FILE *file, void *program)
{
    lab_text_print(file, program);
    return AG_OK;
}

ag_status lab_save_text(const lab_manifest *m, const char *name, const lab_program *p,
                        ag_failure *why)
{
    char *path = lab_manifest_path(m, name, ".txt");
    lab_program copy = *p;
    ag_status status = ag_save_file(path, print_text, &copy, why);
    harness_free(path);
    return status;
}

void lab_remove(const lab_manifest *m, const char *name, const char *tail)
{
    char *path = lab_manifest_path(m, name, tail);
    unlink(path);
    harness_free(path);
}

int lab_again_pick(int *which, int count, uint64_t seed)
{
    ag_random random = {seed, 0x6167, 0};
    int n = 0, want = count < LAB_AGAIN ? count : LAB_AGAIN;
    for (int i = 0; i < count && n < want;
         i++) /* each of the remaining ones with the same probability */
        if (ag_random_below(&random, (uint32_t)(count - i)) < (uint32_t)(want - n)) which[n++] = i;
    return n;
}

void lab_sheet_again(lab_sheet *sheet, const int *which, const lab_timing *timing, int n)
{
    for (int i = 0; i < n; i++) {
        sheet->first[i] = sheet->timing[which[i]].ns;
        sheet->second[i] = timing[i].ns;
    }
    sheet->again = n;
}

ag_status lab_again_measure(lab_collection *c, lab_sheet *sheet, lab_subject subject, int *which,
                            int *picked, ag_failure *why)
{
    lab_timing timing[LAB_AGAIN];
    const int n = lab_again_pick(which, sheet->n, (uint64_t)c->s->seed);
    *picked = 1;
    if (!lab_measure(&c->meter, timing, &subject, n, why) && !c->meter.stopped)
        lab_sheet_again(sheet, which, timing, n);
    return why->status;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The number of run times that differ by more than two standard deviations of the noise. ns is
   sorted. */
static int levels(const int64_t *ns, int n, double noise)
{
    int found = 0;
    double last = 0;
    for (int i = 0; i < n; i++)
        if (!found || (double)ns[i] > last * exp(2 * noise)) {
            last = (double)ns[i];
            found++;
        }
    return found;
}

/* The spreads in ten thousandths, in the order of the configurations. */
static char *spreads_text(const lab_sheet *sheet)
{
    char *text = harness_alloc((size_t)sheet->n * 12 + 1), *to = text;
    for (int i = 0; i < sheet->n; i++) {
        double part = fmin(1e4 * sheet->timing[i].spread, 1e8);
        to += sprintf(to, "%s%d", i ? " " : "", (int)(part + 0.5));
    }
    return text;
}

/* Whether noise hides the order of the configurations: all along, or while something else slowed
   the core, by a tenth or more, for a part of the measurement that no probe noticed. */
static int too_noisy(double noise, double worst, double spread, double most)
{
    return noise > most * spread || worst > fmax(0.1, 5 * most * spread);
}

json_t *lab_sheet_facts(const lab_sheet *sheet, double most, int *dropped)
{
    const int n = sheet->n;
    json_t *facts = json_object();
    int64_t *ns = harness_alloc(((size_t)n + 1) * sizeof *ns);
    double *spreads = harness_alloc(((size_t)n + 1) * sizeof *spreads);
    for (int i = 0; i < n; i++) ns[i] = sheet->timing[i].ns, spreads[i] = sheet->timing[i].spread;
    const double spread = lab_time_spread(ns, n);
    const double noise = lab_time_noise(sheet->first, sheet->second, sheet->again);
    const double worst = lab_time_worst(sheet->first, sheet->second, sheet->again);
    qsort(ns, (size_t)n, sizeof *ns, by_size);
    char *list = spreads_text(sheet);
    *dropped = too_noisy(noise, worst, spread, most);
    json_object_set_new(facts, "configurations", json_integer(n));
    json_object_set_new(facts, "fastest_ns", json_integer(ns[0]));
    json_object_set_new(facts, "slowest_ns", json_integer(ns[n - 1]));
    json_object_set_new(facts, "spread", lab_real(spread));
    json_object_set_new(facts, "noise", lab_real(noise < 0 ? (double)NAN : noise));
    json_object_set_new(facts, "largest_difference", lab_real(worst));
    json_object_set_new(facts, "repeat_spread", lab_real(lab_median(spreads, n)));
    json_object_set_new(facts, "measured_again", json_integer(sheet->again));
    json_object_set_new(facts, "tau_again",
                        lab_real(lab_time_tau(sheet->first, sheet->second, sheet->again)));
    json_object_set_new(facts, "levels", json_integer(levels(ns, n, noise < 0 ? 0 : noise)));
    json_object_set_new(facts, "samples",
                        json_integer(sheet->after.samples - sheet->before.samples));
    json_object_set_new(facts, "redone", json_integer(sheet->after.redone - sheet->before.redone));
    json_object_set_new(facts, "disturbed",
                        json_integer(sheet->after.disturbed - sheet->before.disturbed));
    json_object_set_new(facts, "dropped", json_boolean(*dropped));
    json_object_set_new(facts, "repeat_spreads_e4", json_string(list));
    harness_free(list);
    harness_free(ns);
    harness_free(spreads);
    return facts;
}
