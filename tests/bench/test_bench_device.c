/* SPDX-License-Identifier: MIT */
/* The bench on a device: its rows if there is one, its message if there is none. */
#define _POSIX_C_SOURCE 200809L /* popen, mkstemp, fchmod */
#include "bench_runner.h"

static void wrong_calls(void **state)
{
    static char text[4096];
    (void)state;
    assert_int_equal(bench(text, sizeof text, "--quick --device gpu"), 2);
    assert_non_null(strstr(text, "not cpu or cuda: \"gpu\""));
    assert_int_equal(bench(text, sizeof text, "--quick --device cuda --gemm"), 2);
    assert_non_null(strstr(text, "ops and steps run there, and no other"));
    assert_int_equal(bench(text, sizeof text, "--quick --device cuda --precision fp16"), 2);
    assert_non_null(strstr(text, "not fp32 or tf32: \"fp16\""));
    assert_int_equal(bench(text, sizeof text, "--quick --precision tf32"), 2);
    assert_non_null(strstr(text, "only --device cuda has products in \"tf32\""));
}

/* Steps of networks that have all their kernels. */
static void steps(void **state)
{
    static char text[65536];
    char table[] = "/tmp/bench_json_XXXXXX", line[200];
    (void)state;
    close(mkstemp(table));
    snprintf(line, sizeof line,
             "--quick --device cuda --steps --only step --precision tf32 --json %s", table);
    const int code = bench(text, sizeof text, line);
    json_t *all = json_load_file(table, 0, NULL);
    unlink(table);
    if (code == 6) {
        assert_non_null(strstr(text, "choose the CPU as the device"));
        return;
    }
    if (code) fail_msg("exit %d: %s", code, text);
    json_t *device = json_object_get(all, "device"), *row;
    const char *name = json_string_value(json_object_get(device, "name"));
    assert_true(name && *name);
    assert_string_equal(json_string_value(json_object_get(device, "precision")), "tf32");
    assert_int_equal(strstr(text, "NO TIME BELOW MEANS ANYTHING") != NULL,
                     json_is_true(json_object_get(device, "on_host")));
    assert_non_null(strstr(text, "a square product on the device"));
    size_t i;
    json_array_foreach(json_object_get(all, "rows"), i, row)
    {
        assert_true(value(row, "median_ms") > 0 && value(row, "floor_ms") > 0);
        assert_true(value(row, "slab_mb") > value(row, "saved_mb"));
    }
    assert_int_equal(i, 4); /* one more than on the CPU */
    json_decref(all);
}

/* Ops whose rows have times, a copy to hold them against, and the same bits in a second process. */
static void ops(void **state)
{
    static char text[65536];
    char table[] = "/tmp/bench_json_XXXXXX", line[200], bits[2][20] = {"", ""};
    (void)state;
    close(mkstemp(table));
    snprintf(line, sizeof line, "--quick --device cuda --ops --only norm --json %s", table);
    for (int run = 0; run < 2; run++) {
        const int code = bench(text, sizeof text, line);
        if (code == 6) return;
        if (code) fail_msg("exit %d: %s", code, text);
        json_t *all = json_load_file(table, 0, NULL), *row;
        size_t i;
        json_array_foreach(json_object_get(all, "rows"), i, row)
        {
            const char *found = json_string_value(json_object_get(row, "bits"));
            assert_true(value(row, "median_ms") > 0);
            assert_true(value(json_object_get(row, "copy"), "median_ms") > 0);
            if (found) snprintf(bits[run], sizeof *bits, "%s", found);
        }
        assert_int_equal(i, 8); /* both ways of four rows */
        json_decref(all);
    }
    unlink(table);
    assert_int_equal(strlen(bits[0]), 16);
    assert_string_equal(bits[0], bits[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_calls), cmocka_unit_test(steps),
                                       cmocka_unit_test(ops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
