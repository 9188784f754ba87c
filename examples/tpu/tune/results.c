/* SPDX-License-Identifier: MIT */
/* Means, tables and JSON of the autotuner. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/results.h"

#include <jansson.h>
#include <math.h>

const char *tune_way_name(tune_way way)
{
    static const char *const name[TUNE_WAYS] = {"hardware", "learned"};
    return name[way];
}

const char *tune_start_name(tune_start start)
{
    static const char *const name[TUNE_STARTS] = {"default", "random"};
    return name[start];
}

const char *tune_choice_name(tune_choice choice)
{
    static const char *const name[TUNE_CHOICES] = {"default", "exhaustive", "learned 1",
                                                   "learned 10"};
    return name[choice];
}

/* ---- means ---- */

static double speedup_at(const tune_found *f, int measurements)
{
    const int at = measurements < f->measurements ? measurements : f->measurements;
    return at > 0 ? f->curve[at - 1] : 1;
}

double tune_mean_speedup(const tune_results *r, tune_start start, tune_way way, int measurements)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_found *f = &r->list[i].fusion.found[start][way];
        if (!f->done) continue;
        sum += speedup_at(f, measurements);
        n++;
    }
    return n ? sum / n : (double)NAN;
}

static double tile_speedup(const tune_tiles *t, tune_choice choice)
{
    return t->ns[TUNE_TILE_DEFAULT] / t->ns[choice];
}

double tune_mean_tiles(const tune_results *r, tune_choice choice)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < bag_count(r->list); i++)
        if (r->list[i].tiles.kernels) sum += tile_speedup(&r->list[i].tiles, choice), n++;
    return n ? sum / n : (double)NAN;
}

double tune_share(const tune_results *r, tune_start start, int gain)
{
    const double hardware = tune_mean_speedup(r, start, TUNE_HARDWARE, INT32_MAX);
    const double learned = tune_mean_speedup(r, start, TUNE_LEARNED, INT32_MAX);
    double sum = 0;
    if (gain) return hardware > 1 ? (learned - 1) / (hardware - 1) : (double)NAN;
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_found *f = r->list[i].fusion.found[start];
        sum +=
            f[TUNE_LEARNED].done ? f[TUNE_LEARNED].speedup / f[TUNE_HARDWARE].speedup : (double)NAN;
    }
    return bag_count(r->list) ? sum / bag_count(r->list) : (double)NAN;
}

/* ---- tables ---- */

enum { COLUMNS = 3 + 3 * TUNE_STARTS * TUNE_WAYS };

/* Columns per search: speed-up, measurements, kernels run. */
static harness_table *new_fusion_table(const tune_results *r)
{
    char *names[COLUMNS];
    int n = 0;
    names[n++] = harness_copy("program");
    names[n++] = harness_copy("kernels");
    names[n++] = harness_copy("default us");
    for (int s = 0; s < TUNE_STARTS; s++)
        for (int w = 0; w < TUNE_WAYS; w++) {
            if (isnan(tune_mean_speedup(r, (tune_start)s, (tune_way)w, 1))) continue;
            const char *way = tune_way_name((tune_way)w), *start = tune_start_name((tune_start)s);
            names[n++] = harness_text("%s, %s", way, start);
            names[n++] = harness_copy("measured");
            names[n++] = harness_copy("kernels run");
        }
    harness_table *t =
        harness_table_new("Fusion: speed-up over the default partition, by search and start",
                          (const char *const *)names, n);
    while (n) harness_free(names[--n]);
    return t;
}

static void fusion_row(harness_table *t, const tune_result *p)
{
    harness_table_text(t, p->name);
    harness_table_count(t, p->fusion.kernels);
    harness_table_number(t, p->fusion.default_ns / 1000, 1);
    for (int i = 0; i < TUNE_STARTS * TUNE_WAYS; i++) {
        const tune_found *f = &p->fusion.found[0][0] + i;
        if (!f->done) continue;
        harness_table_number(t, f->speedup, 4);
        harness_table_count(t, f->measurements);
        harness_table_count(t, f->kernels);
    }
}

harness_table *tune_fusion_table(const tune_results *r)
{
    if (!r->fusion || !bag_count(r->list)) return NULL;
    harness_table *t = new_fusion_table(r);
    for (int i = 0; i < bag_count(r->list); i++) fusion_row(t, &r->list[i]);
    harness_table_text(t, "mean");
    harness_table_number(t, (double)NAN, 0);
    harness_table_number(t, (double)NAN, 0);
    for (int s = 0; s < TUNE_STARTS; s++)
        for (int w = 0; w < TUNE_WAYS; w++) {
            const double mean = tune_mean_speedup(r, (tune_start)s, (tune_way)w, INT32_MAX);
            if (isnan(mean)) continue;
            harness_table_number(t, mean, 4);
            harness_table_number(t, (double)NAN, 0);
            harness_table_number(t, (double)NAN, 0);
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
            harness_table_number(t, x ? tile_speedup(x, choice) : tune_mean_tiles(r, choice), 4);
            if (choice != TUNE_TILE_FIRST)
                harness_table_number(t, x ? (double)x->measurements[c] : (double)NAN, 0);
        }
    }
    return t;
}

/* ---- JSON ---- */

static json_t *real(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *found_json(const tune_found *f, int start, int way)
{
    json_t *j = json_object(), *curve = json_array();
    json_object_set_new(j, "search", json_string(tune_way_name((tune_way)way)));
    json_object_set_new(j, "start", json_string(tune_start_name((tune_start)start)));
    json_object_set_new(j, "speedup", real(f->speedup));
    json_object_set_new(j, "measurements", json_integer(f->measurements));
    json_object_set_new(j, "kernels_run", json_integer(f->kernels));
    json_object_set_new(j, "kernels_predicted", json_integer(f->predicted));
    for (int i = 0; i < f->measurements; i++) json_array_append_new(curve, real(f->curve[i]));
    json_object_set_new(j, "curve", curve);
    return j;
}

static json_t *fusion_json(const tune_fusion *f)
{
    json_t *j = json_object(), *list = json_array();
    json_object_set_new(j, "kernels", json_integer(f->kernels));
    json_object_set_new(j, "default_ns", real(f->default_ns));
    for (int s = 0; s < TUNE_STARTS; s++)
        for (int w = 0; w < TUNE_WAYS; w++)
            if (f->found[s][w].done) json_array_append_new(list, found_json(&f->found[s][w], s, w));
    json_object_set_new(j, "searches", list);
    return j;
}

static json_t *tiles_json(const tune_tiles *t)
{
    json_t *j = json_object(), *list = json_array();
    for (int c = 0; c < TUNE_CHOICES; c++) {
        json_t *one = json_object();
        json_object_set_new(one, "choice", json_string(tune_choice_name((tune_choice)c)));
        json_object_set_new(one, "ns", real(t->ns[c]));
        json_object_set_new(one, "speedup", real(tile_speedup(t, (tune_choice)c)));
        json_object_set_new(one, "measurements", json_integer(t->measurements[c]));
        json_array_append_new(list, one);
    }
    json_object_set_new(j, "kernels", json_integer(t->kernels));
    json_object_set_new(j, "with_a_choice", json_integer(t->tiled));
    json_object_set_new(j, "choices", list);
    return j;
}

json_t *tune_json(const tune_results *r)
{
    json_t *j = json_object(), *list = json_array(), *share = json_object();
    for (int i = 0; i < bag_count(r->list); i++) {
        const tune_result *p = &r->list[i];
        json_t *one = json_object();
        json_object_set_new(one, "program", json_string(p->name));
        json_object_set_new(one, "nodes", json_integer(p->nodes));
        if (r->fusion) json_object_set_new(one, "fusion", fusion_json(&p->fusion));
        if (r->tiles) json_object_set_new(one, "tiles", tiles_json(&p->tiles));
        json_array_append_new(list, one);
    }
    json_object_set_new(j, "programs", list);
    for (int s = 0; r->fusion && s < TUNE_STARTS; s++) {
        json_t *one = json_object();
        for (int w = 0; w < TUNE_WAYS; w++)
            json_object_set_new(one, tune_way_name((tune_way)w),
                                real(tune_mean_speedup(r, (tune_start)s, (tune_way)w, INT32_MAX)));
        json_object_set_new(one, "share", real(tune_share(r, (tune_start)s, 0)));
        json_object_set_new(one, "share_of_gain", real(tune_share(r, (tune_start)s, 1)));
        json_object_set_new(share, tune_start_name((tune_start)s), one);
    }
    json_object_set_new(j, "mean", share);
    return j;
}
