/* SPDX-License-Identifier: MIT */
/* Programs as text: printed text is read again, and all other text is refused with its line. */
#include "support/test.h"
#include "support/files.h"
#include "support/lab_same.h"

#define SAMPLE AG_SOURCE_DIR "/tests/fuzz/seeds/fuzz_lab_text/every_op.txt"

static void every_op_comes_back(void **state)
{
    lab_program p;
    size_t n = 0;
    char *text = files_get(SAMPLE, &n);
    assert_int_equal(lab_text_load(&p, SAMPLE), AG_OK);
    assert_string_equal(p.name, "every_op");
    assert_string_equal(p.family, "a-family");
    int seen[LAB_OPS] = {0};
    for (int i = 0; i < p.n; i++) seen[p.nodes[i].op]++;
    for (int op = 0; op < LAB_OPS; op++)
        if (!seen[op]) fail_msg("no %s in the sample", lab_op_name((lab_op)op));
    assert_true(lab_comes_back(&p));
    char *printed = lab_text_of(&p);
    assert_string_equal(printed, text);
    free(printed);
    free(text);
    lab_program_clear(&p);
}

static const lab_node *node_of(const lab_program *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->nodes[i].name, name)) return &p->nodes[i];
    fail_msg("no node %s", name);
    return NULL;
}

static void attributes_mean_what_they_say(void **state)
{
    lab_program p;
    assert_int_equal(lab_text_load(&p, SAMPLE), AG_OK);
    const lab_conv_dims dims = {2, 0, 3, {1, 2}, 3, 2, {0, 1}, 2, 0, {1, 3}, 2};
    const lab_window window[2] = {{3, 2, 1, 1, 2, 1, 0}, {2, 1, -1, -1, 1, 1, 1}};
    const lab_node *v = node_of(&p, "cv");
    assert_memory_equal(&v->conv, &dims, sizeof dims);
    assert_memory_equal(v->window, window, sizeof window);
    v = node_of(&p, "d");
    assert_true(v->dot.batch == 1 && v->dot.left == 3 && v->dot.right == 1);
    v = node_of(&p, "sl");
    assert_memory_equal(v->start, ((int[]){0, 1, 0}), 3 * sizeof(int));
    assert_memory_equal(v->limit, ((int[]){2, 8, 4}), 3 * sizeof(int));
    assert_memory_equal(v->stride, ((int[]){1, 2, 2}), 3 * sizeof(int));
    v = node_of(&p, "p");
    assert_true(v->window[1].low == 1 && v->window[1].high == 2 && v->window[2].high == 1);
    assert_true(v->operand[0] == 0 && v->operand[1] == 3);
    v = node_of(&p, "re");
    assert_true(v->reducer == LAB_MAX && v->n_dims == 2 && v->dims[0] == 0 && v->dims[1] == 2);
    assert_true(node_of(&p, "c")->value == -0.5f && node_of(&p, "low")->value < -1e38f);
    assert_int_equal(node_of(&p, "rw")->reducer, LAB_SUM);
    lab_program_clear(&p);
}

static void built_programs_come_back(void **state)
{
    lab_program p = {.name = "b"};
    const int size[2] = {4, 6};
    int x = lab_parameter(&p, LAB_F32, 2, size), c = lab_constant(&p, 0.1f);
    int y = lab_binary(&p, LAB_ADD, x, lab_broadcast(&p, c, NULL, 2, size));
    lab_slice(&p, y, (const int[]){1, 2}, (const int[]){4, 6}, NULL);
    assert_int_equal(p.why.status, AG_OK);
    assert_true(lab_comes_back(&p));
    char *text = lab_text_of(&p);
    assert_string_equal(text, "program b\n"
                              "parameter.0 = f32[4,6] parameter()\n"
                              "constant.1 = f32[] constant() value=0.100000001\n"
                              "broadcast.2 = f32[4,6] broadcast(constant.1) dims={}\n"
                              "add.3 = f32[4,6] add(parameter.0, broadcast.2)\n"
                              "slice.4 = f32[3,4] slice(add.3) start={1,2} limit={4,6}\n");
    free(text);
    lab_program_clear(&p);
}

static void read_text(lab_program *p, const char *text)
{
    lab_text_read(p, text, strlen(text), "net.txt");
}

static void blanks_and_comments(void **state)
{
    lab_program p;
    read_text(&p,
              "\r\n# a net\n\n  program\t -  fam # no name\r\n"
              "x=f32[ 2 , 3 ]parameter( )\r\n\t y = f32[3] reduce ( x )  reducer=sum   dims={ 0 }"
              " # last");
    assert_string_equal(p.why.sentence, "");
    assert_string_equal(p.name, "");
    assert_string_equal(p.family, "fam");
    assert_int_equal(p.n, 2);
    lab_program_clear(&p);
}

static void refused(const char *text, const char *words)
{
    lab_program p;
    read_text(&p, text);
    expect_sentence(&p.why, AG_EDATA, words);
    assert_true(!p.n && !p.nodes && !p.name[0]);
}

/* Line 8 is refused with these words; those before it are right. */
static void line_refused(const char *line, const char *words)
{
    const char *text = formatted(
        "program a b\nx = f32[2,3] parameter()\nn = s32[3] parameter()\n"
        "q = pred[2,3] parameter()\nc = f32[] constant() value=0\n"
        "i = f32[1,4,2] parameter()\nk = f32[3,4,2] parameter()\n%s\nz = f32[] parameter()",
        line);
    refused(text, "net.txt:8: ");
    refused(text, words);
}

static void lines_refused(void **state)
{
    static const char *const cases[][2] = {
        {"y", "`=` is expected, but there is the end of the line"},
        {"= f32[2] parameter()",
         "the name of a node is expected, but there is `= f32[2] parameter()`"},
        {"x = f32[2] parameter()", "x has been defined before"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = f32[] parameter()",
         "longer than 63"},
        {"y = f16[2] parameter()", "a shape like f32[2,3]"},
        {"y = f32(2) parameter()", "`[` is expected"},
        {"y = f32[2,3 parameter()", "`]` is expected, but there is `parameter()`"},
        {"y = f32[1,1,1,1,1,1,1] parameter()", "more than 6 numbers, one for each axis"},
        {"y = f32[2147483648] parameter()", "is above 2147483647"},
        {"y = f32[99999999999999999999999] parameter()", "is above 2147483647"},
        {"y = f32[-2] parameter()", "parameter: the shape f32[-2] has a size below 1"},
        {"y = f32[2,3] sine(x)", "there is no op sine"},
        {"y = f32[2,3] abs(y)", "no line above defines y"},
        {"y = f32[2,3] abs()", "abs: it has 0 operands, but takes 1"},
        {"y = f32[2,3] add(x, x, x)", "add: it has 3 operands"},
        {"y = f32[2,3] add(x,)", "an operand is expected"},
        {"y = f32[2,3] concatenate(x,x,x,x,x,x,x,x,x) dims={0}", "more than 8 operands"},
        {"y = f32[2,3] abs(x) dims={0}", "abs has no attribute dims"},
        {"y = f32[2,3] abs(x) colour=2", "abs has no attribute colour"},
        {"y = f32[2,3] abs(x) )", "an attribute is expected, but there is `)`"},
        {"y = f32[2] reduce(x) reducer=sum", "reduce needs the attribute dims"},
        {"y = f32[2] reduce(x) dims={1}", "reduce needs the attribute reducer"},
        {"y = f32[2] reduce(x) dims={1} dims={1} reducer=sum", "dims stands twice"},
        {"y = f32[2] reduce(x) dims={1}reducer=sum",
         "a blank behind an attribute is expected, but there is `reducer=sum`"},
        {"y = f32[2] reduce(x) dims={1} reducer=mean",
         "the reducer sum or max is expected, but there is `mean`"},
        {"y = f32[2] reduce(x) dims={1 reducer=sum", "`}` is expected"},
        {"y = f32[2] reduce(x) dims={0,1,2,3,4,5,6} reducer=sum", "more than 6 numbers"},
        {"y = f32[2] reduce(x) dims={one} reducer=sum", "a number is expected, but there is `one}"},
        {"y = f32[2] reduce(x) dims 1 reducer=sum", "`=` is expected"},
        {"y = f32[] constant() value=", "a number is expected, but there is the end of the line"},
        {"y = f32[] constant() value=1e", "a number is expected"},
        {"y = f32[] constant() value=nan", "the value nan is none of type f32"},
        {"y = s32[] constant() value=0.5", "the value 0.5 is none of type s32"},
        {"y = pred[] constant() value=2", "the value 2 is none of type pred"},
        {"y = f32[2,3] slice(x) start={0} limit={2,3}", "start has 1 numbers, but the rank is 2"},
        {"y = f32[2,3] slice(x) start={0,0}", "slice needs the attribute limit"},
        {"y = f32[2,3] reduce-window(x) window={size=1} reducer=sum", "the window has 1 sizes"},
        {"y = f32[2,3] reduce-window(x) window={} reducer=sum", "the window has 0 sizes"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 depth=1x1} reducer=sum",
         "a window has no depth"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 low=0x0 low=0x0} reducer=sum",
         "low stands twice"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 low=1} reducer=sum",
         "low has 1 numbers, but the window 2"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1x1x1x1x1x1} reducer=sum",
         "more than 6 numbers"},
        {"y = f32[2,3] reduce-window(x) window={size=1x} reducer=sum", "a number is expected"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 reducer=sum", "a window has no reducer"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=b0f_0io->b0g",
         "result of rank 3 has axes besides batch and feature; there is `b0f_0io->b0g`"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=bbf_0io->b0f",
         "dim_labels are"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=b1f_0io->b0f",
         "there is `b1f_0io->b0f`"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=b0f-0io->b0f",
         "there is `b0f-0io->b0f`"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=b01f_0io->b0f",
         "there is `b01f_0io->b0f`"},
        {"y = f32[1,1] convolution(x, x) window={size=1} dim_labels=b0f_0io->b0f",
         "window has 1 sizes"},
        {"y = f32[1,1,1] convolution(x, x) window={size=1} dim_labels=b0f_0io->b0f",
         "operand 0 is f32[2,3]; with 1 spatial"},
        {"y = f32[2,2] dot(x, x) left=1", "dot needs the attribute right"},
        /* shapes */
        {"y = f32[65536,65536] parameter()", "a size below 1 or more than 268435456 elements"},
        {"y = pred[3] iota() dims={0}", "its type is pred"},
        {"y = s32[3,3] iota() dims={0,1}", "it has 2 dims; one axis is counted along"},
        {"y = s32[3,3] iota() dims={2}", "dims[0] is axis 2 of a value of rank 2"},
        {"y = f32[2,4] broadcast(x) dims={0,1}", "becomes axis 1 of f32[2,4]: sizes differ"},
        {"y = f32[2,3] broadcast(x) dims={0}", "it has 1 dims, but operand 0 is f32[2,3]"},
        {"y = f32[7] reshape(x)", "operand 0 f32[2,3] and the result f32[7] differ in elements"},
        {"y = f32[3,2] transpose(x) dims={1,1}", "dims names axis 1 twice"},
        {"y = f32[3,2] transpose(x) dims={0,1}", "is f32[3,2], but f32[2,3] follows"},
        {"y = f32[4,3] concatenate(x, x) dims={0,1}", "one axis is joined along"},
        {"y = f32[4,3] concatenate(x, q) dims={0}", "operand 1 is pred[2,3], which does not fit"},
        {"y = f32[1,3] slice(x) start={0,0} limit={3,3}", "start 0, limit 3, stride 1 do not name"},
        {"y = f32[2,3] pad(x, x) low={0,0} high={0,0}", "a scalar of type f32 is due"},
        {"y = f32[2,3] pad(x, c) low={-1,0} high={0,0}", "axis 0 is padded by -1 and 0"},
        {"y = f32[2,3] pad(x, c) low={0,99999} high={99999,0}", "has more than 268435456 elements"},
        {"y = f32[2,3] reverse(x) dims={}", "it names no axis to reverse"},
        {"y = f32[2,3] reverse(x) dims={1,0}", "dims must ascend, but axis 0 follows"},
        {"y = f32[3,3] gather(x, x)", "a table [v,f] and row numbers s32[n] are due"},
        {"y = f32[2,3] exponential(q)", "operand 0 has type pred"},
        {"y = f32[2,3] add(x, i)", "operand 0 is f32[2,3] and operand 1 is f32[1,4,2]; they must"},
        {"y = f32[1,4,2] select(q, i, i)", "but what it chooses from is f32[1,4,2]"},
        {"y = f32[2,3] reduce(x) dims={} reducer=sum", "it names no axis to reduce"},
        {"y = f32[2,2] dot(x, x) left=0 right=2", "left=0 right=2 do not name axes"},
        {"y = f32[2,2] dot(x, x) left=0 right=1", "contracted axes must be equal"},
        {"y = f32[2] dot(x, n) left=1 right=0", "operand 1 is s32[3]; f32 is due"},
        {"y = f32[2,3] reduce-window(x) window={size=1x0} reducer=max", "window 1 has size 0"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 low=0x-268435457} reducer=max",
         "window 1 has padding -268435457"},
        {"y = f32[2,3] reduce-window(x) window={size=1x1 reversed=0x1} reducer=max", "only 0 is"},
        {"y = f32[2,3] reduce-window(x) window={size=1x4} reducer=max", "covers 4 elements"},
        {"y = f32[1,3,2] convolution(i, k) window={size=1} dim_labels=bf0_oi0->bf0",
         "window 0 has size 1, but the kernel 2"},
        {"y = f32[1,3,2] convolution(i, k) window={size=2} dim_labels=bf0_oi0->bf0 groups=2",
         "4 input features in 2 groups do not fit to a kernel of 4 by 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        line_refused(cases[i][0], cases[i][1]);
}

static void heads_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "net.txt: there is no program in it"},
        {"# nothing\n\n", "net.txt: there is no program in it"},
        {"program a", "net.txt: there is no node in it"},
        {"x = f32[] parameter()", "net.txt:1: `program` is expected, but there is `x = f32[]"},
        {"\nprogram",
         "net.txt:2: the program's name is expected, but there is the end of the line"},
        {"programs a", "net.txt:1: a blank behind program is expected, but there is `s a`"},
        {"program a/b", "net.txt:1: the family's name is expected, but there is `/b`"},
        {"program a b c", "net.txt:1: the end of the line is expected, but there is `c`"},
        {"program -a", "net.txt:1: the program's name is expected, but there is `-a`"},
        {"program a\xff", "net.txt:1: the family's name is expected, but there is `\\xff`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refused(cases[i][0], cases[i][1]);
}

/* Damaged text is read or refused with the path, never anything else. */
static int read_damaged(const char *text, size_t n)
{
    lab_program p;
    char *exact = malloc(n + !n); /* detects reads beyond the end */
    memcpy(exact, text, n);
    ag_status status = lab_text_read(&p, exact, n, "net.txt");
    free(exact);
    assert_int_equal(status, p.why.status);
    if (status == AG_OK)
        assert_true(lab_comes_back(&p));
    else {
        assert_true(!p.n && !p.nodes);
        assert_int_equal(strncmp(p.why.sentence, "net.txt", 7), 0);
    }
    lab_program_clear(&p);
    return status == AG_OK;
}

static void random_damage(void **state)
{
    static const char likely[] = "0123456789 ={}[](),x-_>.#\n\tabf\0\xff";
    size_t n = 0;
    char *text = files_get(SAMPLE, &n), *damaged = malloc(n);
    uint32_t seed = 777;
    int read = 0;
    for (int round = 0; round < 6000; round++) {
        memcpy(damaged, text, n);
        for (int flips = 0; flips < 1 + round % 4; flips++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 8) % n;
            seed = seed * 1664525u + 1013904223u;
            damaged[at] = round % 2 ? likely[(seed >> 8) % (sizeof likely - 1)] : (char)(seed >> 9);
        }
        read += read_damaged(damaged, n) + read_damaged(text, (seed >> 8) % n);
    }
    assert_in_range(read, 10, 6000);
    free(damaged);
    free(text);
}

static void load_refused(const char *path, ag_status status, const char *words)
{
    lab_program p;
    assert_int_equal(lab_text_load(&p, path), status);
    expect_sentence(&p.why, status, words);
}

static void files(void **state)
{
    lab_program p;
    const char *path = files_path("a.txt"), *text = "program a\nx = f32[] parameter()";
    assert_int_equal(files_put(path, text, strlen(text)), 0);
    assert_int_equal(lab_text_load(&p, path), AG_OK);
    assert_int_equal(p.n, 1);
    lab_program_clear(&p);
    load_refused(files_path("missing.txt"), AG_EFILE, "missing.txt cannot be opened: No such file");
    load_refused(files_folder, AG_EFILE, "cannot be read: Is a directory");
    assert_int_equal(files_put(path, "<html>Not found</html>", 22), 0);
    load_refused(path, AG_EDATA, "a.txt is a web page");
    assert_int_equal(files_put(path, "program", 0), 0);
    load_refused(path, AG_EDATA, "");
    assert_int_equal(truncate(path, (65l << 20) + 1), 0); /* a hole of more than 64 MB */
    load_refused(path, AG_EDATA, "has more than 67108864 bytes");
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, every_op_comes_back,
                          attributes_mean_what_they_say, built_programs_come_back,
                          blanks_and_comments, lines_refused, heads_refused, random_damage, files);
}
