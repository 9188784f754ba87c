/* SPDX-License-Identifier: MIT */
/* Parts of a set at random: for training, validation and test, or the folds of cross-validation. */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/sort.h"

#include <math.h>

enum { SPLIT_STREAM = 0x53504c54 }; /* keeps these draws apart from other users of the seed */

/* Items by group, and where each group begins: first[0..groups]. Without groups, each item is one.
 */
typedef struct sets {
    int32_t *item, *first, *order;
    int groups;
} sets;

static ag_status sort_items(sets *s, const int32_t *group, int n, ag_failure *why)
{
    uint64_t *key = ag_alloc(ag_size_mul((size_t)n, sizeof *key));
    if (!key) return ag_fail(why, AG_EMEMORY, "no memory to split %d items", n);
    for (int i = 0; i < n; i++) {
        key[i] = group ? (uint64_t)(group[i] - (int64_t)INT32_MIN) : (uint64_t)i;
        s->item[i] = i;
    }
    const ag_status status = ag_sort_u64(key, s->item, n, why);
    for (int i = 0; i < n; i++)
        if (!i || key[i] != key[i - 1]) s->first[s->groups++] = i;
    s->first[s->groups] = n;
    ag_free(key);
    return status;
}

/* Groups go one after the other, as drawn; each goes to the part in whose share its middle lies. */
static void deal(int32_t *part, const sets *s, int n, const double *share, int parts)
{
    double end = share ? share[0] : 1.0 / parts;
    for (int i = 0, before = 0, k = 0; i < s->groups; i++) {
        const int g = s->order[i], size = s->first[g + 1] - s->first[g];
        while (k < parts - 1 && before + 0.5 * size > end * n) {
            k++;
            end = share ? end + share[k] : (k + 1.0) / parts;
        }
        for (int j = s->first[g]; j < s->first[g + 1]; j++) part[s->item[j]] = k;
        before += size;
    }
}

static ag_status check(const double *share, int n, int parts, ag_failure *why)
{
    double sum = 0;
    if (n < 0 || parts < 1)
        return ag_fail(why, AG_EUSE,
                       "ag_split: %d items cannot have %d parts; give it 0 items or "
                       "more, and a part",
                       n, parts);
    for (int k = 0; share && k < parts; k++) {
        if (!(share[k] >= 0 && share[k] <= 1))
            return ag_fail(why, AG_EUSE, "ag_split: the share of part %d is %g; it must be 0 to 1",
                           k, share[k]);
        sum += share[k];
    }
    if (share && !(fabs(sum - 1) < 1e-6))
        return ag_fail(why, AG_EUSE,
                       "ag_split: the shares of the %d parts are %g together; they must "
                       "be 1",
                       parts, sum);
    return AG_OK;
}

static ag_status split(int32_t *part, const int32_t *group, int n, const double *share, int parts,
                       uint64_t seed, ag_failure *why)
{
    ag_status status = check(share, n, parts, why);
    if (status != AG_OK || n == 0) return status;
    int32_t *ints = ag_alloc(ag_size_mul(3 * (size_t)n + 1, sizeof *ints));
    if (!ints) return ag_fail(why, AG_EMEMORY, "no memory to split %d items", n);
    sets s = {ints, ints + n, ints + 2 * (size_t)n + 1, 0};
    ag_random random = {seed, SPLIT_STREAM, 0};
    status = sort_items(&s, group, n, why);
    for (int g = 0; g < s.groups; g++) s.order[g] = g;
    ag_random_shuffle(&random, s.order, s.groups);
    if (status == AG_OK) deal(part, &s, n, share, parts);
    ag_free(ints);
    return status;
}

ag_status ag_split(int32_t *part, const int32_t *group, int n, const double *share, int parts,
                   uint64_t seed, ag_failure *why)
{
    if (!part) return ag__refuse_null(why, "ag_split", "part");
    const uint64_t mode = ag__float_mode_enter();
    const ag_status status = split(part, group, n, share, parts, seed, why);
    ag__float_mode_set(mode);
    return status;
}

int ag_part(int32_t *which, const int32_t *part, int n, int k, int others)
{
    int count = 0;
    for (int i = 0; which && part && i < n; i++)
        if ((part[i] == k) != !!others) which[count++] = i;
    return count;
}
