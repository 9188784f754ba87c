/* SPDX-License-Identifier: MIT */
/* Whole calls of `tgraph import`, and of the programs on what it writes. */
#include "support/test.h"
#include "core/io/io.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <jansson.h>

#define SEEDS AG_SOURCE_DIR "/tests/fuzz/seeds/fuzz_hlo/every_form"

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 60, 0);
    return 0;
}

static void expect_times(const char *name, int64_t fastest, int64_t slowest)
{
    json_t *j = program_json(formatted("tgraph inspect %s --json", name), "");
    const json_t *file = json_array_get(j, 0);
    assert_int_equal(json_integer_value(json_object_get(file, "configs")), 40);
    assert_int_equal(json_integer_value(json_object_get(file, "fastest_ns")), fastest);
    assert_int_equal(json_integer_value(json_object_get(file, "slowest_ns")), slowest);
    json_decref(j);
}

static void files_of_imported_modules_are_ranked(void **state)
{
    program_expect("tgraph import " SEEDS ".pb --out m.npz --configs 40", 0,
                   "every_form: HLO module (protobuf), before layout assignment\n"
                   "  nodes           70, 10 with layouts to choose\n"
                   "  edges           76\n"
                   "  products        6, 0 inside of fused computations\n"
                   "  configurations  40\n"
                   "  newer           op topk as sort (1), element type s4 as s8 (1), element type "
                   "f8e4m3fn as bf16 (1)\n",
                   "");
    expect_times("m.npz", 0, 0);
    program_expect("tgraph train --data a.npz --out run --rows costs --hidden 16 --steps 4 "
                   "--configs 8 --no-baselines --quiet",
                   0, "", "");
    const program_outcome o = program_expect("tgraph predict --run run --data m.npz", 0, "", "");
    assert_int_equal(program_count(o.out, "\"m.npz\","), 40);
    program_expect("tgraph eval --run run --data m.npz --no-baselines", 3, "",
                   "their run times are hidden");
}

static void the_same_call_writes_the_same_bytes(void **state)
{
    program_expect("tgraph import " SEEDS ".pb --out s1.npz --seed 3", 0, "", "");
    program_expect("tgraph import " SEEDS ".txt --out s2.npz --seed 3 --quiet", 0, "(text)", "");
    program_expect("tgraph import " SEEDS ".pb --out s3.npz --seed 4", 0, "", "");
    assert_true(program_hash_of("s1.npz") == program_hash_of("s2.npz"));
    assert_true(program_hash_of("s1.npz") != program_hash_of("s3.npz"));
}

/* Writes the arrays of m.npz that another program would, and one run time for each. */
static void write_measured(const char *name, int node)
{
    ag_npz *npz = expect_made(ag_npz_open(test_file("m.npz"), 1 << 30, new_failure()));
    const ag_array_info *feat = ag_npz_find(npz, "node_config_feat");
    float *digit = malloc((size_t)feat->count * sizeof *digit);
    int64_t id[10], ns[40];
    expect_ok(ag_npz_read(npz, feat->name, AG_F32, digit, new_failure()));
    expect_ok(ag_npz_read(npz, "node_config_ids", AG_I64, id, new_failure()));
    id[9] = node;
    for (int i = 0; i < 40; i++) ns[i] = 1000 + i;
    ag_npz_writer *w = ag_npz_create(test_file(name), new_failure());
    expect_ok(ag_npz_add(w, "node_config_feat", AG_F32, 3, feat->size, digit, new_failure()));
    expect_ok(ag_npz_add(w, "node_config_ids", AG_I64, 1, (int64_t[]){10}, id, new_failure()));
    expect_ok(ag_npz_add(w, "config_runtime", AG_I64, 1, (int64_t[]){40}, ns, new_failure()));
    expect_ok(ag_npz_finish(w, new_failure()));
    ag_npz_close(npz);
    free(digit);
}

static void configurations_of_a_file_keep_their_run_times(void **state)
{
    write_measured("measured.npz", 68);
    program_expect("tgraph import " SEEDS ".pb --out own.npz --configs measured.npz", 0,
                   "configurations  40", "");
    expect_times("own.npz", 1000, 1039);
    write_measured("other.npz", 69);
    program_expect(
        "tgraph import " SEEDS ".pb --out own.npz --configs other.npz", 3, "",
        "node_config_ids are not the 10 nodes of every_form whose layouts can be chosen");
    program_expect("tgraph import " SEEDS ".pb --out own.npz --configs a.npz", 3, "",
                   "node_config_ids are not");
}

static void after_layout_assignment_a_warning_says_so(void **state)
{
    program_write_text("after.txt",
                       "HloModule a, is_scheduled=true\n"
                       "f {\n  x = f32[4,4] parameter(0)\n  ROOT d = f32[4,4] dot(x, x), "
                       "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
                       "ENTRY e {\n  p = f32[4,4] parameter(0)\n  ROOT q = f32[4,4] fusion(p), "
                       "kind=kLoop, calls=f\n}\n");
    program_expect("tgraph import after.txt --out after.npz", 0, "after layout assignment",
                   "1 of its 1 products are inside of fused computations, which have no layouts");
    json_t *j = program_json("tgraph import after.txt --out after.npz --json",
                             "there is nothing to rank, and tgraph refuses the file");
    assert_true(program_number(j, "nodes") == 4 && program_number(j, "configurable") == 0);
    assert_true(program_number(j, "fused_products") == 1);
    json_decref(j);
    program_expect("tgraph inspect after.npz", 3, "", "node_config_ids has 0 entries");
}

static void wrong_calls_are_refused(void **state)
{
    program_write_text("text.npz", "HloModule t\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
    program_expect("tgraph import --out m.npz", 2, "", "--module FILE is missing");
    program_expect("tgraph import " SEEDS ".pb", 2, "", "--out FILE.npz is missing");
    program_expect("tgraph import a b --out m.npz", 2, "", "2 modules are named");
    program_expect("tgraph import text.npz --out ./text.npz", 2, "", "is the module itself");
    program_expect("tgraph import " SEEDS ".pb --out o.npz --configs 0", 2, "", "1 to 1000000");
    program_expect("tgraph import " SEEDS ".pb --out o.npz --configs 99999999999999999999", 2, "",
                   "out of range");
    program_expect("tgraph import " SEEDS ".pb --out o.npz --configs none.npz", 3, "", "none.npz");
    program_expect("tgraph import " SEEDS ".pb --out o.npz --unknown refuse", 3, "", "op topk");
    program_expect("tgraph import none.pb --out o.npz", 3, "", "cannot be opened");
    program_expect("tgraph import . --out o.npz", 3, "", "is not a file that can be mapped");
    program_expect("tgraph import m.npz --out o.npz", 3, "", "is a zip archive");
    program_expect("tgraph import " SEEDS ".pb --out none/o.npz", 3, "", "none/o.npz");
    program_expect("tgraph import " SEEDS ".pb --out o.npz --ram-limit 1M --configs 10000", 5, "",
                   "raise --ram-limit");
}

static void without_memory_it_says_so(void **state)
{
    program_each_fails("tgraph import " SEEDS ".pb --out o.npz --configs 20 --quiet", 1, 20, NULL);
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, files_of_imported_modules_are_ranked,
                          the_same_call_writes_the_same_bytes,
                          configurations_of_a_file_keep_their_run_times,
                          after_layout_assignment_a_warning_says_so, wrong_calls_are_refused,
                          without_memory_it_says_so);
}
