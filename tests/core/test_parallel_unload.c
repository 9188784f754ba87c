/* SPDX-License-Identifier: MIT */
/* A program may unload the library: its threads are then gone, whatever they were doing. */
#include "support/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

/* Threads of this process; a joined one may be listed for a moment. */
static int threads_now(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) count += e->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void test_unload(void **state)
{
    int before = INT_MAX; /* after the first round: a sanitizer starts a thread of its own then */
    for (int round = -1; round < 40; round++) {
        void *library = dlopen(AG_UNLOAD_MODULE, RTLD_NOW | RTLD_LOCAL);
        if (!library) fail_msg("%s", dlerror());
        int (*work)(int) = (int (*)(int))(uintptr_t)dlsym(library, "unload_work");
        assert_non_null(work);
        /* awake, asleep, and only just started */
        assert_int_equal(work(round % 4 == 3 ? 0 : 5), 2);
        if (round % 4 == 1) usleep(1000);
        assert_true(round < 0 || threads_now() > before);
        assert_int_equal(dlclose(library), 0);
        if (round < 0) usleep(100000);
        for (int wait = 0; wait < 1000 && threads_now() > before; wait++) usleep(1000);
        if (round >= 0) assert_int_equal(threads_now(), before);
        before = threads_now();
    }
}

int main(void) { return RUN_TESTS(test_unload); }
