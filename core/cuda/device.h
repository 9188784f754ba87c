/* SPDX-License-Identifier: MIT */
/* The CUDA device, for C. All work goes to one stream, in order; a call returns before its work is
   done unless it says that it waits. A failure is kept until ag__device_failed asks for it. A build
   without CUDA has the same functions (core/device_none.c): ag_device_open says why there is no
   device, and the others are never called. */
#ifndef AG_CORE_CUDA_DEVICE_H
#define AG_CORE_CUDA_DEVICE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the device (device.cu) ---- */

/* The meaning of CUDA's error code when a device cannot be opened: a sentence with a remedy, in
   `text`. built: CUDA's version at compile time, as in 13000; name, major and minor: of the device;
   meaning: CUDA's own words. */
const char *ag__device_reason(char text[400], int error, int built, const char *name, int major,
                              int minor, const char *meaning);

/* The sentence of a failure after the kernel `last` was launched; waited 1: the host waited for
   each launch (AUGUR_CUDA_WAIT=1), so this kernel is the one that failed. */
const char *ag__device_sentence(char text[400], const char *last, const char *meaning, int waited);

/* The sentence when memory for `what` is missing: it needs `bytes` bytes (0: not known), and
   `unused` bytes are free. */
const char *ag__device_full(char text[400], const char *what, size_t bytes, size_t unused);

/* Says for error sentences what is launched from now on; `name` must stay valid. */
void ag__device_doing(const char *name);

/* Returns the first failure since the last call, if any: AG_EDEVICE or AG_EMEMORY. Once the device
   cannot go on, every later call fails, too. Does not wait. */
ag_status ag__device_failed(ag_failure *why);

/* Waits until all work is done, then returns what ag__device_failed returns. */
ag_status ag__device_wait(ag_failure *why);

/* Waits if AUGUR_CUDA_WAIT is 1 in the environment: a failure then names the right kernel. */
void ag__device_wait_if_asked(void);

/* ---- memory (memory.cu) ---- */

void *ag__device_take(size_t bytes); /* at multiples of 256; NULL: no memory */
void ag__device_give(void *p);       /* waits for all work; NULL is allowed */
size_t ag__device_free_bytes(void);
void ag__device_upload(void *to, const void *from, size_t bytes);   /* waits */
void ag__device_download(void *to, const void *from, size_t bytes); /* waits */
void ag__device_copy(void *to, const void *from, size_t bytes);     /* within the device */
void ag__device_fill(void *to, int byte, size_t bytes);

/* ---- uploads that do not wait (stage.cu) ---- */

/* Two slots of pinned memory, each with a landing area on the device, used in turn: the data of a
   step is copied while the device still computes the previous step. */
typedef struct ag__stage ag__stage;
ag__stage *ag__stage_new(void); /* NULL: no memory */
void ag__stage_free(ag__stage *stage);

/* The next slot, for `bytes` bytes that the caller writes there; NULL: no memory. */
char *ag__stage_open(ag__stage *stage, size_t bytes);
void ag__stage_send(ag__stage *stage, size_t bytes); /* what was written goes to the device */
void ag__stage_move(ag__stage *stage, void *to, size_t at, size_t bytes); /* to its place */
void ag__stage_close(ag__stage *stage);                                   /* after the last move */

/* ---- launches that are repeated (graph.cu) ---- */

/* 0: launches are not repeated, because of AUGUR_GRAPHS=0 or AUGUR_CUDA_WAIT=1. */
int ag__graph_wanted(void);

/* From here to ag__graph_end the launches of this thread are recorded, not executed; other threads
   go on as usual. Returns 1 if that is not possible. */
int ag__graph_begin(void);

/* Returns the recorded launches; NULL: something cannot be repeated, or there is no memory. Errors
   while recording do not count as failures of the device: the next launch reports them. */
typedef struct CUgraphExec_st ag__graph;
ag__graph *ag__graph_end(void);
void ag__graph_launch(ag__graph *graph);
void ag__graph_free(ag__graph *graph); /* NULL is allowed */

/* ---- time (timer.cu) ---- */

/* Marks in the stream, which measure how long the work between them took. */
typedef struct ag__timer ag__timer;
ag__timer *ag__timer_new(void); /* NULL: no memory */
void ag__timer_free(ag__timer *timer);
void ag__timer_start(ag__timer *timer);                 /* forgets all marks and sets mark 0 */
void ag__timer_mark(ag__timer *timer);                  /* sets the next one */
double ag__timer_seconds(ag__timer *timer, int number); /* from this mark to the next; waits */

/* ---- what core/gemm.h, columns.h and inverse.h do on the device ---- */

/* Sets the precision of the products that the calling thread starts from now on; AG_FP32 at
   first. */
void ag__device_precision(ag_precision precision);
void ag__device_gemm(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                     int k, int add);

/* Linear in one pass; 0: there is no kernel for this shape (linear.cu). y [rows,out] = x [rows,in]
   w' + b, with relu max(y, 0), where a NaN may become 0; b may be NULL. dw [out,in] = dy' x and db
   [out], the sums of dy down its rows. */
int ag__device_linear(ag_real *y, const ag_real *x, const ag_real *w, const ag_real *b, int rows,
                      int in, int out, int relu);
int ag__device_linear_weights(ag_real *dw, ag_real *db, const ag_real *dy, const ag_real *x,
                              int rows, int in, int out);
void ag__device_column_sums(ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                            int columns, int add, ag_real *scratch, int pieces);
int64_t ag__device_invert_scratch(int64_t count);
void ag__device_invert(int32_t *starts, int32_t *order, const int32_t *index, int m, int k, int n,
                       int stride, ag_real *scratch);

/* ---- channel attention in one kernel (channel.cu, channel_back.cu) ---- */

/* y = x sigmoid(v) with v = h w2' + b2 and h = relu(x w1' + b1). */

typedef struct ag__channel {
    const ag_real *x, *w1, *b1, *w2, *b2; /* [rows,f], [r,f], [r], [f,r], [f] */
    int64_t rows;
    int f, r;
} ag__channel;

int ag__device_channel_fits(int f, int r); /* 0: the weights are too large */
void ag__device_channel_forward(ag_real *y, ag_real *h, const ag__channel *in);

/* Backward writes dx, or adds to it with `add`, and leaves the parts of the weights' gradients in
   scratch; the last function sums those of w1, b1, w2 or b2 (which: 1, 2, 3, 4). Either dy is
   given, or dv, the gradient of v. With dv, dy is NULL, and dx gets only what flows through h. b1
   is not read; b2 is read only with dy. */
int64_t ag__device_channel_scratch(int64_t rows, int f, int r);
void ag__device_channel_backward(ag_real *dx, ag_real *scratch, const ag_real *dy,
                                 const ag_real *dv, const ag_real *h, const ag__channel *in,
                                 int add);
void ag__device_channel_weight(ag_real *to, const ag_real *scratch, int which, int64_t rows, int f,
                               int r, int add);

/* out[i] = in[0] + ... + in[i-1], i in 0..n-1. scratch: ag__device_scan_scratch elements. */
int64_t ag__device_scan_scratch(int64_t n);
void ag__device_scan(int32_t *out, const int32_t *in, int64_t n, ag_real *scratch);

/* Segment g has the rows starts[g]..starts[g+1]-1. The kept[g+1] - kept[g] of them with the largest
   scores stay, the first ones among equals, and get the numbers kept[g], kept[g] + 1, ... in their
   order. place[v] is the new number of row v, or -1; perm[j] is the old number of row j. */
void ag__device_largest(int32_t *place, int32_t *perm, const ag_real *score, const int32_t *starts,
                        const int32_t *kept, int64_t segments);

/* Index of the first value that is not finite; -1: all are, or the device failed. Waits. */
int64_t ag__device_first_bad(const ag_real *x, int64_t n);

void ag__device_seed(ag_real *dx, int add); /* dx[0] = 1, or += 1 */

/* ---- fused groups (group.h) ---- */

/* The most jobs of a launch; the elements of a tile, which holds a value of one block; the most
   tiles of a block, and of a thread of the CPU. */
enum { AG__GROUP_JOBS = 16, AG__GROUP_TILE = 1024, AG__GROUP_TILES = 8 };

/* Tiles of a job: of inputs 0 and 1, of the output, its gradient and the gradient that it writes.
 */
enum { AG__TILE_X, AG__TILE_Z, AG__TILE_Y, AG__TILE_DY, AG__TILE_DX, AG__TILE_COUNT };

struct ag_args;
typedef struct ag__group_job {
    const struct ag_args *args;
    int number;                  /* of ag__device_group_number */
    int8_t tile[AG__TILE_COUNT]; /* -1: no tile: it is in the memory that args names */
} ag__group_job;

/* The number of the elementwise kernel that this function launches; -1: no group can run it. */
int ag__device_group_number(void (*cuda)(const struct ag_args *a));

/* Runs n jobs, at most AG__GROUP_JOBS, with the same number of elements in all outputs and
   tile_bytes bytes of tiles. */
void ag__device_group(const ag__group_job *jobs, int n, size_t tile_bytes);

/* ---- what optim/, and moving averages, do on the device (optim.cu) ---- */

/* The norm of the gradients of an ag_params, and whether they are finite (clip.cu). */
typedef struct ag__clip_found {
    double norm;
    int64_t step;   /* the optimizer step that it was measured for */
    int64_t at;     /* index of the first gradient that is not finite; -1: all are finite */
    ag_real value;  /* of that gradient */
    ag_real factor; /* min(1, most / (norm + 1e-6)), for all gradients */
    int refused;    /* 1: the norm is not finite. Until ag__clip_forget, all fields then stay as
                       they are, and steps change nothing */
} ag__clip_found;
typedef struct ag__clip ag__clip;
ag__clip *ag__clip_new(void); /* NULL: no memory */
void ag__clip_free(ag__clip *clip);
void ag__clip_forget(ag__clip *clip);

/* Computes the norm: squares are added in double, in 256 pieces, each in a fixed order, and the
   pieces in order. Does not wait. */
void ag__clip_measure(ag__clip *clip, const ag_real *x, int64_t n, double most, int64_t step);
void ag__clip_scale(const ag__clip *clip, ag_real *x, int64_t n); /* x times the factor */

/* The result of the last ag__clip_measure. NULL: the device has not finished it, or, with wait 1,
   it failed. */
const ag__clip_found *ag__clip_read(const ag__clip *clip, int wait);
const ag__clip_found *ag__clip_on_device(const ag__clip *clip); /* in its memory */

/* One step of AdamW or SGD over the arrays of a block there; `numbers` is an ag__adamw or an
   ag__sgd (core/update.h). While the block is `clipped`, the gradients are multiplied by the factor
   that `clip` found. */
void ag__device_adamw(const ag_params *params, const void *numbers);
void ag__device_sgd(const ag_params *params, const void *numbers);

/* to = (to + x) / parts, n elements. */
void ag__device_mean(ag_real *to, const ag_real *x, int64_t n, ag_real parts);

/* average = (1 - rate) average + rate x, n elements. */
void ag__device_average(ag_real *average, const ag_real *x, int64_t n, ag_real rate);

#ifdef __cplusplus
}
#endif

#endif
