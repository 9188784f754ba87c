/* SPDX-License-Identifier: MIT */
/* Transposes part of a matrix. Squares of TURN have whole cache lines on both sides. */
#ifndef AG_OPS_TURN_H
#define AG_OPS_TURN_H

#include "core/kernel.h"

enum { TURN = 16 };

/* A whole square passes through a copy, so that both of its sides are read and written in a row. */
AG_BOTH void turn_square(ag_real *to, const ag_real *from, int64_t to_row, int64_t from_row)
{
    ag_real part[TURN][TURN];
    for (int q = 0; q < TURN; q++) memcpy(part[q], from + q * from_row, sizeof part[q]);
    for (int p = 0; p < TURN; p++)
        for (int q = 0; q < TURN; q++) to[p * to_row + q] = part[q][p];
}

/* to[c,r] = from[r,c] for r < rows and c < columns; the rows of `to` and `from` are to_row and
   from_row elements apart. */
AG_BOTH void turn(ag_real *to, const ag_real *from, int rows, int columns, int64_t to_row,
                  int64_t from_row)
{
    for (int c = 0; c < columns; c += TURN)
        for (int r = 0; r < rows; r += TURN) {
            ag_real *corner = to + c * to_row + r;
            const ag_real *source = from + r * from_row + c;
            const int n = columns - c, m = rows - r;
            if (n >= TURN && m >= TURN) {
                turn_square(corner, source, to_row, from_row);
                continue;
            }
            for (int p = 0; p < n && p < TURN; p++)
                for (int q = 0; q < m && q < TURN; q++)
                    corner[p * to_row + q] = source[q * from_row + p];
        }
}

#endif
