/* SPDX-License-Identifier: MIT */
#include "core/blocks.h"
#include "core/room.h"

#include <string.h>

enum {
    HEIGHT = 96,   /* rows of A that stay in the second cache, about */
    CHUNK = 128,   /* columns of B that are packed at a time */
    TURNED = 128,  /* terms of A' that are packed at a time */
    NEAR = 6144,   /* elements of B that stay in the first cache */
    FAR = 1 << 16, /* more do not stay in the second: they come panel by panel */
    LINE = 64,     /* bytes of a cache line */
    ALIAS = 1024   /* rows that are a multiple of this apart share few lines of the first cache */
};
_Static_assert((int)AG_ROOM_B >= CHUNK * (int)AG_MOST_DEPTH &&
                   (int)AG_ROOM_A >= (256 + (int)AG_MOST_ROWS) * TURNED,
               "a thread's room holds what is packed");

int ag__depth(int k)
{
    return k <= AG_MOST_DEPTH ? k + (k == 0) : ag__up(ag__up(k, ag__up(k, AG_MOST_DEPTH)), 8) * 8;
}

/* ---- what comes closer while tiles are computed: a cache line per term ---- */

typedef struct ahead {
    const char *at;
    int64_t step, jump; /* bytes, per term and per tile */
    int tiles;
} ahead;

/* `rows` rows of `elements`: what is contiguous in equal shares for `tiles` tiles, else a row each.
 */
static ahead next_rows(const ag_real *from, int64_t row, int64_t rows, int64_t elements, int tiles,
                       int terms)
{
    if (rows == 0 || tiles == 0) return (ahead){0};
    if (row == elements) elements *= rows, rows = 1;
    if (rows > 1) tiles = 1;
    const int64_t bytes = elements * (int64_t)sizeof *from,
                  step = bytes / ((int64_t)tiles * terms + 1) + 1;
    return (ahead){(const char *)from, step, rows > 1 ? row * (int64_t)sizeof *from : step * terms,
                   rows > 1 ? (int)rows : tiles};
}

/* `elements` of many rows: a tile brings one line of each. */
static ahead next_lines(const ag_real *from, int64_t row, int elements)
{
    return (ahead){(const char *)from, row * (int64_t)sizeof *from, LINE,
                   ag__up(elements * (int64_t)sizeof *from, LINE)};
}

static void fetch(ag_tile *t, const ag_real *near, ahead next[2])
{
    ahead *f = next[1].tiles > 0 ? &next[1] : &next[0];
    if (f->tiles-- <= 0) {
        ag__tile_bring(t, near, 0);
        return;
    }
    ag__tile_bring(t, f->at, f->step);
    f->at += f->jump;
}

/* ---- terms k0..k0+terms-1 of a block ---- */

/* Rows of op(A): the tile whose first row is r is at[r * block], packed or with rows `row` apart.
 */
typedef struct part {
    const ag_real *at;
    int64_t block, row;
    int packed;
} part;

/* A part of the result and of the terms: rows lo..lo+rows-1, panels first..last-1, terms k0 and on.
 */
typedef struct area {
    int lo, rows, first, last, k0, terms;
} area;

/* A as it is stored, or packed, or copied where its rows would push each other out of the cache; an
   element further apart than they are long, or all would reach the end of a line at the same term.
 */
static part part_of(const ag_product *p, area w, ag_real *room)
{
    const ag_tiles *set = ag__tiles();
    if (p->ta) {
        set->pack_a(room, p->a + w.k0 * p->a_row + w.lo, p->a_row, w.rows, w.terms, p->m - w.lo);
        return (part){room, w.terms, 0, 1};
    }
    const ag_real *a = p->a + w.lo * p->a_row + w.k0;
    const int64_t row = w.terms + 1;
    if (p->a_row % ALIAS || row * w.rows > AG_ROOM_A || w.last - w.first <= 2)
        return (part){a, p->a_row, p->a_row, 0};
    for (int i = 0; i < w.rows; i++)
        memcpy(room + i * row, a + i * p->a_row, (size_t)w.terms * sizeof *a);
    return (part){room, row, row, 0};
}

/* A tile, and meanwhile a share of what comes next. */
static void add_tile(const ag_product *p, ag_tile *t, part a, area w, int i, int rows, int q,
                     const ag_real *b, ahead next[2])
{
    const ag_tiles *set = ag__tiles();
    const int column = (w.first + q) * set->columns, width = ag__least(set->columns, p->n - column),
              last = w.k0 + w.terms == p->k;
    ag_real *c = p->c + (w.lo + i) * p->c_row + column;
    fetch(t, b, next);
    set->run(c, a.at + i * a.block, b, p->bias && last ? p->bias + column : NULL, t, rows, width);
}

/* Panel q of B is at b + (q - first) * apart. B in the first cache stays there, and rows of C are
   completed one after the other; else a panel of B stays there, and A in the second. */
static void add_terms(const ag_product *p, part a, area w, const ag_real *b, int64_t apart,
                      ahead next[2])
{
    const int tile = ag__tiles()->rows, wide = w.last - w.first,
              high = p->ta ? tile : ag__up(w.rows, ag__up(w.rows, tile)),
              columns = ag__tiles()->columns, tall = (ag__up(w.rows, high) + 1) / 2,
              far = wide * apart > FAR;
    ag_tile t = {.c_row = p->c_row,
                 .a_row = a.row,
                 .terms = w.terms,
                 .packed = a.packed,
                 .add = w.k0 > 0 || p->add};
    if (wide * apart <= NEAR) {
        for (int i = 0; i < w.rows; i += high)
            for (int q = 0; q < wide; q++)
                add_tile(p, &t, a, w, i, ag__least(high, w.rows - i), q, b + q * apart, next);
        return;
    }
    for (int q = 0; q < wide; q++) {
        if (far && q + 1 < wide)
            next[1] =
                next_rows(b + (q + 1) * apart, 0, 1, (int64_t)w.terms * columns, tall, w.terms);
        for (int i = 0; i < w.rows; i += high)
            add_tile(p, &t, a, w, i, ag__least(high, w.rows - i), q, b + q * apart, next);
    }
}

static int calls_of(int rows, int panels) { return panels * ag__up(rows, ag__tiles()->rows); }

/* Equal blocks of rows, of whole tiles. */
static int height_of(int rows, int most)
{
    const int tile = ag__tiles()->rows;
    return ag__up(ag__up(rows, ag__up(rows, most)), tile) * tile;
}

void ag__product_packed(const ag_product *p, const ag_real *panels, int lo, int hi, int first,
                        int last)
{
    if (hi <= lo) return;
    const int columns = ag__tiles()->columns, depth = ag__depth(p->k),
              height = height_of(hi - lo, HEIGHT), calls = calls_of(height, last - first) / 2;
    const int64_t apart = (int64_t)columns * p->k;
    ag_real *room = ag__room()->a;
    for (int row = lo; row < hi; row += height) {
        const int rows = ag__least(height, hi - row), below = ag__least(height, p->m - row - rows);
        for (int k0 = 0; k0 < p->k || k0 == 0; k0 += depth) {
            const int terms = ag__least(depth, p->k - k0), end = k0 + terms;
            const area w = {row, rows, first, last, k0, terms};
            ahead next[2] = {{0}};
            if (end < p->k)
                next[0] = next_rows(p->a + row * p->a_row + end, p->a_row, rows,
                                    ag__least(depth, p->k - end), calls, terms);
            else
                next[0] = next_rows(p->a + (row + rows) * p->a_row, p->a_row, below,
                                    ag__least(depth, p->k), calls, terms);
            add_terms(p, part_of(p, w, room), w, panels + first * apart + (int64_t)k0 * columns,
                      apart, next);
        }
    }
}

void ag__pack_panel(ag_real *to, const ag_product *p, int64_t q, int k0, int terms)
{
    const ag_tiles *set = ag__tiles();
    const int64_t column = q * set->columns;
    const ag_real *b = p->tb ? p->b + column * p->b_row + k0 : p->b + k0 * p->b_row + column;
    set->pack_b(to, b, p->b_row, p->tb, ag__least(set->columns, p->n - column), terms);
}

/* The part of B that is packed after this one: the next columns, or the first of the next terms. */
static ahead next_chunk(const ag_product *p, area w, int q, int end)
{
    const int columns = ag__tiles()->columns, more = end < w.last;
    const int from = more ? end : w.first, until = ag__least(from + end - q, w.last);
    const int64_t column = (int64_t)from * columns, row = more ? w.k0 : w.k0 + w.terms;
    if (row >= p->k) return (ahead){0};
    if (p->tb)
        return next_lines(p->b + column * p->b_row + row, p->b_row, ag__least(w.terms, p->k - row));
    return next_lines(p->b + row * p->b_row + column, p->b_row,
                      ag__least((int64_t)(until - from) * columns, p->n - column));
}

/* Of A', as it is stored, and of B what is packed for the next terms. */
static void next_terms(ahead next[2], const ag_product *p, area w)
{
    const int columns = ag__tiles()->columns, end = w.k0 + w.terms,
              rows = ag__least(w.terms, p->k - end), tiles = calls_of(w.rows, w.last - w.first) / 2;
    const int64_t column = (int64_t)w.first * columns;
    if (!p->ta || rows == 0) return;
    next[0] = next_rows(p->a + end * p->a_row + w.lo, p->a_row, rows, w.rows, tiles, w.terms);
    if (!p->tb)
        next[1] = next_rows(p->b + end * p->b_row + column, p->b_row, rows,
                            ag__least((int64_t)w.last * columns, p->n) - column, tiles, w.terms);
}

void ag__product_alone(const ag_product *p, int lo, int hi, int first, int last)
{
    if (hi <= lo) return;
    const int columns = ag__tiles()->columns, chunk = CHUNK / columns,
              depth = p->ta ? ag__least(p->k + (p->k == 0), TURNED) : ag__depth(p->k),
              height = height_of(hi - lo, p->ta ? AG_ROOM_A / depth - AG_MOST_ROWS : 1 << 20);
    ag_room *room = ag__room();
    for (int row = lo; row < hi; row += height)
        for (int k0 = 0; k0 < p->k || k0 == 0; k0 += depth) {
            area w = {row, ag__least(height, hi - row), first, last,
                      k0,  ag__least(depth, p->k - k0)};
            const part a = part_of(p, w, room->a);
            ahead next[2] = {{0}};
            next_terms(next, p, w);
            for (int q = first; q < last; q += chunk) {
                const int end = ag__least(q + chunk, last);
                if (!p->ta) next[0] = next_chunk(p, w, q, end);
                for (int i = q; i < end; i++)
                    ag__pack_panel(room->b + (int64_t)(i - q) * columns * w.terms, p, i, k0,
                                   w.terms);
                const area part = {row, w.rows, q, end, k0, w.terms};
                add_terms(p, a, part, room->b, (int64_t)columns * w.terms, next);
            }
        }
}
