/* SPDX-License-Identifier: MIT */
/* Sums down the columns: pieces of rows, each in 8 parts that a block adds in order, then the
   pieces in order. */
#include "core/cuda/inside.h"
#include "core/kernel.h"

enum { SIDE = 32, PARTS = 8, GROUP = 16 };

/* Rows p, p + 8, ... of lo..hi-1, in groups, which keeps the rounding error small. */
static __device__ ag_real part_of(const ag_real *x, const ag_real *z, int64_t lo, int64_t hi,
                                  int64_t columns)
{
    ag_real sum = 0;
    for (int64_t first = lo; first < hi; first += GROUP * PARTS) {
        const int64_t end = first + GROUP * PARTS < hi ? first + GROUP * PARTS : hi;
        ag_real group = 0;
        for (int64_t r = first; r < end; r += PARTS)
            group += z ? x[r * columns] * z[r * columns] : x[r * columns];
        sum += group;
    }
    return sum;
}

static __global__ void column_piece_grid(ag_real *to, const ag_real *x, const ag_real *z,
                                         int64_t rows, int columns)
{
    __shared__ ag_real part[PARTS][SIDE];
    const int lane = (int)threadIdx.x % SIDE, p = (int)threadIdx.x / SIDE;
    const int c = (int)blockIdx.x * SIDE + lane;
    const int64_t lo = blockIdx.y * rows / gridDim.y, hi = (blockIdx.y + 1) * rows / gridDim.y;
    ag_real sum = 0;
    if (c < columns) sum = part_of(x + c, z ? z + c : z, lo + p, hi, columns);
    part[p][lane] = sum;
    __syncthreads();
    if (p || c >= columns) return;
    for (int i = 1; i < PARTS; i++) sum += part[i][lane];
    to[(int64_t)blockIdx.y * columns + c] = sum;
}

static __global__ void column_join_grid(ag_real *y, const ag_real *parts, int pieces, int columns,
                                        int add)
{
    const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= columns) return;
    ag_real s = add ? y[c] : 0;
    for (int p = 0; p < pieces; p++) s += parts[(int64_t)p * columns + c];
    y[c] = s;
}

extern "C" void ag__device_column_sums(ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                                       int columns, int add, ag_real *scratch, int pieces)
{
    const unsigned across = (unsigned)((columns + SIDE - 1) / SIDE);
    AG__START(column_piece, dim3(across, (unsigned)pieces), SIDE * PARTS, scratch, x, z, rows,
              columns);
    AG__START(column_join, (unsigned)((columns + 255) / 256), 256, y, scratch, pieces, columns,
              add);
}
