/* SPDX-License-Identifier: MIT */
/* core/vmath.h: errors in units in the last place over wide ranges, and the special values. */
#include "support/test.h"
#include "core/vmath.h"
#include "ops/gelu.h"
#include "support/sanitized.h"

/* ---- measured errors ---- */

enum { SLOW = SANITIZED ? 8 : 1, STRIDE = 1999 }; /* about 500,000 numbers per sign */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* Error of `have` in units in the last place of a float of the size of `want` (subnormal: of the
   smallest one). */
static double ulps(float have, double want)
{
    int e;
    if (want == 0) return have == 0 ? 0 : INFINITY;
    frexp(want, &e);
    return fabs((double)have - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

typedef struct worst {
    double ulps;
    float at;
} worst;

static void measure(worst *w, float (*f)(float), double (*g)(double), float x)
{
    const double want = g((double)x);
    if (fabs(want) > 3.4028235677973366e38) return; /* rounds to infinity */
    const double error = ulps(f(x), want);
    if (!(error <= w->ulps)) *w = (worst){error, x};
}

/* Every `stride`-th float between lo and hi of one sign. */
static void scan(worst *w, float (*f)(float), double (*g)(double), float lo, float hi, int stride)
{
    const int32_t a = v__to_bits(fabsf(lo)), b = v__to_bits(fabsf(hi));
    const int32_t sign = hi < 0 || lo < 0 ? INT32_MIN : 0;
    for (int64_t bits = a < b ? a : b; bits <= (a < b ? b : a); bits += SLOW * stride)
        measure(w, f, g, v__from_bits((int32_t)bits | sign));
}

static void expect(const char *name, worst w, double most)
{
    print_message("%s: %.3f ulp at %.9g\n", name, w.ulps, (double)w.at);
    if (!(w.ulps <= most))
        fail_msg("%s: %.3f ulp at %.9g, allowed %.1f", name, w.ulps, (double)w.at, most);
}

/* ---- tests ---- */

static void test_errors(void **state)
{
    static const struct {
        const char *name;
        float (*mine)(float);
        double (*exact)(double);
        double most;
        float lo, hi;
        int stride;
    } ranges[] = {
        {"v_exp", v_exp, exp, 1.5, 1e-30f, 88.72f, STRIDE},
        {"v_exp", v_exp, exp, 1.5, -1e-30f, -87.3f, STRIDE},
        {"v_exp", v_exp, exp, 1.5, 1, 88.72f, 97},
        {"v_exp", v_exp, exp, 1.5, -1, -87.3f, 97},
        {"v_exp, subnormal results", v_exp, exp, 1.5, -87.3f, -103.9f, 7},
        {"v_log", v_log, log, 1.5, 1e-45f, 3.4e38f, STRIDE},
        {"v_log", v_log, log, 1.5, 0.5f, 2, 23},
        {"v_tanh", v_tanh, tanh, 2, 1e-45f, 20, STRIDE},
        {"v_tanh", v_tanh, tanh, 2, -1e-45f, -3e38f, STRIDE},
        {"v_tanh", v_tanh, tanh, 2, 0.1f, 10, 97},
        {"v_sigmoid", v_sigmoid, sigmoid, 3, 1e-45f, 3e38f, STRIDE},
        {"v_sigmoid", v_sigmoid, sigmoid, 3, -1e-45f, -87, STRIDE},
        {"v_sigmoid", v_sigmoid, sigmoid, 3, -0.1f, -20, 97},
        {"v_erf", v_erf, erf, 3, 1e-37f, 10, STRIDE},
        {"v_erf", v_erf, erf, 3, -1e-37f, -3e38f, STRIDE},
        {"v_erf", v_erf, erf, 3, 0.1f, 4.5f, 97},
        {"v_log1p", v_log1p, log1p, 3, 1e-45f, 3.4e38f, STRIDE},
        {"v_log1p", v_log1p, log1p, 3, -1e-45f, -0.999999f, STRIDE},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        worst w = {0, 0};
        scan(&w, ranges[i].mine, ranges[i].exact, ranges[i].lo, ranges[i].hi, ranges[i].stride);
        expect(ranges[i].name, w, ranges[i].most);
    }
}

/* Below 2^-126 it is 0. */
static void test_exp_down(void **state)
{
    worst w = {0, 0};
    scan(&w, v_exp_down, exp, -1e-30f, -87.3f, 997);
    measure(&w, v_exp_down, exp, 0.0f);
    expect("v_exp_down", w, 1.5);
    for (float x = -88.1f; x > -1e30f; x *= 1.5f) assert_true(v_exp_down(x) == 0);
    for (float x = -87.3f; x > -88.1f; x -= 0.01f)
        assert_true(v_exp_down(x) >= 0 && v_exp_down(x) < 1.3e-38f);
    assert_true(v_exp_down(-INFINITY) == 0 && v_exp_down(0.0f) == 1);
    assert_true(isnan(v_exp_down(NAN)) && isnan(v_exp_down(-NAN)));
}

/* An odd function: f(-x) = -f(x), bit for bit, and small x come back. */
static void expect_odd(float (*f)(float))
{
    for (float x = 1e-44f; x < 100; x *= 1.37f) assert_true(f(-x) == -f(x));
    assert_true(f(0) == 0 && f(INFINITY) == 1 && f(-INFINITY) == -1 && isnan(f(NAN)));
}

static void test_odd(void **state)
{
    expect_odd(v_tanh);
    expect_odd(v_erf);
}

static void test_special_values(void **state)
{
    assert_true(v_exp(0) == 1 && v_exp(-0.0f) == 1);
    assert_true(v_exp(INFINITY) == INFINITY && v_exp(-INFINITY) == 0);
    assert_true(v_exp(3e38f) == INFINITY && v_exp(-3e38f) == 0);
    assert_true(v_exp(88.73f) == INFINITY && v_exp(-104.0f) == 0);
    assert_true(isnan(v_exp(NAN)));
    assert_true(v_log(1) == 0 && !signbit(v_log(1)));
    assert_true(v_log(0) == -INFINITY && v_log(-0.0f) == -INFINITY);
    assert_true(v_log(INFINITY) == INFINITY);
    assert_true(isnan(v_log(-1)) && isnan(v_log(-1e-45f)) && isnan(v_log(-INFINITY)));
    assert_true(isnan(v_log(NAN)));
    assert_true(v_sigmoid(0) == 0.5f && v_sigmoid(INFINITY) == 1 && v_sigmoid(-INFINITY) == 0);
    assert_true(isnan(v_sigmoid(NAN)));
    assert_true(v_log1p(0) == 0 && v_log1p(INFINITY) == INFINITY && v_log1p(-1) == -INFINITY);
    assert_true(isnan(v_log1p(-1.5f)) && isnan(v_log1p(NAN)));
}

/* The largest error of f from -9 to 9, with of_x in parts of x. */
static double largest(float (*f)(float), double (*exact)(double), int of_x)
{
    double most = 0;
    for (int i = -900000; i <= 900000; i += SLOW) {
        const float x = (float)i * 1e-5f;
        const double error =
            fabs((double)f(x) - exact((double)x)) / (of_x && i ? fabs((double)x) : 1);
        if (!(error <= most)) most = error;
    }
    return most;
}

static double phi(double x) { return 0.5 * erfc(-0.70710678118654752 * x); }
static double gelu(double x) { return x * phi(x); }
static double slope(double x) { return phi(x) + x * 0.39894228040143268 * exp(-0.5 * x * x); }

static void test_gelu(void **state)
{
    const double value = largest(v__gelu, gelu, 1), change = largest(v__gelu_slope, slope, 0);
    print_message("gelu: %.3g of x, its slope: %.3g\n", value, change);
    assert_true(value < 5e-7);
    assert_true(change < 1e-6);
    assert_true(v__gelu(INFINITY) == INFINITY && v__gelu(1e30f) == 1e30f && v__gelu(-1e30f) == 0);
    assert_true(v__gelu(0) == 0 && v__gelu_slope(0) == 0.5f);
    assert_true(fabsf(v__gelu_slope(1e30f) - 1) < 4e-7f && fabsf(v__gelu_slope(-1e30f)) < 4e-7f);
    assert_true(isnan(v__gelu(NAN)) && isnan(v__gelu_slope(NAN)));
}

int main(void)
{
    return RUN_TESTS(test_errors, test_exp_down, test_odd, test_gelu, test_special_values);
}
