/* SPDX-License-Identifier: MIT */
/* examples/small: each program learns more than its baseline, twice the same. */
#include "support/test.h"

enum { ROOM = 4096, MOST = 8 };

static const char text_file[] = AG_SOURCE_DIR "/examples/small/characters.c";

static void run(char text[ROOM], const char *name)
{
    FILE *f = popen(formatted("'" AG_BIN_DIR "/small_%s' '%s' 2>&1", name, text_file), "r");
    assert_non_null(f);
    text[fread(text, 1, ROOM - 1, f)] = 0;
    if (pclose(f)) fail_msg("small_%s: %s", name, text);
}

/* The numbers at the ends of the lines after the one that begins with `title`. */
static int results(double value[MOST], const char *text, const char *title)
{
    const char *line = strstr(text, title);
    int n = 0;
    if (!line) fail_msg("no \"%s\" in \"%s\"", title, text);
    while (n < MOST && (line = strchr(line, '\n')) && *++line) {
        const char *end = line + strcspn(line, "\n"), *at = end;
        while (at > line && at[-1] != ' ') at--;
        char *last;
        value[n] = strtod(at, &last);
        if (last != end || last == at) break;
        n++;
    }
    return n;
}

static void test_learns(void **state)
{
    static const struct {
        const char *name, *title;
        int count;   /* results: the baseline, then the others */
        double more; /* by which each of the others is above it */
    } programs[] = {
        {"mlp", "accuracy on", 2, 0.2},
        {"node_classification", "accuracy on", 3, 0.4},
        {"graph_classification", "accuracy on", 2, 0.15},
        {"molecules", "mean absolute error", 2, -0.5},
        {"characters", "bits a letter on", 2, -0.4},
        {"ranking", "Kendall's tau", 2, 0.03},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char once[ROOM], twice[ROOM];
        double value[MOST];
        run(once, programs[i].name);
        run(twice, programs[i].name);
        assert_string_equal(once, twice);
        assert_int_equal(results(value, once, programs[i].title), programs[i].count);
        for (int k = 1; k < programs[i].count; k++) {
            const double gain = value[k] - value[0], more = programs[i].more;
            if (more < 0 ? gain > more : gain < more) fail_msg("%s", once);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_learns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
