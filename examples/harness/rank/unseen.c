/* SPDX-License-Identifier: MIT */
/* Warns of data far from those of training, and of groups in which all scores are equal. */
#include "examples/harness/rank/unseen.h"
#include "examples/harness/files/files.h"
#include "examples/harness/rank/rank.h"

/* ---- far from the training data ---- */

static bool is_far(const float *row, int columns, const double *low, const double *high)
{
    for (int k = 0; k < columns; k++)
        if ((double)row[k] < low[k] || (double)row[k] > high[k]) return true;
    return false;
}

int64_t harness_far_rows(const float *x, int64_t rows, int columns, const double *low,
                         const double *high)
{
    int64_t far = 0;
    for (int64_t i = 0; i < rows; i++) far += is_far(x + i * columns, columns, low, high);
    return far;
}

/* For 4 files: " and of 3 more files". */
static const char *more_text(int count, const char *what)
{
    if (count < 2) return "";
    return harness_format(" and of %d more %s%s", count - 1, what, count == 2 ? "" : "s");
}

void harness_far_add(harness_far *f, const char *name, int64_t rows, int64_t all)
{
    const double share = all ? (double)rows / (double)all : 0;
    if (share <= f->most) return;
    if (!f->count++) f->first = name;
    if (f->count == 1 || share < f->share) f->share = share;
}

void harness_far_warn(const harness_far *f)
{
    if (!f->count) return;
    harness_warn("of the %s of %s%s, %.0f %%%s have features far outside of those that %.200s "
                 "was trained on (%s), so the scores may mean nothing; train on files of their "
                 "source",
                 f->rows, harness_files_short(f->first), more_text(f->count, f->what),
                 100 * f->share, f->count > 1 ? " or more" : "", f->run, f->limit);
}

/* ---- scores that are all equal ---- */

static bool is_alike(const harness_ranked *g)
{
    int i = 1;
    while (i < g->items && g->score[i] == g->score[0]) i++;
    return g->items > 1 && i == g->items;
}

void harness_warn_alike(const harness_model *m, const void *results)
{
    int groups = 0, first = 0;
    for (int i = 0; i < harness_rank_groups(results); i++) {
        const harness_ranked g = harness_rank_group_at(results, i);
        if (is_alike(&g) && !groups++) first = i;
    }
    if (!groups) return;
    const harness_ranked g = harness_rank_group_at(results, first);
    const char *why = m->alike ? m->alike(results, first) : NULL;
    harness_warn("all %d scores of %s%s are equal, so they say nothing about the order: %s",
                 g.items, g.name, more_text(groups, "group"),
                 why ? why : "the model tells none of them apart");
}
