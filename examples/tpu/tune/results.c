/* SPDX-License-Identifier: MIT */
/* Means, tables, pictures and the page of the autotuner. */
#include "examples/tpu/tune/tune.h"

#include "examples/harness/run/bag.h"

#include <jansson.h>
#include <math.h>

static const char *const kind_name[TUNE_KINDS] = {"fusion", "tiles"};
static const char *const found_name[TUNE_KINDS][TUNE_MOST] = {
    {"hardware, default", "learned, default", "hardware, random", "learned, random"},
    {"exhaustive", "learned 10", "learned 1"}};
static const char *const title[TUNE_KINDS] = {
    "Fusion: speed-up over the default partition, by search and start",
    "Tile sizes: speed-up over the default tiles"};

int tune_budget(const tune_results *r, int search)
{
    return search % TUNE_WAYS == TUNE_LEARNED ? r->settings->verify : r->settings->measurements;
}

/* ---- means ---- */

double tune_mean(const tune_results *r, tune_kind kind, int found, int measured)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_found *f = &r->list[i].part[kind].found[found];
        if (!(f->speedup > 0)) continue;
        sum += measured && measured < f->measured ? f->curve[measured - 1] : f->speedup;
        n++;
    }
    return n ? sum / n : (double)NAN;
}

static bool was_done(const tune_results *r, tune_kind kind, int found)
{
    return !isnan(tune_mean(r, kind, found, 0));
}

/* ---- tables ---- */

static void add_cells(harness_table *t, tune_kind kind, const tune_found *f, double speedup)
{
    harness_table_number(t, speedup, 4);
    harness_table_number(t, f ? (double)f->measured : (double)NAN, 0);
    if (kind == TUNE_FUSION) harness_table_number(t, f ? (double)f->kernels : (double)NAN, 0);
}

static void add_row(harness_table *t, const tune_results *r, tune_kind kind, const tune_result *one)
{
    const tune_part *part = one ? &one->part[kind] : NULL;
    harness_table_text(t, one ? one->name : "mean");
    harness_table_number(t, part ? part->kernels : (double)NAN, 0);
    harness_table_number(t, part ? part->default_ns / 1000 : (double)NAN, 1);
    for (int i = 0; i < TUNE_MOST; i++)
        if (was_done(r, kind, i))
            add_cells(t, kind, part ? &part->found[i] : NULL,
                      part ? part->found[i].speedup : tune_mean(r, kind, i, 0));
}

harness_table *tune_table(const tune_results *r, tune_kind kind)
{
    static const char *const first[] = {"program", "kernels", "default us"};
    harness_table *t = harness_table_new(title[kind], first, 3);
    for (int i = 0; i < TUNE_MOST; i++) {
        if (!was_done(r, kind, i)) continue;
        harness_table_column(t, found_name[kind][i]);
        harness_table_column(t, "measured");
        if (kind == TUNE_FUSION) harness_table_column(t, "kernels run");
    }
    for (int p = 0; p < bag_count(r->list); p++) add_row(t, r, kind, &r->list[p]);
    add_row(t, r, kind, NULL);
    return t;
}

/* ---- JSON ---- */

static json_t *found_json(const tune_found *f, const char *name)
{
    json_t *one = json_pack("{ss so sI}", "name", name, "speedup", harness_json_number(f->speedup),
                            "measurements", (json_int_t)f->measured);
    if (!f->curve) return one;
    json_t *curve = json_array();
    for (int m = 0; m < bag_count(f->curve); m++)
        json_array_append_new(curve, harness_json_number(f->curve[m]));
    json_object_set_new(one, "kernels_run", json_integer(f->kernels));
    json_object_set_new(one, "curve", curve);
    return one;
}

json_t *tune_json(const tune_results *r)
{
    json_t *list = json_array(), *means = json_object();
    for (int i = 0; i < bag_count(r->list); i++) {
        json_t *program = json_pack("{ss}", "program", r->list[i].name);
        for (tune_kind kind = 0; kind < TUNE_KINDS; kind++) {
            const tune_part *x = &r->list[i].part[kind];
            if (!r->wanted[kind]) continue;
            json_t *found = json_array();
            for (int k = 0; k < TUNE_MOST; k++)
                if (was_done(r, kind, k))
                    json_array_append_new(found, found_json(&x->found[k], found_name[kind][k]));
            json_object_set_new(program, kind_name[kind],
                                json_pack("{si so so}", "kernels", x->kernels, "default_ns",
                                          harness_json_number(x->default_ns), "found", found));
        }
        json_array_append_new(list, program);
    }
    for (int k = 0; k < TUNE_KINDS * TUNE_MOST; k++) {
        const tune_kind kind = (tune_kind)(k / TUNE_MOST);
        const double mean = tune_mean(r, kind, k % TUNE_MOST, 0);
        if (!isnan(mean))
            json_object_set_new(means, found_name[kind][k % TUNE_MOST], json_real(mean));
    }
    return json_pack("{so so}", "programs", list, "mean", means);
}

static ag_status write_numbers(FILE *to, void *context)
{
    json_t *j = tune_json(context);
    json_dumpf(j, to, JSON_INDENT(1) | JSON_REAL_PRECISION(9)); /* the caller looks at ferror */
    fputc('\n', to);
    json_decref(j);
    return AG_OK;
}

/* ---- pictures ---- */

/* Mean over the programs of the best found so far. */
static ag_status plot_curves(const tune_results *r, const char *folder, ag_failure *why)
{
    const tpu_settings *s = r->settings;
    const int most = s->measurements > s->verify ? s->measurements : s->verify;
    double *x = harness_alloc((1 + TUNE_MOST) * (size_t)most * sizeof *x);
    harness_curve curve[TUNE_MOST];
    for (int m = 0; m < most; m++) x[m] = m + 1;
    for (int i = 0; i < TUNE_MOST; i++) {
        double *y = x + (1 + i) * most;
        const int n = was_done(r, TUNE_FUSION, i) ? tune_budget(r, i) : 0;
        curve[i] = (harness_curve){found_name[TUNE_FUSION][i], x, y, n};
        for (int m = 0; m < n; m++) y[m] = tune_mean(r, TUNE_FUSION, i, m + 1);
    }
    harness_plot_lines(folder, "fusion-curves", "Best partition so far, mean over the programs",
                       "measurements per program", "speed-up over the default", curve, TUNE_MOST, 1,
                       why);
    harness_free(x);
    return why->status;
}

/* A row per method, a dot per program. */
static ag_status plot_programs(const tune_results *r, tune_kind kind, const char *folder,
                               ag_failure *why)
{
    const int n = bag_count(r->list);
    const char **names = NULL;
    double *values = NULL;
    for (int i = 0; i < TUNE_MOST; i++) {
        if (!was_done(r, kind, i)) continue;
        bag_add(names, found_name[kind][i]);
        for (int p = 0; p < n; p++) bag_add(values, r->list[p].part[kind].found[i].speedup);
    }
    harness_plot_dots(folder, kind_name[kind], title[kind], "speed-up over the default", names,
                      values, bag_count(names), n, why);
    bag_free(names);
    bag_free(values);
    return why->status;
}

/* ---- the page ---- */

static ag_status write_page(const tune_results *r, const char *folder, const harness_call *call,
                            ag_failure *why)
{
    static const harness_named plots[] = {
        {"fusion-curves",
         "What a search that stops after so many measurements has found, mean over "
         "the programs."},
        {"fusion", "A dot per program, a line at their mean: Figure 5 of the paper, with "
                   "measurements in place of minutes."},
        {"tiles", "The same: Figure 4 of the paper."}};
    static const char *const notes[] = {
        ("A measurement of a fusion search is a partition whose run time is taken on hardware, "
         "the start included: the sum of the times of its kernels, of which only those run that "
         "the search has not measured before (\"kernels run\")."),
        ("What a search chose looks faster than it is, since the luckiest of many measurements "
         "wins. So what was chosen is measured again at the end, with the default, and these are "
         "the times that count; they do not count as measurements."),
        ("Exhaustive measures every valid tile of every kernel, up to --tiles; learned 10 the "
         "ten that the model finds best; learned 1 takes the model's best unseen.")};
    const bool fusion = r->wanted[TUNE_FUSION], tiles = r->wanted[TUNE_TILES];
    const int first = fusion ? 0 : 2, last = tiles ? 3 : 2;
    harness_table *tables[TUNE_KINDS];
    int n = 0;
    for (tune_kind kind = 0; kind < TUNE_KINDS; kind++)
        if (r->wanted[kind]) tables[n++] = tune_table(r, kind);
    char *head = harness_text("TPU autotuner: %d programs", bag_count(r->list));
    const harness_report report = {.title = head,
                                   .plots = plots + first,
                                   .plot_count = last - first,
                                   .tables = (const harness_table *const *)tables,
                                   .table_count = n,
                                   .notes = notes + !fusion,
                                   .note_count = 1 + fusion + tiles,
                                   .command_line = call->command_line,
                                   .options = call->options};
    harness_report_write(folder, &report, why);
    while (n) harness_table_free(tables[--n]);
    harness_free(head);
    return why->status;
}

ag_status tune_report(const tune_results *r, const char *folder, const harness_call *call,
                      ag_failure *why)
{
    char *path = harness_text("%s/autotune.json", folder);
    tune_results copy = *r;
    harness_write(path, write_numbers, &copy, why);
    harness_free(path);
    if (!why->status && r->wanted[TUNE_FUSION]) plot_curves(r, folder, why);
    for (tune_kind kind = 0; kind < TUNE_KINDS && !why->status; kind++)
        if (r->wanted[kind]) plot_programs(r, kind, folder, why);
    return why->status ? why->status : write_page(r, folder, call, why);
}
