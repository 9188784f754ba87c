/* SPDX-License-Identifier: MIT */
/* File names that would drive a terminal or read backwards: each program shows them as escapes in
   its output, in its sentences and on its pages. */
#include "support/test.h"
#include "core/error.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tpgnn_npz.h"

#include <sys/stat.h>

/* The end of a colour, a turn to the left, a control character of C1, a byte that is not UTF-8. */
#define ODD        "\033[31m\342\200\256\302\233\377"
#define SHOWN      "\\x1b[31m\\u202e\\u009b\\xff"
/* The part of it that an option may contain, which must be UTF-8. */
#define TEXT       "\033[31m\342\200\256\302\233"
#define TEXT_SHOWN "\\x1b[31m\\u202e\\u009b"

/* ---- the one function ---- */

static void expect_shown(const char *text, const char *want)
{
    char have[200];
    assert_string_equal(ag_printable(have, sizeof have, text), want);
}

static void test_printable(void **state)
{
    expect_shown("", "");
    expect_shown("plain name_1.npz", "plain name_1.npz");
    expect_shown("gr\303\274n \346\227\245\346\234\254 \360\237\230\200", /* letters stay */
                 "gr\303\274n \346\227\245\346\234\254 \360\237\230\200");
    expect_shown(ODD, SHOWN);
    expect_shown("\t\n\r\177", "\\x09\\x0a\\x0d\\x7f");
    expect_shown("\302\200\302\237\302\240", "\\u0080\\u009f\302\240");
    expect_shown("\342\200\250\342\200\252\342\201\246\342\201\251\330\234\357\273\277",
                 "\\u2028\\u202a\\u2066\\u2069\\u061c\\ufeff");
    expect_shown("\300\257", "\\xc0\\xaf");                   /* too long a form */
    expect_shown("\355\240\200", "\\xed\\xa0\\x80");          /* half of a pair */
    expect_shown("\364\220\200\200", "\\xf4\\x90\\x80\\x80"); /* beyond the last */
    expect_shown("cut \342\200", "cut \\xe2\\x80");
    for (size_t size = 1; size < 30; size++) { /* nothing is written beyond the end, or in halves */
        char have[40];
        memset(have, 'x', sizeof have);
        ag_printable(have, size, ODD);
        assert_in_range(strlen(have), 0, size - 1);
        assert_int_equal(strncmp(have, SHOWN, strlen(have)), 0);
        assert_true(have[size] == 'x');
    }
}

static void test_sentences(void **state)
{
    expect_null(ag_npz_open("no_" ODD ".npz", 1000, new_failure()), AG_EFILE, "no_" SHOWN ".npz");
    ag_fail(last_failure(), AG_EUSE, "second");
    assert_null(strstr(last_failure()->sentence, "second"));
}

/* ---- the programs ---- */

static void expect_clean(const char *where, const char *text)
{
    static const char *const bad[] = {"\033", "\342\200\256", "\302\233", "\377"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(text, bad[i])) fail_msg("%s holds the raw bytes number %d", where, (int)i);
}

/* Calls, and expects the escapes on one of the two streams and raw bytes on neither. */
static void expect_call(const char *line, int code, int on_err)
{
    const program_outcome o =
        program_expect(line, code, on_err ? "" : TEXT_SHOWN, on_err ? TEXT_SHOWN : "");
    expect_clean(line, o.out);
    expect_clean(line, o.err);
}

static void expect_page(const char *name)
{
    char *page = program_text_of(name);
    expect_clean(name, page);
    if (!strstr(page, SHOWN)) fail_msg("%s does not show the name", name);
    free(page);
}

static const struct {
    const char *program, *folder, *train;
} programs[] = {
    {"tgraph", "layouts", "--data layouts --split 0.5 --hidden 16 --configs 4"},
    {"tpu", "tiles", "--data a_0_0000000a.npz --valid tiles --hidden 8"},
    {"tpgnn", "plans", "--data a_1.npz --valid plans --hidden 8 --tasks 1 --schedules 2"},
};

static void test_programs(void **state)
{
    static const struct {
        int code, on_err;
        const char *call;
    } calls[] = {{0, 0, "inspect "}, {3, 1, "inspect no" TEXT ".npz"}, {2, 1, "inspect --no" TEXT}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *program = programs[i].program, *folder = programs[i].folder;
        for (int k = 0; k < 3; k++)
            expect_call(formatted("%s %s%s", program, calls[k].call, k ? "" : folder),
                        calls[k].code, calls[k].on_err);
        program_expect_line(0, "", "",
                            "%s train --out run --force %s --steps 2 --no-baselines --threads 1",
                            program, programs[i].train);
        expect_page("run/report.html");
        expect_call(formatted("%s eval --run run --data %s", program, folder), 0, 0);
    }
}

static int make_files(void **state)
{
    test_schedules s;
    if (test_folder_make(state)) return -1;
    for (int i = 0; i < 3; i++) {
        if (mkdir(test_file(programs[i].folder), 0700)) return -1;
    }
    program_write_layout("layouts/a" ODD ".npz", 40, 0);
    program_write_tile("a_0_0000000a.npz", 12, 0);
    program_write_tile("tiles/b" ODD "_0_0000000b.npz", 12, 1);
    test_schedules_make(&s);
    test_schedules_write(&s, "a_1.npz");
    test_schedules_write(&s, "plans/b" ODD "_1.npz");
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, test_printable, test_sentences,
                          test_programs);
}
