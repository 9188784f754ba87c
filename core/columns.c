/* SPDX-License-Identifier: MIT */
#include "core/columns.h"
#include "core/cuda/device.h"
#include "core/parallel.h"

#include <string.h>

enum { PIECES = 32, GROUP = 16 };

/* Few rows need no pieces. */
static int pieces_of(int64_t rows) { return rows < 2 * PIECES * GROUP ? 1 : PIECES; }

int64_t ag__column_scratch(int64_t rows, int columns)
{
    return (int64_t)(pieces_of(rows) + 1) * columns;
}

typedef struct task {
    ag_real *to;
    const ag_real *x, *z;
    int64_t rows;
    int columns, pieces;
} task;

/* Rows are summed in groups before they join the piece's sum: the rounding error grows with the
 * number of groups. */
static void piece(void *context, int64_t p, int thread)
{
    const task *t = context;
    const int f = t->columns;
    const int64_t lo = p * t->rows / t->pieces, hi = (p + 1) * t->rows / t->pieces;
    ag_real *sum = t->to + p * f;
    (void)thread;
    memset(sum, 0, (size_t)f * sizeof *sum);
    for (int64_t r = lo; r < hi; r += GROUP) {
        const int64_t end = r + GROUP < hi ? r + GROUP : hi;
        for (int c = 0; c < f; c += 64) {
            const int n = f - c < 64 ? f - c : 64;
            ag_real part[64] = {0};
            for (int64_t k = r; k < end; k++) {
                const ag_real *x = t->x + k * f + c;
                if (t->z) {
                    const ag_real *z = t->z + k * f + c;
                    for (int i = 0; i < n; i++) part[i] += x[i] * z[i];
                } else {
                    for (int i = 0; i < n; i++) part[i] += x[i];
                }
            }
            for (int i = 0; i < n; i++) sum[c + i] += part[i];
        }
    }
}

void ag__column_sums(ag_device device, ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                     int columns, int add, ag_real *scratch)
{
    task t = {scratch, x, z, rows, columns, pieces_of(rows)};
    if (columns == 0) return; /* the scratch has no memory */
    if (device == AG_CUDA) {
        ag__device_column_sums(y, x, z, rows, columns, add, scratch, t.pieces);
        return;
    }
    ag__parallel_work(rows * columns, t.pieces, piece, &t);
    for (int i = 0; i < columns; i++) {
        ag_real s = add ? y[i] : 0;
        for (int p = 0; p < t.pieces; p++) s += scratch[(int64_t)p * columns + i];
        y[i] = s;
    }
}
