/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"

#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b) { return a < b ? a : b; }

/* Edits (insert, delete, replace, swap of neighbours) from a to b; both at most LONGEST long. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    int row[3][LONGEST + 2];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= m; j++) last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last, last = now, now = oldest;
    }
    return last[m];
}

const char *harness_nearest(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST) return NULL;
    /* A name with more than a third of its letters wrong is another word. */
    int best_distance = length < 9 ? (int)length / 3 : 3;
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST) continue;
        int d = distance(word, names[i]);
        if (d < best_distance || (d == best_distance && !best)) best = names[i], best_distance = d;
    }
    return best;
}
