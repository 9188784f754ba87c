/* SPDX-License-Identifier: MIT */
/* The autotuner's searches, with made-up times: partitions stay legal, budgets hold, a known
   optimum is found, a seed gives one sequence; the choices of tiles. */
#include "support/test.h"
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/tune.h"
#include "support/lab_cases.h"

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
    int64_t tiles;  /* measured */
} fake;

/* A kernel's time is drawn by a hash of its computation: 100 to 1124 for each of its nodes. */
static double time_of(uint64_t salt, const lab_program *kernel)
{
    const uint64_t draw = (lab_kernel_hash(kernel) ^ salt) * 0x9e3779b97f4a7c15ULL >> 54;
    return kernel->n * (100 + (double)draw);
}

static ag_status measure(void *state, double *ns, const lab_fusion *kernels, ag_failure *why)
{
    fake *f = state;
    f->calls++;
    f->kernels += kernels->n;
    if (f->calls == f->fail_at) return ag_fail(why, AG_EDEVICE, "the meter is broken");
    for (int i = 0; i < kernels->n; i++) ns[i] = time_of(f->salt, &kernels->kernel[i]);
    return AG_OK;
}

static ag_status predict(void *state, double *ns, const lab_fusion *kernels, ag_failure *why)
{
    for (int i = 0; i < kernels->n; i++)
        ns[i] = 7 * time_of(((fake *)state)->model, &kernels->kernel[i]);
    return AG_OK;
}

static double tile_ns(const int *tile) { return 1000 + (tile[15] * 7 + tile[7] * 3) % 1009; }

static ag_status measure_tiles(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                               const int *which, int count, ag_failure *why)
{
    ((fake *)state)->tiles += count;
    for (int i = 0; i < count; i++) {
        assert_true(lab_tile_valid(kernel, tile[which[i]]));
        ns[i] = tile_ns(tile[which[i]]);
    }
    return AG_OK;
}

static ag_status score_tiles(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                             int count, ag_failure *why)
{
    for (int i = 0; i < count; i++)
        score[i] = ((fake *)state)->backwards ? -tile_ns(tile[i]) : log(tile_ns(tile[i]));
    return AG_OK;
}

static tune_meters meters_of(fake *f)
{
    return (tune_meters){f, measure, predict, measure_tiles, score_tiles};
}

/* The partitions that a search on hardware tries, in order. */
typedef struct trace {
    int n;
    double best;
    char key[64][24];
} trace;

static trace anneal(const lab_program *p, fake *f, tune_options options, ag_failure *why)
{
    trace t = {.best = (double)INFINITY};
    const tune_meters meters = meters_of(f);
    tune_pool pool;
    tune_tried *list = NULL;
    tune_pool_open(&pool, p, &meters);
    tune_cut start = tune_cut_new(&pool);
    assert_int_equal(tune_cut_draw(&start, &pool, 1, 0, why), AG_OK);
    options.kept = (int)options.evaluations;
    tune_anneal(&list, &pool, &start, &options, why);
    assert_int_equal(pool.asked[TUNE_HARDWARE], f->kernels);
    t.n = bag_count(list);
    for (int i = 0; i < t.n; i++) {
        t.best = fmin(t.best, list[i].ns);
        strcpy(t.key[i % 64], list[i].cut.key);
        for (int k = 0; k < i; k++) assert_string_not_equal(list[k].cut.key, list[i].cut.key);
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
        ag_failure why = {0};
        ag_random random = {(uint64_t)net, 0, 0};
        tune_pool pool;
        lab_case_net(&p, net);
        tune_pool_open(&pool, &p, NULL);
        tune_cut cut[] = {tune_cut_new(&pool), tune_cut_new(&pool)};
        int *group = calloc((size_t)p.n, sizeof *group), least = p.n, most = 0;
        for (int start = 0; start < 3; start++) {
            assert_int_equal(tune_cut_draw(&cut[0], &pool, 0.5 * start, 3, &why), AG_OK);
            assert_int_equal(lab_partition(group, &p, 0.5 * start, 3), cut[0].parts);
            for (int i = 0; i < p.n; i++) /* the lab names a group by its number */
                for (int k = 0; k < i; k++)
                    assert_int_equal(group[i] == group[k], pool.group[i] == pool.group[k]);
            for (int i = 0; i < WALK; i++) {
                tune_cut *from = &cut[i % 2], *to = &cut[1 - i % 2];
                assert_true(tune_cut_move(to, from, &pool, &random, &why));
                assert_string_not_equal(to->key, from->key);
                check_cut(to, &pool);
                least = to->parts < least ? to->parts : least;
                most = to->parts > most ? to->parts : most;
            }
        }
        assert_true(least < most);
        assert_int_equal(why.status, AG_OK);
        free(group);
        tune_pool_close(&pool);
        lab_program_clear(&p);
    }
}

/* A program of one node has one partition; a search ends at once. */
static void nothing_to_choose(void **state)
{
    lab_program p = {.name = "one"};
    ag_failure why = {0};
    fake f = {0};
    lab_unary(&p, LAB_ABS, lab_parameter(&p, LAB_F32, 1, SIZES(8)));
    const tune_options o = {.evaluations = 100, .chains = 4, .hot = 0.1, .cold = 0.01, .seed = 1};
    assert_int_equal(anneal(&p, &f, o, &why).n, 1);
    lab_program_clear(&p);
}

/* ---- annealing ---- */

/* The least time of all 2^movable sets of outputs, and how many of them are legal partitions. */
static double brute_force(const lab_program *p, fake *f, int *partitions)
{
    const tune_meters meters = meters_of(f);
    tune_pool pool;
    ag_failure why = {0};
    double best = (double)INFINITY;
    tune_entry *known = NULL;
    map_owns(known);
    tune_pool_open(&pool, p, &meters);
    tune_cut cut = tune_cut_new(&pool);
    const tune_cut *one = &cut;
    for (int set = 0; set < 1 << pool.n_movable; set++) {
        memset(cut.output, 0, (size_t)p->n);
        for (int k = 0; k < pool.n_movable; k++) cut.output[pool.movable[k]] = set >> k & 1;
        if (!tune_cut_settle(&cut, &pool, &why)) continue;
        map_add(known, cut.key, 1);
        assert_int_equal(tune_ask(&pool, TUNE_HARDWARE, &one, 1, &why), AG_OK);
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
        fake all = {.salt = salt};
        const double best = brute_force(&p, &all, &partitions);
        assert_in_range(partitions, 50, 512);
        for (int chains = 1; chains <= 4; chains += 3) {
            fake f = {.salt = salt};
            ag_failure why = {0};
            const tune_options o = {.evaluations = partitions * 2 / 3,
                                    .chains = chains,
                                    .hot = 0.3,
                                    .cold = 0.02,
                                    .seed = 7};
            assert_true(fabs(anneal(&p, &f, o, &why).best - best) < 1e-9);
            assert_int_equal(why.status, AG_OK);
        }
    }
    lab_program_clear(&p);
}

static void budgets_hold_and_a_seed_gives_one_sequence(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 2);
    for (int chains = 1; chains <= 5; chains += 2)
        for (int budget = 0; budget <= 40; budget = budget * 2 + 1) {
            fake f = {.salt = 3}, g = f, h = f;
            ag_failure why = {0};
            tune_options o = {
                .evaluations = budget, .chains = chains, .hot = 0.1, .cold = 0.001, .seed = 5};
            const trace a = anneal(&p, &f, o, &why), b = anneal(&p, &g, o, &why);
            assert_int_equal(why.status, AG_OK);
            assert_int_equal(a.n, budget);
            assert_int_equal(b.n, budget);
            assert_memory_equal(a.key, b.key, sizeof a.key);
            o.seed = 12;
            const trace other = anneal(&p, &h, o, &why);
            if (budget > 4) assert_memory_not_equal(a.key, other.key, sizeof a.key);
        }
    lab_program_clear(&p);
}

static void meters_can_fail(void **state)
{
    lab_program p;
    make_small(&p);
    for (int at = 1; at < 6; at++) {
        fake f = {.fail_at = at};
        ag_failure why = {0};
        const tune_options o = {
            .evaluations = 60, .chains = 2, .hot = 0.1, .cold = 0.001, .seed = 1};
        anneal(&p, &f, o, &why);
        assert_string_equal(why.sentence, "the meter is broken");
        assert_int_equal(f.calls, at);
    }
    lab_program_clear(&p);
}

/* ---- whole searches ---- */

static void check_found(const tune_found *f, int budget, bool from_default)
{
    assert_in_range(f->measured, 1, budget);
    assert_int_equal(f->measured, bag_count(f->curve));
    assert_true(f->kernels > 0);
    if (from_default) assert_true(f->curve[0] == 1);
    for (int m = 1; m < f->measured; m++) assert_true(f->curve[m] >= f->curve[m - 1]);
    assert_true(f->speedup == f->curve[f->measured - 1]);
}

/* A model that is right, but for a factor, finds with few measurements what hardware needs many
   for. */
static void models_help(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    fake f = {.salt = 9, .model = 9};
    tune_part r;
    ag_failure why = {0};
    tune_meters meters = meters_of(&f);
    const tpu_settings o = {.start = TUNE_STARTS,
                            .measurements = 30,
                            .verify = 5,
                            .search_steps = 1500,
                            .shell.common.seed = 4};
    tpu_settings many = o;
    many.start = TUNE_DEFAULT;
    many.measurements = 1;
    many.verify = 300;
    many.search_steps = 3000;
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &why), AG_OK);
    for (int s = 0; s < TUNE_STARTS; s++) {
        const tune_found *found = &r.found[s * TUNE_WAYS];
        check_found(&found[TUNE_HARDWARE], 30, s == TUNE_DEFAULT);
        check_found(&found[TUNE_LEARNED], 5, s == TUNE_DEFAULT);
        assert_int_equal(found[TUNE_HARDWARE].measured, 30);
        assert_true(found[TUNE_LEARNED].speedup >= found[TUNE_HARDWARE].speedup);
    }
    const double right = r.found[TUNE_LEARNED].speedup;
    assert_true(right > 1);
    tune_part_clear(&r);
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &many, &why), AG_OK);
    assert_int_equal(r.found[TUNE_LEARNED].measured, 300);
    assert_true(r.found[TUNE_WAYS].speedup == 0); /* not wanted */
    tune_part_clear(&r);
    f.model = 10; /* has no information, but does no harm */
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &why), AG_OK);
    check_found(&r.found[TUNE_LEARNED], 5, true);
    assert_true(r.found[TUNE_LEARNED].speedup < right);
    tune_part_clear(&r);
    meters.predict = NULL; /* no model */
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &why), AG_OK);
    assert_true(r.found[TUNE_LEARNED].speedup == 0 && r.found[TUNE_HARDWARE].speedup > 0);
    tune_part_clear(&r);
    f = (fake){.fail_at = 3};
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &why), AG_EDEVICE);
    assert_true(r.found[TUNE_HARDWARE].speedup == 0);
    tune_part_clear(&r);
    lab_program_clear(&p);
}

static void tiles_are_chosen(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    for (int backwards = 0; backwards < 2; backwards++) {
        fake f = {.backwards = backwards};
        const tune_meters meters = meters_of(&f);
        tune_part r;
        ag_failure why = {0};
        const tpu_settings o = {.tiles = 40, .shell.common.seed = 1};
        assert_int_equal(tune_tiles_search(&r, &p, &meters, &o, &why), AG_OK);
        const tune_found *all = &r.found[TUNE_EXHAUSTIVE], *ten = &r.found[TUNE_TEN];
        const tune_found *first = &r.found[TUNE_FIRST];
        assert_in_range(all->measured, 2, 40 * r.kernels);
        assert_in_range(ten->measured, 2, 10 * r.kernels);
        assert_int_equal(first->measured, 0);
        assert_true(f.tiles > all->measured);
        assert_true(all->speedup > 1);
        assert_true(all->speedup >= ten->speedup && ten->speedup >= first->speedup);
        assert_int_equal(all->speedup > first->speedup, backwards);
    }
    lab_program_clear(&p);
}

int main(void)
{
    return RUN_TESTS(moves_keep_partitions_legal, nothing_to_choose, the_optimum_is_found,
                     budgets_hold_and_a_seed_gives_one_sequence, meters_can_fail, models_help,
                     tiles_are_chosen);
}
