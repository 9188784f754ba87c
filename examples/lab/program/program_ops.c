/* SPDX-License-Identifier: MIT */
/* The list of the ops: names and codes of LEARNED_HLO_OPCODE_LIST (tpu_graphs, hlo_opcode.h). */
#include "examples/lab/program/program_internal.h"

#include <string.h>

enum { NUMBERS = LAB_IN_F32 | LAB_IN_S32 };

static const lab_op_entry ops[LAB_OPS] = {
    [LAB_PARAMETER] = {"parameter", 63, 0, 0, lab__shape_given},
    [LAB_CONSTANT] = {"constant", 24, 0, 0, lab__shape_constant},
    [LAB_IOTA] = {"iota", 48, 0, 0, lab__shape_iota},
    [LAB_BROADCAST] = {"broadcast", 13, 1, LAB_IN_ANY, lab__shape_broadcast},
    [LAB_RESHAPE] = {"reshape", 75, 1, LAB_IN_ANY, lab__shape_reshape},
    [LAB_TRANSPOSE] = {"transpose", 98, 1, LAB_IN_ANY, lab__shape_transpose},
    [LAB_COPY] = {"copy", 27, 1, LAB_IN_ANY, lab__shape_same},
    [LAB_CONVERT] = {"convert", 25, 1, LAB_IN_ANY, lab__shape_convert},
    [LAB_CONCATENATE] = {"concatenate", 22, -1, LAB_IN_ANY, lab__shape_concatenate},
    [LAB_SLICE] = {"slice", 92, 1, LAB_IN_ANY, lab__shape_slice},
    [LAB_PAD] = {"pad", 62, 2, LAB_IN_ANY, lab__shape_pad},
    [LAB_REVERSE] = {"reverse", 76, 1, LAB_IN_ANY, lab__shape_reverse},
    [LAB_ABS] = {"abs", 1, 1, NUMBERS, lab__shape_same},
    [LAB_EXPONENTIAL] = {"exponential", 37, 1, LAB_IN_F32, lab__shape_same},
    [LAB_LOG] = {"log", 50, 1, LAB_IN_F32, lab__shape_same},
    [LAB_LOGISTIC] = {"logistic", 107, 1, LAB_IN_F32, lab__shape_same},
    [LAB_NEGATE] = {"negate", 60, 1, NUMBERS, lab__shape_same},
    [LAB_RSQRT] = {"rsqrt", 81, 1, LAB_IN_F32, lab__shape_same},
    [LAB_SQRT] = {"sqrt", 94, 1, LAB_IN_F32, lab__shape_same},
    [LAB_SIGN] = {"sign", 90, 1, NUMBERS, lab__shape_same},
    [LAB_TANH] = {"tanh", 96, 1, LAB_IN_F32, lab__shape_same},
    [LAB_NOT] = {"not", 53, 1, LAB_IN_PRED, lab__shape_same},
    [LAB_ADD] = {"add", 2, 2, NUMBERS, lab__shape_same},
    [LAB_SUBTRACT] = {"subtract", 95, 2, NUMBERS, lab__shape_same},
    [LAB_MULTIPLY] = {"multiply", 59, 2, NUMBERS, lab__shape_same},
    [LAB_DIVIDE] = {"divide", 32, 2, LAB_IN_F32, lab__shape_same},
    [LAB_MAXIMUM] = {"maximum", 57, 2, NUMBERS, lab__shape_same},
    [LAB_MINIMUM] = {"minimum", 58, 2, NUMBERS, lab__shape_same},
    [LAB_POWER] = {"power", 66, 2, LAB_IN_F32, lab__shape_same},
    [LAB_COMPARE] = {"compare", 20, 2, NUMBERS, lab__shape_compare},
    [LAB_AND] = {"and", 52, 2, LAB_IN_PRED, lab__shape_same},
    [LAB_OR] = {"or", 54, 2, LAB_IN_PRED, lab__shape_same},
    [LAB_SELECT] = {"select", 83, 3, LAB_IN_PRED, lab__shape_select},
    [LAB_CLAMP] = {"clamp", 17, 3, NUMBERS, lab__shape_same},
    [LAB_REDUCE] = {"reduce", 70, 1, NUMBERS, lab__shape_reduce},
    [LAB_REDUCE_WINDOW] = {"reduce-window", 72, 1, NUMBERS, lab__shape_window},
    [LAB_DOT] = {"dot", 34, 2, LAB_IN_F32, lab__shape_dot},
    [LAB_CONVOLUTION] = {"convolution", 26, 2, LAB_IN_F32, lab__shape_convolution},
    [LAB_GATHER] = {"gather", 42, 2, LAB_IN_ANY, lab__shape_gather},
};

const lab_op_entry *lab__op(lab_op op) { return (unsigned)op < LAB_OPS ? &ops[op] : NULL; }

const char *lab_op_name(lab_op op) { return lab__op(op) ? ops[op].name : "unknown"; }

int lab_op_code(lab_op op) { return lab__op(op) ? ops[op].code : 0; }

int lab_op_find(const char *name)
{
    for (int op = 0; op < LAB_OPS; op++)
        if (!strcmp(name, ops[op].name)) return op;
    return -1;
}

const char *lab_type_name(lab_type type)
{
    static const char *const names[LAB_TYPES] = {"f32", "s32", "pred"};
    return (unsigned)type < LAB_TYPES ? names[type] : "unknown";
}
