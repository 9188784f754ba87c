/* SPDX-License-Identifier: MIT */
/* The autotuner's searches, with made-up times: partitions stay legal, budgets hold, a known
   optimum is found, a seed gives one sequence; the choices of tiles. */
#include "support/test.h"
#include "core/error.h"
#include "core/random.h"
#include "examples/harness/base/bag.h"
#include "examples/tune/tune.h"
#include "support/lab_cases.h"

#include <xxhash.h>

#define SIZES(...) ((const int[]){__VA_ARGS__})

/* A chain with a side branch: 9 nodes whose place can change, 2^9 sets of outputs. */
static void make_small(lab_program *p)
{
    *p = (lab_program){.name = "small", .family = "small"};
    const int x = lab_parameter(p, LAB_F32, 2, SIZES(16, 32));
    const int w = lab_parameter(p, LAB_F32, 2, SIZES(32, 24));
    const int a = lab_unary(p, LAB_TANH, lab_unary(p, LAB_ABS, x));
    const int b = lab_unary(p, LAB_NEGATE, lab_dot(p, a, w, (lab_dot_dims){0, 1, 0}));
    const int c = lab_unary(p, LAB_EXPONENTIAL, b);
    const int d = lab_unary(p, LAB_LOGISTIC, lab_unary(p, LAB_SIGN, b));
    const int e = lab_binary(p, LAB_ADD, c, d);
    lab_unary(p, LAB_SQRT, lab_unary(p, LAB_ABS, e));
    if (p->why.status) fail_msg("%s", p->why.sentence);
}

/* ---- made-up times ---- */

typedef struct fake {
    uint64_t salt, model; /* of the measured and of the predicted times */
    int calls, kernels, fail_at;
    bool backwards; /* the scores order the tiles the wrong way */
    int tiles;      /* measured */
    bool drifts;    /* each call takes longer than the one before */
} fake;

/* A kernel's time is drawn by a hash of its computation: 100 to 1124 for each of its nodes. */
static double time_of(uint64_t salt, const lab_program *kernel)
{
    const uint64_t draw = (lab_kernel_hash(kernel) ^ salt) * 0x9e3779b97f4a7c15ULL >> 54;
    return kernel->n * (100 + (double)draw);
}

static double tile_ns(const int *tile) { return 1000 + (tile[15] * 7 + tile[7] * 3) % 1009; }

static ag_status measure(void *state, double *ns, const lab_configs *configs, const int *which,
                         int count, ag_failure *why)
{
    fake *f = state;
    *(configs->fusion ? &f->kernels : &f->tiles) += count;
    if (++f->calls == f->fail_at) return ag_fail(why, AG_EDEVICE, "the meter is broken");
    for (int i = 0; i < count; i++) {
        const int at = which ? which[i] : i;
        assert_true(configs->fusion || lab_tile_valid(configs->program, configs->tile[at]));
        ns[i] = configs->fusion ? time_of(f->salt, &configs->fusion->kernel[at])
                                : tile_ns(configs->tile[at]);
        if (f->drifts) ns[i] *= f->calls;
    }
    return AG_OK;
}

static ag_status predict(void *state, double *ns, const lab_configs *configs, const int *which,
                         int count, ag_failure *why)
{
    const fake *f = state;
    for (int i = 0; i < count; i++)
        if (configs->fusion)
            ns[i] = 1000 * time_of(f->model, &configs->fusion->kernel[which[i]]);
        else
            ns[i] = f->backwards ? -tile_ns(configs->tile[i]) : log(tile_ns(configs->tile[i]));
    return AG_OK;
}

static tune_meters meters_of(fake *f) { return (tune_meters){f, {measure, predict}}; }

/* The partitions that a search on hardware tries, in order. */
typedef struct trace {
    int n;
    double best;
    uint64_t keys; /* a hash of all */
} trace;

static trace anneal(const lab_program *p, fake *f, int partitions, uint64_t seed, ag_failure *why)
{
    trace t = {.best = (double)INFINITY};
    const tune_meters meters = meters_of(f);
    tune_pool pool;
    tune_cut *list = NULL;
    tune_pool_open(&pool, p, &meters);
    tune_cut start = tune_cut_new(&pool);
    tune_cut_draw(&start, &pool, 1, 0);
    tune_anneal(&list, &pool, &start, TUNE_HARDWARE, partitions, partitions, seed, why);
    assert_in_range(f->kernels, 1, pool.kernels.n); /* each at most once */
    t.n = bag_count(list);
    for (int i = 0; i < t.n; i++) {
        t.best = fmin(t.best, tune_time(&pool, &list[i]));
        t.keys = XXH3_64bits_withSeed(list[i].key, strlen(list[i].key), t.keys);
        for (int k = 0; k < i; k++) assert_string_not_equal(list[k].key, list[i].key);
    }
    bag_free(list);
    tune_pool_close(&pool);
    return t;
}

/* ---- partitions ---- */

/* The last partition of the pool: each kernel has one output, and runs as one. */
static void check_cut(const tune_cut *cut, const tune_pool *pool)
{
    const lab_program *p = pool->program;
    const int *group = pool->group;
    int parts = 0;
    for (int i = 0; i < p->n; i++) {
        int nodes = 0;
        lab_program kernel;
        assert_int_equal(group[i] >= 0, lab_is_grouped(p, i));
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            const int x = p->nodes[i].operand[k];
            assert_true(group[x] < 0 || group[x] == group[i] || cut->output[x]);
        }
        assert_int_equal(cut->output[i], group[i] == i);
        if (!cut->output[i]) continue;
        for (int k = 0; k <= i; k++) nodes += group[k] == i;
        assert_int_equal(lab_kernel(&kernel, p, group, i), AG_OK);
        assert_true(nodes == 1 || lab_fusible(&kernel));
        lab_program_clear(&kernel);
        parts++;
    }
    assert_int_equal(parts, cut->parts);
}

static void moves_keep_partitions_legal(void **state)
{
    enum { WALK = 150 };
    for (int net = 0; net < LAB_CASE_NETS; net++) {
        lab_program p = {.name = "net"};
        ag_random random = {(uint64_t)net, 0, 0};
        tune_pool pool;
        lab_case_net(&p, net);
        tune_pool_open(&pool, &p, NULL);
        tune_cut cut[] = {tune_cut_new(&pool), tune_cut_new(&pool)};
        int *group = calloc((size_t)p.n, sizeof *group), least = p.n, most = 0;
        for (int start = 0; start < 3; start++) {
            tune_cut_draw(&cut[0], &pool, 0.5 * start, 3);
            assert_int_equal(lab_partition(group, &p, 0.5 * start, 3), cut[0].parts);
            for (int i = 0; i < p.n; i++) /* the lab names a group by its number */
                for (int k = 0; k < i; k++)
                    assert_int_equal(group[i] == group[k], pool.group[i] == pool.group[k]);
            for (int i = 0; i < WALK; i++) {
                tune_cut *from = &cut[i % 2], *to = &cut[1 - i % 2];
                assert_true(tune_cut_move(to, from, &pool, &random));
                assert_string_not_equal(to->key, from->key);
                check_cut(to, &pool);
                least = to->parts < least ? to->parts : least;
                most = to->parts > most ? to->parts : most;
            }
        }
        assert_true(least < most);
        free(group);
        tune_pool_close(&pool);
        lab_program_clear(&p);
    }
}

/* A program of one node has one partition; a search ends at once. */
static void nothing_to_choose(void **state)
{
    lab_program p = {.name = "one"};
    fake f = {0};
    lab_unary(&p, LAB_ABS, lab_parameter(&p, LAB_F32, 1, SIZES(8)));
    assert_int_equal(anneal(&p, &f, 100, 1, new_failure()).n, 1);
    expect_ok(last_failure()->status);
    lab_program_clear(&p);
}

/* ---- annealing ---- */

/* The least time of all sets of outputs, and how many of them are legal partitions. */
static double brute_force(const lab_program *p, fake *f, int *partitions)
{
    const tune_meters meters = meters_of(f);
    tune_pool pool;
    ag_failure why = {0};
    double best = (double)INFINITY;
    harness_name_at *known = NULL;
    map_owns(known);
    tune_pool_open(&pool, p, &meters);
    tune_cut cut = tune_cut_new(&pool);
    for (int set = 0; set < 1 << p->n; set++) {
        for (int k = 0; k < p->n; k++) cut.output[k] = set >> k & 1;
        if (!tune_cut_settle(&cut, &pool)) continue;
        map_add(known, cut.key, 1);
        assert_int_equal(tune_ask(&pool, TUNE_HARDWARE, &cut, 1, &why), AG_OK);
        best = fmin(best, tune_time(&pool, &cut));
    }
    *partitions = (int)stbds_shlen(known);
    map_free(known);
    tune_pool_close(&pool);
    return best;
}

static void the_optimum_is_found(void **state)
{
    lab_program p;
    make_small(&p);
    for (uint64_t salt = 0; salt < 5; salt++) {
        int partitions;
        fake all = {.salt = salt}, f = all;
        const double best = brute_force(&p, &all, &partitions);
        assert_in_range(partitions, 50, 512);
        assert_true(fabs(anneal(&p, &f, partitions / 2, 7, new_failure()).best - best) < 1e-9);
        expect_ok(last_failure()->status);
    }
    lab_program_clear(&p);
}

static void budgets_hold_and_a_seed_gives_one_sequence(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 2);
    for (int budget = 1; budget <= 40; budget = budget * 2 + 1) {
        fake f = {.salt = 3}, g = f, h = f;
        ag_failure why = {0};
        const trace a = anneal(&p, &f, budget, 5, &why), b = anneal(&p, &g, budget, 5, &why);
        const trace other = anneal(&p, &h, budget, 12, &why);
        assert_int_equal(why.status, AG_OK);
        assert_int_equal(a.n, budget);
        assert_int_equal(b.n, budget);
        assert_true(a.keys == b.keys);
        if (budget > 4) assert_true(a.keys != other.keys);
    }
    lab_program_clear(&p);
}

/* Memory does not grow with the partitions that are tried. */
static void the_fastest_are_kept(void **state)
{
    enum { MANY = 40, FEW = 5 };
    lab_program p = {.name = "net"};
    lab_case_net(&p, 2);
    fake f = {.salt = 3};
    const tune_meters meters = meters_of(&f);
    tune_pool pool;
    tune_cut *all = NULL, *few = NULL;
    tune_pool_open(&pool, &p, &meters);
    tune_cut start = tune_cut_new(&pool);
    tune_cut_draw(&start, &pool, 1, 0);
    tune_anneal(&all, &pool, &start, TUNE_HARDWARE, MANY, MANY, 5, new_failure());
    tune_anneal(&few, &pool, &start, TUNE_HARDWARE, MANY, FEW, 5, new_failure());
    assert_int_equal(bag_count(all), MANY);
    assert_int_equal(bag_count(few), FEW);
    assert_string_equal(few[0].key, start.key);
    for (int k = 1; k < MANY; k++) {
        int faster = 0, kept = 0;
        for (int i = 1; i < MANY; i++) faster += all[i].ns < all[k].ns;
        for (int i = 1; i < FEW; i++) kept += !strcmp(few[i].key, all[k].key);
        assert_int_equal(kept, faster < FEW - 1);
    }
    bag_free(all);
    bag_free(few);
    tune_pool_close(&pool);
    lab_program_clear(&p);
}

static void meters_can_fail(void **state)
{
    lab_program p;
    make_small(&p);
    for (int at = 1; at < 6; at++) {
        fake f = {.fail_at = at};
        anneal(&p, &f, 60, 1, new_failure());
        assert_string_equal(last_failure()->sentence, "the meter is broken");
        assert_int_equal(f.calls, at);
    }
    lab_program_clear(&p);
}

/* ---- whole searches ---- */

static tune_result search(const lab_program *p, fake *f, tpu_settings o, ag_status status)
{
    tune_result r = {0};
    const tune_meters meters = meters_of(f);
    o.harness.common.seed = 4;
    assert_int_equal(tune_fusion_search(&r, p, &meters, &o, new_failure()), status);
    return r;
}

/* A model that is right up to a factor finds with few measurements what hardware needs many
   for; one without information does no harm. */
static void models_help(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    fake f = {.salt = 9, .model = 9};
    const tpu_settings o = {.measurements = 30, .verify = 5, .search_steps = 1500};
    const tune_result right = search(&p, &f, o, AG_OK);
    assert_true(right.kernels > 1 && right.default_ns > 0);
    for (int i = 0; i < TUNE_SEARCHES; i += TUNE_WAYS)
        assert_true(right.speedup[i + TUNE_LEARNED] >= right.speedup[i + TUNE_HARDWARE]);
    assert_true(right.speedup[TUNE_HARDWARE] >= 1 && right.speedup[TUNE_LEARNED] > 1);
    f = (fake){.salt = 9, .model = 10};
    const tune_result wrong = search(&p, &f, o, AG_OK);
    assert_true(wrong.speedup[TUNE_HARDWARE] == right.speedup[TUNE_HARDWARE]);
    assert_true(wrong.speedup[TUNE_LEARNED] >= 1);
    assert_true(wrong.speedup[TUNE_LEARNED] < right.speedup[TUNE_LEARNED]);
    f = (fake){.fail_at = 3};
    assert_true(search(&p, &f, o, AG_EDEVICE).kernels == 0);
    lab_program_clear(&p);
}

/* The start is one of the partitions that are measured: with one measurement it is the result. What
   counts is a last measurement of all. */
static void one_measurement_is_the_start(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    fake f = {.salt = 9, .model = 9}, slower = {.salt = 9, .model = 9, .drifts = true};
    const tpu_settings o = {.measurements = 1, .verify = 1, .search_steps = 300};
    const tune_result r = search(&p, &f, o, AG_OK), late = search(&p, &slower, o, AG_OK);
    for (int way = 0; way < TUNE_WAYS; way++) assert_true(r.speedup[way] == 1);
    assert_true(r.speedup[TUNE_WAYS] == r.speedup[TUNE_WAYS + 1] && r.speedup[TUNE_WAYS] != 1);
    for (int i = 0; i < TUNE_SEARCHES; i++)
        assert_true(fabs(late.speedup[i] - r.speedup[i]) < 1e-9);
    lab_program_clear(&p);
}

static void tiles_are_chosen(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    for (int backwards = 0; backwards < 2; backwards++) {
        fake f = {.backwards = backwards};
        const tune_meters meters = meters_of(&f);
        tune_result r = {0};
        const tpu_settings o = {.tiles = 40, .harness.common.seed = 1};
        expect_ok(tune_tiles_search(&r, &p, &meters, &o, new_failure()));
        assert_in_range(f.tiles, 2 + 4, (40 + 4) * (int)r.kernels);
        assert_true(r.speedup[TUNE_EXHAUSTIVE] > 1);
        assert_int_equal(r.speedup[TUNE_EXHAUSTIVE] > r.speedup[TUNE_TEN], backwards);
        assert_int_equal(r.speedup[TUNE_TEN] > r.speedup[TUNE_FIRST], backwards);
    }
    lab_program_clear(&p);
}

/* Of a kernel that a program has three times, one is searched and all are counted. */
static void equal_kernels_count(void **state)
{
    double ns = 0;
    for (int dots = 1; dots <= 3; dots += 2) {
        lab_program p = {.name = "dots"};
        fake f = {0};
        const tune_meters meters = meters_of(&f);
        tune_result r = {0};
        const tpu_settings o = {.tiles = 40};
        int(*tile)[24], x = lab_parameter(&p, LAB_F32, 2, SIZES(32, 32));
        for (int i = 0; i < dots; i++)
            x = lab_dot(&p, x, lab_parameter(&p, LAB_F32, 2, SIZES(32, 32)),
                        (lab_dot_dims){0, 1, 0});
        if (dots == 1) {
            assert_in_range(lab_tiles(&tile, &p, 40, 0), 2, 40);
            ns = tile_ns(tile[0]);
            harness_free(tile);
        }
        expect_ok(tune_tiles_search(&r, &p, &meters, &o, new_failure()));
        assert_true(r.kernels == 1 && r.default_ns == dots * ns);
        lab_program_clear(&p);
    }
}

int main(void)
{
    return RUN_TESTS(moves_keep_partitions_legal, nothing_to_choose, the_optimum_is_found,
                     budgets_hold_and_a_seed_gives_one_sequence, meters_can_fail,
                     the_fastest_are_kept, models_help, one_measurement_is_the_start,
                     tiles_are_chosen, equal_kernels_count);
}
