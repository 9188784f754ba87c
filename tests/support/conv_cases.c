/* SPDX-License-Identifier: MIT */
#include "conv_cases.h"
#include "core/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

golden *conv_file;
char conv_names[CONV_MOST][100];
int conv_cases;

int conv_open(const char *file)
{
    char path[600], name[100];
    snprintf(path, sizeof path, "%s/tests/golden/%s", AG_SOURCE_DIR, file);
    conv_file = golden_open(path);
    for (int64_t i = 0; conv_file && golden_name(conv_file, i, name); i++) {
        char *end = strstr(name, ".options");
        if (!end || conv_cases == CONV_MOST) continue;
        *end = 0;
        strcpy(conv_names[conv_cases++], name);
    }
    ag_set_threads(1);
    ag64_set_threads(1);
    return !conv_cases;
}

int conv_close(int failed)
{
    golden_close(conv_file);
    return failed;
}

/* ---- a case of the file ---- */

static ag_shape shape_of(const golden_array *a)
{
    ag_shape s = {a->rank, {1, 1, 1, 1}};
    for (int k = 0; k < a->rank; k++) s.size[k] = (int)a->size[k];
    return s;
}

void conv_set_up(conv_fixture *f, const char *name)
{
    int64_t starts, edges, options;
    memset(f, 0, sizeof *f);
    f->name = name;
    int32_t *o = golden_ints(conv_file, &options, name, "options");
    f->starts = golden_ints(conv_file, &starts, name, "starts");
    f->edge = golden_ints(conv_file, &edges, name, "edges");
    assert_true(options == 9 && f->starts && f->edge);
    f->p = (conv_problem){.layer = (conv_layer)o[0],
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
        *a = golden_read(conv_file, "%s.x%d", name, i);
        f->dpart[i] = golden_read(conv_file, "%s.dx%d", name, i);
        f->p.part[i] = a->value;
        f->p.shape[i] = shape_of(a);
    }
    f->y = golden_read(conv_file, "%s.y", name);
    f->cotangent = golden_read(conv_file, "%s.cotangent", name);
    assert_non_null(f->y.value);
    f->p.of_y = shape_of(&f->y);
    golden_array ratio = golden_read(conv_file, "%s.ratio", name);
    if (ratio.value) f->p.ratio = *ratio.value;
    golden_free(&ratio);
    f->p.cotangent = f->cotangent.value;
}

void conv_tear_down(conv_fixture *f)
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

/* ---- comparing ---- */

static conv_results new_results(const conv_fixture *f)
{
    conv_results r = {.y = calloc((size_t)f->y.count + 1, sizeof *r.y)};
    for (int i = 0; i < CONV_PARTS; i++)
        r.gradient[i] = calloc((size_t)f->part[i].count + 1, sizeof *r.y);
    return r;
}

conv_results conv_run(const conv_fixture *f, conv_function *how)
{
    char why[CONV_WHY] = "";
    conv_results r = new_results(f);
    if (how(r.y, r.gradient, &f->p, why)) fail_msg("%s: %s", f->name, why);
    return r;
}

void conv_results_free(conv_results *r)
{
    free(r->y);
    for (int i = 0; i < CONV_PARTS; i++) free(r->gradient[i]);
}

static void expect_near(const conv_fixture *f, const char *what, int part, const double *have,
                        const golden_array *want, double tolerance)
{
    double scale = 1;
    for (int64_t i = 0; i < want->count; i++) scale = fmax(scale, fabs(want->value[i]));
    for (int64_t i = 0; i < want->count; i++)
        if (!(fabs(have[i] - want->value[i]) <= tolerance * scale))
            fail_msg("%s: %s%d[%d] is %.10g instead of %.10g", f->name, what, part, (int)i, have[i],
                     want->value[i]);
}

/* The file's values to a tolerance, relative to the largest. */
static void compare(const conv_fixture *f, conv_function *how, double values, double gradients)
{
    conv_results r = conv_run(f, how);
    expect_near(f, "y", 0, r.y, &f->y, values);
    for (int i = 0; i < CONV_PARTS; i++)
        if (f->part[i].value) expect_near(f, "dx", i, r.gradient[i], &f->dpart[i], gradients);
    conv_results_free(&r);
}

void conv_golden(void **state)
{
    for (int i = 0; i < conv_cases; i++) {
        conv_fixture f;
        conv_set_up(&f, conv_names[i]);
        compare(&f, ag__convolve, 1e-5, 1e-4);
        compare(&f, ag64__convolve, 1e-12, 1e-11);
        conv_tear_down(&f);
    }
}

/* Central differences in double; a convolution of the file is far enough from its kinks, but of
   equal scores the first stay: a small step of one of them may change which nodes stay. */
void conv_gradcheck(void **state)
{
    for (int i = 0; i < conv_cases; i++) {
        conv_fixture f;
        char where[200] = "";
        if (strstr(conv_names[i], "ties") || strstr(conv_names[i], "saturated")) continue;
        conv_set_up(&f, conv_names[i]);
        const double error = ag64__convolve_gradcheck(&f.p, where);
        if (!(error <= 1e-6)) fail_msg("%s: error %g at %s", f.name, error, where);
        conv_tear_down(&f);
    }
}

static void expect_same(const conv_fixture *f, const double *a, const double *b, int64_t n)
{
    if (n && memcmp(a, b, (size_t)n * sizeof *a) != 0) fail_msg("%s: other bits", f->name);
}

void conv_same_bits(void **state)
{
    for (int i = 0; i < conv_cases; i++) {
        conv_fixture f;
        conv_set_up(&f, conv_names[i]);
        conv_results one = conv_run(&f, ag__convolve);
        for (int threads = 1; threads <= 3; threads++) {
            ag_set_threads(threads);
            conv_results other = conv_run(&f, ag__convolve);
            expect_same(&f, one.y, other.y, f.y.count);
            for (int k = 0; k < CONV_PARTS; k++)
                if (f.part[k].value)
                    expect_same(&f, one.gradient[k], other.gradient[k], f.part[k].count);
            conv_results_free(&other);
        }
        ag_set_threads(1);
        conv_results_free(&one);
        conv_tear_down(&f);
    }
}

/* Every allocation that may fail does, in turn: a sentence each time. */
void conv_no_memory(const char *name)
{
    conv_fixture f;
    int failed = 1;
    conv_set_up(&f, name);
    conv_results r = new_results(&f);
    for (long nth = 1; failed; nth++) {
        char why[CONV_WHY] = "";
        ag__fail_allocation(nth, 0);
        failed = ag__convolve(r.y, r.gradient, &f.p, why);
        ag__fail_allocation(0, 0);
        if (failed && !strstr(why, "emory")) fail_msg("allocation %ld: \"%s\"", nth, why);
        assert_in_range(nth, 1, 2000);
    }
    conv_results_free(&r);
    conv_tear_down(&f);
}
