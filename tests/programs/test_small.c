/* SPDX-License-Identifier: MIT */
/* examples/small: each program learns more than its baseline, the short ones twice the same; those
   of the papers score what the full programs do after as many steps. */
#include "support/files.h"
#include "support/test.h"

#include "support/sanitized.h"

enum { ROOM = 4096, MOST = 8 };

static const char text_file[] = AG_SOURCE_DIR "/examples/small/characters.c";

static void run(char text[ROOM], const char *command)
{
    if (shell_text(text, ROOM, command)) fail_msg("%s: %s", command, text);
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
        int once;    /* not run again: it is long */
    } programs[] = {
        {"mlp", "accuracy on", 2, 0.2, 0},
        {"node_classification", "accuracy on", 3, 0.4, 0},
        {"graph_classification", "accuracy on", 2, 0.15, 0},
        {"molecules", "mean absolute error", 2, -0.5, 0},
        {"characters", "bits a letter on", 2, -0.4, 1},
        {"ranking", "Kendall's tau", 2, 0.03, 0},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char once[ROOM], twice[ROOM];
        double value[MOST];
        const char *command =
            formatted("'" AG_BIN_DIR "/small_%s' '%s' 2>&1", programs[i].name, text_file);
        run(once, command);
        if (!programs[i].once) {
            run(twice, command);
            assert_string_equal(once, twice);
        }
        assert_int_equal(results(value, once, programs[i].title), programs[i].count);
        for (int k = 1; k < programs[i].count; k++) {
            const double gain = value[k] - value[0], more = programs[i].more;
            if (more < 0 ? gain > more : gain < more) fail_msg("%s", once);
        }
    }
}

/* A few steps on every eighth training file, and every fourth of the test. Other seeds of the full
   program are 0.011 away from it. */
static void test_tgraph(void **state)
{
    char text[ROOM];
    double value[MOST];
    run(text, formatted("cd '%s' && d='" AG_SOURCE_DIR "/examples/data/layout' && "
                        "ln -s \"$d/random\" random && for part in train:8 test:4; do "
                        "list=split-random.${part%%:*}.txt; "
                        "awk \"NR %% ${part#*:} == 1\" \"$d/$list\" >\"$list\"; done",
                        files_folder));
    run(text, formatted("'" AG_BIN_DIR "/small_tgraph' 30 '%s' 2>&1", files_folder));
    assert_int_equal(results(value, text, "Kendall's tau"), 2);
    run(text, formatted("cd '%s' && '" AG_BIN_DIR "/tgraph' train --data split-random.train.txt "
                        "--valid split-random.test.txt --steps 30 --no-repad --weight-decay 0.01 "
                        "--no-baselines --out run 2>&1 | grep '^TGraph '",
                        files_folder));
    const double full = strtod(text + strlen("TGraph"), NULL);
    if (!(fabs(value[1] - full) <= 0.02)) fail_msg("%.3f, but tgraph %.3f", value[1], full);
}

/* TPGNN in one file takes the steps of the program: the same schedules, initial values and dropped
   channels, so it orders as many pairs. */
static void test_tpgnn(void **state)
{
    static const char data[] = AG_SOURCE_DIR "/examples/data/schedules";
    char text[ROOM];
    double value[MOST];
    run(text, formatted("'" AG_BIN_DIR "/small_tpgnn' 150 '%s-sums.npz' 2>&1", data));
    assert_int_equal(results(value, text, "pairs in order"), 2);
    run(text, formatted("'" AG_BIN_DIR "/tpgnn' train --data %s/sums.train.txt --valid "
                        "%s/sums.test.txt --steps 150 --tasks 4 --schedules 8 --clip 0 --force "
                        "--out '%s/tpgnn' --no-baselines --quiet | grep '^TPGNN '",
                        data, data, files_folder));
    const double full = strtod(text + strlen("TPGNN"), NULL);
    if (value[1] < 0.6 || !(fabs(value[1] - full) < 0.005))
        fail_msg("pairs: small %g, full program %s", value[1], text);
}

/* After as many steps the paper's model in one file orders tile sizes as the program does. */
static void test_tpu(void **state)
{
    static const char tiles[] = AG_SOURCE_DIR "/examples/data/tile";
    char text[ROOM];
    double value[MOST];
    run(text, formatted("'" AG_BIN_DIR "/small_tpu' %d '%s' 2>&1", SANITIZED ? 5 : 100, tiles));
    assert_int_equal(results(value, text, "Kendall's tau"), 2);
    if (SANITIZED) return; /* so few steps teach nothing */
    run(text,
        formatted("cd '%s' && '" AG_BIN_DIR
                  "/tpu' train --steps 100 --hidden 64 --out '%s/tpu' --seed 1 "
                  "--static-at nowhere --no-baselines --data split-random.train.txt "
                  "--valid split-random.test.txt >/dev/null && tail -n 1 '%s/tpu/metrics.csv'",
                  tiles, files_folder, files_folder));
    const char *comma = strrchr(text, ',');
    const double full = comma ? strtod(comma + 1, NULL) : 0;
    if (value[1] < value[0] + 0.05 || !(fabs(value[1] - full) < 0.05))
        fail_msg("tile size alone %g, small %g, full program %s", value[0], value[1], text);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, test_learns, test_tgraph, test_tpgnn, test_tpu);
}
