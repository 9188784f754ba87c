/* SPDX-License-Identifier: MIT */
/* The CUDA device, for C. All work goes to one stream, in order; a call returns before its work is
   done unless it says that it waits. What fails is kept until ag__device_failed asks. A build
   without CUDA has the same functions (core/device_none.c): ag__device_open says why there is no
   device, and nobody calls the others. */
#ifndef AG_CORE_CUDA_DEVICE_H
#define AG_CORE_CUDA_DEVICE_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of CUDA in this build and on this machine; needs no open device (about.cu). */
typedef struct ag__device_about {
    int built;        /* CUDA's version that this is compiled for, as in 13000; 0: without CUDA */
    int on_host;      /* 1: the CUDA code runs on the CPU, for tests */
    int driver;       /* the newest version that the driver serves; 0: there is no driver */
    char name[256];   /* of the device; "": there is none, and what follows is 0 */
    int major, minor; /* its compute capability */
    size_t unused, bytes; /* of its memory; 0: nobody can tell */
} ag__device_about;
void ag__device_describe(ag__device_about *about);

/* ---- the device (device.cu) ---- */

/* Makes the device ready, once. AG_OK, or AG_EDEVICE with the reason and a remedy. */
ag_status ag__device_open(ag_failure *why);

/* What CUDA's error code says when a device cannot be opened: a sentence with a remedy, in `text`.
   built: CUDA's version at compile time, as in 13000; name, major and minor: of the device;
   meaning: CUDA's own words. */
const char *ag__device_reason(char text[400], int error, int built, const char *name, int major,
                              int minor, const char *meaning);

/* The sentence of a failure after the kernel `last` was launched; waited: each launch was waited
   for (AUGUR_CUDA_WAIT=1), so that it is that kernel. */
const char *ag__device_sentence(char text[400], const char *last, const char *meaning, int waited);

/* Names what is launched from now on, for sentences; `name` lasts. */
void ag__device_doing(const char *name);

/* The first failure since the last question, if any: AG_EDEVICE or AG_EMEMORY. A device that
   cannot go on fails every later question, too. Does not wait. */
ag_status ag__device_failed(ag_failure *why);

/* Waits until all work is done; then as ag__device_failed. */
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

/* Two slots of pinned memory, each with a landing area on the device, taken in turn: the copies of
   a step go along while the device still computes the step before. */
typedef struct ag__stage ag__stage;
ag__stage *ag__stage_new(void); /* NULL: no memory */
void ag__stage_free(ag__stage *stage);

/* The next slot, for `bytes` bytes that the caller writes there; NULL: no memory. */
char *ag__stage_open(ag__stage *stage, size_t bytes);
void ag__stage_send(ag__stage *stage, size_t bytes); /* what was written goes to the device */
void ag__stage_move(ag__stage *stage, void *to, size_t at, size_t bytes); /* to its place */
void ag__stage_close(ag__stage *stage);                                   /* after the last move */

/* ---- time (timer.cu) ---- */

/* Marks in the stream, to tell how long the work between them took. */
typedef struct ag__timer ag__timer;
ag__timer *ag__timer_new(void); /* NULL: no memory */
void ag__timer_free(ag__timer *timer);
void ag__timer_start(ag__timer *timer);                 /* forgets all marks and sets mark 0 */
void ag__timer_mark(ag__timer *timer);                  /* sets the next one */
double ag__timer_seconds(ag__timer *timer, int number); /* mark to mark + 1; waits for it */

/* ---- what core/gemm.h, columns.h and inverse.h do on the device ---- */

void ag__device_gemm(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                     int k, int add);
void ag__device_column_sums(ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                            int columns, int add, ag_real *scratch, int pieces);
int64_t ag__device_invert_scratch(int64_t count);
void ag__device_invert(int32_t *starts, int32_t *order, const int32_t *index, int m, int k, int n,
                       int stride, ag_real *scratch);

/* out[i] = in[0] + ... + in[i-1], i in 0..n-1. scratch: ag__device_scan_scratch elements. */
int64_t ag__device_scan_scratch(int64_t n);
void ag__device_scan(int32_t *out, const int32_t *in, int64_t n, ag_real *scratch);

/* Of the rows starts[g]..starts[g+1]-1 of each segment g, those kept[g+1] - kept[g] with the
   largest scores stay, the first ones among equals: place[v] is the new number of row v, kept[g]
   and so on in their order, or -1; perm[j] is the old number of row j. */
void ag__device_largest(int32_t *place, int32_t *perm, const ag_real *score, const int32_t *starts,
                        const int32_t *kept, int64_t segments);

/* Index of the first value that is not finite; -1: all are, or the device failed. Waits. */
int64_t ag__device_first_bad(const ag_real *x, int64_t n);

void ag__device_seed(ag_real *dx, int add); /* dx[0] = 1, or += 1 */

/* ---- what optim/ does on the device (optim.cu) ---- */

/* The sum of all squares in double: 256 pieces, each in a fixed order, added in order. Waits. */
double ag__device_sum_squares(const ag_real *x, int64_t n);
void ag__device_scale(ag_real *x, int64_t n, ag_real factor);

/* One step of core/adamw.h over n elements; decays[i / 16]: 1 where element i has weight decay. */
struct ag__adamw;
void ag__device_adamw(ag_real *w, ag_real *m, ag_real *v, const ag_real *g, const int8_t *decays,
                      int64_t n, const struct ag__adamw *u);

#ifdef __cplusplus
}
#endif

#endif
