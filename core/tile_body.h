/* SPDX-License-Identifier: MIT */
/* The micro-kernels for the instruction set that the including file is compiled for; it defines
   TILES, the name of the set. Compile it with -ffp-contract=fast, so that a * x + y is one
   instruction where the processor has it. */
#include "core/tile.h"

#include <string.h>

#if defined(__AVX512F__)
# define TILES_NAME "avx512"
enum { BYTES = 64, ROWS = 14 };
#elif defined(__AVX2__)
# define TILES_NAME "avx2"
enum { BYTES = 32, ROWS = 6 };
#elif defined(__aarch64__)
# define TILES_NAME "neon"
enum { BYTES = 16, ROWS = 12 };
#else
# if defined(__SSE2__)
#  define TILES_NAME "sse2"
# else
#  define TILES_NAME "plain"
# endif
enum { BYTES = 16, ROWS = 6 };
#endif
enum { LANES = BYTES / sizeof(ag_real), COLUMNS = 2 * LANES };

typedef ag_real vector __attribute__((vector_size(BYTES)));
typedef ag_real unaligned __attribute__((vector_size(BYTES), aligned(sizeof(ag_real)), may_alias));

#define INLINE static inline __attribute__((always_inline))
INLINE vector load(const ag_real *p) { return *(const unaligned *)p; }
INLINE void store(ag_real *p, vector v) { *(unaligned *)p = v; }

/* Sanitizers check each access, so unrolled tiles would take minutes to compile. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
# define CHECKED 1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#  define CHECKED 1
# endif
#endif

/* Loops over the rows of a tile are unrolled, so that the sums stay in registers. The loop over the
   terms is not: clang would run out of registers, and gcc would repeat the code of the last terms
   for each tile. That takes a quarter of gcc's time, and saves 7 % of a product of at most three
   terms. */
#if defined(CHECKED)
# define EVERY_ROW
# define AS_IT_IS
#elif defined(__clang__)
# define EVERY_ROW _Pragma("clang loop unroll(full)")
# define AS_IT_IS  _Pragma("clang loop unroll(disable)")
#else
# define EVERY_ROW _Pragma("GCC unroll 14")
# define AS_IT_IS  _Pragma("GCC unroll 1")
#endif

/* ---- a tile ---- */

/* Rows of A are in groups. Each group has one pointer, and the distances of its rows from it are
   multiples of a_row that an address can express. Without groups gcc would keep an address for each
   row and term of a tile, more than there are registers; clang needs no groups. */
#ifdef __clang__
enum { GROUP = ROWS };
# define HIDE(pointer)
#else
enum { GROUP = ROWS > 12 ? 2 : 3 };
/* Hides where the value comes from, else gcc keeps an address for each row and term after all. */
# define HIDE(pointer) __asm__("" : "+r"(pointer))
#endif
enum { GROUPS = (ROWS + GROUP - 1) / GROUP };

enum { SOON = 6 }; /* a row of a stored B is prefetched this many terms before its use */

/* Stores a tile that is narrower than its registers. */
static __attribute__((noinline)) void put_narrow(ag_real *c, const ag_real *sums,
                                                 const ag_real *bias, const ag_tile *t, int rows,
                                                 int width)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            ag_real *to = c + i * t->c_row + j, v = sums[i * COLUMNS + j];
            if (t->add) v += *to;
            *to = bias ? v + bias[j] : v;
        }
}

/* Pointers that the loop over the terms advances: groups of rows of A, the row of B, its copy. */
typedef struct place {
    const ag_real *a[GROUPS], *b;
    ag_real *panel;
} place;

/* AVX-512 multiplies by an element in memory in one instruction, if its address has no index;
   compilers would load an element that is used twice into a register. Half of the rows use this
   instruction: all rows would need more loads than a core can do at a time. */
#if defined(__AVX512F__) && !defined(AG_DOUBLE)
enum { FROM_MEMORY = 1 };
INLINE void add_product(vector *sum, vector x, vector y)
{
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(*sum) : "v"(y), "v"(x));
}
INLINE void add_product_of(vector *sum, const ag_real *x, vector y)
{
    __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(*sum) : "v"(y), "m"(*x));
}
#else
enum { FROM_MEMORY = 0 };
INLINE void add_product(vector *sum, vector x, vector y) { *sum += x * y; }
INLINE void add_product_of(vector *sum, const ag_real *x, vector y) { *sum += *x * y; }
#endif

/* Adds the p-th term from here; A is packed in panels of ROWS rows, or as it is stored. */
INLINE void add_term(vector sum[ROWS][2], const int packed, const int rows, const int vectors,
                     const place *at, const int64_t a_row, const int p, vector left, vector right)
{
    EVERY_ROW for (int i = 0; i < rows; i++)
    {
        const ag_real *from =
            packed ? at->a[0] + p * ROWS + i : at->a[i / GROUP] + i % GROUP * a_row + p;
        if (vectors == 1) {
            add_product_of(&sum[i][0], from, left);
        } else if (FROM_MEMORY && i % (packed ? 2 : GROUP) == 0) {
            add_product_of(&sum[i][0], from, left);
            add_product_of(&sum[i][1], from, right);
        } else {
            const vector x = *from - (vector){0};
            add_product(&sum[i][0], x, left);
            add_product(&sum[i][1], x, right);
        }
    }
}

/* Adds `terms` terms; rows of a stored B are b_row elements apart, and are copied. */
INLINE void add_terms(vector sum[ROWS][2], const int stored, const int packed, const int rows,
                      const int vectors, place *at, int64_t a_row, const int64_t b_row,
                      const int terms)
{
    HIDE(a_row);
    EVERY_ROW for (int p = 0; p < terms; p++)
    {
        const vector left = load(at->b), right = load(at->b + (vectors > 1 ? LANES : 0));
        if (stored) {
            __builtin_prefetch(at->b + SOON * b_row, 0, 3);
            __builtin_prefetch(at->b + SOON * b_row + LANES, 0, 3);
            store(at->panel, left);
            store(at->panel + LANES, right);
            at->panel += COLUMNS;
        }
        add_term(sum, packed, rows, vectors, at, a_row, p, left, right);
        at->b += stored ? b_row : COLUMNS;
    }
    EVERY_ROW for (int g = 0; g * GROUP < rows; g++) at->a[g] += packed ? terms * ROWS : terms;
}

/* Each iteration adds four terms: where two threads share a core, instructions that only count
   iterations take as long as multiplications. */
enum { TURN_TERMS = 4 };

INLINE void tile_of(const int stored, const int packed, const int rows, const int vectors,
                    ag_real *c, ag_real *panel, const ag_real *a, const ag_real *b,
                    const int64_t b_row, const ag_real *bias, const ag_tile *t, int width)
{
    const int64_t a_row = t->a_row, c_row = t->c_row;
    vector sum[ROWS][2];
    EVERY_ROW for (int i = 0; i < rows; i++)
    {
        __builtin_prefetch(c + i * c_row, 1, 3); /* arrives while the terms are added */
        if (vectors > 1) __builtin_prefetch(c + i * c_row + LANES, 1, 3);
        sum[i][0] = sum[i][1] = (vector){0};
    }
    const char *next = t->next;
    const int64_t step = t->step, side = t->side, ahead = t->ahead;
    place at = {.b = b, .panel = panel};
    EVERY_ROW for (int g = 0; g * GROUP < rows; g++) at.a[g] = a + g * GROUP * a_row;
    int terms = t->terms;
    AS_IT_IS for (; terms >= TURN_TERMS; terms -= TURN_TERMS)
    {
        __builtin_prefetch(next, 0, 2);
        __builtin_prefetch(next + step, 0, 2);
        __builtin_prefetch(next + side, 0, 2);
        __builtin_prefetch(next + side + step, 0, 2);
        next += ahead;
        add_terms(sum, stored, packed, rows, vectors, &at, a_row, b_row, TURN_TERMS);
    }
    AS_IT_IS for (; terms > 0; terms--)
        add_terms(sum, stored, packed, rows, vectors, &at, a_row, b_row, 1);
    vector left, right;
    if (width < vectors * LANES) {
        ag_real sums[ROWS][COLUMNS];
        EVERY_ROW for (int i = 0; i < rows; i++)
        {
            store(sums[i], sum[i][0]);
            store(sums[i] + LANES, sum[i][1]);
        }
        put_narrow(c, sums[0], bias, t, rows, width);
        return;
    }
    if (t->add) {
        EVERY_ROW for (int i = 0; i < rows; i++)
        {
            sum[i][0] += load(c + i * c_row);
            if (vectors > 1) sum[i][1] += load(c + i * c_row + LANES);
        }
    }
    if (bias) {
        left = load(bias), right = load(bias + (vectors > 1 ? LANES : 0));
        EVERY_ROW for (int i = 0; i < rows; i++)
        {
            sum[i][0] += left;
            if (vectors > 1) sum[i][1] += right;
        }
    }
    EVERY_ROW for (int i = 0; i < rows; i++)
    {
        store(c + i * c_row, sum[i][0]);
        if (vectors > 1) store(c + i * c_row + LANES, sum[i][1]);
    }
}

/* If the compiler knows the number of rows, the sums stay in registers. An odd number above 7
   becomes two tiles, the second of 5 rows, which saves a quarter of the compile time. */
INLINE int first_rows(int rows) { return ROWS > 7 && rows > 7 && rows % 2 ? rows - 5 : rows; }

INLINE void tile_rows(const int stored, const int packed, const int vectors, ag_real *c,
                      ag_real *panel, const ag_real *a, const ag_real *b, const int64_t b_row,
                      const ag_real *bias, const ag_tile *t, int rows, int width)
{
#ifdef CHECKED
    tile_of(stored, packed, rows, vectors, c, panel, a, b, b_row, bias, t, width);
#else
    switch (rows) {
    case 1: tile_of(stored, packed, 1, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 2: tile_of(stored, packed, 2, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 3: tile_of(stored, packed, 3, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 4: tile_of(stored, packed, 4, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 5: tile_of(stored, packed, 5, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 6: tile_of(stored, packed, 6, vectors, c, panel, a, b, b_row, bias, t, width); break;
# if defined(__AVX512F__) || defined(__aarch64__)
    case 7: tile_of(stored, packed, 7, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 8: tile_of(stored, packed, 8, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 10: tile_of(stored, packed, 10, vectors, c, panel, a, b, b_row, bias, t, width); break;
    case 12: tile_of(stored, packed, 12, vectors, c, panel, a, b, b_row, bias, t, width); break;
# endif
# if defined(__AVX512F__)
    case 14: tile_of(stored, packed, 14, vectors, c, panel, a, b, b_row, bias, t, width); break;
# endif
    default: break;
    }
#endif
}

/* Each kind has its own function: gcc compiles them in a third less time than one for all. */
#define TILES_OF(name, packed, vectors)                                                      \
 static __attribute__((noinline)) void name(ag_real *c, const ag_real *a, const ag_real *b,  \
                                            const ag_real *bias, const ag_tile *t, int rows, \
                                            int width)                                       \
 {                                                                                           \
  tile_rows(0, packed, vectors, c, NULL, a, b, COLUMNS, bias, t, rows, width);               \
 }
TILES_OF(run_half, 0, 1)
TILES_OF(run_whole, 0, 2)
TILES_OF(run_half_packed, 1, 1)
TILES_OF(run_whole_packed, 1, 2)

INLINE void run_once(ag_real *c, const ag_real *a, const ag_real *b, const ag_real *bias,
                     const ag_tile *t, int rows, int width)
{
    if (width > LANES && t->packed)
        run_whole_packed(c, a, b, bias, t, rows, width);
    else if (width > LANES)
        run_whole(c, a, b, bias, t, rows, width);
    else if (t->packed)
        run_half_packed(c, a, b, bias, t, rows, width);
    else
        run_half(c, a, b, bias, t, rows, width);
}

/* A function of its own, so that other tiles need not save registers. */
static __attribute__((noinline)) void run_twice(ag_real *c, const ag_real *a, const ag_real *b,
                                                const ag_real *bias, const ag_tile *t, int rows,
                                                int width)
{
    const int first = first_rows(rows);
    run_once(c, a, b, bias, t, first, width);
    run_once(c + first * t->c_row, a + first * (t->packed ? 1 : t->a_row), b, bias, t, rows - first,
             width);
}

static void run(ag_real *c, const ag_real *a, const ag_real *b, const ag_real *bias,
                const ag_tile *t, int rows, int width)
{
    if (first_rows(rows) < rows)
        run_twice(c, a, b, bias, t, rows, width);
    else
        run_once(c, a, b, bias, t, rows, width);
}

/* ---- packing ---- */

enum { TURN = 8 }; /* rows and columns of a square that is transposed in registers */
typedef ag_real octet __attribute__((vector_size(TURN * sizeof(ag_real))));
typedef ag_real loose_octet
    __attribute__((vector_size(TURN * sizeof(ag_real)), aligned(sizeof(ag_real)), may_alias));
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* to[j,i] = from[i,j]: exchanges elements, then pairs, then quadruples. */
INLINE void turn(ag_real *to, int64_t to_row, const ag_real *from, int64_t from_row)
{
    octet r[TURN], s[TURN];
    for (int i = 0; i < TURN; i++) r[i] = *(const loose_octet *)(from + i * from_row);
    for (int i = 0; i < TURN / 2; i++) {
        s[2 * i] = MIX(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        s[2 * i + 1] = MIX(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++)
        for (int h = 0; h < 2; h++) {
            const octet low = s[4 * i + h], high = s[4 * i + 2 + h];
            r[4 * i + 2 * h] = MIX(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            r[4 * i + 2 * h + 1] = MIX(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < TURN / 2; i++) {
        loose_octet *low = (loose_octet *)(to + i * to_row),
                    *high = (loose_octet *)(to + (i + 4) * to_row);
        *low = MIX(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        *high = MIX(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

static void pack_rows(ag_real *to, const ag_real *b, int64_t b_row, int width, int terms)
{
    if (width == COLUMNS) {
        for (int p = 0; p < terms; p++, b += b_row, to += COLUMNS) {
            store(to, load(b));
            store(to + LANES, load(b + LANES));
        }
        return;
    }
    for (int p = 0; p < terms; p++, b += b_row, to += COLUMNS) {
        memcpy(to, b, (size_t)width * sizeof *to);
        memset(to + width, 0, (size_t)(COLUMNS - width) * sizeof *to);
    }
}

/* clang runs out of registers where a term does more than multiply, so it packs B first. */
static void run_stored(ag_real *c, ag_real *panel, const ag_real *a, const ag_real *b,
                       int64_t b_row, const ag_tile *t, int rows)
{
#ifdef __clang__
    pack_rows(panel, b, b_row, COLUMNS, t->terms);
    run(c, a, panel, NULL, t, rows, COLUMNS);
#else
    const int first = first_rows(rows);
    tile_rows(1, 0, 2, c, panel, a, b, b_row, NULL, t, first, COLUMNS);
    if (first < rows)
        run(c + first * t->c_row, a + first * t->a_row, panel, NULL, t, rows - first, COLUMNS);
#endif
}

static void pack_b(ag_real *to, const ag_real *b, int64_t b_row, int tb, int width, int terms)
{
    if (!tb) {
        pack_rows(to, b, b_row, width, terms);
        return;
    }
    const int whole = terms - terms % (2 * TURN), squares = width - width % TURN;
    if (width < COLUMNS)
        for (int p = 0; p < terms; p++)
            memset(to + (int64_t)p * COLUMNS + squares, 0,
                   (size_t)(COLUMNS - squares) * sizeof *to);
    for (int p = 0; p < whole; p += 2 * TURN)
        for (int j = 0; j < squares; j += TURN)
            for (int e = p; e < p + 2 * TURN; e += TURN) /* a cache line of each row */
                turn(to + (int64_t)e * COLUMNS + j, COLUMNS, b + j * b_row + e, b_row);
    for (int p = 0; p < terms; p++)
        for (int j = p < whole ? squares : 0; j < width; j++)
            to[(int64_t)p * COLUMNS + j] = b[j * b_row + p];
}

/* Rows of a are read whole, one after the other. A panel's part of a row is copied as a whole
   register where that many elements may be read; the next term overwrites the surplus. */
enum { MOVED = ROWS <= 8 ? 8 : 16 };
typedef ag_real moved
    __attribute__((vector_size(MOVED * sizeof(ag_real)), aligned(sizeof(ag_real)), may_alias));

static void pack_a(ag_real *to, const ag_real *a, int64_t a_row, int rows, int terms, int room)
{
    for (int p = 0; p < terms; p++, a += a_row) {
        ag_real *at = to + (int64_t)p * ROWS;
        for (int i = 0; i < rows; i += ROWS, at += (int64_t)ROWS * terms) {
            if (p + 1 < terms && i + MOVED <= room)
                *(moved *)at = *(const moved *)(a + i);
            else
                memcpy(at, a + i, (size_t)(rows - i < ROWS ? rows - i : ROWS) * sizeof *at);
        }
    }
}

const ag_tiles TILES = {TILES_NAME, ROWS, COLUMNS, run, run_stored, pack_b, pack_a};
