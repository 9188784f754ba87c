/* SPDX-License-Identifier: MIT */
/* Means and deviations of the columns of training rows, and the unit of time. */
#include "examples/rows/scale.h"

#include "core/error.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <string.h>

void nests_scale_open(nests_scale *s, int columns, int words, int bins, bool flags)
{
    *s = (nests_scale){.columns = columns, .words = words, .bins = bins, .flags = flags};
    s->mean = HARNESS_NEW(s->mean, 2 * (size_t)columns);
    s->deviation = s->mean + columns;
    if (bins) s->edge = HARNESS_NEW(s->edge, (size_t)columns * ((size_t)bins + 1));
}

void nests_scale_close(nests_scale *s)
{
    harness_free(s->mean);
    harness_free(s->edge);
    harness_free(s->kept);
    *s = (nests_scale){0};
}

/* Mean and sum of squared distances from it, row by row: sums of squares would cancel. */
void nests_scale_add(nests_scale *s, const float *x, int rows)
{
    if (s->bins) nests_bins_add(s, x, rows);
    for (int i = 0; i < rows; i++, s->seen++)
        for (int k = 0; k < s->columns; k++, x++) {
            const double off = (double)*x - s->mean[k];
            s->mean[k] += off / (double)(s->seen + 1);
            s->deviation[k] += off * ((double)*x - s->mean[k]);
        }
}

void nests_scale_add_items(nests_scale *s, const nests_rows *rows, const int64_t *runtime,
                           const int *item)
{
    const double alike = nests_alike_work(rows);
    nests_scale_add(s, rows->x, rows->rows);
    for (int i = 0; i < rows->items; i++, s->items++)
        s->offset += log((double)runtime[item ? item[i] : i]) - nests_log_work(rows, i, alike);
}

void nests_scale_end(nests_scale *s)
{
    for (int k = 0; k < s->columns && s->seen; k++)
        s->deviation[k] = sqrt(s->deviation[k] / (double)s->seen);
    if (s->items) s->offset /= (double)s->items;
    if (s->bins) nests_bins_end(s);
}

/* Comparisons, since fmin and fmax are calls: here they would take as long as all other work on
   rows. */
void nests_scale_apply(ag_real *out, const nests_scale *s, const float *row)
{
    for (int k = 0; k < s->columns; k++) {
        const double off = (double)row[k] - s->mean[k], width = s->deviation[k];
        const double x = width > NESTS_FLAT ? off / width : 0;
        out[k] = (ag_real)(x > NESTS_FAR ? NESTS_FAR : x < -NESTS_FAR ? -NESTS_FAR : x);
        if (s->flags) out[s->columns + k] = row[k] <= 0;
    }
    if (s->bins) nests_bins_apply(out + s->columns * (1 + s->flags), s, row);
}

void nests_scale_rows(ag_real *out, int32_t *word, const nests_scale *s, const nests_rows *r)
{
    const size_t columns = (size_t)s->columns, inputs = (size_t)nests_scale_inputs(s);
    for (size_t i = 0; i < (size_t)r->rows; i++)
        nests_scale_apply(out + i * inputs, s, r->x + i * columns);
    if (r->word) memcpy(word, r->word, (size_t)r->rows * sizeof *word);
}

int nests_scale_list(ag_checkpoint_item *item, const nests_scale *s)
{
    const ag_shape shape = AG_SHAPE(s->columns);
    item[0] = (ag_checkpoint_item){"state.row.mean", AG_F64, shape, s->mean};
    item[1] = (ag_checkpoint_item){"state.row.deviation", AG_F64, shape, s->deviation};
    item[2] = (ag_checkpoint_item){"state.offset", AG_F64, AG_SCALAR, &s->offset};
    if (!s->bins) return NESTS_SCALE_TENSORS;
    item[3] =
        (ag_checkpoint_item){"state.row.edge", AG_F32, AG_SHAPE(s->columns, s->bins + 1), s->edge};
    return NESTS_SCALE_TENSORS + 1;
}

ag_status nests_scale_check(const nests_scale *s, ag_failure *why)
{
    for (int k = 0; k < s->columns; k++)
        if (!isfinite(s->mean[k]) || !isfinite(s->deviation[k]) || s->deviation[k] < 0)
            return ag_fail(why, AG_EDATA,
                           "state.row.mean[%d] is %g and state.row.deviation[%d] %g; they must be "
                           "finite, and the second at least 0",
                           k, s->mean[k], k, s->deviation[k]);
    for (int k = 0; k < s->columns * s->bins; k++) {
        const float *edge = s->edge + k + k / s->bins;
        if (!isfinite(edge[0]) || !isfinite(edge[1]) || edge[1] < edge[0])
            return ag_fail(
                why, AG_EDATA,
                "state.row.edge of column %d has %g before %g; the edges must be finite and "
                "ascend",
                k / s->bins, (double)edge[0], (double)edge[1]);
    }
    if (!(fabs(s->offset) < 300))
        return ag_fail(why, AG_EDATA,
                       "the offset of the scores of rows is %g; it must be -300 to 300", s->offset);
    return AG_OK;
}
