/* SPDX-License-Identifier: MIT */
/* Every allocation of small calls fails once: exit 5 and a sentence, or a call that does without
   it. */
#include "core/internal.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_layout("a.npz", 20, 0);
    program_write_tile("t.npz", 10, 0);
    return 0;
}

/* Every `stride`th allocation; TGRAPH_STRIDE=1 in the environment: every one. */
static void each_fails(const char *line, int stride)
{
    long n = 1, quiet = 0, failed = 0;
    if (getenv("TGRAPH_STRIDE")) stride = atoi(getenv("TGRAPH_STRIDE"));
    for (; quiet < 8; n += stride) { /* the last ones come and go with the threads */
        const program_outcome o = program_call_without_memory(line, n);
        if (o.code == 0) {
            quiet++;
            continue;
        }
        quiet = 0;
        failed++;
        if (o.code != 5 || !strstr(o.err, "memory"))
            print_error("%s: allocation %ld: exit %d: %s\n", line, n, o.code, o.err);
        assert_int_equal(o.code, 5);
        assert_non_null(strstr(o.err, "memory"));
    }
    print_message("%s: %ld of about %ld allocations\n", line, failed, n - 9 * stride);
    assert_true(failed > 50);
}

static void layout(void **state)
{
    (void)state;
    each_fails("tgraph train --data a.npz --split 0.5 --out run --force --hidden 16 --configs 4 "
               "--steps 2 --threads 1 --quiet --no-baselines",
               17);
}

static void tile(void **state)
{
    (void)state;
    each_fails("tgraph train --data t.npz --valid t.npz --out tile --force --hidden 16 --steps 2 "
               "--threads 1 --quiet --no-baselines",
               19);
}

static void others(void **state)
{
    (void)state;
    program_expect(
        "tgraph train --data a.npz --split 0.5 --out r --hidden 16 --configs 4 --steps 2 "
        "--threads 1 --quiet --no-baselines",
        0, "", "");
    each_fails("tgraph eval --run r --data a.npz --threads 1 --json --no-baselines", 13);
    each_fails("tgraph predict --run r --data a.npz --threads 1 --csv p.csv", 13);
    each_fails("tgraph inspect a.npz --threads 1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layout), cmocka_unit_test(tile),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
