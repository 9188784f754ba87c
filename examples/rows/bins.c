/* SPDX-License-Identifier: MIT */
/* The bins of columns: their edges, quantiles of a sample of the training rows. */
#include "examples/rows/scale.h"

#include "examples/harness/base/base.h"
#include "examples/harness/base/draws.h"

#include <string.h>

enum { KEPT = 16384 }; /* rows of the sample */

/* Each row so far is in the sample with the same probability (Vitter 1985, algorithm R). */
void nests_bins_add(nests_scale *s, const float *x, int rows)
{
    const size_t columns = (size_t)s->columns;
    if (!s->kept) s->kept = HARNESS_NEW(s->kept, KEPT * columns);
    for (int i = 0; i < rows; i++) {
        const int64_t seen = s->seen + i;
        ag_random random = harness_stream(HARNESS_STREAM_DRAW, 0, (uint64_t)seen);
        const int64_t at =
            seen < KEPT ? seen : (int64_t)(ag_random_uniform(&random) * (double)(seen + 1));
        if (at < KEPT)
            memcpy(s->kept + (size_t)at * columns, x + (size_t)i * columns, columns * sizeof *x);
    }
}

/* Of n ascending values: all of them, if they are few enough; else quantiles. Quantiles may be
   equal: then the last bins have no width. */
static void find_edges(float *edge, const double *x, int n, int bins)
{
    int values = 1, edges = 0;
    for (int i = 1; i < n; i++) values += x[i] > x[i - 1];
    const bool few = values <= bins + 1;
    const int steps = few ? n - 1 : bins;
    for (int i = 0; i <= steps; i++) {
        const float at = (float)x[few ? i : (int)((int64_t)i * (n - 1) / bins)];
        if (!edges || at > edge[edges - 1]) edge[edges++] = at;
    }
    for (; edges <= bins; edges++) edge[edges] = edge[edges - 1];
}

void nests_bins_end(nests_scale *s)
{
    const int n = (int)(s->seen < KEPT ? s->seen : KEPT);
    double *x = HARNESS_NEW(x, KEPT);
    for (int k = 0; k < s->columns && n; k++) {
        for (int i = 0; i < n; i++)
            x[i] = (double)s->kept[(size_t)i * (size_t)s->columns + (size_t)k];
        harness_sort(x, n);
        find_edges(s->edge + (size_t)k * ((size_t)s->bins + 1), x, n, s->bins);
    }
    harness_free(x);
    harness_free(s->kept);
    s->kept = NULL;
}

void nests_bins_apply(ag_real *out, const nests_scale *s, const float *row)
{
    const float *edge = s->edge;
    for (int k = 0; k < s->columns; k++, edge++)
        for (int j = 0; j < s->bins; j++, edge++) {
            const float width = edge[1] - edge[0], part = (row[k] - edge[0]) / width;
            *out++ = (ag_real)(width > 0 ? (part > 1 ? 0.5F : part < 0 ? -0.5F : part - 0.5F) : 0);
        }
}
