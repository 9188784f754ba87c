/* SPDX-License-Identifier: MIT */
/* Effects of calls of the programs on files of others and on their own: two calls on one folder,
   file systems that lack calls, results that would replace the data. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/tgraph_npz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define TINY      " --data a.npz --split 0.8 --hidden 16 --configs 8 --steps 4"
#define SHORT     TINY " --quiet --no-baselines"
#define FUSION    " --data f_0.npz --valid g_0.npz --hidden 16 --kernels 4 --steps 4 --quiet"
#define SCHEDULES " --data s_1.npz --valid s_2.npz --hidden 8 --steps 4 --quiet"

static int make_files(void **state)
{
    if (program_models_make(state)) return -1;
    program_write_text("study.ini", "[study]\ntitle = t\nseeds = 0\n[one]\n");
    program_expect("tgraph train --out tg" SHORT, 0, "", "");
    program_expect("tpu train --out tp --no-baselines" FUSION, 0, "", "");
    program_expect("tpgnn train --out tn --no-baselines" SCHEDULES, 0, "", "");
    return 0;
}

/* ---- one program at a time ---- */

static void a_folder_takes_one_program(void **state)
{
    static const char *const calls[] = {"train --force" TINY, "train" TINY, "train --resume",
                                        "ablate --study study.ini" TINY};
    const uint64_t metrics = program_hash_of("tg/metrics.csv");
    const int lock = open(test_file("tg"), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    for (int k = 0; k < 4; k++)
        program_expect_line(2, "", "; wait until it has ended, or choose another --out",
                            "tgraph %s --out tg", calls[k]);
    program_expect("tgraph eval --run tg --data a.npz --no-baselines", 0, "", ""); /* may read */
    assert_true(program_hash_of("tg/metrics.csv") == metrics);
    close(lock);
    program_expect("tgraph train --out tg --resume --quiet --no-baselines", 0, "", "");
}

/* ---- file systems ---- */

/* The linker calls these for fsync and flock, which fail with this errno; 0: they do not. */
static int failing;
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int __wrap_fsync(int fd)
{
    if (!failing) return __real_fsync(fd);
    errno = failing;
    return -1;
}

int __wrap_flock(int fd, int how)
{
    if (!failing) return __real_flock(fd, how);
    errno = failing;
    return -1;
}

/* A run and a study go on, with a warning of each kind; a disk that fails ends them. */
static void a_file_system_may_lack_calls(void **state)
{
    static const char *const lines[] = {"tgraph train --out lacking --no-baselines" TINY,
                                        "tgraph train --out lacking --no-baselines --resume",
                                        "tgraph ablate --study study.ini --out lacking-study" TINY};
    failing = EOPNOTSUPP;
    for (int i = 0; i < 3; i++) {
        const program_outcome o = program_expect(lines[i], 0, "", "");
        if (program_count(o.err, "has no locks (Operation not supported)") != 1 ||
            program_count(o.err,
                          "cannot flush files to the disk (fsync): a crash of the machine") != 1)
            fail_msg("%s", o.err);
    }
    program_expect_same("lacking", "tg");
    failing = EIO;
    program_expect("tgraph train --out failing --no-baselines" TINY, 3, "",
                   "failing/config.json: Input/output error; check the disk and try again");
    failing = 0;
}

/* A place that is refused is named before anything is read: the other files do not exist. */
static void a_place_is_refused_first(void **state)
{
    static const struct {
        const char *line, *sentence;
        int code;
    } calls[] = {
        {"tgraph train --out tp --data none.npz", "the folder tp is not empty", 2},
        {"tpu train --out tp --data none.npz", "the folder tp is not empty", 2},
        {"tpgnn train --out tp --data none.npz", "the folder tp is not empty", 2},
        {"tgraph train --out a.npz/x --data none.npz", "cannot be made: Not a directory", 3},
        {"tpu ablate --study study.ini --out a.npz --data none.npz --valid none.npz",
         "cannot be made: File exists", 3},
        {"tpu autotune --run tp --out tn --text none.txt", "the folder tn is not empty", 2},
        {"tgraph predict --run tg --data none.npz --csv no/x.csv",
         "--csv: no/x.csv cannot be written: No such file or directory; make its folder first", 3},
        {"tpu predict --run tp --data none.npz --csv a.npz/x", "a.npz/x cannot be written: Not a",
         3},
        {"tpgnn predict --run tn --data none.npz --csv tp", "--csv: tp cannot be written: Is a", 3},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        program_expect(calls[i].line, calls[i].code, "", calls[i].sentence);
}

/* ---- results that would replace what is read ---- */

static void results_do_not_replace_the_data(void **state)
{
    assert_int_equal(symlink("a.npz", test_file("link.csv")), 0);
    assert_int_equal(link(test_file("f_0.npz"), test_file("hard.csv")), 0);
    program_write_text("list.txt", "s_1.npz\n");
    static const char *const lines[][2] = {
        {"tgraph predict --run tg --data a.npz --csv a.npz", "a.npz is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv ./tg/../a.npz", "is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv link.csv", "is a file of --data"},
        {"tgraph predict --run tg --data a.npz --csv tg/best.safetensors",
         "--csv: tg/best.safetensors is a file of the run tg, which would be lost; choose another "
         "name"},
        {"tgraph predict --run lacking --ensemble tg --data a.npz --csv tg/last.safetensors",
         "is a file of the run tg"},
        {"tpu predict --run tp --data f_0.npz --csv hard.csv", "is a file of --data"},
        {"tpu predict --run tp --data f_0.npz --csv tp/config.json", "is a file of the run tp"},
        {"tpgnn predict --run tn --data list.txt --csv list.txt", "is a file of --data"},
        {"tpgnn predict --run tn --data list.txt --csv s_1.npz", "is a file of --data"},
        {"tpgnn predict --run tn --data s_1.npz --csv tn/metrics.csv", "is a file of the run tn"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        program_expect(lines[i][0], 2, "", lines[i][1]);
    program_expect("tgraph predict --run tg --data a.npz --csv tg/scores.csv", 0, "", "");
    program_expect("tgraph predict --run tg --data a.npz --csv tg/scores.csv", 0, "", "");
    program_expect("tpu predict --run tp --data f_0.npz --csv /dev/null", 0, "", "");
}

/* A layout file whose run times take more than 1 MiB. */
static void write_large(const char *name)
{
    enum { CONFIGS = 150000 };
    static float config[CONFIGS][1][18];
    static int64_t runtime[CONFIGS];
    test_layout l;
    test_layout_make(&l);
    for (int c = 0; c < CONFIGS; c++) {
        runtime[c] = 1000 + c;
        for (int k = 0, left = c; k < 18; k++, left /= 7) config[c][0][k] = (float)(left % 7 - 1);
    }
    l.array[NODE_CONFIG_IDS].size[0] = 1;
    l.array[NODE_CONFIG_FEAT] =
        (test_array){"node_config_feat", AG_F32, 3, {CONFIGS, 1, 18}, config};
    l.array[CONFIG_RUNTIME] = (test_array){"config_runtime", AG_I64, 1, {CONFIGS}, runtime};
    assert_true(test_arrays_write(test_file(name), l.array, l.arrays));
}

static void a_large_file_is_inspected(void **state)
{
    write_large("large.npz");
    program_expect("tgraph inspect large.npz --quiet", 0, "150000", "");
    program_expect("tgraph inspect large.npz --ram-limit 1M", 5, "", "; raise --ram-limit");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, a_place_is_refused_first,
                          a_folder_takes_one_program, a_file_system_may_lack_calls,
                          results_do_not_replace_the_data, a_large_file_is_inspected);
}
