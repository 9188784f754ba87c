/* SPDX-License-Identifier: MIT */
/* A build without CUDA: opening the device fails and says so, and without an open device the other
   functions are never called. */
#include "core/cuda/device.h"
#include "core/device.h"
#include "core/error.h"
#include "core/ranks.h"

#ifndef AG_HAVE_CUDA

# pragma GCC diagnostic push
# pragma GCC diagnostic ignored "-Wunused-parameter"

ag_status ag_device_open(ag_failure *why)
{
    return ag_fail(why, AG_EDEVICE,
                   "This version is built without CUDA and runs on the CPU only; configure with "
                   "`cmake --preset cuda` where the CUDA toolkit is, or choose the CPU as the "
                   "device");
}
void ag_device_describe(ag_device_about *about)
{
    if (about) *about = (ag_device_about){0};
}
void ag_ranks_take_device(int number) {}
ag_status ag_ranks_link_devices(ag_ranks *ranks, ag_failure *why) { return ag_device_open(why); }
void ag_ranks_unlink(ag_ranks *ranks) {}
ag_status ag__device_failed(ag_failure *why) { return ag_device_open(why); }
ag_status ag__device_wait(ag_failure *why) { return ag_device_open(why); }
void ag__device_wait_if_asked(void) {}
void ag__device_doing(const char *name) {}

void *ag__device_take(size_t bytes) { return NULL; }
void ag__device_give(void *p) {}
size_t ag__device_free_bytes(void) { return 0; }
void ag__device_upload(void *to, const void *from, size_t n) {}
void ag__device_download(void *to, const void *from, size_t n) {}
void ag__device_copy(void *to, const void *from, size_t n) {}
void ag__device_fill(void *to, int byte, size_t n) {}

ag__stage *ag__stage_new(void) { return NULL; }
void ag__stage_free(ag__stage *s) {}
char *ag__stage_open(ag__stage *s, size_t n) { return NULL; }
void ag__stage_send(ag__stage *s, size_t n) {}
void ag__stage_move(ag__stage *s, void *to, size_t at, size_t n) {}
void ag__stage_close(ag__stage *s) {}

int ag__graph_wanted(void) { return 0; }
int ag__graph_begin(void) { return 1; }
ag__graph *ag__graph_end(void) { return NULL; }
void ag__graph_launch(ag__graph *g) {}
void ag__graph_free(ag__graph *g) {}

ag__timer *ag__timer_new(void) { return NULL; }
void ag__timer_free(ag__timer *t) {}
void ag__timer_start(ag__timer *t) {}
void ag__timer_mark(ag__timer *t) {}
double ag__timer_seconds(ag__timer *t, int i) { return 0; }

void ag__device_precision(ag_precision precision) {}
void ag__device_gemm(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                     int k, int add)
{
}
int ag__device_linear(ag_real *y, const ag_real *x, const ag_real *w, const ag_real *b, int rows,
                      int in, int out, int relu)
{
    return 0;
}
int ag__device_linear_weights(ag_real *dw, ag_real *db, const ag_real *dy, const ag_real *x,
                              int rows, int in, int out)
{
    return 0;
}
void ag__device_column_sums(ag_real *y, const ag_real *x, const ag_real *z, int64_t rows,
                            int columns, int add, ag_real *scratch, int pieces)
{
}
int ag__device_channel_fits(int f, int r) { return 0; }
void ag__device_channel_forward(ag_real *y, ag_real *h, const ag__channel *in) {}
int64_t ag__device_channel_scratch(int64_t n, int f, int r) { return 0; }
void ag__device_channel_backward(ag_real *dx, ag_real *scratch, const ag_real *dy,
                                 const ag_real *dv, const ag_real *h, const ag__channel *in,
                                 int add)
{
}
void ag__device_channel_weight(ag_real *to, const ag_real *scratch, int which, int64_t rows, int f,
                               int r, int add)
{
}
int64_t ag__device_invert_scratch(int64_t count) { return 0; }
void ag__device_invert(int32_t *starts, int32_t *order, const int32_t *index, int m, int k, int n,
                       int stride, ag_real *scratch)
{
}
int64_t ag__device_scan_scratch(int64_t n) { return 0; }
void ag__device_scan(int32_t *out, const int32_t *in, int64_t n, ag_real *scratch) {}
void ag__device_largest(int32_t *place, int32_t *perm, const ag_real *score, const int32_t *starts,
                        const int32_t *kept, int64_t segments)
{
}
int64_t ag__device_first_bad(const ag_real *x, int64_t n) { return -1; }
void ag__device_seed(ag_real *dx, int add) {}

int ag__device_group_number(void (*cuda)(const struct ag_args *a)) { return -1; }
void ag__device_group(const ag__group_job *jobs, int n, size_t bytes) {}

ag__clip *ag__clip_new(void) { return NULL; }
void ag__clip_free(ag__clip *c) {}
void ag__clip_forget(ag__clip *c) {}
void ag__clip_measure(ag__clip *c, const ag_real *x, int64_t n, double most, int64_t step) {}
void ag__clip_scale(const ag__clip *c, ag_real *x, int64_t n) {}
const ag__clip_found *ag__clip_read(const ag__clip *c, int w) { return NULL; }
void ag__device_adamw(const ag_params *params, const void *numbers) {}
void ag__device_sgd(const ag_params *params, const void *numbers) {}
void ag__device_mean(ag_real *to, const ag_real *x, int64_t n, ag_real parts) {}
void ag__device_average(ag_real *average, const ag_real *x, int64_t n, ag_real rate) {}

# pragma GCC diagnostic pop
#endif
