/* SPDX-License-Identifier: MIT */
/* The calls of a save: their order, each one failing, and each one missing in the file system. */
#include "core/io/io.h"
#include "support/test.h"
#include "saved.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* The calls of a save, in order: l is the flock and m the fchmod of a file, f and d are the fsync
   of a file and of a folder, r is the rename. */
static char calls[40];
static ino_t synced_file, synced_folder, renamed;
static off_t synced_bytes;
static int failing, failure; /* the call that fails, by its letter, and its errno */

int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_fchmod(int fd, mode_t mode);
int __real_flock(int fd, int how);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_flock(int fd, int how);

static int note(char call)
{
    const size_t n = strlen(calls);
    if (n + 1 < sizeof calls) calls[n] = call;
    if (failing != call) return 0;
    errno = failure;
    return -1;
}

int __wrap_flock(int fd, int how) { return note('l') ? -1 : __real_flock(fd, how); }
int __wrap_fchmod(int fd, mode_t mode) { return note('m') ? -1 : __real_fchmod(fd, mode); }

int __wrap_fsync(int fd)
{
    struct stat about;
    if (fstat(fd, &about)) return -1;
    if (S_ISDIR(about.st_mode)) {
        synced_folder = about.st_ino;
        return note('d') ? -1 : __real_fsync(fd);
    }
    synced_file = about.st_ino;
    synced_bytes = about.st_size;
    return note('f') ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    struct stat about;
    assert_int_equal(stat(from, &about), 0);
    renamed = about.st_ino;
    return note('r') ? -1 : __real_rename(from, to);
}

/* All bytes, then their fsync, then the name, then the fsync of the folder: after a crash the old
   or the new file is there, whole. */
static void bytes_reach_the_disk_before_the_name(void **state)
{
    const char *path = files_path("synced");
    struct stat folder;
    assert_int_equal(stat(files_folder, &folder), 0);
    for (int i = 0; i < 2; i++) { /* a new file, and one that is replaced */
        memset(calls, 0, sizeof calls);
        assert_int_equal(ag_save_file(path, put_much, NULL, NULL), AG_OK);
        assert_string_equal(calls, i ? "lmfrd" : "lfrd");
        assert_true(synced_file == renamed && synced_folder == folder.st_ino);
        assert_int_equal(synced_bytes, 100000);
    }
}

/* Saves over a file that says "old", while one call fails. */
static ag_status save_without(const char *path, char call, int error, ag_failure *why)
{
    assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
    const int files = files_count();
    memset(calls, 0, sizeof calls);
    failing = call;
    failure = error;
    const ag_status status = ag_save_file(path, put_text, "new", why);
    failing = 0;
    assert_int_equal(files_count(), files);
    return status;
}

static void a_failed_call_is_reported(void **state)
{
    static const struct {
        char call;
        const char *calls, *text, *says;
    } bad[] = {{'m', "lm", "old", "cannot set the mode of "},
               {'f', "lmf", "old", "cannot write "},
               {'r', "lmfr", "old", "cannot replace "},
               {'d', "lmfrd", "new", "cannot sync the folder of "}}; /* the name is there already */
    static const struct {
        int error;
        const char *advice;
    } is[] = {{EIO, "Input/output error; check the disk and try again"},
              {ENOSPC, "No space left on device; make room on the disk"},
              {EDQUOT, "; make room on the disk"},
              {EROFS, "; choose a folder that you may read and write"}};
    const char *path = files_path("unsynced");
    for (int i = 0; i < 16; i++) {
        assert_int_equal(save_without(path, bad[i / 4].call, is[i % 4].error, new_failure()),
                         AG_EFILE);
        assert_string_equal(calls, bad[i / 4].calls);
        assert_non_null(strstr(last_failure()->sentence, bad[i / 4].says));
        assert_non_null(strstr(last_failure()->sentence, is[i % 4].advice));
        expect_text(path, bad[i / 4].text);
    }
    assert_int_equal(save_without(path, 'f', EACCES, NULL), AG_EFILE);
    assert_int_equal(save_without(path, 'r', EPERM, NULL), AG_EFILE);
    assert_int_equal(ag_saves_lack(), 0);
}

/* A save does without what a file system lacks: gocryptfs has no fsync of folders, SMB may have
   none at all and no modes. */
static void a_call_that_is_not_there_costs_nothing(void **state)
{
    static const int always[] = {EINVAL, EOPNOTSUPP, ENOSYS, ENOTTY, 524};
    static const int refused[] = {EPERM, EACCES}, unlocked[] = {ENOLCK, EBADF};
    static const struct {
        char call;
        const int *also; /* [2], or NULL */
        int lacks;       /* all so far */
    } not_there[] = {{'l', unlocked, 0},
                     {'m', refused, AG_LACKS_MODES},
                     {'f', NULL, AG_LACKS_MODES | AG_LACKS_SYNC},
                     {'d', refused, AG_LACKS_MODES | AG_LACKS_SYNC},
                     {'r', NULL, AG_LACKS_MODES | AG_LACKS_SYNC | AG_LACKS_RENAME}};
    const char *path = files_path("lacking");
    struct stat about;
    assert_int_equal(ag_save_file(path, put_text, "old", NULL), AG_OK);
    chmod(path, 0600);
    for (size_t i = 0; i < sizeof not_there / sizeof *not_there; i++)
        for (int e = 0; e < (not_there[i].also ? 7 : 5); e++) {
            const int error = e < 5 ? always[e] : not_there[i].also[e - 5];
            if (save_without(path, not_there[i].call, error, new_failure()))
                fail_msg("%c, %d: %s", not_there[i].call, error, last_failure()->sentence);
            assert_int_equal(ag_saves_lack(), not_there[i].lacks);
            expect_text(path, "new");
            stat(path, &about);
            assert_int_equal(about.st_mode & 0777, 0600); /* no more than was allowed */
        }
}

/* Another user may be allowed to write into a folder, but not to list it. */
static void a_folder_that_cannot_be_read_takes_files(void **state)
{
    const char *path = files_path("blind");
    int status;
    chmod(files_folder, geteuid() ? 0300 : 0733);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(65534)) _exit(1);
        _exit(ag_save_file(path, put_text, "here", NULL));
    }
    waitpid(child, &status, 0);
    chmod(files_folder, 0700);
    assert_int_equal(status, 0);
    expect_text(path, "here");
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, bytes_reach_the_disk_before_the_name,
                          a_failed_call_is_reported, a_call_that_is_not_there_costs_nothing,
                          a_folder_that_cannot_be_read_takes_files);
}
