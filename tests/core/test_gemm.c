/* SPDX-License-Identifier: MIT */
/* The matrix product: against a plain loop in double, and the same bits on 1, 2, 4 and 7 threads,
   by packed panels, and of a row in any company. */
#include "support/test.h"
#include "core/gemm.h"
#include "core/panels.h"
#include "core/room.h"
#include "core/threads.h"
#include "support/sanitized.h"

static float *numbers(int64_t n, uint32_t seed)
{
    float *x = malloc((size_t)n * sizeof *x + 1);
    fill_numbers(x, n, seed);
    return x;
}

typedef struct product {
    int m, n, k, ta, tb;
    float *a, *b, *c, *scratch;
} product;

static product make(int m, int n, int k, int ta, int tb)
{
    product p = {m, n, k, ta, tb, NULL, NULL, NULL, NULL};
    p.a = numbers((int64_t)m * k, 1);
    p.b = numbers((int64_t)k * n, 2);
    p.c = numbers((int64_t)m * n, 3);
    p.scratch = numbers(ag__gemm_scratch(AG_CPU, ta, tb, m, n, k), 4);
    return p;
}

static void drop(product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->scratch);
}

/* Row r of the product in double, added to `start` (or to 0 when start is NULL). */
PLAIN_LOOP static void expect_row(const product *p, int r, const float *start, const float *have)
{
    const int64_t a_step = p->ta ? p->m : 1, b_step = p->tb ? 1 : p->n;
    for (int j = 0; j < p->n; j++) {
        const float *a = p->a + (p->ta ? r : (int64_t)r * p->k),
                    *b = p->b + (p->tb ? (int64_t)j * p->k : j);
        double sum = start ? (double)start[j] : 0, size = fabs(sum);
        for (int q = 0; q < p->k; q++, a += a_step, b += b_step) {
            const double v = (double)*a * (double)*b;
            sum += v;
            size += fabs(v);
        }
        if (!(fabs((double)have[j] - sum) <= 1e-6 * size + 1e-30))
            fail_msg("[%d,%d,%d] ta %d tb %d: element %d,%d is %.9g, not %.9g", p->m, p->n, p->k,
                     p->ta, p->tb, r, j, (double)have[j], sum);
    }
}

/* By packed panels of B the product has the bits of p.c. */
static void expect_same_in_panels(const product *p)
{
    const size_t bytes = (size_t)p->m * (size_t)p->n * sizeof(float);
    float *panels = numbers(ag__panels_size(p->n, p->k), 5), *c = numbers((int64_t)p->m * p->n, 6);
    ag__panels_pack(panels, p->b, p->tb, p->n, p->k);
    ag__panels_product(c, p->a, panels, p->m, p->n, p->k);
    if (memcmp(c, p->c, bytes) != 0)
        fail_msg("[%d,%d,%d] tb %d: other bits in panels", p->m, p->n, p->k, p->tb);
    free(panels);
    free(c);
}

/* The whole product, stored and added. */
static void check(int m, int n, int k, int ta, int tb)
{
    product p = make(m, n, k, ta, tb);
    const size_t bytes = (size_t)m * (size_t)n * sizeof(float);
    float *start = malloc(bytes + 1);
    memcpy(start, p.c, bytes);
    const int stride = m <= 64 ? 1 : SANITIZED ? m / 4 + 1 : m / 16;
    ag__gemm(AG_CPU, p.c, p.a, p.b, ta, tb, m, n, k, 1, p.scratch);
    for (int r = 0; r < m; r += stride)
        expect_row(&p, r, start + (int64_t)r * n, p.c + (int64_t)r * n);
    for (size_t i = 0; i < bytes / sizeof(float); i++) p.c[i] = NAN; /* stored, not added */
    ag__gemm(AG_CPU, p.c, p.a, p.b, ta, tb, m, n, k, 0, p.scratch);
    for (int r = 0; r < m; r += stride) expect_row(&p, r, NULL, p.c + (int64_t)r * n);
    if (!ta) expect_same_in_panels(&p);
    free(start);
    drop(&p);
}

/* Parts that begin at (1, 2) of matrices whose rows have 3 more elements. */
static void check_part(int m, int n, int k, int ta, int tb, int add)
{
    const int a_rows = ta ? k : m, a_row = (ta ? m : k) + 3, b_rows = tb ? n : k,
              b_row = (tb ? k : n) + 3, c_row = n + 3;
    float *a = numbers((a_rows + 1) * a_row, 1), *b = numbers((b_rows + 1) * b_row, 2);
    float *c = numbers((m + 1) * c_row, 3), *start = numbers((m + 1) * c_row, 3);
    ag__gemm_part(c + c_row + 2, a + a_row + 2, b + b_row + 2, ta, tb, m, n, k, c_row, a_row, b_row,
                  add);
    for (int i = 0; i < (m + 1) * c_row; i++) {
        const int row = i / c_row - 1, column = i % c_row - 2;
        const int inside = row >= 0 && column >= 0 && column < n;
        double want = inside && !add ? 0 : (double)start[i];
        for (int q = 0; inside && q < k; q++)
            want += (double)a[(ta ? q + 1 : row + 1) * a_row + 2 + (ta ? row : q)] *
                    (double)b[(tb ? column + 1 : q + 1) * b_row + 2 + (tb ? q : column)];
        if (!(fabs((double)c[i] - want) <= 1e-5))
            fail_msg("part [%d,%d,%d] ta %d tb %d add %d: element %d,%d is %.9g, not %.9g", m, n, k,
                     ta, tb, add, row, column, (double)c[i], want);
    }
    free(a);
    free(b);
    free(c);
    free(start);
}

static void test_parts(void **state)
{
    static const int sizes[] = {0, 1, 5, 33};
    for (int i = 0; i < 64; i++)
        for (int t = 0; t < 8; t++)
            check_part(sizes[i % 4], sizes[i / 4 % 4], sizes[i / 16], t & 1, t >> 1 & 1, t >> 2);
}

static void test_sizes_and_transpositions(void **state)
{
    static const int sizes[] = {0, 1, 2, 6, 7, 13, 16, 31, 33};
    const int n = sizeof sizes / sizeof *sizes;
    for (int i = 0; i < n * n * n; i++)
        for (int t = 0; t < 4; t++)
            check(sizes[i % n], sizes[i / n % n], sizes[i / n / n], t & 1, t >> 1);
}

static void test_blocks_and_pieces(void **state)
{
    static const int shapes[][3] = {
        {3000, 5, 7},    {129, 300, 17},  {7, 3000, 5}, {5, 7, 2048}, /* the first with pieces */
        {5, 7, 2047},    {64, 3, 5000},   {1, 1, 4099}, {1500, 1, 3100},
        {1, 2100, 4300}, {130, 600, 900}, /* a wide B */
        {41, 170, 528}                    /* few rows, copied in three parts */
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int t = 0; t < 4; t++) check(shapes[i][0], shapes[i][1], shapes[i][2], t & 1, t >> 1);
    assert_true(ag__gemm_scratch(AG_CPU, 1, 0, 5, 7, 2048) > 0);
    assert_int_equal(ag__gemm_scratch(AG_CPU, 1, 0, 5, 7, 2047), 0);
    assert_int_equal(ag__gemm_scratch(AG_CPU, 0, 0, 5, 7, 2048), 0);
}

/* The products of the cost models, long axes shortened without changing how they are cut. */
static void test_threads_change_no_bit(void **state)
{
    enum { TALL = 5000, DEEP = 9000, WIDE = 1024 };
    static const struct {
        int m, n, k, ta, tb;
    } shapes[] = {
        {TALL, 256, 256, 0, 0},   {TALL, 256, 512, 0, 0},     {TALL, 32, 256, 0, 0},
        {TALL, 256, 32, 0, 0},    {256, 256, DEEP, 1, 0},     {TALL, 256, 256, 0, 1},
        {TALL, 64, 64, 0, 0},     {TALL, 128, 128, 0, 0},     {128, 128, DEEP, 1, 0},
        {2100, WIDE, WIDE, 0, 0}, {64, 4 * WIDE, WIDE, 0, 1}, {32, 2 * WIDE, WIDE / 2, 0, 1},
        {500, 64, 64, 0, 0},      {41, WIDE, WIDE, 0, 0},     {64, 64, 64, 0, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const double terms = (double)shapes[i].m * shapes[i].n * shapes[i].k;
        if (SANITIZED && terms > 1e8) continue; /* slow, and cut as the others */
        product p = make(shapes[i].m, shapes[i].n, shapes[i].k, shapes[i].ta, shapes[i].tb);
        const size_t bytes = (size_t)p.m * (size_t)p.n * sizeof(float);
        float *one = malloc(bytes);
        for (int threads = 1; threads <= 7; threads += 1 + threads / 2) {
            ag_set_threads(threads);
            ag__gemm(AG_CPU, p.c, p.a, p.b, p.ta, p.tb, p.m, p.n, p.k, 0, p.scratch);
            if (threads == 1) memcpy(one, p.c, bytes);
            if (memcmp(one, p.c, bytes) != 0)
                fail_msg("[%d,%d,%d]: other bits on %d threads", p.m, p.n, p.k, threads);
        }
        expect_row(&p, p.m / 2, NULL, one + (int64_t)(p.m / 2) * p.n);
        free(one);
        drop(&p);
    }
}

/* Row `r` of a product of p's rows r..r+rows-1 alone: through ag__gemm and, packed, through panels.
 */
static void expect_same_row(const product *p, int r, int rows, float *c, float *panels)
{
    const float *want = p->c + (int64_t)r * p->n;
    const size_t bytes = (size_t)p->n * sizeof(float);
    ag__gemm(AG_CPU, c, p->a + (int64_t)r * p->k, p->b, 0, p->tb, rows, p->n, p->k, 0, p->scratch);
    if (memcmp(c, want, bytes) != 0)
        fail_msg("row %d of %d has other bits among %d rows (n %d, k %d, tb %d)", r, p->m, rows,
                 p->n, p->k, p->tb);
    ag__panels_rows(c, p->a + (int64_t)r * p->k, panels, NULL, rows, p->n, p->k, 0, 0, rows);
    if (memcmp(c, want, bytes) != 0)
        fail_msg("row %d of %d has other bits in panels (n %d, k %d, tb %d)", r, p->m, p->n, p->k,
                 p->tb);
    ag__gemm_part(c, p->a + (int64_t)r * p->k, p->b, 0, p->tb, rows, p->n, p->k, p->n, p->k,
                  p->tb ? p->k : p->n, 0);
    if (memcmp(c, want, bytes) != 0)
        fail_msg("row %d of %d has other bits as a part (n %d, k %d, tb %d)", r, p->m, p->n, p->k,
                 p->tb);
}

/* The bits of a row depend on the row and on B: not on how many rows there are, nor on its place.
 */
static void test_bits_of_a_row(void **state)
{
    static const int rows[] = {1, 2, 15, 41, 128, 129, 300};
    static const int shapes[][2] = {{64, 64},  {33, 700}, {256, 256}, {7, 2100},
                                    {300, 17}, {1, 1},    {170, 528}};
    enum { M = 600 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int tb = 0; tb < 2; tb++) {
            product p = make(M, shapes[i][0], shapes[i][1], 0, tb);
            float *c = numbers((int64_t)M * p.n, 5),
                  *panels = numbers(ag__panels_size(p.n, p.k), 6);
            ag__panels_pack(panels, p.b, tb, p.n, p.k);
            ag__gemm(AG_CPU, p.c, p.a, p.b, 0, tb, p.m, p.n, p.k, 0, p.scratch);
            for (int j = 0; j < 7; j++) {
                free(p.scratch);
                p.scratch = numbers(ag__gemm_scratch(AG_CPU, 0, tb, rows[j], p.n, p.k), 7);
                for (int r = 0; r + rows[j] <= M; r += SANITIZED ? 194 : 97)
                    expect_same_row(&p, r, rows[j], c, panels);
            }
            free(c);
            free(panels);
            drop(&p);
        }
}

int main(void)
{
    static ag_room room;
    ag_set_threads(2);
    ag__room_use(&room);
    return RUN_TESTS(test_sizes_and_transpositions, test_blocks_and_pieces, test_parts,
                     test_threads_change_no_bit, test_bits_of_a_row);
}
