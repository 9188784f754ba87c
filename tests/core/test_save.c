/* SPDX-License-Identifier: MIT */
/* The durable replacement of files. */
#include "core/internal.h"
#include "core/error.h"
#include "core/io/io.h"
#include "core/random.h"
#include "core/threads.h"
#include "support/test.h"
#include "saved.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static ag_status put_half_and_fail(FILE *file, void *why)
{
    fputs("half", file);
    return ag_fail(why, AG_EDATA, "the other half is missing");
}

/* An error of the stream that a later flush would not repeat. */
static ag_status put_text_and_spoil(FILE *file, void *text)
{
    fputs(text, file);
    fgetc(file);
    return AG_OK;
}

static void save_replaces_whole_files_and_keeps_the_mode(void **state)
{
    const char *path = files_path("a");
    struct stat about;
    mode_t mask = umask(027);
    expect_ok(ag_save_file(path, put_text, "one", new_failure()));
    umask(mask);
    expect_text(path, "one");
    stat(path, &about);
    assert_int_equal(about.st_mode & 0777, 0640);
    chmod(path, 0604);
    expect_ok(ag_save_file(path, put_text, "second", new_failure()));
    expect_text(path, "second");
    stat(path, &about);
    assert_int_equal(about.st_mode & 0777, 0604);
    assert_int_equal(files_count(), 1);
}

static void a_failed_save_leaves_what_was_there(void **state)
{
    const char *path = files_path("b");
    assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
    int files = files_count();
    assert_int_equal(ag_save_file(path, put_half_and_fail, last_failure(), new_failure()),
                     AG_EDATA);
    assert_string_equal(last_failure()->sentence, "the other half is missing");
    ag_failure none = {0};
    assert_int_equal(ag_save_file(path, put_half_and_fail, NULL, &none), AG_EDATA);
    assert_non_null(strstr(none.sentence, path));
    assert_non_null(strstr(none.sentence, "; what was there stays, try again"));
    ag_failure spoilt = {0};
    assert_int_equal(ag_save_file(path, put_text_and_spoil, "new", &spoilt), AG_EFILE);
    assert_non_null(strstr(spoilt.sentence, path));
    ag__fail_allocation(1, 0);
    ag_failure memory = {0};
    assert_int_equal(ag_save_file(path, put_text, "new", &memory), AG_EMEMORY);
    assert_non_null(strstr(memory.sentence, path));
    assert_non_null(strstr(memory.sentence, "; free some and try again"));
    ag__fail_allocation(0, 0);
    expect_text(path, "old");
    assert_int_equal(files_count(), files);
}

/* Leaves a file with such an ending in the folder of the path; a * is replaced by a process id. */
static const char *leave(const char *path, const char *ending, pid_t id)
{
    static char name[700];
    const char *star = strchr(ending, '*');
    const int n = star ? (int)(star - ending) : (int)strlen(ending);
    if (star)
        snprintf(name, sizeof name, "%s%.*s%ld%s", path, n, ending, (long)id, star + 1);
    else
        snprintf(name, sizeof name, "%s%s", path, ending);
    assert_int_equal(files_put(name, "half", 4), 0);
    return name;
}

static pid_t ended_process(void)
{
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

static void save_removes_what_killed_writers_left(void **state)
{
    const char *path = files_path("left");
    char name[700];
    const pid_t dead = ended_process(), other = fork();
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* with the test: it would keep its output open */
        pause();
        _exit(0);
    }
    const int files = files_count();
    static const char *const gone[] = {".*.0.tmp", ".*.1.tmp", ".*.4000000.tmp"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) leave(path, gone[i], dead);
    assert_int_equal(ag_save_file(path, put_text, "one", NULL), AG_OK);
    assert_int_equal(files_count(), files + 1);

    /* Everything that no dead writer of this name made stays. */
    static const char *const stays[] = {".*.tmp",
                                        ".*.0.tmp2",
                                        ".*.0",
                                        "*.0.tmp",
                                        "..*.0.tmp",
                                        ".*..tmp",
                                        ".0.0.tmp",
                                        ".-1.0.tmp",
                                        ".0*.0.tmp",
                                        ".*.00.tmp",
                                        ".*.0.0.tmp",
                                        ".+*.0.tmp",
                                        ".*x.0.tmp",
                                        ".*. 0.tmp",
                                        "x.*.0.tmp",
                                        ".x.*.0.tmp",
                                        ".99999999999999999999.0.tmp"};
    const size_t n = sizeof stays / sizeof *stays;
    for (size_t i = 0; i < n; i++) leave(path, stays[i], dead);
    leave(path, ".*.0.tmp", getpid());
    leave(path, ".*.1000.tmp", other);
    strcpy(name, path);
    name[strlen(name) - 1] = 0; /* the name without its last letter */
    leave(name, ".*.0.tmp", dead);
    assert_int_equal(mkfifo(strcat(strcpy(name, path), ".2147483647.0.tmp"), 0600), 0);
    const int locked = open(leave(path, ".*.0.tmp", dead), O_WRONLY); /* as on another machine */
    assert_int_equal(flock(locked, LOCK_EX), 0);
    assert_int_equal(ag_save_file(path, put_text, "two", NULL), AG_OK);
    expect_text(path, "two");
    assert_int_equal(files_count(), files + 1 + (int)n + 5);
    close(locked);
    assert_int_equal(ag_save_file(path, put_text, "three", NULL), AG_OK);
    assert_int_equal(files_count(), files + 1 + (int)n + 4);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    assert_int_equal(ag_save_file(path, put_text, "four", NULL), AG_OK);
    assert_int_equal(files_count(), files + 1 + (int)n + 3);
}

static ag_status put_nothing_and_lock(FILE *file, void *locked)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(file));
    const int fd = open(name, O_WRONLY);
    *(int *)locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    close(fd);
    return AG_OK;
}

/* On another machine that shares the disk, only the lock shows that a file is being written. */
static void a_writer_locks_its_temporary_file(void **state)
{
    int locked = 0;
    assert_int_equal(ag_save_file(files_path("lock"), put_nothing_and_lock, &locked, NULL), AG_OK);
    assert_true(locked);
}

static void save_refuses_what_is_no_file(void **state)
{
    const char *fifo = files_path("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const char *const bad[] = {fifo, files_folder, "/", "", "/nowhere/at/all/x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_status(ag_save_file(bad[i], put_text, "x", new_failure()), AG_EFILE, bad[i]);
        assert_non_null(strstr(last_failure()->sentence,
                               i < 3 ? "; choose another name"
                                     : "; make its folder first or choose another name"));
    }
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    expect_status(ag_save_file(name, put_text, "x", new_failure()), AG_EFILE,
                  "too long; choose a shorter name");
    assert_int_equal(strlen(ag_path_tail(name)), 200);
}

/* ---- a full disk ---- */

enum { MOST = 30000 };
static float numbers[MOST]; /* random: an npz gets no smaller by packing */

static ag_status save_much(const char *path, int count, ag_failure *why)
{
    return ag_save_file(path, put_much, NULL, why);
}

static ag_status save_checkpoint(const char *path, int count, ag_failure *why)
{
    const ag_checkpoint_item item = {"x", AG_F32, AG_SHAPE(count), numbers};
    return ag_checkpoint_save(path, &item, 1, NULL, 0, why);
}

static ag_status save_npz(const char *path, int count, ag_failure *why)
{
    const int64_t size = count;
    ag_npz_writer *writer = ag_npz_create(path, why);
    assert_non_null(writer);
    assert_int_equal(ag_npz_add(writer, "x", AG_F32, 1, &size, numbers, why), AG_OK);
    return ag_npz_finish(writer, why);
}

/* Saves with a limit on the size of files, which cuts a write short as a full disk does. */
static ag_status save_within(rlim_t bytes, ag_status (*save)(const char *, int, ag_failure *),
                             const char *path, int count, ag_failure *why)
{
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
    const ag_status status = save(path, count, why);
    setrlimit(RLIMIT_FSIZE, &limit);
    return status;
}

static void a_full_disk_leaves_what_was_there(void **state)
{
    static ag_status (*const saves[])(const char *, int,
                                      ag_failure *) = {save_much, save_checkpoint, save_npz};
    static const rlim_t room[] = {0, 1, 1000, 4096, 50000, 99999};
    const char *path = files_path("c");
    ag_random r = {1, 2, 0};
    for (int i = 0; i < MOST; i++) numbers[i] = (float)ag_random_uniform(&r);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t k = 0; k < 3 * sizeof room / sizeof *room; k++) {
        assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
        const int files = files_count();
        assert_int_equal(save_within(room[k / 3], saves[k % 3], path, MOST, new_failure()),
                         AG_EFILE);
        if (!strstr(last_failure()->sentence, path) ||
            !strstr(last_failure()->sentence, "too large; raise the limit on the size of files"))
            fail_msg("%s", last_failure()->sentence);
        expect_text(path, "old");
        assert_int_equal(files_count(), files);
        expect_ok(save_within(200000, saves[k % 3], path, MOST, new_failure()));
    }
}

/* ---- a writer that is killed ---- */

static void fill(int version)
{
    for (int i = 0; i < MOST; i++) numbers[i] = (float)version;
}

/* The version that the checkpoint holds as a whole. */
static int load_version(const char *path)
{
    ag_checkpoint *c = expect_made(ag_checkpoint_open(path, new_failure()));
    assert_int_equal(ag_checkpoint_read(c, "x", AG_F32, AG_SHAPE(MOST), numbers, NULL), AG_OK);
    ag_checkpoint_close(c);
    for (int i = 1; i < MOST; i++) assert_true(numbers[i] == numbers[0]);
    return (int)numbers[0];
}

/* Saves version after version, and reports the first on the pipe. */
static void save_until_killed(const char *path, int version, int saved)
{
    for (int first = version;; version++) {
        fill(version);
        if (save_checkpoint(path, MOST, NULL) != AG_OK) _exit(1);
        if (version == first && write(saved, "s", 1) != 1) _exit(2);
    }
}

static void a_killed_writer_leaves_the_old_or_the_new(void **state)
{
    const char *path = files_path("d");
    const int files = files_count();
    ag_random r = {2026, 3, 0};
    int last = 0;
    for (int i = 0; i < (ag_switch("AUGUR_FULL", 0) ? 50 : 10); i++) {
        int saved[2];
        char byte;
        assert_int_equal(pipe(saved), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) save_until_killed(path, last + 1, saved[1]);
        assert_int_equal(close(saved[1]), 0);
        assert_int_equal(read(saved[0], &byte, 1), 1); /* however slow the machine is */
        assert_int_equal(close(saved[0]), 0);
        const struct timespec pause = {0, 1000 * (long)(500 + ag_random_below(&r, 20000))};
        int status;
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); /* it did not stop by itself */
        const int now = load_version(path);
        assert_true(now > last);
        last = now;
    }
    fill(last + 1);
    assert_int_equal(save_checkpoint(path, MOST, NULL), AG_OK);
    assert_int_equal(load_version(path), last + 1);
    assert_int_equal(files_count(), files + 1); /* what the killed ones left is removed */
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, save_replaces_whole_files_and_keeps_the_mode,
                          a_failed_save_leaves_what_was_there,
                          save_removes_what_killed_writers_left, a_writer_locks_its_temporary_file,
                          save_refuses_what_is_no_file, a_full_disk_leaves_what_was_there,
                          a_killed_writer_leaves_the_old_or_the_new);
}
