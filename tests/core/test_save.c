/* SPDX-License-Identifier: MIT */
/* The durable replacement of files. */
#include "core/internal.h"
#include "core/io/io.h"
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
    ag_failure why = {0};
    mode_t mask = umask(027);
    assert_int_equal(ag_save_file(path, put_text, "one", &why), AG_OK);
    umask(mask);
    expect_text(path, "one");
    stat(path, &about);
    assert_int_equal(about.st_mode & 0777, 0640);
    chmod(path, 0604);
    assert_int_equal(ag_save_file(path, put_text, "second", &why), AG_OK);
    expect_text(path, "second");
    stat(path, &about);
    assert_int_equal(about.st_mode & 0777, 0604);
    assert_int_equal(files_count(), 1);
    assert_int_equal(why.status, AG_OK);
}

static void a_failed_save_leaves_what_was_there(void **state)
{
    const char *path = files_path("b");
    assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
    int files = files_count();
    ag_failure why = {0};
    assert_int_equal(ag_save_file(path, put_half_and_fail, &why, &why), AG_EDATA);
    assert_string_equal(why.sentence, "the other half is missing");
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
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* with the test, whose output it would keep open */
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

/* On another machine that shares the disk, the lock alone tells that a file is being written. */
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
        ag_failure why = {0};
        assert_int_equal(ag_save_file(bad[i], put_text, "x", &why), AG_EFILE);
        assert_non_null(strstr(why.sentence, bad[i]));
        assert_non_null(
            strstr(why.sentence, i < 3 ? "; choose another name"
                                       : "; make its folder first or choose another name"));
    }
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ag_failure why = {0};
    assert_int_equal(ag_save_file(name, put_text, "x", &why), AG_EFILE);
    assert_non_null(strstr(why.sentence, "too long; choose a shorter name"));
    assert_int_equal(strlen(ag_path_tail(name)), 200);
}

/* A limit on the size of files replaces a full disk: the write is cut short in the same way. */
static void a_full_disk_is_reported_by_name(void **state)
{
    const char *path = files_path("c");
    assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
    int files = files_count();
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ag_failure why = {0};
    ag_status status = ag_save_file(path, put_much, NULL, &why);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(status, AG_EFILE);
    assert_non_null(strstr(why.sentence, path));
    assert_non_null(strstr(why.sentence, "too large; raise the limit on the size of files"));
    expect_text(path, "old");
    assert_int_equal(files_count(), files);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, save_replaces_whole_files_and_keeps_the_mode,
                          a_failed_save_leaves_what_was_there,
                          save_removes_what_killed_writers_left, a_writer_locks_its_temporary_file,
                          save_refuses_what_is_no_file, a_full_disk_is_reported_by_name);
}
