/* SPDX-License-Identifier: MIT */
/* A disk that really is full: a small tmpfs in a mount namespace of this process. Where it cannot
   be mounted (a container may refuse it) the tests are skipped. */
#include "support/test.h"
#include "support/files.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADVICE "No space left on device; make room on the disk or choose another folder"

static char disk[300];
static int mounted;

/* A user without rights may mount in a namespace where it is root. */
static int become_root(void)
{
    const char *users = formatted("0 %ld 1", (long)geteuid());
    const char *groups = formatted("0 %ld 1", (long)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           files_put("/proc/self/setgroups", "deny", 4) == 0 &&
           files_put("/proc/self/uid_map", users, strlen(users)) == 0 &&
           files_put("/proc/self/gid_map", groups, strlen(groups)) == 0;
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

int main(void) { return RUN_TESTS_WITH(make_disk, remove_disk, a_run); }
