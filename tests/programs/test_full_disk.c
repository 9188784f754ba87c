/* SPDX-License-Identifier: MIT */
/* A disk that really is full: a small tmpfs in a mount namespace of this process. Where it cannot
   be mounted (a container may refuse it) the tests are skipped. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"
#include "augur.h"
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define ADVICE "No space left on device; make room on the disk or choose another folder"

static char disk[300];
static int mounted;

static int put_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY);
    const ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0) close(fd);
    return n == (ssize_t)strlen(text);
}

/* A user without rights may mount in a namespace where it is root. */
static int become_root(void)
{
    const char *users = formatted("0 %ld 1", (long)geteuid());
    const char *groups = formatted("0 %ld 1", (long)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put_text("/proc/self/setgroups", "deny") &&
           put_text("/proc/self/uid_map", users) && put_text("/proc/self/gid_map", groups);
}

/* Nothing of it reaches other processes, and it goes with this one. */
static int mount_disk(void)
{
    return (unshare(CLONE_NEWNS) == 0 || become_root()) &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0;
}

static int make_disk(void **state)
{
    if (test_folder_make(state)) return -1;
    snprintf(disk, sizeof disk, "%s/disk", test_folder);
    if (mkdir(disk, 0700)) return -1;
    mounted = mount_disk();
    if (!mounted)
        print_message("No small tmpfs can be mounted here (%s): a full disk is not tried.\n",
                      strerror(errno));
    return 0;
}

static int remove_disk(void **state)
{
    if (mounted && umount2(disk, MNT_DETACH)) return -1;
    return test_folder_remove(state);
}

/* The disk, empty, with room for so many kilobytes. */
static void resize(int kilobytes)
{
    const char *options = formatted("size=%dk", kilobytes);
    assert_int_equal(mount("tmpfs", disk, "tmpfs", MS_REMOUNT, options), 0);
}

static void empty(int kilobytes)
{
    if (!mounted) skip();
    assert_int_equal(umount2(disk, 0), 0);
    assert_int_equal(mount("tmpfs", disk, "tmpfs", 0, "size=64k"), 0);
    resize(kilobytes);
}

/* ---- one file of the library ---- */

enum { MOST = 30000 };

static float numbers[MOST]; /* random: an npz gets no smaller by packing */

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

static ag_status save_npy(const char *path, int count, ag_failure *why)
{
    const int64_t size = count;
    return ag_npy_save(path, AG_F32, 1, &size, numbers, why);
}

/* The number of elements that a file has. */
static int count_checkpoint(const char *path)
{
    static float x[MOST];
    ag_checkpoint *c = ag_checkpoint_open(path, NULL);
    assert_non_null(c);
    const ag_checkpoint_item *item = ag_checkpoint_find(c, "x");
    assert_non_null(item);
    const int count = item->shape.size[0];
    assert_int_equal(ag_checkpoint_read(c, "x", AG_F32, AG_SHAPE(count), x, NULL), AG_OK);
    assert_memory_equal(x, numbers, sizeof *x * (size_t)count);
    ag_checkpoint_close(c);
    return count;
}

static int count_npz(const char *path)
{
    static float x[MOST];
    ag_npz *npz = ag_npz_open(path, 2 * sizeof x, NULL);
    assert_non_null(npz);
    const int count = (int)ag_npz_find(npz, "x")->count;
    assert_int_equal(ag_npz_read(npz, "x", AG_F32, x, NULL), AG_OK);
    assert_memory_equal(x, numbers, sizeof *x * (size_t)count);
    ag_npz_close(npz);
    return count;
}

static int count_npy(const char *path)
{
    ag_array_info info;
    void *x;
    assert_int_equal(ag_npy_load(path, 2 * sizeof numbers, &info, &x, NULL), AG_OK);
    assert_memory_equal(x, numbers, sizeof(float) * (size_t)info.count);
    ag_npy_free(x);
    return (int)info.count;
}

/* On a disk of 64 KB with 8 KB of it used, a file that does not fit in addition to the old one is
   refused. */
static void the_old_file_stays(ag_status (*save)(const char *, int, ag_failure *),
                               int (*count)(const char *))
{
    int refused = 0;
    empty(64);
    const char *path = formatted("%s/file", disk);
    for (int i = 0; i < MOST; i++) {
        ag_random r = {1, 2, (uint64_t)i};
        numbers[i] = (float)ag_random_uniform(&r);
    }
    assert_int_equal(save(path, 2000, NULL), AG_OK);
    for (int n = 2001; n <= MOST; n += 1999) {
        ag_failure why = {0};
        const int before = count(path);
        if (save(path, n, &why) == AG_OK) {
            assert_int_equal(count(path), n);
            assert_int_equal(save(path, 2000, NULL), AG_OK); /* as it was */
        } else {
            assert_int_equal(why.status, AG_EFILE);
            if (!strstr(why.sentence, path) || !strstr(why.sentence, ADVICE))
                fail_msg("%s", why.sentence);
            assert_int_equal(count(path), before);
            refused++;
        }
        assert_int_equal(files_in(disk), 1);
    }
    assert_in_range(refused, 8, 10); /* 56 KB are 14000 numbers */
    resize(256);
    assert_int_equal(save(path, MOST, NULL), AG_OK);
    assert_int_equal(count(path), MOST);
}

static void checkpoints(void **state) { the_old_file_stays(save_checkpoint, count_checkpoint); }
static void npz_files(void **state) { the_old_file_stays(save_npz, count_npz); }
static void npy_files(void **state) { the_old_file_stays(save_npy, count_npy); }

/* ---- a run ---- */

#define TRAIN                                                                  \
 " --data a.npz --split 0.8 --hidden 16 --configs 8 --steps 9 --save-every 2 " \
 "--eval-every 4 "                                                             \
 "--threads 1 --quiet --no-baselines"

/* Wherever the room ends, there is a sentence and exit code 3, and with more room the run continues
   to the same bytes as one that never stopped. */
static void a_run(void **state)
{
    static const int room[] = {8, 64, 84, 88, 112, 120, 128, 192};
    empty(4);
    program_write_layout("a.npz", 60, 0);
    program_expect("tgraph train --out whole" TRAIN, 0, "", "");
    program_expect("tgraph train --out disk/run" TRAIN, 3, "", "config.json: " ADVICE);
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        empty(room[i]);
        const program_outcome o = program_call("tgraph train --out disk/run" TRAIN);
        if (o.code != 3 || !strstr(o.err, "No space left on device; make room"))
            fail_msg("%d KB: exit %d: %s", room[i], o.code, o.err);
        resize(1024);
        program_expect("tgraph train --out disk/run --resume --threads 1 --quiet --no-baselines", 0,
                       "", "");
        program_expect_same("disk/run", "whole");
    }
}

int main(void)
{
    return RUN_TESTS_WITH(make_disk, remove_disk, checkpoints, npz_files, npy_files, a_run);
}
