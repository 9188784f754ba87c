/* SPDX-License-Identifier: MIT */
/* Means, tables and JSON of the autotuner. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/results.h"

#include <jansson.h>
#include <math.h>

static const char *way_name(int search)
{
    static const char *const name[TUNE_WAYS] = {"hardware", "learned"};
    return name[search % TUNE_WAYS];
}

const char *tune_start_name(int search)
{
    static const char *const name[TUNE_STARTS] = {"default", "random"};
    return name[search / TUNE_WAYS];
}

const char *tune_choice_name(tune_choice choice)
{
    static const char *const name[TUNE_CHOICES] = {"default", "exhaustive", "learned 1",
                                                   "learned 10"};
    return name[choice];
}

int tune_budget(const tune_results *r, int search)
{
    return search % TUNE_WAYS == TUNE_LEARNED ? r->settings->verify : r->settings->measurements;
}

int tune_most_budget(const tune_results *r)
{
    const tpu_settings *s = r->settings;
    return s->measurements > s->verify ? s->measurements : s->verify;
}

/* ---- means ---- */

static double speedup_at(const tune_found *f, int measurements)
{
    const int at = measurements < f->measurements ? measurements : f->measurements;
    return at > 0 ? f->curve[at - 1] : 1;
}

double tune_mean_speedup(const tune_results *r, int search, int measurements)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_found *f = &r->list[i].fusion.found[search];
        if (f->done) sum += speedup_at(f, measurements), n++;
    }
    return n ? sum / n : (double)NAN;
}

int tune_was_done(const tune_results *r, int search)
{
    return !isnan(tune_mean_speedup(r, search, 1));
}

double tune_tile_speedup(const tune_tiles *t, tune_choice choice)
{
    return t->ns[TUNE_TILE_DEFAULT] / t->ns[choice];
}

double tune_mean_tiles(const tune_results *r, tune_choice choice)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < bag_count(r->list); i++)
        if (r->list[i].tiles.kernels) sum += tune_tile_speedup(&r->list[i].tiles, choice), n++;
    return n ? sum / n : (double)NAN;
}

double tune_share(const tune_results *r, tune_start start, int gain)
{
    const int first = start * TUNE_WAYS;
    const double hardware = tune_mean_speedup(r, first + TUNE_HARDWARE, INT32_MAX);
    const double learned = tune_mean_speedup(r, first + TUNE_LEARNED, INT32_MAX);
    double sum = 0;
    if (gain) return hardware > 1 ? (learned - 1) / (hardware - 1) : (double)NAN;
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_found *f = &r->list[i].fusion.found[first];
        sum +=
            f[TUNE_LEARNED].done ? f[TUNE_LEARNED].speedup / f[TUNE_HARDWARE].speedup : (double)NAN;
    }
    return bag_count(r->list) ? sum / bag_count(r->list) : (double)NAN;
}

/* ---- tables ---- */

enum { COLUMNS = 3 + 3 * TUNE_SEARCHES };

/* Columns per search: speed-up, measurements, kernels run. */
static harness_table *new_fusion_table(const tune_results *r)
{
    char *names[COLUMNS] = {harness_copy("program"), harness_copy("kernels"),
                            harness_copy("default us")};
    int n = 3;
    for (int i = 0; i < TUNE_SEARCHES; i++) {
        if (!tune_was_done(r, i)) continue;
        names[n++] = harness_text("%s, %s", way_name(i), tune_start_name(i));
        names[n++] = harness_copy("measured");
        names[n++] = harness_copy("kernels run");
    }
    harness_table *t =
        harness_table_new("Fusion: speed-up over the default partition, by search and start",
                          (const char *const *)names, n);
    while (n) harness_free(names[--n]);
    return t;
}

static void leave_empty(harness_table *t, int cells)
{
    for (int i = 0; i < cells; i++) harness_table_number(t, (double)NAN, 0);
}

harness_table *tune_fusion_table(const tune_results *r)
{
    if (!r->fusion || !bag_count(r->list)) return NULL;
    harness_table *t = new_fusion_table(r);
    for (int p = 0; p < bag_count(r->list); p++) {
        const tune_fusion *x = &r->list[p].fusion;
        harness_table_text(t, r->list[p].name);
        harness_table_count(t, x->kernels);
        harness_table_number(t, x->default_ns / 1000, 1);
        for (int i = 0; i < TUNE_SEARCHES; i++) {
            if (!x->found[i].done) continue;
            harness_table_number(t, x->found[i].speedup, 4);
            harness_table_count(t, x->found[i].measurements);
            harness_table_count(t, x->found[i].kernels);
        }
    }
    harness_table_text(t, "mean");
    leave_empty(t, 2);
    for (int i = 0; i < TUNE_SEARCHES; i++) {
        if (!tune_was_done(r, i)) continue;
        harness_table_number(t, tune_mean_speedup(r, i, INT32_MAX), 4);
        leave_empty(t, 2);
    }
    return t;
}

harness_table *tune_tiles_table(const tune_results *r)
{
    static const char *const columns[] = {"program",  "kernels",   "with a choice", "exhaustive",
                                          "measured", "learned 1", "learned 10",    "measured"};
    if (!r->tiles || !bag_count(r->list)) return NULL;
    harness_table *t = harness_table_new("Tile sizes: speed-up over the default tiles", columns,
                                         sizeof columns / sizeof *columns);
    for (int i = 0; i <= bag_count(r->list); i++) {
        const int mean = i == bag_count(r->list);
        const tune_tiles *x = mean ? NULL : &r->list[i].tiles;
        harness_table_text(t, mean ? "mean" : r->list[i].name);
        harness_table_number(t, x ? x->kernels : (double)NAN, 0);
        harness_table_number(t, x ? x->tiled : (double)NAN, 0);
        for (int c = TUNE_TILE_EXHAUSTIVE; c < TUNE_CHOICES; c++) {
            const tune_choice choice = (tune_choice)c;
            harness_table_number(t, x ? tune_tile_speedup(x, choice) : tune_mean_tiles(r, choice),
                                 4);
            if (choice != TUNE_TILE_FIRST)
                harness_table_number(t, x ? (double)x->measurements[c] : (double)NAN, 0);
        }
    }
    return t;
}

/* ---- JSON ---- */

static json_t *fusion_json(const tune_fusion *x)
{
    json_t *list = json_array();
    for (int i = 0; i < TUNE_SEARCHES; i++) {
        const tune_found *f = &x->found[i];
        json_t *curve = json_array();
        for (int m = 0; m < f->measurements; m++)
            json_array_append_new(curve, harness_json_number(f->curve[m]));
        json_t *one = json_pack(
            "{ss ss so si sI sI so}", "search", way_name(i), "start", tune_start_name(i), "speedup",
            harness_json_number(f->speedup), "measurements", f->measurements, "kernels_run",
            (json_int_t)f->kernels, "kernels_predicted", (json_int_t)f->predicted, "curve", curve);
        if (f->done)
            json_array_append_new(list, one);
        else
            json_decref(one);
    }
    return json_pack("{si so so}", "kernels", x->kernels, "default_ns",
                     harness_json_number(x->default_ns), "searches", list);
}

static json_t *tiles_json(const tune_tiles *t)
{
    json_t *list = json_array();
    for (int c = 0; c < TUNE_CHOICES; c++)
        json_array_append_new(list,
                              json_pack("{ss so so sI}", "choice", tune_choice_name((tune_choice)c),
                                        "ns", harness_json_number(t->ns[c]), "speedup",
                                        harness_json_number(tune_tile_speedup(t, (tune_choice)c)),
                                        "measurements", (json_int_t)t->measurements[c]));
    return json_pack("{si si so}", "kernels", t->kernels, "with_a_choice", t->tiled, "choices",
                     list);
}

json_t *tune_json(const tune_results *r)
{
    json_t *list = json_array(), *mean = json_object();
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_result *p = &r->list[i];
        json_t *one = json_pack("{ss si}", "program", p->name, "nodes", p->nodes);
        if (r->fusion) json_object_set_new(one, "fusion", fusion_json(&p->fusion));
        if (r->tiles) json_object_set_new(one, "tiles", tiles_json(&p->tiles));
        json_array_append_new(list, one);
    }
    for (int s = 0; r->fusion && s < TUNE_STARTS; s++) {
        const int i = s * TUNE_WAYS;
        json_object_set_new(
            mean, tune_start_name(i),
            json_pack("{so so so so}", way_name(i),
                      harness_json_number(tune_mean_speedup(r, i, INT32_MAX)), way_name(i + 1),
                      harness_json_number(tune_mean_speedup(r, i + 1, INT32_MAX)), "share",
                      harness_json_number(tune_share(r, (tune_start)s, 0)), "share_of_gain",
                      harness_json_number(tune_share(r, (tune_start)s, 1))));
    }
    return json_pack("{so so}", "programs", list, "mean", mean);
}
