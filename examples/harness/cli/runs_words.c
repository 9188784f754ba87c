/* SPDX-License-Identifier: MIT */
/* Several --run on a command line are an ensemble. */
#include "examples/harness/cli/options_internal.h"

#include <string.h>

/* Each --run after the first becomes --set ensemble=RUN, so the number of words stays the same. */
char **harness__spread_runs(int argc, char **argv)
{
    char **words = harness_alloc(((size_t)argc + 1) * sizeof *words);
    int runs = 0;
    for (int i = 0; i < argc; i++) words[i] = harness_copy(argv[i]);
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (strncmp(word, "--run", 5) != 0 || (word[5] && word[5] != '=') || !runs++) continue;
        const int next = !word[5] && i + 1 < argc;
        if (!word[5] && !next) break;
        harness_free(words[i]);
        words[i] = next ? harness_copy("--set") : harness_text("--set=ensemble%s", word + 5);
        if (!next) continue;
        harness_free(words[++i]);
        words[i] = harness_text("ensemble=%s", argv[i]);
    }
    return words;
}
