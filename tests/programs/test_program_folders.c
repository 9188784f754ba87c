/* SPDX-License-Identifier: MIT */
/* Effects of calls of the programs on files of others and on their own: two calls on one folder, a
   terminal that goes away, a limit on the size of files, results that would replace the data. */
#define _GNU_SOURCE
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"
#include "support/tpgnn_npz.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define LAYOUT                                                                           \
 " --data a.npz --split 0.8 --hidden 16 --configs 8 --steps 150 --eval-every 30 --quiet" \
 " --save-every 23 --log-every 4 --eval-limit 6 --no-baselines"
#define SHORT " --data a.npz --split 0.8 --hidden 16 --configs 8 --steps 4 --quiet --no-baselines"
#define FUSION \
 " --data f_0.npz --valid g_0.npz --hidden 16 --kernels 4 --steps 4 --quiet --no-baselines"
#define SCHEDULES \
 " --data m_1.npz --valid m_2.npz --hidden 8 --layers 1 --steps 4 --quiet --no-baselines"

static const char *path_of(const char *name)
{
    static char path[4][300];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", test_folder, name);
    return path[turn];
}

static int make_files(void **state)
{
    test_schedules s;
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 60, 0);
    program_write_fusion("f_0.npz", 20, 0);
    program_write_fusion("g_0.npz", 15, 1);
    test_schedules_make(&s);
    test_schedules_write(&s, "m_1.npz");
    test_schedules_write(&s, "m_2.npz");
    program_write_text("study.ini", "[study]\ntitle = t\nseeds = 0\n[one]\n");
    program_expect("tgraph train --out tg" SHORT, 0, "", "");
    program_expect("tpu train --out tp" FUSION, 0, "", "");
    program_expect("tpgnn train --out tn" SCHEDULES, 0, "", "");
    return 0;
}

/* ---- one program at a time ---- */

static void a_folder_takes_one_program(void **state)
{
    (void)state;
    static const char *const folder[] = {"tg", "tp", "tn"};
    static const char *const lines[] = {
        "tgraph train --out tg --force" SHORT,
        "tgraph train --out tg --resume",
        "tgraph train --out tg" SHORT,
        "tgraph ablate --study study.ini --out tg" SHORT,
        "tpu train --out tp --force" FUSION,
        "tpu train --out tp --resume",
        "tpu ablate --study study.ini --out tp" FUSION,
        "tpgnn train --out tn --force" SCHEDULES,
        "tpgnn train --out tn --resume",
        "tpgnn ablate --study study.ini --out tn" SCHEDULES,
    };
    int lock[3];
    uint64_t metrics[3];
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s/metrics.csv", folder[i]);
        metrics[i] = program_hash_of(name);
        lock[i] = open(path_of(folder[i]), O_RDONLY | O_DIRECTORY);
        assert_int_equal(flock(lock[i], LOCK_EX), 0);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[400];
        const char *cut = strstr(lines[i], " --no-baselines");
        const int n =
            strstr(lines[i], "ablate") && cut ? (int)(cut - lines[i]) : (int)strlen(lines[i]);
        snprintf(line, sizeof line, "%.*s", n, lines[i]);
        program_expect(line, 2, "", "; wait until it has ended, or choose another --out");
    }
    program_expect("tgraph eval --run tg --data a.npz --no-baselines", 0, "", ""); /* may read */
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s/metrics.csv", folder[i]);
        assert_true(program_hash_of(name) == metrics[i]);
        close(lock[i]);
    }
    program_expect("tgraph train --out tg --resume --quiet --no-baselines", 0, "", "");
}

/* ---- signals ---- */

static void a_terminal_goes_away(void **state)
{
    (void)state;
    program_expect("tgraph train --out whole" LAYOUT, 0, "", "");
    const program_outcome o = program_call_signal("tgraph train --out hung-up" LAYOUT, SIGHUP,
                                                  "hung-up/metrics.csv", 300);
    if (o.code != 0) { /* 0: it finished first */
        assert_int_equal(o.code, 130);
        assert_int_equal(access(path_of("hung-up/last.safetensors"), F_OK), 0);
        program_expect("tgraph train --out hung-up --resume --quiet --no-baselines", 0, "", "");
    }
    program_expect_same("whole", "hung-up");
}

/* The limit is that of this process, and of the calls that it makes. */
static void files_may_be_too_large(void **state)
{
    (void)state;
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 20000;
    setrlimit(RLIMIT_FSIZE, &small);
    const program_outcome o = program_call("tgraph train --out limited" SHORT);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(o.code, 3);
    assert_non_null(strstr(o.err, "File too large; raise the limit on the size of files"));
}

/* ---- results that would replace what is read ---- */

static void results_do_not_replace_the_data(void **state)
{
    (void)state;
    assert_int_equal(symlink("a.npz", path_of("link.csv")), 0);
    assert_int_equal(link(path_of("f_0.npz"), path_of("hard.csv")), 0);
    program_write_text("list.txt", "m_1.npz\n");
    static const char *const lines[][2] = {
        {"tgraph predict --run tg --data a.npz --csv a.npz", "a.npz is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv ./tg/../a.npz", "is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv link.csv", "is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv tg/best.safetensors",
         "--csv: tg/best.safetensors is a file of the run tg, which would be lost; choose another "
         "name"},
        {"tgraph predict --run whole --ensemble tg --data a.npz --csv tg/last.safetensors",
         "is a file of the run tg"},
        {"tpu predict --run tp --data f_0.npz --csv hard.csv", "is a file of --data"},
        {"tpu predict --run tp --data f_0.npz --csv tp/config.json", "is a file of the run tp"},
        {"tpgnn predict --run tn --data list.txt --csv list.txt", "is a file of --data"},
        {"tpgnn predict --run tn --data list.txt --csv m_1.npz", "is a file of --data"},
        {"tpgnn predict --run tn --data m_1.npz --csv tn/metrics.csv", "is a file of the run tn"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        program_expect(lines[i][0], 2, "", lines[i][1]);
    program_expect("tgraph predict --run tg --data a.npz --csv tg/scores.csv", 0, "", "");
    program_expect("tgraph predict --run tg --data a.npz --csv tg/scores.csv", 0, "", "");
    program_expect("tpu predict --run tp --data f_0.npz --csv /dev/null", 0, "", "");
}

/* ---- options that would do nothing ---- */

/* A layout file whose run times take more than 1 MiB. */
static void write_large(const char *name)
{
    enum { CONFIGS = 150000, NODES = 2 };
    static float node[NODES][140], config[CONFIGS][1][18];
    static int64_t edge[1][2] = {{1, 0}}, id[1], runtime[CONFIGS], split[2] = {0, NODES};
    static uint8_t code[NODES] = {10, 11};
    for (int c = 0; c < CONFIGS; c++) {
        runtime[c] = 1000 + c;
        for (int k = 0, left = c; k < 18; k++, left /= 7) config[c][0][k] = (float)(left % 7 - 1);
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {NODES, 140}, node},
        {"node_opcode", AG_U8, 1, {NODES}, code},
        {"edge_index", AG_I64, 2, {1, 2}, edge},
        {"node_config_feat", AG_F32, 3, {CONFIGS, 1, 18}, config},
        {"node_config_ids", AG_I64, 1, {1}, id},
        {"config_runtime", AG_I64, 1, {CONFIGS}, runtime},
        {"node_splits", AG_I64, 2, {1, 2}, split},
    };
    assert_true(test_arrays_write(path_of(name), array, 7));
}

static void options_without_a_meaning_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {"tgraph predict --run tg --data a.npz --tau a",
                                        "tgraph predict --run tg --data a.npz --seed 1",
                                        "tgraph eval --run tg --data a.npz --seed 1",
                                        "tpu eval --run tp --data f_0.npz --seed 1",
                                        "tpu predict --run tp --data f_0.npz --seed 1",
                                        "tpgnn eval --run tn --data m_1.npz --seed 1",
                                        "tpgnn predict --run tn --data m_1.npz --seed 1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        program_expect(lines[i], 2, "", "is no option of");
    program_expect("tgraph predict --run tg --data a.npz --format contest --json", 2, "",
                   "--format contest would change nothing of what --json prints");
    program_expect("tgraph predict --run tg --data a.npz --format contest --json --csv c.csv", 0,
                   "[", "");
    write_large("large.npz");
    program_expect("tgraph inspect large.npz --quiet", 0, "150000", "");
    program_expect("tgraph inspect large.npz --ram-limit 1M", 5, "", "; raise --ram-limit");
    program_expect("tgraph train --lr 1 --out x" SHORT, 2, "",
                   "unknown option --lr; \"tgraph train --help\" lists the options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_goes_away),
        cmocka_unit_test(a_folder_takes_one_program),
        cmocka_unit_test(files_may_be_too_large),
        cmocka_unit_test(results_do_not_replace_the_data),
        cmocka_unit_test(options_without_a_meaning_are_refused),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
