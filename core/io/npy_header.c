/* SPDX-License-Identifier: MIT */
/* The header of an npy file: "\x93NUMPY", version, length, and a Python dictionary such as
   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }. */
#include "core/io/npz_internal.h"
#include "core/error.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "npy values are used as they are stored");

static const struct {
    const char *descr, *name;
    size_t bytes;
} types[] = {
    [AG_F32] = {"<f4", "float32", 4}, [AG_F64] = {"<f8", "float64", 8},
    [AG_U8] = {"|u1", "uint8", 1},    [AG_I8] = {"|i1", "int8", 1},
    [AG_I32] = {"<i4", "int32", 4},   [AG_I64] = {"<i8", "int64", 8},
};

enum { TYPES = sizeof types / sizeof *types };

size_t ag_dtype_bytes(ag_dtype dtype) { return (unsigned)dtype < TYPES ? types[dtype].bytes : 0; }

const char *ag_dtype_name(ag_dtype dtype)
{
    return (unsigned)dtype < TYPES ? types[dtype].name : "no dtype";
}

/* A place in the dictionary; `problem` says what went wrong there. */
typedef struct cursor {
    const char *at, *problem;
} cursor;

static int failed(cursor *c, const char *problem)
{
    if (!c->problem) c->problem = problem;
    return 0;
}

static void skip_space(cursor *c) { c->at += strspn(c->at, " \t\r\n"); }

/* Takes `word` if it is next. */
static int took(cursor *c, const char *word)
{
    skip_space(c);
    size_t n = strlen(word);
    if (strncmp(c->at, word, n)) return 0;
    c->at += n;
    return 1;
}

static int quoted(cursor *c, char out[32])
{
    skip_space(c);
    c->at += *c->at == 'u'; /* as Python 2 wrote texts */
    char quote = *c->at;
    if (quote != '\'' && quote != '"') return failed(c, "expected a quoted text");
    const char *end = strchr(c->at + 1, quote);
    if (!end || end - c->at > 31)
        return failed(c, "expected a quoted text of at most 30 characters");
    size_t n = (size_t)(end - c->at - 1);
    memcpy(out, c->at + 1, n);
    out[n] = 0;
    c->at = end + 1;
    return 1;
}

static int size_of_axis(cursor *c, int64_t *size)
{
    skip_space(c);
    int64_t value = 0;
    if (*c->at < '0' || *c->at > '9') return failed(c, "expected the size of an axis");
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        int digit = *c->at - '0';
        if (value > (INT64_MAX - digit) / 10) return failed(c, "the size of an axis is above 2^63");
        value = 10 * value + digit;
    }
    if (*c->at == 'L') c->at++; /* Python 2 wrote long integers in this way */
    *size = value;
    return 1;
}

/* (), (3,), (3, 5) or (3, 5,). */
static int shape(cursor *c, ag_array_info *info)
{
    if (!took(c, "(")) return failed(c, "expected a shape such as (3, 5)");
    info->rank = 0;
    for (int comma = 1; !took(c, ")");) {
        if (!comma) return failed(c, "expected ',' or ')'");
        if (info->rank == AG_MAX_AXES) return failed(c, "more than 4 axes");
        if (!size_of_axis(c, &info->size[info->rank++])) return 0;
        comma = took(c, ",");
        if (info->rank == 1 && !comma) return failed(c, "expected ','");
    }
    return 1;
}

/* Types as numpy names them, without the byte order, and as a whole; and the nearest of ours. */
static const struct {
    char name[3], whole[8];
    ag_dtype dtype;
} readable[] = {
    {"f2", "float16", AG_F32}, {"f4", "float32", AG_F32}, {"f8", "float64", AG_F64},
    {"i1", "int8", AG_I8},     {"i2", "int16", AG_I32},   {"i4", "int32", AG_I32},
    {"i8", "int64", AG_I64},   {"u1", "uint8", AG_U8},    {"u2", "uint16", AG_I32},
    {"u4", "uint32", AG_I64},  {"u8", "uint64", AG_I64},  {"b1", "bool", AG_U8},
};

static int descr(cursor *c, ag_array_info *info)
{
    char name[32];
    skip_space(c);
    if (*c->at == '[') return failed(c, "the values are records; save one array per field");
    if (!quoted(c, name)) return 0;
    const char *type = name + (strspn(name, "<>|=") > 0);
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        if (strcmp(type, readable[i].name) && strcmp(name, readable[i].whole)) continue;
        type = readable[i].name;
        const char order = type[1] == '1' ? '|' : name[0] == '>' ? '>' : '<';
        info->dtype = readable[i].dtype;
        memcpy(info->stored, (char[]){order, type[0], type[1], 0}, sizeof info->stored);
        return 1;
    }
    if (strchr(name, 'O')) return failed(c, "the values are Python objects; save plain numbers");
    return failed(c,
                  "the type is not a bool, integer or float of 1 to 8 bytes (f2, f4, f8, i1 to i8, "
                  "u1 to u8); convert the array");
}

int ag__npy_is_plain(const ag_array_info *info)
{
    return !strcmp(info->stored, types[info->dtype].descr) || info->stored[1] == 'b';
}

size_t ag__npy_stored_bytes(const ag_array_info *info) { return (size_t)(info->stored[2] - '0'); }

const char *ag__npy_stored_name(const ag_array_info *info)
{
    int i = 0;
    while (strcmp(readable[i].name, info->stored + 1)) i++;
    return readable[i].whole;
}

static int truth(cursor *c, int *value)
{
    *value = took(c, "True");
    return *value || took(c, "False") || failed(c, "expected True or False");
}

/* Every key once, in any order. */
static int dictionary(cursor *c, ag_array_info *info)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    int seen = 0, fortran = 0;
    if (!took(c, "{")) return failed(c, "expected '{'");
    for (int comma = 1; !took(c, "}");) {
        char key[32];
        int k = 0;
        if (!comma) return failed(c, "expected ',' or '}'");
        if (!quoted(c, key)) return 0;
        while (k < 3 && strcmp(key, keys[k])) k++;
        if (k == 3) return failed(c, "a key other than descr, fortran_order and shape");
        if (seen & 1 << k) return failed(c, "a key appears twice");
        seen |= 1 << k;
        if (!took(c, ":")) return failed(c, "expected ':'");
        int good = k == 0 ? descr(c, info) : k == 1 ? truth(c, &fortran) : shape(c, info);
        if (!good) return 0;
        comma = took(c, ",");
    }
    skip_space(c);
    if (*c->at) return failed(c, "something follows the '}'");
    if (seen != 7) return failed(c, "a key of descr, fortran_order and shape is missing");
    info->fortran = fortran && info->rank > 1;
    return 1;
}

ag_status ag__npy_count(int64_t *count, ag_dtype dtype, int rank, const int64_t *size,
                        const char *where, ag_failure *why)
{
    const int64_t most = (int64_t)1 << 48; /* of the sizes that are not 0: no product overflows */
    int64_t product = 1;
    int empty = 0;
    if ((unsigned)dtype >= TYPES || rank < 0 || rank > AG_MAX_AXES)
        return ag_fail(why, AG_EUSE,
                       "%s: dtype %d or rank %d is unknown; dtypes are 0 to %d, ranks 0 to %d",
                       where, (int)dtype, rank, TYPES - 1, AG_MAX_AXES);
    if (rank > 0 && !size)
        return ag_fail(why, AG_EUSE, "%s: the sizes of its %d axes are NULL; give them", where,
                       rank);
    for (int i = 0; i < rank; i++) {
        if (size[i] < 0 || (size[i] > 0 && product > most / size[i]))
            return ag_fail(why, AG_ESHAPE,
                           "%s: the size of axis %d is %lld, but sizes are at least 0 and their "
                           "product at most 2^48",
                           where, i, (long long)size[i]);
        if (size[i] == 0)
            empty = 1;
        else
            product *= size[i];
    }
    *count = empty ? 0 : product;
    return AG_OK;
}

static int printable(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((s[i] < ' ' || s[i] > '~') && (!s[i] || !strchr("\t\r\n", s[i]))) return 0;
    return 1;
}

/* Reads what comes before the dictionary; returns the dictionary's length, or 0 with a sentence. */
static size_t read_preamble(size_t *bytes, ag__reader *read, void *context, const char *where,
                            ag_failure *why)
{
    unsigned char p[AG__NPY_PREAMBLE_MOST];
    if (read(context, p, 10) != 10 || memcmp(p, "\x93NUMPY", 6)) {
        ag_fail(why, AG_EDATA, "%s is not an npy array: it does not start with \\x93NUMPY", where);
        return 0;
    }
    size_t n = p[8] | (size_t)p[9] << 8;
    *bytes = 10;
    if (p[6] < 1 || p[6] > 3) {
        ag_fail(why, AG_EDATA, "%s has npy version %d, but 1 to 3 can be read", where, p[6]);
        return 0;
    }
    if (p[6] > 1) {
        if (read(context, p + 10, 2) != 2)
            n = 0;
        else
            n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
        *bytes = 12;
    }
    if (n == 0 || n > AG__NPY_HEADER_MOST) {
        ag_fail(why, AG_EDATA, "%s has an npy header of %zu bytes, but 1 to %d are allowed", where,
                n, AG__NPY_HEADER_MOST);
        return 0;
    }
    return n;
}

ag_status ag__npy_read_header(ag_array_info *info, size_t *bytes, ag__reader *read, void *context,
                              const char *where, ag_failure *why)
{
    char dict[AG__NPY_HEADER_MOST + 1];
    size_t n = read_preamble(bytes, read, context, where, why);
    if (n == 0) return AG_EDATA;
    *bytes += n;
    if (read(context, dict, n) != (int64_t)n)
        return ag_fail(why, AG_EDATA, "%s ends within its npy header", where);
    if (!printable(dict, n))
        return ag_fail(why, AG_EDATA, "%s: npy header: a byte is not a printable character", where);
    dict[n] = 0;
    cursor c = {.at = dict};
    for (int i = 0; i < AG_MAX_AXES; i++) info->size[i] = 1;
    if (!dictionary(&c, info))
        return ag_fail(why, AG_EDATA, "%s: npy header, character %d: %s", where, (int)(c.at - dict),
                       c.problem);
    ag_failure here = {0};
    if (ag__npy_count(&info->count, info->dtype, info->rank, info->size, where, &here) != AG_OK)
        return ag_fail(why, AG_EDATA, "%s", here.sentence);
    return AG_OK;
}

size_t ag__npy_format(char out[AG__NPY_WRITTEN_MOST], ag_dtype dtype, int rank, const int64_t *size)
{
    char sizes[96] = "";
    int at = 0;
    for (int i = 0; i < rank; i++)
        at += snprintf(sizes + at, sizeof sizes - (size_t)at, i ? ", %lld" : "%lld",
                       (long long)size[i]);
    int n = snprintf(out + 10, AG__NPY_WRITTEN_MOST - 10,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                     types[dtype].descr, sizes, rank == 1 ? "," : "");
    size_t total = ((size_t)n + 10 + 1 + 63) / 64 * 64;
    memset(out + 10 + n, ' ', total - 10 - (size_t)n);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)((total - 10) & 0xFF);
    out[9] = (char)((total - 10) >> 8);
    out[total - 1] = '\n';
    return total;
}
