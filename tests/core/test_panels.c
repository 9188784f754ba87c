/* SPDX-License-Identifier: MIT */
/* Products with packed panels: against a plain loop in double; a row has the same bits alone and
   among others, on 1 and on 2 threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/panels.h"

#include <math.h>
#include <string.h>

typedef struct product {
    int m, n, k, tb;
    float *a, *b, *c, *panels;
} product;

/* Numbers in -1..1. */
static float *numbers(int64_t n, uint64_t seed)
{
    ag_random r = {seed, 0, 0};
    float *x = test_malloc((size_t)n * sizeof *x + 1);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(2 * ag_random_uniform(&r) - 1);
    return x;
}

static product make(int m, int n, int k, int tb)
{
    product p = {m, n, k, tb, numbers((int64_t)m * k, 1), numbers((int64_t)n * k, 2), NULL, NULL};
    p.c = numbers((int64_t)m * n + 1, 3);
    p.panels = numbers(ag__panels_size(n, k), 4);
    ag__panels_pack(p.panels, p.b, tb, n, k);
    return p;
}

static void drop(product *p)
{
    test_free(p->a);
    test_free(p->b);
    test_free(p->c);
    test_free(p->panels);
}

static void check(int m, int n, int k, int tb)
{
    product p = make(m, n, k, tb);
    const float guard = p.c[(int64_t)m * n];
    ag__panels_product(p.c, p.a, p.panels, m, n, k);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 1;
            for (int e = 0; e < k; e++) {
                const double v = (double)p.a[i * k + e] * (double)p.b[tb ? j * k + e : e * n + j];
                sum += v;
                size += fabs(v);
            }
            if (!(fabs((double)p.c[i * n + j] - sum) <= 1e-6 * size))
                fail_msg("[%d,%d] x [%d,%d], tb %d: element %d,%d is %g, not %g", m, k, k, n, tb, i,
                         j, (double)p.c[i * n + j], sum);
        }
    assert_true(p.c[(int64_t)m * n] == guard);
    drop(&p);
}

static void test_shapes(void **state)
{
    static const int rows[] = {0, 1, 5, 6, 7, 8, 9, 13, 16, 63, 65, 130};
    static const int columns[] = {0, 1, 15, 16, 17, 31, 32, 33, 100};
    static const int inner[] = {0, 1, 15, 17, 40};
    (void)state;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 9; j++)
            for (int e = 0; e < 5; e++)
                for (int tb = 0; tb < 2; tb++) check(rows[i], columns[j], inner[e], tb);
    check(200, 300, 500, 0);
    check(200, 300, 500, 1);
}

static void test_bits_of_a_row(void **state)
{
    const int m = 131, n = 300, k = 200, all = ag_threads();
    product p = make(m, n, k, 0);
    float *other = numbers((int64_t)m * n, 5);
    (void)state;
    ag_set_threads(2);
    ag__panels_product(p.c, p.a, p.panels, m, n, k);
    ag_set_threads(1);
    ag__panels_product(other, p.a, p.panels, m, n, k);
    assert_memory_equal(p.c, other, (size_t)(m * n) * sizeof(float));
    for (int i = 0; i < m; i++) {
        ag__panels_product(other, p.a + i * k, p.panels, 1, n, k);
        assert_memory_equal(p.c + i * n, other, (size_t)n * sizeof(float));
    }
    ag_set_threads(all);
    test_free(other);
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bits_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
