/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/fasttext_parts.h"

#include <math.h>
#include <string.h>

tpgnn_fasttext_options tpgnn_fasttext_defaults(void)
{
    return (tpgnn_fasttext_options){.size = 18,
                                    .window = 5,
                                    .min_n = 3,
                                    .max_n = 6,
                                    .buckets = 2000000,
                                    .negative = 5,
                                    .epochs = 5,
                                    .rate = 0.025,
                                    .last = 0.0001,
                                    .sample = 0.001,
                                    .exponent = 0.75};
}

static ag_status check_options(const tpgnn_fasttext_options *o, ag_failure *why)
{
    if (o->size < 1 || o->size > 4096 || o->window < 1 || o->window > 1000 || o->negative < 0 ||
        o->negative > 1000 || o->epochs < 1)
        return ag_fail(why, AG_EUSE,
                       "fasttext: size %d, window %d, negative %d, epochs %d: they must be 1 to "
                       "4096, 1 to 1000, 0 to 1000 and at least 1",
                       o->size, o->window, o->negative, o->epochs);
    if (o->max_n < 0 || o->max_n > 64 || (o->max_n > 0 && (o->min_n < 1 || o->min_n > o->max_n)) ||
        o->buckets < 1 || o->buckets > INT32_MAX)
        return ag_fail(why, AG_EUSE,
                       "fasttext: n-grams of %d to %d letters in %lld buckets: they must be 1 to "
                       "64 (or 0: none), ascending, in 1 to 2147483647",
                       o->min_n, o->max_n, (long long)o->buckets);
    if (!(o->rate > 0 && o->rate <= 10 && o->last >= 0 && o->last <= o->rate && o->sample >= 0 &&
          isfinite(o->sample) && fabs(o->exponent) <= 4))
        return ag_fail(why, AG_EUSE,
                       "fasttext: rate %g to %g, sample %g, exponent %g: they must be above 0 and "
                       "at most 10, from 0 to the rate, at least 0 and -4 to 4",
                       o->rate, o->last, o->sample, o->exponent);
    return AG_OK;
}

static ag_status check_names(const char *const *name, int words, ag_failure *why)
{
    if (words < 1 || words > TPGNN_MOST_WORDS)
        return ag_fail(why, AG_EUSE, "fasttext: %d words, but 1 to %d are possible", words,
                       TPGNN_MOST_WORDS);
    for (int i = 0; i < words; i++) {
        if (!name[i] || !*name[i])
            return ag_fail(why, AG_EUSE, "fasttext: word %d has no name; give it one", i);
        for (int k = 0; k < i; k++)
            if (strcmp(name[k], name[i]) == 0)
                return ag_fail(why, AG_EUSE,
                               "fasttext: words %d and %d are both called %.60s; names must differ",
                               k, i, name[i]);
    }
    return AG_OK;
}

ag_status tpgnn__fasttext_check(const tpgnn_fasttext_options *o, const char *const *name, int words,
                                ag_failure *why)
{
    return check_options(o, why) ? why->status : check_names(name, words, why);
}
