/* SPDX-License-Identifier: MIT */
/* Every function of the public headers is called with NULL in the place of each pointer: it is
   refused with a sentence, gives poison, or does nothing. A prototype without a row here fails the
   test, and so does one with another number of pointers. */
#include "support/test.h"
#include "augur.h"
#include "support/files.h"

#include <ctype.h>

static const float values[64] = {1, 2};
static const int32_t two[] = {0, 2, 4}, each[] = {0, 1, 2, 3};
static const double doubles[3] = {1, 3, 2};
static const double half[] = {0.5, 0.5};
static const int64_t one = 1;

#include "null_layers_fixture.h"
#include "null_fixture.h"

/* ---- the calls ---- */

/* Pointer k of the call, NULL when it is its turn; all arrays of a graph, or one of them. */
#define P(k, pointer) (null == (k) ? NULL : (pointer))
#define E(k)          edges_without(f, null == (k))
#define REAL(k, ...)  P(k, real(t, AG_SHAPE(__VA_ARGS__)))
#define MATRIX(k)     REAL(k, 4, 6)
#define VECTOR(k, n)  REAL(k, n)
#define FEATURES(k)   REAL(k, 6, 3) /* of the messages of the graph */
#define INDEX(k)      P(k, ag_input_i32(t, each, AG_SHAPE(4)))
#define ENDS(k)       P(k, ag_input_i32(t, two, AG_SHAPE(3)))

static int part;     /* which array of the edges is NULL; -1: all are */
static int in_parts; /* 1: the call has taken edges without an array */

static ag_edges edges_without(const fixture *f, int none)
{
    ag_edges e = f->edges;
    ag_tensor **array[] = {&e.rows, &e.sources, &e.rows_t, &e.targets, &e.starts};
    in_parts |= none;
    for (int i = 0; none && i < 5; i++)
        if (part < 0 || part == i) *array[i] = NULL;
    return e;
}

/* The result of a call with a NULL: the sentence of its error, or NULL. */
#define START          \
 ag_tape *t = f->tape; \
 (void)t
#define RESULT(name, n, optional, call)               \
 static const char *call_##name(fixture *f, int null) \
 {                                                    \
  START;                                              \
  ag_tensor *y = call;                                \
  return look_at_tensor(y);                           \
 }
#define STATUS(name, n, optional, call)               \
 static const char *call_##name(fixture *f, int null) \
 {                                                    \
  START;                                              \
  return look_at_status(f, call);                     \
 }
#define OBJECT(name, n, optional, free_it, call)      \
 static const char *call_##name(fixture *f, int null) \
 {                                                    \
  START;                                              \
  void *made_of = call;                               \
  const int there = made_of != NULL;                  \
  free_it(made_of);                                   \
  return look_at_object(f, there);                    \
 }
#define QUIET(name, n, call)                          \
 static const char *call_##name(fixture *f, int null) \
 {                                                    \
  START;                                              \
  (void)(call, 0);                                    \
  return "went on";                                   \
 }

static const char *look_at_tensor(ag_tensor *y)
{
    if (!y) return "returned NULL";
    return ag_failed(ag_tape_of(y)) ? NULL : "went on";
}

static const char *look_at_sentence(const fixture *f)
{
    return strstr(f->why.sentence, "NULL") || strlen(f->why.sentence) > 20 ? NULL : "said nothing";
}

static const char *look_at_status(const fixture *f, ag_status status)
{
    if (status == AG_OK) return "went on";
    return f->why.status == AG_OK ? NULL : look_at_sentence(f);
}

static const char *look_at_object(const fixture *f, int there)
{
    return there ? "went on" : look_at_sentence(f);
}

#define MAP(name, ...)  RESULT(name, 1, 0, ag_##name(REAL(0, 2)))
#define MAP1(name, ...) RESULT(name, 1, 0, ag_##name(REAL(0, 2), 1))
#define MAP2(name, ...) RESULT(name, 1, 0, ag_##name(REAL(0, 2), 0, 1))
#define ZIP(name, ...)  RESULT(name, 2, 0, ag_##name(REAL(0, 2), REAL(1, 2)))
#include "ops/elementwise.def"
#include "null_ops.h"
#include "null_others.h"
#include "null_layers.h"
#undef RESULT
#undef STATUS
#undef OBJECT
#undef QUIET

typedef struct row {
    const char *name;
    int pointers, optional; /* optional: a mask of the pointers that may be NULL */
    const char *(*call)(fixture *f, int null);
} row;

#define RESULT(name, n, optional, ...) {"ag_" #name, n, optional, call_##name},
#define STATUS                         RESULT
#define OBJECT(name, n, optional, ...) RESULT(name, n, optional, )
#define QUIET(name, n, ...)            RESULT(name, n, ~0, )
/* Ops of elementwise.def have rows from the table that makes their prototypes. */
#define MAP(name, ...)                 RESULT(name, 1, 0, )
#define MAP1                           MAP
#define MAP2                           MAP
#define ZIP(name, ...)                 RESULT(name, 2, 0, )
static const row rows[] = {
#include "null_ops.h"
#include "null_others.h"
#include "null_layers.h"
#include "ops/elementwise.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- tests ---- */

static int try(const row *r, int null)
{
    fixture *f = set_up(r->name);
    const char *wrong = r->call(f, null);
    const int may = null < 0 || r->optional >> null & 1;
    if (may && wrong && strcmp(wrong, "went on") == 0) wrong = NULL;
    if (null < 0 && ag_failed(f->tape) && r->optional != ~0) wrong = ag_error(f->tape);
    if (null < 0 && f->why.status != AG_OK && r->optional != ~0) wrong = f->why.sentence;
    if (wrong)
        print_error("%s with NULL as pointer %d (array %d): %s\n", r->name, null, part, wrong);
    tear_down(f);
    return wrong != NULL;
}

static void test_each_pointer(void **state)
{
    int wrong = 0;
    part = -1;
    for (int i = 0; i < ROWS; i++)
        for (int null = -1; null < rows[i].pointers; null++) wrong += try(&rows[i], null);
    assert_int_equal(wrong, 0);
}

/* One array of a graph alone: nothing ends the program, and an op that reads it refuses it. */
static void test_each_array(void **state)
{
    for (int i = 0; i < ROWS; i++)
        for (int null = 0; null < rows[i].pointers; null++)
            for (part = 0, in_parts = 1; part < 5 && in_parts; part++) {
                fixture *f = set_up(rows[i].name);
                in_parts = 0;
                const char *wrong = rows[i].call(f, null);
                if (wrong && strcmp(wrong, "returned NULL") == 0) fail_msg("%s", rows[i].name);
                tear_down(f);
            }
    part = -1;
}

/* Every weight of a layer alone. */
static void test_each_weight(void **state)
{
    static const char *const layers[] = {"ag_sage",     "ag_graph_conv", "ag_sage_concat",
                                         "ag_gcn_conv", "ag_gat",        "ag_gat2",
                                         "ag_encoder",  "ag_batch_norm"};
    for (int i = 0; i < ROWS; i++)
        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
            if (strcmp(rows[i].name, layers[k]) != 0) continue;
            const size_t at[] = {offsetof(fixture, sage),    offsetof(fixture, sage),
                                 offsetof(fixture, concat),  offsetof(fixture, gcn),
                                 offsetof(fixture, gat),     offsetof(fixture, gat2),
                                 offsetof(fixture, encoder), offsetof(fixture, batch_norm)};
            const int n[] = {3, 3, 6, 2, 6, 7, 12, 4};
            for (int p = 0; p < n[k]; p++) {
                fixture *f = set_up(rows[i].name);
                ((ag_param **)(void *)((char *)f + at[k]))[p] = NULL;
                const char *wrong = rows[i].call(f, -1);
                if (wrong && strcmp(wrong, "went on") != 0) fail_msg("%s: %s", layers[k], wrong);
                if (p == 0) assert_null(wrong); /* the first weight is never optional */
                tear_down(f);
            }
        }
}

/* ---- are all there? ---- */

static char *read_header(const char *name)
{
    char *text = files_text(AG_SOURCE_DIR, name);
    assert_non_null(text);
    for (char *c; (c = strstr(text, "/*"));) { /* comments become spaces */
        char *end = strstr(c, "*/");
        assert_non_null(end);
        memset(c, ' ', (size_t)(end + 2 - c));
    }
    return text;
}

/* Parameters of "(...)" that are pointers, arrays or the arrays of a graph; *end: after it. */
static int count_pointers(const char *c, const char **end)
{
    int depth = 0, pointers = 0, here = 0;
    for (;; c++) {
        assert_int_not_equal(*c, 0);
        if (*c == '(') depth++;
        if (*c == '*' || *c == '[' || strncmp(c, "ag_edges", 8) == 0) here = 1;
        if ((depth == 1 && *c == ',') || (*c == ')' && depth == 1)) {
            pointers += here;
            here = 0;
        }
        if (*c == ')' && --depth == 0) break;
    }
    *end = c + 1;
    return pointers;
}

static int has_row(const char *name, size_t length, int pointers)
{
    for (int i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return rows[i].pointers == pointers;
    return pointers == 0;
}

static void test_all_prototypes(void **state)
{
    static const char *const headers[] = {
        "core/device.h",         "core/error.h",   "core/memory.h",       "core/params.h",
        "core/random.h",         "core/shape.h",   "core/sort.h",         "core/threads.h",
        "core/types.h",          "core/io/io.h",   "autograd/autograd.h", "ops/ops.h",
        "ops/elementwise_ops.h", "gnn/gnn.h",      "gnn/batches.h",       "optim/optim.h",
        "metrics/metrics.h",     "layers/layers.h"};
    int found = 0, missing = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char *text = read_header(headers[h]);
        const char *c = text;
        while ((c = strstr(c, "\nAG_API "))) {
            const char *name = c += 8, *open = c + strcspn(c, "(;");
            if (*open == ';') continue; /* not a function */
            for (name = open; isalnum((unsigned char)name[-1]) || name[-1] == '_'; name--) {}
            const int pointers = count_pointers(open, &c);
            found++;
            if (has_row(name, (size_t)(open - name), pointers)) continue;
            print_error("%s: %.*s has %d pointers, but no row of so many in tests/ops/null_*.h\n",
                        headers[h], (int)(open - name), name, pointers);
            missing++;
        }
        free(text);
    }
    assert_int_equal(missing, 0);
    assert_in_range(found, 170, 400);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, test_each_pointer, test_each_array,
                          test_each_weight, test_all_prototypes);
}
