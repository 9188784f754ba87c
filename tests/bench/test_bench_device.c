/* SPDX-License-Identifier: MIT */
/* The bench on a device: its rows if there is one, its message if there is none. */
#include "bench_call.h"

/* Steps of TGraph. */
static void steps(void **state)
{
    static char text[65536];
    int code;
    json_t *all = bench_json(&code, text, sizeof text,
                             "--quick --device cuda --steps --only tgraph --precision tf32");
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
    size_t i;
    json_array_foreach(json_object_get(all, "rows"), i, row)
    {
        assert_true(value(row, "median_ms") > 0);
        assert_true(value(row, "slab_mb") > value(row, "saved_mb"));
    }
    assert_int_equal(i, 3); /* one more than on the CPU */
    json_decref(all);
}

/* Ops whose rows have times, a copy to compare with, and the same bits in a second process. */
static void ops(void **state)
{
    static char text[65536];
    char bits[2][20] = {"", ""};
    for (int run = 0; run < 2; run++) {
        int code;
        size_t i;
        json_t *row;
        json_t *all =
            bench_json(&code, text, sizeof text, "--quick --device cuda --ops --only norm");
        if (code == 6) return;
        if (code) fail_msg("exit %d: %s", code, text);
        json_array_foreach(json_object_get(all, "rows"), i, row)
        {
            const char *found = json_string_value(json_object_get(row, "bits"));
            assert_true(value(row, "median_ms") > 0 && value(row, "copy_ms") > 0);
            if (found) snprintf(bits[run], sizeof *bits, "%s", found);
        }
        assert_int_equal(i, 8); /* both ways of four rows */
        json_decref(all);
    }
    assert_int_equal(strlen(bits[0]), 16);
    assert_string_equal(bits[0], bits[1]);
}

int main(void) { return RUN_TESTS(steps, ops); }
