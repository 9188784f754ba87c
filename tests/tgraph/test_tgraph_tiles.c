/* SPDX-License-Identifier: MIT */
/* Which checkpoint of a run on tile files is the best one. */
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/program_stop.h"
#include "support/tgraph_npz.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TRAIN                                                                               \
 "tgraph train --data t.npz --valid u.npz --out chosen --hidden 16 --threads 1 --steps 20 " \
 "--eval-every 2 --quiet --no-baselines "

/* best-step of the result, and the row of metrics.jsonl with the highest tau-b. */
static void best_steps(int64_t *kept, int64_t *highest, const char *command)
{
    program_outcome o = program_expect(command, 0, "{", "");
    char line[1000], path[600];
    double most = -2;
    json_t *j = json_loads(o.out, 0, NULL);
    *kept = json_integer_value(json_object_get(j, "best-step"));
    *highest = -1;
    json_decref(j);
    snprintf(path, sizeof path, "%s/chosen/metrics.jsonl", test_folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        j = json_loads(line, 0, NULL);
        const json_t *tau = json_object_get(j, "tau-b");
        if (tau && json_number_value(tau) > most) {
            most = json_number_value(tau);
            *highest = json_integer_value(json_object_get(j, "step"));
        }
        json_decref(j);
    }
    fclose(in);
}

/* Sets the tau-b of all rows so far. */
static void set_tau(double tau)
{
    json_t *rows = json_array();
    char line[1000], path[600];
    snprintf(path, sizeof path, "%s/chosen/metrics.jsonl", test_folder);
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file)) json_array_append_new(rows, json_loads(line, 0, NULL));
    fclose(file);
    file = fopen(path, "w");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (json_object_get(row, "tau-b")) json_object_set_new(row, "tau-b", json_real(tau));
        json_dumpf(row, file, 0);
        fputc('\n', file);
    }
    fclose(file);
    json_decref(rows);
}

/* Kernels of at most 50 tiles have a contest@50 of 1 whatever their order, so tau-b chooses. */
static void tau_chooses(void **state)
{
    (void)state;
    int64_t kept, highest;
    best_steps(&kept, &highest, TRAIN "--json");
    assert_int_equal(kept, highest);
    assert_true(kept > 2);
}

/* A run that chose by another measure goes on with its best checkpoint's tau-b, whatever score that
   one had. */
static void older_runs_go_on(void **state)
{
    (void)state;
    int64_t kept, highest;
    for (int low = 0; low < 2; low++) {
        program_stop_in(12, SIGINT);
        program_expect(TRAIN "--force", 130, "", "");
        program_stop_in(0, 0);
        set_tau(low ? -1.5 : 1.5);
        best_steps(&kept, &highest, TRAIN "--resume --json");
        assert_int_equal(kept > 12, low);
    }
}

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_pictures = 0;
    program_write_tile("t.npz", 30, 0);
    program_write_tile("u.npz", 20, 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tau_chooses),
        cmocka_unit_test(older_runs_go_on),
    };
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
