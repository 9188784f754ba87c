/* SPDX-License-Identifier: MIT */
/* The mistakes of those who begin: each gets its sentence, what the page says instead is right, on
   the same tape, and the page has what the library says now. */
#define AG_NO_MAIN
#include "support/test.h"
#include "docs/make_mistakes.c"
#include "support/files.h"

static void test_each_is_answered(void **state)
{
    assert_true(MISTAKES >= 20);
    for (int i = 0; i < MISTAKES; i++) {
        begin();
        mistakes[i].make();
        const ag_failure wrong = said();
        if (wrong.status != mistakes[i].status || !strstr(wrong.sentence, mistakes[i].part))
            fail_msg("%s: %d \"%s\"", mistakes[i].name, (int)wrong.status, wrong.sentence);
        begin();
        mistakes[i].mend();
        const ag_failure right = said();
        if (right.status) fail_msg("%s, mended: \"%s\"", mistakes[i].name, right.sentence);
    }
}

static void test_an_infinite_loss_moves_nothing(void **state)
{
    const ag_real before = lin.weight->value[0];
    begin();
    make_infinite_loss();
    assert_true(lin.weight->value[0] == before);
    assert_int_equal(params->state, AG_BAD);
    begin();
    mend_infinite_loss();
    assert_true(lin.weight->value[0] != before);
}

static void test_page_is_current(void **state)
{
    size_t n;
    FILE *file = tmpfile();
    write_mistakes(file);
    char *page = files_get(AG_SOURCE_DIR "/docs/errors.md", &n);
    if (!page || !strstr(page, text_of(file)))
        fail_msg("docs/errors.md is not current: cmake --build --preset release --target docs");
    free(page);
}

static int set_up(void **state) { return !open_scene(); }

static int tear_down(void **state)
{
    close_scene();
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(set_up, tear_down, test_each_is_answered,
                          test_an_infinite_loss_moves_nothing, test_page_is_current);
}
