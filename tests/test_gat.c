/* SPDX-License-Identifier: MIT */
/* Graph attention and the GraphSAGE layer of Kaufman et al. est PyG and PyTorch
   (tests/golden/convolutions.npz): values and gradients; readouts of one number per node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "augur.h"
#include "core/internal.h"
#include "support/golden.h"
#include "tests/convolution_runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "gat_one_head",     "gat_heads",     "gat_mean",        "gat_mean_one",  "gat_no_bias",
    "gat_one_node",     "gat_one_loop",  "gat_no_edges",    "gat_batch",     "gat_batch_mean",
    "gat_loops",        "gat_random",    "sage_undirected", "sage_directed", "sage_shared",
    "sage_sum",         "sage_max",      "sage_l2",         "sage_no_bias",  "sage_capped",
    "sage_capped_both", "sage_one_node", "sage_no_edges",   "sage_batch",    "sage_random"};
enum { CASES = sizeof names / sizeof *names };

/* ---- a case of the file ---------------------------------------------------------------------- */

typedef struct fixture {
    const char *name;
    conv_problem p;
    golden_array part[CONV_PARTS], dpart[CONV_PARTS], y, cotangent;
    int32_t *starts, *edge;
} fixture;

static golden *file;

static golden_array member(const char *name, const char *what, int number)
{
    char text[100];
    snprintf(text, sizeof text, number < 0 ? "%s.%s" : "%s.%s%d", name, what, number);
    return golden_read(file, text);
}

static int32_t *ints(const char *name, const char *what, int64_t *n)
{
    golden_array a = member(name, what, -1);
    assert_non_null(a.value);
    int32_t *v = calloc((size_t)a.count + 1, sizeof *v);
    for (int64_t i = 0; i < a.count; i++) v[i] = (int32_t)a.value[i];
    *n = a.count;
    golden_free(&a);
    return v;
}

static void set_up(fixture *f, const char *name)
{
    int64_t starts, edges, options;
    memset(f, 0, sizeof *f);
    f->name = name;
    int32_t *o = ints(name, "options", &options);
    assert_int_equal(options, 9);
    f->starts = ints(name, "starts", &starts);
    f->edge = ints(name, "edges", &edges);
    f->p = (conv_problem){.gat = o[0],
                          .heads = o[1],
                          .mean = o[2],
                          .kind = o[3],
                          .l2 = o[4],
                          .directed = o[5],
                          .shared = o[6],
                          .cap = o[7],
                          .loops = o[8],
                          .graphs = (int)starts - 1,
                          .edges = (int)edges / 2,
                          .starts = f->starts,
                          .edge = f->edge};
    free(o);
    for (int i = 0; i < CONV_PARTS; i++) {
        golden_array *a = &f->part[i];
        *a = member(name, "x", i);
        f->dpart[i] = member(name, "dx", i);
        f->p.part[i] = a->value;
        f->p.shape[i] = (ag_shape){a->rank, {1, 1, 1, 1}};
        for (int k = 0; k < a->rank; k++) f->p.shape[i].size[k] = (int)a->size[k];
    }
    f->y = member(name, "y", -1);
    f->cotangent = member(name, "cotangent", -1);
    assert_non_null(f->y.value);
    f->p.cotangent = f->cotangent.value;
}

static void tear_down(fixture *f)
{
    for (int i = 0; i < CONV_PARTS; i++) {
        golden_free(&f->part[i]);
        golden_free(&f->dpart[i]);
    }
    golden_free(&f->y);
    golden_free(&f->cotangent);
    free(f->starts);
    free(f->edge);
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef int convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY]);

/* Values and gradients of a run; free each. */
typedef struct results {
    double *y, *gradient[CONV_PARTS];
} results;

static results run(const fixture *f, convolve *how)
{
    char why[CONV_WHY] = "";
    results r;
    r.y = calloc((size_t)f->y.count + 1, sizeof *r.y);
    for (int i = 0; i < CONV_PARTS; i++)
        r.gradient[i] = calloc((size_t)f->part[i].count + 1, sizeof *r.y);
    if (how(r.y, r.gradient, &f->p, why)) fail_msg("%s: %s", f->name, why);
    return r;
}

static void results_free(results *r)
{
    free(r->y);
    for (int i = 0; i < CONV_PARTS; i++) free(r->gradient[i]);
}

static void expect_near(const fixture *f, const char *what, int part, const double *have,
                        const golden_array *want, double tolerance)
{
    double scale = 1;
    for (int64_t i = 0; i < want->count; i++) scale = fmax(scale, fabs(want->value[i]));
    for (int64_t i = 0; i < want->count; i++)
        if (!(fabs(have[i] - want->value[i]) <= tolerance * scale))
            fail_msg("%s: %s%d[%d] is %.10g instead of %.10g", f->name, what, part, (int)i, have[i],
                     want->value[i]);
}

static void compare(const fixture *f, convolve *how, double values, double gradients)
{
    results r = run(f, how);
    expect_near(f, "y", 0, r.y, &f->y, values);
    for (int i = 0; i < CONV_PARTS; i++)
        if (f->part[i].value) expect_near(f, "dx", i, r.gradient[i], &f->dpart[i], gradients);
    results_free(&r);
}

static void test_golden(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        fixture f;
        set_up(&f, names[i]);
        compare(&f, ag__convolve, 1e-5, 1e-4);
        compare(&f, ag64__convolve, 1e-12, 1e-11);
        tear_down(&f);
    }
}

/* Central differences in double; a convolution of the file is far enough from its kinks. */
static void test_gradcheck(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        fixture f;
        char where[200] = "";
        set_up(&f, names[i]);
        const double error = ag64__convolve_gradcheck(&f.p, where);
        if (!(error <= 1e-6)) fail_msg("%s: error %g at %s", f.name, error, where);
        tear_down(&f);
    }
}

static void expect_same(const fixture *f, const double *a, const double *b, int64_t n)
{
    if (n && memcmp(a, b, (size_t)n * sizeof *a) != 0) fail_msg("%s: other bits", f->name);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        fixture f;
        set_up(&f, names[i]);
        results one = run(&f, ag__convolve);
        for (int threads = 1; threads <= 3; threads++) {
            ag__convolve_threads(threads);
            results other = run(&f, ag__convolve);
            expect_same(&f, one.y, other.y, f.y.count);
            for (int k = 0; k < CONV_PARTS; k++)
                if (f.part[k].value)
                    expect_same(&f, one.gradient[k], other.gradient[k], f.part[k].count);
            results_free(&other);
        }
        ag__convolve_threads(1);
        results_free(&one);
        tear_down(&f);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_sentence(const conv_problem *p, const char *sentence)
{
    static double y[4096], gradient[CONV_PARTS][4096];
    double *list[CONV_PARTS];
    char why[CONV_WHY] = "";
    for (int i = 0; i < CONV_PARTS; i++) list[i] = gradient[i];
    assert_int_equal(ag__convolve(y, list, p, why), 1);
    if (!strstr(why, sentence)) fail_msg("%s", why);
}

static void test_refused(void **state)
{
    fixture f;
    (void)state;
    set_up(&f, "gat_heads");
    f.p.heads = 3;
    expect_sentence(&f.p, "ag_gat: w is [12,5], from is [4,3] and to is [4,3], but with 3 heads "
                          "they must be [heads d,in], [heads,d] and [heads,d], and there must be a "
                          "head.");
    f.p.heads = 0;
    expect_sentence(&f.p, "with 0 heads");
    f.p.heads = 4;
    f.p.mean = 1;
    expect_sentence(&f.p, "add_bias: x is [8,3], b is [12]");
    f.p.mean = 0;
    f.p.shape[0] = AG_SHAPE(8, 1, 5);
    expect_sentence(&f.p, "ag_gat: x is [8,1,5], but must be [nodes, features].");
    f.p.shape[0] = AG_SHAPE(8, 5);
    f.p.part[2] = NULL;
    expect_sentence(&f.p, "ag_gat: one of w, from and to is NULL; only the bias may be.");
    tear_down(&f);
    set_up(&f, "sage_directed");
    f.p.directed = 0; /* f3 is made for two aggregates */
    expect_sentence(&f.p, "linear: x is [8,9], w is [6,13]");
    f.p.directed = 1;
    f.p.kind = 7;
    expect_sentence(&f.p, "the aggregate is 7");
    f.p.kind = 0;
    f.p.part[5] = NULL;
    expect_sentence(&f.p, "parameter \"\" has no storage");
    tear_down(&f);
}

/* Every allocation that may fail does, in turn: a sentence each time. */
static void test_no_memory(void **state)
{
    static const char *const tried[] = {"gat_loops", "sage_capped"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        fixture f;
        int failed = 1;
        set_up(&f, tried[i]);
        for (long nth = 1; failed; nth++) {
            char why[CONV_WHY] = "";
            double *gradient[CONV_PARTS], *y = calloc((size_t)f.y.count + 1, sizeof *y);
            for (int k = 0; k < CONV_PARTS; k++)
                gradient[k] = calloc((size_t)f.part[k].count + 1, sizeof *y);
            ag__fail_allocation(nth, 0);
            failed = ag__convolve(y, gradient, &f.p, why);
            ag__fail_allocation(0, 0);
            if (failed && !strstr(why, "emory")) fail_msg("allocation %ld: \"%s\"", nth, why);
            for (int k = 0; k < CONV_PARTS; k++) free(gradient[k]);
            free(y);
            assert_in_range(nth, 1, 2000);
        }
        tear_down(&f);
    }
}

/* ---- readouts of one number per node --------------------------------------------------------- */

/* Per-node reduction (a sum of scalars per graph) and column-wise reduction (mean and maximum). */
static void test_readouts(void **state)
{
    enum { GRAPHS = 4, NODES = 6, F = 3 };
    static const int nodes[GRAPHS] = {2, 0, 1, 3};
    static const float x[NODES] = {1, 2, -4, 8, 16, 32}, want[GRAPHS] = {3, 0, -4, 56};
    static const float wide[NODES * F] = {1, 2, 3, 5, 4, 1, -1, -2, -3, 0, 0, 6, 3, 3, 0, 6, 0, 0};
    static const float columns[GRAPHS][2 * F] = {
        {3, 3, 2, 5, 4, 3}, {0}, {-1, -2, -3, -1, -2, -3}, {3, 1, 2, 6, 3, 6}};
    ag_graph *part[GRAPHS];
    const ag_graph *list[GRAPHS];
    (void)state;
    for (int g = 0; g < GRAPHS; g++)
        list[g] = part[g] = ag_graph_build(nodes[g], NULL, NULL, 0, AG_ALONG, NULL);
    ag_graph *batch = ag_graph_batch(list, GRAPHS, NULL);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_edges e = ag_graph_edges(tape, batch);
    ag_tensor *plain = ag_keep(ag_readout_sum(ag_input(tape, x, AG_SHAPE(NODES)), e));
    ag_tensor *column = ag_keep(ag_readout_sum(ag_input(tape, x, AG_SHAPE(NODES, 1)), e));
    ag_tensor *in = ag_input(tape, wide, AG_SHAPE(NODES, F));
    ag_tensor *both = ag_concat2(ag_readout_mean(in, e), ag_readout_max(in, e), -1);
    ag_forward(both);
    assert_string_equal(ag_error(tape), "");
    assert_true(ag_shape_equal(ag_shape_of(plain), AG_SHAPE(GRAPHS)));
    assert_true(ag_shape_equal(ag_shape_of(column), AG_SHAPE(GRAPHS, 1)));
    assert_memory_equal(ag_values(plain), want, sizeof want);
    assert_memory_equal(ag_values(column), want, sizeof want);
    for (int i = 0; i < GRAPHS * 2 * F; i++)
        assert_true(ag_values(both)[i] == columns[i / (2 * F)][i % (2 * F)]);
    ag_tape_free(tape);
    ag_graph_free(batch);
    for (int g = 0; g < GRAPHS; g++) ag_graph_free(part[g]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_gradcheck),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_readouts),
    };
    ag__convolve_threads(1);
    ag64__convolve_threads(1);
    file = golden_open(AG_SOURCE_DIR "/tests/golden/convolutions.npz");
    if (!file) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    golden_close(file);
    return failed;
}
