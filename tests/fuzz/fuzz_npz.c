/* SPDX-License-Identifier: MIT */
/* Any bytes as an npz file. */
#define _GNU_SOURCE /* memfd_create */
#include "core/io/io.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LIMIT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Whole, and by rows of another type. */
static void read_member(ag_npz *npz, const ag_array_info *info)
{
    double *out = malloc((size_t)info->count * sizeof *out + 1);
    if (out && ag_npz_read(npz, info->name, info->dtype, out, NULL) == AG_OK) {
        ag_rows *rows = ag_rows_open(npz, info->name, NULL);
        int64_t left = info->rank ? info->size[0] : 1;
        while (rows && left > 0) {
            int64_t portion = left < 7 ? left : 7;
            if (ag_rows_next(rows, portion, AG_F64, out, NULL) != AG_OK)
                abort(); /* was read before */
            left -= portion;
        }
        ag_rows_close(rows);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char path[64];
    ag_failure why = {0};
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ag_npz *npz = ag_npz_open(path, LIMIT, &why);
    if (!npz && (why.status == AG_OK || !why.sentence[0])) abort();
    for (int i = 0; npz && i < ag_npz_count(npz); i++) read_member(npz, ag_npz_info(npz, i));
    ag_npz_close(npz);
    close(fd);
    return 0;
}
