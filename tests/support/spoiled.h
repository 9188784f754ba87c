/* SPDX-License-Identifier: MIT */
/* Small good files of each kind, and a wrong part of one of their arrays. */
#ifndef TEST_SPOILED_H
#define TEST_SPOILED_H

#include "support/tpgnn_npz.h"
#include "support/tpu_npz.h"

typedef enum test_kind { LAYOUT, TILE, FUSION, SCHEDULES, KINDS } test_kind;
/* The part of an array that gets the value: an element or an axis by its place, rank or type. */
typedef enum test_what { ELEMENT, SIZE, RANK, TYPE } test_what;

static inline void test_set_element(const test_array *a, int at, double value)
{
    void *data = (void *)(uintptr_t)a->data;
    switch (a->dtype) {
    case AG_F32: ((float *)data)[at] = (float)value; break;
    case AG_F64: ((double *)data)[at] = value; break;
    case AG_U8: ((uint8_t *)data)[at] = (uint8_t)value; break;
    case AG_I32: ((int32_t *)data)[at] = (int32_t)value; break;
    default: ((int64_t *)data)[at] = value >= 0x1p63 ? INT64_MAX : (int64_t)value;
    }
}

static inline void test_spoil(test_array *a, test_what what, int at, double value)
{
    switch (what) {
    case ELEMENT: test_set_element(a, at, value); break;
    case SIZE: a->size[at] = (int64_t)value; break;
    case RANK: a->rank = (int)value; break;
    case TYPE: a->dtype = (ag_dtype)value; break;
    }
}

/* The arrays of a good file, made again. */
static inline test_array *test_kind_make(test_kind kind, int *arrays)
{
    static test_layout l;
    static test_tile t;
    static test_fusion f;
    static test_schedules s;
    test_layout_make(&l);
    test_tile_make(&t);
    test_fusion_make(&f);
    test_schedules_make(&s);
    *arrays = (const int[]){l.arrays, t.arrays, f.arrays, TPGNN_ARRAYS}[kind];
    return (test_array *[]){l.array, t.array, f.array, s.array}[kind];
}

#endif
