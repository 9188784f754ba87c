/* SPDX-License-Identifier: MIT */
/* Record: leaves and nodes are appended to the tape; nothing is computed here. */
#include "autograd/tape.h"
#include "core/device.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/shape.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static ag_tensor nowhere; /* what a NULL tape hands out */

ag_tape *ag_tape_new(ag_device device)
{
    ag_tape *tape = ag_alloc(sizeof *tape);
    if (!tape) return NULL;
    memset(tape, 0, sizeof *tape);
    tape->device = device;
    tape->training = 1;
    tape->poison.tape = tape;
    tape->arena = ag_arena_new();
    if (!tape->arena) {
        ag_free(tape);
        return NULL;
    }
    ag_tape_reset(tape);
    return tape;
}

void ag_tape_free(ag_tape *tape)
{
    if (!tape) return;
    for (int i = 0; i < AG_PLANS; i++) ag__plan_free(&tape->plans[i]);
    ag_arena_free(tape->arena);
    ag__slots_free(&tape->slots);
    ag_free(tape->tensors);
    ag_free(tape->nodes);
    ag_free(tape->averages);
    ag_free(tape->key.bytes);
    ag__device_end(tape);
    ag_arena_free(tape->slab_arena);
    ag_arena_free(tape->tiles_arena);
    ag_free(tape->work);
    ag_free(tape->profile);
    ag_free(tape);
}

void ag_tape_reset(ag_tape *tape)
{
    if (!tape) return;
    ag_arena_reset(tape->arena);
    if (tape->ran && !tape->seeded) tape->record.step++;
    tape->generation++;
    tape->n_tensors = tape->n_nodes = tape->n_averages = tape->ran = 0;
    tape->ordinals = 0;
    tape->fits = 0;
    tape->failure.status = AG_OK;
    tape->failure.sentence[0] = 0;
    if (tape->results) ag_arena_reset(tape->results);
    if (tape->device != AG_CPU) ag_device_open(&tape->failure);
}

void ag_tape_seed(ag_tape *tape, uint64_t seed, uint64_t step)
{
    if (!tape) return;
    tape->seeded = 1;
    tape->record = (ag_run_record){seed, step};
}

void ag_tape_training(ag_tape *tape, int training)
{
    if (tape) tape->training = training;
}

void ag_tape_begin(ag_tape *tape, int training)
{
    ag_tape_reset(tape);
    ag_tape_training(tape, training);
}

int ag_is_training(const ag_tape *tape) { return tape && tape->training; }

ag_device ag_tape_device(const ag_tape *tape) { return tape ? tape->device : AG_CPU; }

void ag_tape_precision(ag_tape *tape, ag_precision precision)
{
    if (!tape) return;
    if (precision != AG_FP32 && precision != AG_TF32)
        ag_tape_fail(tape, AG_EUSE,
                     "ag_tape_precision: %d is not a precision; it must be AG_FP32 or AG_TF32",
                     (int)precision);
    else if (precision == AG_TF32 && tape->device == AG_CPU)
        ag_tape_fail(tape, AG_EUSE,
                     "ag_tape_precision: only a CUDA device has products in tf32, but this tape is "
                     "on the CPU; leave AG_FP32, or make the tape with ag_tape_new(AG_CUDA)");
    else
        tape->precision = precision;
}

void ag_check_finite(ag_tape *tape, int on)
{
    if (tape) tape->check_finite = on;
}

int ag_failed(const ag_tape *tape) { return !tape || tape->failure.status != AG_OK; }

const char *ag_error(const ag_tape *tape)
{
    return tape ? tape->failure.sentence : "There was no memory for a tape";
}

ag_status ag_tape_status(const ag_tape *tape) { return tape ? tape->failure.status : AG_EMEMORY; }

void ag_tape_fail(ag_tape *tape, ag_status status, const char *format, ...)
{
    char text[sizeof tape->failure.sentence];
    va_list list;
    if (!tape) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format ? format : "A call failed and gave no reason", list);
    va_end(list);
    ag_fail(&tape->failure, status, "%s", text);
}

ag_tensor *ag__poison(ag_tape *tape) { return tape ? &tape->poison : &nowhere; }

static ag_tensor *no_memory(ag_tape *tape)
{
    if (ag_failed(tape)) return ag__poison(tape);
    ag_tape_fail(tape, AG_EMEMORY, "There is no memory for another op on the tape (it has %d)",
                 tape->n_nodes);
    return ag__poison(tape);
}

/* Appends a tensor, or returns the poison when the tape has failed, has run or is out of memory. */
static ag_tensor *append(ag_tape *tape, ag_shape shape, int is_int)
{
    if (ag_failed(tape)) return ag__poison(tape);
    if (tape->ran) {
        ag_tape_fail(
            tape, AG_EUSE,
            "An op was recorded after the tape ran; call ag_tape_reset before the next step");
        return ag__poison(tape);
    }
    ag_tensor *t = ag__slot(&tape->slots, tape->n_tensors);
    if (!t || ag__reserve(&tape->tensors, &tape->tensors_capacity, tape->n_tensors + 1, sizeof t))
        return no_memory(tape);
    memset(t, 0, sizeof *t);
    t->tape = tape;
    t->generation = tape->generation;
    t->id = t->root = tape->n_tensors;
    t->node = -1;
    t->shape = shape;
    t->count = ag_shape_count(shape);
    t->is_int = is_int;
    tape->tensors[tape->n_tensors++] = t;
    return t;
}

static ag_tensor *leaf(ag_tape *tape, const void *data, ag_shape shape, int is_int)
{
    char text[64];
    if (ag_failed(tape)) return ag__poison(tape);
    const int64_t count = ag_shape_count(shape);
    if (count < 0)
        ag_tape_fail(
            tape, AG_ESHAPE,
            "input %d: cannot have the shape %s (rank %d); the rank is 0 to %d, sizes are 0 or "
            "more and their product is at most 2^40",
            tape->n_tensors, ag_shape_text(text, shape), shape.rank, AG_MAX_AXES);
    else if (!data && count > 0)
        ag_tape_fail(tape, AG_EUSE,
                     "input %d: the data of %s is NULL; give it an array, or look at why there is "
                     "none",
                     tape->n_tensors, ag_shape_text(text, shape));
    if (ag_failed(tape)) return ag__poison(tape);
    ag_tensor *t = append(tape, shape, is_int);
    if (t != &tape->poison) t->data = data;
    return t;
}

static ag_tensor *borrow(ag_tape *tape, const void *data, ag_shape shape, int is_int)
{
    ag_tensor *t = leaf(tape, data, shape, is_int);
    if (!ag_failed(tape)) ag__borrow(t);
    return t;
}

ag_tensor *ag_input(ag_tape *tape, const ag_real *data, ag_shape shape)
{
    return borrow(tape, data, shape, 0);
}

ag_tensor *ag_input_i32(ag_tape *tape, const int32_t *data, ag_shape shape)
{
    return borrow(tape, data, shape, 1);
}

ag_tensor *ag__input_lasting(ag_tape *tape, const int32_t *data, ag_shape shape, uint64_t serial)
{
    ag_tensor *x = ag_input_i32(tape, data, shape);
    if (!ag_failed(tape)) x->serial = serial;
    return x;
}

int32_t *ag__tape_ints(ag_tape *tape, int n)
{
    int32_t *values =
        ag_failed(tape) ? NULL : ag_arena_take(tape->arena, (size_t)n * sizeof *values);
    if (!values) no_memory(tape);
    return values;
}

/* Fails the tape where the parameter has no values, with what went wrong when it was declared, or
   has them on another device. */
static void check_built(ag_tape *tape, const ag_param *param)
{
    const ag_params *block = param ? param->block : NULL;
    if (!param)
        ag_tape_fail(tape, AG_EUSE,
                     "A parameter is NULL; give what ag_params_add, or a call that makes a layer, "
                     "returned");
    else if (!param->value && block && block->failure.status)
        ag_tape_fail(tape, block->failure.status, "%s", block->failure.sentence);
    else if (!param->value)
        ag_tape_fail(tape, AG_EUSE,
                     "parameter \"%s\" has no storage; build its block with ag_params_build first",
                     param->name ? param->name : "");
    else if (block->device != tape->device)
        ag_tape_fail(tape, AG_EUSE,
                     "parameter \"%s\" is on the %s, but the tape is on the %s; bring its block "
                     "there with ag_params_to after ag_params_build",
                     param->name, ag__device_name(block->device), ag__device_name(tape->device));
}

ag_tensor *ag_parameter(ag_tape *tape, ag_param *param)
{
    if (ag_failed(tape)) return ag__poison(tape);
    for (int i = 0; param && i < tape->n_tensors; i++)
        if (tape->tensors[i]->param == param) return tape->tensors[i];
    check_built(tape, param);
    if (ag_failed(tape)) return ag__poison(tape);
    ag_tensor *t = leaf(tape, param->value, param->shape, 0);
    if (t != &tape->poison) {
        t->param = param;
        t->name = param->name;
    }
    return t;
}

/* ---- nodes ---- */

/* Fails every tape of the inputs when there are several: 1. */
static int check_tapes(ag_tape *tape, const ag_op *op, ag_tensor *const *x, int n_in)
{
    int bad = 0;
    for (int i = 0; i < n_in; i++) {
        if (!x[i] || !x[i]->tape || x[i]->tape == tape) continue;
        char name[32];
        ag__input_name(name, op, i);
        for (int k = 0; k < 2; k++)
            ag_tape_fail(k ? tape : x[i]->tape, AG_EUSE,
                         "%s: %s (input %d) belongs to another tape than the inputs before it (op "
                         "%d); record all inputs of an op on one tape",
                         op->name, name, i, tape->n_nodes);
        bad = 1;
    }
    return bad;
}

/* The checks that all ops share; 0 if the node may be recorded. */
static int check_inputs(ag_tape *tape, const ag_op *op, ag_tensor *const *x, int n_in)
{
    for (int i = 0; i < n_in; i++) {
        char name[32];
        ag__input_name(name, op, i);
        if (!x[i] || !x[i]->tape) {
            ag_tape_fail(tape, AG_EUSE, "%s: %s (input %d) is %s; give it a tensor (op %d)",
                         op->name, name, i, x[i] ? "what an op without a tape returned" : "NULL",
                         tape->n_nodes);
            return 1;
        }
        if (!ag__is_live(x[i])) {
            ag_tape_fail(tape, AG_EUSE,
                         "%s: %s (input %d) is a tensor of an earlier step, which ag_tape_reset "
                         "ended (op %d); record inputs and parameters again in every step",
                         op->name, name, i, tape->n_nodes);
            return 1;
        }
        if (x[i]->is_int != (int)(op->ints >> i & 1)) {
            ag_tape_fail(tape, AG_EUSE,
                         "%s: %s holds %s, but this op wants %s there (op %d); make it with %s",
                         op->name, name, x[i]->is_int ? "int32 indices" : "real numbers",
                         x[i]->is_int ? "real numbers" : "int32 indices", tape->n_nodes,
                         x[i]->is_int ? "ag_input" : "ag_input_i32");
            return 1;
        }
    }
    return 0;
}

static int check_shapes(ag_call *call, ag_tensor *const *x)
{
    for (int i = 0; i < call->n_in; i++) {
        call->xs[i] = x[i]->shape;
        call->names[i] = x[i]->name;
    }
    if (call->op->shape(call)) return 1;
    for (int j = 0; j < (call->op->outputs ? call->op->outputs : 1); j++)
        if (ag_shape_count(call->ys[j]) < 0)
            return ag__reject(call, "the result has more than 2^40 elements");
    return 0;
}

ag_tensor *ag__record(const ag_op *op, ag_tensor *const *x, int n_in, const ag_attr *attr)
{
    ag_tape *tape = NULL;
    for (int i = 0; i < n_in && !tape; i++) tape = x[i] ? x[i]->tape : NULL;
    if (!tape || check_tapes(tape, op, x, n_in) || ag_failed(tape)) return ag__poison(tape);
    ag_call call = {.op = op, .tape = tape, .n_in = n_in};
    if (attr) call.attr = *attr;
    if (n_in > AG_MAX_IN) {
        ag_tape_fail(tape, AG_EUSE, "%s: %d inputs; at most %d are possible (op %d)", op->name,
                     n_in, AG_MAX_IN, tape->n_nodes);
        return ag__poison(tape);
    }
    if (check_inputs(tape, op, x, n_in) || check_shapes(&call, x)) return ag__poison(tape);
    if (ag__reserve(&tape->nodes, &tape->nodes_capacity, tape->n_nodes + 1, sizeof *tape->nodes))
        return no_memory(tape);
    ag_node *node = &tape->nodes[tape->n_nodes];
    memset(node, 0, sizeof *node);
    node->op = op;
    node->attr = call.attr;
    node->n_in = n_in;
    node->n_out = op->outputs ? op->outputs : 1;
    node->training = tape->training;
    if (op->random) node->ordinal = ++tape->ordinals;
    for (int i = 0; i < n_in; i++) node->in[i] = x[i]->id;
    for (int j = 0; j < node->n_out; j++) {
        ag_tensor *y = append(tape, call.ys[j], (int)(op->ints >> (8 + j) & 1));
        if (y == &tape->poison) return y;
        y->node = tape->n_nodes;
        y->slot = j;
        if (op->view) y->root = x[0]->root;
        node->out[j] = y->id;
    }
    return tape->tensors[tape->nodes[tape->n_nodes++].out[0]];
}

ag_tensor *ag__record1(const ag_op *op, ag_tensor *x, const ag_attr *attr)
{
    return ag__record(op, &x, 1, attr);
}

ag_tensor *ag__record2(const ag_op *op, ag_tensor *x0, ag_tensor *x1, const ag_attr *attr)
{
    ag_tensor *x[] = {x0, x1};
    return ag__record(op, x, 2, attr);
}

ag_tensor *ag__record3(const ag_op *op, ag_tensor *x0, ag_tensor *x1, ag_tensor *x2,
                       const ag_attr *attr)
{
    ag_tensor *x[] = {x0, x1, x2};
    return ag__record(op, x, 3, attr);
}

ag_tensor *ag__output(ag_tensor *first, int j)
{
    ag_tape *tape = first->tape;
    if (ag_failed(tape) || first->node < 0) return ag__poison(tape);
    return tape->tensors[tape->nodes[first->node].out[j]];
}
