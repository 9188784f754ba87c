/* SPDX-License-Identifier: MIT */
/* Modules of HLO that are cut off, damaged, unusual or too large: a graph or a sentence. */
#include "support/test.h"
#include "core/random.h"
#include "examples/tpugraphs/hlo/hlo.h"
#include "support/files.h"
#include "support/program_call.h"
#include "support/sanitized.h"

#define SEEDS AG_SOURCE_DIR "/tests/fuzz/seeds/fuzz_hlo/every_form"

enum { LIMIT = 1 << 26 };

/* Reads a copy of the bytes, of which nothing follows the last. Returns 1 if it is a graph. */
static int reads(const char *bytes, size_t n, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = LIMIT};
    hlo_graph g;
    char *copy = malloc(n + !n);
    memcpy(copy, bytes, n);
    *why = (ag_failure){0};
    hlo_read_bytes(&g, copy, n, "m", HLO_NEAREST, &budget, why);
    assert_int_equal(why->status == AG_OK, why->sentence[0] == 0);
    assert_int_equal(why->status == AG_OK, g.nodes > 0);
    hlo_free(&g, &budget);
    assert_int_equal(budget.used, 0);
    free(copy);
    return !why->status;
}

static void refuses(const char *text, size_t n, const char *part)
{
    ag_failure why;
    assert_false(reads(text, n, &why));
    expect_sentence(&why, AG_EDATA, part);
}

static void every_truncation_is_refused(void **state)
{
    static const char *const files[] = {SEEDS ".pb", SEEDS ".txt"};
    for (int i = 0; i < 2; i++) {
        size_t n = 0, whole = 0;
        char *bytes = files_get(files[i], &n);
        ag_failure why;
        for (size_t k = 0; k < n; k++) whole += (size_t)reads(bytes, k, &why);
        assert_true(reads(bytes, n, &why));
        assert_in_range(whole, 0, 40); /* what follows the last computation is not needed */
        free(bytes);
    }
}

static void flipped_bits_are_a_graph_or_a_sentence(void **state)
{
    static const char *const files[] = {SEEDS ".pb", SEEDS ".txt"};
    const int flips = SANITIZED ? 3000 : 15000;
    ag_random random = program_random();
    for (int i = 0; i < 2; i++) {
        size_t n = 0;
        char *bytes = files_get(files[i], &n);
        int graphs = 0;
        ag_failure why;
        for (int k = 0; k < flips; k++) {
            uint32_t bit[4];
            const int count = 1 + (int)ag_random_below(&random, 4);
            for (int j = 0; j < count; j++) {
                bit[j] = ag_random_below(&random, 8 * (uint32_t)n);
                bytes[bit[j] / 8] ^= (char)(1 << bit[j] % 8);
            }
            graphs += reads(bytes, n, &why);
            for (int j = 0; j < count; j++) bytes[bit[j] / 8] ^= (char)(1 << bit[j] % 8);
        }
        assert_true(graphs > 0 && graphs < flips);
        free(bytes);
    }
}

/* ---- messages ---- */

typedef struct message {
    char bytes[4000];
    size_t n;
} message;

static void put_varint(message *to, uint64_t v)
{
    for (; v > 127; v >>= 7) to->bytes[to->n++] = (char)(v | 128);
    to->bytes[to->n++] = (char)v;
}

static void put_number(message *to, int field, uint64_t v)
{
    put_varint(to, (uint64_t)field << 3);
    put_varint(to, v);
}

static void put_bytes(message *to, int field, const void *bytes, size_t n)
{
    put_varint(to, (uint64_t)field << 3 | 2);
    put_varint(to, n);
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

static void put(message *to, int field, const message *what)
{
    put_bytes(to, field, what->bytes, what->n);
}

/* A list, packed or a field for each. */
static void put_list(message *to, int field, const uint64_t *list, int n, int packed)
{
    message all = {.n = 0};
    for (int i = 0; i < n; i++) packed ? put_varint(&all, list[i]) : put_number(to, field, list[i]);
    if (packed) put(to, field, &all);
}

enum { ID = 35, OPERANDS = 36, CALLS = 38 };

/* p = f32[2,3] parameter(0); ROOT t = f32[3,2] transpose(p), as an HloModuleProto. */
static message small_module(int packed, uint64_t first, uint64_t second, uint64_t operand,
                            uint64_t called, uint64_t root)
{
    const uint64_t sizes[] = {2, 3}, axes[] = {1, 0};
    message m = {.n = 0}, c = {.n = 0};
    for (int i = 0; i < 2; i++) {
        message x = {.n = 0}, shape = {.n = 0};
        const char *op = i ? "transpose" : "parameter";
        put_bytes(&x, 2, op, strlen(op));
        put_number(&shape, 2, 11);
        put_list(&shape, 3, sizes, 2, packed);
        put(&x, 3, &shape);
        if (i) put_list(&x, 14, axes, 2, packed);
        put_number(&x, ID, i ? second : first);
        if (i) put_list(&x, OPERANDS, &operand, 1, packed);
        if (i && called) put_list(&x, CALLS, &called, 1, packed);
        put(&c, 2, &x);
    }
    put_number(&c, 5, 1);
    put_number(&c, 6, root);
    put(&m, 3, &c);
    return m;
}

static void lists_may_be_packed_or_not(void **state)
{
    const uint64_t big = (uint64_t)7 << 32;
    hlo_graph g[2];
    tpugraphs_budget budget = {0};
    for (int packed = 0; packed < 2; packed++) {
        const message m = small_module(packed, big + 1, big + 2, big + 1, 0, big + 2);
        message proto = {.n = 0};
        put(&proto, 1, &m); /* HloProto */
        expect_ok(hlo_read_bytes(&g[packed], proto.bytes, proto.n, "m", HLO_REFUSE, &budget,
                                 new_failure()));
        assert_int_equal(g[packed].nodes, 2);
        assert_int_equal(g[packed].edges, 1);
    }
    assert_memory_equal(g[0].feature, g[1].feature, 2 * sizeof *g->feature);
    assert_true(g[0].feature[1][21] == 2 && g[0].feature[1][31] == 1 && g[0].feature[1][0] == 1);
    for (int i = 0; i < 2; i++) hlo_free(&g[i], &budget);
}

static void references_must_lead_somewhere(void **state)
{
    message m = small_module(1, 1, 1, 1, 0, 1);
    refuses(m.bytes, m.n, "two instructions have the same id");
    m = small_module(1, 1, 2, 3, 0, 2);
    refuses(m.bytes, m.n, "node 1 names an operand that is not in the module");
    m = small_module(1, 1, 2, 1, 9, 2);
    refuses(m.bytes, m.n, "a computation that is not in the module");
    m = small_module(1, 1, 2, 1, 0, 8);
    refuses(m.bytes, m.n, "a root that is not in the module");
}

/* A fusion that calls itself is damage, but no reason to go on forever. */
static void calls_may_go_round(void **state)
{
    message m = small_module(1, 1, 2, 1, 1, 2);
    ag_failure why;
    char *op = memmem(m.bytes, m.n, "transpose", 9);
    memcpy(op, "fusion-xx", 9);
    assert_true(reads(m.bytes, m.n, &why));
}

static void tuples_in_tuples_are_not_descended(void **state)
{
    enum { DEEP = 200000 };
    char *text = malloc(2 * DEEP + 200);
    int n = sprintf(text, "HloModule m\nENTRY e {\n ROOT p = ");
    memset(text + n, '(', DEEP);
    memset(text + n + DEEP, ')', DEEP);
    n += 2 * DEEP;
    n += sprintf(text + n, " parameter(0)\n}\n");
    ag_failure why;
    assert_true(reads(text, (size_t)n, &why));
    refuses(text, (size_t)n / 2, "a closing bracket is expected, but the text ends");
    free(text);
}

/* Six bytes of an instruction take 560 of features: they are refused before they are taken. */
static void memory_is_charged_first(void **state)
{
    enum { MANY = 200000 };
    static char bytes[7 * MANY + 40];
    static const char one[] = {2 << 3 | 2, 4, 2 << 3 | 2, 2, 'o', 'r'};
    size_t n = 1;
    for (uint64_t v = sizeof one * MANY; v; v >>= 7)
        bytes[n++] = (char)((v & 127) | (v > 127) << 7);
    bytes[0] = 3 << 3 | 2;
    for (int i = 0; i < MANY; i++, n += sizeof one) memcpy(bytes + n, one, sizeof one);
    ag_failure why;
    assert_false(reads(bytes, n, &why));
    expect_sentence(&why, AG_EMEMORY, "of the limit of 67108864 are taken; raise --ram-limit");
}

static void sentences_of_texts_name_the_line(void **state)
{
#define TEXT(line) "HloModule m\n\nENTRY e {\n" line "\n}\n"
    static const char *const cases[][2] = {
        {TEXT("  p = f32[2] parameter(zero)"), "m:4: a number is expected, but there is `zero)"},
        {TEXT("  p = f32[2,?] parameter(0)"), "m:4: a number is expected"},
        {TEXT("  p = f32 parameter(0)"), "m:4: [ is expected"},
        {TEXT("  ROOT = f32[] add(,)"), "m:4: an operand is expected"},
        {TEXT("  p = f32[2] parameter(0), dimensions={1 2}"),
         "m:4: } is expected, but there is `2}"},
        {TEXT("  p = f32[2] convolution(p), window={size=3 speed=4}"),
         "m:4: size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal is expected"},
        {TEXT("  p = f32[2] slice(p), slice={[0-2]}"), "m:4: : is expected"},
        {TEXT("  p = f32[99999999999999999999] parameter(0)"), "a number of at most 18 digits"},
        {TEXT("  p = f32[2] parameter(0)\n  p = f32[2] parameter(1)"),
         "two instructions have the same name"},
        {TEXT("  p = f32[2] add(q, q)"), "node 0 names an operand that is not in the module"},
        {TEXT("  p = f32[-2] parameter(0)"), "node 0 has an axis of size -2"},
        {"HloModule m\n\nf {\n  p = f32[2] parameter(0)\n}\n", "one computation that begins with"},
        {"module @jit_f {\n}\n", "it is neither an HloModuleProto or HloProto nor a text"},
        {"", "it is neither an HloModuleProto"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuses(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

/* Dumps of today and of other tools have more than computations. */
static void other_parts_of_texts_are_passed_over(void **state)
{
    static const char text[] =
        "// a comment\nHloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}) }\n\n"
        "FileNames\n1 \"/a/{b.py\"\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
        "wrapped {\n  a = f32[] parameter(0)\n  ROOT b = f32[] negate(f32[] %a)\n"
        "}, execution_thread=\"main\"\n\n"
        "ENTRY %e (p: (f32[2], s32[])) -> (f32[2]{0}, f32[]) { /* here */\n"
        "  %p = (f32[2]{0}, /*index=1*/s32[]) parameter(0), sharding={devices=[1,2]<=[2]}\n"
        "  ROOT q.1 = f32[2]{0:T(128)} custom-call(p), custom_call_target=\"a\\\"}b\", "
        "replica_groups=[1,2]<=[2], called_computations={%wrapped}, backend_config={\"x\":[{}]}\n"
        "}\n";
    hlo_graph g;
    tpugraphs_budget budget = {0};
    expect_ok(hlo_read_bytes(&g, text, sizeof text - 1, "m", HLO_REFUSE, &budget, new_failure()));
    assert_int_equal(g.nodes, 4);
    assert_int_equal(g.edges, 3);
    assert_true(g.is_after && g.feature[2][29] == 2 && g.feature[3][107] == 1);
    hlo_free(&g, &budget);
}

int main(void)
{
    return RUN_TESTS(every_truncation_is_refused, flipped_bits_are_a_graph_or_a_sentence,
                     lists_may_be_packed_or_not, references_must_lead_somewhere, calls_may_go_round,
                     tuples_in_tuples_are_not_descended, memory_is_charged_first,
                     sentences_of_texts_name_the_line, other_parts_of_texts_are_passed_over);
}
