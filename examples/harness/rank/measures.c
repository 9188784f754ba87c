/* SPDX-License-Identifier: MIT */
/* Names, meanings and digits of the measures. */
#include "examples/harness/rank/measures.h"
#include "examples/harness/harness.h"

#include <string.h>

static const char of_slowdown[] = "how much longer the fastest of the k best predicted takes than "
                                  "the fastest of all: 0 is best";
static const char of_top[] =
    "the fastest of all divided by the fastest of the k best predicted: 1 is best";
static const char of_recall[] =
    "the share of the k best predicted that are no slower than the k-th fastest: 1 is best";
static const char of_all[] = "the same of all, those included that are too short to count";
static const char of_contest[] =
    "2 - the fastest of the 5 best predicted / the fastest, and 2 - the mean of the 50 best "
    "predicted / the mean of the 50 fastest: 1 is best";

/* Neighbours with one meaning are explained together. */
static const struct {
    const char *name, *meaning;
    int digits;
    bool smaller;
} kind[HARNESS_MEASURES] = {
    [HARNESS_TAU_B] = {"tau-b",
                       "Kendall's rank correlation of scores and run times, corrected for ties: 1 "
                       "is the right order, 0 a random one",
                       4, false},
    [HARNESS_TAU_A] = {"tau-a",
                       "Kendall's rank correlation of scores and run times: 1 is the right order, "
                       "0 a random one",
                       4, false},
    [HARNESS_OPA] = {"opa",
                     "the share of the pairs with different run times that the scores put in the "
                     "right order; equal scores are wrong",
                     4, false},
    [HARNESS_TIED] = {"tied",
                      "the share of all pairs whose scores are equal: wrong for opa, left out of "
                      "what tau-b divides by",
                      4, true},
    [HARNESS_PAIRWISE] = {"pairwise",
                          "the share of the pairs that the scores put in the right order, of those "
                          "whose run times differ by more than 2 %; equal scores count one half, "
                          "so a coin reaches 0.5",
                          4, false},
    [HARNESS_SLOWDOWN_1] = {"slowdown@1", of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_5] = {"slowdown@5", of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_10] = {"slowdown@10", of_slowdown, 4, true},
    [HARNESS_SLOWDOWN_100] = {"slowdown@100", of_slowdown, 4, true},
    [HARNESS_TOP_1] = {"top-1", of_top, 4, false},
    [HARNESS_TOP_5] = {"top-5", of_top, 4, false},
    [HARNESS_TOP_10] = {"top-10", of_top, 4, false},
    [HARNESS_RECALL_1] = {"recall@1", of_recall, 4, false},
    [HARNESS_RECALL_5] = {"recall@5", of_recall, 4, false},
    [HARNESS_RECALL_10] = {"recall@10", of_recall, 4, false},
    [HARNESS_APE] = {"APE %",
                     "how much longer it takes, in %, when everything runs as is predicted best "
                     "instead of the fastest way",
                     1, true},
    [HARNESS_MAPE] = {"MAPE %", "the mean of |predicted - measured| / measured, in %", 1, true},
    [HARNESS_MAPE_ALL] = {"MAPE % of all", of_all, 1, true},
    [HARNESS_TAU_B_ALL] = {"tau-b of all", of_all, 4, false},
    [HARNESS_R2] = {"R2",
                    "the part of the variance of ln(run time) that a prediction of it explains", 4,
                    false},
    [HARNESS_MAE] = {"MAE", "the mean error of a prediction of ln(run time)", 4, true},
    [HARNESS_CONTEST_5] = {"contest@5", of_contest, 4, false},
    [HARNESS_CONTEST_50] = {"contest@50", of_contest, 4, false},
};

const char *harness_measure_name(harness_measure measure) { return kind[measure].name; }

harness_measure harness_measure_of(const char *column)
{
    int found = HARNESS_MEASURES;
    for (int m = 0; m < HARNESS_MEASURES; m++)
        if (strncmp(column, kind[m].name, strlen(kind[m].name)) == 0 &&
            (found == HARNESS_MEASURES || strlen(kind[m].name) > strlen(kind[found].name)))
            found = m;
    return (harness_measure)found;
}

int harness_measure_digits(harness_measure measure) { return kind[measure].digits; }
bool harness_measure_smaller(harness_measure measure) { return kind[measure].smaller; }

bool harness_measure_left(harness_measure m, harness_left left)
{
    switch (left) {
    case HARNESS_NONE_COUNTS: return m != HARNESS_MAPE_ALL && m != HARNESS_TAU_B_ALL;
    case HARNESS_ONE_COUNTS: return m < HARNESS_APE || m == HARNESS_R2;
    case HARNESS_ALL_EQUAL:
        return m == HARNESS_TAU_B || m == HARNESS_OPA || m == HARNESS_PAIRWISE || m == HARNESS_R2;
    default: return m == HARNESS_PAIRWISE;
    }
}

const char *harness_measures_explain(const harness_measure *measure, int count)
{
    const char *all = "";
    for (int i = 0; i < count; i++) {
        const char *name = kind[measure[i]].name, *meaning = kind[measure[i]].meaning;
        const bool last = i + 1 == count, more = !last && kind[measure[i + 1]].meaning == meaning;
        all = more ? harness_format("%s%s, ", all, name)
                   : harness_format("%s%s: %s.%s", all, name, meaning, last ? "" : " ");
    }
    return all;
}
