/* SPDX-License-Identifier: MIT */
/* HLO modules: every_form.pb is what XLA made of every_form.txt. */
#include "support/test.h"
#include "examples/tpugraphs/hlo/hlo.h"
#include "support/files.h"

#include <unistd.h>
#include <xxhash.h>

#define SEEDS  AG_SOURCE_DIR "/tests/fuzz/seeds/fuzz_hlo/every_form"
#define SHARED AG_SOURCE_DIR "/../shared"

static tpugraphs_budget budget;

static hlo_graph read_graph(const char *path, hlo_unknown unknown)
{
    hlo_graph g;
    expect_ok(hlo_read(&g, path, unknown, &budget, new_failure()));
    return g;
}

static void forget(hlo_graph *g)
{
    hlo_free(g, &budget);
    assert_int_equal(budget.used, 0);
}

static void expect_same(const hlo_graph *a, const hlo_graph *b)
{
    const size_t nodes = (size_t)a->nodes;
    assert_int_equal(a->nodes, b->nodes);
    assert_memory_equal(a->feature, b->feature, nodes * sizeof *a->feature);
    assert_memory_equal(a->opcode, b->opcode, nodes);
    assert_int_equal(a->edges, b->edges);
    assert_memory_equal(a->edge, b->edge, (size_t)a->edges * sizeof *a->edge);
    assert_int_equal(a->operands, b->operands);
    assert_memory_equal(a->operand, b->operand, (size_t)a->operands * sizeof *a->operand);
    assert_int_equal(a->dots, b->dots);
    assert_memory_equal(a->dot, b->dot, (size_t)a->dots * sizeof *a->dot);
    assert_int_equal(a->configurable, b->configurable);
    for (int i = 0; i < a->configurable; i++)
        assert_int_equal(a->choosing[i].node, b->choosing[i].node);
    assert_int_equal(a->splits, b->splits);
    assert_memory_equal(a->split, b->split, (size_t)a->splits * sizeof *a->split);
    assert_string_equal(a->name, b->name);
}

static void text_is_read_as_protobuf(void **state)
{
    for (hlo_unknown unknown = HLO_NEAREST; unknown <= HLO_ZERO; unknown++) {
        hlo_graph text = read_graph(SEEDS ".txt", unknown), pb = read_graph(SEEDS ".pb", unknown);
        assert_true(text.is_text && !pb.is_text);
        expect_same(&text, &pb);
        hlo_free(&text, &budget);
        forget(&pb);
    }
}

/* The hashes are those of the arrays that another program made of the file, by TpuGraphs' rules. */
static void arrays_are_those_of_tpugraphs(void **state)
{
    static const int64_t dot[][4] = {{44, 1, 2, 1}, {49, 0, 1, 0}}, split[] = {0, 26, 30, 70};
    hlo_graph g = read_graph(SEEDS ".pb", HLO_ZERO);
    assert_string_equal(g.name, "every_form");
    assert_int_equal(g.nodes, 70);
    assert_int_equal(XXH3_64bits(g.feature, sizeof *g.feature * 70), 0xdda5fca90bfc7ce0);
    assert_int_equal(XXH3_64bits(g.opcode, 70), 0xf8e5db8f3db152c5);
    assert_int_equal(g.edges, 76);
    assert_int_equal(XXH3_64bits(g.edge, sizeof *g.edge * 76), 0x2c419ea1062f1ce);
    assert_int_equal(g.splits, 4);
    assert_memory_equal(g.split, split, sizeof split);
    assert_int_equal(g.dots, 2);
    assert_memory_equal(g.dot, dot, sizeof dot);
    forget(&g);
}

static void newer_ops_and_types_are_read_as_the_nearest(void **state)
{
    static const struct {
        const char *name, *as;
        int is_type, opcode, type; /* column after the first of types */
    } newer[] = {
        {"topk", "sort", 0, 93, 16}, {"s4", "s8", 1, 25, 2}, {"f8e4m3fn", "bf16", 1, 25, 13}};
    hlo_graph g = read_graph(SEEDS ".txt", HLO_NEAREST);
    assert_int_equal(g.n_newer, 3);
    for (int i = 0; i < 3; i++) {
        int found = 0;
        assert_string_equal(g.newer[i].name, newer[i].name);
        assert_string_equal(g.newer[i].as, newer[i].as);
        assert_int_equal(g.newer[i].is_type, newer[i].is_type);
        assert_int_equal(g.newer[i].count, 1);
        for (int v = 0; v < g.nodes; v++)
            found |= g.opcode[v] == newer[i].opcode && g.feature[v][2 + newer[i].type] == 1;
        assert_true(found);
    }
    forget(&g);
    expect_status(hlo_read(&g, SEEDS ".txt", HLO_REFUSE, &budget, new_failure()), AG_EDATA,
                  "op topk, which TpuGraphs' list does not have");
    forget(&g);
}

/* ---- layouts ---- */

/* Digits as text: "3 0|3 0|3 2". */
static const char *digits_text(const float digit[18])
{
    static char text[64];
    int n = 0;
    for (int i = 0; i < 18; i++) {
        if (i && i % 6 == 0) n += sprintf(text + n, "|");
        if (digit[i] >= 0) n += sprintf(text + n, "%d", (int)digit[i]);
    }
    return text;
}

static void expect_choices(const hlo_choosing *x, int n, const char *const *text)
{
    float digit[18];
    assert_int_equal(hlo_choices(x), n);
    for (int i = 0; i < n; i++) {
        hlo_choice(digit, x, i);
        assert_string_equal(digits_text(digit), text[i]);
    }
}

static void layouts_are_those_of_tpugraphs(void **state)
{
    static const char
        *const convolution[] = {"30|30|32", "03|30|32", "30|03|32", "03|03|32",
                                "30|30|23", "03|30|23", "30|03|23", "03|03|23"},
               *const product[] = {"10|10|10", "01|10|10", "10|01|10", "01|01|10", "10|10|01",
                                   "01|10|01", "10|01|01", "01|01|01", "10||",     "01||"},
               *const batch[] = {"21|21|21", "12|21|21", "21|12|21", "12|12|21",
                                 "21|21|12", "12|21|12", "21|12|12", "12|12|12"},
               *const squeeze[] = {"||", "10|210|", "01|120|"}, *const split[] = {"||", "10|0|"},
               *const one[] = {"||", "10||"}, *const vector[] = {"|0|0"};
    hlo_graph g = read_graph(SEEDS ".pb", HLO_NEAREST);
    assert_int_equal(g.configurable, 10); /* not those of fusions, nor what these call */
    expect_choices(&g.choosing[0], 8, convolution);
    expect_choices(&g.choosing[3], 8, batch);
    expect_choices(&g.choosing[4], 3, squeeze);
    expect_choices(&g.choosing[5], 1, vector); /* all of its other axes are of the batch */
    expect_choices(&g.choosing[6], 10, product);
    expect_choices(&g.choosing[7], 2, split);
    expect_choices(&g.choosing[8], 2, one);
    forget(&g);
}

static const float *row_of(const hlo_graph *g, const hlo_configs *c, int config, int node)
{
    return c->digit + 18 * ((int64_t)config * g->configurable + node);
}

/* How many nodes of two configurations differ. */
static int differences(const hlo_graph *g, const hlo_configs *c, int a, int b)
{
    int n = 0;
    for (int v = 0; v < g->configurable; v++)
        n += memcmp(row_of(g, c, a, v), row_of(g, c, b, v), 18 * sizeof(float)) != 0;
    return n;
}

static void a_sweep_changes_one_node_at_a_time(void **state)
{
    hlo_graph g = read_graph(SEEDS ".pb", HLO_NEAREST);
    hlo_configs c;
    int n = 1;
    for (int v = 0; v < g.configurable; v++) n += hlo_choices(&g.choosing[v]) - 1;
    expect_ok(hlo_configs_sweep(&c, &g, &budget, new_failure()));
    assert_int_equal(c.count, n);
    for (int i = 1; i < n; i++) {
        assert_int_equal(differences(&g, &c, 0, i), 1);
        assert_true(differences(&g, &c, i - 1, i) > 0);
        assert_int_equal(c.runtime[i], 0);
    }
    hlo_configs_free(&c, &budget);
    forget(&g);
}

static void drawn_configurations_differ_and_alike_nodes_agree(void **state)
{
    hlo_graph g = read_graph(SEEDS ".pb", HLO_NEAREST);
    hlo_configs c, few;
    expect_ok(hlo_configs_draw(&c, &g, 300, 5, &budget, new_failure()));
    expect_ok(hlo_configs_draw(&few, &g, 50, 5, &budget, new_failure()));
    assert_int_equal(c.count, 300);
    assert_memory_equal(c.digit, few.digit, 50 * 18 * sizeof(float) * (size_t)g.configurable);
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < i; k++) assert_true(differences(&g, &c, k, i) > 0);
        assert_memory_equal(row_of(&g, &c, i, 0), row_of(&g, &c, i, 2), 18 * sizeof(float));
    }
    hlo_configs_free(&c, &budget);
    hlo_configs_free(&few, &budget);
    forget(&g);
}

/* Of a program of two alike dots there are 10 configurations with equal choices and 90 others. */
static void all_are_drawn_where_there_are_few(void **state)
{
    static const char text[] = "HloModule two\nENTRY m {\n x = f32[8,8] parameter(0)\n"
                               " y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, "
                               "rhs_contracting_dims={0}\n ROOT z = f32[8,8] dot(f32[8,8] y, %x), "
                               "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
    hlo_graph g;
    hlo_configs c;
    expect_ok(hlo_read_bytes(&g, text, sizeof text - 1, "two", HLO_REFUSE, &budget, new_failure()));
    expect_ok(hlo_configs_draw(&c, &g, 1000, 0, &budget, new_failure()));
    assert_true(c.count > 85 && c.count <= 100);
    for (int i = 0; i < c.count; i++)
        if (i < 10) assert_memory_equal(row_of(&g, &c, i, 0), row_of(&g, &c, i, 1), 72);
    hlo_configs_free(&c, &budget);
    forget(&g);
}

/* ---- files that are not of this repository ---- */

static void *array_of(ag_npz *npz, const char *name, ag_dtype as)
{
    const ag_array_info *info = ag_npz_find(npz, name);
    assert_non_null(info);
    void *out = malloc((size_t)info->count * ag_dtype_bytes(as));
    assert_int_equal(ag_npz_read(npz, name, as, out, NULL), AG_OK);
    return out;
}

static void expect_array(ag_npz *npz, const char *name, ag_dtype as, const void *data, int64_t n)
{
    void *want = array_of(npz, name, as);
    assert_int_equal(ag_npz_find(npz, name)->count, n);
    assert_memory_equal(data, want, (size_t)n * ag_dtype_bytes(as));
    free(want);
}

/* Each published layout of a node is one of our choices. */
static void expect_among_choices(const hlo_graph *g, ag_npz *npz)
{
    float *digit = array_of(npz, "node_config_feat", AG_F32), mine[18];
    const int64_t *id = array_of(npz, "node_config_ids", AG_I64);
    const int64_t n = ag_npz_find(npz, "node_config_feat")->count / 18;
    for (int v = 0; v < g->configurable; v++) assert_int_equal(g->choosing[v].node, id[v]);
    for (int64_t i = 0; i < n; i++) {
        const hlo_choosing *x = &g->choosing[i % g->configurable];
        int k = 0;
        for (; k < hlo_choices(x); k++) {
            hlo_choice(mine, x, k);
            if (!memcmp(mine, digit + 18 * i, sizeof mine)) break;
        }
        if (k == hlo_choices(x))
            fail_msg("node %d of configuration %d has %s", x->node, (int)(i / g->configurable),
                     digits_text(digit + 18 * i));
    }
    free(digit);
    free((void *)(uintptr_t)id);
}

static void the_published_pair_is_equal(void **state)
{
    static const char module[] = SHARED "/data/hlo/tpu_graphs/module_tuning_data_layout.pb",
                      arrays[] =
                          SHARED "/data/tpugraphs/layout/xla/default/valid/unet_3d.4x4.bf16.npz";
    if (access(module, R_OK) || access(arrays, R_OK)) {
        print_message("no TpuGraphs files next to the sources: none is compared\n");
        skip();
    }
    hlo_graph g = read_graph(module, HLO_REFUSE);
    ag_npz *npz = ag_npz_open(arrays, 1 << 30, NULL);
    expect_array(npz, "node_feat", AG_F32, g.feature, (int64_t)g.nodes * 140);
    expect_array(npz, "node_opcode", AG_U8, g.opcode, g.nodes);
    expect_array(npz, "edge_index", AG_I64, g.edge, (int64_t)g.edges * 2);
    expect_array(npz, "node_splits", AG_I64, g.split, g.splits);
    expect_among_choices(&g, npz);
    assert_false(g.is_after);
    ag_npz_close(npz);
    forget(&g);
}

/* Compares an array in the file of the other program: rows, columns, data. */
static const char *expect_part(const char *at, const void *data, int64_t rows, int64_t columns,
                               size_t bytes)
{
    int64_t size[2];
    memcpy(size, at, sizeof size);
    assert_int_equal(size[0], rows);
    assert_int_equal(size[1], columns);
    assert_memory_equal(at + sizeof size, data, (size_t)(rows * columns) * bytes);
    return at + sizeof size + (size_t)(rows * columns) * bytes;
}

static void expect_file(const hlo_graph *g, const char *path)
{
    size_t n = 0;
    char *file = files_get(path, &n);
    const char *at = expect_part(file, g->feature, g->nodes, 140, 4);
    at = expect_part(at, g->opcode, g->nodes, 1, 1);
    at = expect_part(at, g->edge, g->edges, 2, 8);
    int64_t *id = malloc(8 * (size_t)g->configurable + 1);
    for (int i = 0; i < g->configurable; i++) id[i] = g->choosing[i].node;
    at = expect_part(at, id, g->configurable, 1, 8);
    at = expect_part(at, g->split, 1, g->splits, 8);
    assert_ptr_equal(at, file + n);
    free(id);
    free(file);
}

/* The rows of nodes, sorted, since a text may list them in another order. */
static int by_row(const void *a, const void *b) { return memcmp(a, b, 140 * sizeof(float)); }

static void expect_same_rows(hlo_graph *a, hlo_graph *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->edges, b->edges);
    assert_int_equal(a->configurable, b->configurable);
    assert_int_equal(a->is_after, b->is_after);
    qsort(a->feature, (size_t)a->nodes, sizeof *a->feature, by_row);
    qsort(b->feature, (size_t)b->nodes, sizeof *b->feature, by_row);
    assert_memory_equal(a->feature, b->feature, (size_t)a->nodes * sizeof *a->feature);
}

static void modules_of_real_programs_are_read_as_elsewhere(void **state)
{
    const char *program = files_path("features"), *out = files_path("out");
    if (system(formatted("cc -O1 -o %s %s/reference/hlo/hlo_features.c 2>/dev/null", program,
                         SHARED))) {
        print_message("no other reader of HLO next to the sources: none is compared with\n");
        skip();
    }
    int n = 0;
    DIR *folder = opendir(SHARED "/data/hlo");
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        const char *end = strstr(e->d_name, ".pb"),
                   *path = formatted("%s/data/hlo/%s", SHARED, e->d_name);
        if (!end) continue;
        hlo_graph g = read_graph(path, HLO_ZERO);
        if (system(formatted("%s %s %s >/dev/null", program, path, out))) fail_msg("%s", path);
        expect_file(&g, out);
        assert_int_equal(g.is_after, strstr(path, ".after.") != NULL);
        hlo_graph text = read_graph(formatted("%.*s.txt", (int)strlen(path) - 3, path), HLO_ZERO);
        expect_same_rows(&g, &text);
        hlo_free(&text, &budget);
        forget(&g);
        n++;
    }
    if (folder) closedir(folder);
    assert_true(n >= 65);
}

int main(void)
{
    return RUN_TESTS_WITH(
        files_make, files_remove, text_is_read_as_protobuf, arrays_are_those_of_tpugraphs,
        newer_ops_and_types_are_read_as_the_nearest, layouts_are_those_of_tpugraphs,
        a_sweep_changes_one_node_at_a_time, drawn_configurations_differ_and_alike_nodes_agree,
        all_are_drawn_where_there_are_few, the_published_pair_is_equal,
        modules_of_real_programs_are_read_as_elsewhere);
}
