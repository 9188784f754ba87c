/* SPDX-License-Identifier: MIT */
/* The autotuner's search, with made-up costs: partitions stay legal, budgets hold, a known optimum
   is found, a seed gives one sequence. */
#include "support/test.h"
#include "examples/tpu/tune/fusion.h"
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

/* ---- made-up costs ---- */

typedef struct fake {
    uint64_t salt;
    int calls, kernels, stop_at, fail_at; /* of the calls; 0: never */
} fake;

/* A kernel's cost is drawn by a hash of its computation: 100 to 1124 for each of its nodes. */
static double cost_of(uint64_t salt, const lab_program *kernel)
{
    const uint64_t draw = (lab_kernel_hash(kernel) ^ salt) * 0x9e3779b97f4a7c15ULL >> 54;
    return kernel->n * (100 + (double)draw);
}

static ag_status price(void *state, double *ns, const lab_fusion *kernels, int *stop,
                       ag_failure *why)
{
    fake *f = state;
    f->calls++;
    f->kernels += kernels->n;
    if (f->calls == f->fail_at) return ag_fail(why, AG_EDEVICE, "the meter is broken");
    *stop = f->calls == f->stop_at;
    for (int i = 0; i < kernels->n; i++) ns[i] = cost_of(f->salt, &kernels->kernel[i]);
    return AG_OK;
}

static tune_prices prices_of(fake *f)
{
    return (tune_prices){.state = f, .price = price, .factor = 1};
}

/* The partitions that a search has seen, in order. */
enum { MOST = 4000 };
typedef struct trace {
    uint64_t hash[MOST];
    double ns[MOST], best;
    int n;
} trace;

static void visit(void *state, const tune_cut *cut, double ns, int64_t evaluation)
{
    trace *l = state;
    assert_int_equal(evaluation, l->n + 1);
    assert_in_range(l->n, 0, MOST - 1);
    l->hash[l->n] = cut->hash;
    l->best = l->n && l->best < ns ? l->best : ns;
    l->ns[l->n++] = ns;
}

static ag_status anneal(trace *l, const lab_program *p, fake *f, tune_options options,
                        ag_failure *why)
{
    tune_pool pool;
    tune_cut start;
    tune_prices prices = prices_of(f);
    const tune_visitor visitor = {l, visit};
    memset(l, 0, sizeof *l);
    tune_pool_open(&pool, p);
    tune_cut_open(&start, &pool);
    assert_int_equal(tune_cut_draw(&start, 1, 0, why), AG_OK);
    tune_anneal(&options, &start, &prices, &visitor, why);
    assert_int_equal(prices.asked, why->status || prices.stop ? prices.asked : f->kernels);
    tune_prices_free(&prices);
    tune_cut_close(&start);
    tune_pool_close(&pool);
    return why->status;
}

/* ---- partitions ---- */

static void check_cut(const tune_cut *cut)
{
    const lab_program *p = cut->pool->program;
    lab_fusion made;
    ag_failure why = {0};
    assert_int_equal(tune_pool_programs(&made, cut->pool, cut->part, cut->parts, &why), AG_OK);
    for (int i = 0; i < p->n; i++) {
        assert_int_equal(cut->group[i] >= 0, lab_is_grouped(p, i));
        assert_in_range(cut->group[i] + 1, 0, cut->parts);
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            const int x = p->nodes[i].operand[k];
            if (cut->group[x] < 0 || cut->group[x] == cut->group[i]) continue;
            assert_true(cut->group[x] < cut->group[i]);
            assert_true(cut->output[x]);
        }
    }
    for (int g = 0; g < cut->parts; g++) {
        int nodes = 0, outputs = 0;
        lab_program kernel;
        for (int i = 0; i < p->n; i++) {
            nodes += cut->group[i] == g;
            outputs += cut->group[i] == g && cut->output[i];
        }
        assert_int_equal(outputs, 1);
        assert_int_equal(lab_kernel(&kernel, p, cut->group, g), AG_OK);
        assert_true(nodes == 1 || lab_fusible(&kernel));
        assert_true(lab_kernel_hash(&kernel) == lab_kernel_hash(&made.kernel[g]));
        lab_program_clear(&kernel);
    }
    lab_fusion_clear(&made);
}

static void moves_keep_partitions_legal(void **state)
{
    enum { WALK = 150 };
    for (int net = 0; net < LAB_CASE_NETS; net++) {
        lab_program p = {.name = "net"};
        ag_failure why = {0};
        ag_random random = {(uint64_t)net, 0, 0};
        tune_pool pool;
        tune_cut cut[2];
        lab_case_net(&p, net);
        tune_pool_open(&pool, &p);
        tune_cut_open(&cut[0], &pool);
        tune_cut_open(&cut[1], &pool);
        int *group = malloc((size_t)p.n * sizeof *group), least = p.n, most = 0;
        for (int start = 0; start < 3; start++) {
            assert_int_equal(tune_cut_draw(&cut[0], 0.5 * start, 3, &why), AG_OK);
            assert_int_equal(lab_partition(group, &p, 0.5 * start, 3), cut[0].parts);
            assert_memory_equal(group, cut[0].group, (size_t)p.n * sizeof *group);
            for (int i = 0; i < WALK; i++) {
                tune_cut *from = &cut[i % 2], *to = &cut[1 - i % 2];
                assert_true(tune_cut_move(to, from, &random, &why));
                assert_true(to->hash != from->hash);
                check_cut(to);
                least = to->parts < least ? to->parts : least;
                most = to->parts > most ? to->parts : most;
            }
        }
        assert_true(least < most);
        assert_int_equal(why.status, AG_OK);
        free(group);
        tune_cut_close(&cut[0]);
        tune_cut_close(&cut[1]);
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
    static trace l;
    lab_unary(&p, LAB_ABS, lab_parameter(&p, LAB_F32, 1, SIZES(8)));
    assert_int_equal(anneal(&l, &p, &f, (tune_options){100, 4, 0.1, 0.01, 1}, &why), AG_OK);
    assert_int_equal(l.n, 1);
    lab_program_clear(&p);
}

/* ---- the search ---- */

/* The least cost of all 2^free sets of outputs, and how many legal partitions there are. */
static double brute_force(const lab_program *p, uint64_t salt, int *partitions)
{
    tune_pool pool;
    tune_cut cut;
    fake f = {.salt = salt};
    tune_prices prices = prices_of(&f);
    ag_failure why = {0};
    double best = (double)INFINITY;
    tune_map known = {0};
    tune_pool_open(&pool, p);
    tune_cut_open(&cut, &pool);
    for (int set = 0; set < 1 << pool.n_free; set++) {
        const tune_cut *one = &cut;
        double ns;
        memset(cut.output, 0, (size_t)p->n);
        for (int i = 0; i < pool.n_free; i++) cut.output[pool.free[i]] = set >> i & 1;
        if (!tune_cut_settle(&cut, &why) || tune_map_find(&known, cut.hash, 0)) continue;
        tune_map_put(&known, cut.hash, 1);
        assert_int_equal(tune_price(&ns, &prices, &one, 1, &why), AG_OK);
        best = ns < best ? ns : best;
    }
    *partitions = known.count;
    tune_map_free(&known);
    tune_prices_free(&prices);
    tune_cut_close(&cut);
    tune_pool_close(&pool);
    return best;
}

static void the_optimum_is_found(void **state)
{
    static trace l;
    lab_program p;
    make_small(&p);
    for (int salt = 0; salt < 5; salt++) {
        int partitions;
        const double best = brute_force(&p, (uint64_t)salt, &partitions);
        assert_in_range(partitions, 50, 512);
        for (int chains = 1; chains <= 4; chains += 3) {
            fake f = {.salt = (uint64_t)salt};
            ag_failure why = {0};
            const tune_options o = {partitions * 2 / 3, chains, 0.3, 0.02, 7};
            assert_int_equal(anneal(&l, &p, &f, o, &why), AG_OK);
            assert_true(fabs(l.best - best) < 1e-9);
        }
    }
    lab_program_clear(&p);
}

static void budgets_hold(void **state)
{
    static trace l;
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    for (int chains = 1; chains <= 5; chains += 2)
        for (int budget = 0; budget <= 40; budget = budget * 2 + 1) {
            fake f = {.salt = 3};
            ag_failure why = {0};
            const tune_options o = {budget, chains, 0.1, 0.001, 5};
            assert_int_equal(anneal(&l, &p, &f, o, &why), AG_OK);
            assert_int_equal(l.n, budget);
            for (int i = 0; i < l.n; i++)
                for (int k = 0; k < i; k++) assert_true(l.hash[i] != l.hash[k]);
        }
    lab_program_clear(&p);
}

static void a_seed_gives_one_sequence(void **state)
{
    static trace a, b;
    lab_program p = {.name = "net"};
    lab_case_net(&p, 2);
    for (int chains = 1; chains <= 6; chains += 5) {
        fake f = {.salt = 1}, g = {.salt = 1}, h = {.salt = 1};
        ag_failure why = {0};
        tune_options o = {60, chains, 0.1, 0.001, 11};
        anneal(&a, &p, &f, o, &why);
        anneal(&b, &p, &g, o, &why);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.hash, b.hash, sizeof a.hash);
        assert_memory_equal(a.ns, b.ns, sizeof a.ns);
        assert_int_equal(f.kernels, g.kernels);
        o.seed = 12;
        anneal(&b, &p, &h, o, &why);
        assert_memory_not_equal(a.hash, b.hash, sizeof a.hash);
    }
    lab_program_clear(&p);
}

static void meters_can_stop_and_fail(void **state)
{
    static trace l;
    lab_program p;
    make_small(&p);
    for (int at = 1; at < 6; at++) {
        fake stops = {.stop_at = at}, fails = {.fail_at = at};
        ag_failure why = {0};
        const tune_options o = {60, 2, 0.1, 0.001, 1};
        assert_int_equal(anneal(&l, &p, &stops, o, &why), AG_OK);
        assert_int_equal(stops.calls, at);
        assert_int_equal(anneal(&l, &p, &fails, o, &why), AG_EDEVICE);
        assert_string_equal(why.sentence, "the meter is broken");
        assert_int_equal(fails.calls, at);
    }
    lab_program_clear(&p);
}

/* ---- whole searches ---- */

static void check_found(const tune_found *f, int budget, int from_default)
{
    assert_true(f->done);
    assert_in_range(f->measurements, 1, budget);
    assert_true(f->kernels > 0);
    if (from_default) assert_true(f->curve[0] == 1);
    for (int m = 1; m < f->measurements; m++) assert_true(f->curve[m] >= f->curve[m - 1]);
    assert_true(f->speedup == f->curve[f->measurements - 1]);
}

/* A model that is right finds with few measurements what hardware needs many for; so does one that
   is wrong by a constant factor. */
static void models_help(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    fake measured = {.salt = 9}, predicted = {.salt = 9}, other = {.salt = 10};
    tune_fusion r;
    ag_failure why = {0};
    int stop;
    tune_meters meters = {prices_of(&measured), prices_of(&predicted)};
    const tune_fusion_options o = {{1, 1}, {30, 5}, 1500, 4};
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &stop, &why), AG_OK);
    assert_int_equal(stop, 0);
    for (int s = 0; s < TUNE_STARTS; s++) {
        check_found(&r.found[s * TUNE_WAYS + TUNE_HARDWARE], 30, s == TUNE_DEFAULT);
        check_found(&r.found[s * TUNE_WAYS + TUNE_LEARNED], 5, s == TUNE_DEFAULT);
        assert_int_equal(r.found[s * TUNE_WAYS + TUNE_HARDWARE].measurements, 30);
        assert_int_equal(r.found[s * TUNE_WAYS + TUNE_HARDWARE].predicted, 0);
        assert_true(r.found[s * TUNE_WAYS + TUNE_LEARNED].speedup >=
                    r.found[s * TUNE_WAYS].speedup);
    }
    const double right = r.found[TUNE_LEARNED].speedup;
    assert_true(right > 1);
    tune_fusion_clear(&r);
    const tune_fusion_options many = {{1, 0}, {1, 300}, 3000, 4};
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &many, &stop, &why), AG_OK);
    assert_int_equal(r.found[TUNE_LEARNED].measurements, 300);
    tune_fusion_clear(&r);
    meters.predicted = prices_of(&other); /* has no information, but does no harm */
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &stop, &why), AG_OK);
    check_found(&r.found[TUNE_LEARNED], 5, 1);
    assert_true(r.found[TUNE_LEARNED].speedup < right);
    tune_fusion_clear(&r);
    meters.predicted.price = NULL; /* no model */
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &stop, &why), AG_OK);
    assert_false(r.found[TUNE_LEARNED].done);
    assert_true(r.found[TUNE_HARDWARE].done);
    tune_fusion_clear(&r);
    measured = (fake){.stop_at = 3};
    assert_int_equal(tune_fusion_search(&r, &p, &meters, &o, &stop, &why), AG_OK);
    assert_int_equal(stop, 1);
    assert_false(r.found[TUNE_HARDWARE].done);
    tune_fusion_clear(&r);
    lab_program_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_keep_partitions_legal),
                                       cmocka_unit_test(nothing_to_choose),
                                       cmocka_unit_test(the_optimum_is_found),
                                       cmocka_unit_test(budgets_hold),
                                       cmocka_unit_test(a_seed_gives_one_sequence),
                                       cmocka_unit_test(meters_can_stop_and_fail),
                                       cmocka_unit_test(models_help)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
