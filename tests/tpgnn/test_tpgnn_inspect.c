/* SPDX-License-Identifier: MIT */
/* `tpgnn inspect`. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/tpgnn_npz.h"

#include <jansson.h>
#include <sys/stat.h>

static int set_up(void **state)
{
    test_schedules s;
    const int status = test_folder_make(state);
    test_schedules_make(&s);
    test_schedules_write(&s, "conv2d-nhwc_1_20.npz");
    s.runtime[0] = 4000;
    test_schedules_write(&s, "mm_4.npz");
    s.runtime[0] = 0;
    test_schedules_write(&s, "bad.npz");
    return status;
}

static void a_table_of_tasks(void **state)
{
    const program_outcome o = program_expect("tpgnn inspect conv2d-nhwc_1_20.npz mm_4.npz", 0,
                                             "Schedules: 4 of 2 tasks of 2 families",
                                             "of 10 extents of loops and sizes of buffers, 2 are "
                                             "not known");
    assert_non_null(strstr(o.out, "slowest/fastest"));
    assert_non_null(strstr(o.out, "46 nodes, 6 stored buffers\n"));
    assert_non_null(strstr(o.out, "10 kinds of nodes: 9 types of 9 classes, 3 kinds of loops, 3 "
                                  "element types, 2 scopes"));
}

static void the_same_as_json(void **state)
{
    json_t *j = program_json("tpgnn inspect --json mm_4.npz conv2d-nhwc_1_20.npz", "");
    const json_t *tasks = json_object_get(j, "tasks"), *t = json_array_get(tasks, 0);
    assert_int_equal(json_array_size(tasks), 2);
    assert_string_equal(json_string_value(json_object_get(t, "task")), "mm_4");
    assert_string_equal(json_string_value(json_object_get(t, "family")), "mm");
    assert_true(program_number(t, "schedules") == 2 && program_number(t, "median_nodes") == 11.5);
    assert_true(program_number(t, "median_stores") == 1.5 &&
                program_number(t, "fastest_ns") == 500);
    assert_true(program_number(t, "median_ns") == 2250 && program_number(t, "slowest_ns") == 4000);
    assert_true(program_number(t, "noisy") == 1);
    const json_t *origins = json_object_get(t, "origins");
    assert_true(program_number(origins, "random") == 1 && program_number(origins, "mutated") == 0 &&
                program_number(origins, "own") == 1);
    assert_true(fabs(program_number(t, "spread") - 0.34 * log(8.0)) < 1e-9);
    const double one = log(505.0 / 500), two = log(2100.0 / 2000); /* 68 % of the way */
    assert_true(fabs(program_number(t, "noise") - (one + 0.68 * (two - one)) / sqrt(2.0)) < 1e-9);
    assert_true(program_number(j, "schedules") == 4 && program_number(j, "nodes") == 46 &&
                program_number(j, "stores") == 6);
    assert_true(program_number(j, "extents") == 10 && program_number(j, "unknown_extents") == 2);
    assert_true(program_number(j, "kinds") == 10 &&
                program_number(json_object_get(j, "words"), "loop") == 3);
    json_decref(j);
}

static void what_cannot_be_read(void **state)
{
    program_expect("tpgnn inspect none.npz", 3, "", "none.npz");
    program_expect("tpgnn inspect mm_4.npz bad.npz", 3, "",
                   "bad.npz: schedule_runtime of schedule 0 is 0, but must be at least 1 ns");
    program_expect("tpgnn inspect", 2, "", "data");
    program_expect("tpgnn inspect mm_4.npz mm_4.npz", 0, "Schedules: 2 of 1 task",
                   "more than once");
    const char *other = test_file("other");
    assert_int_equal(mkdir(other, 0700), 0);
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_write(&s, "other/mm_4.npz");
    program_expect("tpgnn inspect mm_4.npz other", 0, "\nother/mm_4 ", "");
    program_each_fails("tpgnn inspect mm_4.npz --threads 1", 3, 30, NULL);
}

int main(void)
{
    return RUN_TESTS_WITH(set_up, test_folder_remove, a_table_of_tasks, the_same_as_json,
                          what_cannot_be_read);
}
