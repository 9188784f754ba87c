/* SPDX-License-Identifier: MIT */
/* The same functions by TVM's stable C ABI: after

       mod = tvm_ffi.load_module("libaugur_tpgnn.so")
       model = mod.open(path, threads)              an integer; 0: mod.error(buffer) says why
       bad = mod.predict(model, score, kinds, kind, children, value, refers, offset)
       bad = mod.update(model, loss, kinds, kind, children, value, refers, offset, runtime, task,
                        steps, batch, learning_rate)
       mod.save(model, path); mod.close(model); length = mod.error(buffer)

   tensors (NumPy arrays through tvm_ffi.from_dlpack, or of TVM itself) are read and written where
   they are. score float64 [graphs]; kinds and buffer uint8; kind, children, refers, task int32;
   value float32; offset, runtime int64; loss float64 [2]. A wrong type is an exception; all else
   returns what augur_tpgnn.h says. The layouts below are those of tvm/ffi/c_api.h (0.1) and
   dlpack.h (1.x), of which this is all that is needed. */
#define _GNU_SOURCE
#include "examples/tpgnn/tvm/library/augur_tpgnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum {
    INTEGER = 1,
    NUMBER = 3,
    TENSOR_POINTER = 7,
    RAW_TEXT = 8,
    SMALL_TEXT = 11,
    TEXT = 65,
    TENSOR = 70
};
enum { HEADER = 24 }; /* bytes of TVMFFIObject, before the contents of an object */
enum { CPU = 1, SIGNED = 0, UNSIGNED = 1, REAL = 2 };

typedef struct any {
    int32_t type;
    uint32_t small; /* length of a small text, else 0 */
    union {
        int64_t integer;
        double number;
        const void *pointer;
        char text[8];
    } as;
} any;

typedef struct tensor {
    void *data;
    int32_t device, device_number;
    int32_t axes;
    uint8_t code, bits;
    uint16_t lanes;
    const int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;

typedef struct bytes {
    const char *data;
    size_t size;
} bytes;

#define EXPORT(name)                                                                           \
 AUGUR_TPGNN_API int __tvm_ffi_##name(void *self __attribute__((unused)), const any *argument, \
                                      int32_t count, any *result)

/* ---- arguments ---- */

/* Raises an exception in the caller; the function is that of the process that called. */
static int refuse(const char *name, const char *wanted)
{
    void (*set)(const char *, const char *) = NULL;
    char sentence[300];
    void *found = dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr");
    memcpy(&set, &found, sizeof set);
    snprintf(sentence, sizeof sentence, "augur_tpgnn.%s takes (%s)", name, wanted);
    if (set) set("TypeError", sentence);
    return -1;
}

/* The elements of a contiguous tensor on the CPU, or NULL: it is another kind of tensor. */
static void *elements(const any *a, int code, int bits, int64_t *count)
{
    const tensor *t = NULL;
    if (a->type == TENSOR) t = (const tensor *)(const void *)((const char *)a->as.pointer + HEADER);
    if (a->type == TENSOR_POINTER) t = a->as.pointer;
    if (!t || t->device != CPU || t->code != code || t->bits != bits || t->lanes != 1 ||
        t->axes != 1 || (t->strides && t->shape[0] > 1 && t->strides[0] != 1))
        return NULL;
    static char nothing[8]; /* an empty tensor may have no data */
    *count = t->shape[0];
    return *count ? (char *)t->data + t->byte_offset : nothing;
}

/* A text that ends with 0, in `room` if it must be copied; NULL: it is none. */
static const char *text(const any *a, char room[8])
{
    if (a->type == RAW_TEXT) return a->as.pointer;
    if (a->type == TEXT) {
        const void *held = (const char *)a->as.pointer + HEADER;
        return ((const bytes *)held)->data;
    }
    if (a->type != SMALL_TEXT || a->small > 7) return NULL;
    memcpy(room, a->as.text, a->small);
    room[a->small] = 0;
    return room;
}

static augur_tpgnn *handle(const any *a)
{
    return a->type == INTEGER ? (augur_tpgnn *)(intptr_t)a->as.integer : NULL;
}

static int give(any *result, int64_t value)
{
    *result = (any){.type = INTEGER, .as.integer = value};
    return 0;
}

/* A number of TVM's for a field of the C ABI: out of range there stays out of range here. */
static int32_t narrow(int64_t x)
{
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* Reads kinds, kind, children, value, refers, offset; 0: one of them has another type or length. */
static int read_graphs(augur_tpgnn_graphs *g, const any a[6])
{
    int64_t nodes[4] = {0}, offsets = 0;
    g->kinds = elements(&a[0], UNSIGNED, 8, &g->kinds_bytes);
    g->kind = elements(&a[1], SIGNED, 32, &nodes[0]);
    g->children = elements(&a[2], SIGNED, 32, &nodes[1]);
    g->value = elements(&a[3], REAL, 32, &nodes[2]);
    g->refers = elements(&a[4], SIGNED, 32, &nodes[3]);
    g->offset = elements(&a[5], SIGNED, 64, &offsets);
    g->nodes = nodes[0];
    g->graphs = offsets - 1;
    return g->kinds && g->kind && g->children && g->value && g->refers && g->offset &&
           nodes[1] == nodes[0] && nodes[2] == nodes[0] && nodes[3] == nodes[0] && offsets > 0;
}

/* ---- functions ---- */

EXPORT(open)
{
    char room[8];
    const char *path = count == 2 ? text(&argument[0], room) : NULL;
    if (!path || argument[1].type != INTEGER || argument[1].as.integer > 1024 ||
        argument[1].as.integer < 0)
        return refuse("open", "path, threads from 0 to 1024");
    return give(result, (int64_t)(intptr_t)augur_tpgnn_open(path, (int)argument[1].as.integer));
}

EXPORT(predict)
{
    augur_tpgnn_graphs g = {0};
    int64_t scores = 0;
    double *score = count == 8 ? elements(&argument[1], REAL, 64, &scores) : NULL;
    augur_tpgnn *model = score ? handle(&argument[0]) : NULL;
    if (!model || !read_graphs(&g, argument + 2) || scores != g.graphs)
        return refuse("predict", "model, score float64 [graphs], kinds uint8, kind int32, children "
                                 "int32, value float32, refers int32, offset int64 [graphs + 1]");
    return give(result, augur_tpgnn_predict(model, &g, score));
}

EXPORT(update)
{
    augur_tpgnn_graphs g = {0};
    int64_t losses = 0, runtimes = 0, tasks = 0;
    double *loss = count == 13 ? elements(&argument[1], REAL, 64, &losses) : NULL;
    augur_tpgnn *model = loss ? handle(&argument[0]) : NULL;
    const int good = model && losses == 2 && read_graphs(&g, argument + 2) &&
                     argument[10].type == INTEGER && argument[11].type == INTEGER &&
                     argument[12].type == NUMBER;
    const int64_t *runtime = good ? elements(&argument[8], SIGNED, 64, &runtimes) : NULL;
    const int32_t *task = good ? elements(&argument[9], SIGNED, 32, &tasks) : NULL;
    if (!runtime || !task || runtimes != g.graphs || tasks != g.graphs)
        return refuse("update", "model, loss float64 [2], kinds, kind, children, value, refers and "
                                "offset as for predict, runtime int64 [graphs], task int32 "
                                "[graphs], steps, batch, learning_rate as a float");
    const augur_tpgnn_training training = {narrow(argument[10].as.integer),
                                           narrow(argument[11].as.integer), argument[12].as.number};
    return give(result, augur_tpgnn_update(model, &g, runtime, task, &training, loss));
}

EXPORT(save)
{
    char room[8];
    const char *path = count == 2 ? text(&argument[1], room) : NULL;
    augur_tpgnn *model = path ? handle(&argument[0]) : NULL;
    if (!model) return refuse("save", "model, path");
    return give(result, augur_tpgnn_save(model, path));
}

EXPORT(close)
{
    if (count != 1 || argument[0].type != INTEGER) return refuse("close", "model");
    augur_tpgnn_close(handle(&argument[0]));
    return give(result, 0);
}

/* Copies the sentence without its final 0, as much of it as fits. */
EXPORT(error)
{
    int64_t room = 0;
    char *to = count == 1 ? elements(&argument[0], UNSIGNED, 8, &room) : NULL;
    if (!to) return refuse("error", "buffer uint8");
    const int64_t length = (int64_t)strlen(augur_tpgnn_error());
    memcpy(to, augur_tpgnn_error(), (size_t)(length < room ? length : room));
    return give(result, length < room ? length : room);
}
