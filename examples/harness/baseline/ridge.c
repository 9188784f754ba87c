/* SPDX-License-Identifier: MIT */
/* Ridge regression from sums over the rows, so that only a block of rows is ever copied. */
#include "examples/harness/baseline/ridge.h"
#include "core/error.h"
#include "core/threads.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 64, /* rows that are added at a time */
    STRIP = 16, /* columns that a thread takes at a time */
    WIDE = 256  /* columns from which threads are worth while */
};

static double *zeros(size_t rows, size_t columns)
{
    return harness_alloc(ag_size_mul(ag_size_mul(rows, columns), sizeof(double)));
}

/* Sums over rows, all that the equations need of the data, and the rows that are added next. */
typedef struct moments {
    int columns, strip; /* strip: columns that a thread takes at a time */
    double rows, y;
    double *x, *xy, *xx; /* [columns], [columns], [columns, columns] lower half */
    double *block;       /* [BLOCK, columns], zeros where there are no more rows */
} moments;

/* xx += block' block in some rows of the lower half; four rows of the block at a time, in the same
   order for any number of threads. */
static void add_strip(void *context, int64_t strip, int thread)
{
    const moments *m = context;
    const size_t width = (size_t)m->columns;
    const int lo = (int)strip * m->strip, end = lo + m->strip;
    (void)thread;
    for (int i = lo; i < end && i < m->columns; i++) {
        double *out = m->xx + (size_t)i * width;
        for (const double *a = m->block; a < m->block + BLOCK * width; a += 4 * width) {
            const double *b = a + width, *c = b + width, *d = c + width;
            const double ai = a[i], bi = b[i], ci = c[i], di = d[i];
            for (int j = 0; j <= i; j++)
                out[j] += (ai * a[j] + bi * b[j]) + (ci * c[j] + di * d[j]);
        }
    }
}

static void add_rows(moments *m, const float *x, const double *y, int rows)
{
    size_t p = (size_t)m->columns;
    for (int r = 0; r < rows;) {
        int n = 0;
        for (; n < BLOCK && r < rows; n++, r++) {
            const float *row = x + (size_t)r * p;
            m->rows += 1;
            m->y += y[r];
            for (size_t j = 0; j < p; j++) {
                double v = (double)row[j];
                m->block[(size_t)n * p + j] = v;
                m->x[j] += v;
                m->xy[j] += v * y[r];
            }
        }
        memset(m->block + (size_t)n * p, 0, (BLOCK - (size_t)n) * p * sizeof *m->block);
        ag_parallel((m->columns + m->strip - 1) / m->strip, add_strip, m);
    }
}

/* Four sums, which are registers: as an array, a sanitizer would check each access to them, too. */
static double dot(const double *a, const double *b, int n)
{
    double s = 0, t = 0, u = 0, v = 0;
    for (; n >= 4; n -= 4, a += 4, b += 4) {
        s += a[0] * b[0];
        t += a[1] * b[1];
        u += a[2] * b[2];
        v += a[3] * b[3];
    }
    for (; n > 0; n--) s += *a++ * *b++;
    return (s + t) + (u + v);
}

/* a = l l' in place, lower half; returns the row where a stops being positive definite, or -1. */
static int factorise(double *a, int n)
{
    for (int i = 0; i < n; i++) {
        double *ai = a + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; j++) {
            const double *aj = a + (size_t)j * (size_t)n;
            const double rest = ai[j] - dot(ai, aj, j);
            if (j < i)
                ai[j] = rest / aj[j];
            else if (rest > 1e-13 * ai[i])
                ai[i] = sqrt(rest);
            else
                return i; /* also NaN */
        }
    }
    return -1;
}

/* x = (l l')^-1 x */
static void substitute(double *x, const double *l, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) x[i] -= l[(size_t)i * (size_t)n + (size_t)j] * x[j];
        x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= l[(size_t)i * (size_t)n + (size_t)i];
        for (int j = 0; j < i; j++) x[j] -= l[(size_t)i * (size_t)n + (size_t)j] * x[i];
    }
}

/* Columns that are 0 in all rows are not solved for: of a few files most are. */
static int used_columns(int *used, const moments *m)
{
    int n = 0;
    for (int i = 0; i < m->columns; i++)
        if (m->xx[(size_t)i * (size_t)m->columns + (size_t)i] != 0) used[n++] = i;
    return n;
}

static ag_status solve(double *w, const moments *m, double weight, ag_failure *why)
{
    const double n = m->rows, mean = m->y / n;
    int *used = HARNESS_NEW(used, m->columns);
    const int p = used_columns(used, m);
    double *a = zeros((size_t)p, (size_t)p), *v = zeros(1, (size_t)p);
    for (int i = 0; i < p; i++) {
        const double *from = m->xx + (size_t)used[i] * (size_t)m->columns, x = m->x[used[i]];
        double *row = a + (size_t)i * (size_t)p;
        for (int j = 0; j <= i; j++) row[j] = from[used[j]] - x * m->x[used[j]] / n;
        row[i] += weight * n;
        v[i] = m->xy[used[i]] - x * mean;
    }
    const int bad = factorise(a, p), column = bad < 0 ? 0 : used[bad];
    if (bad < 0) {
        substitute(v, a, p);
        memset(w, 0, (size_t)m->columns * sizeof *w);
        w[m->columns] = mean;
        for (int i = 0; i < p; i++) {
            w[used[i]] = v[i];
            w[m->columns] -= v[i] * m->x[used[i]] / n;
        }
    }
    harness_free(a);
    harness_free(v);
    harness_free(used);
    if (bad < 0) return AG_OK;
    return ag_fail(why, AG_EFINITE,
                   "ridge regression: column %d of %d depends on those before it at weight %g; "
                   "give a larger weight",
                   column, m->columns, weight);
}

double harness_ridge_predict(const double *w, const float *x, int columns)
{
    double sum = w[columns];
    for (int k = 0; k < columns; k++) sum += w[k] * (double)x[k];
    return sum;
}

/* 0.1 where nothing is left to choose by. w: scratch. */
static double choose_weight(double *w, const moments *head, const float *x, const double *y,
                            int rows)
{
    static const double weight[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};
    double best = 0.1, least = (double)INFINITY;
    if (rows < 1 || head->rows < 2) return best;
    for (size_t i = 0; i < sizeof weight / sizeof *weight; i++) {
        ag_failure none = {0};
        double error = 0;
        if (solve(w, head, weight[i], &none)) continue;
        for (int r = 0; r < rows; r++) {
            const float *row = x + (size_t)r * (size_t)head->columns;
            const double off = y[r] - harness_ridge_predict(w, row, head->columns);
            error += off * off;
        }
        if (!(error < least)) continue;
        least = error;
        best = weight[i];
    }
    return best;
}

ag_status harness_ridge_fit(double *out, double *weight, const float *x, const double *y, int rows,
                            int head, int columns, ag_failure *why)
{
    const size_t p = (size_t)columns;
    const float *rest = x + (size_t)head * p;
    moments m = {.columns = columns,
                 .strip = columns < WIDE ? WIDE : STRIP,
                 .x = zeros(1, p),
                 .xy = zeros(1, p),
                 .xx = zeros(p, p),
                 .block = zeros(BLOCK, p)};
    add_rows(&m, x, y, head);
    *weight = choose_weight(out, &m, rest, y + head, rows - head);
    add_rows(&m, rest, y + head, rows - head);
    solve(out, &m, *weight, why);
    harness_free(m.x);
    harness_free(m.xy);
    harness_free(m.xx);
    harness_free(m.block);
    return why->status;
}
